"""Tensors made without operands, and writes into a view, against NumPy's own."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from contract.harness import DTYPES, LAYOUTS, Bench, compare, dtypes_of_kind, f32, values

from wgtensor.contract import SliceConfig
from wgtensor.errors import DTypeError, RuntimeStateError, ValidationError
from wgtensor.tensor import Tensor, bfloat16

VALUES: dict[str, list[Any]] = {
    "b": [True, False],
    "i": [0, -7, 100],
    "u": [0, 255],
    "f": [0.0, -0.0, 1.1, np.inf, -np.inf, np.nan, 3, 1e300],
    "c": [0.0, 1 - 2j, complex(np.nan, -np.inf), 5],
}
SHAPES = [(), (1,), (7,), (2, 3, 5), (3, 0, 2), (1025,)]


@pytest.mark.parametrize("dtype", DTYPES)
def test_full(bench: Bench, dtype: str) -> None:
    with np.errstate(over="ignore"):
        for shape in SHAPES:
            for value in VALUES[np.dtype(dtype).kind]:
                expected = np.full(shape, value, dtype)
                bench.check("full", shape=shape, value=value, dtype=dtype, expected=expected)
    made = bench.session.full((2, 3), True, dtype)
    assert (made.dtype.name, made.shape, made.layout.strides) == (dtype, (2, 3), (3, 1))


def test_full_of_bfloat16_is_rounded_to_nearest_even(bench: Bench) -> None:
    for value, bits in ((1.0, 0x3F80), (1.00390625, 0x3F80), (1.01171875, 0x3F82), (-np.inf, 0xFF80)):
        made = bench.session.full((3,), value, bfloat16)
        assert made.dtype is bfloat16
        np.testing.assert_array_equal(bench.down(made), np.full(3, bits, np.uint16))


def test_full_takes_numbers_that_fit(bench: Bench) -> None:
    unfit: list[tuple[Any, str]] = [(1.5, "int32"), (1j, "float32"), (1, "bool"), ("1", "float32"), (None, "int8")]
    for value, dtype in unfit:
        with pytest.raises(DTypeError, match="full takes"):
            bench.session.full((2,), value, dtype)
    with pytest.raises(ValidationError, match="full needs an int within 0 to 255"):
        bench.session.full((2,), 256, "uint8")
    with pytest.raises(ValidationError, match=r"full: a shape needs lengths of 0 or more, got \(2, -1\)"):
        bench.session.full((2, -1), 1, "uint8")


@pytest.mark.parametrize("dtype", dtypes_of_kind("iuf"))
def test_iota(bench: Bench, dtype: str) -> None:
    for length in (0, 1, 2, 7, 255, 300, 5001):
        with np.errstate(over="ignore"):
            bench.check("iota", length=length, dtype=dtype, expected=np.arange(length).astype(dtype))


def test_iota_rounds_to_nearest_even(bench: Bench) -> None:
    for dtype, length in (("float16", 70_000), ("float32", (1 << 24) + 40)):
        with np.errstate(over="ignore"):
            expected = np.arange(length).astype(dtype)
        tail = bench.session.slice(bench.session.iota(length, dtype), SliceConfig([length - 70_000 + 1], [length]))
        np.testing.assert_array_equal(bench.down(tail), expected[1 - 70_000 :])
    bits = bench.down(bench.session.iota(1000, bfloat16))
    rounded = (np.arange(1000) / 2.0 ** (np.maximum(np.log2(np.arange(1000).clip(1)).astype(int), 7) - 7)).round()
    exact = rounded * 2.0 ** (np.maximum(np.log2(np.arange(1000).clip(1)).astype(int), 7) - 7)
    np.testing.assert_array_equal((bits.astype(np.uint32) << 16).view(np.float32), exact)


def test_iota_counts_in_numbers_that_have_an_order(bench: Bench) -> None:
    for dtype in ("bool", "complex64"):
        with pytest.raises(DTypeError, match=f"iota makes integers and floats, got {dtype}"):
            bench.session.iota(3, dtype)
    with pytest.raises(ValidationError, match="iota"):
        bench.session.iota(-1, "int32")
    with pytest.raises(ValidationError, match="iota"):
        bench.session.iota(2.5, "int32")  # type: ignore[arg-type]


def test_making_tensors_uploads_nothing(fresh_backend: Any) -> None:
    with fresh_backend.session() as s:
        s.full((1000,), 1, "float32")
        s.iota(1000, "float32")
    assert fresh_backend.runtime.counters.bytes_up == 0


PICKS: dict[str, tuple[SliceConfig, Callable[[Any], Any]]] = {
    "all": (SliceConfig((0, 0, 0), (4, 5, 6)), lambda a: a),
    "rows": (SliceConfig((1, 0, 0), (3, 5, 6)), lambda a: a[1:3]),
    "inside": (SliceConfig((1, 2, 1), (3, 5, 4)), lambda a: a[1:3, 2:5, 1:4]),
    "steps": (SliceConfig((0, 1, 1), (4, 5, 6), (3, 2, 4)), lambda a: a[::3, 1::2, 1::4]),
    "one": (SliceConfig((3, 2, 5), (4, 3, 6)), lambda a: a[3:4, 2:3, 5:6]),
    "none": (SliceConfig((3, 2, 5), (3, 3, 6)), lambda a: a[3:3, 2:3, 5:6]),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", PICKS)
def test_copy_into_every_kind_of_view(bench: Bench, name: str, layout: str) -> None:
    config, pick = PICKS[name]
    for number, dtype in enumerate(DTYPES):
        whole = values(dtype, (4, 5, 6), number)
        x = values(dtype, pick(whole).shape, 100 + number)
        out, source = bench.up(whole, layout), bench.up(x, LAYOUTS[number % len(LAYOUTS)])
        view = bench.session.slice(out, config)
        assert bench.session.copy_into(source, view) is view
        pick(whole)[...] = x
        compare(bench.down(out), whole)
        compare(bench.down(source), x)


def test_copy_into_reversed_transposed_and_repeated(bench: Bench) -> None:
    s = bench.session
    for dtype in ("bool", "float16", "float32", "complex64"):
        out, x = bench.up(values(dtype, (5, 7))), values(dtype, (7, 5), 1)
        s.copy_into(bench.up(x), s.transpose(s.reverse(out, (0,)), (1, 0)))
        compare(bench.down(out), np.flip(x.T, 0))
        s.copy_into(s.broadcast_in_dim(bench.up(x[0]), (7, 5), (1,)), s.transpose(out, (1, 0)))
        compare(bench.down(out), np.broadcast_to(x[0][:, None], (5, 7)))


def test_copy_into_rank_zero_and_bfloat16(bench: Bench) -> None:
    out = bench.up(f32(1))
    bench.session.copy_into(bench.up(f32(2)), out)
    assert bench.down(out) == 2
    ones, twos = (bench.session.full((5,), value, bfloat16) for value in (1, 2))
    bench.session.copy_into(
        bench.session.slice(twos, SliceConfig([0], [3])), bench.session.slice(ones, SliceConfig([1], [4]))
    )
    np.testing.assert_array_equal(bench.down(ones), [0x3F80, 0x4000, 0x4000, 0x4000, 0x3F80])


def test_results_from_before_a_write_keep_their_values(bench: Bench) -> None:
    s = bench.session
    out, x = bench.up(f32([1, 2, 3, 4])), bench.up(f32([10, 20]))
    view = s.slice(out, SliceConfig([1], [3]))
    before, of_view = s.add(out, out), s.mul(view, view)
    chained = s.add(before, out)
    total, largest = s.reduce_sum(s.mul(out, out), (0,)), s.reduce_max(view, (0,))
    s.copy_into(x, view)
    after = s.add(out, out)
    np.testing.assert_array_equal(bench.down(before), [2, 4, 6, 8])
    np.testing.assert_array_equal(bench.down(of_view), [4, 9])
    np.testing.assert_array_equal(bench.down(chained), [3, 6, 9, 12])
    np.testing.assert_array_equal(bench.down(after), [2, 20, 40, 8])
    assert bench.down(total) == 30
    assert bench.down(largest) == 3


def test_what_is_written_and_where_may_be_pending(bench: Bench) -> None:
    s = bench.session
    a, b = bench.up(f32([1, 2, 3, 4])), bench.up(f32([5, 6, 7, 8]))
    out = s.add(a, b)
    s.copy_into(s.mul(s.slice(a, SliceConfig([0], [2])), 10), s.slice(out, SliceConfig([2], [4])))
    s.copy_into(s.sub(out, a), out)
    np.testing.assert_array_equal(bench.down(out), [5, 6, 7, 16])


@pytest.mark.parametrize("dtype", ["bool", "float32"])
def test_many_writes_in_program_order(bench: Bench, dtype: str) -> None:
    s, rng = bench.session, np.random.default_rng(5)
    expected = values(dtype, (100,), special=False)
    out = bench.up(expected)
    for _ in range(60):
        start = int(rng.integers(0, 90))
        stop = int(rng.integers(start + 1, 101))
        part = s.slice(out, SliceConfig([100 - stop], [100 - start]))
        source = expected[100 - stop : 100 - start]
        expected[start:stop] = ~source if dtype == "bool" else -source
        s.copy_into(s.logical_not(part) if dtype == "bool" else s.neg(part), s.slice(out, SliceConfig([start], [stop])))
    compare(bench.down(out), expected)


def test_copy_between_parts_of_one_storage(bench: Bench) -> None:
    s = bench.session
    for dtype in ("bool", "float32"):
        whole = values(dtype, (9,))
        out = bench.up(whole)
        s.copy_into(s.slice(out, SliceConfig([5], [9])), s.slice(out, SliceConfig([1], [5])))
        whole[1:5] = whole[5:9].copy()
        compare(bench.down(out), whole)


def test_copy_into_refuses(bench: Bench) -> None:
    s = bench.session
    x, out = bench.up(f32([1, 2, 3])), bench.up(f32([4, 5, 6]))
    with pytest.raises(ValidationError, match=re.escape("copy_into needs x of out's shape (3,), got (1,)")):
        s.copy_into(s.slice(x, SliceConfig([0], [1])), out)
    with pytest.raises(DTypeError, match="copy_into needs operands of one dtype, got float32 and int32"):
        s.copy_into(x, s.cast(out, "int32"))
    with pytest.raises(ValidationError, match="copy_into needs an out without repeated elements"):
        s.copy_into(x, s.broadcast_in_dim(s.slice(out, SliceConfig([0], [1])), (3,), (0,)))
    with pytest.raises(ValidationError, match="copy_into needs an out that overlaps no operand"):
        s.copy_into(s.slice(out, SliceConfig([0], [2])), s.slice(out, SliceConfig([1], [3])))
    with pytest.raises(RuntimeStateError, match="copy_into needs tensors of this session's device, got a host tensor"):
        s.copy_into(Tensor.from_numpy(f32([1, 2, 3])), out)
    for operands in ((1.0, out), (x, 1.0)):
        with pytest.raises(DTypeError, match=r"copy_into takes a Tensor, got 1\.0"):
            s.copy_into(*operands)
    np.testing.assert_array_equal(bench.down(out), [4, 5, 6])
