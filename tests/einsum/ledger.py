"""A session for tests of einsum: NumPy, the few operations that einsum may use, and a ledger of what was done.

It knows nothing of plans. It books the bytes of every result until the last view of it is gone, so the peak of a plan
can be measured and not only computed.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wgtensor.contract.configs import DotGeneralConfig
from wgtensor.contract.session import SessionBase
from wgtensor.rules import Operation, view_layout
from wgtensor.tensor import AllocationDomain, ArrayStorage, DType, Layout, Placement, Shape, Tensor, as_dtype

__all__ = ["LedgerSession"]

Array = NDArray[Any]


class _BookedStorage(ArrayStorage):
    """Storage that can be watched."""

    __slots__ = ("__weakref__",)


class LedgerSession(SessionBase):
    """Runs operations in NumPy and remembers their names, the largest step and the peak of live bytes."""

    def __init__(self, binding_limit: int | None = None) -> None:
        super().__init__("ledger", AllocationDomain("ledger"))
        self.binding_limit = binding_limit
        self.operations: list[str] = []
        self.live_bytes = 0
        self.peak_bytes = 0
        self.largest_step = 0
        self.flops = 0
        self.configs: list[DotGeneralConfig] = []
        self.joins: list[tuple[int, list[Layout]]] = []

    def upload_host_tensor(self, tensor: Tensor) -> Tensor:
        """Bring a host tensor in, with its strides."""
        assert isinstance(tensor.storage, ArrayStorage)
        return self._adopt(tensor.storage.flat.copy(), tensor.layout)

    def download_to_host(self, tensor: Tensor) -> Tensor:
        """Return the elements."""
        return Tensor.from_numpy(self.array(tensor).copy())

    def reclaim(self, x: Tensor) -> None:
        """Nothing to do: views are counted."""

    def take(self, array: Array) -> Tensor:
        """Bring an array in."""
        return self.upload_host_tensor(Tensor.from_numpy(array))

    def array(self, tensor: Tensor) -> Array:
        """Return the NumPy view of a tensor."""
        assert isinstance(tensor.storage, ArrayStorage)
        return tensor.storage.view(tensor.layout)

    def _adopt(self, flat: Array, layout: Layout) -> Tensor:
        storage = _BookedStorage(flat, Placement("ledger", 0, self.domain))
        self._book(flat.nbytes)
        weakref.finalize(storage, self._book, -flat.nbytes)
        return Tensor(as_dtype(flat.dtype), layout, storage)

    def _book(self, nbytes: int) -> None:
        self.live_bytes += nbytes
        self.peak_bytes = max(self.peak_bytes, self.live_bytes)

    def check_alive(self, name: str) -> None:
        pass

    def flush(self) -> None:
        pass

    def _execute(
        self,
        operation: Operation,
        operands: Sequence[Any],
        shape: Shape,
        dtype: DType,
        attributes: dict[str, Any],
    ) -> Tensor:
        self.operations.append(operation.name)
        layout = view_layout(operation.name, operands[0].layout, shape, attributes)
        if layout is not None:
            tensor: Tensor = operands[0].view(layout)
            return tensor
        arrays = [self.array(operand) for operand in operands]
        result = np.asarray(_COMPUTED[operation.name](*arrays, **attributes), order="C")
        assert result.shape == shape
        self.flops += _FLOPS[operation.name](arrays, result, attributes)
        if operation.name == "dot_general":
            self.configs.append(attributes["config"])
        if operation.name == "concatenate":
            self.joins.append((attributes["axis"], [operand.layout for operand in operands]))
        else:
            self.largest_step = max(self.largest_step, result.nbytes)
        return self._adopt(result.reshape(-1), Layout.contiguous(shape))


def _dot_general(lhs: Array, rhs: Array, *, config: DotGeneralConfig, **_: Any) -> Array:
    """Batch, lhs free, rhs free axes; by way of matmul."""
    left = _grouped(lhs, config.lhs_batch_dims, config.lhs_contracting_dims)
    right = _grouped(rhs, config.rhs_batch_dims, config.rhs_contracting_dims)
    batch = [lhs.shape[axis] for axis in config.lhs_batch_dims]
    product: Array = np.matmul(_flat(left), _flat(right).swapaxes(1, 2))
    return product.reshape([*batch, *left.shape[1:-1], *right.shape[1:-1]])


def _grouped(array: Array, batch: Sequence[int], contracting: Sequence[int]) -> Array:
    """Return (batch merged, free axes..., contracted axes merged)."""
    free = [axis for axis in range(array.ndim) if axis not in batch and axis not in contracting]
    moved = array.transpose(*batch, *free, *contracting)
    lengths = [math.prod(array.shape[axis] for axis in group) for group in (batch, contracting)]
    return moved.reshape(lengths[0], *(array.shape[axis] for axis in free), lengths[1])


def _flat(grouped: Array) -> Array:
    rows = math.prod(grouped.shape[1:-1])
    return grouped.reshape(grouped.shape[0], rows, grouped.shape[-1])


def _reduce_sum(array: Array, *, axes: tuple[int, ...]) -> Array:
    return np.asarray(array.sum(axis=axes, dtype=array.dtype))


def _concatenate(*arrays: Array, axis: int) -> Array:
    return np.concatenate(arrays, axis)


# No reshape: one that is no view would be a copy, and fails.
_COMPUTED: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "mul": np.multiply,
    "reduce_sum": _reduce_sum,
    "dot_general": _dot_general,
    "concatenate": _concatenate,
}


def _dot_flops(arrays: list[Array], result: Array, attributes: dict[str, Any]) -> int:
    config: DotGeneralConfig = attributes["config"]
    summed: list[int] = [arrays[0].shape[axis] for axis in config.lhs_contracting_dims]
    return 2 * int(result.size) * math.prod(summed)


_FLOPS: dict[str, Callable[[list[Array], Array, dict[str, Any]], int]] = {
    "add": lambda arrays, result, attributes: 0,  # of parts; not of the contraction itself
    "mul": lambda arrays, result, attributes: int(result.size),
    "reduce_sum": lambda arrays, result, attributes: int(arrays[0].size),
    "dot_general": _dot_flops,
    "concatenate": lambda arrays, result, attributes: 0,
}
