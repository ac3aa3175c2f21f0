"""A session per test, and a way to call einsum on arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from einsum.ledger import LedgerSession
from numpy.typing import NDArray

from wgtensor.einsum import einsum

Evaluate = Callable[..., NDArray[Any]]


@pytest.fixture
def session() -> Iterator[LedgerSession]:
    with LedgerSession() as opened:
        yield opened


@pytest.fixture
def evaluate(session: LedgerSession) -> Evaluate:
    """Call einsum with arrays in place of tensors."""

    def call(*arguments: Any, **keywords: Any) -> NDArray[Any]:
        taken = [session.take(each) if isinstance(each, np.ndarray) else each for each in arguments]
        return session.array(einsum(*taken, **keywords))

    return call
