"""The uniform of the contraction kernels, in the order of ``common.wgsl``."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from wgtensor.webgpu.kernels.contraction.problem import ContractionProblem
from wgtensor.webgpu.kernels.contraction.tables import Segment
from wgtensor.webgpu.kernels.plan import pack_params

__all__ = ["KernelParams", "factor_bits"]

_NO_TABLE: Segment = (1, 0, 0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelParams:
    """Extents, offsets, tables and factors of one step; ``common.wgsl`` says what each is."""

    rows: int
    cols: int = 1
    depth: int = 0
    batches: int
    base_a: int = 0
    base_b: int = 0
    base_c: int = 0
    splits: int = 1
    depth_a: int = 0
    depth_b: int = 0
    split_table: int = 0
    split_stride: int = 0
    last_row: int = 0
    last_col: int = 0
    col_groups: int = 1
    layers: int = 1
    row_tiles: int = 1
    col_tiles: int = 1
    keeps_old: int = 0
    unused: int = 0
    factors: Segment = (0, 0, 0, 0)
    row_a: Segment = _NO_TABLE
    row_c: Segment = _NO_TABLE
    col_b: Segment = _NO_TABLE
    col_c: Segment = _NO_TABLE
    batch_a: Segment = _NO_TABLE
    batch_b: Segment = _NO_TABLE
    batch_c: Segment = _NO_TABLE

    def pack(self) -> bytes:
        """Return the uniform's bytes."""
        words: list[int] = []
        for entry in fields(self):
            value = getattr(self, entry.name)
            words.extend(value if isinstance(value, tuple) else (value,))
        return pack_params(*words)


def factor_bits(problem: ContractionProblem) -> Segment:
    """Return alpha and beta, real and imaginary, as the bits that the kernels compute with."""
    alpha, beta = complex(problem.alpha), complex(problem.beta)
    if problem.dtype.is_integer:
        return int(alpha.real) & 0xFFFFFFFF, 0, int(beta.real) & 0xFFFFFFFF, 0
    parts = np.array([alpha.real, alpha.imag, beta.real, beta.imag], np.float32).view(np.uint32)
    first, second, third, fourth = parts.tolist()
    return first, second, third, fourth
