"""Reads: odd sizes and offsets, several at once, awaited, and work submitted before they are collected."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from wgtensor.webgpu.adapters import choose_adapter, engine_request
from wgtensor.webgpu.engine import open_engine


@pytest.mark.parametrize("offset", [0, 4, 8, 12, 1020])
@pytest.mark.parametrize("nbytes", [1, 3, 4, 7, 8, 1000, 3076])
def test_any_size_at_any_word_can_be_read(kit: Any, offset: int, nbytes: int) -> None:
    data = np.random.default_rng(3).integers(0, 256, 4096, np.uint8).tobytes()
    x = kit.put(np.frombuffer(data, np.uint32))
    read = kit.engine.read(x, offset, nbytes).result()
    assert isinstance(read, bytearray)
    assert read == data[offset : offset + nbytes]


def test_a_long_read_arrives_whole(kit: Any) -> None:
    values = np.arange(9 << 20, dtype=np.uint32)
    x = kit.put(values)
    np.testing.assert_array_equal(kit.get(x, values.size), values)
    np.testing.assert_array_equal(kit.get(x, values.size - 3, 12), values[3:])
    kit.engine.release(x)


def test_the_result_is_the_same_object_every_time(kit: Any) -> None:
    pending = kit.engine.read(kit.put([1, 2]), 0, 8)
    first = pending.result()
    assert pending.result() is first
    assert pending.ready


def test_a_read_sees_the_moment_at_which_it_was_asked_for(kit: Any) -> None:
    x = kit.put(np.full(1000, 5))
    y = kit.buffer(1000)
    pending = []
    for step in range(6):
        kit.affine(x, y, 1000, step)
        pending.append(kit.engine.read(y, 0, 4000))
    kit.engine.write(y, 0, np.zeros(1000, np.uint32))
    kit.engine.release(y)
    for step in reversed(range(6)):
        read = np.frombuffer(pending[step].result(), np.uint32)
        np.testing.assert_array_equal(read, np.full(1000, 5 * step))


def test_two_reads_of_one_buffer_may_be_open_together(kit: Any) -> None:
    x = kit.put(np.arange(100))
    head, tail = kit.engine.read(x, 0, 40), kit.engine.read(x, 200, 200)
    np.testing.assert_array_equal(np.frombuffer(tail.result(), np.uint32), np.arange(50, 100))
    np.testing.assert_array_equal(np.frombuffer(head.result(), np.uint32), np.arange(10))


def test_a_read_that_nobody_collects_does_no_harm(kit: Any) -> None:
    x, y = kit.put(np.arange(64)), kit.buffer(64)
    for scale in range(1, 4):
        kit.engine.read(x, 0, 256)
        kit.affine(x, y, 64, scale)
        kit.affine(y, x, 64, 1)
    np.testing.assert_array_equal(kit.get(x, 64), np.arange(64) * 6)


@pytest.mark.parametrize("in_place", [True, False])
def test_reads_that_nobody_collects_give_their_memory_back(make_kit: Any, in_place: bool) -> None:
    asked = engine_request(choose_adapter())
    features = asked.features if in_place else asked.features - {"mappable-primary-buffers"}
    engine: Any = open_engine(replace(asked, features=features), "native")
    kit = make_kit(engine)
    x, y = kit.put(np.arange(1 << 18)), kit.buffer(64)
    for step in range(50):
        engine.read(x, 0, 1 << 20)
        kit.affine(x, y, 64, step)
    engine.wait(engine.submit())
    engine.write(y, 0, bytes(4))
    assert len(engine._events.mapped) <= 1
    assert engine.staging._kept <= 64 << 20
    assert kit.get(y, 64)[2] == 98
    engine.close()


def test_ready_becomes_true_without_blocking(kit: Any) -> None:
    x, y = kit.put(np.arange(1 << 16)), kit.buffer(1 << 16)
    for _ in range(20):
        kit.affine(x, y, 1 << 16, 2)
    pending = kit.engine.read(y, 0, 64)

    async def until_ready() -> None:
        while not pending.ready:
            await asyncio.sleep(0.001)

    asyncio.run(asyncio.wait_for(until_ready(), 30))
    np.testing.assert_array_equal(np.frombuffer(pending.result(), np.uint32), np.arange(16) * 2)


def test_reads_and_tickets_can_be_awaited(kit: Any) -> None:
    x, y = kit.put(np.arange(64)), kit.buffer(64)

    async def one(scale: int) -> np.ndarray[Any, np.dtype[np.uint32]]:
        kit.affine(x, y, 64, scale)
        return np.frombuffer(await kit.engine.read(y, 0, 256), np.uint32)

    async def all_of_them() -> list[np.ndarray[Any, np.dtype[np.uint32]]]:
        results = await asyncio.gather(*(one(scale) for scale in range(5)))
        kit.affine(x, y, 64, 9)
        ticket = kit.engine.submit()
        await kit.engine.wait_async(ticket)
        assert kit.engine.finished() >= ticket
        return results

    for scale, result in enumerate(asyncio.run(all_of_them())):
        np.testing.assert_array_equal(result, np.arange(64) * scale)
