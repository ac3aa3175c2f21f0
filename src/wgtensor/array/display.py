"""Arrays as text: NumPy's formatting, with dtype and device; a long array is shown by its corners.

One read brings what is shown, never a whole long array: all corners together are one strided view of it. NumPy's print
options decide (``np.printoptions``); bfloat16 is shown by its float32 values.
"""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wgtensor.cpu.casts import from_bfloat16
from wgtensor.errors import UnsupportedError, WgTensorError
from wgtensor.tensor import Layout, Tensor, bfloat16

if TYPE_CHECKING:
    from wgtensor.array.array import Array
    from wgtensor.array.devices import Device

__all__ = ["flat_values", "html_of", "summary_of", "text_of"]

_MOST_SHOWN: Final = 10_000
"""Elements of all corners together; arrays of many short axes would have more, NumPy prints them all."""
_MOST_AXES: Final = 64
"""Axes of a NumPy array."""
_OPENING: Final = "Array("


class _Excerpt(NamedTuple):
    """What is shown of an array.

    Attributes
    ----------
    values
        All of it; or its corners with one filler in the middle of each long axis, where NumPy prints dots.
    edge
        How many elements are shown at each end of a long axis; None if all are there.
    """

    values: NDArray[Any]
    edge: int | None


def summary_of(array: Array) -> str:
    """Return ``repr`` of an array: values, dtype and device, and the shape where the values do not show it.

    A failure to read (the device is lost, memory is spent ...) stands in the place of the values.
    """
    values, is_complete = _shown(array, ", ", _OPENING)
    facts = [f"dtype={array.dtype}", f"device='{array.device}'"]
    if not is_complete or (array.size == 0 and array.shape != (0,)):
        facts.insert(0, f"shape={array.shape}")
    closing = ", ".join(facts) + ")"
    last_line = len(values) - (values.rfind("\n") + 1) + (len(_OPENING) if "\n" not in values else 0)
    fits = last_line + len(", ") + len(closing) <= np.get_printoptions()["linewidth"]
    return _OPENING + values + (", " if fits else ",\n" + " " * len(_OPENING)) + closing


def text_of(array: Array) -> str:
    """Return ``str`` of an array: its values as NumPy prints them, or why they cannot be read."""
    return _shown(array, " ")[0]


def html_of(array: Array) -> str:
    """Return what notebooks show: a table of shape, dtype and device, and the values."""
    facts = {"shape": array.shape, "dtype": array.dtype, "device": array.device}
    head = "".join(f"<th>{name}</th><td>{html.escape(str(fact))}</td>" for name, fact in facts.items())
    return f"<div><table><tr>{head}</tr></table><pre>{html.escape(text_of(array))}</pre></div>"


def flat_values(tensor: Tensor, device: Device) -> NDArray[Any]:
    """Download a tensor's values in row-major order, one-dimensional; bfloat16 as float32. One read."""
    host: Tensor = device.backend.download_to_host(tensor)
    flat = host.view(Layout.contiguous((tensor.size,))).to_numpy()
    return from_bfloat16(flat) if tensor.dtype is bfloat16 else flat


def _shown(array: Array, separator: str, prefix: str = "") -> tuple[str, bool]:
    """Return the values as text, and whether it shows all of them."""
    try:
        excerpt = _excerpt(array.tensor, array.device)
    except WgTensorError as error:  # repr is for logs and debuggers too, which must not fail
        return f"<{type(error).__name__}: {error}>", False
    if excerpt is None:
        return "...", False
    values, edge = excerpt
    if values.ndim == 0 and not prefix:
        return str(values[()]), True  # as NumPy prints one: a number with all its digits
    cut: dict[str, Any] = {} if edge is None else {"threshold": 0, "edgeitems": edge}
    text = np.array2string(values, separator=separator, prefix=prefix, suffix=")" if prefix else "", **cut)
    return text, edge is None


def _excerpt(tensor: Tensor, device: Device) -> _Excerpt | None:
    """Return what NumPy's print options show of a tensor; None if even its corners are too many, or its axes."""
    options = np.get_printoptions()
    if tensor.ndim > _MOST_AXES:
        return None
    if tensor.size <= options["threshold"]:
        return _Excerpt(flat_values(tensor, device).reshape(tensor.shape), None)
    most = max(options["threshold"], _MOST_SHOWN)
    for edge in range(max(1, min(options["edgeitems"], most)), 0, -1):
        if math.prod(_lengths(tensor, edge)) <= most:
            return _Excerpt(_corners(tensor, device, edge), edge)
    return None


def _lengths(tensor: Tensor, edge: int) -> list[int]:
    """Return how many elements of each axis are shown."""
    return [min(length, 2 * edge) for length in tensor.shape]


def _corners(tensor: Tensor, device: Device, edge: int) -> NDArray[Any]:
    """Return the first and last ``edge`` elements of each long axis, with one zero between them."""
    view = tensor.view(_corner_layout(tensor.layout, edge))
    try:
        flat = flat_values(view, device)
    except UnsupportedError:  # a kernel cannot bind storage of this size to gather them; the host reads any part
        flat = np.concatenate([flat_values(each, device) for each in _elements(view)])
    values = flat.reshape(_lengths(tensor, edge))
    for axis, length in enumerate(tensor.shape):
        if length > 2 * edge:
            values = np.insert(values, edge, 0, axis)
    return values


def _corner_layout(layout: Layout, edge: int) -> Layout:
    """Split each long axis into its two ends: lengths (2, edge) instead of ``length``."""
    shape: list[int] = []
    strides: list[int] = []
    for length, stride in zip(layout.shape, layout.strides, strict=True):
        is_long = length > 2 * edge
        shape += [2, edge] if is_long else [length]
        strides += [(length - edge) * stride, stride] if is_long else [stride]
    return Layout(shape, strides, layout.offset)


def _elements(tensor: Tensor) -> list[Tensor]:
    """Return each element as a tensor of its own, in row-major order."""
    layout = tensor.layout
    offsets = [layout.offset]
    for length, stride in zip(layout.shape, layout.strides, strict=True):
        offsets = [offset + i * stride for offset in offsets for i in range(length)]
    return [tensor.view(Layout((1,), (1,), offset)) for offset in offsets]
