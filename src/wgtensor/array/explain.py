"""``explain``: the kernels behind a result, why each window closed, and what it cost."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from wgtensor.array.array import Array
from wgtensor.array.calls import required_array
from wgtensor.array.refusals import spoken
from wgtensor.errors import ValidationError

if TYPE_CHECKING:
    from wgtensor.webgpu.history import Explanation, Launch

__all__ = ["explain"]


def explain(x: Array, *, last: int | None = 20) -> None:
    """Print the kernels that led to ``x``: operations, shapes, why each fusion window closed, dispatches and bytes.

    Runs nothing and reads nothing. Where ``x`` still waits in its window, the waiting operations are printed. The last
    4096 launches of a device are remembered. Bytes count each whole operand that a kernel reads and each result that
    it writes, so a fused chain shows its inputs and outputs only.

    Parameters
    ----------
    x
        An array of a WebGPU device. The cpu device computes at once, with NumPy, and says so.
    last
        How many launches are printed, the latest ones; None for all.

    Raises
    ------
    DTypeError
        ``x`` is no array.
    ValidationError
        ``last`` is negative or no integer.

    Examples
    --------
    >>> import wgtensor as wt
    >>> with wt.device("cpu"):
    ...     wt.explain(wt.ones(3) + 1)
    float32 (3,) on cpu: computed by NumPy, operation by operation
    """
    if last is not None and (not isinstance(last, int) or last < 0):
        raise ValidationError(f"explain needs a number of launches from 0 as last, or None for all, got {last!r}")
    sys.stdout.write(_text_of(x, last) + "\n")


def _text_of(x: Array, last: int | None) -> str:
    """Return what :func:`explain` prints."""
    device = required_array("explain", x).device
    title = f"{x.dtype} {x.shape} on {device}"
    if device.kind == "cpu":
        return f"{title}: computed by NumPy, operation by operation"
    told: Explanation = device.backend.runtime.explain(x.tensor)
    lines = [f"{title}: {_sum_of(told.launches)}"]
    earlier = 0 if last is None else max(len(told.launches) - last, 0)
    if earlier:
        lines.append(f"  {earlier} earlier launches are left out; explain(x, last=None) prints all")
    lines += [_line(launch) for launch in told.launches[earlier:]]
    if told.waiting:
        lines.append(f"  waiting: {_names(told.waiting)}; they run as one kernel when the window closes")
    return "\n".join(lines)


def _sum_of(launches: tuple[Launch, ...]) -> str:
    if not launches:
        return "no kernel ran for it"
    dispatches = sum(launch.dispatches for launch in launches)
    moved = sum(launch.bytes_read + launch.bytes_written for launch in launches)
    return f"{_counted(dispatches)}, {moved} bytes read and written"


def _line(launch: Launch) -> str:
    """Return one launch: its operations, where its operands come from, its cost, and why its window closed."""
    shape = "" if launch.shape is None else f" over {launch.shape}"
    sources = ", ".join("an upload" if each == 0 else f"#{each}" for each in dict.fromkeys(launch.operands))
    closed = "" if launch.closed is None else f"\n      ran because {launch.closed.value}"
    return (
        f"  #{launch.number} {_names(launch.operations)}{shape}: reads {launch.bytes_read} bytes"
        f"{f' of {sources}' if sources else ''}, writes {launch.bytes_written}, "
        f"{_counted(launch.dispatches)}{closed}"
    )


def _names(operations: tuple[str, ...]) -> str:
    return ", ".join(map(spoken, operations))


def _counted(dispatches: int) -> str:
    return f"{dispatches} dispatch{'' if dispatches == 1 else 'es'}"
