"""The engine seam: the 17 methods through which wgtensor drives a GPU.

One interface, several engines: ``native`` (wgpu's C library), ``portable`` (wgpu-py's public API) and
``null`` (records and counts, computes nothing). One test-suite runs over all of them.

Order
    ``dispatch``, ``copy`` and ``fill`` take effect in the order in which they are recorded. ``write`` takes
    effect after everything submitted and *before* everything recorded since the last submit, so it is legal
    only on a buffer that the open batch does not use. ``read`` submits the open batch first.
    A batch that outgrows the uniform ring is handed to the queue in parts; nothing else shows it.
Tickets
    Numbers that grow by one with each submit. ``finished`` never blocks.
Ownership
    Handles are opaque and owned by the caller (the pool). A handle is released exactly once, and ``release``
    is legal as soon as its last use has been recorded, never before. Bindings have a size above zero.
Blocking
    Only ``open``, ``wait`` and ``Pending.result`` block, and each has an awaitable form. Where
    ``facts.can_block`` is False they raise and name the awaitable form. ``write`` may wait for earlier writes
    once more than 64 MiB of them are on their way.
Failure
    A batch whose recording failed is never submitted: ``submit`` still returns a ticket, and ``errors`` says
    what happened, so that the recorder can poison the batch's results. Loss is sticky: once ``lost`` has a
    text, ``submit``, ``read``, ``wait`` and ``buffer`` raise ``DeviceLostError``.
    A forked child may not use its parent's engine: ``RuntimeStateError``.
Threads
    Callers hold the runtime's lock, except for ``release`` and ``finished``.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol, TypeAlias, runtime_checkable

__all__ = [
    "PARAMS_LIMIT",
    "Binding",
    "BufferKind",
    "Engine",
    "EngineFacts",
    "EngineRequest",
    "Handle",
    "Pending",
    "Pipeline",
    "Ticket",
]

# Opaque to everyone but the engine that made them: a cffi pointer, a wgpu object or an integer.
Handle: TypeAlias = Any
Pipeline: TypeAlias = Any
Ticket: TypeAlias = int
Binding: TypeAlias = tuple[Handle, int, int]
"""A handle, a byte offset (a multiple of ``facts.offset_alignment``), a size above zero (a multiple of 4)."""

PARAMS_LIMIT = 1024
"""Largest ``params`` of one dispatch, in bytes."""


class BufferKind(Enum):
    """What a buffer is for; decides its usage flags."""

    STORAGE = "storage"
    """Tensor data: bound to kernels, copied from and to, written. Mappable where ``facts.maps_storage``."""
    TABLE = "table"
    """Small read-only data for kernels (offset tables); never read back."""


@dataclass(frozen=True, slots=True)
class EngineRequest:
    """What to open.

    Attributes
    ----------
    adapter
        The adapter, as ``wgtensor.webgpu.adapters`` found it (engine-specific object).
    features
        Names of features to enable (wgpu's spelling, for example ``"shader-f16"``).
    checked
        Compile every shader with wgpu's injected bounds and loop checks.
    timestamps
        Time every dispatch, in a compute pass of its own; needs the feature ``"timestamp-query"``.
    """

    adapter: Any
    features: frozenset[str] = frozenset()
    checked: bool = False
    timestamps: bool = False


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """What an opened engine can do.

    Attributes
    ----------
    name
        ``"native"``, ``"portable"`` or ``"null"``.
    adapter_info
        Keys ``vendor``, ``device``, ``description``, ``adapter_type``, ``backend_type``, ``architecture``.
    limits
        Device limits by WebGPU name (``"max-storage-buffer-binding-size"`` ...), in the limit's own unit.
    features
        Enabled features.
    can_block
        Whether ``wait`` and ``Pending.result`` may block.
    maps_storage
        Whether storage buffers are mapped directly for reads (software and integrated adapters).
    offset_alignment
        Alignment of binding offsets, bytes.
    checked
        Whether shaders are compiled with injected checks.
    """

    name: str
    adapter_info: Mapping[str, str]
    limits: Mapping[str, int]
    features: frozenset[str]
    can_block: bool = True
    maps_storage: bool = False
    offset_alignment: int = 256
    checked: bool = False


class Pending(Protocol):
    """A read that has been submitted."""

    @property
    def ready(self) -> bool:
        """Whether ``result`` would return at once; never blocks."""

    def result(self) -> bytearray:
        """Block until the bytes are there and return them; a second call returns the same object."""

    def __await__(self) -> Generator[Any, None, bytearray]:
        """Wait for the bytes without blocking the event loop."""


@runtime_checkable
class Engine(Protocol):
    """A device and its queue. See the module's docstring for order, ownership, blocking and failure."""

    facts: EngineFacts
    lost: str | None
    """Why the device is lost, or None; up to date after ``submit``, ``finished`` and ``wait``."""

    @classmethod
    def open(cls, request: EngineRequest) -> Engine:
        """Make a device. Blocks. Raises ``BackendSourceError``."""

    @classmethod
    async def open_async(cls, request: EngineRequest) -> Engine:
        """Awaitable twin of ``open``."""

    def buffer(self, nbytes: int, kind: BufferKind) -> Handle:
        """Make a buffer of ``nbytes`` (above zero, a multiple of 4), zero-filled at first use.

        Raises ``DeviceOutOfMemoryError`` if the driver refuses; the engine stays usable.
        """

    def release(self, handle: Handle) -> None:
        """Give a buffer back. Once per handle, after its last use was recorded. Any thread."""

    def pipeline(self, wgsl: str, reads: int, writes: int) -> Pipeline:
        """Compile ``wgsl`` (entry point ``main``). Never blocks on the device.

        Group 0 holds ``reads`` read-only storage buffers at bindings 0.., then ``writes`` read-write storage
        buffers, then one uniform buffer (``params``). Layouts are explicit, one per (reads, writes). Raises
        ``BackendSourceError`` with the compiler's message.
        """

    def dispatch(
        self, pipeline: Pipeline, bindings: Sequence[Binding], params: bytes, groups: tuple[int, int, int]
    ) -> None:
        """Record one dispatch into the open batch.

        ``bindings`` are the reads then the writes. ``params`` (16 to ``PARAMS_LIMIT`` bytes, a multiple of
        16) is copied into the uniform ring and seen by the kernel as its uniform. ``groups`` are workgroups
        in x, y, z, each between 1 and 65,535.
        """

    def copy(self, source: Handle, source_offset: int, target: Handle, target_offset: int, nbytes: int) -> None:
        """Record a copy between two *different* buffers; offsets and size (above zero) in multiples of 4."""

    def fill(self, target: Handle, offset: int, nbytes: int, word: int) -> None:
        """Record a fill of ``nbytes`` (a multiple of 4, above zero) with a 32-bit word; zero is fast."""

    def write(self, target: Handle, offset: int, data: Any) -> None:
        """Write host bytes (any C-contiguous buffer) at ``offset`` (a multiple of 4); see Order above.

        A size that is not a multiple of 4 is padded with zeros to the next one.
        """

    def submit(self) -> Ticket:
        """Submit the open batch, if it holds anything, and return the newest ticket.

        Polls and reads the lost flag first, and the captured errors after the encoder is finished; a batch
        with an error is dropped, never submitted.
        """

    def finished(self) -> Ticket:
        """Return the newest ticket whose work is done. Never blocks. Any thread."""

    def wait(self, ticket: Ticket) -> None:
        """Block until ``ticket`` is done."""

    async def wait_async(self, ticket: Ticket) -> None:
        """Awaitable twin of ``wait``."""

    def read(self, source: Handle, offset: int, nbytes: int) -> Pending:
        """Submit, then start reading ``nbytes`` at ``offset`` (a multiple of 4; the size need not be)."""

    def timestamps(self, ticket: Ticket) -> Sequence[tuple[int, int]]:
        """Start and end of each dispatch of a ticket, in nanoseconds; empty without timestamp queries."""

    def errors(self) -> list[str]:
        """Return and clear the errors captured since the last call, oldest first."""

    def close(self) -> None:
        """Destroy the device. Idempotent; afterwards the engine is lost ("closed")."""
