"""``wgtensor info``: adapters with their verdicts, and what to do where there is none."""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from wgtensor.cli import info, main

LIMITS = {
    "max-storage-buffer-binding-size": 128 << 20,
    "max-buffer-size": 256 << 20,
    "max-storage-buffers-per-shader-stage": 8,
    "max-compute-invocations-per-workgroup": 256,
    "max-compute-workgroup-storage-size": 16384,
    "max-compute-workgroups-per-dimension": 65535,
}


@dataclass
class Row:
    """An adapter row as the engine lists them."""

    index: int
    kind: str
    verdict: str
    reason: str
    info: dict[str, Any]
    features: frozenset[str] = frozenset()
    limits: dict[str, int] = field(default_factory=lambda: dict(LIMITS))


def facts(device: str, backend: str) -> dict[str, Any]:
    return {"device": device, "description": "driver 1.0", "backend_type": backend, "adapter_type": "DiscreteGPU"}


CARD = Row(0, "discrete", "taken", "", facts("Fast Card", "Vulkan"), frozenset({"shader-f16", "multiview"}))
PLAIN = Row(1, "integrated", "taken", "", facts("Plain Chip", "Vulkan"))
OLD = Row(2, "discrete", "refused", "OpenGL has no full compute support", facts("Old Card", "OpenGL"))


def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], rows: list[Row], *options: str) -> str:
    monkeypatch.setattr(info, "list_adapters", lambda: rows)
    monkeypatch.delenv("WGTENSOR_MEMORY_LIMIT", raising=False)
    assert main(["info", *options]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_every_adapter_and_its_verdict(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(monkeypatch, capsys, [CARD, OLD]).splitlines()
    card, old = (next(line for line in lines if name in line) for name in ("Fast Card", "Old Card"))
    assert "webgpu:0" in card
    assert "taken" in card
    assert "webgpu:2" in old
    assert "refused: OpenGL has no full compute support" in old


def test_facts_of_a_taken_adapter(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    text = run(monkeypatch, capsys, [CARD])
    assert "bool, int32, uint32, float16, float32, complex64" in text
    assert "134,217,728" in text
    assert "until the driver refuses" in text
    assert "shader-f16 (and 1 that wgtensor does not use)" in text
    assert "no WebGPU adapter" not in text


def test_json_tells_all(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    report = json.loads(run(monkeypatch, capsys, [CARD, PLAIN, OLD], "--json"))
    assert report["message"] is None
    card, plain, old = report["adapters"]
    assert card["device"] == "webgpu:0"
    assert card["budget_bytes"] is None
    assert card["features"] == ["multiview", "shader-f16"]
    assert card["limits"] == LIMITS
    assert "float16" in card["dtypes"]
    assert "float16" not in plain["dtypes"]
    assert plain["budget_bytes"] > 1 << 20
    assert (old["verdict"], old["reason"]) == ("refused", "OpenGL has no full compute support")


@pytest.mark.parametrize("rows", [[], [OLD]])
def test_what_to_install_without_an_adapter(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], rows: list[Row]
) -> None:
    text = run(monkeypatch, capsys, rows)
    assert "no WebGPU adapter can be used on this machine" in text
    assert "Next:" in text
    assert json.loads(run(monkeypatch, capsys, rows, "--json"))["message"].startswith("no WebGPU adapter")


def test_this_machines_adapters_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    for index, adapter in enumerate(report["adapters"]):
        assert adapter["device"] == f"webgpu:{index}"
        assert adapter["verdict"] in {"taken", "refused"}
        assert adapter["verdict"] == "taken" or adapter["reason"]
