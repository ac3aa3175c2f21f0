"""The contract suite runs on every backend in ``harness.BACKENDS``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from contract.harness import BACKENDS, Bench


@pytest.fixture(scope="session", params=list(BACKENDS))
def make_backend(request: pytest.FixtureRequest) -> Callable[[], Any]:
    """The factory of each kind of owner; every call makes a runtime of its own."""
    return BACKENDS[request.param]


@pytest.fixture(scope="session")
def backend(make_backend: Callable[[], Any]) -> Any:
    """An owner of each kind, shared by all tests."""
    return make_backend()


@pytest.fixture
def fresh_backend(make_backend: Callable[[], Any]) -> Any:
    """An owner of the same kind with a runtime of its own, for tests that close it or count its work."""
    return make_backend()


@pytest.fixture
def session(backend: Any) -> Iterator[Any]:
    """An open session of ``backend``."""
    with backend.session() as opened:
        yield opened


@pytest.fixture
def bench(backend: Any, session: Any) -> Bench:
    """The backend and its open session, with the steps of an operation's test."""
    return Bench(backend, session)
