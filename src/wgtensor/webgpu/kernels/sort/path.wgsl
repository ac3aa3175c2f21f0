{# The merge path of two neighbouring sorted runs of an array of keys: middle and end are where they end.

   functions(keys)   head(at, end), and split(begin, middle, end, before)
#}
{$ macro functions(keys) $}
// The key at the head of a run; the greatest of all where the run is used up.
fn head(at: u32, end: u32) -> u32 {
    if (at < end) {
        return {{ keys }}[at];
    }
    return 0xffffffffu;
}

// How many of the first `before` results lie in the left run, which goes first where keys are equal.
fn split(begin: u32, middle: u32, end: u32, before: u32) -> u32 {
    var low = before - min(before, end - middle);
    var high = min(before, middle - begin);
    while (low < high) {
        let probe = (low + high) / 2u;
        if ({{ keys }}[begin + probe] <= {{ keys }}[middle + before - 1u - probe]) {
            low = probe + 1u;
        } else {
            high = probe;
        }
    }
    return low;
}
{$ endmacro $}
