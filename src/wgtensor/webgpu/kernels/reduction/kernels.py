"""The reduction kernels: what is compiled, keyed by variant and never by shape."""

from __future__ import annotations

from wgtensor.tensor import DType
from wgtensor.webgpu.kernels.elementwise.generator import ElementwiseKernel, leaf_arrays
from wgtensor.webgpu.kernels.plan import KernelSource
from wgtensor.webgpu.kernels.reduction.combine import COMBINES
from wgtensor.webgpu.kernels.reduction.problem import CHUNKS, Access
from wgtensor.webgpu.kernels.reduction.prologue import template_values, written_arrays
from wgtensor.webgpu.kernels.reduction.strategy import WORKGROUP
from wgtensor.webgpu.kernels.tables import TABLE
from wgtensor.webgpu.kernels.templating import declarations, render
from wgtensor.webgpu.kernels.units import UNITS

__all__ = ["first_kernel", "second_kernel"]


def first_kernel(
    op: str, dtype: DType, access: Access, form: str, software: bool, window: ElementwiseKernel | None = None
) -> KernelSource:
    """Return the kernel that folds elements, read by ``access`` and walked in ``form``, or computed by a window."""
    chunk, unit = CHUNKS[dtype.itemsize], UNITS[dtype.itemsize]
    source = f"source: array<{unit.word if access is Access.GENERAL else chunk.word}>"
    reads = [*(leaf_arrays(window) if window else [source]), *["offsets: array<u32>"] * (form == TABLE)]
    writes = ["output: array<u32>", *(written_arrays(window) if window else ())]

    def render_kernel() -> str:
        return render(
            "reduction/reduce.wgsl",
            combine=COMBINES[op, dtype],
            access=access.value,
            form=form,
            bindings=declarations(reads, writes),
            window=template_values(window) if window else None,
            unit=unit,
            chunk=chunk,
            lanes=chunk.lanes,
            team=not software and access is not Access.COLUMNS,
            size=WORKGROUP[software],
        )

    key = ("reduction", "reduce", op, dtype.name, access.value, form, software, window)
    return KernelSource(key, render_kernel, len(reads), len(writes))


def second_kernel(op: str, dtype: DType, team: bool, software: bool) -> KernelSource:
    """Return the kernel that joins shares, by workgroups (``team``) or by single invocations."""
    values = {"combine": COMBINES[op, dtype], "team": team, "size": WORKGROUP[software]}
    key = ("reduction", "finish", op, dtype.name, team, software)
    return KernelSource(key, lambda: render("reduction/finish.wgsl", **values))
