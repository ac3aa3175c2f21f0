"""What is bound is what was asked for, also where bind groups are kept and buffers come and go."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from wgtensor.errors import ValidationError
from wgtensor.webgpu.engine.native_groups import BindGroups


def test_buffers_that_come_and_go_are_bound_anew(kit: Any) -> None:
    """Handles of released buffers are used again by drivers and by Python alike."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        values = rng.integers(0, 1000, 16)
        x, y = kit.put(values), kit.buffer(16)
        kit.affine(x, y, 16, 3, 1)
        kit.affine(x, y, 16, 3, 2)
        np.testing.assert_array_equal(kit.get(y, 16), values * 3 + 2)
        kit.engine.release(x)
        kit.engine.release(y)


def test_a_buffer_released_while_its_group_waits_in_the_pass(kit: Any) -> None:
    x, y, other = kit.put(range(64)), kit.buffer(64), kit.put([7] * 64)
    kit.affine(x, y, 64, 2)
    kit.engine.release(x)
    kit.affine(other, y, 32, 1)
    np.testing.assert_array_equal(kit.get(y, 64), [7] * 32 + [2 * i for i in range(32, 64)])
    with pytest.raises(ValidationError, match="live buffers"):
        kit.affine(x, y, 64, 2)
    kit.engine.release(y)
    kit.engine.release(other)


def test_many_groups_stay_bounded(kit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wgtensor.webgpu.engine.native_groups._KEPT", 50)
    x = kit.put([5])
    outputs = [kit.buffer(1) for _ in range(300)]
    for number, y in enumerate(outputs):
        kit.affine(x, y, 1, 1, number)
        kit.affine(x, y, 1, 1, number + 1)
    groups = getattr(kit.engine, "_groups", None)
    if isinstance(groups, BindGroups):
        assert 0 < len(groups.found) <= 50
    for number, y in enumerate(outputs):
        assert kit.get(y, 1)[0] == 6 + number
        kit.engine.release(y)
    kit.engine.release(x)
