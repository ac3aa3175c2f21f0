"""Slices: the same values within small limits, parts summed and joined, and the bytes that this takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from einsum.cases import Case, cases
from einsum.ledger import LedgerSession
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from wgtensor.einsum import EinsumPlan, einsum, plan_einsum
from wgtensor.errors import UnsupportedError, ValidationError


def integers(*shapes: tuple[int, ...]) -> list[Any]:
    rng = np.random.default_rng(7)
    return [rng.integers(-3, 4, shape).astype(np.float64) for shape in shapes]


def plan_of(equation: str, arrays: list[Any], **limits: Any) -> EinsumPlan:
    left, right = equation.split("->")
    return plan_einsum(left.split(","), right, [a.shape for a in arrays], False, itemsize=8, **limits)


# Contracted from left to right in float64; each limit forces what is named beside it.
SLICED = [
    ("i,j,i,j->", [(46,), (46,), (46,), (46,)], 46 * 12 * 8, {"j": 12}, ["add"]),
    ("i,j,i,j->", [(46,), (46,), (46,), (46,)], 46 * 8, {"j": 1}, ["add"]),
    ("i,j,i,j->", [(46,), (46,), (46,), (46,)], 20 * 8, {"j": 1, "i": 16}, ["add"]),
    ("i,j->ij", [(46,), (30,)], 46 * 30 * 4, {"i": 23}, ["concatenate"]),
    ("i,j->ij", [(46,), (30,)], 5 * 8, {"j": 5, "i": 1}, ["concatenate"]),
    ("ai,bi,ab->i", [(6, 20), (7, 20), (6, 7)], 400 * 8, {"a": 2}, ["add"]),
    ("ai,bi,ci->iabc", [(3, 20), (3, 20), (2, 20)], 90 * 8, {"i": 5}, ["concatenate"]),
    ("abx,bcx,cax->x", [(6, 5, 9), (5, 7, 9), (7, 6, 9)], 9 * 8, {"a": 1, "x": 1}, ["add", "concatenate"]),
    ("aab,bcc,ac->ba", [(5, 5, 6), (6, 7, 7), (5, 7)], 60 * 8, {"a": 1}, ["concatenate"]),
    ("iab,jab->ij", [(4, 3, 1), (4, 1, 5)], 6 * 8, {"i": 1}, ["concatenate"]),
]


@pytest.mark.parametrize(("equation", "shapes", "limit", "chunks", "joins"), SLICED)
def test_binding_limit(equation: str, shapes: Any, limit: int, chunks: dict[str, int], joins: list[str]) -> None:
    arrays = integers(*shapes)
    plan = plan_of(equation, arrays, binding_limit=limit)
    assert plan.chunks == chunks
    with LedgerSession(binding_limit=limit) as session:
        got = session.array(einsum(equation, *map(session.take, arrays), optimize=False))
    np.testing.assert_array_equal(got, np.einsum(equation, *arrays))
    assert [name for name in ("add", "concatenate") if name in session.operations] == joins
    assert session.largest_step == plan.largest_bytes <= limit
    # A summed label of which one position is left takes no additions in its step; the parts' additions replace them.
    assert 0 <= plan.flops - session.flops <= plan.slices * got.size


def test_chunks_take_no_more_flops_than_whole_slices() -> None:
    arrays = integers((46, 8), (8, 46), (46,), (46,))
    plan = plan_of("ia,aj,i,j->", arrays, binding_limit=46 * 12 * 8)
    assert (plan.slices, plan.flops) == (4, plan.unsliced_flops)


def test_steps_that_no_slice_touches_run_once() -> None:
    equation, arrays = "ab,bc,ci,j,i,j->a", integers((4, 5), (5, 6), (6, 20), (20,), (20,), (20,))
    path = [(0, 1), (0, 4), (0, 3), (0, 2), (0, 1)]
    limit = 20 * 4 * 8
    with LedgerSession(binding_limit=limit) as session:
        got = session.array(einsum(equation, *map(session.take, arrays), optimize=path))
    left, right = equation.split("->")
    plan = plan_einsum(left.split(","), right, [a.shape for a in arrays], path, itemsize=8, binding_limit=limit)
    np.testing.assert_array_equal(got, np.einsum(equation, *arrays))
    assert plan.chunks == {"j": 1}
    # ab,bc->ac and ac,ci->ai do not depend on j; the sum over i is the one contraction of every slice.
    assert session.operations.count("dot_general") == 2 + plan.slices


def test_summed_and_joined_labels_together() -> None:
    arrays = integers((6, 7, 8), (7, 8, 9), (6, 9))
    with LedgerSession(binding_limit=12 * 8) as session:
        got = session.array(einsum("abc,bcd,ad->ad", *map(session.take, arrays), optimize=[(0, 2), (0, 1)]))
    np.testing.assert_array_equal(got, np.einsum("abc,bcd,ad->ad", *arrays))
    assert {"add", "concatenate"} <= set(session.operations)
    assert session.largest_step <= 12 * 8


def test_parts_of_a_large_result_are_blocks_in_memory() -> None:
    arrays = integers((3, 4, 5), (5, 4, 6))
    plan = plan_of("abk,kcd->dbac", arrays, binding_limit=3 * 4 * 4 * 6 * 8 // 2)
    with LedgerSession() as session:
        got = session.array(plan.execute(session, [session.take(a) for a in arrays]))
    np.testing.assert_array_equal(got, np.einsum("abk,kcd->dbac", *arrays))
    ((axis, layouts),) = session.joins
    assert axis == 0
    assert all(layout.is_contiguous for layout in layouts)


@settings(max_examples=150, deadline=None)
@given(case=cases(max_operands=4, min_size=1), elements=st.integers(1, 30))
def test_random_binding_limits(case: Case, elements: int) -> None:
    with LedgerSession(binding_limit=elements * 8) as session:
        got = session.array(einsum(case.equation, *map(session.take, case.arrays)))
        np.testing.assert_array_equal(got, case.expected())
    assert session.largest_step <= elements * 8


@settings(max_examples=150, deadline=None)
@given(case=cases(max_operands=4, min_size=1), extra=st.integers(0, 300))
def test_random_memory_limits(case: Case, extra: int) -> None:
    limit = sum(array.nbytes for array in case.arrays) + case.expected().nbytes + 8 * extra
    with LedgerSession() as session:
        operands = [session.take(array) for array in case.arrays]
        try:
            got = session.array(einsum(case.equation, *operands, memory_limit=limit))
        except ValidationError as error:
            assert f"within a memory_limit of {limit} bytes" in str(error)  # noqa: PT017 - either outcome is right
            assume(False)
        np.testing.assert_array_equal(got, case.expected())
    assert session.peak_bytes <= limit


@pytest.mark.parametrize("extra", range(3, 12))
def test_several_summed_labels_in_slices_hold_one_total(extra: int) -> None:
    arrays = integers((), (), (2, 2), (2, 2, 2, 2))
    limit = sum(array.nbytes for array in arrays) + 8 + 8 * extra
    with LedgerSession() as session:
        operands = [session.take(array) for array in arrays]
        got = session.array(einsum(",,cd,FFcd", *operands, memory_limit=limit))
        np.testing.assert_array_equal(got, np.einsum(",,cd,ffcd", *arrays))
    assert session.peak_bytes <= limit


def test_memory_limit_is_met_where_slicing_can() -> None:
    arrays = integers((30,), (30,), (30,), (30,))
    with LedgerSession() as session:
        operands = [session.take(array) for array in arrays]
        got = session.array(einsum("i,j,i,j->", *operands, optimize=False, memory_limit=4 * 240 + 100 * 8))
    assert got == np.einsum("i,j,i,j->", *arrays)
    assert 4 * 240 < session.peak_bytes <= 4 * 240 + 100 * 8


def test_memory_limit_that_no_slice_meets() -> None:
    arrays = integers((30,), (30,), (30,), (30,))
    with pytest.raises(ValidationError, match=r"no slices within a memory_limit of 976 bytes: operands take 960, the"):
        plan_of("i,j,i,j->", arrays, memory_limit=976)


def test_memory_limit_without_room_for_any_step() -> None:
    with pytest.raises(ValidationError, match=r"no slices within a memory_limit of 96 bytes: operands take 96, the"):
        plan_of("i,j,xi->x", integers((6,), (6,), (0, 6)), memory_limit=96)


def test_result_above_the_buffer_limit() -> None:
    with pytest.raises(UnsupportedError, match=r"buffer limit of 100 bytes, got one of shape \(4, 5\) with 160 bytes"):
        plan_of("i,j->ij", integers((4,), (5,)), binding_limit=50, buffer_limit=100)


def test_views_of_operands_need_no_room() -> None:
    with LedgerSession(binding_limit=8) as session:
        tensor = session.take(np.arange(6.0).reshape(2, 3))
        np.testing.assert_array_equal(
            session.array(einsum("ij->ji", tensor, memory_limit=48)), np.arange(6.0).reshape(2, 3).T
        )
    assert session.operations == ["transpose"]
