"""``examples/tour.py`` runs on every device, and its lines hold what NumPy says."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import itertools
from types import ModuleType
from typing import Final

import numpy as np
import pytest
from docs.pages import CPU_ONLY, ROOT

DEVICES: Final = ["cpu"] if CPU_ONLY else [None, "cpu"]


@pytest.fixture(scope="module")
def tour() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tour", ROOT / "examples" / "tour.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module", params=DEVICES, ids=lambda device: device or "default")
def lines(request: pytest.FixtureRequest, tour: ModuleType) -> list[str]:
    """Return what the tour prints on a device."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        tour.main(request.param)
    return printed.getvalue().splitlines()


def value_of(lines: list[str], what: str) -> str:
    """Return the value that is shown beside ``what``, or below it."""
    at = next(i for i, line in enumerate(lines) if line.startswith(f"  {what}:"))
    beside = lines[at].partition(": ")[2]
    below = lines[at + 1 :]
    end = next((i for i, line in enumerate(below) if not line.startswith("    ")), len(below))
    return beside or "\n".join(line[4:] for line in below[:end])


def test_there_is_a_heading_per_chapter(tour: ModuleType, lines: list[str]) -> None:
    underlined = [line for line, rule in itertools.pairwise(lines) if rule and set(rule) == {"-"}]
    assert [heading.split(".")[0] for heading in underlined] == [str(i + 1) for i in range(len(tour.CHAPTERS))]


def test_values_are_those_of_numpy(lines: list[str]) -> None:
    grid, rows = np.arange(12).reshape(3, 4), np.array([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]])
    square = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert value_of(lines, "a column plus a row") == str(np.array([[0.0], [10.0]]) + np.array([1.0, 2.0, 3.0]))
    assert value_of(lines, "m[1:, ::-2], a view") == str(grid[1:, ::-2])
    assert value_of(lines, "m[m > 8]") == str(grid[grid > 8])
    assert value_of(lines, "rows 2 and 0") == str(grid[[2, 0]])
    assert value_of(lines, "mean of each row") == str(rows.mean(1))
    assert value_of(lines, "cumulative sum of each row") == str(rows.cumsum(1))
    assert value_of(lines, "each row sorted") == str(np.sort(rows))
    assert value_of(lines, "a @ a") == str(square @ square)
    assert float(value_of(lines, "trace of a a a, as einsum")) == np.trace(square @ square @ square)


def test_arrays_are_values(lines: list[str]) -> None:
    assert value_of(lines, "x") == "[-1.  7.  7. -1. -1.]"
    assert value_of(lines, "the slice taken before") == "[0. 0.]"


def test_a_gpu_fuses_and_the_cpu_does_not(lines: list[str]) -> None:
    counts = {
        line.partition(": ")[0].split()[-1]: int(line.partition(": ")[2]) for line in lines if "kernels of" in line
    }
    assert counts == {device: 8 if device == "cpu" else 1 for device in counts}
    assert float(value_of(lines, "GELU of 1")) == pytest.approx(0.841192, abs=1e-6)


def test_refusals_say_what_to_write(lines: list[str]) -> None:
    assert value_of(lines, "float32 + int32, refused").endswith("convert one with x.astype(wt.float32)")
    assert value_of(lines, "np.asarray(x), refused").endswith("write x.to_numpy()")
    assert value_of(lines, "m[3], refused").startswith("IndexRuleError: ")
