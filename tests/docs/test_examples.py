"""Examples that run: those of the docstrings, and the README's Python blocks in order."""

from __future__ import annotations

import doctest
import importlib
import os
import pkgutil
import re
import shlex
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import wgtensor
from wgtensor.cli import main

CPU_ONLY = os.environ.get("WGTENSOR_TEST_CPU_ONLY") == "1"
README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


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


@pytest.fixture(autouse=True)
def quiet_software_adapter() -> Iterator[None]:
    """Let the notice about a software adapter pass: examples take the default adapter."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="no GPU was found", category=RuntimeWarning)
        yield


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_examples_of_docstrings(example: doctest.DocTest) -> None:
    report: list[str] = []
    failed, attempted = doctest.DocTestRunner(verbose=False).run(example, out=report.append)
    assert attempted == len(example.examples), "an example is skipped: make it run, or write it as prose"
    assert not failed, "".join(report)


def blocks_of_the_readme(language: str) -> list[str]:
    fences = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    return [text for name, text in fences if name == language]


@pytest.mark.skipif(CPU_ONLY, reason="the reference backend alone is tested")
def test_python_blocks_of_the_readme(capsys: pytest.CaptureFixture[str]) -> None:
    """They share one namespace, and each ``print(...)  # text`` prints that text."""
    blocks = blocks_of_the_readme("python")
    assert len(blocks) >= 2
    namespace: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), namespace)
    promised = re.findall(r"^ *print\(.*\)  # (.*)$", "".join(blocks), re.MULTILINE)
    assert promised
    assert capsys.readouterr().out.splitlines() == promised


def test_the_first_block_of_the_readme_runs_on_the_reference_backend(capsys: pytest.CaptureFixture[str]) -> None:
    block = blocks_of_the_readme("python")[0]
    there = block.replace("from wgtensor.webgpu import WebGpuBackend", "from wgtensor.cpu import CpuBackend")
    exec(compile(there.replace("WebGpuBackend", "CpuBackend"), "README.md", "exec"), {})
    assert capsys.readouterr().out == "(8, 4, 8)\n"


def test_command_lines_of_the_readme(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In order, and in an empty folder: each uses only the files that those before it made."""
    monkeypatch.chdir(tmp_path)
    lines = [line for block in blocks_of_the_readme("") for line in block.splitlines() if line.startswith("wgtensor ")]
    assert {line.split()[1] for line in lines} == {"network", "contract"}
    for line in lines:
        arguments = shlex.split(line, comments=True)[1:]
        assert not {">", "|"} & set(arguments), "files are named by options, on every shell"
        device = ["--device", "cpu"] if CPU_ONLY and arguments[0] == "contract" else []
        assert main([*arguments, *device]) == 0
    assert " 240 " in capsys.readouterr().out
