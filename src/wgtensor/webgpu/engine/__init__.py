"""The engines: how wgtensor drives a GPU. Only this package, and ``webgpu.adapters``, imports wgpu.

``open_engine`` picks one: ``native`` where wgpu's C library is there, else ``portable``; ``WGTENSOR_ENGINE``
decides otherwise.
"""

from __future__ import annotations

import os
from importlib import import_module

from wgtensor.errors import ValidationError
from wgtensor.webgpu.engine.base import (
    PARAMS_LIMIT,
    Binding,
    BufferKind,
    Engine,
    EngineFacts,
    EngineRequest,
    Handle,
    Pending,
    Pipeline,
    Ticket,
)

__all__ = [
    "ENGINES",
    "PARAMS_LIMIT",
    "Binding",
    "BufferKind",
    "Engine",
    "EngineFacts",
    "EngineRequest",
    "Handle",
    "Pending",
    "Pipeline",
    "Ticket",
    "engine_class",
    "open_engine",
]

ENGINES = {
    "native": ("wgtensor.webgpu.engine.native", "NativeEngine"),
    "portable": ("wgtensor.webgpu.engine.portable", "PortableEngine"),
    "null": ("wgtensor.webgpu.engine.null", "NullEngine"),
}
"""Module and class of each engine by name; imported when opened."""

PREFERENCE = ("native", "portable")


def engine_class(name: str | None = None) -> type[Engine]:
    """Return the class of an engine: ``name``, else ``WGTENSOR_ENGINE``, else the first that can be loaded.

    Raises
    ------
    ValidationError
        If there is no engine of that name.
    """
    name = name or os.environ.get("WGTENSOR_ENGINE") or None
    if name is not None and name not in ENGINES:
        raise ValidationError(f"an engine is one of {', '.join(ENGINES)}, got {name!r} (see WGTENSOR_ENGINE)")
    for candidate in (name,) if name else PREFERENCE[:-1]:
        try:
            return _load(candidate)
        except (ImportError, OSError, AttributeError):
            if name:
                raise
    return _load(PREFERENCE[-1])


def _load(name: str) -> type[Engine]:
    module, attribute = ENGINES[name]
    engine: type[Engine] = getattr(import_module(module), attribute)
    return engine


def open_engine(request: EngineRequest, name: str | None = None) -> Engine:
    """Open the engine that ``engine_class`` picks.

    Raises
    ------
    BackendSourceError
        If the device cannot be made.
    """
    return engine_class(name).open(request)
