"""``WGTENSOR_DEVICE``: the default device, by the environment."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = "import wgtensor as wt; print(wt.default_device(), wt.zeros(2).device)"


@pytest.mark.parametrize(
    ("name", "text"), [("cpu", "cpu cpu"), ("nowhere", "WGTENSOR_DEVICE: device needs one of")], ids=["cpu", "unknown"]
)
def test_default_device(name: str, text: str) -> None:
    environment = {**os.environ, "WGTENSOR_DEVICE": name}
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert text in run.stdout + run.stderr
    assert (run.returncode == 0) == (name == "cpu")
