"""``wgtensor network``: every kind becomes a file that reads back."""

from pathlib import Path

import pytest

from wgtensor.cli import main
from wgtensor.networks import read_instance
from wgtensor.networks.generate import KINDS, chain, grid, queen

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
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"{file}: {read_instance(file).num_tensors} tensors, ")


def test_dash_is_stdout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Then nothing but the file is there, labels beyond ASCII included, and no file is made."""
    monkeypatch.chdir(tmp_path)
    assert main(["network", "chain", "--matrices", "60", "--size", "4", "-o", "-"]) == 0
    out, err = capsys.readouterr()
    assert err.startswith("chain_60_matrices_4: 60 tensors, ")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "made.json").write_text(out, encoding="utf-8")
    assert read_instance(tmp_path / "made.json") == chain(60, 4)


def test_a_replaced_file_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "grid.json"
    assert main(["network", "grid", "--n", "2", "-o", str(file)]) == 0
    assert "that was there" not in capsys.readouterr().err
    assert main(["network", "grid", "--n", "3", "-o", str(file)]) == 0
    assert f"{file}: replaced the file that was there\n" in capsys.readouterr().err
    assert read_instance(file) == grid(3)


def test_default_file_is_named_after_the_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["network", "grid", "--n", "3"]) == 0
    assert read_instance("grid_3x3_3_colours.json") == grid(3, 3)
    assert capsys.readouterr().err.startswith("grid_3x3_3_colours.json: 12 tensors, ")


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
