"""The main job on the real devices: the reference backend, and an adapter unless the tests are for the cpu alone."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from wgtensor.cli import main
from wgtensor.cli.device import open_device
from wgtensor.errors import AdapterNotFoundError, ValidationError
from wgtensor.networks import NetworkInstance, write_instance

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "networks").glob("*.json"))
DEVICES = ["cpu"] if os.environ.get("WGTENSOR_TEST_CPU_ONLY") == "1" else ["cpu", "webgpu"]


@pytest.mark.parametrize("device", DEVICES)
def test_shipped_networks_verify(device: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = tmp_path / "rows.json"
    files = [str(file) for file in EXAMPLES]
    assert main(["contract", *files, "--device", device, "--verify", "--json", str(rows)]) == 0
    out = capsys.readouterr().out
    results = json.loads(rows.read_text(encoding="utf-8"))
    assert [row["network"] for row in results] == [file.stem for file in EXAMPLES]
    assert len(results) == 5
    for row in results:
        assert row["ok"]
        assert row["error"] <= 2e-5  # float32 products of magnitude 1 along at most a few hundred steps
        assert row["device"].startswith(device)
        assert row["adapter"] in out
        assert row["peak_bytes"] > 0


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_memory_limit_and_hyperedges(device: str, dtype: str, tmp_path: Path) -> None:
    network = NetworkInstance(
        "star",
        ("ab", "ac", "ad", "bcd", "dd"),
        "a",
        ((5, 30), (5, 20), (5, 11), (30, 20, 11), (11, 11)),
        {"opt_flops": ((0, 3), (0, 3), (0, 2), (0, 1))},
    )
    write_instance(network, tmp_path / "star.json")
    options = ["--verify", "--dtype", dtype, "--memory", "2MB", "--seed", "3", "--device", device]
    assert main(["contract", str(tmp_path / "star.json"), *options]) == 0


@pytest.mark.skipif(DEVICES == ["cpu"], reason="the tests were asked to use no adapter")
def test_a_webgpu_device_counts(tmp_path: Path) -> None:
    rows = tmp_path / "rows.json"
    assert main(["contract", str(EXAMPLES[0]), "--device", "webgpu:0", "--json", str(rows)]) == 0
    (row,) = json.loads(rows.read_text(encoding="utf-8"))
    assert row["device"] == "webgpu:0"
    assert row["compiled"] >= 1
    assert row["submits"] >= 1


@pytest.mark.parametrize("name", ["cuda", "webgpu:", "webgpu:-1", "cpu:0", ""])
def test_unknown_devices(name: str) -> None:
    with pytest.raises(ValidationError, match="--device must be webgpu, webgpu:N"):
        open_device(name)


def test_a_row_that_is_not_there() -> None:
    with pytest.raises(AdapterNotFoundError, match="webgpu:99"):
        open_device("webgpu:99")


def test_without_a_driver_nothing_falls_back() -> None:
    """Hide the Vulkan drivers from a process of its own: GL alone is not enough."""
    hidden = {"VK_DRIVER_FILES": "/nonexistent", "VK_ICD_FILENAMES": "/nonexistent", "WGPU_BACKEND_TYPE": "Vulkan"}
    done = subprocess.run(
        [sys.executable, "-m", "wgtensor", "contract", str(EXAMPLES[0])],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **hidden, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert "no WebGPU adapter can be used" in done.stderr
    assert "Traceback" not in done.stderr
