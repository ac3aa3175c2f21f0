"""Where the command line writes: results to stdout, notes and progress to stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from wgtensor.errors import ValidationError

__all__ = ["Table", "progress", "say", "show", "write_json"]

FILE_WIDTH = 240
"""Columns of a table that goes to a file or a pipe: wide enough that no cell wraps."""


def show(content: Table | str) -> None:
    """Write a result to stdout."""
    width = None if sys.stdout.isatty() else FILE_WIDTH
    Console(file=sys.stdout, width=width).print(content, soft_wrap=isinstance(content, str), markup=False)


def say(sentence: str) -> None:
    """Write a note or an error to stderr."""
    Console(file=sys.stderr).print(sentence, soft_wrap=True, markup=False, highlight=False)


@contextmanager
def progress(activity: str) -> Iterator[None]:
    """Show on stderr what is going on and since when, as long as it goes on; only where somebody watches."""
    if not sys.stderr.isatty():
        yield
        return
    columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as shown:
        shown.add_task(activity, total=None)
        yield


def write_json(path: Path, content: object) -> None:
    """Write a JSON file.

    Raises
    ------
    ValidationError
        The file cannot be written.
    """
    try:
        path.write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise ValidationError(f"{path}: cannot be written: {error.strerror}") from error
