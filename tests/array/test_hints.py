"""Names of other libraries: still AttributeErrors, whose text says what to write."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wgtensor as wt
from wgtensor.array import Array, Device, hints
from wgtensor.errors import DTypeError, ValidationError

Place = Callable[..., Array]
NAMESPACE: Any = wt


@pytest.mark.parametrize(
    ("name", "way_out"),
    [
        ("cumsum", "wt.cumulative_sum"),
        ("concatenate", "wt.concat"),
        ("arcsin", "wt.asin"),
        ("identity", "wt.eye"),
        ("unique", "wt.unique_values"),
        ("dot", "wt.matmul, or wt.vecdot for vectors"),
        ("allclose", "wt.all(wt.abs(x - y) <= atol + rtol * wt.abs(y))"),
    ],
)
def test_functions_of_numpy(name: str, way_out: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(NAMESPACE, name)
    assert str(caught.value) == f"module 'wgtensor' has no {name!r}; write {way_out}"
    assert not hasattr(wt, name)


@pytest.mark.parametrize("name", ["random", "linalg", "fft"])
def test_what_is_not_here_yet(name: str) -> None:
    with pytest.raises(AttributeError, match=f"since there is no {name} yet"):
        getattr(NAMESPACE, name)


@pytest.mark.parametrize(
    ("name", "way_out"),
    [
        ("sum", "wt.sum(x)"),
        ("cumsum", "wt.cumulative_sum(x)"),
        ("copy", "wt.asarray(x, copy=True)"),
        ("numpy", "x.to_numpy()"),
        ("to", "x.to_device(device), or x.astype(dtype)"),
        ("dot", "wt.matmul, or wt.vecdot for vectors"),
    ],
)
def test_methods_of_other_libraries(device: Device, name: str, way_out: str) -> None:
    x: Any = wt.ones(2, device=device)
    with pytest.raises(AttributeError) as caught:
        getattr(x, name)
    assert str(caught.value) == f"an Array has no {name!r}; write {way_out}"
    assert not hasattr(x, name)


def test_other_names_are_python_s_own_errors() -> None:
    x: Any = wt.ones(2, device="cpu")
    with pytest.raises(AttributeError, match=r"^module 'wgtensor' has no attribute 'frobnicate'$"):
        NAMESPACE.frobnicate  # noqa: B018
    with pytest.raises(AttributeError, match=r"^'Array' object has no attribute 'frobnicate'$"):
        x.frobnicate  # noqa: B018
    assert getattr(x, "__cuda_array_interface__", None) is None


def test_hints_name_what_is_there_and_hide_nothing() -> None:
    functions = {*hints._RENAMED.values(), *hints._FUNCTIONS}
    assert [name for name in functions if name not in wt.__all__] == []
    assert [name for name in (*hints._RENAMED, *hints._ADVICE) if name in wt.__all__] == []
    assert [name for name in (*hints._INSTEAD, *hints._FUNCTIONS) if name in dir(Array)] == []


def test_hints_do_not_disturb_copies_and_pickles(device: Device, place: Place) -> None:
    x = place(np.arange(3, dtype=np.int32))
    assert copy.copy(x).tolist() == copy.deepcopy(x).tolist() == [0, 1, 2]
    on_cpu = wt.asarray([1, 2], device="cpu")
    assert pickle.loads(pickle.dumps(on_cpu)).tolist() == [1, 2]


def test_the_package_array_is_not_callable() -> None:
    with pytest.raises(DTypeError, match=r"wgtensor\.array is a package, got a call of it; write wt\.asarray\("):
        NAMESPACE.array([1, 2, 3])


def test_a_module_is_no_device() -> None:
    import wgtensor.cpu  # noqa: PLC0415 - makes it an attribute

    with pytest.raises(ValidationError, match=r"device needs a Device; write device='cpu', got <module"):
        wt.ones(3, device=wgtensor.cpu)  # type: ignore[arg-type]


def test_in_asks_for_equal_elements(place: Place) -> None:
    x = np.array([[1.0, 2.0], [np.nan, 4.0]], np.float32)
    for value in (2.0, 3.0, 4, np.nan, np.float32(1)):
        assert (value in place(x)) == (value in x)
    assert 1.0 not in place(np.zeros(0, np.float32))
    with pytest.raises(DTypeError, match="equal takes wgtensor arrays and Python numbers, got str"):
        "a" in place(x)  # noqa: B015
