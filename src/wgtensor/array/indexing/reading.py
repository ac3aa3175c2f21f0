"""Reading through a key: a view for its basic part, then one gather for its index arrays."""

from __future__ import annotations

from typing import Any

from wgtensor.array.devices import Device
from wgtensor.array.indexing.keys import parse
from wgtensor.array.indexing.structure import Key
from wgtensor.array.indexing.windows import Windows, locate
from wgtensor.contract import GatherConfig
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
    parsed, indices = parse(device, x.shape, key)
    region = region_of(device.session, x, parsed)
    return _gathered(device.session, region, locate(device.session, region, parsed, indices)) if indices else region


def region_of(session: SessionBase, x: Tensor, key: Key) -> Tensor:
    """Return the view of ``x`` that the basic part of ``key`` selects."""
    if key.is_whole:
        return x
    if key.slicing is not None:
        x = session.slice(x, key.slicing)
    if key.backwards:
        x = session.reverse(x, key.backwards)
    return x if x.shape == key.region else session.reshape(x, key.region)


def _gathered(session: SessionBase, region: Tensor, windows: Windows) -> Tensor:
    source = session.reshape(region, windows.source)
    if source.size == 0:
        return session.reshape(source, windows.shape)
    sizes = [1 if axis in windows.axes else length for axis, length in enumerate(windows.source)]
    config = GatherConfig(windows.offset_dims, windows.axes, windows.axes, windows.batch_rank, sizes)
    return session.gather(source, windows.starts, config)
