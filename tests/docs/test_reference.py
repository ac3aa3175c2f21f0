"""The reference documents every public name, once."""

from __future__ import annotations

import importlib
import re
from collections import Counter
from collections.abc import Iterator

import pytest
from docs.pages import ROOT, blocks

PAGES = sorted((ROOT / "docs" / "reference").glob("*.md"))
MODULES = ["wgtensor", "wgtensor.contract", "wgtensor.cpu", "wgtensor.errors", "wgtensor.webgpu"]

_DIRECTIVE = re.compile(r"^\.\. ([\w:]+):: (.*(?:\n {13}\S.*)*)", re.MULTILINE)


def documented() -> Iterator[str]:
    """Yield the full name of each object that a directive of the reference documents."""
    for text in [text for page in PAGES for text in blocks(page, "{eval-rst}")]:
        module = ""
        for directive, argument in _DIRECTIVE.findall(text):
            if directive == "currentmodule":
                module = argument
            elif directive == "automodule":
                yield from (f"{argument}.{name}" for name in importlib.import_module(argument).__all__)
            else:
                yield from (f"{module}.{name.removesuffix('()')}" for name in argument.split())


NAMES = Counter(documented())


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_is_documented(module: str) -> None:
    public = {f"{module}.{name}" for name in importlib.import_module(module).__all__}
    assert public - NAMES.keys() == set()


def test_what_is_documented_exists_and_is_there_once() -> None:
    assert [name for name, count in NAMES.items() if count > 1] == []
    for name in NAMES:
        module, _, attribute = name.rpartition(".")
        assert hasattr(importlib.import_module(module), attribute), name


def test_every_page_is_in_the_table_of_contents() -> None:
    (contents,) = blocks(ROOT / "docs" / "reference" / "index.md", "{toctree}")
    assert {page.stem for page in PAGES} - {"index"} == set(contents.split()[2:])
