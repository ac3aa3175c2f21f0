"""``runtime.explain`` tells what led to a tensor and why its windows closed, and runs nothing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from webgpu.harness import down, shared_backend, up

from wgtensor.cpu import CpuBackend
from wgtensor.errors import ForeignDomainError
from wgtensor.tensor import Tensor
from wgtensor.webgpu import WebGpuBackend, WebGpuExecSession
from wgtensor.webgpu.window import Closed

Follow = Callable[[WebGpuExecSession, Tensor, Tensor], Tensor]


def rows(backend: WebGpuBackend) -> Tensor:
    return up(backend, np.ones((3, 4), np.float32))


@pytest.mark.parametrize(
    ("follow", "reason"),
    [
        (lambda s, y, pending: s.mul(y, 2.0), Closed.ENDED),
        (lambda s, y, pending: s.reduce_max(s.mul(s.reshape(y, (12,)), 2.0), (0,)), Closed.DISPLACED),
        (lambda s, y, pending: s.reduce_max(pending, (0,)), Closed.NEEDED),
        (lambda s, y, pending: y, Closed.ASKED),
    ],
    ids=["an operation", "a reduction of another window", "a reduction of the same", "the end"],
)
def test_why_a_window_that_ends_in_a_reduction_closed(native: WebGpuBackend, follow: Follow, reason: Closed) -> None:
    x, y = rows(native), rows(native)
    with native.session() as s:
        pending = s.add(x, 1.0)
        total = s.reduce_sum(pending, (1,))
        kept = follow(s, y, pending)
    (launch,) = native.runtime.explain(total).launches
    assert launch.operations == ("add", "reduce_sum")
    assert launch.closed is reason
    np.testing.assert_array_equal(down(native, total), np.full(3, 8, np.float32))
    del kept


def test_what_waits_is_told_and_nothing_runs(native: WebGpuBackend) -> None:
    x = rows(native)
    with native.session() as s:
        total = s.reduce_sum(s.mul(s.add(x, 1.0), x), (1,))
        before = native.runtime.counters.dispatches
        told = native.runtime.explain(total)
        assert native.runtime.counters.dispatches == before
    assert told.launches == ()
    assert told.waiting == ("add", "mul", "reduce_sum")
    assert native.runtime.explain(total).waiting == ()


def test_only_tensors_of_the_runtime_are_explained(native: WebGpuBackend) -> None:
    cpu = CpuBackend()
    with pytest.raises(ForeignDomainError, match="explain needs tensors of"):
        native.runtime.explain(up(shared_backend("portable"), np.ones(3)))
    with pytest.raises(ForeignDomainError, match="explain needs tensors of"):
        cpu.runtime.explain(rows(native))
    cpu.runtime.explain(cpu.upload_host_tensor(Tensor.from_numpy(np.ones(3))))
