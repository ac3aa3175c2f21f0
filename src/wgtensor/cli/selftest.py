"""``wgtensor selftest``: whether every function keeps its stated accuracy on this machine's adapter."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wgtensor import __version__
from wgtensor.cli.command import Command
from wgtensor.cli.console import STDOUT, Table, show, tracked, write_json
from wgtensor.cli.device import open_backend
from wgtensor.errors import ValidationError

if TYPE_CHECKING:
    from wgtensor.selftest import Row
    from wgtensor.webgpu import WebGpuBackend

__all__ = ["COMMAND", "report"]

SUMMARY = "Measure the accuracy of every function on an adapter."


def _configure(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("--device", default="webgpu", metavar="DEVICE", help="webgpu (default) or webgpu:N (row N of info)")
    add("--functions", nargs="+", metavar="NAME", help="only these operations, such as exp dot_general")
    add("--json", type=Path, metavar="OUT", help="write the rows to a JSON file; - for stdout")


def _run(arguments: Namespace) -> int:
    backend = open_backend(arguments.device)
    rows = _rows(backend, arguments.functions)
    aside = arguments.json == STDOUT
    show(_table(rows), aside=aside)
    missed = [row for row in rows if not row.passed]
    show(
        f"{len(rows) - len(missed)} of {len(rows)} probes passed on {backend.runtime.adapter_info['device']}",
        aside=aside,
    )
    if arguments.json is not None:
        write_json(arguments.json, report(backend.runtime.adapter_info, rows))
    return 1 if missed else 0


COMMAND = Command("selftest", SUMMARY, _configure, _run)


def _rows(backend: WebGpuBackend, functions: Sequence[str] | None) -> list[Row]:
    from wgtensor.selftest import list_probes, run_probe  # noqa: PLC0415 - the other commands start without it
    from wgtensor.verify.session import flushes_denormals  # noqa: PLC0415 - likewise

    probes = list_probes(backend.runtime.facts)
    known = {probe.operation.name for probe in probes}
    if unknown := set(functions or ()) - known:
        raise ValidationError(f"--functions needs operations that are probed, got {', '.join(sorted(unknown))}")
    chosen = [probe for probe in probes if functions is None or probe.operation.name in functions]
    with backend.session() as session:
        flushes = flushes_denormals(session)
        return [run_probe(session, probe, flushes=flushes) for probe in tracked(chosen, "probing")]


def report(adapter: Any, rows: Sequence[Row]) -> dict[str, Any]:
    """Return what ``--json`` writes: the adapter, the driver, the version, and the rows.

    Parameters
    ----------
    adapter
        The runtime's ``adapter_info``.
    rows
        What the probes found; their fields are those of :class:`wgtensor.selftest.Row`.
    """
    return {
        "wgtensor": __version__,
        "adapter": adapter["device"],
        "driver": adapter["description"],
        "backend": adapter["backend_type"],
        "rows": [asdict(row) for row in rows],
    }


def _table(rows: Sequence[Row]) -> Table:
    """Return a line per function and a column per dtype: the worst error and the bound, in ulp."""
    dtypes = list(dict.fromkeys(row.dtype for row in rows))
    cells = {(row.function, row.dtype): _cell(row) for row in rows}
    table = Table("function", *dtypes, title="worst error of the bound, ulp")
    for function in dict.fromkeys(row.function for row in rows):
        table.add_row(function, *(cells.get((function, dtype), "") for dtype in dtypes))
    return table


def _cell(row: Row) -> str:
    if not row.passed:
        worst = "no number" if row.worst_ulp is None else f"{row.worst_ulp:.3g}"
        return f"MISSED: {worst} of {row.bound:.3g} at {', '.join(row.at)}"
    return "exact" if row.bound == 0 else f"{row.worst_ulp:.2f} of {row.bound:.3g}"
