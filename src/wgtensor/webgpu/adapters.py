"""Adapters: what this machine offers, which of it is taken, and why the rest is refused.

Environment
    ``WGTENSOR_ADAPTER``: part of an adapter's name, driver, type or backend; only matching adapters are
    taken, also such as are refused otherwise. ``WGTENSOR_NONCOMPLIANT=1``: list drivers too that fail Vulkan's
    conformance tests, such as Dozen under WSL. ``WGPU_BACKEND_TYPE``: only adapters of this backend are taken.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, Literal

from wgtensor.errors import AdapterNotFoundError, ValidationError
from wgtensor.rules.axes import is_integer
from wgtensor.webgpu.adapter_help import no_adapter_message
from wgtensor.webgpu.engine.base import EngineRequest
from wgtensor.webgpu.engine.guard import DRIVER_LOCK, check_process, mark_opened

__all__ = [
    "AdapterRow",
    "choose_adapter",
    "engine_request",
    "list_adapters",
    "no_adapter_message",
    "warn_about_cpu_adapter",
]

Kind = Literal["discrete", "integrated", "virtual", "cpu", "unknown"]
KINDS: tuple[Kind, ...] = ("discrete", "integrated", "virtual", "cpu", "unknown")
"""Kinds in the order in which adapters are listed and taken."""

BACKENDS = ("Vulkan", "Metal", "D3D12")
"""Backends with full compute support, in order: a GPU offered by two of them is taken through the first."""

SOFTWARE = ("llvmpipe", "swiftshader", "basic render driver", "softpipe")
"""Software drivers by name: wgpu-native reports virtual GPUs as CPU adapters too."""

FEATURES = (
    "subgroup",
    "shader-f16",
    "shader-f64",
    "shader-int64",
    "shader-float32-atomic",
    "timestamp-query",
)
"""Features that are enabled wherever they exist."""

SHARED_MEMORY_FEATURES = ("mappable-primary-buffers",)
"""Enabled where device memory is host memory; elsewhere they would move tensors to the host."""

BASELINE = {
    "max-storage-buffers-per-shader-stage": 8,
    "max-compute-invocations-per-workgroup": 256,
    "max-compute-workgroups-per-dimension": 65_535,
    "max-storage-buffer-binding-size": 128 << 20,
}
"""WebGPU's guaranteed limits, on which kernels rely."""


@dataclass(frozen=True, slots=True)
class AdapterRow:
    """One adapter of this machine.

    Attributes
    ----------
    index
        Its row: ``webgpu:index`` names it.
    kind
        ``"discrete"``, ``"integrated"``, ``"virtual"``, ``"cpu"`` or ``"unknown"``.
    info
        wgpu's adapter information: ``device``, ``description``, ``adapter_type``, ``backend_type`` ...
    features, limits
        What it offers, by wgpu's names.
    verdict, reason
        ``"taken"``, or ``"refused"`` and why.
    adapter
        The wgpu adapter.
    """

    index: int
    kind: Kind
    info: Mapping[str, Any]
    features: frozenset[str]
    limits: Mapping[str, int]
    verdict: Literal["taken", "refused"]
    reason: str
    adapter: Any

    @property
    def taken(self) -> bool:
        """Whether this adapter may be opened."""
        return self.verdict == "taken"

    @property
    def summary(self) -> str:
        """One line: device, driver, kind and backend."""
        info = self.info
        return f"{info['device']} ({info['description']}), {self.kind}, {info['backend_type']}"


def list_adapters() -> list[AdapterRow]:
    """Return this machine's adapters, best first, each with its verdict; empty if there is none.

    Raises
    ------
    RuntimeStateError
        In a child forked after adapters were used: it would hang.
    """
    check_process()
    mark_opened()
    rows = sorted((_row(adapter) for adapter in _adapters()), key=lambda row: KINDS.index(row.kind))
    rows = [replace(row, index=index) for index, row in enumerate(rows)]
    return [_judged(row, rows) for row in rows]


def choose_adapter(which: int | AdapterRow | None = None) -> AdapterRow:
    """Return the adapter to open.

    Parameters
    ----------
    which
        None for the best adapter; an integer ``n`` for the n-th discrete GPU; a row of ``list_adapters``.

    Raises
    ------
    AdapterNotFoundError
        If there is none, or if the row was refused.
    """
    if isinstance(which, AdapterRow):
        if which.taken:
            return which
        raise AdapterNotFoundError(
            f"webgpu:{which.index} is {which.summary}: refused, {which.reason}; "
            f"set WGTENSOR_ADAPTER={which.info['backend_type']} to take it all the same"
        )
    rows = list_adapters()
    taken = [row for row in rows if row.taken]
    if which is None:
        if not taken:
            raise AdapterNotFoundError(no_adapter_message([_refusal(row) for row in rows]))
        return taken[0]
    if not is_integer(which):
        raise ValidationError(f"an adapter is chosen by None, an integer or a row of list_adapters, got {which!r}")
    discrete = [row for row in taken if row.kind == "discrete"]
    if not 0 <= which < len(discrete):
        names = ", ".join(row.summary for row in taken) or "no adapter at all"
        raise AdapterNotFoundError(
            f"there is no discrete GPU {which}, this machine has {len(discrete)} and offers {names}; "
            "take the best adapter with new_default()"
        )
    return discrete[which]


def engine_request(row: AdapterRow, *, checked: bool = False, timestamps: bool = False) -> EngineRequest:
    """Return the request that opens ``row`` with every feature that wgtensor uses and the adapter has."""
    wanted = FEATURES + (SHARED_MEMORY_FEATURES if row.kind in {"cpu", "integrated"} else ())
    return EngineRequest(row.adapter, row.features & frozenset(wanted), checked, timestamps)


_warned = False


def warn_about_cpu_adapter(row: AdapterRow) -> None:
    """Warn once per process if ``row``, taken by default, is a software adapter."""
    global _warned  # noqa: PLW0603 - once per process
    if row.kind != "cpu" or _warned:
        return
    _warned = True
    warnings.warn(
        f"no GPU was found, computing on the software adapter {row.info['device']}: right but slow; "
        "install your GPU's Vulkan driver, or choose an adapter with WGTENSOR_ADAPTER to silence this",
        RuntimeWarning,
        stacklevel=2,
    )


def _row(adapter: Any) -> AdapterRow:
    info = dict(adapter.info)
    features, limits = frozenset(adapter.features), dict(adapter.limits)
    return AdapterRow(-1, _kind(info), info, features, limits, "taken", "", adapter)


def _kind(info: Mapping[str, Any]) -> Kind:
    named: dict[str, Kind] = {"DiscreteGPU": "discrete", "IntegratedGPU": "integrated", "CPU": "virtual"}
    name = f"{info['device']} {info['description']}".lower()
    if any(software in name for software in SOFTWARE):
        return "cpu"
    return named.get(info["adapter_type"], "unknown")


def _judged(row: AdapterRow, rows: Sequence[AdapterRow]) -> AdapterRow:
    reason = _reason(row, rows)
    return replace(row, verdict="refused", reason=reason) if reason else row


def _reason(row: AdapterRow, rows: Sequence[AdapterRow]) -> str:
    """Why an adapter is refused, or an empty string."""
    backend = row.info["backend_type"]
    asked, only = os.environ.get("WGTENSOR_ADAPTER", ""), os.environ.get("WGPU_BACKEND_TYPE", "")
    if only and only.lower() != backend.lower():
        return f"WGPU_BACKEND_TYPE asks for {only}"
    if asked:
        found = asked.lower() in f"{row.summary} {row.info['adapter_type']}".lower()
        return "" if found else f"WGTENSOR_ADAPTER asks for {asked!r}"
    if backend not in BACKENDS:
        return f"{backend} has no full compute support"
    if row.kind == "unknown":
        return "its type is unknown"
    better = () if only else BACKENDS[: BACKENDS.index(backend)]
    for other in rows:
        if other.info["device"] == row.info["device"] and other.info["backend_type"] in better:
            return f"the same device is taken through {other.info['backend_type']}"
    short = [f"{name} {row.limits[name]}" for name, least in BASELINE.items() if row.limits[name] < least]
    return "below WebGPU's baseline: " + ", ".join(short) if short else ""


def _refusal(row: AdapterRow) -> str:
    return f"{row.summary}: {row.reason}"


_found: list[Any] = []


def _adapters() -> list[Any]:
    """Return wgpu's adapters, found once per process.

    They are never given back: drivers crash when one thread gives adapters back while another looks for some.
    """
    import wgpu  # noqa: PLC0415 - nothing loads the driver before it is asked for

    with DRIVER_LOCK:
        if not _found:
            if os.environ.get("WGTENSOR_NONCOMPLIANT") == "1":
                _allow_noncompliant_drivers()
            with _quiet_display_search():
                _found.extend(wgpu.gpu.enumerate_adapters_sync())
        return list(_found)


def _allow_noncompliant_drivers() -> None:
    """Ask for them, before wgpu makes its instance; afterwards wgpu raises and nothing changes."""
    from wgpu.backends.wgpu_native import extras  # noqa: PLC0415 - as wgpu itself

    with suppress(RuntimeError):
        extras.set_instance_extras(flags=["Default", "AllowUnderlyingNoncompliantAdapter"])


@contextmanager
def _quiet_display_search() -> Iterator[None]:
    """Keep Mesa's GL from complaining on stderr that there is no display session."""
    if "XDG_RUNTIME_DIR" in os.environ:
        yield
        return
    os.environ["XDG_RUNTIME_DIR"] = tempfile.gettempdir()
    try:
        yield
    finally:
        del os.environ["XDG_RUNTIME_DIR"]
