"""One checked operation on its way to the device: what every lowering takes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from wgtensor.contract.scalars import Scalar
from wgtensor.tensor import DType, Layout, Shape, Tensor
from wgtensor.webgpu.kernels.plan import LaunchPlan

if TYPE_CHECKING:
    from wgtensor.webgpu.runtime import WebGpuRuntime

__all__ = ["Call", "Planning"]

Planning: TypeAlias = tuple[tuple[Hashable, ...], Callable[[], LaunchPlan]]
"""The key of a plan, and what makes it."""


class Call(NamedTuple):
    """An operation whose operands are checked; the runtime's lock is held. A tuple, since each operation makes one.

    Attributes
    ----------
    runtime, name, operands, attributes
        Where, what, on what and how.
    shape, dtype
        Of the result.
    """

    runtime: WebGpuRuntime
    name: str
    operands: Sequence[Tensor | Scalar]
    shape: Shape
    dtype: DType
    attributes: dict[str, Any]

    @property
    def tensors(self) -> list[Tensor]:
        """The operands that are tensors."""
        return [each for each in self.operands if isinstance(each, Tensor)]

    @property
    def result(self) -> Layout:
        """Layout of a new result: row-major."""
        return Layout.contiguous(self.shape)
