"""Dispatches of scans and sorts in a session: those of their plans, and what packed elements and odd masks add."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from webgpu.harness import down, up

from wgtensor.contract import CompareDirection
from wgtensor.errors import UnsupportedError
from wgtensor.tensor import Tensor
from wgtensor.webgpu import WebGpuBackend

CASES: dict[str, tuple[Any, Callable[[Any, Tensor], Tensor], int]] = {
    "cumulative_sum": (np.ones((3, 40), np.float32), lambda s, x: s.cumulative_sum(x, 1), 1),
    "of a long line": (np.ones(100_000, np.int32), lambda s, x: s.cumulative_sum(x, 0), 3),
    "of float16, cast there and back": (np.ones(9, np.float16), lambda s, x: s.cumulative_max(x, 0), 3),
    "flat_nonzero": (np.ones(50, np.bool_), lambda s, x: s.flat_nonzero(x, 50), 2),
    "of a long mask": (np.ones(100_000, np.bool_), lambda s, x: s.flat_nonzero(x, 7), 4),
    "of a mask in pieces": (np.ones((6, 8), np.bool_), lambda s, x: s.flat_nonzero(s.transpose(x, (1, 0)), 48), 3),
    "sort of 8": (np.ones((4, 8), np.float32), lambda s, x: s.sort(x, 1), 2),
    "sort of 8, any adapter": (np.ones(8, np.int32), lambda s, x: s.sort(x, 0, True), 2),
    "sort of bools, cast there and back": (np.ones(8, np.bool_), lambda s, x: s.sort(x, 0), 4),
    "argsort of bools": (np.ones(8, np.bool_), lambda s, x: s.argsort(x, 0), 2),
    "searchsorted": (np.ones(8, np.float32), lambda s, x: s.searchsorted(x, x), 1),
}


@pytest.mark.parametrize("case", CASES)
def test_dispatches(native: WebGpuBackend, case: str) -> None:
    array, call, dispatches = CASES[case]
    x = up(native, array)
    if array.dtype == np.float16 and not native.runtime.facts.float16:
        with native.session() as s, pytest.raises(UnsupportedError, match="which lacks shader-f16"):
            call(s, x)
        return
    before = native.runtime.counters.dispatches
    with native.session() as s:
        result = call(s, x)
    assert native.runtime.counters.dispatches - before == dispatches
    assert down(native, result).shape == result.shape


def test_a_pending_operand_is_computed_first(native: WebGpuBackend) -> None:
    x = up(native, np.array([3, 1, 2], np.int32))
    with native.session() as s:
        doubled = s.add(x, x)
        results = s.cumulative_sum(doubled, 0), s.sort(doubled, 0), s.searchsorted(s.sort(x, 0), doubled)
        mask = s.compare(doubled, 3, CompareDirection.GT)
        found = s.flat_nonzero(s.broadcast_in_dim(mask, (2, 3), (1,)), 4)
    assert [down(native, each).tolist() for each in results] == [[6, 8, 12], [2, 4, 6], [3, 1, 3]]
    assert down(native, found).tolist() == [0, 2, 3, 5]
