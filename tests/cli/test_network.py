"""``wgtensor network``: every kind becomes a file that reads back."""

from pathlib import Path

import pytest

from wgtensor.cli import main
from wgtensor.networks import read_instance
from wgtensor.networks.generate import KINDS, grid, queen

SMALL = {
    "queen": ["--n", "2", "--colours", "4"],
    "grid": ["--n", "2", "--colours", "2"],
    "mps": ["--sites", "3", "--bond", "2", "--physical", "2"],
    "chain": ["--matrices", "3", "--size", "6", "--seed", "1"],
    "circuit": ["--rows", "1", "--columns", "2", "--depth", "2", "--seed", "1"],
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "network.json"
    assert main(["network", kind, *SMALL[kind], "-o", str(file)]) == 0
    values = [int(value) for value in SMALL[kind][1::2]]
    assert read_instance(file) == KINDS[kind](*values)
    assert capsys.readouterr().out.startswith(f"{file}: {read_instance(file).num_tensors} tensors, ")


def test_default_file_is_named_after_the_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["network", "grid", "--n", "3"]) == 0
    assert read_instance("grid_3x3_3_colours.json") == grid(3, 3)
    assert capsys.readouterr().err == ""


def test_defaults_are_the_shipped_networks(tmp_path: Path) -> None:
    file = tmp_path / "queen.json"
    assert main(["network", "queen", "-o", str(file)]) == 0
    assert read_instance(file) == queen(3, 5)


def test_impossible_size_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["network", "mps", "--sites", "1", "-o", str(tmp_path / "x.json")]) == 2
    assert capsys.readouterr().err == "wgtensor network: network mps needs sites of at least 2, got 1\n"


def test_file_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "absent" / "x.json"
    assert main(["network", "grid", "--n", "2", "-o", str(file)]) == 2
    assert capsys.readouterr().err == f"wgtensor network: {file}: cannot be written: No such file or directory\n"
