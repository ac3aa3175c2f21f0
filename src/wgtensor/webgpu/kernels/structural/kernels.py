"""The structural kernels: what is compiled, keyed by variant and never by shape."""

from __future__ import annotations

from typing import Final

from wgtensor.webgpu.kernels.plan import KernelSource
from wgtensor.webgpu.kernels.tables import TABLE
from wgtensor.webgpu.kernels.templating import render
from wgtensor.webgpu.kernels.units import Unit

__all__ = ["TILE", "WORKGROUP", "fill_kernel", "move_kernel", "workgroups_for"]

WORKGROUP: Final = 256
"""Invocations of one workgroup: the baseline that every adapter offers."""
TILE: Final = 32
"""Units along each side of a tile of ``transpose_tile``."""


def move_kernel(template: str, unit: Unit, form: str, *, triangle: bool = False) -> KernelSource:
    """Return the kernel ``<template>.wgsl`` for one unit size and walk form."""
    reads = 2 if form == TABLE else 1
    return KernelSource(
        ("structural", template, unit.nbytes, form, triangle),
        lambda: render(
            f"structural/{template}.wgsl", unit=unit, form=form, reads=reads, triangle=triangle, size=WORKGROUP
        ),
        reads,
    )


def fill_kernel() -> KernelSource:
    """Return the kernel that repeats a 16-byte pattern."""
    return KernelSource(("structural", "fill"), lambda: render("structural/fill.wgsl", size=WORKGROUP), 0)


def workgroups_for(invocations: int) -> int:
    """Return the workgroups that hold ``invocations`` invocations."""
    return -(-invocations // WORKGROUP)
