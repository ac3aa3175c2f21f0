"""Assignment through a key, as if the value was copied first; no other array changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from wgtensor.array.dispatch import broadcast_to, converted
from wgtensor.array.indexing.keys import parse
from wgtensor.array.indexing.ownership import is_alone, own
from wgtensor.array.indexing.reading import region_of
from wgtensor.array.indexing.structure import Key
from wgtensor.array.indexing.windows import locate
from wgtensor.array.operators import Operators, operand_of, replace_tensor
from wgtensor.array.python_numbers import fitting
from wgtensor.contract import ScatterConfig
from wgtensor.contract.session import SessionBase
from wgtensor.errors import DTypeError, ValidationError
from wgtensor.tensor import DType, Shape, Tensor

__all__ = ["put"]

_KIND_RANK: Final = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}
"""An array converts to a dtype whose kind has its rank or a higher one."""


def put(array: Operators, key: Any, value: Any) -> None:
    """Set what ``key`` selects in ``array`` to ``value``, an array or a number that converts to its dtype.

    Ints, slices, ``...`` and None write in place if no other tensor shows the array's storage, else into a copy. Index
    arrays make a new region: a bool array with a value that is the same for every True selects, others scatter, where
    the last of equal positions wins.

    Raises
    ------
    IndexRuleError
        ``key`` does not fit; see :func:`wgtensor.array.indexing.keys.parse`.
    DTypeError
        The value's kind does not convert: a float to integers, a complex to floats, an int to bool.
    ValidationError
        The value's shape does not broadcast to what is selected, an int does not fit, or it is on another device.
    """
    parsed, indices = parse(array.device, array.tensor.shape, key)
    source = _source(array, value)
    if indices:
        source = _new_region(array, parsed, indices, source)
        if parsed.is_whole:
            replace_tensor(array, source)
            return
    _write(array, parsed, source)


def _write(array: Operators, key: Key, source: Tensor | complex) -> None:
    """Write ``source`` into the region of ``key``."""
    session, dtype = array.device.session, array.tensor.dtype
    spread = _spread(session, _tensor_of(session, source, dtype), key.region)
    if spread.size == 0:
        return
    if key.is_whole and not is_alone(array):
        replace_tensor(array, session.to_contiguous(spread))
    else:
        session.copy_into(spread, region_of(session, own(array), key))


# The value


def _source(array: Operators, value: Any) -> Tensor | complex:
    """Return a value as a number or a tensor of the array's dtype that does not show the array's storage."""
    device, dtype = array.device, array.tensor.dtype
    source = operand_of("assignment", value, device)
    if not isinstance(source, Tensor):
        number: complex = fitting("assignment", source, dtype)
        return number
    if _KIND_RANK[source.dtype.kind] > _KIND_RANK[dtype.kind]:
        way_out = "take wt.real or wt.abs" if source.dtype.is_complex else f"convert with value.astype(wt.{dtype})"
        raise DTypeError(
            f"assignment to an array of {dtype} takes values of its kind or a lesser one, got {source.dtype}; {way_out}"
        )
    if source.storage is array.tensor.storage:
        source = device.session.to_contiguous(source)
        if value is not array:
            # The same value in a storage of its own, so that this one can be written in place.
            replace_tensor(value, source)
    return converted(device.session, source, dtype)


def _tensor_of(session: SessionBase, source: Tensor | complex, dtype: DType) -> Tensor:
    return source if isinstance(source, Tensor) else session.full((), source, dtype)


def _spread(session: SessionBase, source: Tensor, shape: Shape) -> Tensor:
    """Return ``source`` as a view of ``shape``; axes of length 1 before those of ``shape`` are dropped."""
    source = _aligned(session, source, len(shape))
    if source.ndim > len(shape) or any(n not in (1, m) for n, m in zip(source.shape[::-1], shape[::-1], strict=False)):
        raise ValidationError(
            f"assignment needs a value that broadcasts to the selected shape {shape}, got {source.shape}; "
            "reshape it, or add axes with None"
        )
    return broadcast_to(session, source, shape)


def _aligned(session: SessionBase, source: Tensor, rank: int) -> Tensor:
    extra = max(source.ndim - rank, 0)
    if not extra or source.shape[:extra] != (1,) * extra:
        return source
    return session.reshape(source, source.shape[extra:])


# Index arrays


def _new_region(array: Operators, key: Key, indices: Sequence[Tensor], source: Tensor | complex) -> Tensor:
    """Return the content of the region of ``key`` after the assignment, as a new tensor."""
    region = region_of(array.device.session, array.tensor, key)
    chosen = _chosen(array.device.session, region, key, indices[0], source)
    return _scattered(array, region, key, indices, source) if chosen is None else chosen


def _chosen(session: SessionBase, region: Tensor, key: Key, mask: Tensor, source: Tensor | complex) -> Tensor | None:
    """Return the region with ``source`` where a bool array holds; None unless it is the same for every True."""
    covered = key.arrays[0]
    if len(key.arrays) > 1 or not covered.is_mask or mask.shape != region.shape[covered.axis : covered.end]:
        return None
    if isinstance(source, Tensor):
        kept = [region.shape[axis] for axis in key.kept]
        source = _aligned(session, source, len(kept) + 1)
        at = key.place - len(kept) - 1 + source.ndim
        if source.ndim > len(kept) + 1 or (at >= 0 and source.shape[at] != 1):
            return None
        one = _spread(session, source, (*kept[: key.place], 1, *kept[key.place :]))
        source = session.broadcast_in_dim(session.reshape(one, kept), region.shape, key.kept)
    mask = session.broadcast_in_dim(mask, region.shape, range(covered.axis, covered.end))
    return session.select(mask, source, region)


def _scattered(
    array: Operators, region: Tensor, key: Key, indices: Sequence[Tensor], source: Tensor | complex
) -> Tensor:
    """Return the region with ``source`` at the positions of the index arrays."""
    session = array.device.session
    windows = locate(session, region, key, indices)
    updates = _spread(session, _tensor_of(session, source, region.dtype), windows.shape)
    if region.size == 0:
        return region
    config = ScatterConfig(windows.offset_dims, windows.axes, windows.axes, windows.batch_rank, "set")
    scattered = session.scatter(session.reshape(region, windows.source), windows.starts, updates, config)
    return session.reshape(scattered, region.shape)
