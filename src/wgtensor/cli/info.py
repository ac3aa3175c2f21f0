"""``wgtensor info``: the adapters of this machine, and what wgtensor can do with each."""

from __future__ import annotations

import json
import platform
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from wgtensor.cli.command import Command
from wgtensor.cli.console import Table, show
from wgtensor.webgpu.adapters import FEATURES, SHARED_MEMORY_FEATURES, AdapterRow, list_adapters, no_adapter_message
from wgtensor.webgpu.budget import memory_budget
from wgtensor.webgpu.facts import AdapterClass

__all__ = ["COMMAND"]

COMPUTED = {
    "bool": None,
    "int32": None,
    "uint32": None,
    "float16": "shader-f16",
    "float32": None,
    "complex64": None,
}
"""Dtypes that WebGPU sessions compute in, and the feature that each needs. Transfers take every dtype."""

CLASSES = {"discrete": AdapterClass.DISCRETE, "cpu": AdapterClass.SOFTWARE}
"""Adapter classes by kind; every other kind shares its memory with the host."""

LIMITS = {
    "max-storage-buffer-binding-size": "largest binding",
    "max-buffer-size": "largest buffer",
    "max-storage-buffers-per-shader-stage": "storage buffers",
    "max-compute-invocations-per-workgroup": "workgroup invocations",
    "max-compute-workgroup-storage-size": "workgroup memory",
    "max-compute-workgroups-per-dimension": "workgroups a dimension",
}
"""The limits that plans depend on."""


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="write everything as JSON")


def _run(arguments: Namespace) -> int:
    rows = list_adapters()
    if arguments.json:
        show(json.dumps(_report(rows), indent=1, default=str))
        return 0
    show(f"wgtensor {_version('wgtensor')}, wgpu {_version('wgpu')}, Python {platform.python_version()}, {_platform()}")
    show(_adapter_table(rows))
    for row in rows:
        if row.verdict == "taken":
            show(_facts_table(row))
    if not _taken(rows):
        show(_no_adapter(rows))
    return 0


COMMAND = Command("info", "Show the adapters of this machine and what they can do.", _configure, _run)


def _taken(rows: Sequence[AdapterRow]) -> list[AdapterRow]:
    return [row for row in rows if row.verdict == "taken"]


def _no_adapter(rows: Sequence[AdapterRow]) -> str:
    return no_adapter_message([f"{row.info['device']}: {row.reason}" for row in rows])


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "(not installed)"


def _platform() -> str:
    return f"{platform.system()} {platform.machine()}"


def _dtypes(row: AdapterRow) -> list[str]:
    return [name for name, feature in COMPUTED.items() if feature is None or feature in row.features]


def _budget(row: AdapterRow) -> int | None:
    return memory_budget(CLASSES.get(row.kind, AdapterClass.INTEGRATED))


def _adapter_table(rows: Sequence[AdapterRow]) -> Table:
    table = Table("device", "adapter", "driver", "kind", "backend", "verdict")
    for row in rows:
        verdict = row.verdict if not row.reason else f"{row.verdict}: {row.reason}"
        info = row.info
        table.add_row(
            f"webgpu:{row.index}", info["device"], info["description"], row.kind, info["backend_type"], verdict
        )
    table.add_row("cpu", "NumPy", version("numpy"), "reference", "-", "taken, but only when asked for")
    return table


def _facts_table(row: AdapterRow) -> Table:
    table = Table(f"webgpu:{row.index}", row.info["device"])
    table.add_row("dtypes", ", ".join(_dtypes(row)))
    budget = _budget(row)
    table.add_row("memory budget", "until the driver refuses" if budget is None else f"{budget:,} bytes")
    for name, title in LIMITS.items():
        table.add_row(title, f"{row.limits[name]:,}")
    used = row.features & {*FEATURES, *SHARED_MEMORY_FEATURES}
    table.add_row("features", f"{', '.join(sorted(used))} (and {len(row.features - used)} that wgtensor does not use)")
    return table


def _report(rows: Sequence[AdapterRow]) -> dict[str, Any]:
    return {
        "wgtensor": _version("wgtensor"),
        "wgpu": _version("wgpu"),
        "python": platform.python_version(),
        "platform": _platform(),
        "adapters": [_adapter_report(row) for row in rows],
        "message": None if _taken(rows) else _no_adapter(rows),
    }


def _adapter_report(row: AdapterRow) -> dict[str, Any]:
    return {
        "device": f"webgpu:{row.index}",
        "kind": row.kind,
        "verdict": row.verdict,
        "reason": row.reason,
        "dtypes": _dtypes(row),
        "budget_bytes": _budget(row),
        "info": dict(row.info),
        "features": sorted(row.features),
        "limits": dict(row.limits),
    }
