"""Examples take the default device: on a software adapter, or on none, the notice about it passes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def quiet_default_device() -> Iterator[None]:
    """Let the notices of a machine without a GPU pass."""
    with warnings.catch_warnings():
        for message in ("no GPU was found", "no adapter that could be used was found"):
            warnings.filterwarnings("ignore", message=message, category=RuntimeWarning)
        yield
