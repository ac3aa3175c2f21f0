"""Bad input: class and text; each names the operand and the label."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from einsum.ledger import LedgerSession

from wgtensor.einsum import einsum
from wgtensor.errors import DTypeError, ForeignDomainError, RuntimeStateError, ValidationError
from wgtensor.tensor import Tensor

SUBSCRIPTS = [
    ("ij,jk->ik", [(2, 3), (4, 5)], r"got 3 in operand 0 and 4 in operand 1 for label 'j'"),
    ("ij,ij,ij", [(2, 1), (2, 3), (2, 4)], r"got 3 in operand 1 and 4 in operand 2 for label 'j'"),
    ("ii->i", [(2, 3)], r"got lengths 2 and 3 for label 'i' of operand 0"),
    ("ii->i", [(1, 3)], r"got lengths 1 and 3 for label 'i' of operand 0"),
    ("ij,jk->ik", [(2, 3, 4), (4, 5)], r"got 2 labels 'ij' for operand 0 of rank 3"),
    ("ij,jkl->ik", [(2, 3), (3, 4)], r"got 3 labels 'jkl' for operand 1 of rank 2"),
    ("i...jk,k", [(2, 3), (3,)], r"got 3 labels 'i\.\.\.jk' for operand 0 of rank 2"),
    ("ij->ix", [(2, 3)], r"needs every output label in some operand, got 'x' in none"),
    ("ij->ijj", [(2, 3)], r"needs distinct output labels, got 'j' more than once"),
    ("ij,jk->ik", [(2, 3)], r"got 2 terms for 1 operands"),
    ("ij", [(2, 3), (3, 4)], r"got 1 terms for 2 operands"),
    ("i1->i", [(2, 3)], r"subscripts of operand 0, got '1' in 'i1'"),
    ("i,i.j->i", [(2,), (2, 3)], r"subscripts of operand 1, got '\.' in 'i\.j'"),
    ("......i", [(2, 3)], r"subscripts of operand 0, got '\.'"),
    ("ij->i->j", [(2, 3)], r"subscripts of the output, got '-' in 'i->j'"),
    ("...i->i", [(2, 3)], r"needs '\.\.\.' in the output too, since operands have 1 axes under theirs"),
    ("...,...", [(2, 3), (4, 3)], r"got 2 in operand 0 and 4 in operand 1 for label '\.\.\.'\[-2\]"),
]


@pytest.mark.parametrize(("equation", "shapes", "text"), SUBSCRIPTS)
def test_subscripts(evaluate: Any, session: LedgerSession, equation: str, shapes: Any, text: str) -> None:
    with pytest.raises(ValidationError, match=text):
        evaluate(equation, *map(np.ones, shapes))
    assert session.operations == []
    np.testing.assert_array_equal(evaluate("ij->i", np.ones((2, 3))), [3, 3])


SUBLISTS = [
    ([np.ones((2, 3)), [0, 1], np.ones((4, 5)), [1, 2]], r"got 3 in operand 0 and 4 in operand 1 for label 1"),
    ([np.ones((2, 3)), [0, -1]], r"sublist of operand 0, got -1"),
    ([np.ones((2, 3)), [0, "j"]], r"sublist of operand 0, got 'j'"),
    ([np.ones((2, 3)), [0, 1], [0, 2.0]], r"sublist of the output, got 2\.0"),
    ([np.ones((2, 3)), [..., 0, ...]], r"at most one Ellipsis in the sublist of operand 0"),
    ([np.ones((2, 3)), [0]], r"got 1 labels \[0\] for operand 0 of rank 2"),
    ([np.ones((2, 3)), [0, 1], [0, 5]], r"got 5 in none"),
    ([np.ones((2, 3)), 5], r"a sequence as the sublist of operand 0, got 5"),
    ([np.ones((2, 3))], r"takes an equation and operands, or operands and sublists"),
    (["ij"], r"takes an equation and operands, or operands and sublists"),
    ([], r"takes an equation and operands, or operands and sublists"),
]


@pytest.mark.parametrize(("arguments", "text"), SUBLISTS)
def test_sublists(evaluate: Any, arguments: list[Any], text: str) -> None:
    with pytest.raises(ValidationError, match=text):
        evaluate(*arguments)


PATHS = [
    ([(0, 3), (0, 1)], r"distinct positions of 0 to 2 in step 0 of the path, got \(0, 3\)"),
    ([(0, 1), (0, 2)], r"distinct positions of 0 to 1 in step 1 of the path, got \(0, 2\)"),
    ([(0, 0), (0, 1)], r"step 0 of the path, got \(0, 0\)"),
    ([(-1, 0), (0, 1)], r"step 0 of the path, got \(-1, 0\)"),
    ([()], r"step 0 of the path, got \(\)"),
    ([(0, 1)], r"got 1 steps that leave 2 of 3 operands"),
    ([], r"got 0 steps that leave 3 of 3 operands"),
    ([(0, 1), (0, 1), (0, 1)], r"step 2 of the path"),
    ("fastest", r"opt_einsum's names as optimize.*got 'fastest'"),
    (5, r"a name, a bool or a path.*got 5"),
    ([0, 1], r"a name, a bool or a path"),
    ([(0, "a")], r"a name, a bool or a path"),
]


@pytest.mark.parametrize(("path", "text"), PATHS)
def test_paths(evaluate: Any, path: Any, text: str) -> None:
    with pytest.raises(ValidationError, match=text):
        evaluate("ij,jk,kl->il", *[np.ones((2, 2))] * 3, optimize=path)


def test_mixed_dtypes(evaluate: Any, session: LedgerSession) -> None:
    with pytest.raises(DTypeError, match="got float64 as operand 0 and float32 as operand 1; cast"):
        evaluate("i,i", np.ones(3), np.ones(3, np.float32))
    with pytest.raises(ValidationError, match="label 'i'"):  # shapes are checked first
        evaluate("i,i", np.ones(3), np.ones(4, np.float32))
    assert session.operations == []


def test_operands_that_are_no_tensors(session: LedgerSession) -> None:
    with pytest.raises(DTypeError, match=r"got ndarray as operand 1; make one with Tensor\.from_numpy"):
        einsum("i,i", session.take(np.ones(3)), np.ones(3))


def test_host_and_foreign_operands(session: LedgerSession) -> None:
    ours = session.take(np.ones(3))
    with pytest.raises(RuntimeStateError, match="upload it with upload_host_tensor"):
        einsum("i,i->i", ours, Tensor.from_numpy(np.ones(3)))
    with pytest.raises(ForeignDomainError):
        einsum("i,i->i", ours, LedgerSession().take(np.ones(3)))
    assert session.operations == []


NO_SESSION = r"needs an open session of the runtime that owns its operands, got none for operand 0 on {}; open one"


def test_no_session() -> None:
    with pytest.raises(RuntimeStateError, match=NO_SESSION.format("ledger")):
        einsum("i->", LedgerSession().take(np.ones(3)))
    with pytest.raises(RuntimeStateError, match=NO_SESSION.format("host")):
        einsum("i->", Tensor.from_numpy(np.ones(3)))


def test_session_of_another_runtime(session: LedgerSession) -> None:
    with pytest.raises(RuntimeStateError, match=NO_SESSION.format("ledger")):
        einsum("i->", LedgerSession().take(np.ones(3)))
    assert session.operations == []


def test_session_argument() -> None:
    closed = LedgerSession()
    tensor = closed.take(np.ones(3))
    with pytest.raises(RuntimeStateError, match="closed"):
        einsum("i->", tensor, session=closed)
    with closed as session:
        assert session.array(einsum("i->", tensor, session=session)) == 3


def test_memory_limit_below_operands_and_result(evaluate: Any) -> None:
    with pytest.raises(
        ValidationError, match=r"at least 224 bytes for its operands \(192\) and its result \(32\), got 9"
    ):
        evaluate("ij,jk->ik", np.ones((2, 6)), np.ones((6, 2)), memory_limit=9)


@pytest.mark.parametrize("limit", ["1 GB", 1e9, True])
def test_memory_limit_of_the_wrong_kind(evaluate: Any, limit: Any) -> None:
    with pytest.raises(ValidationError, match="einsum takes bytes or None as memory_limit, got "):
        evaluate("ij,jk->ik", np.ones((2, 6)), np.ones((6, 2)), memory_limit=limit)


def test_a_session_of_the_wrong_kind(session: LedgerSession) -> None:
    with pytest.raises(DTypeError, match="einsum takes a TensorDot, got 5"):
        einsum("i->", session.take(np.ones(3)), session=5)  # type: ignore[arg-type]


def test_an_unknown_search_is_refused_for_two_operands_too(evaluate: Any) -> None:
    with pytest.raises(ValidationError, match="one of opt_einsum's names as optimize"):
        evaluate("ij,jk->ik", np.ones((2, 6)), np.ones((6, 2)), optimize="nope")
