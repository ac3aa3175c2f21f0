"""``array_api_strict`` as the oracle: one call in both namespaces on the same values, drawn by Hypothesis.

Its dtypes of 64 bits stand for those of 32, which are the defaults here; operands have 32 bits at most.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import array_api_strict as strict
import numpy as np
from contract.harness import compare
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.extra.array_api import make_strategies_namespace

import wgtensor as wt
from wgtensor import Array, DType

__all__ = ["EXAMPLES", "XPS", "Draw", "agree", "alike", "arrays", "dtypes", "in_strict", "shapes", "whole"]

XPS: Final = make_strategies_namespace(wt, api_version="2025.12")

EXAMPLES: Final = settings(max_examples=8, suppress_health_check=list(HealthCheck))

Draw = Callable[[st.SearchStrategy[Any]], Any]

_NARROW: Final = {"int64": "int32", "uint64": "uint32", "float64": "float32", "complex128": "complex64"}
_SPAN: Final = 32


def dtypes(device: wt.Device, kinds: str) -> list[DType]:
    """Return the device's dtypes of at most 32 bits per part, by kind letters."""
    present = wt.__array_namespace_info__().dtypes(device=device)
    return [each for name, each in present.items() if each.kind in kinds and name not in _NARROW]


def shapes(**options: int) -> st.SearchStrategy[tuple[int, ...]]:
    """Draw shapes of rank 0 to 3 with lengths of 0 to 4, unless ``options`` say otherwise."""
    limits: dict[str, Any] = {"min_dims": 0, "max_dims": 3, "min_side": 0, "max_side": 4, **options}
    return XPS.array_shapes(**limits)  # type: ignore[no-any-return]


def arrays(draw: Draw, dtype: DType, shape: Any = None, *, tame: bool = False) -> Array:
    """Draw an array on the current device: any values but subnormal ones, or ``tame`` ones within 32."""
    elements: Any = {"allow_subnormal": False} if dtype.kind in "fc" else {}
    if tame and dtype.kind in "iu":
        elements = {"min_value": 0 if dtype.kind == "u" else -_SPAN, "max_value": _SPAN}
    if tame and dtype.kind == "f":
        elements = {**elements, "min_value": -_SPAN, "max_value": _SPAN}
    if tame and dtype.kind == "c":
        elements = {**elements, "allow_nan": False, "allow_infinity": False, "max_magnitude": _SPAN}
    return draw(XPS.arrays(dtype, shapes() if shape is None else shape, elements=elements))  # type: ignore[no-any-return]


def whole(draw: Draw, dtype: DType, shape: Any = None) -> Array:
    """Draw an array of small whole numbers, whose sums are exact in every order."""
    numbers = st.booleans() if dtype.kind == "b" else st.integers(0 if dtype.kind == "u" else -6, 6)
    elements = numbers.map({"b": bool, "i": int, "u": int, "f": float, "c": complex}[dtype.kind])
    return draw(XPS.arrays(dtype, shapes() if shape is None else shape, elements=elements))  # type: ignore[no-any-return]


def in_strict(value: Any) -> Any:
    """Return arrays and dtypes of wgtensor, also inside tuples and lists, as those of ``array_api_strict``."""
    if isinstance(value, Array):
        return strict.asarray(value.to_numpy())
    if isinstance(value, DType):
        return getattr(strict, value.name)
    if isinstance(value, tuple | list) and any(isinstance(each, Array | DType | tuple | list) for each in value):
        return type(value)(in_strict(each) for each in value)
    return value


def agree(name: str, *arguments: Any, ulps: float = 0, atol: float | None = None, **options: Any) -> None:
    """Call ``name`` in both namespaces and compare shapes, dtypes and values; see :func:`contract.harness.compare`."""
    ours = getattr(wt, name)(*arguments, **options)
    with np.errstate(all="ignore"):
        theirs = getattr(strict, name)(
            *map(in_strict, arguments), **{key: in_strict(each) for key, each in options.items()}
        )
    alike(ours, theirs, ulps, atol)


def alike(ours: Any, theirs: Any, ulps: float = 0, atol: float | None = None) -> None:
    """Assert that an array, or a tuple of them, is what the oracle returned."""
    if isinstance(theirs, tuple | list):
        assert isinstance(ours, tuple | list)
        assert len(ours) == len(theirs)
        for mine, other in zip(ours, theirs, strict=True):
            alike(mine, other, ulps, atol)
        return
    expected = np.asarray(theirs)
    assert ours.shape == expected.shape
    assert ours.dtype.name == _NARROW.get(expected.dtype.name, expected.dtype.name)
    compare(ours.to_numpy(), expected, ulps=ulps, atol=atol)
