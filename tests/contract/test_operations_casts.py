"""Casts between all dtypes: truncation, saturation, NaN to 0; and the promotion lattice of convert."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from contract.harness import DTYPES, LAYOUTS, Bench, compare, dtypes_of_kind, f32, values
from numpy.typing import NDArray

from wgtensor.cpu import CpuBackend
from wgtensor.errors import DTypeError, UnsupportedError
from wgtensor.tensor import Tensor, bfloat16


def element(value: Any, target: np.dtype[Any]) -> Any:
    """One element's cast, from its definition."""
    if target.kind == "b":
        return value != 0
    if isinstance(value, complex) and target.kind != "c":
        value = value.real
    if target.kind not in "iu":
        return value
    info = np.iinfo(target)
    if isinstance(value, float):
        if math.isnan(value):
            return 0
        return min(max(math.trunc(value), info.min), info.max) if math.isfinite(value) else _limit(value, info)
    return (int(value) - info.min) % (1 << info.bits) + info.min


def _limit(value: float, info: Any) -> int:
    return int(info.max if value > 0 else info.min)


def by_element(x: NDArray[Any], target: str) -> NDArray[Any]:
    dtype = np.dtype(target)
    with np.errstate(all="ignore"):
        cells = [np.asarray(element(value, dtype)).astype(dtype) for value in x.reshape(-1).tolist()]
    return np.array(cells, dtype).reshape(x.shape)


@pytest.mark.parametrize("target", DTYPES)
@pytest.mark.parametrize("source", DTYPES)
def test_cast_from_any_dtype_to_any(bench: Bench, source: str, target: str) -> None:
    if not bench.supports("cast", source, target):
        return
    x = values(source, (5, 7))
    if np.dtype(source).kind == "f":
        x.reshape(-1)[:6] = np.array([1e4, -1e4, 2.9, -2.9, -0.5, 0.5], source)
    actual = bench.run("cast", x, dtype=target, layout=LAYOUTS[len(source + target) % len(LAYOUTS)])
    assert actual is not None
    assert actual.dtype == target
    compare(actual, by_element(x, target))


@pytest.mark.parametrize("target", dtypes_of_kind("iu"))
def test_float_to_integer_saturates(bench: Bench, target: str) -> None:
    x = f32([1e20, -1e20, np.inf, -np.inf, np.nan, -1.5, 2.9, -0.0])
    if bench.supports("cast", target):
        bench.check("cast", x, dtype=target, expected=by_element(x, target))


@pytest.mark.parametrize("target", ["int32", "uint32"])
def test_float32_next_to_the_limits(bench: Bench, target: str) -> None:
    edges = [2.0**31, -(2.0**31), 2.0**32, -1.0, -0.99, 2.0**31 - 128, 2.0**32 - 256]
    x = np.array([np.nextafter(np.float32(e), np.float32(s)) for e in edges for s in (-np.inf, e, np.inf)], np.float32)
    bench.check("cast", x, dtype=target, expected=by_element(x, target))


def bfloat16_value(bits: int) -> float:
    """Decode by definition: sign, 8 exponent bits, 7 fraction bits; infinity counts as the next power of two."""
    exponent, fraction = bits >> 7 & 0xFF, bits & 0x7F
    magnitude = (128 + fraction) * 2.0 ** (exponent - 134) if exponent else fraction * 2.0**-133
    return -magnitude if bits & 0x8000 else magnitude


def bfloat16_bits(x: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Choose the nearer of both neighbours, the even one of equally near ones."""
    result = []
    for value, pattern in zip(x.tolist(), x.view(np.uint32).tolist(), strict=True):
        low = pattern >> 16
        distances = [abs(value - bfloat16_value(bits)) for bits in (low, low + 1)]
        up = distances[1] < distances[0] or (distances[1] == distances[0] and low & 1)
        result.append(low + (bool(up) and math.isfinite(value)))
    return np.array(result, np.uint16)


def to_bfloat16(bench: Bench, x: NDArray[np.float32]) -> Tensor | None:
    """Cast to bfloat16, or assert that the backend says that it only stores it."""
    if isinstance(bench.backend, CpuBackend):
        return bench.session.cast(bench.up(x), "bfloat16")
    with pytest.raises(UnsupportedError, match="cast of float32 to bfloat16 is not available"):
        bench.session.cast(bench.up(x), "bfloat16")
    return None


def test_bfloat16_rounds_to_nearest_even(bench: Bench) -> None:
    tails = np.array([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF], np.uint32)
    heads = np.array([0x3F80, 0x3F81, 0x7F7F, 0xBF80, 0x0000, 0x8000, 0x4048], np.uint32)
    x = (heads[:, None] << np.uint32(16) | tails).reshape(-1).view(np.float32)
    x = np.concatenate([x, f32([np.inf, -np.inf, np.nan])])
    narrow = to_bfloat16(bench, x)
    if narrow is None:
        return
    assert narrow.dtype is bfloat16
    np.testing.assert_array_equal(bench.down(narrow)[:-1], bfloat16_bits(x)[:-1])
    back = bench.down(bench.session.cast(narrow, "float32"))
    np.testing.assert_array_equal(back.view(np.uint32)[:-1], bfloat16_bits(x)[:-1].astype(np.uint32) << 16)
    assert np.isnan(back[-1])


def test_every_nan_stays_nan_in_bfloat16(bench: Bench) -> None:
    """Rounding up their bits would turn the first into infinity and the second into -0."""
    bits = np.array([0x7F800001, 0x7FFFFFFF, 0xFF800001, 0xFFFFFFFF, 0x7FC00000], np.uint32)
    narrow = to_bfloat16(bench, bits.view(np.float32))
    if narrow is not None:
        assert np.isnan(bench.down(bench.session.cast(narrow, "float32"))).all()


def test_bfloat16_moves_and_does_not_compute(bench: Bench) -> None:
    bits = np.arange(0x3F80, 0x3F86, dtype=np.uint16).reshape(2, 3)
    x = bench.backend.upload_host_tensor(Tensor.from_numpy(bits, bfloat16))
    turned = bench.session.to_contiguous(bench.session.transpose(x, (1, 0)))
    assert turned.dtype is bfloat16
    np.testing.assert_array_equal(bench.down(turned), bits.T)
    with pytest.raises(DTypeError, match="add takes no bfloat16, which is for storage and conversion; cast to float32"):
        bench.session.add(x, x)


CONVERTIBLE = [
    ("int32", "float64", True), ("int32", "float32", False), ("int64", "complex128", True),
    ("int32", "complex64", False),
    ("float32", "complex64", True), ("float64", "complex64", False), ("float64", "complex128", True),
    ("bool", "int8", True), ("bool", "complex64", True), ("int8", "int16", True), ("uint8", "int16", True),
    ("uint8", "int8", False), ("int16", "float32", True), ("float16", "float32", True), ("float32", "float16", False),
    ("complex64", "float32", False), ("int8", "bool", False), ("uint32", "int64", True), ("float32", "float32", True),
]  # fmt: skip


@pytest.mark.parametrize(("source", "target", "allowed"), CONVERTIBLE)
def test_convert_goes_up_the_lattice_only(bench: Bench, source: str, target: str, allowed: bool) -> None:
    x = np.array([0, 1, 1], source)
    if not allowed:
        message = f"convert needs a dtype that holds every value of the operand's, got {source} to {target}; use cast"
        with pytest.raises(DTypeError, match=message):
            bench.session.convert(bench.up(x), target)
    elif bench.supports("convert", source, target):
        bench.check("convert", x, dtype=target, expected=np.array([0, 1, 1], target))
