"""Values: einsum against NumPy's, on exact integers in float64 unless said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from einsum.cases import Case, cases, paths
from einsum.ledger import LedgerSession
from hypothesis import given, settings
from hypothesis import strategies as st

from wgtensor.einsum import einsum

FIXED = [
    ("ij,jk->ik", [(2, 3), (3, 4)]),
    ("ij,jk", [(2, 3), (3, 4)]),
    ("ij,jk->ki", [(2, 3), (3, 4)]),
    ("bij,bjk->bik", [(5, 2, 3), (5, 3, 4)]),
    ("ikb,kjb->ijb", [(2, 3, 5), (3, 4, 5)]),
    ("i,i->", [(7,), (7,)]),
    ("i,j->ij", [(3,), (4,)]),
    ("i,j->ji", [(3,), (4,)]),
    ("ij,ij->ij", [(3, 4), (3, 4)]),
    ("ij,ji->ij", [(3, 4), (4, 3)]),
    ("ij,ij->", [(3, 4), (3, 4)]),
    ("ii", [(4, 4)]),
    ("ii->i", [(4, 4)]),
    ("iii->i", [(3, 3, 3)]),
    ("ijij->ij", [(2, 3, 2, 3)]),
    ("ijji->", [(2, 3, 3, 2)]),
    ("ijk->kji", [(2, 3, 4)]),
    ("ij->ij", [(2, 3)]),
    ("ijk->", [(2, 3, 4)]),
    ("ba", [(2, 3)]),
    ("iij,jkk->ik", [(2, 2, 3), (3, 4, 4)]),
    ("ia,ib,ic->abc", [(5, 2), (5, 3), (5, 4)]),
    ("ia,ib,ic,i->iabc", [(5, 2), (5, 3), (5, 4), (5,)]),
    ("ab,bc,cd,de,ea->", [(2, 3), (3, 4), (4, 5), (5, 6), (6, 2)]),
    ("bhqd,bhkd->bhqk", [(2, 3, 4, 5), (2, 3, 6, 5)]),
    ("...ij,...jk->...ik", [(6, 2, 3), (5, 1, 3, 4)]),
    ("i...->...", [(3, 4, 5)]),
    ("...,...", [(2, 3), (3,)]),
    ("a...b,b...->...a", [(2, 5, 3), (3, 5)]),
    ("i...i", [(3, 4, 3)]),
    ("ij,jk", [(2, 1), (3, 4)]),
    ("ij,kj->ikj", [(2, 1), (3, 1)]),
    ("ij,ij->i", [(2, 1), (1, 4)]),
    ("i,->i", [(3,), ()]),
    (",", [(), ()]),
    ("->", [()]),
    ("i,j,->", [(3,), (4,), ()]),
    ("ij,jk->ik", [(2, 0), (0, 4)]),
    ("ij,jk->ik", [(0, 3), (3, 4)]),
    ("i->", [(0,)]),
    ("i,i->i", [(0,), (1,)]),
    (" i j , jk -> i k ", [(2, 3), (3, 4)]),
    ("éñ,ñü->éü", [(2, 3), (3, 4)]),
]


@pytest.mark.parametrize(("equation", "shapes"), FIXED)
def test_equals_numpy(evaluate: Any, equation: str, shapes: list[tuple[int, ...]]) -> None:
    rng = np.random.default_rng(1)
    arrays = [rng.integers(-3, 4, shape).astype(np.float64) for shape in shapes]
    want = np.einsum(equation.translate(str.maketrans("éñü", "abc")), *arrays, optimize=False)
    got = evaluate(equation, *arrays)
    assert got.shape == want.shape
    np.testing.assert_array_equal(got, want)


@settings(max_examples=300, deadline=None)
@given(
    case=cases(),
    optimize=st.sampled_from(["auto", "greedy", "optimal", "dp", "branch-1", "random-greedy", False, True]),
)
def test_random_equations(case: Case, optimize: Any) -> None:
    with LedgerSession() as session:
        got = session.array(einsum(case.equation, *map(session.take, case.arrays), optimize=optimize))
    want = case.expected()
    assert got.shape == want.shape
    np.testing.assert_array_equal(got, want)


@settings(max_examples=150, deadline=None)
@given(case=cases(max_operands=6), data=st.data())
def test_random_paths(case: Case, data: st.DataObject) -> None:
    path = data.draw(paths(len(case.arrays)))
    with LedgerSession() as session:
        got = session.array(einsum(case.equation, *map(session.take, case.arrays), optimize=path))
    np.testing.assert_array_equal(got, case.expected())


@settings(max_examples=60, deadline=None)
@given(case=cases(max_operands=3), data=st.data())
def test_operands_in_any_layout(case: Case, data: st.DataObject) -> None:
    with LedgerSession() as session:
        operands = []
        for array in case.arrays:
            wide = np.repeat(array, 2, axis=0)[::-2] if array.ndim else array
            order = data.draw(st.permutations(range(array.ndim)))
            strided = np.asarray(wide.transpose(order), order="C").transpose(np.argsort(order).astype(int))
            operands.append(session.take(strided[::-1][::-1] if array.ndim else strided))
            case.arrays[len(operands) - 1] = strided
        got = session.array(einsum(case.equation, *operands))
    np.testing.assert_array_equal(got, case.expected())


def test_sublists_equal_the_string_form(evaluate: Any) -> None:
    rng = np.random.default_rng(2)
    a, b = rng.standard_normal((2, 3)), rng.standard_normal((3, 4))
    np.testing.assert_array_equal(evaluate(a, [0, 1], b, [1, 2], [0, 2]), evaluate("ij,jk->ik", a, b))
    np.testing.assert_array_equal(evaluate(a, [7, 300], b, [300, 4]), evaluate("bc,ca->ab", a, b))
    np.testing.assert_array_equal(evaluate(a, [1, 0]), a.T)
    np.testing.assert_array_equal(evaluate(a, (np.int64(0), Ellipsis), [Ellipsis, 0]), a.T)


def test_more_labels_than_letters(evaluate: Any) -> None:
    rng = np.random.default_rng(3)
    matrices = [rng.integers(-1, 2, (2, 2)).astype(np.float64) for _ in range(120)]
    arguments = [each for k, matrix in enumerate(matrices) for each in (matrix, [k, k + 1])]
    want = matrices[0]
    for matrix in matrices[1:]:
        want = want @ matrix
    scale = np.abs(matrices[0])
    for matrix in matrices[1:]:
        scale = scale @ np.abs(matrix)
    # 119 products of 2 terms each: 240 roundings of the sum of magnitudes are a bound for any order.
    assert np.all(np.abs(evaluate(*arguments, [0, 120]) - want) <= 240 * np.finfo(float).eps * scale)


def test_more_labels_than_letters_as_unicode(evaluate: Any) -> None:
    ones = np.ones((2, 2))
    symbols = [chr(0x4E00 + k) for k in range(81)]
    equation = ",".join(symbols[k] + symbols[k + 1] for k in range(80)) + "->"
    assert evaluate(equation, *[ones] * 80) == 2.0**81


@pytest.mark.parametrize("dtype", [np.float32, np.complex64, np.int32])
def test_dtype_is_kept(evaluate: Any, dtype: Any) -> None:
    rng = np.random.default_rng(4)
    a, b = (rng.integers(-3, 4, shape).astype(dtype) for shape in ((3, 4), (4, 5)))
    if dtype is np.complex64:
        a, b = a * 1j + a, b - 2j * b
    got = evaluate("ij,jk->ik", a, b)
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, a @ b)


def test_operand_used_twice(evaluate: Any, session: LedgerSession) -> None:
    a = np.arange(6.0).reshape(2, 3)
    x = session.take(a)
    np.testing.assert_array_equal(session.array(einsum("ij,kj->ik", x, x)), a @ a.T)
