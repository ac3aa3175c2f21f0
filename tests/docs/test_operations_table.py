"""The table of operations, the protocols and ``docs/operations.md`` say the same."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from wgtensor.contract import (
    TensorAnalytic,
    TensorBuffer,
    TensorDot,
    TensorElementwise,
    TensorIndexing,
    TensorReduction,
    TensorScan,
    TensorSort,
    TensorStructural,
)
from wgtensor.rules import OPERATIONS, VARIADIC, Family

ROOT = Path(__file__).parents[2]
PROTOCOLS: dict[Family, Any] = {
    Family.BUFFER: TensorBuffer,
    Family.ELEMENTWISE: TensorElementwise,
    Family.ANALYTIC: TensorAnalytic,
    Family.CAST: TensorStructural,
    Family.STRUCTURAL: TensorStructural,
    Family.REDUCTION: TensorReduction,
    Family.SCAN: TensorScan,
    Family.SORT: TensorSort,
    Family.INDEXING: TensorIndexing,
    Family.DOT: TensorDot,
}
BESIDE_THE_TABLE = {"reclaim", "dot_general_with_conj"}
"""Methods that are no operation, or another call of one."""


def public_methods(protocol: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(protocol).items() if inspect.isfunction(value) and name[0] != "_"}


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_row_is_a_documented_method_of_its_familys_protocol(name: str) -> None:
    operation = OPERATIONS[name]
    assert operation.name == name
    method = public_methods(PROTOCOLS[operation.family])[name]
    first_line = (inspect.getdoc(method) or "").partition("\n")[0]
    assert first_line.endswith(".")
    if operation.arity != VARIADIC:
        assert len(inspect.signature(method).parameters) > operation.arity, "self and one parameter per operand"


@pytest.mark.parametrize("protocol", dict.fromkeys(PROTOCOLS.values()), ids=lambda protocol: protocol.__name__)
def test_each_method_of_the_protocols_is_a_row(protocol: Any) -> None:
    rows = {name for name, operation in OPERATIONS.items() if PROTOCOLS[operation.family] is protocol}
    assert set(public_methods(protocol)) - BESIDE_THE_TABLE == rows


def test_the_page_of_operations_is_up_to_date() -> None:
    script = ROOT / "scripts" / "operations_table.py"
    made = subprocess.run([sys.executable, script], capture_output=True, text=True, encoding="utf-8", check=True).stdout
    written = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    assert made == written, "run python scripts/operations_table.py > docs/operations.md"
