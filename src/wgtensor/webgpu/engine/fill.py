"""Fills with a word other than zero, which WebGPU itself does not have: one small kernel."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from struct import pack
from typing import NamedTuple

from wgtensor.webgpu.engine.base import EngineFacts

__all__ = ["FillPart", "fill_parts", "fill_source"]

WORKGROUP = 256
GRID_ROW = 32_768
"""Workgroups in one row of the grid, below the limit of 65,535."""


class FillPart(NamedTuple):
    """One dispatch of the fill kernel."""

    offset: int
    nbytes: int
    params: bytes
    groups: tuple[int, int, int]


@cache
def fill_source() -> str:
    """Return the kernel's WGSL."""
    return files(__package__).joinpath("fill.wgsl").read_text(encoding="utf-8")


def fill_parts(offset: int, nbytes: int, word: int, facts: EngineFacts) -> Iterator[FillPart]:
    """Split a fill into dispatches whose bindings are aligned and within the adapter's binding limit."""
    align = facts.offset_alignment
    window = facts.limits["max-storage-buffer-binding-size"] // align * align
    end = offset + nbytes
    while offset < end:
        base = offset // align * align
        size = min(window, end - base)
        first, count = (offset - base) // 4, (base + size - offset) // 4
        groups = -(-count // WORKGROUP)
        rows = -(-groups // GRID_ROW)
        params = pack("<4I", first, count, word & 0xFFFFFFFF, GRID_ROW * WORKGROUP)
        yield FillPart(base, size, params, (min(groups, GRID_ROW), rows, 1))
        offset = base + size
