"""Preparing an operation once, to run it often.

``backend.prepare(request)`` looks at an operation's config and at operand *signatures*, no data, and answers with one
of three capabilities. It fills the same plan cache that sessions read, so a prepared operation's first run compiles
nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from wgtensor.contract.arguments import instance_of
from wgtensor.contract.configs import DotGeneralConfig
from wgtensor.errors import PrepareError, ValidationError
from wgtensor.rules import OPERATIONS
from wgtensor.rules.axes import as_integers
from wgtensor.tensor import DType, Layout, Shape, Tensor, as_dtype

if TYPE_CHECKING:
    from wgtensor.contract.protocols import BackendSession

__all__ = [
    "DotGeneralPreparation",
    "DotGeneralPrepareRequest",
    "NeedsSpecialization",
    "PrepareCapability",
    "Prepared",
    "TensorSignature",
    "Unsupported",
]


@dataclass(frozen=True, slots=True)
class TensorSignature:
    """What preparation may know of an operand: everything but its data.

    Parameters
    ----------
    dtype
        The element type.
    shape
        Axis lengths; a ``str`` in place of a length is symbolic (not fixed yet).
    strides
        Strides in elements, or None for row-major.
    offset
        Offset of the first element, in elements.
    """

    dtype: DType
    shape: tuple[int | str, ...]
    strides: tuple[int, ...] | None = None
    offset: int = 0

    def __post_init__(self) -> None:
        name, set_ = "TensorSignature", object.__setattr__
        shape = self.shape if isinstance(self.shape, tuple | list) else as_integers(name, "shape", self.shape)
        as_integers(name, "fixed lengths", [length for length in shape if not isinstance(length, str)])
        as_integers(name, "offset", (self.offset,))
        set_(self, "shape", tuple(shape))
        set_(self, "dtype", as_dtype(self.dtype))
        if self.strides is not None:
            set_(self, "strides", as_integers(name, "strides", self.strides))

    @staticmethod
    def of(tensor: Tensor) -> TensorSignature:
        """Return the signature of ``tensor``."""
        layout = tensor.layout
        return TensorSignature(tensor.dtype, layout.shape, layout.strides, layout.offset)

    @property
    def symbolic_axes(self) -> tuple[int, ...]:
        """Axes whose length is not fixed."""
        return tuple(axis for axis, length in enumerate(self.shape) if isinstance(length, str))

    def layout(self) -> Layout:
        """Return the layout; every length must be fixed."""
        shape = tuple(int(length) for length in self.shape)
        if self.strides is None:
            return Layout.contiguous(shape)
        return Layout(shape, self.strides, self.offset)


@dataclass(frozen=True, slots=True)
class DotGeneralPrepareRequest:
    """One ``dot_general`` to prepare."""

    config: DotGeneralConfig
    lhs: TensorSignature
    rhs: TensorSignature
    lhs_conj: bool = False
    rhs_conj: bool = False

    def __post_init__(self) -> None:
        kinds = (DotGeneralConfig, TensorSignature, TensorSignature, bool, bool)
        for field, kind in zip(fields(self), kinds, strict=True):
            instance_of(kind, f"{field.name} of DotGeneralPrepareRequest", getattr(self, field.name))

    @staticmethod
    def require(request: DotGeneralPrepareRequest) -> None:
        """Raise PrepareError unless ``request`` is one."""
        if not isinstance(request, DotGeneralPrepareRequest):
            raise PrepareError(f"prepare takes a DotGeneralPrepareRequest, got {type(request).__name__}")

    @property
    def open_facts(self) -> tuple[str, ...]:
        """What must be fixed before this can be prepared, such as ``"lhs.shape[1]"``."""
        sides = (("lhs", self.lhs), ("rhs", self.rhs))
        return tuple(f"{side}.shape[{axis}]" for side, signature in sides for axis in signature.symbolic_axes)

    def result_shape(self) -> Shape:
        """Return the product's shape, or raise PrepareError where the config does not fit the signatures."""
        try:
            shapes = [self.lhs.layout().shape, self.rhs.layout().shape]
            return OPERATIONS["dot_general"].infer_shape(shapes, config=self.config)
        except ValidationError as cause:
            raise PrepareError(f"prepare: {cause}") from cause

    def require_operands(self, lhs: Tensor, rhs: Tensor) -> None:
        """Raise PrepareError unless the operands of a run have the prepared signatures."""
        for side, tensor, wanted in (("lhs", lhs, self.lhs), ("rhs", rhs, self.rhs)):
            if tensor.dtype is not wanted.dtype or tensor.layout != wanted.layout():
                raise PrepareError(
                    f"a prepared dot_general needs {side} as prepared ({wanted}), got {TensorSignature.of(tensor)}; "
                    "prepare this signature too, or call dot_general"
                )


class PrepareCapability:
    """What ``prepare`` answers: :class:`Prepared`, :class:`NeedsSpecialization` or :class:`Unsupported`."""

    __slots__ = ()

    def run(self, session: BackendSession, lhs: Tensor, rhs: Tensor) -> Tensor:
        """Run what was prepared; only :class:`Prepared` can.

        Raises
        ------
        PrepareError
            Nothing was prepared; the text says why.
        """
        raise PrepareError(f"run needs a Prepared, got one of {type(self).__name__}: {self._missing()}")

    def _missing(self) -> str:
        raise NotImplementedError


class Prepared(PrepareCapability):
    """An operation that is planned and compiled.

    Attributes
    ----------
    request
        What was prepared.
    workspace_bytes
        Scratch memory that a run takes besides its result.
    compiled
        Number of kernels that this preparation compiled (0 if all were there).
    """

    __slots__ = ("_runner", "compiled", "request", "workspace_bytes")

    def __init__(
        self,
        request: DotGeneralPrepareRequest,
        runner: Callable[[BackendSession, Tensor, Tensor], Tensor],
        workspace_bytes: int,
        compiled: int,
    ) -> None:
        self.request = request
        self.workspace_bytes = workspace_bytes
        self.compiled = compiled
        self._runner = runner

    def run(self, session: BackendSession, lhs: Tensor, rhs: Tensor) -> Tensor:
        """Run on operands of the prepared signatures.

        Raises
        ------
        DTypeError
            An operand is no tensor.
        PrepareError
            An operand's signature differs from the prepared one, or the session is of another runtime.
        """
        for operand in (lhs, rhs):
            instance_of(Tensor, "Prepared.run", operand)
        return self._runner(session, lhs, rhs)

    def __repr__(self) -> str:
        return f"Prepared(dot_general, {self.request.lhs.shape} x {self.request.rhs.shape}, {self.request.lhs.dtype})"


@dataclass(frozen=True, slots=True)
class NeedsSpecialization(PrepareCapability):
    """Facts that must be fixed before the operation can be prepared.

    Attributes
    ----------
    facts
        Names such as ``"lhs.shape[1]"``.
    """

    facts: tuple[str, ...]

    def _missing(self) -> str:
        return f"fix {', '.join(self.facts)} in the request and prepare again"


@dataclass(frozen=True, slots=True)
class Unsupported(PrepareCapability):
    """The backend will not run this; ``reason`` says why and what to do."""

    reason: str

    def _missing(self) -> str:
        return self.reason


@runtime_checkable
class DotGeneralPreparation(Protocol):
    """Something that prepares ``dot_general``."""

    def prepare(self, request: DotGeneralPrepareRequest) -> PrepareCapability:
        """Plan and compile one ``dot_general``.

        Raises
        ------
        PrepareError
            The request is no request, or its config does not fit its signatures.
        """
