"""The indexing kernels: what is compiled, keyed by variant and never by shape."""

from __future__ import annotations

from typing import Any

from wgtensor.tensor import DType
from wgtensor.webgpu.kernels.indexing.combine import Combine
from wgtensor.webgpu.kernels.indexing.corners import INDEX
from wgtensor.webgpu.kernels.plan import KernelSource
from wgtensor.webgpu.kernels.structural.kernels import WORKGROUP
from wgtensor.webgpu.kernels.tables import TABLE
from wgtensor.webgpu.kernels.templating import render

__all__ = ["combine_kernel", "indexing_kernel"]


def indexing_kernel(
    template: str, form: str, variant: Any, reads: int, index: DType | None = None, writes: int = 1, **values: Any
) -> KernelSource:
    """Return the kernel ``<template>.wgsl``.

    Parameters
    ----------
    template
        The file.
    form
        Of its walks; tables are one more read.
    variant
        Tells apart what ``values`` say; part of the key.
    reads, writes
        Storage bindings without the table.
    index
        Dtype of the starts, where it reads any.
    values
        Template values.
    """
    reads += form == TABLE
    start = INDEX[index] if index is not None else ""
    return KernelSource(
        ("indexing", template, form, variant, index),
        lambda: render(f"indexing/{template}.wgsl", form=form, reads=reads, index=start, size=WORKGROUP, **values),
        reads,
        writes,
    )


def combine_kernel(
    template: str, form: str, combine: Combine, reads: int, index: DType | None = None, writes: int = 1
) -> KernelSource:
    """Return the kernel ``<template>.wgsl`` with the pieces of a mode and dtype."""
    pieces = ("functions", "bits", "load", "key", "value", "atomic", "sums", "lanes", "pack")
    values = {name: getattr(combine, name) for name in pieces}
    return indexing_kernel(template, form, combine, reads, index, writes, **values)
