"""The same values on every backend, whole and in slices, in the open session and in the ambient one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from contract.harness import BACKENDS
from numpy.typing import NDArray

from wgtensor.einsum import einsum, plan_einsum
from wgtensor.tensor import Tensor

NETWORKS: dict[str, tuple[str, list[tuple[int, ...]]]] = {
    "matrix product": ("ij,jk->ik", [(17, 33), (33, 5)]),
    "batched, result permuted": ("bij,bjk->kbi", [(5, 9, 7), (5, 7, 6)]),
    "ring": ("abx,bcy,cdz,daw->wzyx", [(4, 5, 3), (5, 6, 2), (6, 7, 3), (7, 4, 2)]),
    "hyperedges": ("ai,bi,ci,ab,bc->ic", [(4, 6), (5, 6), (3, 6), (4, 5), (5, 3)]),
    "traces, diagonals and private labels": ("iij,jkk,jx,y->ij", [(4, 4, 5), (5, 3, 3), (5, 6), (7,)]),
    "stretched ellipsis": ("...ij,...jk->...ki", [(3, 1, 4, 5), (2, 5, 6)]),
    "outer product": ("i,j,->ji", [(9,), (13,), ()]),
    "zero length": ("ij,jk->ik", [(3, 0), (0, 4)]),
}


@pytest.fixture(scope="module", params=list(BACKENDS))
def backend(request: pytest.FixtureRequest) -> Any:
    return BACKENDS[request.param]()


@pytest.fixture(scope="module", params=[name for name in BACKENDS if name != "cpu"])
def device(request: pytest.FixtureRequest) -> Any:
    """A backend whose counters of bytes follow its buffers."""
    return BACKENDS[request.param]()


def normal(shapes: Sequence[tuple[int, ...]], dtype: Any) -> list[NDArray[Any]]:
    rng = np.random.default_rng(11)
    parts = [rng.standard_normal((2, *shape)) for shape in shapes]
    return [(part[0] + (1j * part[1] if dtype is np.complex64 else 0)).astype(dtype) for part in parts]


def upload(owner: Any, arrays: Sequence[NDArray[Any]]) -> list[Tensor]:
    return [owner.upload_host_tensor(Tensor.from_numpy(array)) for array in arrays]


def check(got: NDArray[Any], equation: str, arrays: Sequence[NDArray[Any]], terms: int) -> None:
    """Compare with float64: each of ``terms`` products and sums rounds once, and no more than the magnitudes' sum."""
    wide = [array.astype(np.result_type(array.dtype, np.float64)) for array in arrays]
    want = np.einsum(equation, *wide)
    bound = (4 * terms + 8) * np.finfo(np.float32).eps * np.einsum(equation, *map(np.abs, wide))
    assert got.shape == want.shape
    assert np.all(np.abs(got - want) <= bound)


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
@pytest.mark.parametrize("network", NETWORKS)
def test_networks(backend: Any, network: str, dtype: Any) -> None:
    equation, shapes = NETWORKS[network]
    arrays = normal(shapes, dtype)
    with backend.session() as session:
        got = session.download_to_host(einsum(equation, *upload(session, arrays))).to_numpy()
    assert got.dtype == dtype
    check(got, equation, arrays, 60)


def test_views_as_operands(backend: Any) -> None:
    a, b = normal([(12, 10), (5, 6)], np.float32)
    arrays = [a[::-2, 1::2], b.T]
    with backend.session() as session:
        got = session.download_to_host(einsum("ij,kj->ki", *upload(session, arrays))).to_numpy()
    check(got, "ij,kj->ki", arrays, 5)


@pytest.mark.parametrize(("equation", "limit"), [("ab,bc,cd,da->", 64), ("ab,bc,cd->da", 100), ("ab,bc,cd,da->bd", 40)])
def test_slices(backend: Any, equation: str, limit: int) -> None:
    left, right = equation.split("->")
    arrays = normal([(7, 8), (8, 9), (9, 6), (6, 7)][: left.count(",") + 1], np.float32)
    shapes = [array.shape for array in arrays]
    plan = plan_einsum(left.split(","), right, shapes, [tuple(range(len(arrays)))], binding_limit=limit)
    assert plan.slices > 1
    with backend.session() as session:
        got = session.download_to_host(plan.execute(session, upload(session, arrays))).to_numpy()
    check(got, equation, arrays, 7 * 8 + 9 * 6)


def test_peak_bytes(device: Any) -> None:
    """Within a quarter of the plan's peak: sizes are rounded up to four classes an octave."""
    shapes = [(64, 32, 32), (32, 96, 32), (96, 64, 32), (32, 64)]
    equation = "abx,bcx,cax,xd->d"
    arrays = normal(shapes, np.float32)
    left, right = equation.split("->")
    plan = plan_einsum(left.split(","), right, shapes, [(0, 1), (0, 2), (0, 1)])
    operands = upload(device, arrays)
    device.synchronize()
    before = device.runtime.counters.live_bytes - sum(operand.nbytes for operand in operands)
    device.runtime.reset_peak()
    with device.session() as session:
        plan.execute(session, operands)
        device.synchronize()
    assert device.runtime.counters.peak_bytes - before <= 1.25 * plan.peak_bytes


def test_without_a_session(backend: Any) -> None:
    arrays = normal([(3, 4), (4, 5)], np.float32)
    got = backend.download_to_host(einsum("ij,jk", *upload(backend, arrays))).to_numpy()
    check(got, "ij,jk", arrays, 4)
