"""``wgtensor selftest``: rows, exit codes, and that a wrong kernel is a miss."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from wgtensor.cli import main
from wgtensor.rules import OPERATIONS, Family
from wgtensor.selftest import list_probes
from wgtensor.webgpu import WebGpuRuntime
from wgtensor.webgpu.adapters import choose_adapter
from wgtensor.webgpu.kernels.elementwise.lowering import LOWERINGS
from wgtensor.webgpu.lowerings import computed_dtypes


def rows_of(path: Path) -> list[dict[str, Any]]:
    report = json.loads(path.read_text(encoding="utf-8"))
    assert {"wgtensor", "adapter", "driver", "backend", "rows"} == set(report)
    rows: list[dict[str, Any]] = report["rows"]
    return rows


@pytest.mark.filterwarnings("ignore:no GPU was found")
def test_rows_of_some_functions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "rows.json"
    functions = ["tanh", "add", "compare", "reduce_sum", "sort", "gather"]
    assert main(["selftest", "--functions", *functions, "--json", str(out)]) == 0
    rows = rows_of(out)
    found = {(row["function"], row["dtype"]): row for row in rows}
    assert {function.split()[0] for function, _ in found} == set(functions)
    tanh = found["tanh", "float32"]
    assert set(tanh) == {"function", "dtype", "samples", "worst_ulp", "at", "bound", "passed"}
    assert tanh["samples"] > 200_000
    assert 0.5 < tanh["worst_ulp"] <= tanh["bound"] == 4
    assert len(tanh["at"]) == 1
    assert found["compare lt", "int32"]["bound"] == 0
    assert ("compare lt", "complex64") not in found
    assert all(row["passed"] and row["samples"] >= 39_000 for row in rows if row["dtype"] != "bool")
    captured = capsys.readouterr()
    assert "tanh" in captured.out
    assert "encountered" not in captured.err, "NumPy warns"
    assert f"{len(rows)} of {len(rows)} probes passed" in captured.out


@pytest.mark.filterwarnings("ignore:no GPU was found")
def test_a_wrong_kernel_is_a_miss(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    right = LOWERINGS["log", "float32"]
    wrong = replace(right, expression=f"select({right.expression}, vec4<f32>(7.0), {{0}} > vec4<f32>(9.5))")
    monkeypatch.setitem(LOWERINGS, ("log", "float32"), wrong)
    out = tmp_path / "rows.json"
    assert main(["selftest", "--functions", "log", "--json", str(out)]) == 1
    missed = [row for row in rows_of(out) if not row["passed"]]
    assert [(row["function"], row["dtype"]) for row in missed] == [("log", "float32")]
    assert float(missed[0]["at"][0]) > 9.5
    assert "MISSED" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--device", "cpu"], "--device must be webgpu or webgpu:N"),
        (["--functions", "transpose", "brew"], "needs operations that are probed, got brew, transpose"),
    ],
)
@pytest.mark.filterwarnings("ignore:no GPU was found")
def test_misuse(arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["selftest", *arguments]) == 2
    assert text in capsys.readouterr().err


def test_every_function_is_probed_in_every_dtype() -> None:
    runtime = WebGpuRuntime.from_adapter_row(choose_adapter(None))
    probed = {(probe.operation.name, probe.dtype) for probe in list_probes(runtime.facts)}
    wanted = {
        (name, dtype)
        for name, operation in OPERATIONS.items()
        if operation.family in (Family.ELEMENTWISE, Family.ANALYTIC, Family.REDUCTION, Family.SCAN, Family.SORT)
        for dtype in computed_dtypes(name)
        if dtype.kind in operation.dtypes and (dtype.name != "float16" or runtime.facts.float16)
    }
    runtime.close()
    assert wanted <= probed
