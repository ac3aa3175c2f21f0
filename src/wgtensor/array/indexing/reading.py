"""Reading through a key: a view for its basic part, then one gather for its index arrays."""

from __future__ import annotations

from typing import Any

from wgtensor.array.devices import Device
from wgtensor.array.indexing.keys import Key, parse
from wgtensor.array.indexing.windows import Windows, locate
from wgtensor.contract import GatherConfig, SliceConfig
from wgtensor.contract.session import SessionBase
from wgtensor.tensor import Tensor

__all__ = ["get", "region_of"]


def get(device: Device, x: Tensor, key: Any) -> Tensor:
    """Return what ``key`` selects: a view for ints, slices, ``...`` and None, a new tensor for index arrays.

    A bool array reads one number from the device, how many are True.

    Raises
    ------
    IndexRuleError, ValidationError
        ``key`` does not fit; see :func:`wgtensor.array.indexing.keys.parse`.
    """
    parsed = parse(device, x.shape, key)
    region = region_of(device.session, x, parsed)
    return _gathered(device.session, region, locate(device, parsed)) if parsed.arrays else region


def region_of(session: SessionBase, x: Tensor, key: Key) -> Tensor:
    """Return the view of ``x`` that the basic part of ``key`` selects."""
    if key.is_whole:
        return x
    if any(each.length != length or each.stride != 1 for each, length in zip(key.ranges, x.shape, strict=True)):
        starts, limits, strides, _ = zip(*key.ranges, strict=True)
        x = session.slice(x, SliceConfig(starts, limits, strides))
    backwards = [axis for axis, each in enumerate(key.ranges) if each.backwards]
    if backwards:
        x = session.reverse(x, backwards)
    return x if x.shape == key.region else session.reshape(x, key.region)


def _gathered(session: SessionBase, region: Tensor, windows: Windows) -> Tensor:
    source = session.reshape(region, windows.source)
    if source.size == 0:
        return session.reshape(source, windows.shape)
    sizes = [1 if axis in windows.axes else length for axis, length in enumerate(windows.source)]
    config = GatherConfig(windows.offset_dims, windows.axes, windows.axes, windows.batch_rank, sizes)
    return session.gather(source, windows.starts, config)
