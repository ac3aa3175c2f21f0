"""What a subcommand is: a row of the command table."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Command"]


@dataclass(frozen=True, slots=True)
class Command:
    """A subcommand.

    Attributes
    ----------
    name, summary
        What it is called, and one sentence for the help.
    configure
        Adds its arguments to a parser.
    run
        Does the work and returns the exit code.
    """

    name: str
    summary: str
    configure: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], int]
