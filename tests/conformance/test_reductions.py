"""Statistical, searching, sorting, set, utility and linear algebra functions on drawn arrays."""

from __future__ import annotations

from typing import Any

import pytest
from conformance.oracle import EXAMPLES, XPS, Draw, agree, arrays, dtypes, shapes, whole
from hypothesis import given
from hypothesis import strategies as st

import wgtensor as wt
from wgtensor import Array


def some_axes(draw: Draw, rank: int) -> Any:
    """Draw an ``axis`` argument: one, several, or None."""
    if not rank:
        return draw(st.sampled_from([None, ()]))
    one = st.integers(-rank, rank - 1)
    return draw(st.none() | one | st.lists(one, unique_by=lambda axis: axis % rank).map(tuple))


# name: kinds, ulps
REDUCTIONS = {
    "all": ("biufc", 0), "any": ("biufc", 0), "count_nonzero": ("biufc", 0), "sum": ("iufc", 0), "prod": ("iu", 0),
    "max": ("iuf", 0), "min": ("iuf", 0), "mean": ("f", 2), "var": ("f", 64), "std": ("f", 64),
}  # fmt: skip


@pytest.mark.parametrize("name", REDUCTIONS)
@EXAMPLES
@given(data=st.data())
def test_reductions(current: wt.Device, name: str, data: st.DataObject) -> None:
    kinds, ulps = REDUCTIONS[name]
    dtype = data.draw(st.sampled_from(dtypes(current, kinds)))
    x = whole(data.draw, dtype, data.draw(shapes(min_side=int(name in ("max", "min", "mean", "var", "std")))))
    agree(name, x, axis=some_axes(data.draw, x.ndim), keepdims=data.draw(st.booleans()), ulps=ulps)


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
@EXAMPLES
@given(data=st.data())
def test_cumulative(current: wt.Device, name: str, data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(dtypes(current, "iu" if name == "cumulative_prod" else "iufc")))
    x = whole(data.draw, dtype, data.draw(shapes(min_dims=1)))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    agree(name, x, axis=axis, include_initial=data.draw(st.booleans()))


@EXAMPLES
@given(data=st.data())
def test_dtype_arguments(current: wt.Device, data: st.DataObject) -> None:
    x = whole(data.draw, data.draw(st.sampled_from(dtypes(current, "iu"))), data.draw(shapes(min_dims=1)))
    for dtype in (wt.int32, wt.float32, wt.complex64):
        agree("sum", x, dtype=dtype)
        agree("prod", x, dtype=dtype, ulps=8)
        agree("cumulative_sum", x, axis=-1, dtype=dtype)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@EXAMPLES
@given(data=st.data())
def test_extremes(current: wt.Device, name: str, data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(dtypes(current, "iuf")))
    x = arrays(data.draw, dtype, data.draw(shapes(min_dims=1, min_side=1)))
    axis = data.draw(st.none() | st.integers(-x.ndim, x.ndim - 1))
    agree(name, x, axis=axis, keepdims=data.draw(st.booleans()))


@EXAMPLES
@given(data=st.data())
def test_searching(current: wt.Device, data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(dtypes(current, "biufc")))
    agree("nonzero", whole(data.draw, dtype, data.draw(shapes(min_dims=1))))
    drawn = data.draw(XPS.mutually_broadcastable_shapes(3, max_dims=3, min_side=0, max_side=3)).input_shapes
    condition = data.draw(XPS.arrays(wt.bool, drawn[0]))
    agree("where", condition, arrays(data.draw, dtype, drawn[1]), arrays(data.draw, dtype, drawn[2]))
    ordered = data.draw(st.sampled_from(dtypes(current, "iuf")))
    line = wt.sort(whole(data.draw, ordered, data.draw(shapes(min_dims=1, max_dims=1, max_side=9))))
    for side in ("left", "right"):
        agree("searchsorted", line, whole(data.draw, ordered), side=side)


@EXAMPLES
@given(data=st.data())
def test_sorting(current: wt.Device, data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(dtypes(current, "iuf")))
    x = whole(data.draw, dtype, data.draw(shapes(min_dims=1, max_side=9)))
    axis, descending = data.draw(st.integers(-x.ndim, x.ndim - 1)), data.draw(st.booleans())
    agree("argsort", x, axis=axis, descending=descending)
    agree("sort", x, axis=axis, descending=descending)


@EXAMPLES
@given(data=st.data())
def test_sets(current: wt.Device, data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(dtypes(current, "biufc")))
    x = whole(data.draw, dtype)
    for name in ("unique_all", "unique_counts", "unique_inverse", "unique_values"):
        agree(name, x)
    one, several = (whole(data.draw, wt.int32) for _ in range(2))
    agree("isin", one, several)
    # The oracle (2.6.1) does not heed invert.
    assert wt.isin(one, several, invert=True).tolist() == wt.logical_not(wt.isin(one, several)).tolist()


@EXAMPLES
@given(data=st.data())
def test_differences(current: wt.Device, data: st.DataObject) -> None:
    x = whole(data.draw, data.draw(st.sampled_from(dtypes(current, "iuf"))), data.draw(shapes(min_dims=1, min_side=1)))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    agree("diff", x, axis=axis, n=data.draw(st.integers(0, x.shape[axis])))


def matrices(draw: Draw, dtype: wt.DType) -> tuple[Array, Array]:
    """Draw two stacks of matrices that can be multiplied."""
    rows, inner, columns = (draw(st.integers(0, 4)) for _ in range(3))
    batch = draw(XPS.mutually_broadcastable_shapes(2, max_dims=2, min_side=0, max_side=3)).input_shapes
    return whole(draw, dtype, (*batch[0], rows, inner)), whole(draw, dtype, (*batch[1], inner, columns))


@EXAMPLES
@given(data=st.data())
def test_products(current: wt.Device, data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(dtypes(current, "iufc")))
    x, y = matrices(data.draw, dtype)
    agree("matmul", x, y)
    agree("matmul", whole(data.draw, dtype, x.shape[-1:]), y)
    agree("matmul", x, whole(data.draw, dtype, x.shape[-1:]))
    agree("vecdot", x, whole(data.draw, dtype, x.shape[-1:]))
    count = data.draw(st.integers(0, x.ndim))
    other = whole(data.draw, dtype, (*x.shape[x.ndim - count :], 2))
    agree("tensordot", x, other, axes=count)
    agree("tensordot", x, y, axes=((-1,), (-2,)))
