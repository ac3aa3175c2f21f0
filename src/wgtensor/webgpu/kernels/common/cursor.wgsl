// A position of a walk, split into (q, r) = (position / inner, position % inner).
struct Cursor {
    position: u32,
    q: u32,
    r: u32,
}

// The next position without a division. Positions past the last repeat it, so that nothing beyond the source is read.
fn next(at: Cursor, last: u32, inner: u32) -> Cursor {
    if (at.position >= last) {
        return at;
    }
    let wraps = at.r + 1u == inner;
    return Cursor(at.position + 1u, select(at.q, at.q + 1u, wraps), select(at.r + 1u, 0u, wraps));
}
