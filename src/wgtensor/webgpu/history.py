"""What ran lately: one entry per kernel launch, so that a result can be explained.

Entries are plain tuples in a bounded queue. Storage remembers the number of the launch that wrote it, and an entry the
numbers of the launches that wrote its operands. Nothing here keeps a tensor alive.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from wgtensor.tensor import Shape
from wgtensor.webgpu.storage import DeviceStorage
from wgtensor.webgpu.window import Closed, FusionWindow, names_of

__all__ = ["Explanation", "History", "Launch"]

_KEPT: Final = 4096
_Frame: TypeAlias = tuple[list[int], Shape, Closed | None]
"""Key and shape of a window, and why it closed."""
_Entry: TypeAlias = tuple[int, str, _Frame | None, int, list[tuple[int, int]], int]
"""Number, name, window, dispatches, (launch, bytes) of each operand, bytes written."""


@dataclass(frozen=True, slots=True)
class Launch:
    """One entry, readable.

    Attributes
    ----------
    number
        Counts launches of the runtime.
    operations
        Names, in program order.
    shape
        Of a window's results; None for other kernels.
    dispatches
        Kernels run.
    operands
        Numbers of the launches that wrote what it read; 0 for uploads.
    bytes_read, bytes_written
        Of whole operands and results.
    closed
        Why the window ran then; None for other kernels.
    """

    number: int
    operations: tuple[str, ...]
    shape: Shape | None
    dispatches: int
    operands: tuple[int, ...]
    bytes_read: int
    bytes_written: int
    closed: Closed | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """What led to a tensor.

    Attributes
    ----------
    launches
        Those that led to its value, or to the operands of the window in which it waits, oldest first.
    waiting
        Operations of that window, in program order; none if the value is stored.
    """

    launches: tuple[Launch, ...]
    waiting: tuple[str, ...]


class History:
    """The last launches of a runtime, oldest first."""

    def __init__(self) -> None:
        self.count = 0
        self._entries: deque[_Entry] = deque(maxlen=_KEPT)

    def note(
        self,
        name: str,
        window: FusionWindow | None,
        dispatches: int,
        operands: Iterable[DeviceStorage],
        results: Iterable[DeviceStorage],
    ) -> None:
        """Note a launch of a window, of a kernel with a ``name``, or of one that runs at the end of a window."""
        self.count += 1
        read = [(each.launch, each.nbytes) for each in operands]
        written = 0
        for storage in results:
            storage.launch = self.count
            written += storage.nbytes
        frame = None if window is None else (window.key, window.shape, window.closed)
        self._entries.append((self.count, name, frame, dispatches, read, written))

    def behind(self, storages: Iterable[DeviceStorage]) -> list[Launch]:
        """Return the launches that led to stored values, oldest first, as far back as they are kept."""
        wanted, found = {storage.launch for storage in storages}, []
        for number, name, frame, dispatches, read, written in reversed(self._entries):
            if number in wanted:
                operands = tuple(each for each, _ in read)
                wanted.update(operands)
                key, shape, closed = frame or ([], None, None)
                names = tuple((name or names_of(key)).split())
                total = sum(nbytes for _, nbytes in read)
                found.append(Launch(number, names, shape, dispatches, operands, total, written, closed))
        return found[::-1]
