"""Which engine is opened, what it says of itself, and the engine that only counts."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from wgtensor.errors import DeviceLostError, DeviceOutOfMemoryError, ValidationError
from wgtensor.webgpu.adapters import choose_adapter, engine_request
from wgtensor.webgpu.engine import BufferKind, Engine, EngineRequest, engine_class, open_engine


def test_the_native_engine_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WGTENSOR_ENGINE", raising=False)
    assert engine_class().__name__ == "NativeEngine"


@pytest.mark.parametrize(("name", "expected"), [("native", "NativeEngine"), ("portable", "PortableEngine")])
def test_the_environment_chooses(monkeypatch: pytest.MonkeyPatch, name: str, expected: str) -> None:
    monkeypatch.setenv("WGTENSOR_ENGINE", name)
    assert engine_class().__name__ == expected
    assert engine_class("null").__name__ == "NullEngine"


def test_an_unknown_engine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WGTENSOR_ENGINE", "warp")
    with pytest.raises(ValidationError, match="'warp'"):
        engine_class()


def test_without_the_c_library_the_portable_engine_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WGTENSOR_ENGINE", raising=False)
    monkeypatch.setitem(__import__("sys").modules, "wgtensor.webgpu.engine.native", None)
    assert engine_class().__name__ == "PortableEngine"


def test_every_engine_fulfils_the_protocol(fresh: Engine) -> None:
    assert isinstance(fresh, Engine)
    assert isinstance(open_engine(EngineRequest(None), "null"), Engine)


def test_facts_are_those_of_the_adapter(fresh: Engine) -> None:
    row = choose_adapter()
    assert fresh.facts.name in {"native", "portable"}
    assert fresh.facts.adapter_info["device"] == row.info["device"]
    for limit in ("max-buffer-size", "max-storage-buffer-binding-size", "max-storage-buffers-per-shader-stage"):
        assert fresh.facts.limits[limit] == row.limits[limit]
    assert fresh.facts.offset_alignment == row.limits["min-storage-buffer-offset-alignment"]


def test_engines_open_without_blocking_the_loop() -> None:
    asked = engine_request(choose_adapter())
    for name in ("native", "portable", "null"):
        cls = engine_class(name)
        engine = asyncio.run(cls.open_async(asked))
        assert engine.submit() == 0
        engine.close()


def test_the_null_engine_counts() -> None:
    engine: Any = open_engine(EngineRequest(None), "null")
    x, y = engine.buffer(64, BufferKind.STORAGE), engine.buffer(32, BufferKind.TABLE)
    kernel = engine.pipeline("any text", 1, 1)
    engine.write(x, 0, b"abcde")
    engine.dispatch(kernel, [(x, 0, 64), (y, 0, 32)], bytes(16), (2, 3, 1))
    engine.copy(x, 0, y, 0, 32)
    engine.fill(y, 0, 16, 1)
    assert engine.submit() == engine.submit() == engine.finished() == 1
    assert engine.read(x, 0, 5).result() == bytes(5)
    assert asyncio.run(_awaited(engine.read(x, 0, 3))) == bytes(3)
    engine.release(y)
    assert engine.dispatches == [(kernel, ((x, 0, 64), (y, 0, 32)), bytes(16), (2, 3, 1))]
    expected = {"dispatch": 1, "copy": 1, "fill": 1, "write": 1, "submit": 1, "read": 2, "buffer": 2, "release": 1}
    assert {name: engine.counts[name] for name in expected} == expected
    sizes = {"bytes_written": 5, "bytes_read": 8, "bytes_copied": 32, "bytes_filled": 16, "live_bytes": 64}
    assert {name: engine.counts[name] for name in sizes} == sizes


def test_the_null_engine_refuses_what_the_others_refuse() -> None:
    engine: Any = open_engine(EngineRequest(None), "null")
    x = engine.buffer(64, BufferKind.STORAGE)
    kernel = engine.pipeline("", 0, 1)
    calls: list[Any] = [
        lambda: engine.buffer(0, BufferKind.STORAGE),
        lambda: engine.dispatch(kernel, [(x, 0, 0)], bytes(16), (1, 1, 1)),
        lambda: engine.dispatch(kernel, [(x, 0, 4)], bytes(16), (70_000, 1, 1)),
        lambda: engine.dispatch(kernel, [(x, 0, 4)], bytes(4), (1, 1, 1)),
        lambda: engine.copy(x, 0, x, 0, 4),
        lambda: engine.fill(x, 0, 128, 1),
        lambda: engine.read(x, 0, 0),
    ]
    for call in calls:
        with pytest.raises(ValidationError):
            call()
    with pytest.raises(DeviceOutOfMemoryError):
        engine.buffer(1 << 40, BufferKind.STORAGE)
    engine.close()
    with pytest.raises(DeviceLostError, match="closed"):
        engine.submit()


async def _awaited(pending: Any) -> bytearray:
    return bytearray(await pending)


def test_a_device_of_another_program_is_shared(make_kit: Any) -> None:
    from wgtensor.webgpu.engine.portable import PortableEngine  # noqa: PLC0415

    device = choose_adapter().adapter.request_device_sync()
    kit = make_kit(PortableEngine.from_device(device))
    x, y = kit.put([1, 2, 3]), kit.buffer(3)
    kit.affine(x, y, 3, 5)
    kit.engine.submit()
    assert bytes(device.queue.read_buffer(y.raw)) == bytes(kit.engine.read(y, 0, 12).result())
    kit.engine.close()
