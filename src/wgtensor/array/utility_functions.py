"""Utility functions of the standard: ``all``, ``any`` and ``diff``; and what runs, waits and tells of memory."""

from __future__ import annotations

from dataclasses import dataclass

from wgtensor.array import differences, reduction
from wgtensor.array.array import Array
from wgtensor.array.calls import call, required_array
from wgtensor.array.devices import DeviceLike, as_device
from wgtensor.array.operators import device_of
from wgtensor.array.refusals import speaking_of

__all__ = ["MemoryStats", "all", "any", "diff", "evaluate", "memory_stats"]


def all(x: Array, /, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Array:
    """Return whether all elements are True, or not 0, along ``axis``; True where there are none.

    Parameters
    ----------
    x
        Array of any dtype; NaN counts as True.
    axis
        Axes to reduce; all by default.
    keepdims
        Whether reduced axes stay, with length 1.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.all(wt.asarray([[1, 0], [2, 3]]), axis=1).tolist()
    [False, True]
    """
    return call("all", reduction.truth, x, "all", axis, keepdims)


def any(x: Array, /, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Array:
    """Return whether any element is True, or not 0, along ``axis``; False where there are none. See :func:`all`.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.any(wt.asarray([[1, 0], [0, 0]]), axis=1).tolist()
    [True, False]
    """
    return call("any", reduction.truth, x, "any", axis, keepdims)


def diff(
    x: Array, /, *, axis: int = -1, n: int = 1, prepend: Array | None = None, append: Array | None = None
) -> Array:
    """Return the differences of neighbours along ``axis``, ``n`` times over; integers wrap.

    Parameters
    ----------
    x
        Array of numbers with at least one axis.
    axis
        The axis that gets ``n`` shorter.
    n
        How often.
    prepend, append
        Arrays that are joined to ``x`` along ``axis`` first, of its other lengths.

    Raises
    ------
    DTypeError
        An array holds bools.
    ValidationError
        ``n`` is negative, there is no such axis, or shapes do not join.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.diff(wt.asarray([1, 4, 9, 16])).tolist()
    [3, 5, 7]
    """
    parts = [required_array("diff", each) for each in (prepend, x, append) if each is not None]
    device = device_of("diff", *parts)
    with speaking_of("diff"):
        return Array(differences.diff(device.session, [each.tensor for each in parts], axis, n), device)


def evaluate(*arrays: Array) -> None:
    """Start everything that is pending on the devices of ``arrays``, without waiting; of the current one if none.

    Work starts by itself when a result is read and when enough has gathered. This starts it earlier, for example before
    the host does something else.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.evaluate(wt.asarray([1.0]) + 1)
    """
    devices = dict.fromkeys(required_array("evaluate", each).device for each in arrays) or (as_device(None),)
    for device in devices:
        device.session.check_alive("evaluate")
        device.session.flush()


@dataclass(frozen=True, slots=True)
class MemoryStats:
    """Bytes of a device's memory that this program holds.

    Attributes
    ----------
    live
        In arrays, tables and scratch.
    waiting
        Freed, kept for reuse.
    peak
        The largest sum of both so far.
    limit
        What both may reach together; None where only the driver limits.
    """

    live: int
    waiting: int
    peak: int
    limit: int | None


def memory_stats(device: DeviceLike = None) -> MemoryStats:
    """Return the bytes that this program holds on a device, the current one by default.

    Examples
    --------
    >>> import wgtensor as wt
    >>> wt.memory_stats("cpu").waiting
    0
    """
    runtime = as_device(device).backend.runtime
    counters = runtime.counters
    return MemoryStats(counters.live_bytes, counters.pool_bytes, counters.peak_bytes, runtime.memory_limit)
