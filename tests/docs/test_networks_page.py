"""``docs/networks.md``: its example runs, and it names what the code knows."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from wgtensor.cli import main
from wgtensor.cli.contract import JSON_KEYS
from wgtensor.networks import format_instance
from wgtensor.networks.constants import CONSTANTS
from wgtensor.networks.generate import queen
from wgtensor.networks.instance import DTYPES

PAGE = (Path(__file__).parents[2] / "docs" / "networks.md").read_text(encoding="utf-8")
EXAMPLE, PATHS = (json.loads(text) for text in re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


def first_cells() -> set[str]:
    rows = re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


@pytest.mark.parametrize(("fields", "options"), [({}, ["--path", "auto"]), (PATHS, [])])
def test_the_example_contracts_to_6(
    fields: dict[str, object], options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "triangle.json"
    file.write_text(json.dumps(EXAMPLE | fields), encoding="utf-8")
    assert main(["contract", str(file), *options, "--device", "cpu", "--json", "-"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["value"], row["ok"]) == (6.0, True)


def test_every_name_is_in_the_tables() -> None:
    written = json.loads(format_instance(queen(2, 4)))
    known = {*written, "expected", "normal", *CONSTANTS, *JSON_KEYS}
    assert first_cells() == known


def test_every_dtype_is_named() -> None:
    assert all(f"`{name}`" in PAGE for name in DTYPES)


def test_the_readme_links_here() -> None:
    assert "`docs/networks.md`" in (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
