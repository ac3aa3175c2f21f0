"""Indexing of arrays: ``x[key]`` and ``x[key] = value``.

A key is parsed once (``keys``) into what is basic in it, a view of the array called the *region*, and its index arrays,
which select within that region. Reading gathers from the region (``reading``); assignment makes the region's new
content and writes it back, in place where no other tensor shows the array's storage (``assignment``, ``ownership``).
"""

from wgtensor.array.indexing.along_axis import take_along_axis
from wgtensor.array.indexing.assignment import put
from wgtensor.array.indexing.reading import get

__all__ = ["get", "put", "take_along_axis"]
