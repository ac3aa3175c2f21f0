"""The operation protocols of a session (an owner's are in ``wgtensor.contract.owners``).

Each protocol of a session is one family of operations; the elementwise ones are in ``protocols_elementwise``, scans and
sorts in ``protocols_scan``. The methods have bodies: they hand the operation's name, operands and attributes to
``apply``, so that signature and meaning of an operation stand in exactly one place, and a session inherits them. An
owner (a backend) implements none of them; ``isinstance`` tells.

Operands are tensors of the session's own domain, in any layout, or numbers (Python's or NumPy's) where a number makes
sense. Every operation checks, in this order: shapes and axes, dtypes, residency, device state; a failing check moves
nothing and leaves the session usable. Results are new tensors or views; operands never change, but for ``out``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from wgtensor.contract.arguments import instance_of, integer, tuple_of
from wgtensor.contract.configs import (
    DotGeneralAccumulation,
    DotGeneralConfig,
    GatherConfig,
    GroupedGemmJob,
    PadConfig,
    ScatterConfig,
    SliceConfig,
)
from wgtensor.contract.fusion import ElementwiseFusionPlan
from wgtensor.contract.protocols_elementwise import Applies, Operand, TensorAnalytic, TensorElementwise
from wgtensor.contract.protocols_scan import TensorScan, TensorSort
from wgtensor.rules.axes import as_integers
from wgtensor.tensor import DTypeLike, Tensor, as_dtype

__all__ = [
    "BackendSession",
    "Operand",
    "TensorAnalytic",
    "TensorBuffer",
    "TensorDeviceTransfer",
    "TensorDot",
    "TensorElementwise",
    "TensorFusion",
    "TensorIndexing",
    "TensorReduction",
    "TensorStructural",
]


@runtime_checkable
class TensorDeviceTransfer(Protocol):
    """Explicit movement between host and device; on owners and sessions."""

    def upload_host_tensor(self, tensor: Tensor) -> Tensor:
        """Copy a host tensor (any view) to this domain and return the device tensor; strides are kept.

        Raises
        ------
        DTypeError
            It is no tensor.
        RuntimeStateError
            The tensor is on a device already.
        DeviceOutOfMemoryError
            The byte budget does not allow it.
        """

    def download_to_host(self, tensor: Tensor) -> Tensor:
        """Copy a tensor of this domain (any view) to the host, row-major; blocks until it is there.

        Raises
        ------
        DTypeError
            It is no tensor.
        RuntimeStateError
            The tensor is a host tensor, or the device is lost (``DeviceLostError``).
        ForeignDomainError
            The tensor belongs to another runtime.
        """


@runtime_checkable
class TensorBuffer(Applies, Protocol):
    """Storage of tensors."""

    def to_contiguous(self, x: Tensor) -> Tensor:
        """Return ``x`` as a new row-major tensor of its own storage, whatever its strides."""
        return self.apply("to_contiguous", (x,))

    def copy_into(self, x: Tensor, out: Tensor) -> Tensor:
        """Write ``x`` into the elements that the view ``out`` shows and return ``out``; they must not overlap.

        This changes what every view on the storage of ``out`` shows; results that were computed from it before keep
        their values.
        """
        return self.apply("copy_into", tuple_of(Tensor, "copy_into", (x, out)))

    def full(self, shape: Sequence[int], value: complex, dtype: DTypeLike) -> Tensor:
        """Return a new row-major tensor of ``shape`` that holds ``value``, a number that fits ``dtype``, everywhere."""
        return self.apply("full", (), shape=as_integers("full", "shape", shape), value=value, dtype=as_dtype(dtype))

    def iota(self, length: int, dtype: DTypeLike) -> Tensor:
        """Return 0, 1, 2, ... as a rank-1 tensor; integers wrap, floats are rounded to nearest even."""
        return self.apply("iota", (), length=integer(length), dtype=as_dtype(dtype))

    def reclaim(self, x: Tensor) -> None:
        """Say that ``x`` is not needed any more; its storage returns to the pool when the last view is gone."""


@runtime_checkable
class TensorStructural(Applies, Protocol):
    """Shape, order and dtype. Views where strides allow, so most of these touch no data."""

    def transpose(self, x: Tensor, permutation: Sequence[int]) -> Tensor:
        """Return the view whose axis ``i`` is ``x``'s axis ``permutation[i]``."""
        return self.apply("transpose", (x,), permutation=as_integers("transpose", "permutation", permutation))

    def reshape(self, x: Tensor, shape: Sequence[int]) -> Tensor:
        """Return ``x`` in row-major order under another shape; a view where strides allow."""
        return self.apply("reshape", (x,), shape=as_integers("reshape", "shape", shape))

    def broadcast_in_dim(self, x: Tensor, shape: Sequence[int], dims: Sequence[int]) -> Tensor:
        """Return the view of ``shape`` whose axis ``dims[j]`` is ``x``'s axis ``j``; length 1 stretches."""
        return self.apply(
            "broadcast_in_dim",
            (x,),
            shape=as_integers("broadcast_in_dim", "shape", shape),
            dims=as_integers("broadcast_in_dim", "dims", dims),
        )

    def cast(self, x: Tensor, dtype: DTypeLike) -> Tensor:
        """Return ``x`` in another dtype, with loss: float to int truncates, saturates, NaN is 0; non-zero is True."""
        return self.apply("cast", (x,), dtype=as_dtype(dtype))

    def convert(self, x: Tensor, dtype: DTypeLike) -> Tensor:
        """Return ``x`` in a dtype that the promotion lattice allows from its own; else ``DTypeError``."""
        return self.apply("convert", (x,), dtype=as_dtype(dtype))

    def extract_diagonal(self, x: Tensor, axis_a: int = -2, axis_b: int = -1) -> Tensor:
        """Return the view of the diagonal of two equally long axes, at the lower axis' position."""
        return self.apply("extract_diagonal", (x,), axis_a=integer(axis_a), axis_b=integer(axis_b))

    def embed_diagonal(self, x: Tensor, axis_a: int = -1, axis_b: int | None = None) -> Tensor:
        """Return ``x`` with a new axis ``axis_b`` (default: after the last), ``axis_a`` laid on their diagonal."""
        return self.apply("embed_diagonal", (x,), axis_a=integer(axis_a), axis_b=integer(axis_b))

    def tril(self, x: Tensor, k: int = 0) -> Tensor:
        """Return ``x`` with zeros above the ``k``-th diagonal of the last two axes."""
        return self.apply("tril", (x,), k=integer(k))

    def triu(self, x: Tensor, k: int = 0) -> Tensor:
        """Return ``x`` with zeros below the ``k``-th diagonal of the last two axes."""
        return self.apply("triu", (x,), k=integer(k))


@runtime_checkable
class TensorReduction(Applies, Protocol):
    """Reductions. The listed axes are removed; an empty list copies. Sums are tree-shaped."""

    def reduce_sum(self, x: Tensor, axes: Sequence[int]) -> Tensor:
        """Return the sum; 0 over a zero-length axis. Integers wrap."""
        return self.apply("reduce_sum", (x,), axes=as_integers("reduce_sum", "axes", axes))

    def reduce_prod(self, x: Tensor, axes: Sequence[int]) -> Tensor:
        """Return the product; 1 over a zero-length axis. Integers wrap."""
        return self.apply("reduce_prod", (x,), axes=as_integers("reduce_prod", "axes", axes))

    def reduce_max(self, x: Tensor, axes: Sequence[int]) -> Tensor:
        """Return the largest; NaN if any is NaN. A zero-length axis is a ``ValidationError``."""
        return self.apply("reduce_max", (x,), axes=as_integers("reduce_max", "axes", axes))

    def reduce_min(self, x: Tensor, axes: Sequence[int]) -> Tensor:
        """Return the smallest; NaN if any is NaN. A zero-length axis is a ``ValidationError``."""
        return self.apply("reduce_min", (x,), axes=as_integers("reduce_min", "axes", axes))

    def reduce_any(self, x: Tensor, axes: Sequence[int]) -> Tensor:
        """Return whether any bool is True; False over a zero-length axis."""
        return self.apply("reduce_any", (x,), axes=as_integers("reduce_any", "axes", axes))

    def reduce_all(self, x: Tensor, axes: Sequence[int]) -> Tensor:
        """Return whether all bools are True; True over a zero-length axis."""
        return self.apply("reduce_all", (x,), axes=as_integers("reduce_all", "axes", axes))

    def argmax(self, x: Tensor, axis: int) -> Tensor:
        """Return the int32 position of the first largest; the first NaN wins."""
        return self.apply("argmax", (x,), axis=integer(axis))

    def argmin(self, x: Tensor, axis: int) -> Tensor:
        """Return the int32 position of the first smallest; the first NaN wins."""
        return self.apply("argmin", (x,), axis=integer(axis))


@runtime_checkable
class TensorIndexing(Applies, Protocol):
    """Slices, padding, joining, and StableHLO's gather and scatter. Starts are clamped, never dropped."""

    def slice(self, x: Tensor, config: SliceConfig) -> Tensor:
        """Return the view that ``config`` describes."""
        return self.apply("slice", (x,), config=instance_of(SliceConfig, "slice", config))

    def reverse(self, x: Tensor, axes: Sequence[int]) -> Tensor:
        """Return the view that walks ``axes`` backwards."""
        return self.apply("reverse", (x,), axes=as_integers("reverse", "axes", axes))

    def pad(self, x: Tensor, config: PadConfig, value: Operand = False) -> Tensor:
        """Return ``x`` padded with ``value`` (default: zero), or cropped where ``low`` or ``high`` is negative."""
        return self.apply("pad", (x, value), config=instance_of(PadConfig, "pad", config))

    def concatenate(self, tensors: Sequence[Tensor], axis: int) -> Tensor:
        """Return the tensors joined along ``axis``; other lengths and dtypes are equal."""
        return self.apply("concatenate", tuple_of(Tensor, "concatenate", tensors), axis=integer(axis))

    def gather(self, x: Tensor, starts: Tensor, config: GatherConfig) -> Tensor:
        """Return windows of ``x`` at integer ``starts``."""
        return self.apply(
            "gather", tuple_of(Tensor, "gather", (x, starts)), config=instance_of(GatherConfig, "gather", config)
        )

    def scatter(self, x: Tensor, starts: Tensor, updates: Tensor, config: ScatterConfig) -> Tensor:
        """Return ``x`` with ``updates`` combined into windows at integer ``starts``; mode set moves any dtype.

        The result is the same in every run, in whatever order a device works.
        """
        return self.apply(
            "scatter",
            tuple_of(Tensor, "scatter", (x, starts, updates)),
            config=instance_of(ScatterConfig, "scatter", config),
        )

    def dynamic_slice(self, x: Tensor, starts: Tensor, sizes: Sequence[int]) -> Tensor:
        """Return the window of ``sizes`` at the integer vector ``starts``."""
        return self.apply(
            "dynamic_slice",
            tuple_of(Tensor, "dynamic_slice", (x, starts)),
            sizes=as_integers("dynamic_slice", "sizes", sizes),
        )

    def dynamic_update_slice(self, x: Tensor, update: Tensor, starts: Tensor) -> Tensor:
        """Return ``x`` with ``update`` written at the integer vector ``starts``."""
        return self.apply("dynamic_update_slice", tuple_of(Tensor, "dynamic_update_slice", (x, update, starts)))


@runtime_checkable
class TensorDot(Applies, Protocol):
    """Contractions. A zero-length contracted axis gives zeros; no contracted axis is an outer product."""

    def dot_general(self, lhs: Tensor, rhs: Tensor, config: DotGeneralConfig) -> Tensor:
        """Return the contraction, axes ordered batch, lhs free, rhs free."""
        return self.apply(
            "dot_general",
            (lhs, rhs),
            config=instance_of(DotGeneralConfig, "dot_general", config),
            lhs_conj=False,
            rhs_conj=False,
        )

    def dot_general_with_conj(
        self, lhs: Tensor, rhs: Tensor, config: DotGeneralConfig, lhs_conj: bool = False, rhs_conj: bool = False
    ) -> Tensor:
        """Return ``dot_general`` with either operand conjugated first (no effect on real dtypes)."""
        return self.apply(
            "dot_general",
            (lhs, rhs),
            config=instance_of(DotGeneralConfig, "dot_general", config),
            lhs_conj=instance_of(bool, "dot_general", lhs_conj),
            rhs_conj=instance_of(bool, "dot_general", rhs_conj),
        )

    def dot_general_into_accum(
        self,
        lhs: Tensor,
        rhs: Tensor,
        config: DotGeneralConfig,
        accumulation: DotGeneralAccumulation,
        out: Tensor,
    ) -> Tensor:
        """Set ``out`` to ``alpha * dot + beta * out`` and return it; ``out`` must not overlap an operand."""
        return self.apply(
            "dot_general_into_accum",
            (lhs, rhs, out),
            config=instance_of(DotGeneralConfig, "dot_general_into_accum", config),
            accumulation=instance_of(DotGeneralAccumulation, "dot_general_into_accum", accumulation),
        )

    def grouped_gemm(
        self,
        lhs: Tensor,
        rhs: Tensor,
        jobs: Sequence[GroupedGemmJob],
        accumulation: DotGeneralAccumulation,
        out: Tensor,
    ) -> Tensor:
        """Run many small row-major products inside three rank-1 tensors; output ranges must be disjoint."""
        return self.apply(
            "grouped_gemm",
            (lhs, rhs, out),
            jobs=tuple_of(GroupedGemmJob, "grouped_gemm", jobs),
            accumulation=instance_of(DotGeneralAccumulation, "grouped_gemm", accumulation),
        )

    def vdot(self, lhs: Tensor, rhs: Tensor) -> Tensor:
        """Return the rank-0 ``sum(conj(lhs) * rhs)`` of two tensors of one shape."""
        return self.apply("vdot", (lhs, rhs))

    def norm_squared(self, x: Tensor) -> Tensor:
        """Return the rank-0 ``sum(abs(x)**2)``, real."""
        return self.apply("norm_squared", (x,))

    def axpby(self, alpha: complex, x: Tensor, beta: complex, y: Tensor) -> Tensor:
        """Return ``alpha * x + beta * y``; with ``beta == 0`` the values of ``y`` are not read."""
        return self.apply("axpby", (x, y), alpha=alpha, beta=beta)


@runtime_checkable
class TensorFusion(Protocol):
    """Several elementwise operations as one unit of work."""

    def execute_elementwise_fusion(self, inputs: Sequence[Tensor], plan: ElementwiseFusionPlan) -> list[Tensor]:
        """Run a plan and return its outputs: the very same bits as its operations one by one."""

    def execute_broadcast_multiply(
        self,
        lhs: Tensor,
        lhs_shape: Sequence[int],
        lhs_dims: Sequence[int],
        rhs: Tensor,
        rhs_shape: Sequence[int],
        rhs_dims: Sequence[int],
    ) -> Tensor:
        """Multiply two ``broadcast_in_dim`` views without materialising them."""


@runtime_checkable
class BackendSession(
    TensorDeviceTransfer,
    TensorBuffer,
    TensorElementwise,
    TensorAnalytic,
    TensorStructural,
    TensorReduction,
    TensorScan,
    TensorSort,
    TensorIndexing,
    TensorDot,
    TensorFusion,
    Protocol,
):
    """All families: what a session of any backend offers."""
