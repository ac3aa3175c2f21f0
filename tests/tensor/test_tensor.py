"""Host tensors: they borrow any NumPy array; and compact copies of views."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from wgtensor.errors import DTypeError, RuntimeStateError
from wgtensor.tensor import (
    HOST,
    AllocationDomain,
    ArrayStorage,
    Layout,
    Placement,
    Tensor,
    bfloat16,
    compact_copy,
    float32,
)


@st.composite
def numpy_views(draw: st.DrawFn) -> NDArray[Any]:
    """A basic-indexed, permuted and perhaps broadcast view of a fresh array."""
    dtype = draw(st.sampled_from(["float32", "int8", "complex128", "bool"]))
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
    base = np.arange(int(np.prod(shape))).astype(dtype).reshape(shape)
    view = base[draw(hnp.basic_indices(base.shape, allow_newaxis=True))]
    view = np.asarray(view).transpose(draw(st.permutations(range(np.ndim(view)))))
    repeat = draw(st.booleans())
    return np.broadcast_to(view, (draw(st.integers(0, 3)), *view.shape)) if repeat else view


@given(numpy_views())
def test_any_view_is_borrowed(array: NDArray[Any]) -> None:
    tensor = Tensor.from_numpy(array)
    back = tensor.to_numpy()
    assert (tensor.shape, tensor.ndim, tensor.size) == (array.shape, array.ndim, array.size)
    assert tensor.nbytes == array.size * array.itemsize
    assert tensor.placement is HOST
    assert np.dtype(tensor.dtype) == array.dtype
    np.testing.assert_array_equal(back, array)
    if array.size:
        assert np.shares_memory(back, array)


@given(numpy_views())
def test_compact_copies_hold_the_same_without_gaps(array: NDArray[Any]) -> None:
    layout, flat = compact_copy(array)
    copied = ArrayStorage(flat).view(layout)
    np.testing.assert_array_equal(copied, array)
    assert not np.shares_memory(flat, array)
    distinct = [n for n, stride in zip(array.shape, array.strides, strict=True) if stride != 0]
    assert flat.size == (int(np.prod(distinct)) if array.size else 0)
    for kept, old in zip(layout.strides, array.strides, strict=True):
        assert array.size == 0 or np.sign(kept) == np.sign(old)


def test_compact_copies_keep_the_order_of_axes() -> None:
    layout, flat = compact_copy(np.asfortranarray(np.zeros((3, 4, 5)))[::2])
    assert layout == Layout((2, 4, 5), (1, 2, 8))
    assert flat.shape == (40,)
    layout, flat = compact_copy(np.broadcast_to(np.float32(3), (1000, 1000)))
    assert (layout.strides, flat.tolist()) == ((0, 0), [3])


def test_numpy_scalars_are_rank_zero() -> None:
    tensor = Tensor.from_numpy(np.float32(3))
    assert (tensor.shape, tensor.dtype, tensor.to_numpy().item()) == ((), float32, 3)


def test_foreign_byte_order_and_unaligned_fields_are_copied() -> None:
    swapped = np.arange(4, dtype=">i4")
    record = np.zeros(3, np.dtype([("flag", "i1"), ("value", "f4")]))
    record["value"] = [1, 2, 3]
    for array in (swapped, record["value"], swapped[::-1]):
        tensor = Tensor.from_numpy(array)
        np.testing.assert_array_equal(tensor.to_numpy(), array)
        assert tensor.to_numpy().dtype.isnative


@pytest.mark.parametrize("given_", [[1.0, 2.0], 3.0, None, "text"])
def test_only_numpy_arrays_and_scalars_become_tensors(given_: Any) -> None:
    with pytest.raises(DTypeError, match=r"takes a NumPy array or scalar, got .*; call np\.asarray first"):
        Tensor.from_numpy(given_)


def test_dtypes_that_wgtensor_lacks_are_refused() -> None:
    for array in (np.array(["a"]), np.array([None]), np.zeros(2, "M8[s]")):
        with pytest.raises(DTypeError, match="wgtensor has no dtype"):
            Tensor.from_numpy(array)


def test_bfloat16_is_said_beside_its_bits() -> None:
    tensor = Tensor.from_numpy(np.array([0x3F80], np.uint16), bfloat16)
    assert tensor.dtype is bfloat16
    assert tensor.to_numpy().dtype == np.uint16


def test_a_device_tensor_does_not_become_numpy() -> None:
    domain = AllocationDomain("somewhere")
    storage = ArrayStorage(np.zeros(2, np.float32), Placement("cpu", 0, domain))
    tensor = Tensor(float32, Layout.contiguous((2,)), storage)
    with pytest.raises(RuntimeStateError, match="to_numpy needs a host tensor, got one on cpu; call download_to_host"):
        tensor.to_numpy()


def test_tensors_are_no_arrays_and_no_truth_values() -> None:
    tensor = Tensor.from_numpy(np.zeros(1, np.float32))
    with pytest.raises(DTypeError, match="does not become a NumPy array silently"):
        np.add(tensor, 1)
    with pytest.raises(RuntimeStateError, match="a Tensor has no truth value; download it and ask NumPy"):
        bool(tensor)


@pytest.mark.parametrize("name", ["dtype", "layout", "shape", "storage", "ndim", "extra"])
def test_tensors_are_immutable(name: str) -> None:
    tensor = Tensor.from_numpy(np.zeros((2, 3), np.float32))
    with pytest.raises(AttributeError, match=f"a Tensor is immutable; {name} cannot be set"):
        setattr(tensor, name, (99,))
    with pytest.raises(AttributeError, match=f"a Tensor is immutable; {name} cannot be deleted"):
        delattr(tensor, name)
    assert type(tensor) is Tensor
    assert (tensor.shape, tensor.dtype) == ((2, 3), float32)


def test_host_tensors_are_pickled_and_copied() -> None:
    array = np.arange(6, dtype=np.float32)[::-2]
    tensor = Tensor.from_numpy(array)
    for twin in (pickle.loads(pickle.dumps(tensor)), copy.deepcopy(tensor), copy.copy(tensor)):
        assert (twin.dtype, twin.layout, twin.placement.is_host) == (tensor.dtype, tensor.layout, True)
        np.testing.assert_array_equal(twin.to_numpy(), array)


def test_repr_shows_no_values() -> None:
    assert repr(Tensor.from_numpy(np.zeros((2, 3)))) == "Tensor(shape=(2, 3), dtype=float64, placement=host)"


def test_placements_and_domains() -> None:
    one, other = AllocationDomain("gpu"), AllocationDomain("gpu")
    assert one != other
    assert repr(one) != repr(other)
    assert Placement("webgpu", 1, one) == Placement("webgpu", 1, one)
    assert Placement("webgpu", 1, one) != Placement("webgpu", 1, other)
    assert [str(each) for each in (HOST, Placement("cpu", 0, one), Placement("webgpu", 1, one))] == [
        "host", "cpu", "webgpu:1",
    ]  # fmt: skip
    assert HOST.is_host
    assert not Placement("cpu", 0, one).is_host
