"""Every Python block of every page runs, and prints what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from docs.pages import CPU_ONLY, PAGES, README, ROOT, blocks, name_of, promised_lines, run_blocks

import wgtensor as wt

_ABOUT_A_GPU = re.compile("WebGpuBackend|counters")
"""Blocks that need an adapter: they open one by name, or count kernels, which fuse there only."""


def _devices(page: Path) -> list[str]:
    """Return where a page's blocks run: on the default device and on the cpu."""
    needs_gpu = _ABOUT_A_GPU.search("".join(blocks(page, "python")))
    return [*([] if CPU_ONLY else ["default"]), *([] if needs_gpu else ["cpu"])]


CASES = [(page, device) for page in PAGES if blocks(page, "python") for device in _devices(page)]


@pytest.mark.parametrize(("page", "device"), CASES, ids=lambda case: name_of(case) if isinstance(case, Path) else case)
def test_python_blocks_run_and_print_what_they_say(
    page: Path, device: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with wt.device(None if device == "default" else device):
        run_blocks(page)
    assert capsys.readouterr().out.splitlines() == promised_lines(page)


def test_pages_about_arrays_have_blocks() -> None:
    pages = ("README.md", "docs/tour.md", "docs/coming-from.md", "docs/fusion-and-transfers.md", "docs/devices.md")
    assert all(promised_lines(ROOT / page) for page in pages)


def test_the_readme_links_every_page_of_the_site() -> None:
    text = README.read_text(encoding="utf-8")
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"index.md"}
    assert {page for page in pages if f"`docs/{page}`" not in text} == set()


def test_the_first_block_of_the_readme_runs_on_the_cpu(capsys: pytest.CaptureFixture[str]) -> None:
    block = blocks(README, "python")[0]
    with wt.device("cpu"):
        exec(compile(block, "README.md", "exec"), {})
    assert "(3, 3) float32" in capsys.readouterr().out
