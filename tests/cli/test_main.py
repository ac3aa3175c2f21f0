"""The command table, and the two ways to start the command."""

import os
import subprocess
import sys
import warnings

import pytest

from wgtensor import cli
from wgtensor.cli.command import Command


def test_commands_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["--help"])
    assert caught.value.code == 0
    text = capsys.readouterr().out
    for command in cli.COMMANDS:
        assert command.name in text
        assert command.summary in text


@pytest.mark.parametrize("arguments", [[], ["brew"], ["contract"], ["network", "torus"]])
def test_misuse_exits_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    assert capsys.readouterr().err.startswith("usage: wgtensor")


@pytest.mark.parametrize("command", ["info", "network queen", "network"])
def test_unknown_options_show_the_subcommands_usage(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main([*command.split(), "--brew"])
    assert caught.value.code == 2
    assert capsys.readouterr().err.startswith(f"usage: wgtensor {command} [-h]")


def test_no_memory_is_a_sentence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def run(_: object) -> int:
        raise MemoryError("Unable to allocate 7 TiB")

    monkeypatch.setattr(cli, "COMMANDS", (Command("grow", "Grow.", lambda parser: None, run),))
    assert cli.main(["grow"]) == 2
    assert capsys.readouterr().err == "wgtensor grow: this machine has not enough memory: Unable to allocate 7 TiB\n"


def test_module_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "wgtensor", "contract", "absent.json"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 2
    assert done.stderr == "wgtensor contract: absent.json: cannot be read: No such file or directory\n"


def test_warnings_are_notes(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def run(_: object) -> int:
        warnings.warn("the adapter is a CPU", RuntimeWarning, stacklevel=1)
        return 0

    monkeypatch.setattr(cli, "COMMANDS", (Command("warn", "Warn.", lambda parser: None, run),))
    assert cli.main(["warn"]) == 0
    assert capsys.readouterr().err == "note: the adapter is a CPU\n"


def test_interruption_is_no_traceback(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def run(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "COMMANDS", (Command("wait", "Wait.", lambda parser: None, run),))
    assert cli.main(["wait"]) == 130
    assert capsys.readouterr().err == ""
