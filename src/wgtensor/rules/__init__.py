"""One shape rule and one dtype rule per operation, shared by all backends."""

from wgtensor.rules.axes import normalize_axis
from wgtensor.rules.dtypes import is_convertible
from wgtensor.rules.indexing import window_sizes
from wgtensor.rules.numbers import fitting_number
from wgtensor.rules.operation import VARIADIC, DTypeRule, Family, Operation, ShapeRule
from wgtensor.rules.operations import OPERATIONS
from wgtensor.rules.shapes import diagonal_axes, embedding_axes
from wgtensor.rules.views import VIEWS, view_layout

__all__ = [
    "OPERATIONS",
    "VARIADIC",
    "VIEWS",
    "DTypeRule",
    "Family",
    "Operation",
    "ShapeRule",
    "diagonal_axes",
    "embedding_axes",
    "fitting_number",
    "is_convertible",
    "normalize_axis",
    "view_layout",
    "window_sizes",
]
