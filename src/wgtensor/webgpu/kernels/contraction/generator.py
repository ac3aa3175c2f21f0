"""The one entry from a variant to WGSL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from wgtensor.webgpu.kernels.contraction.registers import generate_register_kernel
from wgtensor.webgpu.kernels.contraction.variant import Variant, render_kernel
from wgtensor.webgpu.kernels.contraction.workgroup import generate_workgroup_kernel

__all__ = ["generate"]


def _template(variant: Variant) -> str:
    return render_kernel(variant.tile.kind, variant)


_GENERATORS: Final[Mapping[str, Callable[[Variant], str]]] = {
    "register": generate_register_kernel,
    "broadcast": generate_register_kernel,
    "workgroup": generate_workgroup_kernel,
    "pack": _template,
    "finish": _template,
}


def generate(variant: Variant) -> str:
    """Return the WGSL of ``variant``."""
    return _GENERATORS[variant.tile.kind](variant)
