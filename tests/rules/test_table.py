"""The table of operations: complete, consistent with the protocols and with each backend's functions."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from wgtensor.contract import (
    BackendSession,
    TensorAnalytic,
    TensorBuffer,
    TensorDot,
    TensorElementwise,
    TensorIndexing,
    TensorReduction,
    TensorStructural,
)
from wgtensor.cpu.lowerings import LOWERINGS
from wgtensor.rules import OPERATIONS, VARIADIC, VIEWS, Family

PROTOCOLS: dict[Family, Any] = {
    Family.BUFFER: TensorBuffer,
    Family.ELEMENTWISE: TensorElementwise,
    Family.ANALYTIC: TensorAnalytic,
    Family.CAST: TensorStructural,
    Family.STRUCTURAL: TensorStructural,
    Family.REDUCTION: TensorReduction,
    Family.INDEXING: TensorIndexing,
    Family.DOT: TensorDot,
}
BESIDE_THE_TABLE = {"reclaim", "dot_general_with_conj"}


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_row_is_a_method_of_its_familys_protocol(name: str) -> None:
    operation = OPERATIONS[name]
    assert operation.name == name
    assert name in vars(PROTOCOLS[operation.family])


@pytest.mark.parametrize("protocol", set(PROTOCOLS.values()), ids=lambda protocol: protocol.__name__)
def test_each_protocol_method_is_a_row(protocol: Any) -> None:
    methods = {name for name, value in vars(protocol).items() if inspect.isfunction(value) and name[0] != "_"}
    assert methods - BESIDE_THE_TABLE <= set(OPERATIONS)


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_row_has_a_function_or_is_a_view(name: str) -> None:
    assert name in LOWERINGS or name in VIEWS


def test_nothing_is_implemented_that_is_no_row() -> None:
    assert set(LOWERINGS) | set(VIEWS) <= set(OPERATIONS)


@pytest.mark.parametrize("name", OPERATIONS)
def test_facts_are_sane(name: str) -> None:
    operation = OPERATIONS[name]
    assert operation.arity in (VARIADIC, 1, 2, 3)
    assert operation.dtypes
    assert set(operation.dtypes) <= set("biufc")
    assert operation.accuracy
    assert operation.writes == (name in ("dot_general_into_accum", "grouped_gemm"))


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_operation_documents_itself(name: str) -> None:
    assert getattr(BackendSession, name).__doc__
