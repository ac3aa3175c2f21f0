"""Results put together from parts: pad, concatenate, and one axis laid on a diagonal."""

from __future__ import annotations

from collections.abc import Sequence

from wgtensor.contract.configs import PadConfig
from wgtensor.tensor import DType, Layout
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.draft import OPERAND, Draft
from wgtensor.webgpu.kernels.plan import Binding, LaunchPlan
from wgtensor.webgpu.kernels.structural.copy import add_copy_into
from wgtensor.webgpu.kernels.structural.fill import add_fill

__all__ = ["plan_concatenate", "plan_embed_diagonal", "plan_pad"]


def plan_pad(dtype: DType, layout: Layout, config: PadConfig, value: bytes | Layout, facts: AdapterFacts) -> LaunchPlan:
    """Plan ``pad`` of operand 0 into output 0: a fill, then the elements that stay.

    Parameters
    ----------
    dtype
        Any of the 15.
    layout
        The operand's layout.
    config
        Elements added before, after and between; negative ones crop. Checked by the operation's shape rule.
    value
        The padding: one element as NumPy stores it, or the layout of operand 1, a rank-0 tensor.
    facts
        The adapter's.
    """
    axes = [
        _padded_axis(*numbers)
        for numbers in zip(layout.shape, config.low, config.high, config.interior or (), strict=True)
    ]
    shape = tuple(length for length, *_ in axes)
    output = Layout.contiguous(shape)
    kept, first, place = (tuple(axis[i] for axis in axes) for i in (1, 2, 3))
    steps = tuple(interior + 1 for interior in config.interior or ())
    draft = Draft("pad", facts)
    if isinstance(value, Layout):
        add_copy_into(draft, dtype, value.broadcast_in_dim(shape, ()), output, Binding(OPERAND.role, 1))
    else:
        add_fill(draft, dtype, output.size, value)
    if all(kept):
        source = layout.slice(first, kept, (1,) * layout.ndim)
        add_copy_into(draft, dtype, source, output.slice(place, kept, steps), OPERAND)
    return draft.finish(output.size + layout.size)


def plan_concatenate(dtype: DType, layouts: Sequence[Layout], axis: int, facts: AdapterFacts) -> LaunchPlan:
    """Plan ``concatenate`` of operands 0, 1, ... along ``axis`` (from 0) into output 0, one dispatch each."""
    lengths = [layout.shape[axis] for layout in layouts]
    shape = list(layouts[0].shape)
    shape[axis] = sum(lengths)
    output = Layout.contiguous(tuple(shape))
    draft = Draft("concatenate", facts)
    start = 0
    for operand, layout in enumerate(layouts):
        starts = [start if each == axis else 0 for each in range(layout.ndim)]
        if layout.size:
            target = output.slice(starts, layout.shape, (1,) * layout.ndim)
            add_copy_into(draft, dtype, layout, target, Binding(OPERAND.role, operand))
        start += lengths[operand]
    return draft.finish(output.size)


def plan_embed_diagonal(dtype: DType, layout: Layout, axis_a: int, axis_b: int, facts: AdapterFacts) -> LaunchPlan:
    """Plan ``embed_diagonal``: a new axis ``axis_b`` of the result, the operand on the diagonal, zero bits elsewhere.

    ``axis_a`` counts the operand's axes and ``axis_b`` the result's, both from 0.
    """
    shape = list(layout.shape)
    shape.insert(axis_b, shape[axis_a])
    strides = list(Layout.contiguous(tuple(shape)).strides)
    beside = strides.pop(axis_b)
    strides[axis_a] += beside
    draft = Draft("embed_diagonal", facts)
    add_fill(draft, dtype, Layout.contiguous(tuple(shape)).size, bytes(dtype.itemsize))
    add_copy_into(draft, dtype, layout, Layout(layout.shape, strides), OPERAND)
    return draft.finish(Layout.contiguous(tuple(shape)).size)


def _padded_axis(length: int, low: int, high: int, interior: int) -> tuple[int, int, int, int]:
    """Return an axis's new length, how many elements stay, the first of them, and where it goes."""
    step = interior + 1
    dilated = length + max(length - 1, 0) * interior
    padded = low + dilated + high
    first = -(min(low, 0) // step)
    last = min(length - 1, (padded - 1 - low) // step)
    return padded, max(last - first + 1, 0), first, low + first * step
