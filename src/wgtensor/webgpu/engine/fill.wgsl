// Fill a range of words with one word.
// Bindings: 0 out (read_write storage), 1 params (uniform). Workgroup 256 x 1 x 1; one invocation writes one word.
// Grid: x workgroups in rows of `row` words, y rows. Exact on every adapter.
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
