"""How many bytes a runtime may hold.

WebGPU tells no capacity, and a software adapter's process is killed by the system instead of failing. So software and
integrated adapters get 80 % of the memory that is available when the runtime is made; discrete ones have no budget of
ours (the driver refuses). ``WGTENSOR_MEMORY_LIMIT`` sets either.
"""

from __future__ import annotations

from typing import Final

from wgtensor.contract.memory import available_memory, given_memory_limit
from wgtensor.webgpu.facts import AdapterClass

__all__ = ["memory_budget"]

_SHARE: Final = 0.8


def memory_budget(adapter_class: AdapterClass) -> int | None:
    """Return the byte budget of a new runtime, or None where only the driver limits."""
    given = given_memory_limit()
    if given is not None or adapter_class is AdapterClass.DISCRETE:
        return given
    return int(available_memory() * _SHARE)
