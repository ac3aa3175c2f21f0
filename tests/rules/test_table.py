"""The table of operations: complete, and consistent with the functions of the reference backend."""

from __future__ import annotations

import pytest

from wgtensor.cpu.lowerings import LOWERINGS
from wgtensor.rules import OPERATIONS, VARIADIC, VIEWS


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_row_has_a_function_or_is_a_view(name: str) -> None:
    assert name in LOWERINGS or name in VIEWS


def test_nothing_is_implemented_that_is_no_row() -> None:
    assert set(LOWERINGS) | set(VIEWS) <= set(OPERATIONS)


@pytest.mark.parametrize("name", OPERATIONS)
def test_facts_are_sane(name: str) -> None:
    operation = OPERATIONS[name]
    assert operation.arity in (VARIADIC, 0, 1, 2, 3)
    assert operation.dtypes
    assert set(operation.dtypes) <= set("biufc")
    assert operation.accuracy
    assert operation.writes == (name in ("copy_into", "dot_general_into_accum", "grouped_gemm"))
