"""Arrays as text."""

from __future__ import annotations

from typing import Any

__all__ = ["html_of", "summary_of", "text_of"]


def summary_of(array: Any) -> str:
    """Return ``repr`` of an array."""
    return f"Array({array.to_numpy()!r}, device='{array.device}')"


def text_of(array: Any) -> str:
    """Return ``str`` of an array."""
    return str(array.to_numpy())


def html_of(array: Any) -> str:
    """Return notebook HTML."""
    return f"<pre>{summary_of(array)}</pre>"
