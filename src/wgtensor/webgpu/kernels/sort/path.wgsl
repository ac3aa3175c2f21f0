{# The merge path of two neighbouring sorted runs; middle and end are where they end.

   functions(keys)           head_<keys>(at, end), and split_<keys>(begin, middle, end, before), on an array of keys
   taking(keys, positions)   struct Merge and take(merge, middle, end), on arrays of both
#}
{$ macro functions(keys) $}
// The key at the head of a run; the greatest of all where the run is used up.
fn head_{{ keys }}(at: u32, end: u32) -> u32 {
    if (at < end) {
        return {{ keys }}[at];
    }
    return 0xffffffffu;
}

// How many of the first `before` results lie in the left run, which goes first where keys are equal.
fn split_{{ keys }}(begin: u32, middle: u32, end: u32, before: u32) -> u32 {
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
{$ macro taking(keys, positions) $}

// Where two runs are read, and the pair that came first of them.
struct Merge {
    left: u32,
    right: u32,
    pair: vec2<u32>,
}

// The next step of a merge; beyond both runs, some pair.
fn take(at: Merge, middle: u32, end: u32) -> Merge {
    let left_key = head_{{ keys }}(at.left, middle);
    let right_key = head_{{ keys }}(at.right, end);
    if (at.left < middle && left_key <= right_key) {
        return Merge(at.left + 1u, at.right, vec2<u32>(left_key, {{ positions }}[at.left]));
    }
    return Merge(at.left, at.right + 1u, vec2<u32>(right_key, {{ positions }}[min(at.right, end - 1u)]));
}
{$ endmacro $}
