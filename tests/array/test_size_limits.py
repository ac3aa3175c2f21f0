"""Arrays larger than a kernel can bind are refused in terms of the function that was called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wgtensor as wt
from wgtensor.array import Array, Device
from wgtensor.errors import UnsupportedError


@pytest.fixture
def gpu(device: Device) -> Device | None:
    """The device if it has a limit of its own."""
    return None if device.kind == "cpu" else device


def length_over(device: Device) -> int:
    """Return how many float32 do not fit into one binding."""
    limit: int = device.backend.runtime.facts.binding_limit
    return limit // 4 + 1


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("ones", lambda n, d: wt.ones(n, device=d)),
        ("full", lambda n, d: wt.full(n, 7, device=d)),
        ("arange", lambda n, d: wt.arange(n, device=d)),
        ("linspace", lambda n, d: wt.linspace(0, 1, n, device=d)),
        ("eye", lambda n, d: wt.eye(2, n, device=d)),
    ],
    ids=["ones", "full", "arange", "linspace", "eye"],
)
def test_creation(gpu: Device | None, name: str, make: Callable[[int, Device], Any]) -> None:
    if gpu is None:
        return
    with pytest.raises(UnsupportedError) as caught:
        make(length_over(gpu), gpu)
    text = str(caught.value)
    assert text.startswith(f"{name} needs arrays of at most {gpu.backend.runtime.facts.binding_limit} bytes")
    assert text.endswith("; make it in parts")


FUNCTIONS: dict[str, Callable[[Array], Any]] = {
    "add": lambda x: x + 1,
    "sum": wt.sum,
    "mean": wt.mean,
    "any": wt.any,
    "argmax": wt.argmax,
    "cumulative_sum": wt.cumulative_sum,
    "astype": lambda x: x.astype(wt.int32),
    "sort": wt.sort,
    "clip": lambda x: wt.clip(x, 0, 1),
    "matmul": lambda x: x @ x,
    "einsum": lambda x: wt.einsum("i->", x),
    "unique_values": wt.unique_values,
    "nonzero": wt.nonzero,
    "indexing": lambda x: x[wt.asarray([1], device=x.device)],
}


@pytest.fixture(scope="module")
def large() -> dict[int, Array]:
    """One array above the limit for each device, made at first use."""
    return {}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(gpu: Device | None, large: dict[int, Array], name: str) -> None:
    if gpu is None:
        return
    if id(gpu) not in large:
        large[id(gpu)] = wt.asarray(np.zeros(length_over(gpu), np.float32), device=gpu)
    with pytest.raises(UnsupportedError) as caught:
        FUNCTIONS[name](large[id(gpu)])
    text = str(caught.value)
    assert text.startswith(f"{name} needs arrays of at most {gpu.backend.runtime.facts.binding_limit} bytes")
    assert text.endswith("; compute on copies of parts, such as wt.asarray(x[:n], copy=True)")


def test_the_way_out_works(gpu: Device | None) -> None:
    if gpu is None:
        return
    host = np.zeros(length_over(gpu), np.float32)
    host[-3:] = 2
    x = wt.asarray(host, device=gpu)
    assert float(wt.sum(wt.asarray(x[-100:], copy=True))) == 6.0
