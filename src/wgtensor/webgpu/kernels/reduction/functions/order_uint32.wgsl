// Order of uint32 and of bool bytes: the bits themselves.
fn ascending(x: u32) -> u32 {
    return x;
}
fn bits_of(key: u32) -> u32 {
    return key;
}
fn is_nan(x: u32) -> bool {
    return false;
}
fn unsigned_zero(x: u32) -> u32 {
    return x;
}
