"""The self-check of a new runtime: a few numbers through one kernel, before any tensor is trusted to the adapter.

It also measures the subgroup size, which adapters report only as a range. The verdict is kept on disk per adapter,
driver and version, so that only the first runtime on a machine pays for it; ``WGTENSOR_SELFCHECK=always`` runs it every
time.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path
from typing import Final

import numpy as np
import platformdirs
from numpy.typing import NDArray

from wgtensor.errors import BackendSourceError, RuntimeStateError
from wgtensor.webgpu.engine.base import BufferKind, Engine
from wgtensor.webgpu.kernels.plan import pack_params
from wgtensor.webgpu.kernels.templating import render

__all__ = ["self_check"]

_COUNT: Final = 256
_VERSION: Final = 1
_SEED: Final = 20_240_229


def self_check(engine: Engine) -> int:
    """Return the subgroup size (0 where subgroups are missing) of an engine whose numbers are right.

    Raises
    ------
    RuntimeStateError
        The adapter computes wrong numbers.
    BackendSourceError
        The check could not be run.
    """
    path = _verdict_path(engine)
    if os.environ.get("WGTENSOR_SELFCHECK") != "always":
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            return int(json.loads(path.read_text(encoding="utf-8"))["subgroup_size"])
    size = _run(engine)
    _keep(path, size)
    return size


def _run(engine: Engine) -> int:
    """Compute ``x * y + (i ^ 5)`` for random x, y and compare every element; read one subgroup size beside."""
    rng = np.random.default_rng(_SEED)
    x, y = rng.integers(-1000, 1000, (2, _COUNT)).astype(np.float32)
    want = x * y + (np.arange(_COUNT) ^ 5).astype(np.float32)
    subgroups = "subgroup" in engine.facts.features
    source = render("selfcheck.wgsl", subgroups=subgroups, count=_COUNT)
    buffers = [engine.buffer(4 * _COUNT, BufferKind.STORAGE) for _ in range(3)]
    try:
        engine.write(buffers[0], 0, x.view(np.uint8))
        engine.write(buffers[1], 0, y.view(np.uint8))
        bindings = [(buffer, 0, 4 * _COUNT) for buffer in buffers]
        engine.dispatch(engine.pipeline(source, 2, 1), bindings, pack_params(5), (_COUNT // 64, 1, 1))
        got = np.frombuffer(engine.read(buffers[2], 0, 4 * _COUNT).result(), np.float32)
    finally:
        for buffer in buffers:
            engine.release(buffer)
    errors = engine.errors()
    if errors:
        raise BackendSourceError(f"the self-check failed to run: {errors[0]}") from RuntimeError(errors[0])
    return _judge(engine, got, want, subgroups)


def _judge(engine: Engine, got: NDArray[np.float32], want: NDArray[np.float32], subgroups: bool) -> int:
    # The last element carries the subgroup size instead of a product.
    if not np.array_equal(got[:-1], want[:-1]):
        wrong = int(np.flatnonzero(got[:-1] != want[:-1])[0])
        raise RuntimeStateError(
            f"the adapter {engine.facts.adapter_info.get('device')} fails the self-check: element {wrong} is "
            f"{got[wrong]!r}, right is {want[wrong]!r}; update its driver, or choose another with WGTENSOR_ADAPTER"
        )
    return int(got[-1]) if subgroups else 0


def _verdict_path(engine: Engine) -> Path:
    facts = engine.facts
    known = json.dumps([_VERSION, facts.name, dict(sorted(facts.adapter_info.items())), sorted(facts.features)])
    digest = hashlib.sha256(known.encode()).hexdigest()[:24]
    return Path(platformdirs.user_cache_dir("wgtensor")) / "selfcheck" / f"{digest}.json"


def _keep(path: Path, subgroup_size: int) -> None:
    # A machine without a writable cache directory checks each time.
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(f".{os.getpid()}")
        temporary.write_text(json.dumps({"subgroup_size": subgroup_size}), encoding="utf-8")
        temporary.replace(path)
