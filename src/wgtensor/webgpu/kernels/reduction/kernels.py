"""The reduction kernels: what is compiled, keyed by variant and never by shape."""

from __future__ import annotations

from wgtensor.tensor import DType
from wgtensor.webgpu.kernels.plan import KernelSource
from wgtensor.webgpu.kernels.reduction.combine import COMBINES
from wgtensor.webgpu.kernels.reduction.problem import CHUNKS, Access
from wgtensor.webgpu.kernels.reduction.strategy import WORKGROUP
from wgtensor.webgpu.kernels.tables import TABLE
from wgtensor.webgpu.kernels.templating import render
from wgtensor.webgpu.kernels.units import UNITS

__all__ = ["first_kernel", "second_kernel"]


def first_kernel(op: str, dtype: DType, access: Access, form: str, software: bool) -> KernelSource:
    """Return the kernel that folds elements, read by ``access`` and walked in ``form``."""
    chunk, reads = CHUNKS[dtype.itemsize], 2 if form == TABLE else 1
    values = {
        "combine": COMBINES[op, dtype],
        "access": access.value,
        "form": form,
        "reads": reads,
        "unit": UNITS[dtype.itemsize],
        "chunk": chunk,
        "lanes": chunk.lanes,
        "team": not software and access is not Access.COLUMNS,
        "size": WORKGROUP[software],
    }
    key = ("reduction", "reduce", op, dtype.name, access.value, form, software)
    return KernelSource(key, lambda: render("reduction/reduce.wgsl", **values), reads)


def second_kernel(op: str, dtype: DType, team: bool, software: bool) -> KernelSource:
    """Return the kernel that joins shares, by workgroups (``team``) or by single invocations."""
    values = {"combine": COMBINES[op, dtype], "team": team, "size": WORKGROUP[software]}
    key = ("reduction", "finish", op, dtype.name, team, software)
    return KernelSource(key, lambda: render("reduction/finish.wgsl", **values))
