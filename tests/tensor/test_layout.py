"""View algebra against NumPy's own views: shape, strides, offset and every index."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from wgtensor.errors import ValidationError
from wgtensor.tensor import Contiguity, Layout, checked_size, merge_axes, row_major_strides

SHAPES = st.lists(st.integers(0, 4), max_size=4).map(tuple)
NONEMPTY = st.lists(st.integers(1, 4), max_size=4).map(tuple)


def indices(layout: Layout) -> NDArray[np.int64]:
    """The element index at every position, from the definition."""
    result = np.full(layout.shape, layout.offset, np.int64)
    for axis, (length, stride) in enumerate(zip(layout.shape, layout.strides, strict=True)):
        result += stride * np.arange(length).reshape([-1 if i == axis else 1 for i in range(layout.ndim)])
    return result


@st.composite
def view_chains(draw: st.DrawFn, shapes: st.SearchStrategy[tuple[int, ...]] = SHAPES) -> tuple[Layout, NDArray[Any]]:
    """A layout and the NumPy array of element indices that the same chain of views gives."""
    shape = draw(shapes)
    layout, array = Layout.contiguous(shape), np.arange(math.prod(shape)).reshape(shape)
    for _ in range(draw(st.integers(0, 4))):
        step = draw(st.sampled_from([permuted, sliced, reversed_, broadcast]))
        layout, array = step(draw, layout, array)
    return layout, array


Step = Callable[[st.DrawFn, Layout, NDArray[Any]], tuple[Layout, NDArray[Any]]]


def permuted(draw: st.DrawFn, layout: Layout, array: NDArray[Any]) -> tuple[Layout, NDArray[Any]]:
    axes = draw(st.permutations(range(layout.ndim)))
    return layout.permute(axes), array.transpose(axes)


def sliced(draw: st.DrawFn, layout: Layout, array: NDArray[Any]) -> tuple[Layout, NDArray[Any]]:
    starts, lengths, steps = [], [], []
    for axis, length in enumerate(layout.shape):
        start = draw(st.integers(0, max(0, length - 1)))
        step = draw(st.sampled_from([-2, -1, 1, 2, 3]))
        room = (length - start + step - 1) // step if step > 0 else start // -step + 1
        count = draw(st.integers(0, max(0, min(room, length))))
        picked = [start + i * step for i in range(count)]
        array = np.take(array, picked, axis) if count else array[(slice(None),) * axis + (slice(0, 0),)]
        starts.append(start)
        lengths.append(count)
        steps.append(step)
    return layout.slice(starts, lengths, steps), array


def reversed_(draw: st.DrawFn, layout: Layout, array: NDArray[Any]) -> tuple[Layout, NDArray[Any]]:
    axes = draw(st.lists(st.integers(0, layout.ndim - 1), unique=True)) if layout.ndim else []
    return layout.reverse(axes), np.flip(array, tuple(axes))


def broadcast(draw: st.DrawFn, layout: Layout, array: NDArray[Any]) -> tuple[Layout, NDArray[Any]]:
    position, length = draw(st.integers(0, layout.ndim)), draw(st.integers(0, 3))
    shape = (*layout.shape[:position], length, *layout.shape[position:])
    dims = [axis + (axis >= position) for axis in range(layout.ndim)]
    return layout.broadcast_in_dim(shape, dims), np.broadcast_to(np.expand_dims(array, position), shape)


@given(view_chains())
def test_chains_of_views_reach_the_same_elements_as_numpy(chain: tuple[Layout, NDArray[Any]]) -> None:
    layout, array = chain
    assert layout.shape == array.shape
    assert layout.size == array.size
    np.testing.assert_array_equal(indices(layout), array)


@given(view_chains())
def test_bounds_are_the_extreme_indices(chain: tuple[Layout, NDArray[Any]]) -> None:
    layout, array = chain
    if array.size:
        assert layout.bounds() == (array.min(), array.max())


@given(view_chains())
def test_contiguity_is_what_numpy_says(chain: tuple[Layout, NDArray[Any]]) -> None:
    layout, array = chain
    flat = array.reshape(-1)
    gapless = array.size == 0 or np.array_equal(flat, flat[0] + np.arange(flat.size))
    assert (layout.contiguity is Contiguity.ROW_MAJOR) == gapless
    assert layout.is_contiguous == (gapless and layout.offset == 0)
    if layout.contiguity is Contiguity.INNER:
        inner = [stride for length, stride in zip(layout.shape, layout.strides, strict=True) if length > 1][-1]
        assert inner == 1


@given(view_chains())
def test_overlap_is_never_missed(chain: tuple[Layout, NDArray[Any]]) -> None:
    layout, array = chain
    if np.unique(array).size < array.size:
        assert layout.overlaps_itself()


@given(view_chains(NONEMPTY), st.data())
def test_reshape_is_a_view_exactly_where_one_exists(chain: tuple[Layout, NDArray[Any]], data: st.DataObject) -> None:
    layout, array = chain
    factors = [length for length in layout.shape if length > 1]
    shape = tuple(data.draw(st.permutations([*factors, 1]))) if layout.size else (0, 2)
    if data.draw(st.booleans()) and layout.size:
        shape = (layout.size,)
    reshaped = layout.reshape(shape)
    if reshaped is not None:
        assert reshaped.shape == shape
        np.testing.assert_array_equal(indices(reshaped), array.reshape(shape))
    elif layout.size and not layout.overlaps_itself():
        # A view of (n,) exists only if the elements are evenly spaced in row-major order.
        flat = array.reshape(-1)
        assert len(shape) > 1 or np.unique(np.diff(flat)).size > 1


@given(view_chains())
def test_merged_axes_walk_the_same_elements(chain: tuple[Layout, NDArray[Any]]) -> None:
    layout, array = chain
    shape, (strides,) = merge_axes(layout.shape, [layout.strides])
    assert 1 not in shape
    if layout.size:
        merged = indices(Layout(shape, strides, layout.offset))
        np.testing.assert_array_equal(merged.reshape(-1), array.reshape(-1))
        for outer, inner, length in zip(strides, strides[1:], shape[1:], strict=False):
            assert outer != inner * length


def test_merging_respects_every_operand() -> None:
    assert merge_axes((2, 3), [(3, 1), (1, 2)]) == ((2, 3), ((3, 1), (1, 2)))
    assert merge_axes((2, 3), [(3, 1), (0, 0)]) == ((6,), ((1,), (0,)))
    assert merge_axes((1, 1), [(5, 7)]) == ((), ((),))
    assert merge_axes((), []) == ((), ())


@given(SHAPES)
def test_row_major_strides_are_numpys(shape: tuple[int, ...]) -> None:
    expected = np.zeros(shape, np.int8).strides if 0 not in shape else None
    if expected is not None:
        assert row_major_strides(shape) == expected
    assert Layout.contiguous(shape).is_contiguous


def test_diagonals() -> None:
    array = np.arange(27).reshape(3, 3, 3)
    layout = Layout.contiguous((3, 3, 3))
    np.testing.assert_array_equal(indices(layout.diagonal(0, 2)), np.einsum("iji->ij", array))
    np.testing.assert_array_equal(indices(layout.diagonal(2, 1)), np.einsum("ijj->ij", array))


FAULTS: list[tuple[Callable[[], Any], str]] = [
    (lambda: Layout((2, 3), (1,)), "one stride per axis"),
    (lambda: Layout((2,), (-1,)), "must stay within 0"),
    (lambda: Layout((2,), (1,), -1), "must stay within 0"),
    (lambda: Layout((2,), (2**62,), 2**63 - 1), "must stay within 0"),
    (lambda: checked_size((2, -1)), "lengths of 0 or more"),
    (lambda: checked_size((2**32, 2**31)), r"at most 2\*\*63 - 1 elements"),
    (lambda: Layout.contiguous((2, 3)).permute((0, 0)), "each of the axes 0 to 1 once"),
    (lambda: Layout.contiguous((2, 3)).reverse((2,)), "distinct axes of 0 to 1"),
    (lambda: Layout.contiguous((2, 3)).diagonal(0, 1), "two axes of one length"),
    (lambda: Layout.contiguous((2, 3)).slice((0,), (1,), (1,)), "one start, length and step per axis"),
    (lambda: Layout.contiguous((4,)).slice((2,), (3,), (1,)), "must stay within axis 0 of length 4"),
    (lambda: Layout.contiguous((2, 3)).reshape((5,)), "must keep the element count"),
]


@pytest.mark.parametrize(("make", "text"), FAULTS)
def test_faults(make: Callable[[], Any], text: str) -> None:
    with pytest.raises(ValidationError, match=text):
        make()


def test_the_largest_size_is_allowed() -> None:
    assert checked_size((2**32, 2**31 - 1)) == 2**63 - 2**32
    assert checked_size((0, 2**62, 2**62)) == 0


def test_layouts_are_immutable_values() -> None:
    layout = Layout.contiguous((2, 3)).permute((1, 0))
    with pytest.raises(AttributeError, match="a Layout is immutable; shape cannot be set"):
        layout.shape = (3, 2)  # type: ignore[misc]
    with pytest.raises(AttributeError, match="cannot be deleted"):
        del layout.shape
    for other in (Layout((3, 2), (1, 3)), copy.copy(layout), pickle.loads(pickle.dumps(layout))):
        assert other == layout
        assert hash(other) == hash(layout)
    assert layout != Layout((3, 2), (1, 3), 1)
    assert layout != ((3, 2), (1, 3), 0)
    assert repr(layout) == "Layout(shape=(3, 2), strides=(1, 3), offset=0)"
    assert Layout.contiguous([2, 3]) is Layout.contiguous((2, 3))
