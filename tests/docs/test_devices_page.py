"""``docs/devices.md`` and the README name what the code knows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from docs.pages import README, ROOT

from wgtensor.tensor import ALL_DTYPES
from wgtensor.webgpu.adapter_help import INSTALL
from wgtensor.webgpu.engine import PREFERENCE

PAGE = (ROOT / "docs" / "devices.md").read_text(encoding="utf-8")


def variables_of_the_source() -> set[str]:
    sources = (ROOT / "src").rglob("*.py")
    return {name for path in sources for name in re.findall(r"WGTENSOR_[A-Z_]+", path.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("page", [ROOT / "docs" / "devices.md", README], ids=lambda page: page.name)
def test_every_variable_is_named(page: Path) -> None:
    named = set(re.findall(r"WGTENSOR_[A-Z_]+", page.read_text(encoding="utf-8")))
    assert named == variables_of_the_source()


def test_engines_installations_and_dtypes_are_named() -> None:
    assert all(f"`{engine}`" in PAGE for engine in PREFERENCE)
    assert all(f"`{command}`" in PAGE for command in INSTALL.values())
    table = PAGE.partition("## Dtypes")[2].partition("##")[0]
    assert all(re.search(rf"\b{dtype.name}\b", table) for dtype in ALL_DTYPES)
