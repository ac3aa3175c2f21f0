"""The table of probes: which operations are probed, in which dtypes, on which operands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from wgtensor.contract import CompareDirection, DotGeneralConfig, GatherConfig, ScatterConfig
from wgtensor.rules import OPERATIONS, Family, Operation
from wgtensor.selftest.samples import SAMPLES, bits, draw, near_one, powers, shifts
from wgtensor.tensor import DType, bool_, float16, int32
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.lowerings import computed_dtypes

__all__ = ["Probe", "list_probes"]

Array = NDArray[Any]
Draw = Callable[[np.random.Generator, DType], tuple[Array, ...]]


@dataclass(frozen=True)
class Probe:
    """One operation in one dtype, on operands that are drawn when it runs.

    Attributes
    ----------
    function
        What the row is called: the operation, and the attribute that tells two of its probes apart.
    operation, dtype
        The operation's row, and the dtype that it computes in.
    draw
        Makes the operands from a random generator.
    attributes
        As sessions hand them to ``apply``.
    """

    function: str
    operation: Operation
    dtype: DType
    draw: Draw
    attributes: Mapping[str, Any] = field(default_factory=dict)


def list_probes(facts: AdapterFacts) -> list[Probe]:
    """Return the probes that an adapter can run: every dtype in which an operation computes there."""
    dtypes = [dtype for dtype in computed_dtypes("cast") if facts.float16 or dtype is not float16]
    return [
        Probe(label, operation, dtype, make, attributes)
        for operation in OPERATIONS.values()
        for label, make, attributes in _variants(operation)
        for dtype in dtypes
        if dtype in computed_dtypes(operation.name)
        and dtype.kind in operation.dtypes
        and (dtype.kind != "c" or label not in _REAL_ONLY)
    ]


def _variants(operation: Operation) -> Iterator[tuple[str, Draw, Mapping[str, Any]]]:
    """Yield label, operands and attributes of an operation's probes."""
    name = operation.name
    if name in _OTHERS:
        for suffix, attributes in _OTHERS[name][1].items():
            yield f"{name} {suffix}".strip(), _OTHERS[name][0], attributes
    elif operation.family in (Family.ELEMENTWISE, Family.ANALYTIC):
        make = _OPERANDS.get(name) or (lambda rng, dtype: draw(rng, dtype, operation.arity))
        yield from (
            (f"{name} {suffix}".strip(), make, given) for suffix, given in _ATTRIBUTES.get(name, _PLAIN).items()
        )


def _select(rng: np.random.Generator, dtype: DType) -> tuple[Array, ...]:
    on_true, on_false = draw(rng, dtype, 2)
    return rng.random(on_true.size) < 0.5, on_true, on_false


_PLAIN: Final[Mapping[str, Mapping[str, Any]]] = {"": {}}
_OPERANDS: Final[dict[str, Draw]] = {"select": _select, "pow": powers, "shift_left": shifts, "shift_right": shifts}
_ATTRIBUTES: Final[dict[str, dict[str, dict[str, Any]]]] = {
    "compare": {each.value: {"direction": each} for each in CompareDirection}
}
_REAL_ONLY: Final = frozenset({"compare lt", "compare le", "compare gt", "compare ge"})

_ROWS, _COLUMNS = 43, 997
"""Of the matrices that are reduced, scanned and sorted: more than :data:`SAMPLES` elements, odd lengths."""


def _matrix(rng: np.random.Generator, dtype: DType) -> tuple[Array, ...]:
    if dtype is bool_:
        return (rng.random((_ROWS, _COLUMNS)) < 0.5,)
    if dtype.kind in "iu":
        return (np.resize(bits(rng, dtype), (_ROWS, _COLUMNS)),)
    values = rng.normal(0, 4, (_ROWS, _COLUMNS))
    return ((values + 1j * rng.normal(0, 4, values.shape) if dtype.kind == "c" else values).astype(dtype.numpy),)


def _unsorted(rng: np.random.Generator, dtype: DType) -> tuple[Array, ...]:
    """Return a matrix with equal elements, and with NaN and infinities where there are any."""
    if dtype.kind != "f":
        return _matrix(rng, dtype)
    return (np.resize(rng.permutation(draw(rng, dtype, 1)[0]), (_ROWS, _COLUMNS)),)


def _rare(rng: np.random.Generator, dtype: DType) -> tuple[Array, ...]:
    """Return bools of which about half of the rows, and few columns, hold a True."""
    return (rng.random((_ROWS, _COLUMNS)) < 0.7 / _COLUMNS,)


def _common(rng: np.random.Generator, dtype: DType) -> tuple[Array, ...]:
    return (~_rare(rng, dtype)[0],)


def _factors(rng: np.random.Generator, dtype: DType) -> tuple[Array, ...]:
    return _matrix(rng, dtype) if dtype.kind in "iu" else (near_one(rng, dtype, (_ROWS, _COLUMNS)),)


def _searched(rng: np.random.Generator, dtype: DType) -> tuple[Array, ...]:
    (x,) = _matrix(rng, dtype)
    return np.sort(x[:1].reshape(-1)), x.reshape(-1)


def _product(rng: np.random.Generator, dtype: DType) -> tuple[Array, ...]:
    (x,) = _matrix(rng, dtype)
    return x.reshape(-1)[: 211 * 197].reshape(211, 197), x.reshape(-1)[-197 * 193 :].reshape(197, 193)


def _rows_of(rng: np.random.Generator, dtype: DType) -> tuple[Array, ...]:
    (x,) = _matrix(rng, dtype)
    return x, rng.integers(-5, _ROWS + 5, _ROWS).astype(int32.numpy)


def _updated(rng: np.random.Generator, dtype: DType) -> tuple[Array, ...]:
    x, starts = _rows_of(rng, dtype)
    return x, starts, x[::-1].copy()


_ALONG: Final[dict[str, dict[str, Any]]] = {"rows": {"axes": (1,)}, "columns": {"axes": (0,)}}
_SCANS: Final[dict[str, dict[str, Any]]] = {
    "": {"axis": 1, "exclusive": False, "reverse": False},
    "exclusive reverse": {"axis": 1, "exclusive": True, "reverse": True},
}
_ORDERS: Final[dict[str, dict[str, Any]]] = {
    "": {"axis": 1, "descending": False},
    "descending": {"axis": 1, "descending": True},
}
_SCATTER: Final = {"update_window_dims": (1,), "inserted_window_dims": (0,), "scatter_dims_to_operand_dims": (0,)}

_OTHERS: Final[dict[str, tuple[Draw, Mapping[str, Mapping[str, Any]]]]] = {
    "reduce_sum": (_matrix, _ALONG),
    "reduce_prod": (_factors, _ALONG),
    **dict.fromkeys(("reduce_max", "reduce_min"), (_unsorted, _ALONG)),
    "reduce_any": (_rare, _ALONG),
    "reduce_all": (_common, _ALONG),
    **dict.fromkeys(("argmax", "argmin"), (_unsorted, {"rows": {"axis": 1}, "columns": {"axis": 0}})),
    **dict.fromkeys(("cumulative_sum", "cumulative_max", "cumulative_min"), (_matrix, _SCANS)),
    "cumulative_prod": (_factors, _SCANS),
    "flat_nonzero": (_matrix, {"": {"count": SAMPLES}}),
    **dict.fromkeys(("sort", "argsort"), (_unsorted, _ORDERS)),
    "searchsorted": (_searched, {side: {"side": side} for side in ("left", "right")}),
    "dot_general": (
        _product,
        {"": {"config": DotGeneralConfig((1,), (0,)), "lhs_conj": False, "rhs_conj": False}},
    ),
    "gather": (_rows_of, {"": {"config": GatherConfig((1,), (0,), (0,), 1, (1, _COLUMNS))}}),
    "scatter": (
        _updated,
        {mode: {"config": ScatterConfig(**_SCATTER, index_vector_dim=1, mode=mode)} for mode in ("set", "add")},
    ),
}
"""Operands and attributes of all that is not elementwise, by the suffix of the row's name."""
