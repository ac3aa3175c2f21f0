"""Arrays are values: an assignment changes no other array, and copies nothing that nobody else shows."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from wgtensor.array import Array, Device
from wgtensor.array.indexing.ownership import is_alone, own

Place = Callable[..., Array]

HOLDERS: dict[str, Callable[[Array], Any]] = {
    "view": lambda x: x[1:],
    "element": lambda x: x[0, 0],
    "transpose": lambda x: x.T,
    "reversed": lambda x: x[::-1],
    "view of a view": lambda x: x.T[1:].T,
    "reshaped": lambda x: x.reshape(-1),
    "copy": copy.copy,
    "deep copy": copy.deepcopy,
    "whole": lambda x: x[...],
    "same dtype": lambda x: x.astype(x.dtype, copy=False),
    "computed": lambda x: x * 2,
    "computed from a view": lambda x: x[0] + x[1],
    "gathered": lambda x: x[x > 5],
}
"""What another array may have of the storage of ``x``, or may still have to read from it."""


def zeros(place: Place) -> Array:
    """Return an array that shows all of its storage."""
    return place(np.zeros((4, 3), np.float32))


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("key", [0, (slice(None), 1), ..., (slice(None, None, -2),)])
def test_assignment_changes_no_other_array(place: Place, holder: str, key: Any) -> None:
    array = np.arange(12, dtype=np.float32).reshape(4, 3)
    x = place(array)
    other = HOLDERS[holder](x)
    expected = HOLDERS[holder](place(array)).to_numpy()
    x[key] = -1
    x[2] = 5
    array[key] = -1
    array[2] = 5
    np.testing.assert_array_equal(other.to_numpy(), expected)
    np.testing.assert_array_equal(x.to_numpy(), array)


@pytest.mark.parametrize("holder", HOLDERS)
def test_writing_into_a_view_leaves_its_base(place: Place, holder: str) -> None:
    array = np.arange(12, dtype=np.float32).reshape(4, 3)
    x = place(array)
    other = HOLDERS[holder](x)
    other[...] = -1
    np.testing.assert_array_equal(x.to_numpy(), array)
    np.testing.assert_array_equal(other.to_numpy(), np.full(other.shape, -1, np.float32))


@pytest.mark.parametrize("pending", [False, True])
def test_who_is_alone(place: Place, pending: bool) -> None:
    x = zeros(place) + 1 if pending else zeros(place)
    assert is_alone(x)
    view = x[1:]
    assert not is_alone(x)
    assert not is_alone(view)
    del view
    assert is_alone(x)
    twin = copy.copy(x)
    assert not is_alone(x)
    twin[...] = 2
    assert is_alone(x)
    assert is_alone(twin)
    tensor = x.tensor
    assert not is_alone(x)
    del tensor
    assert is_alone(x)
    alias = x
    assert is_alone(alias)


def test_work_that_reads_the_storage_is_no_owner(place: Place) -> None:
    x = zeros(place)
    y = x[0] + 1
    z = x * x
    assert is_alone(x)
    x[...] = 3
    assert y.to_numpy().tolist() == [1, 1, 1]
    assert not z.to_numpy().any()


def test_a_view_that_is_left_alone_is_written_in_place(place: Place) -> None:
    x = zeros(place)
    view = x[1:, ::-1]
    del x
    storage = id(view.tensor.storage)
    view[0] = 1
    assert id(view.tensor.storage) == storage
    assert view.to_numpy().tolist() == [[1, 1, 1], [0, 0, 0], [0, 0, 0]]


def test_repeated_elements_are_copied_apart(place: Place) -> None:
    x = place(np.zeros(1, np.float32))
    tensor = x._device.session.broadcast_in_dim(x.tensor, (3,), (0,))
    wide = Array(tensor, x.device)
    del x, tensor
    wide[1] = 1
    assert wide.to_numpy().tolist() == [0, 1, 0]


def _increment(x: Array, i: int) -> None:
    x[i % 4] += 1


@pytest.mark.parametrize(
    "step",
    [
        lambda x, i: x.__setitem__(i % 4, 1.0 * i),
        lambda x, i: x.__setitem__((i % 4, slice(None)), x[(i + 1) % 4]),
        lambda x, i: x.__setitem__(i % 4, x[(i + 1) % 4] * 2),
        lambda x, i: x.__setitem__(..., x + 1),
        _increment,
    ],
    ids=["number", "row of its own", "computed of a row", "whole", "augmented row"],
)
def test_assignments_in_a_loop_write_in_place(place: Place, step: Callable[[Array, int], Any]) -> None:
    x = zeros(place)
    storage = id(x.tensor.storage)
    for i in range(50):
        step(x, i)
    assert id(x.tensor.storage) == storage


def test_1000_assignments_keep_memory_and_work_bounded(device: Device, place: Place) -> None:
    x = place(np.zeros((1000, 100), np.float32))
    counters = device.backend.runtime.counters
    device.backend.synchronize()
    storage, live, dispatches = id(x.tensor.storage), counters.live_bytes, counters.dispatches
    for i in range(1000):
        x[i] = 1.0 * i
    device.backend.synchronize()
    assert id(x.tensor.storage) == storage
    assert counters.live_bytes - live < 10_000
    assert counters.dispatches - dispatches <= 2000
    np.testing.assert_array_equal(x.to_numpy(), np.repeat(np.arange(1000, dtype=np.float32), 100).reshape(1000, 100))


def test_augmented_assignment_of_a_row_is_two_dispatches_at_most(device: Device, place: Place) -> None:
    x = zeros(place)
    before = device.backend.runtime.counters.dispatches
    storage = id(x.tensor.storage)
    x[1] += 1
    assert device.backend.runtime.counters.dispatches - before <= 2
    assert id(x.tensor.storage) == storage


def test_own_copies_only_what_is_shared(place: Place) -> None:
    x = zeros(place)
    storage = id(x.tensor.storage)
    assert id(own(x).storage) == storage
    view = x[0]
    assert id(own(x).storage) != storage
    assert id(view.tensor.storage) == storage


def test_counts_of_integer_and_bool_keys(device: Device, place: Place) -> None:
    x, rows, unsigned = zeros(place), place(np.array([1, -1], np.int32)), place(np.array([3, 0], np.uint32))
    mask = place(np.array([True, False, True, False]))
    counters = device.backend.runtime.counters
    work: dict[str, tuple[Callable[[], Any], int | None, int]] = {
        "one gather after the wrap": (lambda: x[rows], 2, 0),
        "unsigned, only the gather": (lambda: x[unsigned], 1, 0),
        "two arrays, one gather after their row-major positions": (lambda: x[rows, rows], 2, 0),
        "two arrays apart in storage": (lambda: x.T[rows, rows], 4, 0),
        "mask, one read": (lambda: x[mask], None, 1),
        "mask with one value": (lambda: x.__setitem__(mask, 1), 1, 0),
        "rows": (lambda: x.__setitem__(rows, x[:2]), None, 0),
    }
    for name, (call, dispatches, reads) in work.items():
        device.backend.synchronize()
        before = counters.dispatches, counters.host_reads
        call()
        device.backend.synchronize()
        assert counters.host_reads - before[1] == reads, name
        if device.kind == "webgpu" and dispatches is not None:  # The cpu runs each elementwise operation by itself.
            assert counters.dispatches - before[0] == dispatches, name
