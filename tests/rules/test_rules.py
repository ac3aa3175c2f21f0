"""Rules without data: result shapes and dtypes, also where no backend could hold the result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from wgtensor.contract import (
    CompareDirection,
    DotGeneralConfig,
    GatherConfig,
    PadConfig,
    ScatterConfig,
    SliceConfig,
)
from wgtensor.errors import DTypeError, ValidationError
from wgtensor.rules import (
    OPERATIONS,
    Family,
    diagonal_axes,
    embedding_axes,
    fitting_number,
    is_convertible,
    normalize_axis,
    view_layout,
    window_sizes,
)
from wgtensor.tensor import ALL_DTYPES, DType, Layout, bfloat16, bool_, complex64, float16, float32, int8, int32, uint8

HUGE = 2**40

SHAPES: list[tuple[str, list[Any], dict[str, Any], tuple[int, ...]]] = [
    ("add", [(HUGE, 2), ()], {}, (HUGE, 2)),
    ("add", [(), ()], {}, ()),
    ("clamp", [(2, 3), (), (2, 3)], {}, (2, 3)),
    ("transpose", [(2, HUGE)], {"permutation": (1, 0)}, (HUGE, 2)),
    ("reshape", [(HUGE, 4)], {"shape": (2, HUGE, 2)}, (2, HUGE, 2)),
    ("reshape", [(0, 3)], {"shape": (7, 0)}, (7, 0)),
    ("broadcast_in_dim", [(1,)], {"shape": (3, HUGE), "dims": (1,)}, (3, HUGE)),
    ("extract_diagonal", [(3, 4, 3)], {"axis_a": 2, "axis_b": 0}, (3, 4)),
    ("embed_diagonal", [(3, 4)], {"axis_a": -2, "axis_b": None}, (3, 4, 3)),
    ("embed_diagonal", [(3, 4)], {"axis_a": 1, "axis_b": 0}, (4, 3, 4)),
    ("reduce_sum", [(2, 3, 4)], {"axes": (2, 0)}, (3,)),
    ("reduce_sum", [(2, 0)], {"axes": (1,)}, (2,)),
    ("argmax", [(2, 2**31 - 1)], {"axis": 1}, (2,)),
    ("slice", [(10,)], {"config": SliceConfig([1], [10], [4])}, (3,)),
    ("slice", [(10,)], {"config": SliceConfig([10], [10], [4])}, (0,)),
    ("pad", [(3,), ()], {"config": PadConfig([-1], [2], [2])}, (8,)),
    ("pad", [(0,), ()], {"config": PadConfig([1], [2], [2])}, (3,)),
    ("concatenate", [(2, HUGE), (2, 1), (2, 0)], {"axis": 1}, (2, HUGE + 1)),
    ("gather", [(5, 4), (2, 3, 1)], {"config": GatherConfig([2], [0], [0], 2, [1, 4])}, (2, 3, 4)),
    ("scatter", [(5, 4), (3, 1), (3, 4)], {"config": ScatterConfig([1], [0], [0], 1)}, (5, 4)),
    ("dynamic_slice", [(5, 4), (2,)], {"sizes": (2, 4)}, (2, 4)),
    ("dot_general", [(2, 3, 4), (4, 5, 2)], {"config": DotGeneralConfig([2], [0], [0], [2])}, (2, 3, 5)),
    ("vdot", [(2, 3), (2, 3)], {}, ()),
]


@pytest.mark.parametrize(("name", "shapes", "attributes", "expected"), SHAPES)
def test_result_shapes(name: str, shapes: list[Any], attributes: dict[str, Any], expected: tuple[int, ...]) -> None:
    assert OPERATIONS[name].infer_shape(shapes, **attributes) == expected


TOO_LARGE: list[tuple[str, list[Any], dict[str, Any]]] = [
    ("broadcast_in_dim", [()], {"shape": (HUGE, HUGE), "dims": ()}),
    ("embed_diagonal", [(HUGE,)], {"axis_a": 0, "axis_b": None}),
    ("pad", [(HUGE,), ()], {"config": PadConfig([0], [0], [HUGE])}),
    ("concatenate", [(2**62,), (2**62,)], {"axis": 0}),
    ("gather", [(HUGE, 1), (HUGE, 1)], {"config": GatherConfig([0, 1], [], [1], 1, [HUGE, 1])}),
    ("dot_general", [(HUGE,), (HUGE,)], {"config": DotGeneralConfig([], [])}),
]


@pytest.mark.parametrize(("name", "shapes", "attributes"), TOO_LARGE)
def test_results_beyond_the_largest_size_are_refused(name: str, shapes: list[Any], attributes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match=rf"{name}: a shape may hold at most 2\*\*63 - 1 elements"):
        OPERATIONS[name].infer_shape(shapes, **attributes)


def test_positions_must_fit_int32() -> None:
    with pytest.raises(
        ValidationError, match=r"argmin needs an axis of at most 2\*\*31 - 1 elements, .* got 2147483648"
    ):
        OPERATIONS["argmin"].infer_shape([(2**31,)], axis=0)


def test_axes_may_be_numpy_integers_but_no_floats() -> None:
    axes = tuple(np.arange(2))
    assert OPERATIONS["reduce_sum"].infer_shape([(2, 3, 4)], axes=axes) == (4,)
    with pytest.raises(ValidationError, match="reduce_sum needs integers as axes"):
        OPERATIONS["reduce_sum"].infer_shape([(2, 3, 4)], axes=(1.0,))


def test_normalized_axes() -> None:
    assert [normalize_axis("op", axis, 3) for axis in (-3, -1, 0, 2)] == [0, 2, 0, 2]
    assert diagonal_axes(3, -1, 0) == (2, 0)
    # The operand's axis moves up when the new axis comes before it.
    assert embedding_axes(2, -1, None) == (1, 2)
    assert embedding_axes(2, 0, 0) == (1, 0)
    assert embedding_axes(2, 0, -1) == (0, 2)
    with pytest.raises(ValidationError, match="op needs an axis within -3 to 2, got 3"):
        normalize_axis("op", 3, 3)


def test_window_sizes_are_one_on_inserted_axes() -> None:
    assert window_sizes(ScatterConfig([0, 2], [1], [1], 1), (5, 6, 7), 3) == (5, 1, 7)


def test_views_are_named_once_for_all_backends() -> None:
    layout = Layout.contiguous((2, 3))
    assert view_layout("reverse", layout, (2, 3), {"axes": (0,)}) == Layout((2, 3), (-3, 1), 3)
    assert view_layout("reshape", layout.permute((1, 0)), (6,), {"shape": (6,)}) is None
    assert view_layout("add", layout, (2, 3), {}) is None


DTYPES: list[tuple[str, list[DType], dict[str, Any], DType]] = [
    ("add", [float32, float32], {}, float32),
    ("abs", [complex64], {}, float32),
    ("real", [float32], {}, float32),
    ("norm_squared", [complex64], {}, float32),
    ("compare", [complex64, complex64], {"direction": CompareDirection.EQ}, bool_),
    ("select", [bool_, int8, int8], {}, int8),
    ("isnan", [float16], {}, bool_),
    ("cast", [complex64], {"dtype": bool_}, bool_),
    ("convert", [uint8], {"dtype": bfloat16}, bfloat16),
    ("argmax", [float32], {"axis": 0}, int32),
    ("reduce_sum", [int8], {"axes": (0,)}, int8),
    ("gather", [bfloat16, uint8], {"config": None}, bfloat16),
    ("transpose", [bfloat16], {"permutation": ()}, bfloat16),
]


@pytest.mark.parametrize(("name", "dtypes", "attributes", "expected"), DTYPES)
def test_result_dtypes(name: str, dtypes: list[DType], attributes: dict[str, Any], expected: DType) -> None:
    assert OPERATIONS[name].infer_dtype(dtypes, **attributes) is expected


UNARY = [row for row in OPERATIONS.values() if row.arity == 1 and row.family is not Family.CAST]


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=str)
@pytest.mark.parametrize("operation", UNARY, ids=lambda operation: operation.name)
def test_a_unary_operation_takes_exactly_its_kinds(operation: Any, dtype: DType) -> None:
    moves = operation.family in (Family.BUFFER, Family.STRUCTURAL, Family.INDEXING)
    if dtype.kind in operation.dtypes and (dtype is not bfloat16 or moves):
        operation.infer_dtype([dtype])
        return
    with pytest.raises(DTypeError, match=rf"^{operation.name} takes .*(; cast first|cast to float32 first)$"):
        operation.infer_dtype([dtype])


def test_promotion_is_transitive_and_reflexive() -> None:
    for a in ALL_DTYPES:
        assert is_convertible(a, a)
        for b in ALL_DTYPES:
            for c in ALL_DTYPES:
                if is_convertible(a, b) and is_convertible(b, c):
                    assert is_convertible(a, c), (a, b, c)
            if a is not b:
                assert not (is_convertible(a, b) and is_convertible(b, a)), (a, b)


def test_numbers_that_fit() -> None:
    assert fitting_number("add", True, float32) is True
    assert fitting_number("add", 127, int8) == 127
    assert fitting_number("add", 2, complex64) == 2
    assert fitting_number("add", 1j, complex64) == 1j
    assert fitting_number("add", np.float64(0.5), float32) == 0.5
    with pytest.raises(DTypeError, match=r"got 1\.5 of type float"):
        fitting_number("add", 1.5, int8)
    with pytest.raises(ValidationError, match="add needs an int within 0 to 255 beside uint8, got -1"):
        fitting_number("add", -1, uint8)
