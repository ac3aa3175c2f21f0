// Order of float16 on its 16 bits: -inf < ... < -0 < +0 < ... < inf.
fn ascending(x: u32) -> u32 {
    return x ^ select(0x8000u, 0xffffu, x >= 0x8000u);
}
fn bits_of(key: u32) -> u32 {
    return (key ^ select(0xffffu, 0x8000u, (key & 0x8000u) != 0u)) & 0xffffu;
}
fn is_nan(x: u32) -> bool {
    return (x & 0x7fffu) > 0x7c00u;
}
fn unsigned_zero(x: u32) -> u32 {
    return select(x, 0u, x == 0x8000u);
}
