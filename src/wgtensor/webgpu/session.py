"""The execution session of the WebGPU backend: where operations live."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from wgtensor.contract.configs import CompareDirection
from wgtensor.contract.protocols import Operand
from wgtensor.contract.scalars import Scalar, plain_scalar
from wgtensor.contract.session import SessionBase, require_resident
from wgtensor.rules import OPERATIONS, Family, Operation
from wgtensor.rules.views import VIEWS, checked_view, view_layout
from wgtensor.tensor import ALL_DTYPES, DType, Layout, Shape, Tensor, float16
from wgtensor.webgpu import transfers
from wgtensor.webgpu.call import Call
from wgtensor.webgpu.kernels.elementwise.rows import FusedRow, fused_row
from wgtensor.webgpu.lowerings import LOWERINGS
from wgtensor.webgpu.runtime import WebGpuRuntime, WebGpuRuntimeIdentity
from wgtensor.webgpu.storage import DeviceStorage, device_storage

__all__ = ["WebGpuExecSession"]

_WIDEST: Final = 8
"""Bytes of the widest element that elementwise kernels compute (complex64)."""

_ATTRIBUTES: Final[dict[str, Sequence[Any]]] = {"compare": tuple(CompareDirection), "cast": ALL_DTYPES}
"""The values of the one attribute that an elementwise operation may have."""

_FAST_ROWS: Final[dict[str, dict[tuple[DType, Any], FusedRow]]] = {
    name: {
        (dtype, attribute): row
        for dtype in ALL_DTYPES
        for attribute in _ATTRIBUTES.get(name, (None,))
        if attribute is not dtype and (row := fused_row(name, dtype, attribute)) is not None
    }
    for name, operation in OPERATIONS.items()
    if operation.family in (Family.ELEMENTWISE, Family.ANALYTIC, Family.CAST) and name not in ("select", "convert")
}
"""What needs no more checks than equal shapes and dtypes: row by operation, and by dtype and attribute."""

_FAST_ROWS_WITHOUT_FLOAT16: Final = {
    name: {key: row for key, row in rows.items() if float16 not in (*key, row.result)}
    for name, rows in _FAST_ROWS.items()
}


_FAST_VIEWS: Final = frozenset(VIEWS) - {"extract_diagonal"}
"""Views whose attributes are integers for sure, so that equal keys of the cache mean equal views."""


class WebGpuExecSession(SessionBase):
    """Operations on tensors of one runtime; made by ``WebGpuBackend.session()``, entered once.

    An operation checks, plans (cached), records, and returns its tensor at once; the device works later, in program
    order. Elementwise operations wait in a fusion window and run as one kernel.
    """

    def __init__(self, runtime: WebGpuRuntime) -> None:
        super().__init__("WebGpuBackend", runtime.domain)
        self._runtime: Final = runtime
        self._recorder: Final = runtime.recorder
        self._pool: Final = runtime.pool
        self._fast_rows: Final = _FAST_ROWS if runtime.facts.float16 else _FAST_ROWS_WITHOUT_FLOAT16
        self._most_elements: Final = runtime.facts.binding_limit // _WIDEST

    @property
    def runtime(self) -> WebGpuRuntime:
        """The runtime whose tensors this session takes."""
        return self._runtime

    @property
    def runtime_identity(self) -> WebGpuRuntimeIdentity:
        """The runtime's opaque identity."""
        return self._runtime.identity

    @property
    def binding_limit(self) -> int:
        """Largest tensor that a kernel can bind, bytes."""
        return self._runtime.facts.binding_limit

    @property
    def buffer_limit(self) -> int:
        """Largest tensor that can be held, moved and joined from parts, bytes."""
        return self._runtime.facts.buffer_limit

    def reclaim(self, x: Tensor) -> None:
        """Check that ``x`` is this session's; its buffer returns to the pool when the last view is gone."""
        self.require_open("reclaim")
        require_resident("reclaim", x, self.domain)

    def run_readers(self, x: Tensor) -> None:
        """Close the windows that read the storage of ``x``: afterwards only tensors hold it."""
        with self._recorder.lock:
            self._recorder.close_readers(device_storage(x))

    def upload_host_tensor(self, tensor: Tensor) -> Tensor:
        """Copy a host tensor (any view) to the device; strides are kept where the view is dense."""
        self.require_open("upload_host_tensor")
        return transfers.upload_host_tensor(self._runtime, tensor)

    def download_to_host(self, tensor: Tensor) -> Tensor:
        """Copy a tensor of this runtime to the host, row-major; blocks until it is there."""
        self.require_open("download_to_host")
        return transfers.download_to_host(self._runtime, tensor)

    def apply(self, name: str, operands: tuple[Operand, ...], **attributes: Any) -> Tensor:
        """Take the short way for elementwise operations on equal shapes and plain numbers; check the rest in full.

        The hot path: flat on purpose.
        """
        rows = self._fast_rows.get(name)
        if rows is None or not self._open:
            view = self._view(name, operands, attributes)
            return super().apply(name, operands, **attributes) if view is None else view
        for first in operands:
            if type(first) is Tensor:
                break
        else:
            return super().apply(name, operands, **attributes)
        attribute = None
        for attribute in attributes.values():  # noqa: B007 - the only one, or none
            pass
        dtype, shape, pool = first.dtype, first.shape, self._pool
        row = rows.get((dtype, attribute))
        if row is None or not 0 < first.layout.size <= self._most_elements:
            return super().apply(name, operands, **attributes)
        ready: list[Any] = []
        for other in operands:
            if type(other) is Tensor:
                storage = other.storage
                if (
                    type(storage) is not DeviceStorage
                    or storage.pool is not pool
                    or other.dtype is not dtype
                    or other.shape != shape
                ):
                    return super().apply(name, operands, **attributes)
                ready.append(other)
            else:
                number = plain_scalar(other, dtype)
                if number is None:
                    return super().apply(name, operands, **attributes)
                ready.append(number)
        recorder = self._recorder
        if recorder.lost is not None:
            recorder.check_alive(name)
        with recorder.lock:
            return recorder.join(row, ready, shape)

    def _view(self, name: str, operands: tuple[Operand, ...], attributes: dict[str, Any]) -> Tensor | None:
        """Return the result of an operation that is a view on a living tensor of this session, else None."""
        x = operands[0] if operands else None
        if (
            name not in _FAST_VIEWS
            or type(x) is not Tensor
            or type(x.storage) is not DeviceStorage
            or x.storage.pool is not self._pool
            or self._recorder.lost is not None
            or not self._open
        ):
            return None
        layout = checked_view(name, x.layout, tuple(attributes.items()))
        return None if layout is None else x.view(layout)

    def check_alive(self, name: str) -> None:
        """Raise if the device is lost or closed, or the process was forked."""
        self._recorder.check_alive(name)

    def _execute(
        self,
        operation: Operation,
        operands: Sequence[Tensor | Scalar],
        shape: Shape,
        dtype: DType,
        attributes: dict[str, Any],
    ) -> Tensor:
        first = operands[0] if operands else None
        if isinstance(first, Tensor):
            view = view_layout(operation.name, first.layout, shape, attributes)
            if view is not None:
                return first.view(Layout.contiguous(shape) if view.is_contiguous else view)
        with self._recorder.lock:
            return LOWERINGS[operation.name](Call(self._runtime, operation.name, operands, shape, dtype, attributes))

    def flush(self) -> None:
        """Close all windows and submit what is recorded, without waiting for it."""
        with self._recorder.lock:
            if self._recorder.lost is None:
                self._recorder.flush()

    def __repr__(self) -> str:
        return f"WebGpuExecSession({self._runtime!r}, {'open' if self._open else 'closed'})"
