"""A checker is told to look away only with a reason beside it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import wgtensor

ROOT = Path(wgtensor.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
LOOKS_AWAY = re.compile(r"#\s*(?:type: ignore|noqa)")
WITH_REASON = re.compile(r"# type: ignore\[[\w, -]+\]  # \S|# noqa: [A-Z]+\d+ - \S")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_each_exception_has_its_reason(path: Path) -> None:
    lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    bare = [
        f"line {n}: {line.strip()}" for n, line in lines if LOOKS_AWAY.search(line) and not WITH_REASON.search(line)
    ]
    assert bare == []
