"""Where a tensor's bytes are, and who may touch them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["HOST", "AllocationDomain", "Placement"]

_serial = itertools.count(1)


class AllocationDomain:
    """An opaque token: the set of allocations that one runtime (or one CpuBackend) may touch.

    Two domains are equal only if they are the same object; two runtimes on one GPU have two domains.

    Attributes
    ----------
    ambient_session
        Set by the owner: returns the session that runs operations outside of any open session, or None if it has none.
    """

    __slots__ = ("_label", "_number", "ambient_session")

    def __init__(self, label: str) -> None:
        self.ambient_session: Callable[[], Any] | None = None
        self._label = label
        self._number = next(_serial)

    def __repr__(self) -> str:
        return f"<AllocationDomain {self._number} of {self._label}>"


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a tensor is.

    Attributes
    ----------
    kind
        ``"host"`` (a host tensor, in no backend's domain), ``"cpu"`` (the reference backend) or ``"webgpu"``.
    ordinal
        The device's row among the adapters; 0 for host and cpu.
    domain
        The allocation domain; None for host tensors.
    """

    kind: str
    ordinal: int = 0
    domain: AllocationDomain | None = None

    @property
    def is_host(self) -> bool:
        """Whether no backend owns the tensor, so that it must be uploaded before use."""
        return self.domain is None

    def __str__(self) -> str:
        return self.kind if self.kind != "webgpu" else f"webgpu:{self.ordinal}"


HOST = Placement("host")
"""The placement of every host tensor."""
