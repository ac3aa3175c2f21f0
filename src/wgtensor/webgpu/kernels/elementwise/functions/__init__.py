"""The WGSL function files and their dependencies.

Every function takes and returns four elements. A file says in its head what it promises (error bound, range,
special values) and by which method. The module that includes them provides ``fn wg_zero() -> u32``, which
returns 0 and which no compiler can fold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

__all__ = ["FUNCTIONS", "Function", "function_source"]


@dataclass(frozen=True, slots=True)
class Function:
    """A file of WGSL functions.

    Attributes
    ----------
    file
        Its name, beside this module.
    needs
        The entries of ``FUNCTIONS`` that must precede it.
    """

    file: str
    needs: tuple[str, ...] = ()


FUNCTIONS: Mapping[str, Function] = {
    "core": Function("core.wgsl"),
    "rounded": Function("rounded.wgsl", ("core",)),
    "scale": Function("scale.wgsl", ("core",)),
    "exp": Function("exp.wgsl", ("scale",)),
    "log": Function("log.wgsl", ("scale",)),
    "base2": Function("base2.wgsl", ("log", "scale")),
    "pow": Function("pow.wgsl", ("base2",)),
    "logaddexp": Function("logaddexp.wgsl", ("exp", "log", "extrema")),
    "erf": Function("erf.wgsl", ("exp",)),
    "trigonometric": Function("trigonometric.wgsl", ("core",)),
    "tangent": Function("tangent.wgsl", ("trigonometric", "rounded")),
    "inverse_trigonometric": Function("inverse_trigonometric.wgsl", ("rounded",)),
    "hyperbolic": Function("hyperbolic.wgsl", ("exp", "rounded")),
    "inverse_hyperbolic": Function("inverse_hyperbolic.wgsl", ("log", "rounded")),
    "extrema": Function("extrema.wgsl", ("core",)),
    "remainder": Function("remainder.wgsl", ("core",)),
    "floor_division": Function("floor_division.wgsl", ("remainder", "rounded")),
    "rounding": Function("rounding.wgsl", ("core",)),
    "neighbor": Function("neighbor.wgsl", ("core",)),
    "cast": Function("cast.wgsl", ("core",)),
    "integer": Function("integer.wgsl"),
    "shift": Function("shift.wgsl"),
    "angle": Function("angle.wgsl", ("rounded",)),
    "complex": Function("complex.wgsl", ("rounded", "scale")),
    "complex_exp": Function("complex_exp.wgsl", ("complex", "exp", "trigonometric")),
    "complex_log": Function("complex_log.wgsl", ("complex", "log", "angle")),
    "complex_sqrt": Function("complex_sqrt.wgsl", ("complex",)),
    "complex_hyperbolic": Function("complex_hyperbolic.wgsl", ("complex_exp", "hyperbolic")),
    "complex_inverse": Function("complex_inverse.wgsl", ("complex_sqrt", "complex_log", "inverse_hyperbolic")),
    "complex_atanh": Function("complex_atanh.wgsl", ("complex", "log", "angle")),
    "complex_pow": Function("complex_pow.wgsl", ("complex_exp", "complex_log")),
}


def function_source(names: Iterable[str]) -> str:
    """WGSL of the named function files and of all that they need, each once, in dependency order.

    Parameters
    ----------
    names
        Keys of ``FUNCTIONS``, repeated or not.

    Examples
    --------
    >>> "fn wg_exp(" in function_source(["hyperbolic"])
    True
    """
    ordered: dict[str, None] = {}
    for name in names:
        _visit(name, ordered)
    return "\n".join(_read(FUNCTIONS[name].file) for name in ordered)


def _visit(name: str, ordered: dict[str, None]) -> None:
    for needed in FUNCTIONS[name].needs:
        _visit(needed, ordered)
    ordered.setdefault(name)


@cache
def _read(file: str) -> str:
    return (resources.files(__name__) / file).read_text(encoding="utf-8")
