"""What the GPU does not compute is refused with a way that works, and ``computed_dtypes`` says what it does."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from webgpu.harness import down, up

from wgtensor.contract import DotGeneralConfig
from wgtensor.errors import UnsupportedError
from wgtensor.rules import OPERATIONS
from wgtensor.rules.views import VIEWS
from wgtensor.tensor import Tensor, bfloat16
from wgtensor.webgpu import WebGpuBackend
from wgtensor.webgpu.lowerings import LOWERINGS, computed_dtypes

MATMUL = DotGeneralConfig([1], [0])
CALLS: dict[str, Callable[[Any, Tensor], Tensor]] = {
    "add": lambda s, x: s.add(x, x),
    "exp": lambda s, x: s.exp(x),
    "compare": lambda s, x: s.compare(x, x, "eq"),
    "cast": lambda s, x: s.cast(x, "float32" if x.dtype.name != "float32" else "int32"),
    "reduce_sum": lambda s, x: s.reduce_sum(x, (0,)),
    "argmax": lambda s, x: s.argmax(x, 0),
    "cumulative_sum": lambda s, x: s.cumulative_sum(x, 0),
    "argsort": lambda s, x: s.argsort(x, 1, True),
    "dot_general": lambda s, x: s.dot_general(x, x, MATMUL),
    "vdot": lambda s, x: s.vdot(x, x),
    "norm_squared": lambda s, x: s.norm_squared(x),
    "axpby": lambda s, x: s.axpby(2, x, 3, x),
    "tril": lambda s, x: s.tril(x),
}
TAKEN = {"add": "biufc", "exp": "fc", "compare": "biufc", "cast": "biufc", "reduce_sum": "iufc", "argmax": "biuf",
         "cumulative_sum": "iufc", "argsort": "biuf",
         "dot_general": "iufc", "vdot": "fc", "norm_squared": "fc", "axpby": "iufc", "tril": "biufc"}  # fmt: skip
DTYPES = ["bool", "int8", "int32", "int64", "uint8", "uint32", "float32", "float64", "complex64", "complex128"]


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize(
    ("name", "dtype"), [(name, dtype) for name in CALLS for dtype in DTYPES if np.dtype(dtype).kind in TAKEN[name]]
)
def test_computed_dtypes_run_and_the_others_name_them(native: WebGpuBackend, name: str, dtype: str) -> None:
    x, known = up(native, np.ones((2, 2), dtype)), [each.name for each in computed_dtypes(name)]
    with native.session() as s:
        if dtype in known:
            down(native, CALLS[name](s, x))
            return
        with pytest.raises(UnsupportedError) as caught:
            CALLS[name](s, x)
        near = re.search(r"cast on the host before uploading \(array\.astype\(np\.(\w+)\)\)", str(caught.value))
        assert near is not None
        down(native, CALLS[name](s, up(native, np.ones((2, 2), dtype).astype(near[1]))))
    for other in known:
        assert other in str(caught.value) or (other == "float16" and not native.runtime.facts.float16)


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_is_on_the_gpu(name: str) -> None:
    assert name in LOWERINGS or name in VIEWS
    assert any(dtype.kind in OPERATIONS[name].dtypes for dtype in computed_dtypes(name))


def test_a_cast_to_what_the_gpu_lacks_is_done_after_the_download(native: WebGpuBackend) -> None:
    x = up(native, np.ones(3, np.float32))
    with native.session() as s:
        with pytest.raises(UnsupportedError, match=r"cast of float32 to float64 .*download it .*astype\(np\.float64\)"):
            s.cast(x, "float64")
        with pytest.raises(UnsupportedError, match="use CpuBackend, which casts bfloat16"):
            s.cast(x, bfloat16)
