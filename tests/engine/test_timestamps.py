"""Times of dispatches: there for every dispatch, ordered, and absent where nobody asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from wgtensor.webgpu.adapters import choose_adapter, engine_request
from wgtensor.webgpu.engine import open_engine


@pytest.fixture
def timed(make_kit: Any) -> Iterator[Any]:
    engine = open_engine(engine_request(choose_adapter(), timestamps=True), "native")
    yield make_kit(engine)
    assert engine.errors() == []
    engine.close()


def test_each_dispatch_has_a_start_and_an_end(timed: Any) -> None:
    y = timed.put([1])
    for _ in range(5):
        timed.horner(y, 2, 1)
    timed.engine.fill(y, 0, 4, 0)
    timed.horner(y, 2, 1)
    times = timed.engine.timestamps(timed.engine.submit())
    assert len(times) == 6
    assert all(0 < start <= end for start, end in times)
    assert times == sorted(times)
    assert timed.get(y, 1)[0] == 1


def test_tickets_keep_their_own_times(timed: Any) -> None:
    y = timed.put([1])
    tickets = []
    for count in (3, 1):
        for _ in range(count):
            timed.horner(y, 2, 1)
        tickets.append(timed.engine.submit())
    first, second = (timed.engine.timestamps(ticket) for ticket in tickets)
    assert [len(first), len(second)] == [3, 1]
    assert first[-1][0] <= second[0][0]
    assert timed.engine.timestamps(tickets[0]) == []


def test_longer_work_takes_longer(timed: Any) -> None:
    # 1024 times the work: the factor is far above what a busy machine does to a short dispatch.
    count = 1 << 22
    x, y = timed.buffer(count), timed.buffer(count)
    timed.affine(x, y, count, 2)
    timed.engine.timestamps(timed.engine.submit())
    timed.affine(x, y, count >> 10, 2)
    timed.affine(x, y, count, 2)
    (short, long) = (end - start for start, end in timed.engine.timestamps(timed.engine.submit()))
    assert long > short


def test_more_dispatches_than_queries_are_all_timed(timed: Any) -> None:
    y = timed.put([0])
    for _ in range(2500):
        timed.horner(y, 1, 1)
    times = timed.engine.timestamps(timed.engine.submit())
    assert len(times) == 2500
    assert timed.get(y, 1)[0] == 2500


def test_a_dropped_batch_has_no_times(timed: Any) -> None:
    x = timed.put([1, 2])
    timed.affine(x, x, 2, 1)
    ticket = timed.engine.submit()
    assert timed.engine.errors()
    assert timed.engine.timestamps(ticket) == []


def test_nobody_asked(kit: Any) -> None:
    kit.horner(kit.put([1]), 2, 1)
    assert len(kit.engine.timestamps(kit.engine.submit())) == 0
