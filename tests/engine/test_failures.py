"""What goes wrong is a typed error, and the next call works."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from wgtensor.errors import (
    BackendSourceError,
    DeviceLostError,
    DeviceOutOfMemoryError,
    ValidationError,
)

PARAMS = bytes(16)


def still_works(kit: Any) -> None:
    x, y = kit.put([1, 2, 3]), kit.buffer(3)
    kit.affine(x, y, 3, 10)
    np.testing.assert_array_equal(kit.get(y, 3), [10, 20, 30])


@pytest.mark.parametrize(
    "wgsl",
    [
        "fn main( {",
        "@compute @workgroup_size(1) fn other() {}",
        "@group(0) @binding(9) var<uniform> y: u32; @compute @workgroup_size(1) fn main() { _ = y; }",
        "@compute @workgroup_size(100000) fn main() {}",
    ],
    ids=["syntax", "entry point", "layout", "workgroup size"],
)
def test_a_kernel_that_does_not_compile(kit: Any, wgsl: str) -> None:
    with pytest.raises(BackendSourceError) as caught:
        kit.engine.pipeline(wgsl, 0, 1)
    assert caught.value.__cause__ is not None
    still_works(kit)


def test_the_compilers_message_is_told(kit: Any) -> None:
    with pytest.raises(BackendSourceError, match="undefined_name"):
        kit.engine.pipeline("@compute @workgroup_size(1) fn main() { let x = undefined_name; }", 0, 0)


def test_a_batch_that_reads_and_writes_one_buffer_in_a_dispatch_is_dropped(kit: Any) -> None:
    x, y = kit.put([1, 2, 3]), kit.put([7, 7, 7])
    before = kit.engine.submit()
    kit.affine(x, y, 3, 5)
    kit.affine(x, x, 3, 5)
    ticket = kit.engine.submit()
    assert ticket == before + 1
    messages = kit.engine.errors()
    assert messages
    assert "usage" in messages[0]
    assert kit.engine.errors() == []
    kit.engine.wait(ticket)
    np.testing.assert_array_equal(kit.get(y, 3), [7, 7, 7])
    still_works(kit)


def test_a_batch_with_a_binding_outside_its_buffer_is_dropped(kit: Any) -> None:
    x, y = kit.put([1, 2, 3]), kit.put([7, 7, 7])
    kit.engine.submit()
    kit.affine(x, y, 4000, 5)
    kit.affine(x, y, 3, 5)
    ticket = kit.engine.submit()
    assert kit.engine.errors()
    kit.engine.wait(ticket)
    np.testing.assert_array_equal(kit.get(y, 3), [7, 7, 7])
    still_works(kit)


def test_writes_of_a_dropped_batch_arrive(kit: Any) -> None:
    x, y = kit.put([1, 2, 3]), kit.put([7, 7, 7])
    kit.affine(x, x, 3, 5)
    kit.engine.write(y, 0, np.array([4, 5, 6], np.uint32))
    kit.engine.submit()
    assert kit.engine.errors()
    np.testing.assert_array_equal(kit.get(y, 3), [4, 5, 6])


@pytest.mark.parametrize("nbytes", [1 << 31, 1 << 40, 1 << 52])
def test_a_buffer_beyond_the_adapter_is_out_of_memory(kit: Any, nbytes: int) -> None:
    with pytest.raises(DeviceOutOfMemoryError):
        kit.buffer(nbytes)
    still_works(kit)


def test_a_refusal_by_the_driver_itself_is_out_of_memory(kit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # Past our own check: the driver hands out an invalid handle, which must not reach anything else.
    monkeypatch.setattr(kit.engine, "_max_buffer", 1 << 62, raising=False)
    with pytest.raises(DeviceOutOfMemoryError) as caught:
        kit.buffer(1 << 45)
    assert caught.value.__cause__ is not None
    still_works(kit)


def test_a_failed_recording_does_not_spoil_a_read_that_is_open(kit: Any) -> None:
    x, y = kit.put([1, 2, 3]), kit.put([7, 7, 7])
    pending = kit.engine.read(x, 0, 12)
    kit.affine(x, y, 4000, 5)
    kit.engine.submit()
    assert kit.engine.errors()
    np.testing.assert_array_equal(np.frombuffer(pending.result(), np.uint32), [1, 2, 3])


@pytest.mark.parametrize("groups", [(70_000, 1, 1), (1, 70_000, 1), (1, 1, 65_536), (0, 1, 1), (1, -1, 1)])
def test_workgroups_outside_the_limit_are_refused(kit: Any, groups: tuple[int, int, int]) -> None:
    y = kit.put([1])
    with pytest.raises(ValidationError, match="workgroups"):
        kit.engine.dispatch(kit.horner_kernel, [(y, 0, 4)], PARAMS, groups)
    still_works(kit)


@pytest.mark.parametrize("params", [b"", bytes(12), bytes(20), bytes(1040)], ids=len)
def test_params_outside_the_limit_are_refused(kit: Any, params: bytes) -> None:
    with pytest.raises(ValidationError, match="params"):
        kit.engine.dispatch(kit.horner_kernel, [(kit.put([1]), 0, 4)], params, (1, 1, 1))
    still_works(kit)


def test_wrong_bindings_are_refused(kit: Any) -> None:
    y, released = kit.put([1]), kit.put([1])
    kit.engine.submit()
    kit.engine.release(released)
    for bindings in ([], [(y, 0, 4), (y, 0, 4)], [(y, 0, 0)], [(y, 0, -4)], [(y, -4, 4)], [(released, 0, 4)]):
        with pytest.raises(ValidationError, match="dispatch needs"):
            kit.engine.dispatch(kit.horner_kernel, bindings, PARAMS, (1, 1, 1))
    still_works(kit)


def test_empty_or_unaligned_ranges_are_refused(kit: Any) -> None:
    engine, x, y = kit.engine, kit.put([1, 2]), kit.put([3, 4])
    calls: list[Any] = [
        lambda: kit.buffer(0),
        lambda: kit.buffer(-1),
        lambda: engine.write(x, 0, b""),
        lambda: engine.write(x, 2, b"abcd"),
        lambda: engine.write(x, 8, b"abcd"),
        lambda: engine.read(x, 0, 0),
        lambda: engine.read(x, 2, 4),
        lambda: engine.read(x, 4, 8),
        lambda: engine.copy(x, 0, y, 0, 0),
        lambda: engine.copy(x, 0, y, 4, 8),
        lambda: engine.copy(x, 2, y, 0, 4),
        lambda: engine.copy(x, 0, x, 4, 4),
        lambda: engine.fill(x, 0, 0, 0),
        lambda: engine.fill(x, 0, 6, 1),
        lambda: engine.fill(x, 4, 8, 1),
    ]
    for call in calls:
        with pytest.raises(ValidationError):
            call()
    np.testing.assert_array_equal(kit.get(x, 2), [1, 2])
    np.testing.assert_array_equal(kit.get(y, 2), [3, 4])


def test_a_released_handle_is_refused_everywhere(kit: Any) -> None:
    engine, x, y = kit.engine, kit.put([1, 2]), kit.put([3, 4])
    engine.submit()
    engine.release(y)
    calls: list[Any] = [
        lambda: engine.release(y),
        lambda: engine.write(y, 0, b"abcd"),
        lambda: engine.read(y, 0, 4),
        lambda: engine.copy(x, 0, y, 0, 4),
        lambda: engine.copy(y, 0, x, 0, 4),
        lambda: engine.fill(y, 0, 4, 0),
        lambda: engine.fill(y, 0, 4, 1),
    ]
    for call in calls:
        with pytest.raises(ValidationError):
            call()
    still_works(kit)


def test_a_closed_engine_says_so_and_stays_closed(fresh: Any, make_kit: Any) -> None:
    kit = make_kit(fresh)
    x, y = kit.put([1, 2]), kit.put([3, 4])
    kit.engine.submit()
    pending = kit.engine.read(x, 0, 8)
    kit.affine(x, y, 2, 3)
    assert fresh.lost is None
    fresh.close()
    fresh.close()
    assert fresh.lost == "closed"
    calls: list[Any] = [
        fresh.submit,
        lambda: kit.buffer(4),
        lambda: fresh.read(x, 0, 8),
        lambda: fresh.write(x, 0, b"abcd"),
        lambda: fresh.wait(1),
        lambda: kit.affine(x, y, 2, 3),
        lambda: fresh.copy(x, 0, y, 0, 4),
        lambda: fresh.fill(x, 0, 4, 0),
        lambda: fresh.pipeline("", 0, 0),
        pending.result,
    ]
    for call in calls:
        with pytest.raises(DeviceLostError, match="closed"):
            call()
    assert fresh.finished() >= 0
    fresh.release(x)
    fresh.release(y)


def test_a_read_collected_before_the_close_stays(fresh: Any, make_kit: Any) -> None:
    kit = make_kit(fresh)
    pending = kit.engine.read(kit.put([1, 2]), 0, 8)
    expected = pending.result()
    fresh.close()
    assert pending.result() is expected
