"""Operations that touch no data: how each turns a layout into another one, on every backend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from wgtensor.rules.operations import OPERATIONS
from wgtensor.rules.shapes import diagonal_axes
from wgtensor.tensor import Layout, Shape

if TYPE_CHECKING:
    from wgtensor.contract.configs import SliceConfig

__all__ = ["VIEWS", "checked_view", "view_layout"]


def _transpose(layout: Layout, shape: Shape, *, permutation: Sequence[int]) -> Layout:
    return layout.permute(permutation)


def _reshape(layout: Layout, result: Shape, *, shape: Sequence[int]) -> Layout | None:
    return layout.reshape(result)


def _broadcast_in_dim(layout: Layout, result: Shape, *, shape: Sequence[int], dims: Sequence[int]) -> Layout:
    return layout.broadcast_in_dim(result, dims)


def _extract_diagonal(layout: Layout, shape: Shape, *, axis_a: int, axis_b: int) -> Layout:
    return layout.diagonal(*diagonal_axes(layout.ndim, axis_a, axis_b))


def _slice(layout: Layout, shape: Shape, *, config: SliceConfig) -> Layout:
    return layout.slice(config.starts, shape, config.strides or ())


def _reverse(layout: Layout, shape: Shape, *, axes: Sequence[int]) -> Layout:
    return layout.reverse(axes)


VIEWS: Final[dict[str, Callable[..., Layout | None]]] = {
    "transpose": _transpose,
    "reshape": _reshape,
    "broadcast_in_dim": _broadcast_in_dim,
    "extract_diagonal": _extract_diagonal,
    "slice": _slice,
    "reverse": _reverse,
}
"""Layout of the result by operation name; None where strides allow no view (``reshape`` only)."""


def view_layout(name: str, layout: Layout, shape: Shape, attributes: dict[str, Any]) -> Layout | None:
    """Return the layout of a checked operation's result over its operand's storage, or None if it needs a new one.

    Parameters
    ----------
    name
        Any operation.
    layout
        The (first) operand's layout.
    shape
        The result's shape, from the shape rule.
    attributes
        The operation's attributes.

    Examples
    --------
    >>> view_layout("transpose", Layout.contiguous((2, 3)), (3, 2), {"permutation": (1, 0)})
    Layout(shape=(3, 2), strides=(1, 3), offset=0)
    """
    view = VIEWS.get(name)
    return None if view is None else view(layout, shape, **attributes)


@lru_cache(maxsize=16_384)
def checked_view(name: str, layout: Layout, attributes: tuple[tuple[str, Any], ...]) -> Layout | None:
    """Check the shapes of a view operation and return its layout, or None if it needs new storage; cached.

    Raises
    ------
    ValidationError
        The operation's shape rule refuses ``layout``'s shape.
    """
    operation, named = OPERATIONS[name], dict(attributes)
    shape = operation.shape_rule(operation, [layout.shape], **named)
    view = view_layout(name, layout, shape, named)
    return Layout.contiguous(shape) if view is not None and view.is_contiguous else view
