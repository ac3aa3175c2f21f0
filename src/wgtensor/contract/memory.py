"""Byte counts as text, and how much memory a backend may hold on this machine."""

from __future__ import annotations

import os
import re
from typing import Final

from wgtensor.errors import ValidationError

__all__ = ["available_memory", "given_memory_limit", "parse_bytes"]

_MEMORY_LIMIT_VARIABLE: Final = "WGTENSOR_MEMORY_LIMIT"
_FALLBACK: Final = 4 << 30
_UNITS: Final = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30}


def parse_bytes(text: str) -> int:
    """Return the bytes that ``text`` means: ``"134217728"``, ``"128MiB"``, ``"2GB"``, ``"1.5g"``.

    Raises
    ------
    ValidationError
        The text is no byte count.

    Examples
    --------
    >>> parse_bytes("128MiB"), parse_bytes("2GB")
    (134217728, 2000000000)
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmg]i?)?b?\s*", text.lower())
    if match is None:
        raise ValidationError(
            f"a byte count is a number with an optional unit (kB, MB, GB, KiB, MiB, GiB), got {text!r}"
        )
    return int(float(match[1]) * _UNITS[match[2] or ""])


def available_memory() -> int:
    """Return the bytes that this machine can still give, as far as the system tells."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) << 10
    except OSError:
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (ValueError, OSError, AttributeError):
        return _FALLBACK


def given_memory_limit() -> int | None:
    """Return the limit that ``WGTENSOR_MEMORY_LIMIT`` sets, or None.

    Raises
    ------
    ValidationError
        It is no byte count.
    """
    given = os.environ.get(_MEMORY_LIMIT_VARIABLE)
    return parse_bytes(given) if given else None
