"""The fusion window: elementwise operations of one shape, waiting to run as one kernel.

A window sees operations in program order, so each runs exactly once and several live results can leave one kernel. Its
key is built while recording: a flat list of integers (operation, operand, operand, ...), so that closing needs no walk.
"""

from __future__ import annotations

import struct
import weakref
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from wgtensor.tensor import DType, Layout, Shape
from wgtensor.webgpu.kernels.elementwise.generator import ElementwiseKernel, KernelOp
from wgtensor.webgpu.kernels.elementwise.rows import ROWS
from wgtensor.webgpu.storage import DeviceStorage

if TYPE_CHECKING:
    from wgtensor.webgpu.prologue import WindowReduction

__all__ = [
    "LEAF",
    "SCALAR",
    "VALUE",
    "Closed",
    "FusionWindow",
    "kernel_of",
    "names_of",
    "operations",
    "partition",
    "scalar_bytes",
    "sub_window",
]

# An operand in a key is 3 * number + kind.
LEAF: Final = 0
SCALAR: Final = 1
VALUE: Final = 2


class Closed(Enum):
    """Why a fusion window ran when it did."""

    FULL = "it was full: operations, operands or numbers"
    NEEDED = "its result was needed by an operation that does not join it"
    MEMORY = "it held more memory in operands than its result takes"
    OVERWRITTEN = "one of its operands was about to be written"
    ENDED = "a reduction ends it, and another operation of its shape followed"
    DISPLACED = "a reduction ends it, and one reduction waits at a time: another followed"
    ASKED = "results were asked for: a read, evaluate, synchronize or the end of a session"


class FusionWindow:
    """What was recorded for one iteration shape since the last close.

    Attributes
    ----------
    shape, layout, size
        Of every result: row-major.
    key
        Operations and operands, as integers.
    leaves, layouts, leaf_dtypes
        Stored tensors that are read: storage, layout and dtype of each.
    leaf_slots
        Number of a leaf, by storage (row-major leaves) or by (storage, layout).
    plain
        Whether every leaf is row-major at offset 0.
    scalars, scalar_slots
        Host numbers with their dtypes, deduplicated by object identity.
    results
        Weak references: what nobody holds at the close is never written.
    reduction
        What reduces one of the results at the close, into the last one; None in most windows.
    weight
        Sum of the operations' weights.
    closed
        Why it ran; None while it is open.
    """

    __slots__ = (
        "closed", "key", "layout", "layouts", "leaf_dtypes", "leaf_slots", "leaves", "plain", "reduction", "results",
        "scalar_slots", "scalars", "shape", "size", "weight",
    )  # fmt: skip

    def __init__(self, shape: Shape) -> None:
        self.shape: Final = shape
        self.layout: Final = Layout.contiguous(shape)
        self.size: Final = self.layout.size
        self.key: list[int] = []
        self.leaves: list[DeviceStorage] = []
        self.layouts: list[Layout] = []
        self.leaf_dtypes: list[DType] = []
        self.leaf_slots: dict[Any, int] = {}
        self.plain = True
        self.scalars: list[tuple[Any, DType]] = []
        self.scalar_slots: dict[tuple[int, DType], int] = {}
        self.results: list[weakref.ref[DeviceStorage]] = []
        self.reduction: WindowReduction | None = None
        self.weight = 0
        self.closed: Closed | None = None

    def add_leaf(self, storage: DeviceStorage, layout: Layout, dtype: DType) -> int:
        """Add a stored operand and return its number."""
        plain = layout is self.layout
        slot = self.leaf_slots[storage if plain else (storage, layout)] = len(self.leaves)
        self.leaves.append(storage)
        self.layouts.append(layout)
        self.leaf_dtypes.append(dtype)
        self.plain &= plain
        return slot

    def leaf_code(self, storage: DeviceStorage, layout: Layout, dtype: DType) -> int:
        """Return the key code of a stored operand, added if it is new."""
        slot = self.leaf_slots.get(storage if layout is self.layout else (storage, layout))
        return 3 * (self.add_leaf(storage, layout, dtype) if slot is None else slot) + LEAF


def names_of(key: list[int]) -> str:
    """Return the operations that a window's key records, for error texts."""
    return " ".join(ROWS[number].lowering for number, _ in operations(key))


def operations(key: list[int] | tuple[int, ...]) -> list[tuple[int, tuple[int, ...]]]:
    """Read a window's key back: (row number, operand codes) of each operation."""
    found, position = [], 0
    while position < len(key):
        number = key[position]
        end = position + 1 + ROWS[number].arity
        found.append((number, tuple(key[position + 1 : end])))
        position = end
    return found


def kernel_of(
    window: FusionWindow, live: tuple[int, ...], form: str, classes: tuple[str, ...], wide: bool
) -> ElementwiseKernel:
    """Return the kernel that writes the results ``live``; operations that none of them needs are left out."""
    recorded = operations(window.key)
    needed = set(live)
    for slot in range(len(recorded) - 1, -1, -1):
        if slot in needed:
            needed.update(code // 3 for code in recorded[slot][1] if code % 3 == VALUE)
    first = len(window.leaves) + len(window.scalars)
    numbers = {slot: first + i for i, slot in enumerate(sorted(needed))}

    def value_of(code: int) -> int:
        number, kind = divmod(code, 3)
        return number if kind == LEAF else len(window.leaves) + number if kind == SCALAR else numbers[number]

    ops = tuple(
        KernelOp(ROWS[number].lowering, ROWS[number].dtype, tuple(value_of(code) for code in codes))
        for slot, (number, codes) in enumerate(recorded)
        if slot in needed
    )
    return ElementwiseKernel(
        form,
        classes,
        tuple(dtype.name for dtype in window.leaf_dtypes),
        tuple(dtype.name for _, dtype in window.scalars),
        ops,
        tuple(numbers[slot] for slot in live),
        wide,
    )


def partition(window: FusionWindow, live: set[int], buffers: int) -> list[tuple[int, int, tuple[int, ...]]]:
    """Cut a window in program order into parts that a kernel with ``buffers`` storage buffers can run.

    Returns
    -------
    list
        (first operation, end, results that the part must write) of each part: those in ``live``, and those that a later
        part reads.
    """
    recorded = operations(window.key)
    parts, first = [], 0
    while first < len(recorded):
        end = first + 1
        while end < len(recorded) and _buffers(recorded, first, end + 1, live) <= buffers:
            end += 1
        parts.append((first, end, _written(recorded, first, end, live)))
        first = end
    return parts


def _written(recorded: list[Any], first: int, end: int, live: set[int]) -> tuple[int, ...]:
    later = {code // 3 for _, codes in recorded[end:] for code in codes if code % 3 == VALUE}
    return tuple(slot for slot in range(first, end) if slot in live or slot in later)


def _buffers(recorded: list[Any], first: int, end: int, live: set[int]) -> int:
    """Count the storage buffers of a part: what it reads from outside, what it writes, and an offset table."""
    codes = {code for _, operands in recorded[first:end] for code in operands}
    outside = [c for c in codes if c % 3 == LEAF or (c % 3 == VALUE and c // 3 < first)]
    return len(outside) + len(_written(recorded, first, end, live)) + 1


def sub_window(
    window: FusionWindow, first: int, end: int, values: dict[int, tuple[DeviceStorage, DType]]
) -> FusionWindow:
    """Return the part ``first`` to ``end`` of a window as a window of its own; earlier ``values`` become leaves."""
    part = FusionWindow(window.shape)
    part.scalars = window.scalars
    for number, operands in operations(window.key)[first:end]:
        part.key.append(number)
        for code in operands:
            index, kind = divmod(code, 3)
            if kind == VALUE and index >= first:
                part.key.append(3 * (index - first) + VALUE)
            elif kind == SCALAR:
                part.key.append(code)
            elif kind == LEAF:
                part.key.append(part.leaf_code(window.leaves[index], window.layouts[index], window.leaf_dtypes[index]))
            else:
                part.key.append(part.leaf_code(values[index][0], window.layout, values[index][1]))
    return part


def scalar_bytes(value: Any, dtype: DType) -> bytes:
    """Return a host number as the parameter words of ``dtype``; floats beyond its range become infinite."""
    if dtype.is_complex:
        number = complex(value)
        return _packed("<f", number.real) + _packed("<f", number.imag)
    if dtype.is_float:
        return _packed("<f" if dtype.itemsize == 4 else "<e2x", float(value))
    return (int(value) & 0xFFFFFFFF).to_bytes(4, "little")


def _packed(form: str, value: float) -> bytes:
    try:
        return struct.pack(form, value)
    except OverflowError:
        return struct.pack(form, float("inf") if value > 0 else float("-inf"))
