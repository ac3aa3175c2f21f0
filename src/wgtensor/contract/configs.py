"""Configurations of the operations that need more than operands.

All are frozen, hashable and independent of any backend. What depends on operand shapes is checked by
``wgtensor.rules``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any

from wgtensor.errors import ValidationError
from wgtensor.rules.axes import as_integer, as_integers

__all__ = [
    "CompareDirection",
    "DotGeneralAccumulation",
    "DotGeneralConfig",
    "GatherConfig",
    "GroupedGemmJob",
    "PadConfig",
    "ScatterConfig",
    "SliceConfig",
]


class CompareDirection(Enum):
    """The relation that ``compare`` tests. Comparisons with NaN are False, except ``NE``."""

    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"


def _freeze(config: Any, *names: str) -> None:
    """Turn the named fields into tuples of int, so that a config may be made from lists and stays hashable."""
    for field in names:
        object.__setattr__(config, field, as_integers(type(config).__name__, field, getattr(config, field)))


def _freeze_numbers(config: Any, *names: str) -> None:
    """Turn the named fields into int."""
    for field in names:
        value = getattr(config, field)
        try:
            object.__setattr__(config, field, as_integer(value))
        except TypeError as cause:
            raise ValidationError(f"{type(config).__name__} needs an integer as {field}, got {value!r}") from cause


@dataclass(frozen=True, slots=True)
class DotGeneralConfig:
    """Which axes ``dot_general`` contracts and which it batches.

    The result's axes are the batch axes (in the listed order), then the free axes of lhs, then those of rhs.

    Parameters
    ----------
    lhs_contracting_dims, rhs_contracting_dims
        Axes that are multiplied and summed, pairwise.
    lhs_batch_dims, rhs_batch_dims
        Axes that are multiplied and kept, pairwise.

    Examples
    --------
    A matrix product and a batched one:

    >>> DotGeneralConfig((1,), (0,)).lhs_contracting_dims
    (1,)
    >>> DotGeneralConfig([2], [1], [0], [0]).lhs_batch_dims
    (0,)
    """

    lhs_contracting_dims: Sequence[int]
    rhs_contracting_dims: Sequence[int]
    lhs_batch_dims: Sequence[int] = ()
    rhs_batch_dims: Sequence[int] = ()

    def __post_init__(self) -> None:
        _freeze(self, "lhs_contracting_dims", "rhs_contracting_dims", "lhs_batch_dims", "rhs_batch_dims")


@dataclass(frozen=True, slots=True)
class DotGeneralAccumulation:
    """How a product meets its destination: ``out = alpha * dot(lhs, rhs) + beta * out``.

    With ``beta == 0`` the old values of ``out`` are not read, so an old NaN does not survive.

    Parameters
    ----------
    alpha, beta
        Python numbers; complex ones only for complex tensors.
    lhs_conj, rhs_conj
        Conjugate the operand first; without effect on real dtypes.
    """

    alpha: complex = 1
    beta: complex = 0
    lhs_conj: bool = False
    rhs_conj: bool = False

    def __post_init__(self) -> None:
        if not (isinstance(self.lhs_conj, bool) and isinstance(self.rhs_conj, bool)):
            raise ValidationError(
                "DotGeneralAccumulation needs bools as lhs_conj and rhs_conj, "
                f"got {self.lhs_conj!r} and {self.rhs_conj!r}"
            )


@dataclass(frozen=True, slots=True)
class GroupedGemmJob:
    """One compact row-major product inside flat buffers; all numbers in elements.

    ``out[rows, cols] = lhs[rows, contracted] @ rhs[contracted, cols]``, each block starting at its offset. A leading
    dimension of 0 means compact.
    """

    out_offset: int
    lhs_offset: int
    rhs_offset: int
    rows: int
    contracted: int
    cols: int
    out_leading: int = 0
    lhs_leading: int = 0
    rhs_leading: int = 0

    def __post_init__(self) -> None:
        _freeze_numbers(self, *(field.name for field in fields(self)))


@dataclass(frozen=True, slots=True)
class GatherConfig:
    """StableHLO's gather dimension numbers; starts are clamped so that every window fits."""

    offset_dims: Sequence[int]
    collapsed_slice_dims: Sequence[int]
    start_index_map: Sequence[int]
    index_vector_dim: int
    slice_sizes: Sequence[int]

    def __post_init__(self) -> None:
        _freeze(self, "offset_dims", "collapsed_slice_dims", "start_index_map", "slice_sizes")
        _freeze_numbers(self, "index_vector_dim")


@dataclass(frozen=True, slots=True)
class ScatterConfig:
    """StableHLO's scatter dimension numbers, and how updates meet the operand.

    Parameters
    ----------
    mode
        ``"add"`` (default), ``"set"``, ``"min"`` or ``"max"``. With ``"set"`` the last update in row-major order wins.
    """

    update_window_dims: Sequence[int]
    inserted_window_dims: Sequence[int]
    scatter_dims_to_operand_dims: Sequence[int]
    index_vector_dim: int
    mode: str = "add"

    def __post_init__(self) -> None:
        _freeze(self, "update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims")
        _freeze_numbers(self, "index_vector_dim")
        if not isinstance(self.mode, str) or self.mode not in ("add", "set", "min", "max"):
            raise ValidationError(f"ScatterConfig needs mode add, set, min or max, got {self.mode!r}")


@dataclass(frozen=True, slots=True)
class SliceConfig:
    """Positions ``start, start + stride, ...`` below ``limit`` on each axis; strides are positive."""

    starts: Sequence[int]
    limits: Sequence[int]
    strides: Sequence[int] | None = None

    def __post_init__(self) -> None:
        _freeze(self, "starts", "limits")
        if self.strides is None:
            object.__setattr__(self, "strides", (1,) * len(self.starts))
        _freeze(self, "strides")


@dataclass(frozen=True, slots=True)
class PadConfig:
    """Elements added before, after and between those of each axis; negative ``low`` and ``high`` crop."""

    low: Sequence[int]
    high: Sequence[int]
    interior: Sequence[int] | None = None

    def __post_init__(self) -> None:
        _freeze(self, "low", "high")
        if self.interior is None:
            object.__setattr__(self, "interior", (0,) * len(self.low))
        _freeze(self, "interior")
