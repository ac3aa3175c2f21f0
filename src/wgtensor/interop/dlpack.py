"""DLPack."""

from __future__ import annotations

from typing import Any

__all__ = ["device_of", "to_capsule"]


def to_capsule(array: Any, **options: Any) -> Any:
    """Return a capsule."""
    raise NotImplementedError


def device_of(device: Any) -> tuple[int, int]:
    """Return DLPack's device."""
    raise NotImplementedError
