// Fill a range of words with one word.
//
// Bindings   out (read_write), params (uniform)
// Shapes     words `first` to `first + count`, in rows of `row` words
// Workgroup  256 x 1 x 1, one word per invocation; grid: workgroups of a row in x, rows in y
// Limits     no loops
// Precision  moves bits: exact for every pattern
struct Params { first: u32, count: u32, word: u32, row: u32 }

@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> params: Params;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) at: vec3u) {
    let i = at.x + at.y * params.row;
    if (i < params.count) {
        out[params.first + i] = params.word;
    }
}
