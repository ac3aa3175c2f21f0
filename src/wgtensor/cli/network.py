"""``wgtensor network``: make network files."""

from __future__ import annotations

import inspect
from argparse import ArgumentParser, Namespace
from pathlib import Path

from wgtensor.cli.command import Command
from wgtensor.cli.console import STDOUT, say, write_text
from wgtensor.networks import format_instance, path_flops
from wgtensor.networks.generate import KINDS

__all__ = ["COMMAND"]


def _configure(parser: ArgumentParser) -> None:
    subparsers = parser.add_subparsers(title="kinds", metavar="KIND", dest="kind", required=True)
    for kind, make in KINDS.items():
        summary = str(inspect.getdoc(make)).partition("\n")[0].replace("`", "")
        subparser = subparsers.add_parser(kind, help=summary, description=summary)
        for name, parameter in inspect.signature(make).parameters.items():
            subparser.add_argument(f"--{name}", type=int, default=parameter.default, help="default %(default)s")
        subparser.add_argument("-o", "--output", type=Path, metavar="OUT", help="- for stdout; default NAME.json")
        subparser.set_defaults(parser=subparser)


def _run(arguments: Namespace) -> int:
    make = KINDS[arguments.kind]
    instance = make(**{name: getattr(arguments, name) for name in inspect.signature(make).parameters})
    file = arguments.output or Path(f"{instance.name}.json")
    write_text(file, format_instance(instance))
    flops = path_flops(
        instance.inputs, instance.output, instance.paths["opt_flops"], instance.sizes, is_complex=instance.is_complex
    )
    name = instance.name if file == STDOUT else file
    say(f"{name}: {instance.num_tensors} tensors, {flops:,} operations along opt_flops")
    return 0


COMMAND = Command("network", "Make a tensor-network file.", _configure, _run)
