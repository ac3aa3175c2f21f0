"""``wgtensor contract``: contract tensor networks from files on a device."""

from __future__ import annotations

import math
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from wgtensor.cli.command import Command
from wgtensor.cli.console import Table, show, write_json
from wgtensor.cli.device import open_device
from wgtensor.cli.measure import Job, Measurement, measure
from wgtensor.contract.memory import parse_bytes
from wgtensor.errors import ValidationError
from wgtensor.networks import NetworkInstance, find_path, read_instance
from wgtensor.networks.paths import Path as ContractionPath

__all__ = ["COMMAND"]

JSON_KEYS = (
    "network",
    "device",
    "adapter",
    "dtype",
    "ok",
    "error",
    "seconds_first",
    "seconds",
    "gflops",
    "submits",
    "compiled",
    "peak_bytes",
)


def _configure(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="FILE", help="network files")
    add("--device", default="webgpu", metavar="DEVICE", help="webgpu (default), webgpu:N (row N of info) or cpu")
    add("--path", default="opt_flops", choices=("opt_flops", "opt_size", "auto"), help="path of the file, or auto")
    add("--dtype", choices=("float32", "complex64"), help="by default float32, or complex64 for complex networks")
    add("--memory", metavar="BYTES", help="most device bytes at once, such as 128MiB or 2GB; larger plans are sliced")
    add("--seed", type=int, default=0, metavar="N", help="of the random operands")
    add("--verify", action="store_true", help="compare with double precision, exit 1 if it differs")
    add("--json", type=Path, metavar="OUT", help="write the rows to a JSON file")


def _run(arguments: Namespace) -> int:
    jobs = [_job(file, arguments) for file in arguments.files]
    device = open_device(arguments.device)
    rows = [measure(job, device) for job in jobs]
    show(_table(rows))
    if arguments.json is not None:
        write_json(arguments.json, [_json_row(row) for row in rows])
    return 0 if all(row.ok for row in rows) else 1


COMMAND = Command("contract", "Contract tensor networks on a device.", _configure, _run)


def _job(file: Path, arguments: Namespace) -> Job:
    instance = read_instance(file)
    try:
        return Job(
            instance,
            path=_path(instance, arguments.path),
            dtype=_dtype(instance, arguments.dtype),
            seed=arguments.seed,
            memory=None if arguments.memory is None else parse_bytes(arguments.memory),
            verify=arguments.verify,
        )
    except ValidationError as error:
        raise ValidationError(f"{file}: {error}") from None


def _path(instance: NetworkInstance, name: str) -> ContractionPath:
    if name == "auto":
        return find_path(instance.inputs, instance.output, instance.sizes)
    if name not in instance.paths:
        held = ", ".join(instance.paths) or "no path"
        raise ValidationError(f"--path {name} needs field 'paths.{name}', the file has {held}; take --path auto")
    return instance.paths[name]


def _dtype(instance: NetworkInstance, asked: str | None) -> str:
    if asked == "float32" and instance.is_complex:
        raise ValidationError(f"--dtype float32 cannot hold field 'dtype' {instance.dtype!r}; take complex64")
    return asked or ("complex64" if instance.is_complex else "float32")


# Output --------------------------------------------------------------------------------------------------

Cell = Callable[[Measurement], str]


def _number(value: float | None, form: str, scale: float = 1) -> str:
    return "-" if value is None else format(value * scale, form)


COLUMNS: tuple[tuple[str, Cell], ...] = (
    ("network", lambda row: row.network),
    ("tensors", lambda row: str(row.tensors)),
    ("FLOPs", lambda row: _number(row.flops, ".3g")),
    ("adapter", lambda row: row.adapter),
    ("dtype", lambda row: row.dtype),
    ("first ms", lambda row: _number(row.seconds_first, ".2f", 1e3)),
    ("repeated ms", lambda row: _number(row.seconds, ".2f", 1e3)),
    ("GFLOP/s", lambda row: _number(row.gflops, ".2f")),
    ("submits", lambda row: _number(row.submits, "d")),
    ("compiled", lambda row: _number(row.compiled, "d")),
    ("peak MB", lambda row: _number(row.peak_bytes, ".2f", 1e-6)),
    ("error", lambda row: _number(row.error, ".1e")),
    ("ok", lambda row: "yes" if row.ok else "NO"),
)
TEXT_COLUMNS = ("network", "adapter", "dtype", "ok")


def _table(rows: Sequence[Measurement]) -> Table:
    table = Table()
    for title, _ in COLUMNS:
        table.add_column(title, justify="left" if title in TEXT_COLUMNS else "right", overflow="fold")
    for row in rows:
        table.add_row(*(cell(row) for _, cell in COLUMNS))
    return table


def _json_row(row: Measurement) -> dict[str, object]:
    values = asdict(row)
    if row.error is not None and not math.isfinite(row.error):
        values["error"] = None  # JSON knows no NaN; the row is not ok
    return {key: values[key] for key in JSON_KEYS}
