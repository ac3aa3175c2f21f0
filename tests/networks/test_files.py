"""Network files: what is read, and the sentence a wrong file gets."""

import json
from pathlib import Path
from typing import Any

import pytest

from wgtensor.errors import ValidationError
from wgtensor.networks import NetworkInstance, read_instance, write_instance

GOOD: dict[str, Any] = {
    "name": "product",
    "format_string": "ab,bc,cd->ad",
    "shapes": [[2, 3], [3, 4], [4, 5]],
    "dtype": "float64",
    "num_tensors": 3,
    "paths": {"opt_flops": {"path": [[0, 1], [0, 1]], "log10_flops": 2.0}},
}


def write(folder: Path, **changes: object) -> Path:
    """Write the good file with some fields changed; ``...`` leaves a field out."""
    data = {key: value for key, value in (GOOD | changes).items() if value is not ...}
    path = folder / "network.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_good_file(tmp_path: Path) -> None:
    instance = read_instance(write(tmp_path))
    assert instance == NetworkInstance(
        name="product",
        inputs=("ab", "bc", "cd"),
        output="ad",
        shapes=((2, 3), (3, 4), (4, 5)),
        paths={"opt_flops": ((0, 1), (0, 1))},
    )
    assert instance.sizes == {"a": 2, "b": 3, "c": 4, "d": 5}
    assert instance.fills == ("normal",) * 3
    assert not instance.is_complex
    assert not instance.is_exact


def test_unicode_labels_and_spaces(tmp_path: Path) -> None:
    equation = "\u00c0\u0416, \u0416\u4e2d, \u4e2dd -> \u00c0d"
    instance = read_instance(write(tmp_path, format_string=equation))
    assert instance.inputs == ("\u00c0\u0416", "\u0416\u4e2d", "\u4e2dd")
    assert instance.output == "\u00c0d"


def test_scalar_tensor_and_single_step(tmp_path: Path) -> None:
    path = write(tmp_path, format_string="->", shapes=[[]], num_tensors=1, paths={"opt_flops": {"path": [[0]]}})
    assert read_instance(path).shapes == ((),)


@pytest.mark.parametrize(
    "instance",
    [
        NetworkInstance("trace", ("aa",), "", ((3, 3),), {"opt_flops": ((0,),)}, fill=("not_equal",), expected=0),
        NetworkInstance(
            "mixed", ("\u4e2d", "\u4e2db"), "b", ((2,), (2, 2)), dtype="complex64", fill=("ket0", "sqrt_w")
        ),
    ],
)
def test_written_files_read_back(tmp_path: Path, instance: NetworkInstance) -> None:
    write_instance(instance, tmp_path / "out.json")
    assert read_instance(tmp_path / "out.json") == instance


MISSING = [(key, f"field '{key}' is missing") for key in ("name", "format_string", "shapes")]

WRONG_TYPE = [
    ({"num_tensors": "3"}, "field 'num_tensors' must be an integer, got a text"),
    ({"name": 3}, "field 'name' must be a text, got an integer"),
    ({"format_string": ["ab"]}, "field 'format_string' must be a text, got a list"),
    ({"shapes": "2,3"}, "field 'shapes' must be a list, got a text"),
    ({"shapes": [[2, 3.5], [3, 4], [4, 5]]}, "field 'shapes' must hold lists of integers, got [2, 3.5]"),
    ({"shapes": [6, [3, 4], [4, 5]]}, "field 'shapes' must hold lists of integers, got 6"),
    ({"shapes": [[True, 3], [3, 4], [4, 5]]}, "field 'shapes' must hold lists of integers, got [true, 3]"),
    ({"paths": []}, "field 'paths' must be an object, got a list"),
    ({"paths": {"opt_flops": [[0, 1]]}}, "field 'paths.opt_flops' must be an object, got a list"),
    ({"paths": {"opt_flops": {}}}, "field 'paths.opt_flops.path' is missing"),
    ({"paths": {"opt_flops": {"path": None}}}, "field 'paths.opt_flops.path' must be a list, got null"),
    (
        {"paths": {"opt_flops": {"path": [["0", 1]]}}},
        "field 'paths.opt_flops.path' must hold lists of integers",
    ),
    ({"dtype": None}, "field 'dtype' must be a text, got null"),
    ({"dtype": "int32"}, "field 'dtype' must be one of float32, float64, complex64, complex128, got 'int32'"),
    ({"expected": True}, "field 'expected' must be an integer, got a boolean"),
    ({"fill": 0}, "field 'fill' must be a text or a list, got an integer"),
    ({"fill": [0, 1, 2]}, "field 'fill' must be a name or a list of names"),
]

CONTRADICTION = [
    ({"format_string": "ab,bc,cd"}, "field 'format_string' must name the result's labels after '->'"),
    ({"format_string": "ab,bc,cd->a->d"}, "field 'format_string' must not hold '->' among the labels"),
    ({"format_string": "...ab,bc,cd->ad"}, "field 'format_string' must not hold '...' among the labels"),
    ({"format_string": "ab,bc->ac"}, "one shape a tensor, got 3 for 2 tensors"),
    ({"format_string": "ab,b,cd->ad"}, "tensor 1 has labels 'b' and shape (3, 4)"),
    ({"format_string": "ab,bc,bd->ad"}, "must agree on each label: 'b' is 3 in tensor 0 and 4 in tensor 2"),
    ({"format_string": "aa,bc,cd->ad"}, "must agree on each label: 'a' is 2 in tensor 0 and 3 in tensor 0"),
    (
        {"format_string": "ab,bc,cd->ax"},
        "field 'format_string' has result label 'x', which no tensor carries",
    ),
    ({"format_string": "ab,bc,cd->aa"}, "field 'format_string' has result label 'a' more than once"),
    ({"shapes": [[0, 3], [3, 4], [4, 5]]}, "field 'shapes' must be positive: tensor 0 has shape (0, 3)"),
    ({"expected": 4}, "field 'expected' needs a scalar result, got labels 'ad'"),
    ({"fill": "ones"}, "field 'fill': tensor 0: unknown fill 'ones'; known are normal, not_equal"),
    ({"fill": "not_equal"}, "field 'fill': tensor 0: fill 'not_equal' needs a square matrix, got (2, 3)"),
    ({"fill": ["normal"]}, "field 'fill' must be one name or one a tensor, got 1 for 3 tensors"),
    ({"num_tensors": 4}, "field 'num_tensors' must be 3, the tensors in 'format_string', got 4"),
    ({"shapes": [[2, 3], [3, 10**30], [10**30, 5]]}, "must be below 2**59 elements a tensor: tensor 1 has (3, 1000"),
    ({"fill": []}, "field 'fill' must be one name or one a tensor, got 0 for 3 tensors"),
]

PATHS = [
    ([[0, 1]], "1 steps leave 2 of 3 tensors"),
    ([], "0 steps leave 3 of 3 tensors"),
    ([[0, 1], [0, 2]], "step 1 must name operands 0 to 1, got [0, 2]"),
    ([[0, -1], [0, 1]], "step 0 must name operands 0 to 2, got [0, -1]"),
    ([[0, 0], [0, 1]], "step 0 must name one or two different operands, got [0, 0]"),
    ([[0, 1, 2]], "step 0 must name one or two different operands, got [0, 1, 2]"),
    ([[0, 1], [0, 1], [0, 1]], "step 2 must name operands 0 to 0, got [0, 1]"),
]


def sentence_of(path: Path) -> str:
    with pytest.raises(ValidationError) as caught:
        read_instance(path)
    return str(caught.value)


@pytest.mark.parametrize(("key", "text"), MISSING)
def test_missing_field(tmp_path: Path, key: str, text: str) -> None:
    path = write(tmp_path, **{key: ...})
    assert sentence_of(path) == f"{path}: {text}"


@pytest.mark.parametrize(("changes", "text"), WRONG_TYPE + CONTRADICTION)
def test_wrong_field(tmp_path: Path, changes: dict[str, Any], text: str) -> None:
    path = write(tmp_path, **changes)
    sentence = sentence_of(path)
    assert sentence.startswith(f"{path}: field ")
    assert text in sentence


@pytest.mark.parametrize(("steps", "text"), PATHS)
def test_wrong_path(tmp_path: Path, steps: list[list[int]], text: str) -> None:
    path = write(tmp_path, paths={"opt_size": {"path": steps}})
    assert sentence_of(path).startswith(f"{path}: field 'paths.opt_size.path': {text}")


@pytest.mark.parametrize("paths", [..., {}])
def test_paths_may_be_left_out(tmp_path: Path, paths: object) -> None:
    assert read_instance(write(tmp_path, paths=paths)).paths == {}


def test_rank_beyond_numpy(tmp_path: Path) -> None:
    labels = "".join(chr(1000 + axis) for axis in range(65))
    path = write(tmp_path, format_string=f"{labels}->", shapes=[[1] * 65], num_tensors=1, paths={})
    assert sentence_of(path) == f"{path}: field 'shapes' must have at most 64 dimensions: tensor 0 has 65"


def test_huge_constants_are_checked_but_not_made(tmp_path: Path) -> None:
    path = write(tmp_path, format_string="ab->", shapes=[[10**8] * 2], num_tensors=1, paths={}, fill="not_equal")
    assert read_instance(path).shapes == ((10**8, 10**8),)


def test_complex_constant_in_a_real_network(tmp_path: Path) -> None:
    path = write(tmp_path, format_string="ab->a", shapes=[[2, 2]], num_tensors=..., fill="sqrt_x", paths={})
    assert "tensor 0: 'sqrt_x' is complex, but field 'dtype' is 'float64'" in sentence_of(path)


def test_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "absent.json"
    assert sentence_of(path) == f"{path}: cannot be read: No such file or directory"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"{", "is not JSON: Expecting property name"),
        (b"\xff\xfe\x00", "is not JSON: "),
        (b"[" * 200_000, "is not JSON: "),
        (b"[1]", "must hold one object, got a list"),
    ],
)
def test_wrong_content(tmp_path: Path, content: bytes, text: str) -> None:
    path = tmp_path / "network.json"
    path.write_bytes(content)
    assert sentence_of(path).startswith(f"{path}: {text}")
