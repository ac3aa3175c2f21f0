"""Order of effects, tickets and the uniform ring. Values are integers: every comparison is exact."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest


def test_dispatch_copy_and_fill_take_effect_in_the_order_of_recording(kit: Any) -> None:
    x = kit.put(np.arange(100))
    y, z = kit.buffer(100), kit.buffer(100)
    kit.affine(x, y, 100, 3, 1)
    kit.engine.copy(y, 0, z, 0, 400)
    kit.affine(z, y, 100, 2)
    kit.engine.fill(z, 40, 40, 7)
    kit.affine(z, x, 100, 1)
    np.testing.assert_array_equal(kit.get(y, 100), (np.arange(100) * 3 + 1) * 2)
    expected = np.arange(100) * 3 + 1
    expected[10:20] = 7
    np.testing.assert_array_equal(kit.get(x, 100), expected)


def test_order_holds_over_a_random_program(kit: Any) -> None:
    rng = np.random.default_rng(7)
    model = rng.integers(0, 1000, (4, 64), np.uint32)
    buffers = [kit.put(row) for row in model]
    for _ in range(200):
        source, target = rng.permutation(4)[:2]
        first, last = sorted(int(i) for i in rng.integers(0, 65, 2))
        match rng.integers(4):
            case 0:
                kit.affine(buffers[source], buffers[target], 64, 5, 3)
                model[target] = model[source] * np.uint32(5) + np.uint32(3)
            case 1 if last > first:
                kit.engine.copy(buffers[source], 4 * first, buffers[target], 0, 4 * (last - first))
                model[target, : last - first] = model[source, first:last]
            case 2 if last > first:
                word = int(rng.integers(0, 3))
                kit.engine.fill(buffers[target], 4 * first, 4 * (last - first), word)
                model[target, first:last] = word
            case 3:
                kit.engine.submit()
    for buffer, row in zip(buffers, model, strict=True):
        np.testing.assert_array_equal(kit.get(buffer, 64), row)


def test_a_write_comes_after_what_was_submitted_and_before_what_was_recorded(kit: Any) -> None:
    x, y, z = kit.put([1] * 8), kit.buffer(8), kit.buffer(8)
    kit.affine(x, y, 8, 10)
    kit.engine.submit()
    kit.affine(x, z, 8, 100)
    kit.engine.write(x, 0, np.full(8, 2, np.uint32))
    np.testing.assert_array_equal(kit.get(y, 8), np.full(8, 10))
    np.testing.assert_array_equal(kit.get(z, 8), np.full(8, 200))


def test_thousands_of_dispatches_of_mixed_params_fit_one_batch(kit: Any) -> None:
    y = kit.put([1])
    expected = 1
    for step in range(5000):
        kit.horner(y, 3, step, padding=16 * (step % 63))
        expected = (expected * 3 + step) % 2**32
    ticket = kit.engine.submit()
    kit.engine.wait(ticket)
    assert kit.get(y, 1)[0] == expected


def test_a_ring_that_is_used_again_does_not_change_submitted_work(kit: Any) -> None:
    targets = [kit.put([0]) for _ in range(40)]
    for value, target in enumerate(targets):
        kit.horner(target, 0, value + 1)
        kit.engine.submit()
    assert [int(kit.get(target, 1)[0]) for target in targets] == list(range(1, 41))


def test_released_buffers_stay_valid_for_recorded_work(kit: Any) -> None:
    x = kit.put(np.arange(64))
    result = kit.buffer(64)
    for _ in range(20):
        between = kit.buffer(64)
        kit.affine(x, between, 64, 2)
        kit.affine(between, result, 64, 1)
        kit.engine.release(between)
    np.testing.assert_array_equal(kit.get(result, 64), np.arange(64) * 2)


def test_tickets_grow_by_one_and_an_empty_submit_makes_none(kit: Any) -> None:
    y = kit.put([0])
    first = kit.engine.submit()
    tickets = []
    for value in range(3):
        kit.horner(y, 1, value)
        tickets.append(kit.engine.submit())
    assert tickets == [first + 1, first + 2, first + 3]
    assert kit.engine.submit() == tickets[-1]
    kit.engine.wait(tickets[-1])
    assert kit.engine.finished() == tickets[-1]


def test_waiting_for_an_early_ticket_leaves_later_ones_alone(kit: Any) -> None:
    y = kit.put([0])
    tickets = []
    for value in range(4):
        kit.horner(y, 1, value)
        tickets.append(kit.engine.submit())
    kit.engine.wait(tickets[0])
    assert tickets[0] <= kit.engine.finished() <= tickets[-1]
    kit.engine.wait(tickets[-1])
    kit.engine.wait(tickets[1])
    assert kit.engine.finished() == tickets[-1]


def test_buffers_are_zero_at_first_use(kit: Any) -> None:
    assert not kit.get(kit.buffer(1000), 1000).any()


@pytest.mark.parametrize("word", [0, 1, 0xDEADBEEF, 0xFFFFFFFF])
@pytest.mark.parametrize(("first", "count"), [(0, 1), (1, 2), (3, 997), (64, 64), (999, 1)])
def test_fills_reach_exactly_their_range(kit: Any, word: int, first: int, count: int) -> None:
    y = kit.put(np.arange(1000))
    kit.engine.fill(y, 4 * first, 4 * count, word)
    expected = np.arange(1000, dtype=np.uint32)
    expected[first : first + count] = word
    np.testing.assert_array_equal(kit.get(y, 1000), expected)


def test_a_long_fill_needs_more_than_one_row_of_workgroups(kit: Any) -> None:
    count = 256 * 32_768 + 5
    y = kit.buffer(count + 1)
    kit.engine.fill(y, 0, 4 * count, 9)
    tail = kit.get(y, 10, 4 * (count - 9))
    np.testing.assert_array_equal(tail, [9] * 9 + [0])
    np.testing.assert_array_equal(kit.get(y, 3), [9] * 3)
    kit.engine.release(y)


@pytest.mark.parametrize("nbytes", [1, 2, 3, 5, 4099])
def test_a_write_of_odd_size_is_padded_with_zeros(kit: Any, nbytes: int) -> None:
    y = kit.put(np.full(1100, 0xFFFFFFFF))
    data = bytes(range(1, 256)) * 17
    kit.engine.write(y, 8, data[:nbytes])
    expected = bytearray(b"\xff" * 4400)
    padded = data[:nbytes].ljust((nbytes + 3) // 4 * 4, b"\0")
    expected[8 : 8 + len(padded)] = padded
    assert kit.engine.read(y, 0, 4400).result() == expected


def test_many_large_writes_between_two_submits_arrive(kit: Any) -> None:
    count = 6 << 20
    y = kit.buffer(count)
    for value in range(4):
        kit.engine.write(y, 0, np.full(count, value, np.uint32))
    assert kit.get(y, 1, 4 * (count - 1))[0] == 3
    kit.engine.release(y)
