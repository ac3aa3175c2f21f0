"""The JSON files that hold tensor-network instances.

A file is one object. These fields must be there::

    name           text
    format_string  einsum form, one character a label: "ab,bc->ac"; any character but , - > and space
    shapes         one list of dimensions a tensor

and these may::

    paths        {"opt_flops": {"path": [[0, 1], ...]}, "opt_size": ...}: operand positions a step
    dtype        "float32", "float64" (the default), "complex64" or "complex128": real or complex values
    fill         "normal" (the default: random, from a seed), the name of one constant for all tensors,
                 or a list with a name for each tensor; the constants are in `wgtensor.networks.constants`
    expected     the exact integer that a network with a scalar result contracts to
    num_tensors  how many tensors there are, to be checked

``docs/networks.md`` explains them with an example. Other fields are ignored, so files of other collections can be
read as they are.
"""

import json
from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

from wgtensor.errors import ValidationError
from wgtensor.networks.instance import NetworkInstance
from wgtensor.networks.paths import Path

__all__ = ["format_instance", "read_instance", "write_instance"]


def read_instance(path: str | FilePath) -> NetworkInstance:
    """Read a network file.

    Raises
    ------
    ValidationError
        The file is missing, is not JSON, or a field is missing or wrong; the text names file and field.
    """
    try:
        data = json.loads(FilePath(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ValidationError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ValidationError(f"{path}: is not JSON: {error}") from error
    try:
        return _from_json(data)
    except ValidationError as error:
        raise ValidationError(f"{path}: {error}") from None


def write_instance(instance: NetworkInstance, path: str | FilePath) -> None:
    """Write a network file that `read_instance` reads back as an equal instance."""
    FilePath(path).write_text(format_instance(instance), encoding="utf-8")


def format_instance(instance: NetworkInstance) -> str:
    """Return the text of a network file, one field a line."""
    lines = [f"  {json.dumps(key)}: {_compact(value)}" for key, value in _to_json(instance).items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _to_json(instance: NetworkInstance) -> dict[str, object]:
    fields: dict[str, object] = {
        "name": instance.name,
        "format_string": instance.format_string,
        "shapes": instance.shapes,
        "dtype": instance.dtype,
        "num_tensors": instance.num_tensors,
        "fill": instance.fill,
        "expected": instance.expected,
        "paths": {name: {"path": path} for name, path in instance.paths.items()},
    }
    return {key: value for key, value in fields.items() if value is not None}


# JSON to fields ------------------------------------------------------------------------------------------


def _from_json(data: object) -> NetworkInstance:
    if not isinstance(data, dict):
        raise ValidationError(f"must hold one object, got {_kind(data)}")
    inputs, output = _parse_equation(_take(data, "format_string", str))
    shapes = tuple(_integers(shape, "shapes") for shape in _take(data, "shapes", list))
    instance = NetworkInstance(
        name=_take(data, "name", str),
        inputs=inputs,
        output=output,
        shapes=shapes,
        paths=_parse_paths(_take(data, "paths", dict, {})),
        dtype=_take(data, "dtype", str, "float64"),
        fill=_parse_fill(_take(data, "fill", (str, list), "normal")),
        expected=_take(data, "expected", int, None),
    )
    promised = _take(data, "num_tensors", int, instance.num_tensors)
    if promised != instance.num_tensors:
        raise ValidationError(
            f"field 'num_tensors' must be {instance.num_tensors}, the tensors in 'format_string', got {promised}"
        )
    return instance


_REQUIRED = object()


def _take(data: Mapping[str, Any], key: str, kind: type | tuple[type, ...], default: Any = _REQUIRED) -> Any:
    """Get a field of the right JSON type; what it holds is checked later."""
    if key not in data:
        if default is _REQUIRED:
            raise ValidationError(f"field {key!r} is missing")
        return default
    value = data[key]
    if not isinstance(value, kind) or isinstance(value, bool):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        wanted = " or ".join(_JSON_NAMES[each] for each in kinds)
        raise ValidationError(f"field {key!r} must be {wanted}, got {_kind(value)}")
    return value


_JSON_NAMES = {
    dict: "an object",
    list: "a list",
    str: "a text",
    int: "an integer",
    float: "a float",
    bool: "a boolean",
}


def _kind(value: object) -> str:
    return _JSON_NAMES.get(type(value), "null")


def _integers(value: object, where: str) -> tuple[int, ...]:
    if not isinstance(value, list) or not all(type(item) is int for item in value):
        raise ValidationError(f"field {where!r} must hold lists of integers, got {json.dumps(value)[:40]}")
    return tuple(value)


def _parse_equation(equation: str) -> tuple[tuple[str, ...], str]:
    inputs, arrow, output = equation.replace(" ", "").partition("->")
    if not arrow:
        raise ValidationError("field 'format_string' must name the result's labels after '->', found no '->'")
    for symbol in ("->", "..."):
        if symbol in inputs + output:
            raise ValidationError(f"field 'format_string' must not hold {symbol!r} among the labels")
    return tuple(inputs.split(",")), output


def _parse_paths(paths: Mapping[str, Any]) -> dict[str, Path]:
    parsed = {}
    for name, entry in paths.items():
        where = f"paths.{name}"
        if not isinstance(entry, dict):
            raise ValidationError(f"field {where!r} must be an object, got {_kind(entry)}")
        if "path" not in entry:
            raise ValidationError(f"field '{where}.path' is missing")
        if not isinstance(entry["path"], list):
            raise ValidationError(f"field '{where}.path' must be a list, got {_kind(entry['path'])}")
        parsed[name] = tuple(_integers(step, f"{where}.path") for step in entry["path"])
    return parsed


def _parse_fill(fill: str | list[Any]) -> str | tuple[str, ...]:
    if isinstance(fill, str):
        return fill
    if not all(isinstance(name, str) for name in fill):
        raise ValidationError("field 'fill' must be a name or a list of names")
    return tuple(fill)
