"""Pad, concatenate, embed_diagonal, triangles and fills against NumPy on raw bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernels.executor import DISCRETE, SOFTWARE, run_plan
from kernels.layouts import random_bits, random_layout, storage_size, viewed
from numpy.typing import NDArray

from wgtensor.contract import PadConfig
from wgtensor.errors import ValidationError
from wgtensor.tensor import ALL_DTYPES, DType, Layout, as_dtype, float32
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.structural import (
    plan_concatenate,
    plan_embed_diagonal,
    plan_fill,
    plan_pad,
    plan_triangle,
)

SIZES = [as_dtype(name) for name in ("bool", "float16", "float32", "complex64", "complex128")]
BY_SIZE = pytest.mark.parametrize("dtype", SIZES, ids=str)
CLASSES = pytest.mark.parametrize("facts", [SOFTWARE, DISCRETE], ids=["software", "discrete"])


def padded(elements: NDArray[Any], config: PadConfig, value: NDArray[Any]) -> NDArray[Any]:
    """Pad axis by axis, from StableHLO's definition; the last axis of ``elements`` holds an element's bytes."""
    for axis, (low, high, interior) in enumerate(zip(config.low, config.high, config.interior or (), strict=True)):
        rows = np.moveaxis(elements, axis, 0)
        dilated = np.broadcast_to(value, (max(len(rows) * (interior + 1) - interior, 0), *rows.shape[1:])).copy()
        dilated[:: interior + 1] = rows
        edge = [np.broadcast_to(value, (max(count, 0), *rows.shape[1:])) for count in (low, high)]
        whole = np.concatenate([edge[0], dilated, edge[1]])
        whole = whole[max(-low, 0) : len(whole) - max(-high, 0)]
        elements = np.moveaxis(whole, 0, axis)
    return elements


PADS = {
    "both sides": PadConfig((1, 2), (3, 0)),
    "interior": PadConfig((1, 0), (0, 2), (2, 1)),
    "cropped": PadConfig((-1, 2), (2, -3)),
    "cropped between": PadConfig((-3, -2), (-2, 3), (1, 2)),
    "all cropped": PadConfig((-9, 0), (6, 0)),
    "nothing": PadConfig((0, 0), (0, 0)),
}


@BY_SIZE
@pytest.mark.parametrize("name", PADS)
def test_pad(name: str, dtype: DType) -> None:
    rng = np.random.default_rng(4)
    value = random_bits(rng, dtype, 1)[0]
    for layout in (Layout.contiguous((4, 7)), Layout.contiguous((7, 4)).permute((1, 0)).reverse((1,))):
        elements = random_bits(rng, dtype, storage_size(layout))
        expected = padded(viewed(elements, layout), PADS[name], value)
        plan = plan_pad(dtype, layout, PADS[name], value.tobytes(), SOFTWARE)
        assert run_plan(plan, [elements], expected.nbytes, SOFTWARE) == expected.tobytes()


NUMBERS = st.tuples(st.integers(1, 6), st.integers(-4, 5), st.integers(-4, 5), st.integers(0, 3))


@settings(max_examples=60, deadline=None)
@given(axes=st.lists(NUMBERS, min_size=1, max_size=3), dtype=st.sampled_from(SIZES))
def test_any_pad(axes: list[tuple[int, int, int, int]], dtype: DType) -> None:
    axes = [axis for axis in axes if axis[0] + axis[1] + axis[2] + (axis[0] - 1) * axis[3] >= 0] or [(3, 1, 1, 1)]
    shape, low, high, interior = zip(*axes, strict=True)
    rng = np.random.default_rng(5)
    elements, value = random_bits(rng, dtype, int(np.prod(shape))), random_bits(rng, dtype, 1)[0]
    config = PadConfig(low, high, interior)
    expected = padded(elements.reshape(*shape, -1), config, value)
    plan = plan_pad(dtype, Layout.contiguous(shape), config, value.tobytes(), SOFTWARE)
    assert run_plan(plan, [elements], expected.nbytes, SOFTWARE) == expected.tobytes()


@BY_SIZE
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_concatenate(axis: int, dtype: DType) -> None:
    rng = np.random.default_rng(6)
    for lengths in ((3, 1, 0, 6), (4, 8), (1, 2, 3)):
        shapes = [tuple(n if each == axis else (3, 5, 7)[each] for each in range(3)) for n in lengths]
        layouts = [Layout.contiguous(shape) for shape in shapes]
        layouts[-1] = Layout.contiguous(shapes[-1][::-1]).permute((2, 1, 0)).reverse((1,))
        parts = [random_bits(rng, dtype, max(storage_size(layout), 1)) for layout in layouts]
        expected = np.concatenate([viewed(p, layout) for p, layout in zip(parts, layouts, strict=True)], axis)
        plan = plan_concatenate(dtype, layouts, axis, SOFTWARE)
        assert run_plan(plan, parts, expected.nbytes, SOFTWARE) == expected.tobytes()


def test_concatenate_of_nothing_but_empties_has_no_steps() -> None:
    assert plan_concatenate(float32, [Layout.contiguous((0, 3))] * 2, 0, SOFTWARE).steps == ()


@BY_SIZE
@pytest.mark.parametrize(("axis_a", "axis_b"), [(0, 0), (0, 1), (1, 0), (2, 3), (1, 3)])
def test_embed_diagonal(axis_a: int, axis_b: int, dtype: DType) -> None:
    layout = Layout.contiguous((3, 5, 4)).reverse((1,))
    elements = random_bits(np.random.default_rng(7), dtype, layout.size)
    moved = np.moveaxis(viewed(elements, layout), axis_a, 0)
    diagonal = np.zeros((len(moved), *moved.shape), np.uint8)
    diagonal[np.arange(len(moved)), np.arange(len(moved))] = moved
    # Axis 0 is the new one; axis 1 goes back to where the operand has it, then the new one to its place.
    expected = np.moveaxis(np.moveaxis(diagonal, 1, axis_a + 1), 0, axis_b)
    plan = plan_embed_diagonal(dtype, layout, axis_a, axis_b, SOFTWARE)
    assert run_plan(plan, [elements], expected.nbytes, SOFTWARE) == expected.tobytes()


@CLASSES
@pytest.mark.parametrize("lower", [True, False], ids=["lower", "upper"])
@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=str)
def test_triangle(dtype: DType, lower: bool, facts: AdapterFacts) -> None:
    layouts = [Layout.contiguous((5, 7)), Layout.contiguous((6, 3, 5)).permute((1, 2, 0)).reverse((0,))]
    rng = np.random.default_rng(8)
    for layout in layouts:
        elements = random_bits(rng, dtype, storage_size(layout))
        for k in (-2, 0, 3, 10**12, -(10**12)):
            rows, columns = np.indices(layout.shape[-2:])
            keep = columns - rows <= k if lower else columns - rows >= k
            expected = viewed(elements, layout) * keep[..., None].astype(np.uint8)
            plan = plan_triangle(dtype, layout, k, lower, facts)
            assert run_plan(plan, [elements], expected.nbytes, facts) == expected.tobytes()


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (1,), (3, 5), (1000,)])
def test_fill(shape: tuple[int, ...], dtype: DType) -> None:
    value = random_bits(np.random.default_rng(9), dtype, 1).tobytes()
    count = int(np.prod(shape))
    assert run_plan(plan_fill(dtype, shape, value, SOFTWARE), [], count * len(value), SOFTWARE) == value * count


def test_fill_wants_one_element() -> None:
    with pytest.raises(ValidationError, match="fill needs one float32 of 4 bytes, got 2 bytes"):
        plan_fill(float32, (3,), b"ab", SOFTWARE)


def test_random_layouts_triangle_and_pad_share_kernels() -> None:
    rng = np.random.default_rng(10)
    keys = set()
    for index in range(200):
        layout = random_layout(rng, 2 + index % 4, 20)
        keys |= {kernel.key for kernel in plan_triangle(float32, layout, index % 5 - 2, True, SOFTWARE).kernels}
    assert len(keys) == 2
