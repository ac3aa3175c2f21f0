"""The Markdown pages of the project, and the code blocks in them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

__all__ = ["CPU_ONLY", "PAGES", "README", "ROOT", "blocks", "name_of", "promised_lines", "run_blocks"]

CPU_ONLY: Final = os.environ.get("WGTENSOR_TEST_CPU_ONLY") == "1"
ROOT: Final = Path(__file__).parents[2]
README: Final = ROOT / "README.md"
PAGES: Final = [README, *sorted((ROOT / "docs").rglob("*.md"))]

_FENCE: Final = re.compile(r"^```([^`\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PROMISE: Final = re.compile(r"^ *print\(.*\)  # (.*)$", re.MULTILINE)


def name_of(page: Path) -> str:
    """Return a page's path from the root of the repository."""
    return page.relative_to(ROOT).as_posix()


def _fences(page: Path) -> Iterator[tuple[str, str, int]]:
    """Yield language, text and number of preceding lines of each fenced block."""
    text = page.read_text(encoding="utf-8")
    for match in _FENCE.finditer(text):
        yield match[1], match[2], text.count("\n", 0, match.start(2))


def blocks(page: Path, language: str) -> list[str]:
    """Return the blocks of a page in ``language``; ``""`` for those that name none."""
    return [text for name, text, _ in _fences(page) if name == language]


def run_blocks(page: Path) -> None:
    """Run the Python blocks of a page in order; they share one namespace."""
    namespace: dict[str, object] = {}
    for language, text, line in _fences(page):
        if language == "python":  # empty lines before it, so that a traceback names the page's own line
            exec(compile("\n" * line + text, name_of(page), "exec"), namespace)


def promised_lines(page: Path) -> list[str]:
    """Return what the Python blocks say that they print: the text of each ``print(...)  # text``."""
    return _PROMISE.findall("".join(blocks(page, "python")))
