"""Signatures of the whole namespace, one by one against ``array_api_strict``: names, kinds, defaults."""

from __future__ import annotations

import inspect
import types
from typing import Any, Final

import array_api_strict
import pytest

import wgtensor
from wgtensor.array import Array

NOT_OF_THE_STANDARD: Final = {
    "get_array_api_strict_flags",
    "reset_array_api_strict_flags",
    "set_array_api_strict_flags",
    "ArrayAPIStrictFlags",
    "Device",
}
UNSET: Final = array_api_strict._creation_functions._undef
"""How ``array_api_strict`` writes the default None of a parameter that came with a later version."""

FUNCTIONS: Final = sorted(
    name
    for name in array_api_strict.__all__
    if name not in NOT_OF_THE_STANDARD and isinstance(getattr(array_api_strict, name), types.FunctionType)
)
METHODS: Final = sorted(
    name
    for name, value in vars(array_api_strict._array_object.Array).items()
    if isinstance(value, types.FunctionType)
    and (name == "to_device" or name.startswith("__"))
    and name not in ("__new__", "__reduce__", "__buffer__", "__array__")
)
PROPERTIES: Final = ("T", "device", "dtype", "mT", "ndim", "shape", "size")
POSITIONAL_TOO: Final = {"tensordot": "axes"}
"""Keyword-only parameters of the standard that may also be given by position, as in NumPy."""
CONSTANTS: Final = ("e", "inf", "nan", "newaxis", "pi")
DTYPES: Final = sorted(
    name for name in array_api_strict.__all__ if hasattr(getattr(array_api_strict, name), "_np_dtype")
)


def parameters(function: Any) -> list[tuple[str, Any, Any]]:
    """Return name, kind and default of each parameter but ``self``; the star marks keyword-only and positional-only."""
    return [
        (each.name, each.kind, None if each.default is UNSET else each.default)
        for each in inspect.signature(function).parameters.values()
        if each.name != "self"
    ]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(name: str) -> None:
    assert name in wgtensor.__all__
    expected = [
        (each, inspect.Parameter.POSITIONAL_OR_KEYWORD if POSITIONAL_TOO.get(name) == each else kind, default)
        for each, kind, default in parameters(getattr(array_api_strict, name))
    ]
    assert parameters(getattr(wgtensor, name)) == expected


@pytest.mark.parametrize("name", METHODS)
def test_method(name: str) -> None:
    """Defaults and keyword-only parameters are the standard's; what is positional-only there may have a name here."""

    def relaxed(function: Any) -> list[Any]:
        positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        return [
            default if kind in positional and default is inspect.Parameter.empty else (each, default)
            for each, kind, default in parameters(function)
        ]

    assert relaxed(getattr(Array, name)) == relaxed(getattr(array_api_strict._array_object.Array, name))


@pytest.mark.parametrize("name", PROPERTIES)
def test_property(name: str) -> None:
    assert isinstance(getattr(Array, name), property)


@pytest.mark.parametrize("name", CONSTANTS)
def test_constant(name: str) -> None:
    assert repr(getattr(wgtensor, name)) == repr(getattr(array_api_strict, name))


@pytest.mark.parametrize("name", DTYPES)
def test_dtype(name: str) -> None:
    assert getattr(wgtensor, name).name == name


def test_inspection() -> None:
    ours, theirs = wgtensor.__array_namespace_info__, array_api_strict.__array_namespace_info__
    for name in ("capabilities", "default_device", "default_dtypes", "devices", "dtypes"):
        assert parameters(getattr(ours(), name)) == parameters(getattr(theirs(), name))
    assert wgtensor.__array_api_version__ == "2025.12"
