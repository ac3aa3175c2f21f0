"""Running a probe: its operands go to the adapter, the result is measured against the reference backend."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from wgtensor.rules import Family
from wgtensor.selftest.probes import Probe
from wgtensor.tensor import Tensor
from wgtensor.verify.measure import Deviation, measure
from wgtensor.verify.reference import Case
from wgtensor.webgpu import WebGpuExecSession

__all__ = ["Row", "run_probe"]

SEED = 20261201


@dataclass(frozen=True, slots=True)
class Row:
    """What a probe found.

    Attributes
    ----------
    function, dtype
        What was probed.
    samples
        Number of operand elements behind the results that were compared; nothing is claimed for some.
    worst_ulp
        Largest error in ulp of the scale that the operation's accuracy names; None where a result had nothing in
        common with the reference (NaN for a number).
    at
        Where that was: the operands of an elementwise operation, else the result's index; empty without an error.
    bound
        Ulps that the operation's accuracy allows there.
    passed
        Whether every result is within its bound.
    """

    function: str
    dtype: str
    samples: int
    worst_ulp: float | None
    at: tuple[str, ...]
    bound: float
    passed: bool


def run_probe(session: WebGpuExecSession, probe: Probe, *, flushes: bool) -> Row:
    """Run one probe in a session.

    Parameters
    ----------
    session
        An open session of the adapter.
    probe
        What to run. Its operands are the same in every run.
    flushes
        Whether the adapter's arithmetic flushes denormals.
    """
    arrays = probe.draw(np.random.default_rng(SEED), probe.dtype)
    case = Case(probe.operation, tuple(Tensor.from_numpy(each) for each in arrays), probe.attributes)
    uploaded = tuple(session.upload_host_tensor(each) for each in case.operands)
    result = session.apply(probe.operation.name, uploaded, **probe.attributes)
    actual = session.download_to_host(result).to_numpy()
    return _row(probe, case, measure(case, actual, flushes=flushes))


def _row(probe: Probe, case: Case, deviation: Deviation) -> Row:
    worst, claimed = deviation.worst, float(np.mean(deviation.claimed))
    error, bound = float(deviation.errors[worst]), float(deviation.allowed[worst])
    elementwise = probe.operation.family in (Family.ELEMENTWISE, Family.ANALYTIC)
    at: tuple[Any, ...] = tuple(each.to_numpy()[worst] for each in case.operands) if elementwise else worst
    return Row(
        probe.function,
        probe.dtype.name,
        round(claimed * max(deviation.actual.size, *(each.size for each in case.operands))),
        round(error, 4) if math.isfinite(error) else None,
        tuple(str(each) for each in at) if error else (),
        round(bound, 4) if claimed else 0.0,
        deviation.wrong == 0 and claimed > 0,
    )
