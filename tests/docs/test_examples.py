"""Examples that run: those of the docstrings, and the README's command lines in order."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import shlex
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from docs.pages import CPU_ONLY, README, blocks

import wgtensor
from wgtensor.cli import main


def modules() -> Iterator[ModuleType]:
    """Return every module of the package; ``__main__`` would run the command."""
    yield wgtensor
    for info in pkgutil.walk_packages(wgtensor.__path__, "wgtensor."):
        if not info.name.endswith("__main__"):
            yield importlib.import_module(info.name)


EXAMPLES = [
    example
    for module in modules()
    for example in doctest.DocTestFinder(exclude_empty=True).find(module)
    if example.examples and not (CPU_ONLY and "WebGpuBackend" in (example.docstring or ""))
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_examples_of_docstrings(example: doctest.DocTest) -> None:
    report: list[str] = []
    failed, attempted = doctest.DocTestRunner(verbose=False).run(example, out=report.append)
    assert attempted == len(example.examples), "an example is skipped: make it run, or write it as prose"
    assert not failed, "".join(report)


def test_command_lines_of_the_readme(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In order, and in an empty folder: each uses only the files that those before it made."""
    monkeypatch.chdir(tmp_path)
    lines = [line for block in blocks(README, "") for line in block.splitlines() if line.startswith("wgtensor ")]
    assert {line.split()[1] for line in lines} == {"network", "contract"}
    for line in lines:
        arguments = shlex.split(line, comments=True)[1:]
        assert not {">", "|"} & set(arguments), "files are named by options, on every shell"
        device = ["--device", "cpu"] if CPU_ONLY and arguments[0] == "contract" else []
        assert main([*arguments, *device]) == 0
    assert " 240 " in capsys.readouterr().out
