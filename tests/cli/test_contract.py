"""``wgtensor contract``: the table, the rows, verification, and what goes wrong."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from wgtensor.cli import console, contract, main, measure
from wgtensor.cli.device import Counts, Device
from wgtensor.errors import AdapterNotFoundError, UnsupportedError
from wgtensor.networks import NetworkInstance, fill_network, write_instance
from wgtensor.networks.generate import chain, circuit, grid
from wgtensor.networks.paths import Path as ContractionPath

Array = NDArray[Any]

JSON_KEYS = {
    "network",
    "device",
    "adapter",
    "dtype",
    "ok",
    "error",
    "seconds_first",
    "seconds",
    "gflops",
    "submits",
    "compiled",
    "peak_bytes",
    "value",
}


class NumpyDevice:
    """Contracts with ``numpy.einsum``, and counts as a device would: the first contraction compiles."""

    name = "webgpu"
    adapter = "Fake adapter, Vulkan"

    def __init__(self) -> None:
        self.submits = 0
        self.uploads: list[Array] = []
        self.paths: list[ContractionPath] = []
        self.memory: list[int | None] = []
        self.peaks_reset = 0

    def upload(self, array: Array) -> Array:
        self.uploads.append(array)
        return array

    def contract(
        self, instance: NetworkInstance, operands: Sequence[Array], path: ContractionPath, memory: int | None
    ) -> Array:
        self.submits += 2
        self.paths.append(path)
        self.memory.append(memory)
        number = {label: index for index, label in enumerate(instance.sizes)}
        arguments: list[Any] = []
        for operand, labels in zip(operands, instance.inputs, strict=True):
            arguments += [operand, [number[label] for label in labels]]
        output = [number[label] for label in instance.output]
        return np.asarray(np.einsum(*arguments, output, optimize=["einsum_path", *path]))

    def download(self, result: Array) -> Array:
        return result

    def reset_peak(self) -> None:
        self.peaks_reset += 1

    def counts(self) -> Counts:
        return Counts(submits=self.submits, compiled=3 if self.submits else 0, peak_bytes=1 << 20)


class WrongDevice(NumpyDevice):
    """Gives results that are off by one part in a thousand, or NaN."""

    def __init__(self, factor: float = 1.001) -> None:
        super().__init__()
        self.factor = np.float32(factor)

    def download(self, result: Array) -> Array:
        return result * self.factor


class RefusingDevice(NumpyDevice):
    """Refuses every network, as an adapter does that lacks something."""

    def contract(
        self, instance: NetworkInstance, operands: Sequence[Array], path: ContractionPath, memory: int | None
    ) -> Array:
        raise UnsupportedError("einsum needs a larger binding than this adapter's; pass memory_limit")


class Bench:
    """Runs ``wgtensor contract`` on a device of the test's choice, in a folder of its own."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.asked: list[str] = []
        self.out = self.err = ""
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def file(self, instance: NetworkInstance) -> str:
        path = self.folder / f"{instance.name}.json"
        write_instance(instance, path)
        return str(path)

    def run(self, device: Device | Exception, *arguments: str) -> int:
        def open_device(name: str) -> Device:
            self.asked.append(name)
            if isinstance(device, Exception):
                raise device
            return device

        self._monkeypatch.setattr(contract, "open_device", open_device)
        code = main(["contract", *arguments])
        self.out, self.err = self._capsys.readouterr()
        return code

    def rows(self, device: Device, *arguments: str) -> tuple[int, list[dict[str, Any]]]:
        code = self.run(device, *arguments, "--json", str(self.folder / "rows.json"))
        return code, json.loads((self.folder / "rows.json").read_text(encoding="utf-8"))


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Bench:
    return Bench(tmp_path, monkeypatch, capsys)


def test_verified_row(bench: Bench) -> None:
    code, rows = bench.rows(NumpyDevice(), bench.file(chain(4, 20)), "--verify")
    (row,) = rows
    assert code == 0
    assert set(row) == JSON_KEYS
    assert (row["network"], row["device"], row["adapter"]) == ("chain_4_matrices_20", "webgpu", "Fake adapter, Vulkan")
    assert (row["dtype"], row["ok"]) == ("float32", True)
    assert (row["submits"], row["compiled"], row["peak_bytes"]) == (2, 3, 1 << 20)
    assert 0 < row["error"] < 1e-5
    assert row["seconds"] > 0
    assert row["seconds_first"] > 0
    shapes = chain(4, 20).shapes
    flops_bounds = [2 * 5**3 * 3, 2 * 20**3 * 3]
    assert len(shapes) == 4
    assert flops_bounds[0] <= row["gflops"] * row["seconds"] * 1e9 <= flops_bounds[1]


def test_table_names_every_figure(bench: Bench) -> None:
    assert bench.run(NumpyDevice(), bench.file(grid(3, 3)), "--verify") == 0
    header, body = (next(line for line in bench.out.splitlines() if word in line) for word in ("FLOPs", "grid_3x3"))
    for title in ("network", "tensors", "first ms", "next ms", "GFLOP/s", "submits", "compiled", "peak", "result"):
        assert title in header
    assert bench.out.startswith("webgpu: Fake adapter, Vulkan\n")
    assert body.split()[:4] == ["grid_3x3_3_colours", "12", body.split()[2], "float32"]
    assert body.split()[-5:] == ["1.05", "MB", "246", body.split()[-2], "yes"]
    assert bench.err == ""


def test_ok_is_a_dash_where_nothing_was_compared(bench: Bench) -> None:
    file = bench.file(chain(3, 8))
    for options, want in (((), "-"), (("--verify",), "yes")):
        assert bench.run(NumpyDevice(), file, *options) == 0
        assert bench.out.split()[-1] == want
    assert bench.run(WrongDevice(), file, "--verify") == 1
    assert bench.out.split()[-1] == "NO"


def test_value_of_scalar_results(bench: Bench) -> None:
    files = [bench.file(instance) for instance in (grid(5, 3), circuit(2, 3, 4), chain(3, 8))]
    code, rows = bench.rows(NumpyDevice(), *files, "--verify")
    assert (code, rows[0]["value"], rows[2]["value"]) == (0, 580986, None)
    want = complex(fill_network(circuit(2, 3, 4), circuit(2, 3, 4).paths["opt_flops"]).reference)
    # Float32 products of at most some tens of unit numbers, summed: far fewer than 100 roundings of 6e-8.
    assert complex(*rows[1]["value"]) == pytest.approx(want, abs=6e-6)
    assert " 580986 " in bench.out


def test_nan_is_null_in_value(bench: Bench) -> None:
    code, rows = bench.rows(WrongDevice(float("nan")), bench.file(grid(5, 3)))
    assert (code, rows[0]["value"], rows[0]["ok"]) == (1, None, False)


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_table_fits_and_no_cell_wraps(bench: Bench, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setattr(console, "PAGE_WIDTH", columns)
    files = [
        bench.file(instance) for instance in (replace(circuit(2, 3, 4), name="circuit_4x5_depth_12"), chain(24, 64))
    ]
    assert bench.run(NumpyDevice(), *files, "--path", "opt_size") == 0
    title, header, rule, *body = bench.out.splitlines()
    assert all(len(line) <= columns for line in (title, header, rule, *body))
    assert len(body) == len(files)
    assert {"network", "GFLOP/s", "result", "ok"} <= set(header.split())


def test_dash_is_stdout_for_the_rows(bench: Bench) -> None:
    assert bench.run(NumpyDevice(), bench.file(TRIPLE), "--json", "-") == 0
    assert [row["network"] for row in json.loads(bench.out)] == ["triple"]
    assert "GFLOP/s" in bench.err


def test_replaced_rows_are_said(bench: Bench) -> None:
    for note in ("", f"{bench.folder / 'rows.json'}: replaced the file that was there\n"):
        bench.rows(NumpyDevice(), bench.file(TRIPLE))
        assert bench.err == note


def test_a_network_beyond_this_machine_leaves_the_others(bench: Bench) -> None:
    huge = NetworkInstance("huge", ("ab", "bc"), "", ((10**8, 10**8),) * 2, fill="not_equal")
    code, rows = bench.rows(NumpyDevice(), bench.file(huge), bench.file(chain(3, 8)), "--path", "auto")
    assert (code, [row["ok"] for row in rows]) == (1, [False, True])
    assert rows[0]["value"] is rows[0]["seconds"] is None
    assert "huge: this machine has not enough memory to contract it in double precision: " in bench.err
    assert "takes 8.00e+16 bytes" in bench.err


def test_memory_that_runs_out_is_a_sentence(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def fill(*_: object, **__: object) -> None:
        raise MemoryError("Unable to allocate 7 TiB")

    monkeypatch.setattr(measure, "fill_network", fill)
    assert bench.run(NumpyDevice(), bench.file(TRIPLE)) == 1
    assert bench.err.endswith("in double precision: Unable to allocate 7 TiB\n")


def test_more_labels_than_numpy_holds(bench: Bench) -> None:
    inputs = tuple(chr(1000 + index) for index in range(65))
    outer = NetworkInstance("outer", inputs, "".join(inputs), ((1,),) * 65, {"opt_flops": ((0, 1),) * 64})
    assert bench.run(NumpyDevice(), bench.file(outer)) == 1
    assert bench.err == "outer: contract needs tensors of at most 64 labels, a step's result has 65\n"


def test_expected_beyond_floats_is_wrong_and_no_traceback(bench: Bench) -> None:
    file = bench.file(replace(grid(5, 3), expected=10**400))
    assert bench.run(NumpyDevice(), file) == 1
    assert "grid_5x5_3_colours: the result must be exactly 1000" in bench.err


def test_operations_beyond_floats_are_shown(bench: Bench) -> None:
    inputs = tuple(chr(1000 + index) for index in range(64))
    outer = NetworkInstance("outer", inputs, "".join(inputs), ((10**6,),) * 64, {"opt_flops": ((0, 1),) * 63})
    assert bench.run(NumpyDevice(), bench.file(outer)) == 1
    assert "1.00e+384" in bench.out


def test_error_is_null_without_verify(bench: Bench) -> None:
    code, rows = bench.rows(NumpyDevice(), bench.file(chain(3, 8)))
    assert (code, rows[0]["error"], rows[0]["ok"]) == (0, None, True)


def test_wrong_result_fails_verification(bench: Bench) -> None:
    code, rows = bench.rows(WrongDevice(), bench.file(chain(3, 8)), bench.file(chain(4, 8)), "--verify")
    assert code == 1
    assert [row["ok"] for row in rows] == [False, False]
    assert rows[0]["error"] == pytest.approx(1e-3, rel=1e-2)
    assert "chain_3_matrices_8: max|got - want| must be at most 0.0002 of max|want|, got 0.001" in bench.err


def test_error_at_the_tolerance_passes(bench: Bench) -> None:
    assert bench.run(WrongDevice(1 + 1.9e-4), bench.file(chain(3, 8)), "--verify") == 0
    assert bench.run(WrongDevice(1 + 2.1e-4), bench.file(chain(3, 8)), "--verify") == 1


def test_nan_fails_verification_and_is_null_in_json(bench: Bench) -> None:
    code, rows = bench.rows(WrongDevice(float("nan")), bench.file(chain(3, 8)), "--verify")
    assert (code, rows[0]["ok"], rows[0]["error"]) == (1, False, None)


def test_expected_count_is_asserted_even_without_verify(bench: Bench) -> None:
    file = bench.file(grid(5, 3))
    assert bench.run(NumpyDevice(), file) == 0
    assert bench.run(WrongDevice(1 + 1e-5), file) == 1
    assert "grid_5x5_3_colours: the result must be exactly 580986, got 58099" in bench.err


def test_operands_are_float32_and_uploaded_once(bench: Bench) -> None:
    device = NumpyDevice()
    instance = chain(3, 8)
    assert bench.run(device, bench.file(instance)) == 0
    assert [array.shape for array in device.uploads] == list(instance.shapes)
    assert {array.dtype for array in device.uploads} == {np.dtype(np.float32)}
    assert len(device.paths) == 4  # first, and three repeats
    assert device.peaks_reset == 1


def test_a_long_network_is_repeated_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "PATIENCE", 0.0)
    device = NumpyDevice()
    assert bench.run(device, bench.file(chain(3, 8))) == 0
    assert len(device.paths) == 2


def test_seed_decides_the_operands(bench: Bench) -> None:
    devices = [NumpyDevice() for _ in range(3)]
    for device, seed in zip(devices, ("1", "1", "2"), strict=True):
        assert bench.run(device, bench.file(chain(3, 8)), "--seed", seed) == 0
    first, same, other = (device.uploads[0] for device in devices)
    np.testing.assert_array_equal(first, same)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize(("instance", "dtype"), [(chain(3, 8), "float32"), (circuit(2, 3, 4), "complex64")])
def test_default_dtype_is_the_networks(bench: Bench, instance: NetworkInstance, dtype: str) -> None:
    _, rows = bench.rows(NumpyDevice(), bench.file(instance), "--verify")
    assert (rows[0]["dtype"], rows[0]["ok"]) == (dtype, True)


def test_complex_counts_four_times_the_operations(bench: Bench) -> None:
    file = bench.file(chain(3, 8))
    work = []
    for dtype in ("float32", "complex64"):
        code, (row,) = bench.rows(NumpyDevice(), file, "--dtype", dtype, "--verify")
        assert (code, row["dtype"]) == (0, dtype)
        work.append(row["gflops"] * row["seconds"])
    assert work[1] == pytest.approx(4 * work[0], rel=1e-9)


PATHS = {"opt_flops": ((0, 1), (0, 1)), "opt_size": ((1, 2), (0, 1))}
TRIPLE = NetworkInstance("triple", ("ab", "bc", "cd"), "ad", ((2, 3), (3, 4), (4, 50)), PATHS)


@pytest.mark.parametrize(("option", "want"), [((), "opt_flops"), (("--path", "opt_size"), "opt_size")])
def test_the_files_path_is_followed(bench: Bench, option: tuple[str, ...], want: str) -> None:
    device = NumpyDevice()
    assert bench.run(device, bench.file(TRIPLE), *option) == 0
    assert set(device.paths) == {PATHS[want]}


def test_auto_finds_a_path(bench: Bench) -> None:
    device = NumpyDevice()
    pathless = NetworkInstance("pathless", TRIPLE.inputs, TRIPLE.output, TRIPLE.shapes)
    assert bench.run(device, bench.file(pathless), "--path", "auto", "--verify") == 0
    assert set(device.paths[0][0]) == {0, 1}  # far cheaper than to start with the wide matrix


def test_memory_is_parsed_and_handed_on(bench: Bench) -> None:
    device = NumpyDevice()
    assert bench.run(device, bench.file(TRIPLE), "--memory", "128MiB") == 0
    assert set(device.memory) == {128 << 20}


def test_default_device_is_webgpu(bench: Bench) -> None:
    bench.run(NumpyDevice(), bench.file(TRIPLE))
    bench.run(NumpyDevice(), bench.file(TRIPLE), "--device", "cpu")
    assert bench.asked == ["webgpu", "cpu"]


def test_a_refused_network_leaves_the_others(bench: Bench) -> None:
    code, rows = bench.rows(RefusingDevice(), bench.file(TRIPLE), bench.file(chain(3, 8)))
    assert code == 1
    assert [row["ok"] for row in rows] == [False, False]
    assert rows[0]["seconds"] is rows[0]["peak_bytes"] is None
    assert "triple: einsum needs a larger binding" in bench.err


def test_no_adapter_is_a_sentence_and_no_fall_back(bench: Bench) -> None:
    assert bench.run(AdapterNotFoundError("no adapter; install one"), bench.file(TRIPLE)) == 2
    assert bench.err == "wgtensor contract: no adapter; install one\n"
    assert bench.out == ""


@pytest.mark.parametrize("name", ["opt_flops", "opt_size"])
def test_a_path_that_is_not_there_names_the_file(bench: Bench, name: str) -> None:
    file = bench.file(NetworkInstance("pathless", TRIPLE.inputs, TRIPLE.output, TRIPLE.shapes))
    assert bench.run(NumpyDevice(), file, "--path", name) == 2
    text = f"--path {name} needs field 'paths.{name}', the file has no path; take --path auto"
    assert bench.err == f"wgtensor contract: {file}: {text}\n"


WRONG = [
    (("--memory", "abc"), "argument --memory: a byte count is a number with an optional unit"),
    (("--memory", "9" * 400), "argument --memory: "),
    (("--seed", "-1"), "argument --seed: a seed is an integer from 0 on, got '-1'"),
    (("--seed", "x"), "argument --seed: a seed is an integer from 0 on, got 'x'"),
    (("--speed",), "unrecognized arguments: --speed"),
]


@pytest.mark.parametrize(("options", "text"), WRONG)
def test_wrong_options_show_the_commands_usage(
    options: tuple[str, ...], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["contract", "triple.json", *options])
    assert caught.value.code == 2
    err = capsys.readouterr().err
    assert err.startswith("usage: wgtensor contract [-h]")
    assert f"wgtensor contract: error: {text}" in err
    assert "triple.json" not in err


def test_complex_network_refuses_float32(bench: Bench) -> None:
    file = bench.file(circuit(2, 2, 2))
    assert bench.run(NumpyDevice(), file, "--dtype", "float32") == 2
    assert f"{file}: --dtype float32 cannot hold field 'dtype' 'complex64'" in bench.err


def test_a_wrong_file_stops_before_any_work(bench: Bench) -> None:
    device = NumpyDevice()
    wrong = bench.folder / "wrong.json"
    wrong.write_text('{"name": "wrong"}', encoding="utf-8")
    assert bench.run(device, bench.file(TRIPLE), str(wrong)) == 2
    assert bench.err == f"wgtensor contract: {wrong}: field 'format_string' is missing\n"
    assert bench.asked == []


def test_rows_that_cannot_be_written(bench: Bench) -> None:
    target = bench.folder / "absent" / "rows.json"
    assert bench.run(NumpyDevice(), bench.file(TRIPLE), "--json", str(target)) == 2
    assert bench.err == f"wgtensor contract: {target}: cannot be written: No such file or directory\n"
