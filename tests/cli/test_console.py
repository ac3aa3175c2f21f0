"""Where things are written: results to stdout, notes and progress to stderr."""

import io
import sys

import pytest

from wgtensor.cli.console import progress, say, show


class Terminal(io.StringIO):
    """A stream that somebody watches."""

    def isatty(self) -> bool:
        return True


def test_results_and_notes_go_apart(capsys: pytest.CaptureFixture[str]) -> None:
    long = "a sentence of [many] words " * 10
    show(long)
    say(long + "!")
    captured = capsys.readouterr()
    assert captured.out == long + "\n"
    assert captured.err == long + "!\n"


def test_progress_is_shown_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with progress("contracting [b]x[/b]"):
        pass
    assert "contracting [b]x[/b]" in terminal.getvalue()


def test_progress_is_silent_in_a_pipe(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress("contracting"):
        pass
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""
