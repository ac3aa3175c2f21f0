"""The sort kernels: what is compiled, keyed by variant and never by shape."""

from __future__ import annotations

from typing import Any, Final

from wgtensor.tensor import DType
from wgtensor.webgpu.kernels.plan import KernelSource
from wgtensor.webgpu.kernels.reduction.combine import COMBINES
from wgtensor.webgpu.kernels.tables import TABLE
from wgtensor.webgpu.kernels.templating import render
from wgtensor.webgpu.kernels.units import UNITS

__all__ = ["MERGED", "RUN", "TILE", "WORKGROUP", "merge_kernel", "runs_kernel", "search_kernel", "store_kernel"]

WORKGROUP: Final = 256
"""Invocations of one workgroup: the baseline that every adapter offers."""
RUN: Final = 8
"""Elements that one invocation sorts."""
TILE: Final = RUN * WORKGROUP
"""Elements that one workgroup sorts, and results that it merges, in workgroup memory."""
MERGED: Final = 64
"""Results that one invocation merges on software adapters, where searches cost more than moves."""


def runs_kernel(dtype: DType, descending: bool, form: str, team: bool) -> KernelSource:
    """Return the kernel that makes sorted runs of keys and positions: of ``RUN``, or of a ``team`` of invocations."""
    reads = 1 + (form == TABLE)
    values = {**_order(dtype, descending), "form": form, "reads": reads, "run": RUN, "team": team}
    return _kernel("runs", (dtype.name, descending, form, team), values, reads, 2)


def merge_kernel(software: bool) -> KernelSource:
    """Return the kernel that merges neighbouring runs, by single invocations or by workgroups."""
    return _kernel("merge", (), {}, 2, 2) if software else _kernel("merge_tile", (), {"run": RUN, "tile": TILE}, 2, 2)


def store_kernel(gathered: bool, form: str) -> KernelSource:
    """Return the kernel that writes sorted elements (``gathered``) or positions."""
    reads = 1 + gathered + (form == TABLE)
    return _kernel("store", (gathered, form), {"gathered": gathered, "form": form, "reads": reads}, reads, 1)


def search_kernel(dtype: DType, form: str) -> KernelSource:
    """Return the kernel that finds where values belong in ascending elements."""
    reads = 2 + (form == TABLE)
    return _kernel("search", (dtype.name, form), {**_order(dtype, False), "form": form, "reads": reads}, reads, 1)


def _order(dtype: DType, descending: bool) -> dict[str, Any]:
    """Return how elements become keys: by argmax's order, which grows, or by argmin's; NaN has the greatest key."""
    return {"order": COMBINES["argmin" if descending else "argmax", dtype], "unit": UNITS[dtype.itemsize]}


def _kernel(template: str, variant: tuple[Any, ...], values: dict[str, Any], reads: int, writes: int) -> KernelSource:
    key = ("sort", template, *variant)
    return KernelSource(key, lambda: render(f"sort/{template}.wgsl", size=WORKGROUP, **values), reads, writes)
