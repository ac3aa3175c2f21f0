"""Owners, runtimes and sessions: who has which methods, who may enter when, and what survives."""

from __future__ import annotations

import copy
import gc
import threading
from collections.abc import Generator
from typing import Any

import numpy as np
import pytest
from contract.harness import BACKENDS, f32

from wgtensor.contract import (
    BackendRuntimeCache,
    BackendSession,
    BackendSessionHost,
    DotGeneralConfig,
    DotGeneralPreparation,
    TensorAnalytic,
    TensorBackend,
    TensorBuffer,
    TensorDeviceTransfer,
    TensorDot,
    TensorElementwise,
    TensorFusion,
    TensorIndexing,
    TensorReduction,
    TensorScan,
    TensorSort,
    TensorStructural,
)
from wgtensor.errors import SessionEntryError
from wgtensor.rules import OPERATIONS
from wgtensor.tensor import Tensor

SESSION_PROTOCOLS = (
    TensorBuffer, TensorElementwise, TensorAnalytic, TensorStructural, TensorReduction, TensorScan, TensorSort,
    TensorIndexing, TensorDot, TensorFusion, BackendSession,
)  # fmt: skip
OWNER_PROTOCOLS = (TensorBackend, BackendSessionHost, DotGeneralPreparation)


@pytest.mark.parametrize("protocol", SESSION_PROTOCOLS)
def test_sessions_compute_and_owners_do_not(backend: Any, protocol: Any) -> None:
    assert isinstance(backend.session(), protocol)
    assert not isinstance(backend, protocol)


@pytest.mark.parametrize("protocol", OWNER_PROTOCOLS)
def test_owners_open_sessions_and_sessions_do_not(backend: Any, protocol: Any) -> None:
    assert isinstance(backend, protocol)
    assert not isinstance(backend.session(), protocol)


def test_both_transfer(backend: Any) -> None:
    for mover in (backend, backend.session()):
        assert isinstance(mover, TensorDeviceTransfer)


def test_the_cache_is_reached_through_the_owner(backend: Any) -> None:
    assert isinstance(backend.runtime_cache, BackendRuntimeCache)


@pytest.mark.parametrize("name", OPERATIONS)
def test_no_operation_is_a_method_of_the_owner(backend: Any, name: str) -> None:
    assert not hasattr(backend, name)
    assert callable(getattr(backend.session(), name))


def test_clones_share_the_identity_and_new_owners_never_do(backend: Any, fresh_backend: Any) -> None:
    for clone in (copy.copy(backend), backend.clone(), type(backend).from_runtime(backend.runtime)):
        assert clone is not backend
        assert clone.runtime is backend.runtime
        assert clone.runtime_identity == backend.runtime_identity
        assert hash(clone.runtime_identity) == hash(backend.runtime_identity)
    assert fresh_backend.runtime_identity != backend.runtime_identity


def test_a_session_tells_its_runtime(backend: Any) -> None:
    with backend.session() as session:
        assert session.runtime is backend.runtime
        assert session.runtime_identity == backend.runtime_identity


def test_repr_names_the_backend_and_the_device(backend: Any) -> None:
    assert type(backend).__name__ in repr(backend)
    assert backend.runtime.adapter_info["device"] in repr(backend)


def test_a_clone_takes_the_other_owners_tensors(backend: Any) -> None:
    x = backend.upload_host_tensor(Tensor.from_numpy(f32([1, 2])))
    clone = copy.copy(backend)
    y = clone.with_backend_session(lambda session: session.neg(x))
    np.testing.assert_array_equal(backend.download_to_host(y).to_numpy(), [-1, -2])


def test_with_backend_session_returns_what_the_function_returned(backend: Any) -> None:
    assert backend.with_backend_session(lambda session: (7, isinstance(session, BackendSession))) == (7, True)


def test_sessions_follow_each_other(backend: Any) -> None:
    for _ in range(3):
        with backend.session() as session:
            assert session.runtime is backend.runtime


def entering(backend: Any) -> Any:
    """The two ways into a session, as functions that return whether the block ran."""

    def scoped() -> None:
        with backend.session():
            pytest.fail("the block ran")

    def called() -> None:
        backend.with_backend_session(lambda session: pytest.fail("the function ran"))

    return scoped, called


@pytest.mark.parametrize("other", BACKENDS)
def test_a_nested_entry_on_any_backend_is_refused_and_the_outer_session_goes_on(backend: Any, other: str) -> None:
    x = backend.upload_host_tensor(Tensor.from_numpy(f32([1])))
    inner = [backend, copy.copy(backend), BACKENDS[other]()]
    with backend.session() as session:
        for owner in inner:
            for enter in entering(owner):
                with pytest.raises(SessionEntryError, match=r"this thread is inside a session .*; use that session"):
                    enter()
        y = session.add(x, x)
    np.testing.assert_array_equal(backend.download_to_host(y).to_numpy(), [2])
    with backend.session():
        pass


def test_a_session_is_entered_once(backend: Any) -> None:
    session = backend.session()
    with session:
        pass
    with pytest.raises(SessionEntryError, match="a session is entered once; open a new one"), session:
        pytest.fail("the block ran")


def test_an_exception_restores_the_guard(backend: Any) -> None:
    def fail(session: Any) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        backend.with_backend_session(fail)
    with pytest.raises(KeyError), backend.session():
        raise KeyError("mine")
    assert backend.with_backend_session(lambda session: "again") == "again"


def test_other_threads_hold_their_own_sessions(backend: Any) -> None:
    x = backend.upload_host_tensor(Tensor.from_numpy(f32([1, 2, 3])))
    results: list[Any] = []

    def work() -> None:
        with backend.session() as session:
            results.append(backend.download_to_host(session.mul(x, 2)).to_numpy().tolist())

    with backend.session() as session:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        results.append(backend.download_to_host(session.mul(x, 3)).to_numpy().tolist())
    assert results == [[2, 4, 6], [3, 6, 9]]


def test_a_closed_or_unopened_session_is_refused(backend: Any) -> None:
    x = backend.upload_host_tensor(Tensor.from_numpy(np.eye(2, dtype=np.float32)))
    closed = backend.session()
    with closed:
        pass
    for session in (closed, backend.session()):
        with pytest.raises(SessionEntryError, match=r"add needs an open session, got a closed one; open it with"):
            session.add(x, x)
        with pytest.raises(SessionEntryError, match="dot_general needs an open session"):
            session.dot_general(x, x, DotGeneralConfig([1], [0]))
        with pytest.raises(SessionEntryError, match="upload_host_tensor needs an open session"):
            session.upload_host_tensor(Tensor.from_numpy(f32([1])))
        with pytest.raises(SessionEntryError, match="download_to_host needs an open session"):
            session.download_to_host(x)


def test_owner_methods_work_while_a_session_is_open(backend: Any) -> None:
    with backend.session() as session:
        x = backend.upload_host_tensor(Tensor.from_numpy(f32([2])))
        y = session.mul(x, x)
        assert backend.download_to_host(y).to_numpy().tolist() == [4]
        backend.synchronize()
        assert session.download_to_host(session.add(y, 1)).to_numpy().tolist() == [5]


def test_results_outlive_the_session_and_the_owner() -> None:
    for make in BACKENDS.values():
        owner = make()
        x = owner.upload_host_tensor(Tensor.from_numpy(f32([1, 2])))
        result = owner.with_backend_session(lambda session, x=x: session.transpose(session.add(x, 1), (0,)))
        runtime, kind = owner.runtime, type(owner)
        del owner, x
        again = kind.from_runtime(runtime)
        np.testing.assert_array_equal(again.download_to_host(result).to_numpy(), [2, 3])


def held_open(backend: Any) -> Generator[Any, None, None]:
    with backend.session() as session:
        yield session


def test_a_session_closed_on_another_thread_frees_its_own_thread_alone(backend: Any) -> None:
    elsewhere, here = held_open(backend), held_open(backend)
    entering = threading.Thread(target=next, args=(elsewhere,))
    entering.start()
    entering.join()
    next(here)
    closing = threading.Thread(target=here.close)
    closing.start()
    closing.join()
    with backend.session():
        elsewhere.close()
        with pytest.raises(SessionEntryError, match="inside a session"), backend.session():
            pass


@pytest.mark.parametrize("entered", [True, False])
def test_a_stray_exit_leaves_the_open_session_guarded(backend: Any, entered: bool) -> None:
    stray = backend.session()
    if entered:
        with stray:
            pass
    with backend.session() as session:
        stray.__exit__(None, None, None)
        with pytest.raises(SessionEntryError, match="inside a session"), backend.session():
            pass
        session.upload_host_tensor(Tensor.from_numpy(f32([1])))


def test_a_session_that_is_forgotten_inside_frees_its_thread(backend: Any) -> None:
    backend.session().__enter__()
    gc.collect()
    with backend.session() as session:
        session.upload_host_tensor(Tensor.from_numpy(f32([1])))
