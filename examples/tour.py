"""The ten-minute tour of wgtensor's arrays, printed: ``python examples/tour.py [device]``.

It runs on any machine: on a GPU, on a software adapter, and on the cpu device where there is neither.
``docs/tour.md`` tells the same story in prose.
"""

from __future__ import annotations

import sys
import tempfile
import textwrap
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import wgtensor as wt


def show(what: str, value: Any) -> None:
    """Print a value beside what it is; one of several lines goes below."""
    text = str(value)
    print(f"  {what}:\n{textwrap.indent(text, '    ')}" if "\n" in text else f"  {what}: {text}")


def refused(what: str, action: Callable[[], Any]) -> None:
    """Print the sentence with which wgtensor, or NumPy, refuses ``action``."""
    try:
        action()
    except Exception as error:
        show(f"{what}, refused", f"{type(error).__name__}: {error}")
    else:
        raise AssertionError(f"{what} was expected to be refused")


def devices() -> None:
    """Devices: where arrays are and compute."""
    show("devices of this machine, best first", ", ".join(map(str, wt.devices())))
    show("the default", wt.default_device())
    with wt.device("cpu"):
        show("inside `with wt.device('cpu')`", wt.zeros(2).device)
    show("the standard's dtypes that it computes in", ", ".join(wt.__array_namespace_info__().dtypes()))


def making_arrays() -> None:
    """Making arrays: from numbers, from NumPy, on the device itself."""
    show("lists of floats become float32", repr(wt.asarray([[1.0, 2.0], [3.0, 4.0]])))
    show("lists of ints become int32", repr(wt.asarray([1, 2, 3])))
    show("a NumPy array keeps its dtype", repr(wt.asarray(np.arange(3, dtype=np.uint32))))
    show("arange(2, 11, 3)", wt.arange(2, 11, 3))
    show("linspace(0, 1, 5)", wt.linspace(0, 1, 5))
    show("full((2, 3), 7)", wt.full((2, 3), 7))


def computing() -> None:
    """Operators and functions: elementwise, with broadcasting and strict promotion."""
    column, row = wt.asarray([[0.0], [10.0]]), wt.asarray([1.0, 2.0, 3.0])
    show("a column plus a row", column + row)
    show("sqrt(row) * 2", wt.sqrt(row) * 2)
    show("where(row > 1.5, row, 0)", wt.where(row > 1.5, row, 0))
    refused("float32 + int32", lambda: row + wt.asarray([1, 2, 3]))
    show("after astype", row + wt.asarray([1, 2, 3]).astype(wt.float32))


def indexing() -> None:
    """Views and indexing: basic keys give views, arrays as keys gather."""
    m = wt.reshape(wt.arange(12), (3, 4))
    show("m", m)
    show("m[1:, ::-2], a view", m[1:, ::-2])
    show("m[:, None].shape", m[:, None].shape)
    show("m[m > 8]", m[m > 8])
    show("rows 2 and 0", m[wt.asarray([2, 0])])
    refused("m[3]", lambda: m[3])


def assigning() -> None:
    """Assignment: arrays are values, so it never changes another array."""
    x = wt.zeros(5)
    part = x[1:3]
    x[1:3] = 7.0
    x[x == 0] = -1.0
    show("x", x)
    show("the slice taken before", part)


def reducing() -> None:
    """Reductions, scans and sorts: along any axis."""
    m = wt.asarray([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
    show("sum of all", wt.sum(m))
    show("mean of each row", wt.mean(m, axis=1))
    show("argmax of each row", wt.argmax(m, axis=1))
    show("cumulative sum of each row", wt.cumulative_sum(m, axis=1))
    show("each row sorted", wt.sort(m, axis=1))


def multiplying() -> None:
    """Linear algebra and einsum: products of two arrays and of many."""
    a = wt.asarray([[1.0, 2.0], [3.0, 4.0]])
    show("a @ a", a @ a)
    show("tensordot(a, a, axes=2)", wt.tensordot(a, a, axes=2))
    show("trace of a a a, as einsum", wt.einsum("ij,jk,ki->", a, a, a))


def gelu(x: wt.Array) -> wt.Array:
    """Return an activation, by eight elementwise operations."""
    y: wt.Array = 0.5 * x * (1 + wt.tanh(0.79788456 * (x + 0.044715 * x**3)))
    return y


def kernels_of_gelu(device: wt.Device) -> int:
    """Return how many kernels a device runs for it."""
    x = wt.linspace(-3, 3, 100_000, device=device)
    wt.synchronize(device)
    counters = device.backend.runtime.counters
    before = counters.dispatches
    y = gelu(x)
    wt.synchronize(device)
    assert y.shape == x.shape
    return int(counters.dispatches - before)


def fusing() -> None:
    """Fusion: elementwise operations wait, and run as one kernel when a result is needed."""
    for device in dict.fromkeys((wt.default_device(), wt.devices()[-1])):
        show(f"kernels of a GELU, eight operations, on {device}", kernels_of_gelu(device))
    y = gelu(wt.asarray(1.0))
    show("GELU of 1", f"{y:.6f}")
    print("  and wt.explain of it:")
    wt.explain(y)


def moving() -> None:
    """Moving data: only where you write it."""
    x = wt.asarray([1.0, 2.0, 3.0])
    show("x.to_numpy()", repr(x.to_numpy()))
    show("float(x[0]), which reads one number", float(x[0]))
    show("x.to_device('cpu').device", x.to_device("cpu").device)
    refused("np.asarray(x)", lambda: np.asarray(x))
    refused("x + NumPy array", lambda: x + np.ones(3))


def saving() -> None:
    """Files: NumPy's own formats, without pickle."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "x.npy"
        wt.save(file, wt.asarray([1.0, 2.0]))
        show("NumPy reads it", repr(np.load(file)))
        show("load puts it on a device", repr(wt.load(file, device="cpu")))


def reference() -> None:
    """The cpu device: the same functions on NumPy, with every dtype."""
    with wt.device("cpu"):
        show("float64", repr(wt.sum(wt.linspace(0, 1, 5, dtype=wt.float64))))
        show("int64", repr(wt.asarray([1 << 40], dtype=wt.int64)))


CHAPTERS = (
    devices,
    making_arrays,
    computing,
    indexing,
    assigning,
    reducing,
    multiplying,
    fusing,
    moving,
    saving,
    reference,
)


def main(device: str | None = None) -> None:
    """Print every chapter, on ``device`` or on the best one."""
    warnings.filterwarnings("ignore", category=RuntimeWarning, message="no GPU was found|no adapter that could")
    with wt.device(device):
        for number, chapter in enumerate(CHAPTERS, 1):
            heading = f"{number}. {(chapter.__doc__ or '').rstrip('.')}"
            print(f"\n{heading}\n{'-' * len(heading)}")
            chapter()


if __name__ == "__main__":
    main(*sys.argv[1:])
