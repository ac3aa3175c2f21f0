"""Fills: one value everywhere, given as its bytes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wgtensor.errors import ValidationError
from wgtensor.tensor import DType, Layout, bfloat16
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.draft import OUTPUT, Draft
from wgtensor.webgpu.kernels.plan import Binding, LaunchPlan
from wgtensor.webgpu.kernels.structural.kernels import fill_kernel, workgroups_for

__all__ = ["add_fill", "add_zeros", "element_bytes", "plan_fill"]

PATTERN_BYTES = 16


def element_bytes(value: complex, dtype: DType) -> bytes:
    """Return one element as NumPy stores it, rounded to nearest even; what exceeds a float's range is infinite."""
    if dtype is bfloat16:
        bits = int(np.asarray(value, np.float32).view(np.uint32))
        return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).to_bytes(2, "little")
    with np.errstate(over="ignore"):
        return np.asarray(value).astype(dtype).tobytes()


def plan_fill(dtype: DType, shape: Sequence[int], value: bytes, facts: AdapterFacts) -> LaunchPlan:
    """Plan the fill of the row-major output 0.

    Parameters
    ----------
    dtype
        Any of the 15.
    shape
        The output's shape.
    value
        One element as NumPy stores it, for example ``np.float16(1).tobytes()``: NaN payloads survive.
    facts
        The adapter's.

    Raises
    ------
    ValidationError
        ``value`` is not one element.
    """
    draft = Draft("fill", facts)
    size = Layout.contiguous(tuple(shape)).size
    add_fill(draft, dtype, size, value)
    return draft.finish(size)


def add_fill(draft: Draft, dtype: DType, size: int, value: bytes) -> None:
    """Add the fill of output 0 with ``size`` elements; nothing for an empty one.

    Raises
    ------
    ValidationError
        ``value`` is not one element.
    """
    if len(value) != dtype.itemsize:
        raise ValidationError(f"{draft.name} needs one {dtype} of {dtype.itemsize} bytes, got {len(value)} bytes")
    if size == 0:
        return
    pattern = np.frombuffer(value * (PATTERN_BYTES // dtype.itemsize), "<u4").tolist()
    count = -(-size * dtype.itemsize // PATTERN_BYTES)
    draft.dispatch(fill_kernel(), (OUTPUT,), (*pattern, count), workgroups_for(count))


def add_zeros(draft: Draft, buffer: Binding, nbytes: int) -> None:
    """Add the fill of a scratch buffer with zero bytes."""
    count = -(-nbytes // PATTERN_BYTES)
    draft.dispatch(fill_kernel(), (buffer,), (0, 0, 0, 0, count), workgroups_for(count))
