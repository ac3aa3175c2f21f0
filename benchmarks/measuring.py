"""What the benchmarks share: rows with bounds, clocks, and the table that is printed."""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

from wgtensor.webgpu.adapters import choose_adapter

__all__ = ["Row", "call_microseconds", "host_rows", "least", "most", "parser_of", "report", "seconds"]

REFERENCE_ADD = 0.35
"""Microseconds of NumPy's addition of 1024 float32 where the bounds were set."""


@dataclass(frozen=True)
class Row:
    """One figure and its bound."""

    what: str
    figure: float
    unit: str
    bound: str
    kept: bool


def most(what: str, figure: float, unit: str, limit: float) -> Row:
    """Return the row of a figure that must not exceed ``limit``."""
    return Row(what, figure, unit, f"<= {limit:g}", figure <= limit)


def least(what: str, figure: float, unit: str, limit: float) -> Row:
    """Return the row of a figure that must reach ``limit``."""
    return Row(what, figure, unit, f">= {limit:g}", figure >= limit)


def seconds(work: Callable[[], Any], runs: int) -> float:
    """Return the median time of ``work`` over ``runs`` calls, after two more."""
    work()
    work()
    times = []
    for _ in range(runs):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return median(times)


def call_microseconds(call: Callable[[], Any], settle: Callable[[], Any] = lambda: None, calls: int = 1000) -> float:
    """Return the median time of one small call, in microseconds, after a warm-up.

    ``settle`` runs every 50 calls, untimed: a software adapter works on the host's own cores, so its work must not run
    beside the call that is timed.
    """
    times = []
    gc.collect()
    gc.disable()
    try:
        for number in range(200 + calls):
            if number % 50 == 0:
                settle()
            start = perf_counter()
            call()
            times.append(perf_counter() - start)
    finally:
        gc.enable()
    return median(times[200:]) * 1e6


def host_rows(
    what: str, call: Callable[[], Any], numpy: Callable[[], Any], limit: float, settle: Callable[[], Any]
) -> Iterator[Row]:
    """Yield a host time in microseconds, and in NumPy additions timed in turn with it, by which it is judged.

    Both are medians over seven rounds of 1000 calls, since machines change their speed meanwhile. ``limit`` was set on
    a machine where NumPy adds 1024 numbers in 0.35 us; others are up to five times slower.
    """
    rounds = [(call_microseconds(call, settle), call_microseconds(numpy)) for _ in range(7)]
    yield Row(what, median(ours for ours, _ in rounds), "us", f"{limit:g} where NumPy takes {REFERENCE_ADD}", True)
    ratio = median(ours / theirs for ours, theirs in rounds)
    addition = median(theirs for _, theirs in rounds)
    yield most(f"  in NumPy additions of {addition:.2f} us", ratio, "x", round(limit / REFERENCE_ADD, 1))


def parser_of(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the options that every benchmark has."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the rows to this file")
    return parser


def report(rows: Iterable[Row], json_file: Path | None) -> int:
    """Print rows as they come and as a table at the end, and return 1 if a bound is broken."""
    warnings.filterwarnings("ignore", message="no GPU was found")
    adapter = choose_adapter(None)
    table = Table("what", "figure", "unit", "bound", "kept", title=f"{adapter.summary}; {os.cpu_count()} cores")
    seen = []
    for each in rows:
        seen.append(each)
        table.add_row(each.what, f"{each.figure:.4g}", each.unit, each.bound, "yes" if each.kept else "NO")
        print(f"{each.what}: {each.figure:.4g} {each.unit}", file=sys.stderr, flush=True)
    Console(width=110).print(table)
    if json_file:
        json_file.write_text(json.dumps([{"adapter": adapter.summary, **asdict(each)} for each in seen], indent=1))
    return 0 if all(each.kept for each in seen) else 1
