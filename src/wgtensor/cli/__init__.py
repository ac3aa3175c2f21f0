"""The ``wgtensor`` command.

Exit codes: 0, all went well; 1, a result was wrong or a network could not be contracted; 2, the request could not
be carried out (a wrong file, an option that makes no sense, no adapter); 130, it was interrupted.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence

from wgtensor.cli import contract, info, network, selftest
from wgtensor.cli.command import Command
from wgtensor.cli.console import say
from wgtensor.errors import WgTensorError

__all__ = ["COMMANDS", "main"]

COMMANDS: tuple[Command, ...] = (info.COMMAND, selftest.COMMAND, contract.COMMAND, network.COMMAND)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    argv
        The arguments, by default those of the process.
    """
    arguments, unknown = _parser().parse_known_args(argv)
    if unknown:
        arguments.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    command: Command = arguments.command
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.showwarning = lambda message, *_, **__: say(f"note: {message}")
        try:
            return command.run(arguments)
        except WgTensorError as error:
            say(f"wgtensor {command.name}: {error}")
            return 2
        except MemoryError as error:
            say(f"wgtensor {command.name}: this machine has not enough memory: {error}")
            return 2
        except KeyboardInterrupt:
            return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="wgtensor", description="Tensors on any GPU, through WebGPU.")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        subparser = subparsers.add_parser(command.name, help=command.summary, description=command.summary)
        subparser.set_defaults(command=command, parser=subparser)
        command.configure(subparser)
    return parser
