"""The axes of gather and scatter: which axis of a windowed tensor walks which axis of the operand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["interleave", "window_axes"]


def window_axes(axes: Sequence[int], rank: int, dropped: Sequence[int]) -> tuple[int | None, ...]:
    """Return, per operand axis, the axis of the windowed tensor that walks it; None for dropped ones.

    Examples
    --------
    >>> window_axes((1, 3), 3, dropped=(1,))
    (1, None, 3)
    """
    remaining = iter(axes)
    return tuple(None if axis in dropped else next(remaining) for axis in range(rank))


def interleave(axes: Sequence[int], window: Iterable[int], batch: Sequence[int]) -> tuple[int, ...]:
    """Return ``window`` at positions ``axes``, and ``batch`` in order at the others.

    Examples
    --------
    >>> interleave((1, 3), (20, 40), (1, 3))
    (1, 20, 3, 40)
    """
    at, rest = dict(zip(axes, window, strict=True)), iter(batch)
    return tuple(at[axis] if axis in at else next(rest) for axis in range(len(axes) + len(batch)))
