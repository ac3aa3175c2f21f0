"""One shape rule and one dtype rule per operation, shared by all backends."""

from wgtensor.rules.operation import VARIADIC, DTypeRule, Family, Operation, ShapeRule
from wgtensor.rules.operations import OPERATIONS

__all__ = ["OPERATIONS", "VARIADIC", "DTypeRule", "Family", "Operation", "ShapeRule"]
