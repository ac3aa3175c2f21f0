"""The scan kernels: what is compiled, keyed by variant and never by shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from wgtensor.webgpu.kernels.plan import KernelSource
from wgtensor.webgpu.kernels.reduction.combine import Combine
from wgtensor.webgpu.kernels.scan.strategy import LANES, WORKGROUP
from wgtensor.webgpu.kernels.tables import TABLE
from wgtensor.webgpu.kernels.templating import render
from wgtensor.webgpu.kernels.units import UNITS

__all__ = ["ELEMENTS", "PARTS", "POSITIONS", "Scanned"]

ELEMENTS: Final = "elements"
PARTS: Final = "parts"
POSITIONS: Final = "positions"


@dataclass(frozen=True, slots=True)
class Scanned:
    """What a kernel joins, and on which adapters.

    Attributes
    ----------
    key
        Tells one ``combine`` from another.
    combine
        The join, and how elements become partial results.
    itemsize
        Bytes of an element.
    software
        Whether adapters run on a CPU, and want no barriers.
    """

    key: tuple[str, ...]
    combine: Combine
    itemsize: int
    software: bool

    def totals(self, form: str) -> KernelSource:
        """Return the kernel that joins each share of elements."""
        return self._kernel("totals", ELEMENTS, form)

    def scan(self, sink: str, form: str, *, carried: bool) -> KernelSource:
        """Return the kernel that scans shares of elements, or of partial results, into ``sink``."""
        return self._kernel("scan", sink, form, carried)

    def _kernel(self, template: str, sink: str, form: str, carried: bool = False) -> KernelSource:
        reads = 1 + (form == TABLE) + carried
        values: dict[str, Any] = {
            "combine": self.combine,
            "lift": f"bitcast<{self.combine.accumulator}>(x)" if sink == PARTS else self.combine.lift,
            "unit": UNITS[4 * self.combine.words if sink == PARTS else self.itemsize],
            "sink": sink,
            "form": form,
            "carried": carried,
            "reads": reads,
            "lanes": LANES,
            "team": not self.software,
            "size": WORKGROUP[self.software],
        }
        key = ("scan", template, *self.key, sink, form, carried, self.software)
        return KernelSource(key, lambda: render(f"scan/{template}.wgsl", **values), reads)
