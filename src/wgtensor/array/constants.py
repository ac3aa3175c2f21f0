"""Constants of the standard: Python floats, and None for a new axis."""

from __future__ import annotations

import math
from typing import Final

__all__ = ["e", "inf", "nan", "newaxis", "pi"]

e: Final = math.e
"""Euler's number."""
inf: Final = math.inf
"""Positive infinity."""
nan: Final = math.nan
"""Not a number."""
newaxis: Final = None
"""An index that adds an axis of length 1."""
pi: Final = math.pi
"""Half the circumference of the unit circle."""
