"""Structural operations against NumPy: exact for every dtype, and metadata only where strides allow."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from contract.harness import DTYPES, LAYOUTS, SHAPES, Bench, values


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_to_contiguous_copies_any_layout(bench: Bench, dtype: str, layout: str) -> None:
    for shape in SHAPES:
        x = values(dtype, shape)
        source = bench.up(x, layout)
        copy = bench.session.to_contiguous(source)
        assert copy.layout.is_contiguous
        assert copy.storage is not source.storage
        np.testing.assert_array_equal(bench.down(copy), x)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_transpose_is_a_view_of_every_permutation(bench: Bench, layout: str) -> None:
    x = values("float32", (2, 3, 4))
    source = bench.up(x, layout)
    for permutation in itertools.permutations(range(3)):
        view = bench.session.transpose(source, permutation)
        assert view.storage is source.storage
        np.testing.assert_array_equal(bench.down(view), x.transpose(permutation))


def test_transpose_keeps_zero_lengths(bench: Bench) -> None:
    bench.check("transpose", np.zeros((0, 3), np.float32), permutation=(1, 0), expected=np.zeros((3, 0)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_reshape_is_row_major(bench: Bench, dtype: str, layout: str) -> None:
    x = values(dtype, (4, 6))
    for shape in [(24,), (2, 2, 6), (6, 4), (1, 24, 1), (4, 3, 2)]:
        result = bench.run("reshape", x, shape=shape, layout=layout)
        assert result is not None
        np.testing.assert_array_equal(result, x.reshape(shape))


def test_reshape_is_a_view_where_strides_allow(bench: Bench) -> None:
    x = bench.up(values("float32", (4, 6)))
    assert bench.session.reshape(x, (2, 2, 6)).storage is x.storage
    columns = bench.session.transpose(x, (1, 0))
    assert bench.session.reshape(columns, (6, 2, 2)).storage is x.storage
    assert bench.session.reshape(columns, (24,)).storage is not x.storage


@pytest.mark.parametrize(("source", "target"), [((), (1, 1)), ((1,), ()), ((0, 3), (5, 0)), ((1, 6), (2, 3))])
def test_reshape_of_odd_shapes(bench: Bench, source: tuple[int, ...], target: tuple[int, ...]) -> None:
    x = values("float32", source)
    bench.check("reshape", x, shape=target, expected=x.reshape(target))


BROADCASTS = [
    ((), (2, 3), ()),
    ((3,), (2, 3), (1,)),
    ((3,), (3, 2), (0,)),
    ((1, 3), (4, 2, 3), (0, 2)),
    ((2, 3), (3, 5, 2), (2, 0)),
    ((1,), (0,), (0,)),
    ((0,), (2, 0), (1,)),
]


@pytest.mark.parametrize(("source", "shape", "dims"), BROADCASTS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_broadcast_in_dim(
    bench: Bench, source: tuple[int, ...], shape: tuple[int, ...], dims: tuple[int, ...], layout: str
) -> None:
    x = values("float32", source)
    expected = np.zeros(shape, np.float32)
    for index in np.ndindex(*shape):
        expected[index] = x[tuple(0 if source[j] == 1 else index[dim] for j, dim in enumerate(dims))]
    operand = bench.up(x, layout)
    view = bench.session.broadcast_in_dim(operand, shape, dims)
    assert view.storage is operand.storage
    np.testing.assert_array_equal(bench.down(view), expected)


@pytest.mark.parametrize("axes", [(0, 1), (1, 0), (0, 3), (3, 1), (-2, -1), (-1, 0)])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_extract_diagonal_keeps_the_lower_position(bench: Bench, axes: tuple[int, int], layout: str) -> None:
    x = values("int32", (3, 3, 3, 3))
    low, high = sorted(axis % 4 for axis in axes)
    expected = np.zeros((3, 3, 3), np.int32)
    for index in np.ndindex(3, 3, 3):
        full = list(index)
        full.insert(high, index[low])
        expected[index] = x[tuple(full)]
    operand = bench.up(x, layout)
    view = bench.session.extract_diagonal(operand, *axes)
    assert view.storage is operand.storage
    np.testing.assert_array_equal(bench.down(view), expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("axis_a", "axis_b"), [(0, None), (1, 0), (0, 2), (-1, -1), (2, 1), (-3, 3)])
def test_embed_diagonal_inserts_an_axis(bench: Bench, axis_a: int, axis_b: int | None, dtype: str) -> None:
    x = values(dtype, (2, 4, 3))
    new = 3 if axis_b is None else axis_b % 4
    source = axis_a % 3
    shape = list(x.shape)
    shape.insert(new, x.shape[source])
    expected = np.zeros(shape, dtype)
    for index in np.ndindex(*x.shape):
        full = list(index)
        full.insert(new, index[source])
        expected[tuple(full)] = x[index]
    bench.check("embed_diagonal", x, axis_a=axis_a, axis_b=axis_b, expected=expected)


def test_embed_then_extract_gives_the_operand(bench: Bench) -> None:
    x = values("float32", (3, 4))
    square = bench.session.embed_diagonal(bench.up(x, "reversed"))
    np.testing.assert_array_equal(bench.down(bench.session.extract_diagonal(square)), x)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["tril", "triu"])
def test_triangles_of_the_last_two_axes(bench: Bench, name: str, dtype: str) -> None:
    for k, layout in zip((-4, -1, 0, 1, 3), LAYOUTS, strict=True):
        x = values(dtype, (2, 3, 4))
        row, column = np.indices((3, 4))
        keep = column - row <= k if name == "tril" else column - row >= k
        bench.check(name, x, k=k, expected=np.where(keep, x, np.zeros((), dtype)), layout=layout)


def test_triangles_do_not_spread_nan(bench: Bench) -> None:
    bench.check("tril", np.full((2, 2), np.nan, np.float32), k=0, expected=[[np.nan, 0], [np.nan, np.nan]])
