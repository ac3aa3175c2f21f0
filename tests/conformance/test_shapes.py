"""Creation, data types, indexing and manipulation on drawn shapes, axes and keys."""

from __future__ import annotations

from typing import Any

import array_api_strict as strict
import pytest
from conformance.oracle import EXAMPLES, XPS, agree, alike, arrays, dtypes, in_strict, shapes
from hypothesis import given
from hypothesis import strategies as st

import wgtensor as wt

NAMES = [name for name, each in vars(wt).items() if isinstance(each, wt.DType) and hasattr(strict, name)]


@EXAMPLES
@given(data=st.data())
def test_constants(current: wt.Device, data: st.DataObject) -> None:
    dtype, shape = data.draw(st.sampled_from(dtypes(current, "biufc"))), data.draw(shapes())
    for name in ("zeros", "ones"):
        agree(name, shape, dtype=dtype)
        agree(f"{name}_like", wt.zeros(shape, dtype=dtype))
    value = data.draw(XPS.from_dtype(dtype, **({"allow_subnormal": False} if dtype.kind in "fc" else {})))
    agree("full", shape, value, dtype=dtype)
    agree("full_like", wt.zeros(shape, dtype=dtype), value)


@EXAMPLES
@given(data=st.data())
def test_ranges_and_matrices(current: wt.Device, data: st.DataObject) -> None:
    number, positive = st.integers(-20, 20), st.integers(0, 9)
    start, stop, step = (data.draw(number) for _ in range(3))
    agree("arange", start, stop, step or 1, dtype=wt.int32)
    count, endpoint = data.draw(positive), data.draw(st.booleans())
    agree("linspace", start, stop, count, dtype=wt.float32, endpoint=endpoint, atol=2**-18)  # 4 ulp of 20
    agree("eye", data.draw(positive), data.draw(positive), k=start, dtype=wt.float32)
    matrix = arrays(data.draw, wt.int32, data.draw(shapes(min_dims=2)))
    for name in ("tril", "triu"):
        agree(name, matrix, k=data.draw(st.integers(-4, 4)))
    vectors = [arrays(data.draw, wt.float32, data.draw(shapes(min_dims=1, max_dims=1))) for _ in range(2)]
    agree("meshgrid", *vectors, indexing=data.draw(st.sampled_from(["xy", "ij"])))


@EXAMPLES
@given(data=st.data())
def test_astype(current: wt.Device, data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(dtypes(current, "biuf")))
    x = arrays(data.draw, source, tame=True)
    if source.kind == "f":
        x = wt.trunc(wt.where(wt.isfinite(x), wt.abs(x), 1.0))  # NumPy casts what is out of range at will
    known = dtypes(current, "buifc" if source.kind in "bu" else "bifc")
    agree("astype", x, data.draw(st.sampled_from(known)))


@EXAMPLES
@given(data=st.data())
def test_broadcasting(current: wt.Device, data: st.DataObject) -> None:
    drawn = data.draw(XPS.mutually_broadcastable_shapes(3, max_dims=3, min_side=0, max_side=3))
    several = [arrays(data.draw, wt.int32, shape) for shape in drawn.input_shapes]
    agree("broadcast_arrays", *several)
    agree("broadcast_to", several[0], drawn.result_shape)
    assert wt.broadcast_shapes(*drawn.input_shapes) == drawn.result_shape


@pytest.mark.parametrize("one", NAMES)
def test_promotion(one: str) -> None:
    for other in NAMES:
        ours, theirs = (getattr(wt, one), getattr(wt, other)), (getattr(strict, one), getattr(strict, other))
        try:
            expected = strict.result_type(*theirs)
        except TypeError:
            with pytest.raises(TypeError):
                wt.result_type(*ours)
        else:
            assert in_strict(wt.result_type(*ours)) == expected
        assert wt.can_cast(*ours) == strict.can_cast(*theirs)
    for kind in (
        "bool",
        "signed integer",
        "unsigned integer",
        "integral",
        "real floating",
        "complex floating",
        "numeric",
    ):
        assert wt.isdtype(getattr(wt, one), kind) == strict.isdtype(getattr(strict, one), kind)


@EXAMPLES
@given(data=st.data())
def test_basic_keys(current: wt.Device, data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(dtypes(current, "biufc")))
    x = arrays(data.draw, dtype, data.draw(shapes(min_side=1)))
    key = data.draw(XPS.indices(x.shape, allow_newaxis=True))
    theirs = in_strict(x)
    alike(x[key], theirs[key])
    key = data.draw(XPS.indices(x.shape))
    value = arrays(data.draw, dtype, ())
    x[key] = value
    theirs[key] = in_strict(value)
    alike(x, theirs)


@EXAMPLES
@given(data=st.data())
def test_arrays_as_keys(current: wt.Device, data: st.DataObject) -> None:
    x = arrays(data.draw, wt.float32, data.draw(shapes(min_dims=1)))
    mask = data.draw(XPS.arrays(wt.bool, x.shape))
    alike(x[mask], in_strict(x)[in_strict(mask)])
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    if x.shape[axis]:
        inside = st.integers(-x.shape[axis], x.shape[axis] - 1)
        positions = data.draw(XPS.arrays(wt.int32, data.draw(shapes(min_dims=1, max_dims=1)), elements=inside))
        agree("take", x, positions, axis=axis)
        along = data.draw(XPS.arrays(wt.int32, x.shape, elements=inside))
        agree("take_along_axis", x, along, axis=axis)


@EXAMPLES
@given(data=st.data())
def test_views(current: wt.Device, data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(dtypes(current, "biufc")))
    x = arrays(data.draw, dtype, data.draw(shapes(min_dims=1)))
    axes = st.integers(-x.ndim, x.ndim - 1)
    axis: Any = data.draw(st.none() | axes | st.lists(axes, unique_by=lambda i: i % x.ndim).map(tuple))
    agree("flip", x, axis=axis)
    agree("moveaxis", x, data.draw(axes), data.draw(axes))
    order = tuple(data.draw(st.permutations(range(x.ndim))))
    agree("permute_dims", x, order)
    agree("reshape", wt.permute_dims(x, order), (-1,) if x.size else (0, 3))
    position = data.draw(st.integers(-x.ndim - 1, x.ndim))
    agree("expand_dims", x, axis=position)
    agree("squeeze", wt.expand_dims(x, position), position)
    if x.ndim > 1:
        agree("matrix_transpose", x)
    agree("unstack", x, axis=data.draw(axes))


@EXAMPLES
@given(data=st.data())
def test_assembly(current: wt.Device, data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(dtypes(current, "biufc")))
    shape = data.draw(shapes(min_dims=1))
    several = [arrays(data.draw, dtype, shape) for _ in range(data.draw(st.integers(1, 3)))]
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    agree("concat", several, axis=data.draw(st.just(axis) | st.none()))
    agree("stack", several, axis=axis)
    agree("roll", several[0], data.draw(st.integers(-9, 9)), axis=data.draw(st.just(axis) | st.none()))
    agree("tile", several[0], tuple(data.draw(st.lists(st.integers(0, 3), max_size=4))))
    agree("repeat", several[0], data.draw(st.integers(0, 3)), axis=data.draw(st.just(axis) | st.none()))
    counts = data.draw(XPS.arrays(wt.int32, (shape[axis],), elements=st.integers(0, 3)))
    agree("repeat", several[0], counts, axis=axis)
