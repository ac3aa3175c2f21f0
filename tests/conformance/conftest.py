"""The conformance suites run on the cpu device and on the best adapter."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

import wgtensor as wt

DEVICES = ["cpu"] if os.environ.get("WGTENSOR_TEST_CPU_ONLY") == "1" else ["cpu", "webgpu"]


@pytest.fixture(scope="module", params=DEVICES)
def device(request: pytest.FixtureRequest) -> Iterator[wt.Device]:
    """Each device in turn, as the default one of what a module's tests create."""
    with wt.device(request.param) as entered:
        yield entered
