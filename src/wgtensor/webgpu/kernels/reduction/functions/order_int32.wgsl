// Order of int32 on its bits.
fn ascending(x: u32) -> u32 {
    return x ^ 0x80000000u;
}
fn bits_of(key: u32) -> u32 {
    return key ^ 0x80000000u;
}
fn is_nan(x: u32) -> bool {
    return false;
}
fn unsigned_zero(x: u32) -> u32 {
    return x;
}
