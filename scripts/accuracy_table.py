"""Prints docs/accuracy.md: what ``wgtensor selftest --json`` found on each adapter, from the files in docs/accuracy/.

Usage: ``wgtensor selftest --json docs/accuracy/ADAPTER.json`` on each adapter, then
``python scripts/accuracy_table.py > docs/accuracy.md``; a test compares the two.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

RESULTS: Final = Path(__file__).parents[1] / "docs" / "accuracy"

HEAD: Final = """\
# Accuracy

The largest error of each function in ulp, as `wgtensor selftest` measured it. `scripts/accuracy_table.py` writes this
page from the files in `docs/accuracy/`; run `wgtensor selftest` to measure your own adapter.

A function gets 40,000 samples of each range: bit patterns, and five intervals from [-0.001, 0.001] to
[-100000, 100000]; of float16 every number too; of complex64 regions of the plane instead: two squares, the whole plane,
near the axes, near 1, near the unit circle. Every combination of special values is among them: NaN, infinities, signed
zeros, denormals. The reference is NumPy in float64 and complex128. *Bound* is what [](operations.md) states. One ulp is
one of the correctly rounded result; of a complex result one of its magnitude; of a sum or a contraction 2^-23
(float16: 2^-10) of the sum of the magnitudes. An error of at most 0.5 ulp is that of correct rounding, one of 0 that
of equal results (NaN equals NaN). Denormals count on adapters that keep them; SwiftShader and NVIDIA's flush them."""


def page(reports: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Return the lines of the page."""
    yield HEAD
    yield "\n| adapter | driver | backend | probes passed |\n|---|---|---|---|"
    for report in reports:
        passed = sum(row["passed"] for row in report["rows"])
        count = f"{passed} of {len(report['rows'])}"
        yield f"| {report['adapter']} | {report['driver'] or '-'} | {report['backend']} | {count} |"
    dtypes = dict.fromkeys(row["dtype"] for report in reports for row in report["rows"])
    for dtype in dtypes:
        yield from _section(reports, dtype)


def _section(reports: Sequence[dict[str, Any]], dtype: str) -> Iterator[str]:
    found = [{row["function"]: row for row in report["rows"] if row["dtype"] == dtype} for report in reports]
    columns = [number for number, rows in enumerate(found) if rows]
    functions = dict.fromkeys(function for rows in found for function in rows)
    exact = [name for name in functions if all(rows[name]["worst_ulp"] == 0 for rows in found if name in rows)]
    yield f"\n## {dtype}\n"
    if exact:
        yield f"Equal bit for bit: {', '.join(f'`{name}`' for name in exact)}.\n"
    if len(exact) == len(functions):
        return
    yield f"| function | bound | {' | '.join(reports[number]['adapter'] for number in columns)} |"
    yield "|---|---|" + "---|" * len(columns)
    for name in functions:
        if name not in exact:
            cells = [_cell(found[number].get(name)) for number in columns]
            yield f"| `{name}` | {_bound(found, name)} | {' | '.join(cells)} |"


def _bound(found: Sequence[dict[str, Any]], name: str) -> str:
    bounds = sorted({row["bound"] for rows in found if (row := rows.get(name))})
    return " to ".join(f"{bound:.4g}" for bound in dict.fromkeys((bounds[0], bounds[-1])))


def _cell(row: dict[str, Any] | None) -> str:
    if row is None:
        return ""
    worst = "no number" if row["worst_ulp"] is None else f"{row['worst_ulp']:.2f}"
    return worst if row["passed"] else f"**{worst}** at {', '.join(row['at'])}"


if __name__ == "__main__":
    print("\n".join(page([json.loads(path.read_text(encoding="utf-8")) for path in sorted(RESULTS.glob("*.json"))])))
