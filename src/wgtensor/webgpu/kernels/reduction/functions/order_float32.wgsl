// Order of float32 on its bits: -inf < ... < -0 < +0 < ... < inf.
fn ascending(x: u32) -> u32 {
    return x ^ select(0x80000000u, 0xffffffffu, x >= 0x80000000u);
}
fn bits_of(key: u32) -> u32 {
    return key ^ select(0xffffffffu, 0x80000000u, key >= 0x80000000u);
}
fn is_nan(x: u32) -> bool {
    return (x & 0x7fffffffu) > 0x7f800000u;
}
fn unsigned_zero(x: u32) -> u32 {
    return select(x, 0u, x == 0x80000000u);
}
