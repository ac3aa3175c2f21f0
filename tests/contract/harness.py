"""What the contract suite needs of a backend: operands in every kind of layout, and comparisons with stated bounds.

To add a backend: a factory in ``BACKENDS``, and the dtypes that it computes in.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import pytest
from numpy.typing import NDArray

from wgtensor.contract import BackendSession, SliceConfig
from wgtensor.cpu import CpuBackend
from wgtensor.errors import UnsupportedError
from wgtensor.rules import OPERATIONS, Family
from wgtensor.tensor import ALL_DTYPES, Tensor, bfloat16
from wgtensor.webgpu import WebGpuBackend, WebGpuRuntime
from wgtensor.webgpu.adapters import choose_adapter

__all__ = [
    "BACKENDS",
    "DTYPES",
    "HALF_ULPS",
    "LAYOUTS",
    "SHAPES",
    "Bench",
    "backend_dtypes",
    "c64",
    "compare",
    "dtypes_of_kind",
    "f32",
    "i32",
    "values",
    "wide",
]


def _webgpu(engine: str) -> WebGpuBackend:
    return WebGpuBackend.from_runtime(WebGpuRuntime.from_adapter_row(choose_adapter(None), engine))


_ON_AN_ADAPTER: Final[dict[str, Callable[[], Any]]] = {
    "webgpu-native": lambda: _webgpu("native"),
    "webgpu-portable": lambda: _webgpu("portable"),
}
_CPU_ONLY: Final = os.environ.get("WGTENSOR_TEST_CPU_ONLY") == "1"

BACKENDS: Final = {"cpu": CpuBackend.new_default, **({} if _CPU_ONLY else _ON_AN_ADAPTER)}
"""Factory by name; each call makes a runtime of its own."""

DTYPES: Final = tuple(dtype.name for dtype in ALL_DTYPES if dtype is not bfloat16)
"""Every dtype that computes on some backend."""

LAYOUTS: Final = ("plain", "fortran", "transposed", "reversed", "strided")
"""How an operand may lie in its storage; see :meth:`Bench.up`."""

SHAPES: Final = ((), (1,), (0,), (7,), (3, 0, 2), (2, 3, 5), (2, 1, 3, 2, 4))
"""Rank 0 to 5, with lengths 0 and 1."""

HALF_ULPS: Final = {
    "float16": 2.0**-11,
    "float32": 2.0**-24,
    "float64": 2.0**-53,
    "complex64": 2.0**-22,
    "complex128": 2.0**-51,
}
"""Relative error of one operation that is rounded to nearest; of a complex product, whose parts may cancel."""

_GPU_COMPUTES: Final = frozenset({"bool", "int32", "uint32", "float16", "float32", "complex64"})
_MOVES: Final = frozenset(
    name
    for name, operation in OPERATIONS.items()
    if operation.family in (Family.BUFFER, Family.STRUCTURAL, Family.INDEXING)
)


def backend_dtypes(backend: Any, name: str) -> frozenset[str]:
    """Return the names of the dtypes in which ``backend`` runs operation ``name``; all others are refused."""
    if isinstance(backend, CpuBackend) or name in _MOVES:
        return frozenset(DTYPES)
    return _GPU_COMPUTES if backend.runtime.facts.float16 else _GPU_COMPUTES - {"float16"}


def dtypes_of_kind(kinds: str) -> list[str]:
    """Return the names of the dtypes whose kind letter is among ``kinds``."""
    return [name for name in DTYPES if np.dtype(name).kind in kinds]


def f32(elements: Any) -> NDArray[np.float32]:
    """Return a float32 array."""
    return np.array(elements, np.float32)


def i32(elements: Any) -> NDArray[np.int32]:
    """Return an int32 array."""
    return np.array(elements, np.int32)


def c64(elements: Any) -> NDArray[np.complex64]:
    """Return a complex64 array."""
    return np.array(elements, np.complex64)


_SPECIAL: Final[dict[str, list[complex]]] = {
    "b": [],
    "i": [0, 1, -1, 2, -2],
    "u": [0, 1, 2],
    "f": [0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf],
    "c": [0, 1, -1, 1j],
}


def values(dtype: str, shape: Sequence[int], seed: int = 0, *, special: bool = True) -> NDArray[Any]:
    """Return random elements; with ``special``, half of them are zeros, ones, extremes, NaN and infinities."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(shape) < 0.5
    if kind in "iu":
        info = np.iinfo(dtype)
        result = np.asarray(rng.integers(info.min, info.max, shape, dtype, endpoint=True))
        chosen = np.array([*_SPECIAL[kind], info.min, info.max], dtype)
    else:
        result = np.asarray(rng.normal(0, 4, shape)).astype(dtype)
        if kind == "c":
            result = result + (1j * rng.normal(0, 4, shape)).astype(dtype)
        chosen = np.array(_SPECIAL[kind], dtype)
    if not special:
        return np.asarray(result)
    return np.asarray(np.where(rng.random(shape) < 0.5, rng.choice(chosen, shape), result))


def wide(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array of floats or complex numbers in double precision."""
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def compare(actual: NDArray[Any], expected: Any, *, ulps: float = 0, atol: Any = None) -> None:
    """Assert dtype-wide equality within a bound.

    ``ulps`` counts units in the last place of the expected magnitude, in the actual dtype; 0 means the same value with
    the same sign of zero. ``atol`` is an absolute bound instead, an array or a number. NaN equals NaN.
    """
    wanted = np.asarray(expected)
    assert actual.shape == wanted.shape
    with np.errstate(all="ignore"):
        rounded = wanted.astype(actual.dtype)
    if ulps == 0 and atol is None:
        np.testing.assert_array_equal(actual, rounded)
        if actual.dtype.kind == "f":
            zeros = rounded == 0
            np.testing.assert_array_equal(np.signbit(actual[zeros]), np.signbit(rounded[zeros]))
        return
    finite = np.isfinite(rounded)
    np.testing.assert_array_equal(actual[~finite], rounded[~finite])
    got, want = actual[finite], wanted[finite]
    magnitude = np.abs(rounded[finite])
    bound = (
        ulps * np.spacing(magnitude).astype(np.float64) if atol is None else np.broadcast_to(atol, wanted.shape)[finite]
    )
    error = np.abs(got - want)
    worst = np.max(error / np.maximum(bound, np.finfo(np.float64).tiny), initial=0)
    assert np.all(error <= bound), f"error of {worst:.3g} times the bound"


class Bench:
    """A backend with an open session, and the steps that every test of an operation takes."""

    def __init__(self, backend: Any, session: BackendSession) -> None:
        # An owner of any backend: its runtime and its counters have no common base class.
        self.backend = backend
        self.session = session

    def up(self, array: Any, layout: str = "plain") -> Tensor:
        """Return a device tensor with ``array``'s values, lying in its storage as ``layout`` says."""
        array = np.asarray(array)
        axes = tuple(range(array.ndim))
        upload: Callable[[Tensor], Tensor] = self.backend.upload_host_tensor
        if layout == "fortran":
            return upload(Tensor.from_numpy(np.asfortranarray(array) if array.ndim else array))
        if layout == "transposed":
            backwards = Tensor.from_numpy(np.ascontiguousarray(array.T).reshape(array.T.shape))
            return self.session.transpose(upload(backwards), axes[::-1])
        if layout == "reversed":
            return self.session.reverse(upload(Tensor.from_numpy(np.flip(array).copy())), axes)
        if layout == "strided":
            wide = np.zeros([2 * n + 2 for n in array.shape], array.dtype)
            wide[tuple(slice(1, 2 * n + 1, 2) for n in array.shape)] = array
            limits = [2 * n + 1 for n in array.shape]
            return self.session.slice(
                upload(Tensor.from_numpy(wide)), SliceConfig([1] * array.ndim, limits, [2] * array.ndim)
            )
        assert layout == "plain"
        return upload(Tensor.from_numpy(array))

    def down(self, tensor: Tensor) -> NDArray[Any]:
        """Return a device tensor's values."""
        host: Tensor = self.backend.download_to_host(tensor)
        return host.to_numpy()

    def supports(self, name: str, *dtypes: Any) -> bool:
        """Return whether the backend runs operation ``name`` on operands of ``dtypes``."""
        known = backend_dtypes(self.backend, name)
        return all(np.dtype(each).name in known for each in dtypes)

    def refuses(self, name: str, dtype: Any, call: Callable[[], Any]) -> bool:
        """Return whether the backend does not run operation ``name`` in ``dtype``; ``call`` must say so then."""
        if self.supports(name, dtype):
            return False
        with pytest.raises(UnsupportedError, match=name):
            call()
        return True

    def run(
        self,
        name: str,
        *arrays: Any,
        layout: str = "plain",
        call: Callable[..., Tensor] | None = None,
        **attributes: Any,
    ) -> NDArray[Any] | None:
        """Run an operation on uploaded ``arrays`` (Python numbers stay numbers) and return its values.

        Where the backend does not support it, assert that it says so, and return None.
        """
        operands = [self.up(each, layout) if isinstance(each, np.ndarray | np.generic) else each for each in arrays]
        method = getattr(self.session, name) if call is None else call
        dtypes = [each.dtype for each in arrays if isinstance(each, np.ndarray | np.generic)]
        if not self.supports(name, *dtypes):
            with pytest.raises(UnsupportedError, match=name):
                method(*operands, **attributes)
            return None
        return self.down(method(*operands, **attributes))

    def check(
        self, name: str, *arrays: Any, expected: Any, ulps: float = 0, atol: Any = None, **attributes: Any
    ) -> None:
        """Run an operation and compare its values with ``expected``, whose dtype is the expected one for 0 ulps."""
        actual = self.run(name, *arrays, **attributes)
        if actual is not None:
            compare(actual, expected, ulps=ulps, atol=atol)
