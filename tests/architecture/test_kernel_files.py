"""WGSL as files: each kernel opens with its contract, and Python holds no kernels as text."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import wgtensor

ROOT = Path(wgtensor.__file__).parent
KERNELS = {
    str(path.relative_to(ROOT)): text
    for path in sorted(ROOT.rglob("*.wgsl"))
    if "@compute" in (text := path.read_text(encoding="utf-8"))
}
CONTRACT = ("Bindings", "Workgroup", "Limits", "Precision")
MOST_LINES = 15


def header(text: str) -> list[str]:
    """Return the first word of each comment line before the first line of code."""
    lines = [line for line in text.splitlines() if not line.startswith(("{#", "{$"))]
    end = next(number for number, line in enumerate(lines) if not line.startswith(("//", "   ")))
    return [line.removeprefix("//").split()[0] for line in lines[:end] if line.removeprefix("//").strip()]


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_opens_with_its_contract(name: str) -> None:
    assert set(CONTRACT) <= set(header(KERNELS[name]))


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_python_holds_no_long_wgsl(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "fn " in node.value:
            assert node.value.count("\n") <= MOST_LINES, f"line {node.lineno}"
