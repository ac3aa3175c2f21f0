"""Contracting one network on a device: how long it took, what it needed, and whether the result is right."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from math import prod
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wgtensor.cli.console import progress, say
from wgtensor.cli.device import Counts, Device
from wgtensor.contract.memory import available_memory
from wgtensor.errors import UnsupportedError, WgTensorError
from wgtensor.networks import NetworkInstance, fill_network, path_flops
from wgtensor.networks.instance import MAX_RANK
from wgtensor.networks.paths import Path, contraction_steps

__all__ = ["Job", "Measurement", "measure"]

_TOLERANCE = 2e-4
"""Allowed max|got - want| / max|want|. NumPy's own float32 is at 1e-8 to 6e-5 on the benchmark networks."""

REPEATS = 3
"""Further runs, whose median is the repeated time."""

PATIENCE = 30.0
"""Seconds after which no further run is started; there is always one."""


@dataclass(frozen=True, slots=True)
class Job:
    """One network to contract, along one path, in one dtype; ``memory`` bounds the device bytes of its plan."""

    instance: NetworkInstance
    path: Path
    dtype: str
    seed: int = 0
    memory: int | None = None
    verify: bool = False

    @property
    def is_complex(self) -> bool:
        """Whether the values are complex."""
        return self.dtype.startswith("complex")

    @property
    def flops(self) -> int:
        """Floating-point operations of the path."""
        network = self.instance
        return path_flops(network.inputs, network.output, self.path, network.sizes, is_complex=self.is_complex)


@dataclass(frozen=True, slots=True)
class Measurement:
    """A row of the table; value, times and counts are None where the network could not be contracted.

    Attributes
    ----------
    ok, compared
        Whether nothing went wrong, and whether the result was compared with anything.
    value
        The result, if it is a scalar; of networks with random tensors as they are scaled.
    error
        max|got - want| / max|want|, None where it was not asked for.
    seconds_first, seconds
        Wall time of the first contraction, compilation included, and the median of the repeated ones. Uploads
        and downloads are left out, waiting for the device is not.
    gflops
        The path's operations over ``seconds``, in 10^9 a second.
    submits, compiled
        Command buffers and pipelines of the first contraction.
    peak_bytes
        Most device bytes held at once, operands and reusable buffers included.
    """

    network: str
    tensors: int
    flops: int
    device: str
    adapter: str
    dtype: str
    ok: bool = False
    compared: bool = False
    value: complex | None = None
    error: float | None = None
    seconds_first: float | None = None
    seconds: float | None = None
    gflops: float | None = None
    submits: int | None = None
    compiled: int | None = None
    peak_bytes: int | None = None


def measure(job: Job, device: Device) -> Measurement:
    """Contract a network and return its row; what goes wrong is said and makes the row not ok."""
    name = job.instance.name
    facts: dict[str, Any] = {
        "network": name,
        "tensors": job.instance.num_tensors,
        "flops": job.flops,
        "device": device.name,
        "adapter": device.adapter,
        "dtype": job.dtype,
    }
    try:
        with progress(f"{name}: filling, and contracting in double precision"):
            _check_host(job)
            filled = fill_network(job.instance, job.path, job.seed, is_complex=job.is_complex)
        operands = [operand.astype(job.dtype) for operand in filled.operands]
        result, figures = _run(job, device, operands)
    except WgTensorError as error:
        say(f"{name}: {error}")
        return Measurement(**facts)
    except MemoryError as error:
        say(f"{name}: this machine has not enough memory to contract it in double precision: {error}")
        return Measurement(**facts)
    verdict = _judge(job, result, filled.reference)
    return Measurement(**facts, **verdict, **figures)


def _check_host(job: Job) -> None:
    """Give up before the system kills the process for what cannot fit, or minutes are spent on the way there."""
    network = job.instance
    results = [step.result for step in contraction_steps(network.inputs, network.output, job.path)]
    rank = max(map(len, results))
    if rank > MAX_RANK:
        raise UnsupportedError(f"contract needs tensors of at most {MAX_RANK} labels, a step's result has {rank}")
    sizes = network.sizes
    largest = max(prod(sizes[label] for label in set(term)) for term in (*network.inputs, *results))
    needed, available = largest * (16 if job.is_complex else 8), available_memory()
    if needed > available:
        raise MemoryError(
            f"its largest tensor takes {Decimal(needed):.2e} bytes, {available:.2e} are available; try another path"
        )


def _run(job: Job, device: Device, operands: list[NDArray[Any]]) -> tuple[NDArray[Any], dict[str, Any]]:
    """Contract once and a few times more; return the first result and the figures."""
    with progress(f"{job.instance.name}: contracting on {device.adapter}"):
        device.reset_peak()
        uploaded = [device.upload(operand) for operand in operands]
        before = device.counts()
        first, result = _timed(job, device, uploaded)
        after = device.counts()
        got = np.asarray(device.download(result))
        del result  # so that a repeated run has the memory that the first one had
        seconds = median(_repeat(job, device, uploaded))
    return got, {
        "seconds_first": first,
        "seconds": seconds,
        "gflops": job.flops / seconds / 1e9,
        **_spent(before, after),
        "peak_bytes": device.counts().peak_bytes,
    }


def _repeat(job: Job, device: Device, operands: list[Any]) -> list[float]:
    times: list[float] = []
    while not times or (len(times) < REPEATS and sum(times) < PATIENCE):
        times.append(_timed(job, device, operands)[0])
    return times


def _timed(job: Job, device: Device, operands: list[Any]) -> tuple[float, Any]:
    start = perf_counter()
    result = device.contract(job.instance, operands, job.path, job.memory)
    return perf_counter() - start, result


def _spent(before: Counts, after: Counts) -> dict[str, int]:
    return {"submits": after.submits - before.submits, "compiled": after.compiled - before.compiled}


def _judge(job: Job, got: NDArray[Any], want: NDArray[Any]) -> dict[str, Any]:
    """Compare with the exact count where there is one, and with the reference where that is asked for."""
    name, expected = job.instance.name, job.instance.expected
    exact = expected is None or got.tolist() == expected  # of Python, which compares any integer exactly
    if not exact:
        say(f"{name}: the result must be exactly {expected}, got {got}")
    facts = {"value": got.item() if got.ndim == 0 else None, "compared": job.verify or expected is not None}
    if not job.verify:
        return {"ok": exact, **facts}
    error = _relative_error(got, want)
    close = error <= _TOLERANCE  # false for NaN
    if not close:
        say(f"{name}: max|got - want| must be at most {_TOLERANCE:g} of max|want|, got {error:.2g}")
    return {"ok": exact and close, "error": error, **facts}


def _relative_error(got: NDArray[Any], want: NDArray[Any]) -> float:
    if got.shape != want.shape:
        return float("inf")
    difference, scale = float(np.abs(got - want).max()), float(np.abs(want).max())
    if scale == 0.0:
        return 0.0 if difference == 0.0 else float("inf")
    return difference / scale
