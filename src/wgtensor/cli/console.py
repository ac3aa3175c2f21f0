"""Where the command line writes: results to stdout or to files, notes and progress to stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from rich.console import Console
from rich.measure import Measurement
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from wgtensor.errors import ValidationError

__all__ = ["STDOUT", "Table", "fits", "progress", "say", "show", "tracked", "write_json", "write_text"]

T = TypeVar("T")

STDOUT = Path("-")
"""The file name that means stdout."""

FILE_WIDTH = 240
"""Columns of a table that goes to a file or a pipe: wide enough that no cell wraps."""

PAGE_WIDTH = 120
"""Columns that a table should keep to, where no terminal sets others."""


def show(content: Table | str, *, aside: bool = False) -> None:
    """Write a result to stdout; ``aside``, to stderr, where stdout is taken."""
    _console(aside).print(content, soft_wrap=isinstance(content, str), markup=False, highlight=False)


def fits(table: Table, *, aside: bool = False) -> bool:
    """Whether a table fits the terminal, or a page, without wrapping a cell."""
    console = _console(aside)
    unbounded = console.options.update(max_width=sys.maxsize)
    width = console.width if console.file.isatty() else PAGE_WIDTH
    return Measurement.get(console, unbounded, table).maximum <= width


def _console(aside: bool) -> Console:
    stream = sys.stderr if aside else sys.stdout
    return Console(file=stream, width=None if stream.isatty() else FILE_WIDTH)


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


def tracked(items: Sequence[T], activity: str) -> Iterator[T]:
    """Yield the items, and show on stderr how many of them are done; only where somebody watches."""
    if not sys.stderr.isatty():
        yield from items
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as shown:
        yield from shown.track(items, description=activity)


def write_text(path: Path, text: str) -> None:
    """Write a text as UTF-8 to a file, or to stdout where the path is `STDOUT`; say so if a file was replaced.

    Raises
    ------
    ValidationError
        The file cannot be written.
    """
    replaces = path != STDOUT and path.is_file()
    try:
        if path == STDOUT:
            sys.stdout.buffer.write(text.encode())
            sys.stdout.flush()
        else:
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ValidationError(f"{path}: cannot be written: {error.strerror}") from error
    if replaces:
        say(f"{path}: replaced the file that was there")


def write_json(path: Path, content: object) -> None:
    """Write JSON as `write_text` writes a text."""
    write_text(path, json.dumps(content, indent=1, allow_nan=False) + "\n")
