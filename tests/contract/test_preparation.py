"""prepare: three answers, the same results as the operation itself, and a counted cache."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from contract.harness import Bench, values

from wgtensor.contract import (
    DotGeneralConfig,
    DotGeneralPrepareRequest,
    NeedsSpecialization,
    Prepared,
    TensorSignature,
    Unsupported,
)
from wgtensor.errors import ForeignDomainError, PrepareError, RuntimeStateError
from wgtensor.tensor import Tensor, bfloat16, bool_, float32, int32

MATMUL = DotGeneralConfig([1], [0])


def request(lhs: tuple[Any, ...] = (2, 3), rhs: tuple[Any, ...] = (3, 4), **options: Any) -> DotGeneralPrepareRequest:
    return DotGeneralPrepareRequest(MATMUL, TensorSignature(float32, lhs), TensorSignature(float32, rhs), **options)


def prepared(backend: Any, asked: DotGeneralPrepareRequest) -> Prepared:
    answer = backend.prepare(asked)
    assert isinstance(answer, Prepared), answer
    return answer


@pytest.mark.parametrize("layout", ["plain", "fortran", "transposed", "reversed"])
def test_a_prepared_product_gives_the_same_bits(bench: Bench, layout: str) -> None:
    lhs = bench.up(values("float32", (4, 5), 1, special=False), layout)
    rhs = bench.up(values("float32", (5, 6), 2, special=False))
    ready = prepared(bench.backend, DotGeneralPrepareRequest(MATMUL, TensorSignature.of(lhs), TensorSignature.of(rhs)))
    expected = bench.down(bench.session.dot_general(lhs, rhs, MATMUL))
    for _ in range(2):
        np.testing.assert_array_equal(bench.down(ready.run(bench.session, lhs, rhs)), expected)
    assert ready.workspace_bytes == 0, "a depth of 5 is contracted in one pass"
    assert "(4, 5) x (5, 6)" in repr(ready)


def test_conjugation_is_part_of_the_request(bench: Bench) -> None:
    x = values("complex64", (2, 2), special=False)
    lhs = rhs = bench.up(x)
    asked = DotGeneralPrepareRequest(MATMUL, TensorSignature.of(lhs), TensorSignature.of(rhs), lhs_conj=True)
    answer = bench.backend.prepare(asked)
    if not bench.supports("dot_general", x.dtype):
        assert isinstance(answer, Unsupported)
        return
    assert isinstance(answer, Prepared)
    wide = x.astype(np.complex128)
    # Two products of four roundings each, and one of the sum: within 8 half-ulps of the sum of magnitudes.
    bound = 4 * np.finfo(np.float32).eps * (np.abs(wide) @ np.abs(wide))
    error = np.abs(bench.down(answer.run(bench.session, lhs, rhs)) - wide.conj() @ wide)
    assert np.all(error <= bound)
    assert np.any(np.abs(wide.conj() @ wide - wide @ wide) > bound), "conjugation makes a difference here"


def test_symbolic_lengths_must_be_fixed_first(backend: Any) -> None:
    answer = backend.prepare(request(("m", 3), (3, "n")))
    assert isinstance(answer, NeedsSpecialization)
    assert answer.facts == ("lhs.shape[0]", "rhs.shape[1]")


@pytest.mark.parametrize("dtype", [bool_, bfloat16])
def test_dtypes_without_products_are_unsupported(backend: Any, dtype: Any) -> None:
    answer = backend.prepare(
        DotGeneralPrepareRequest(MATMUL, TensorSignature(dtype, (2, 3)), TensorSignature(dtype, (3, 4)))
    )
    assert isinstance(answer, Unsupported)
    assert dtype.name in answer.reason


def test_mixed_dtypes_are_unsupported(backend: Any) -> None:
    answer = backend.prepare(
        DotGeneralPrepareRequest(MATMUL, TensorSignature(float32, (2, 3)), TensorSignature(int32, (3, 4)))
    )
    assert isinstance(answer, Unsupported)
    assert "one dtype, got float32 and int32" in answer.reason


def test_what_was_not_prepared_says_why_when_it_is_run(bench: Bench) -> None:
    x = bench.up(np.ones((2, 3), np.float32))
    open_lengths = bench.backend.prepare(request(("n", 3)))
    with pytest.raises(PrepareError, match=r"got one of NeedsSpecialization: fix lhs\.shape\[0\] in the request"):
        open_lengths.run(bench.session, x, x)
    side = TensorSignature(bool_, (2, 2))
    unsupported = bench.backend.prepare(DotGeneralPrepareRequest(MATMUL, side, side))
    with pytest.raises(PrepareError, match=r"got one of Unsupported: dot_general takes .* tensors, got bool"):
        unsupported.run(bench.session, x, x)


def test_requests_that_fit_nothing(backend: Any) -> None:
    with pytest.raises(PrepareError, match="prepare takes a DotGeneralPrepareRequest, got str"):
        backend.prepare("dot_general")
    with pytest.raises(PrepareError, match="dot_general needs equal lengths on paired contracting axes") as caught:
        backend.prepare(request((2, 3), (4, 4)))
    assert isinstance(caught.value.__cause__, ValueError)


def test_operands_must_have_the_prepared_signature(bench: Bench) -> None:
    ready = prepared(bench.backend, request())
    good = bench.up(np.ones((2, 3), np.float32)), bench.up(np.ones((3, 4), np.float32))
    wrong_shape = bench.up(np.ones((3, 3), np.float32))
    wrong_layout = bench.up(np.ones((2, 3), np.float32), "fortran")
    wrong_dtype = bench.up(np.ones((2, 3), np.int32))
    for lhs in (wrong_shape, wrong_layout, wrong_dtype):
        with pytest.raises(
            PrepareError, match=r"a prepared dot_general needs lhs as prepared .*, got .*; prepare this"
        ):
            ready.run(bench.session, lhs, good[1])
    with pytest.raises(PrepareError, match=r"a prepared dot_general needs rhs as prepared"):
        ready.run(bench.session, good[0], wrong_shape)
    np.testing.assert_array_equal(bench.down(ready.run(bench.session, *good)), np.full((2, 4), 3))


def test_residency_is_checked_when_it_runs(bench: Bench, fresh_backend: Any) -> None:
    ready = prepared(bench.backend, request())
    host = Tensor.from_numpy(np.ones((2, 3), np.float32)), Tensor.from_numpy(np.ones((3, 4), np.float32))
    with pytest.raises(RuntimeStateError, match="upload it with upload_host_tensor"):
        ready.run(bench.session, *host)
    foreign = [fresh_backend.upload_host_tensor(each) for each in host]
    with pytest.raises(ForeignDomainError):
        ready.run(bench.session, *foreign)


def test_another_runtimes_session_is_refused(backend: Any, fresh_backend: Any) -> None:
    ready = prepared(backend, request())
    x, y = (fresh_backend.upload_host_tensor(Tensor.from_numpy(np.ones(n, np.float32))) for n in ((2, 3), (3, 4)))
    with (
        fresh_backend.session() as session,
        pytest.raises(PrepareError, match="a prepared dot_general runs on the runtime"),
    ):
        ready.run(session, x, y)


def test_prepared_work_is_a_hit_for_sessions_and_survives_a_clear(fresh_backend: Any) -> None:
    cache = fresh_backend.runtime_cache
    cache.clear()
    before = cache.stats()
    ready = prepared(fresh_backend, request())
    after = cache.stats()
    assert after.misses > before.misses
    assert after.entries > before.entries
    assert after.bytes > before.bytes
    x, y = (fresh_backend.upload_host_tensor(Tensor.from_numpy(np.ones(n, np.float32))) for n in ((2, 3), (3, 4)))
    with fresh_backend.session() as session:
        cold = fresh_backend.download_to_host(session.dot_general(x, y, MATMUL)).to_numpy()
        assert cache.stats().hits > after.hits
        cache.clear()
        cleared = fresh_backend.download_to_host(ready.run(session, x, y)).to_numpy()
    np.testing.assert_array_equal(cold, np.full((2, 4), 3))
    np.testing.assert_array_equal(cleared, cold)
    assert cache.stats().clears == before.clears + 1
    assert cache.stats().by_kind
