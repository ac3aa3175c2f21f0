"""``wgtensor contract``: contract tensor networks from files on a device."""

from __future__ import annotations

import math
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path

from rich import box

from wgtensor.cli.command import Command
from wgtensor.cli.console import STDOUT, Table, fits, show, write_json
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
    "value",
)

MEMORY_HELP = """most bytes that the plan's tensors may take on the device at once, such as 128MiB or 2GB; larger plans
are sliced. Not counted: the rounding of buffers up to size classes, and tables of offsets"""


def _configure(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="FILE", help="network files")
    add("--device", default="webgpu", metavar="DEVICE", help="webgpu (default), webgpu:N (row N of info) or cpu")
    add("--path", default="opt_flops", choices=("opt_flops", "opt_size", "auto"), help="of the file, or found: auto")
    add("--dtype", choices=("float32", "complex64"), help="by default float32, or complex64 for complex networks")
    add("--memory", type=_byte_count, metavar="BYTES", help=MEMORY_HELP)
    add("--seed", type=_seed, default=0, metavar="N", help="of the random operands")
    add("--verify", action="store_true", help="compare with double precision, exit 1 if it differs")
    add("--json", type=Path, metavar="OUT", help="write the rows to a JSON file; - for stdout")


def _byte_count(text: str) -> int:
    try:
        return parse_bytes(text)
    except (ValidationError, OverflowError) as error:
        raise ArgumentTypeError(str(error)) from None


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise ArgumentTypeError(f"a seed is an integer from 0 on, got {text!r}")
    return int(text)


def _run(arguments: Namespace) -> int:
    jobs = [_job(file, arguments) for file in arguments.files]
    device = open_device(arguments.device)
    rows = [measure(job, device) for job in jobs]
    aside = arguments.json == STDOUT
    show(f"{device.name}: {device.adapter}", aside=aside)
    show(_fitting_table(rows, aside), aside=aside)
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
            memory=arguments.memory,
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


def _three_digits(value: float | None) -> str:
    return "-" if value is None else f"{float(f'{value:.3g}'):g}"


def _size(count: int | None) -> str:
    if count is None:
        return "-"
    scale, unit = next((row for row in UNITS if count >= row[0]), UNITS[-1])
    return f"{_three_digits(count / scale)} {unit}"


def _value(value: complex | None) -> str:
    """Show counts in full: those that float32 holds exactly have at most 9 digits."""
    if isinstance(value, float):
        return format(value, ".9g" if value.is_integer() else ".3g")
    return "-" if value is None else format(value, ".2g")


def _verdict(row: Measurement) -> str:
    if not row.ok:
        return "NO"
    return "yes" if row.compared else "-"


UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1, "B"))

COLUMNS: tuple[tuple[str, Cell], ...] = (
    ("network", lambda row: row.network),
    ("tensors", lambda row: str(row.tensors)),
    ("FLOPs", lambda row: format(Decimal(row.flops), ".2e")),  # it may be beyond a float
    ("dtype", lambda row: row.dtype),
    ("first ms", lambda row: _number(row.seconds_first, ".2f", 1e3)),
    ("next ms", lambda row: _number(row.seconds, ".2f", 1e3)),
    ("GFLOP/s", lambda row: _three_digits(row.gflops)),
    ("submits", lambda row: _number(row.submits, "d")),
    ("compiled", lambda row: _number(row.compiled, "d")),
    ("peak", lambda row: _size(row.peak_bytes)),
    ("result", lambda row: _value(row.value)),
    ("error", lambda row: _number(row.error, ".1e")),
    ("ok", _verdict),
)
TEXT_COLUMNS = ("network", "dtype", "ok")
DETAILS = ("tensors", "FLOPs", "submits", "compiled", "first ms", "dtype", "error", "peak")
"""Columns that a narrow table leaves out, the first ones first."""


def _fitting_table(rows: Sequence[Measurement], aside: bool) -> Table:
    table = _table(rows, omit=())
    for count in range(1, len(DETAILS) + 1):
        if fits(table, aside=aside):
            break
        table = _table(rows, omit=DETAILS[:count])
    return table


def _table(rows: Sequence[Measurement], omit: Sequence[str]) -> Table:
    columns = [(title, cell) for title, cell in COLUMNS if title not in omit]
    table = Table(box=box.SIMPLE_HEAD, padding=0, show_edge=False)
    for title, _ in columns:
        table.add_column(title, justify="left" if title in TEXT_COLUMNS else "right", overflow="fold")
    for row in rows:
        table.add_row(*(cell(row) for _, cell in columns))
    return table


def _json_row(row: Measurement) -> dict[str, object]:
    values = asdict(row) | {"error": _json_number(row.error), "value": _json_number(row.value)}
    return {key: values[key] for key in JSON_KEYS}


def _json_number(value: complex | None) -> object:
    """Return what JSON holds of a number: complex ones as a pair, and null for NaN and infinities."""
    if isinstance(value, complex):
        return [_json_number(value.real), _json_number(value.imag)]
    return value if value is not None and math.isfinite(value) else None
