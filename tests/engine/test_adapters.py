"""Adapters: order, verdicts, choice, and what is said where there is none."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from dataclasses import replace
from typing import Any

import pytest

from wgtensor.errors import AdapterNotFoundError
from wgtensor.webgpu import adapters
from wgtensor.webgpu.adapters import (
    AdapterRow,
    choose_adapter,
    engine_request,
    list_adapters,
    warn_about_cpu_adapter,
)

LIMITS = dict.fromkeys(adapters.BASELINE, 1 << 30)


class FakeAdapter:
    """An adapter as wgpu describes it."""

    def __init__(self, device: str, kind: str, backend: str, **limits: int) -> None:
        self.info = {"device": device, "description": "", "adapter_type": kind, "backend_type": backend}
        self.features = {"shader-f16", "mappable-primary-buffers", "texture-compression-bc"}
        self.limits = LIMITS | {name.replace("_", "-"): value for name, value in limits.items()}


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A machine with the given adapters."""
    monkeypatch.delenv("WGTENSOR_ADAPTER", raising=False)
    monkeypatch.delenv("WGPU_BACKEND_TYPE", raising=False)

    def offer(*found: FakeAdapter) -> list[AdapterRow]:
        monkeypatch.setattr(adapters, "_found", list(found))
        return list_adapters()

    return offer


MANY = (
    FakeAdapter("llvmpipe (LLVM 15)", "CPU", "Vulkan"),
    FakeAdapter("Radeon iGPU", "IntegratedGPU", "Vulkan"),
    FakeAdapter("GeForce", "DiscreteGPU", "OpenGL"),
    FakeAdapter("GeForce", "DiscreteGPU", "D3D12"),
    FakeAdapter("GeForce", "DiscreteGPU", "Vulkan"),
    FakeAdapter("Virtio-GPU Venus", "CPU", "Vulkan"),
    FakeAdapter("strange", "Unknown", "Vulkan"),
    FakeAdapter("Arc", "DiscreteGPU", "Vulkan"),
)


def test_adapters_come_in_the_order_in_which_they_are_taken(machine: Any) -> None:
    rows = machine(*MANY)
    assert [row.index for row in rows] == list(range(8))
    assert [row.kind for row in rows] == ["discrete"] * 4 + ["integrated", "virtual", "cpu", "unknown"]
    taken = [(row.info["device"], row.info["backend_type"]) for row in rows if row.taken]
    assert taken == [
        ("GeForce", "Vulkan"),
        ("Arc", "Vulkan"),
        ("Radeon iGPU", "Vulkan"),
        ("Virtio-GPU Venus", "Vulkan"),
        ("llvmpipe (LLVM 15)", "Vulkan"),
    ]


def test_every_refusal_has_a_reason_and_nothing_else_has(machine: Any) -> None:
    reasons = {row.summary: row.reason for row in machine(*MANY) if not row.taken}
    assert len(reasons) == 3
    assert any("OpenGL" in reason for reason in reasons.values())
    assert any("taken through Vulkan" in reason for reason in reasons.values())
    assert any("unknown" in reason for reason in reasons.values())
    assert all(not row.reason for row in list_adapters() if row.taken)


def test_an_adapter_below_the_baseline_is_refused(machine: Any) -> None:
    (row,) = machine(FakeAdapter("old", "DiscreteGPU", "Vulkan", max_storage_buffers_per_shader_stage=4))
    assert not row.taken
    assert "max-storage-buffers-per-shader-stage 4" in row.reason


def test_ordinals_count_discrete_gpus_and_a_row_is_itself(machine: Any) -> None:
    rows = machine(*MANY)
    assert choose_adapter().info["device"] == "GeForce"
    assert choose_adapter(0).info["backend_type"] == "Vulkan"
    assert choose_adapter(1).info["device"] == "Arc"
    assert choose_adapter(rows[4]) is rows[4]
    for number in (2, -1):
        with pytest.raises(AdapterNotFoundError, match="has 2"):
            choose_adapter(number)
    with pytest.raises(AdapterNotFoundError, match="type is unknown"):
        choose_adapter(rows[-1])


@pytest.mark.parametrize(
    ("asked", "devices"),
    [("opengl", {"GeForce"}), ("Strange", {"strange"}), ("llvmpipe", {"llvmpipe (LLVM 15)"}), ("nothing", set())],
)
def test_an_adapter_asked_for_by_name_is_taken(
    machine: Any, monkeypatch: pytest.MonkeyPatch, asked: str, devices: set[str]
) -> None:
    machine(*MANY)
    monkeypatch.setenv("WGTENSOR_ADAPTER", asked)
    assert {row.info["device"] for row in list_adapters() if row.taken} == devices


def test_wgpus_own_backend_variable_is_honoured(machine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    machine(*MANY)
    monkeypatch.setenv("WGPU_BACKEND_TYPE", "D3D12")
    assert [row.info["backend_type"] for row in list_adapters() if row.taken] == ["D3D12"]


def test_storage_is_mappable_only_where_memory_is_shared(machine: Any) -> None:
    enabled = {row.kind: engine_request(row).features for row in machine(*MANY)}
    assert enabled["discrete"] == enabled["virtual"] == {"shader-f16"}
    assert enabled["cpu"] == enabled["integrated"] == {"shader-f16", "mappable-primary-buffers"}


def test_the_notice_of_a_software_adapter_comes_once(machine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapters, "_warned", False)
    rows = {row.kind: row for row in machine(*MANY)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_about_cpu_adapter(rows["discrete"])
    with pytest.warns(RuntimeWarning, match="llvmpipe"):
        warn_about_cpu_adapter(rows["cpu"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_about_cpu_adapter(rows["cpu"])


def test_a_refused_row_says_how_to_take_it() -> None:
    row = AdapterRow(3, "cpu", MANY[2].info, frozenset(), {}, "refused", "it is slow", None)
    with pytest.raises(AdapterNotFoundError, match="WGTENSOR_ADAPTER=OpenGL"):
        choose_adapter(row)
    assert choose_adapter(replace(row, verdict="taken")).index == 3


def test_this_machine_has_an_adapter_with_the_baseline() -> None:
    row = choose_adapter()
    assert row.taken
    assert row.limits["max-storage-buffers-per-shader-stage"] >= 8
    assert all(other.verdict == "refused" for other in list_adapters() if other.info["backend_type"] == "OpenGL")


def test_noncompliant_drivers_are_asked_for_before_anything_else() -> None:
    script = "from wgtensor.webgpu.adapters import list_adapters; print([row.kind for row in list_adapters()])"
    plain, asked = (
        subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            env=os.environ | {"WGTENSOR_NONCOMPLIANT": value},
            timeout=120,
            check=True,
        )
        for value in ("0", "1")
    )
    assert plain.stdout == asked.stdout != "[]\n"


@pytest.mark.parametrize(("variable", "value"), [("WGTENSOR_ADAPTER", "nosuch"), ("WGPU_BACKEND_TYPE", "Metal")])
def test_a_variable_that_excludes_everything_is_the_first_thing_to_change(
    machine: Any, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    machine(*MANY)
    with pytest.raises(AdapterNotFoundError) as caught:
        choose_adapter()
    lines = str(caught.value).splitlines()
    assert lines[lines.index("Next:") + 1].startswith(f"  - unset {variable} (set to {value!r})")
    assert lines[-1].endswith("wgtensor.cpu.CpuBackend() in Python, --device cpu on the command line.")


def test_a_variable_that_excludes_nothing_is_not_blamed(machine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    machine(FakeAdapter("GeForce", "DiscreteGPU", "OpenGL"))
    monkeypatch.setenv("WGPU_BACKEND_TYPE", "OpenGL")
    monkeypatch.setenv("WGTENSOR_ADAPTER", "nosuch")
    with pytest.raises(AdapterNotFoundError) as caught:
        choose_adapter()
    assert "unset WGTENSOR_ADAPTER" in str(caught.value)
    assert "unset WGPU_BACKEND_TYPE" not in str(caught.value)


CHOOSE = """
from wgtensor.errors import AdapterNotFoundError
from wgtensor.webgpu.adapters import choose_adapter
try:
    choose_adapter()
except AdapterNotFoundError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="drivers are hidden through the Vulkan loader of Linux")
def test_without_a_driver_the_message_says_what_to_do() -> None:
    hidden = {"VK_DRIVER_FILES": "/nonexistent", "VK_ICD_FILENAMES": "/nonexistent", "WGPU_BACKEND_TYPE": "Vulkan"}
    kept = {name: value for name, value in os.environ.items() if name not in {"XDG_RUNTIME_DIR", "WGTENSOR_ADAPTER"}}
    done = subprocess.run(
        [sys.executable, "-c", CHOOSE], capture_output=True, text=True, env=kept | hidden, timeout=120, check=True
    )
    for part in ("no WebGPU adapter", "Vulkan loader", "/nonexistent", "unset VK_DRIVER_FILES", "CpuBackend()"):
        assert part in done.stdout
    assert "XDG_RUNTIME_DIR" not in done.stderr
