"""The reference backend's execution session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wgtensor.contract.scalars import Scalar
from wgtensor.contract.session import SessionBase, require_resident
from wgtensor.cpu.casts import to_bfloat16
from wgtensor.cpu.lowerings import LOWERINGS
from wgtensor.cpu.runtime import CpuRuntime, CpuRuntimeIdentity
from wgtensor.errors import DeviceOutOfMemoryError
from wgtensor.rules import Family, Operation, view_layout
from wgtensor.tensor import DType, Layout, Shape, Tensor, bfloat16, checked_size

__all__ = ["CpuExecSession"]


class CpuExecSession(SessionBase):
    """All operations, run by NumPy at the call. Made by ``CpuBackend.session()``."""

    def __init__(self, runtime: CpuRuntime) -> None:
        super().__init__("CpuBackend", runtime.domain)
        self._runtime = runtime

    @property
    def runtime(self) -> CpuRuntime:
        """The runtime whose tensors this session takes."""
        return self._runtime

    @property
    def runtime_identity(self) -> CpuRuntimeIdentity:
        """The runtime's identity."""
        return self._runtime.identity

    def upload_host_tensor(self, tensor: Tensor) -> Tensor:
        """Copy a host tensor to this domain."""
        self.require_open("upload_host_tensor")
        return self._runtime.upload(tensor)

    def download_to_host(self, tensor: Tensor) -> Tensor:
        """Copy a tensor of this domain to the host, row-major."""
        self.require_open("download_to_host")
        return self._runtime.download(tensor)

    def reclaim(self, x: Tensor) -> None:
        """Check that ``x`` is of this domain; Python frees its storage when the last view is gone."""
        self.require_open("reclaim")
        require_resident("reclaim", x, self.domain)

    def check_alive(self, name: str) -> None:
        """Raise if the runtime is closed."""
        self._runtime.require_alive(name)

    def _execute(
        self,
        operation: Operation,
        operands: Sequence[Tensor | Scalar],
        shape: Shape,
        dtype: DType,
        attributes: dict[str, Any],
    ) -> Tensor:
        first = operands[0] if operands else None
        layout = view_layout(operation.name, first.layout, shape, attributes) if isinstance(first, Tensor) else None
        if layout is not None and isinstance(first, Tensor):
            return first.view(layout)
        result = self._lower(operation, operands, shape, dtype, attributes)
        self._runtime.counters.dispatches += 1
        if operation.writes:
            out = operands[-1]
            assert isinstance(out, Tensor)
            return out
        return Tensor(dtype, Layout.contiguous(shape), self._runtime.adopt(result))

    def _lower(
        self,
        operation: Operation,
        operands: Sequence[Tensor | Scalar],
        shape: Shape,
        dtype: DType,
        attributes: dict[str, Any],
    ) -> NDArray[Any]:
        """Return the result's elements, flat; they share no memory with an operand (unless one is the destination)."""
        self._runtime.require_memory(operation.name, checked_size(shape) * dtype.itemsize)
        try:
            with np.errstate(all="ignore"):
                arrays = [self._array(each) for each in operands]
                result = LOWERINGS[operation.name](*arrays, **self._planned(operation, operands, attributes))
            return np.asarray(result, _storage_dtype(dtype), order="C").reshape(-1)
        except MemoryError as cause:
            raise DeviceOutOfMemoryError(
                f"{operation.name} needs memory for a result of shape {shape} and {dtype}, got none from the system; "
                "drop tensors, or work in slices"
            ) from cause

    def _planned(
        self, operation: Operation, operands: Sequence[Tensor | Scalar], attributes: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the attributes as the lowering takes them: a plan for a contraction, the source for a cast."""
        if operation.family is Family.CAST:
            return {**attributes, "source": operands[0].dtype}
        if operation.name in ("dot_general", "dot_general_into_accum"):
            rest = {name: value for name, value in attributes.items() if name != "config"}
            return {
                **rest,
                "plan": self._runtime.plans.plan(attributes["config"], operands[0].shape, operands[1].shape),
            }
        return attributes

    def _array(self, operand: Tensor | Scalar) -> NDArray[Any]:
        if isinstance(operand, Tensor):
            return self._runtime.array(operand)
        if operand.dtype is bfloat16:
            return to_bfloat16(np.asarray(operand.value, np.float32))
        return np.asarray(operand.value, operand.dtype.numpy)

    def __repr__(self) -> str:
        return f"CpuExecSession({self._runtime!r}, {'open' if self._open else 'closed'})"

    def flush(self) -> None:
        """Nothing is pending: operations run at the call."""


def _storage_dtype(dtype: DType) -> np.dtype[Any]:
    return np.dtype(np.uint16) if dtype is bfloat16 else np.dtype(dtype)
