"""A tensor-network instance: labels, shapes and paths that agree with each other."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod

from wgtensor.errors import ValidationError
from wgtensor.networks.constants import CONSTANTS, check_constant
from wgtensor.networks.paths import Path, check_path

__all__ = ["DTYPES", "NetworkInstance"]

DTYPES = ("float32", "float64", "complex64", "complex128")

MAX_ELEMENTS = 1 << 59
"""Of one tensor: NumPy counts its bytes, 16 each in complex128, in 63 bits."""

MAX_RANK = 64
"""Of one tensor: NumPy has no more axes."""


@dataclass(frozen=True)
class NetworkInstance:
    """A tensor network: labels, shapes and contraction paths, but no values.

    Attributes
    ----------
    name
        What tables call it.
    inputs
        The labels of each tensor, one character a label.
    output
        The labels of the result; all others are summed.
    shapes
        One shape a tensor.
    paths
        Contraction paths by name, usually ``opt_flops`` and ``opt_size``.
    dtype
        ``float32``, ``float64``, ``complex64`` or ``complex128``.
    fill
        ``normal`` or the name of a constant, for all tensors or for each.
    expected
        The exact result, where it is known.

    Raises
    ------
    ValidationError
        The fields contradict each other; the text names the field, and the label or tensor.

    Examples
    --------
    >>> network = NetworkInstance("product", ("ab", "bc"), "ac", ((2, 3), (3, 4)), {"opt_flops": ((0, 1),)})
    >>> network.format_string, network.sizes
    ('ab,bc->ac', {'a': 2, 'b': 3, 'c': 4})
    """

    name: str
    inputs: tuple[str, ...]
    output: str
    shapes: tuple[tuple[int, ...], ...]
    paths: Mapping[str, Path] = field(default_factory=dict)
    dtype: str = "float64"
    fill: str | tuple[str, ...] = "normal"
    expected: int | None = None

    def __post_init__(self) -> None:
        _check_dtype(self)
        _check_shapes(self)
        _check_output(self)
        _check_paths(self)
        _check_fill(self)

    @property
    def format_string(self) -> str:
        """The equation in einsum form."""
        return f"{','.join(self.inputs)}->{self.output}"

    @property
    def sizes(self) -> dict[str, int]:
        """The dimension of each label, in order of first appearance."""
        pairs = zip(self.inputs, self.shapes, strict=True)
        return {label: size for labels, shape in pairs for label, size in zip(labels, shape, strict=True)}

    @property
    def fills(self) -> tuple[str, ...]:
        """How each tensor is filled."""
        return (self.fill,) * self.num_tensors if isinstance(self.fill, str) else self.fill

    @property
    def num_tensors(self) -> int:
        """How many tensors there are."""
        return len(self.inputs)

    @property
    def is_complex(self) -> bool:
        """Whether the values are complex."""
        return self.dtype.startswith("complex")

    @property
    def is_exact(self) -> bool:
        """Whether every value is a constant, so that nothing is random and nothing needs scaling."""
        return "normal" not in self.fills


def _check_shapes(instance: NetworkInstance) -> None:
    """One shape a tensor, one dimension a label, the same dimension wherever a label appears."""
    if len(instance.shapes) != len(instance.inputs):
        raise ValidationError(
            f"field 'shapes' must have one shape a tensor, got {len(instance.shapes)} for "
            f"{len(instance.inputs)} tensors in 'format_string'"
        )
    first: dict[str, tuple[int, int]] = {}
    for tensor, (labels, shape) in enumerate(zip(instance.inputs, instance.shapes, strict=True)):
        if len(labels) != len(shape):
            raise ValidationError(
                f"field 'shapes' must have one dimension a label: tensor {tensor} has labels {labels!r} "
                f"and shape {shape}"
            )
        _check_bounds(tensor, shape)
        for label, size in zip(labels, shape, strict=True):
            seen, expected = first.setdefault(label, (tensor, size))
            if size != expected:
                raise ValidationError(
                    f"field 'shapes' must agree on each label: {label!r} is {expected} in tensor {seen} "
                    f"and {size} in tensor {tensor}"
                )


def _check_bounds(tensor: int, shape: tuple[int, ...]) -> None:
    """A shape that NumPy can hold."""
    if any(size < 1 for size in shape):
        raise ValidationError(f"field 'shapes' must be positive: tensor {tensor} has shape {shape}")
    if len(shape) > MAX_RANK:
        raise ValidationError(
            f"field 'shapes' must have at most {MAX_RANK} dimensions: tensor {tensor} has {len(shape)}"
        )
    if prod(shape) >= MAX_ELEMENTS:
        raise ValidationError(f"field 'shapes' must be below 2**59 elements a tensor: tensor {tensor} has {shape}")


def _check_dtype(instance: NetworkInstance) -> None:
    if instance.dtype not in DTYPES:
        raise ValidationError(f"field 'dtype' must be one of {', '.join(DTYPES)}, got {instance.dtype!r}")


def _check_output(instance: NetworkInstance) -> None:
    known = set("".join(instance.inputs))
    for label in instance.output:
        if label not in known:
            raise ValidationError(f"field 'format_string' has result label {label!r}, which no tensor carries")
        if instance.output.count(label) > 1:
            raise ValidationError(f"field 'format_string' has result label {label!r} more than once")
    if instance.expected is not None and instance.output:
        raise ValidationError(f"field 'expected' needs a scalar result, got labels {instance.output!r}")


def _check_paths(instance: NetworkInstance) -> None:
    for name, path in instance.paths.items():
        try:
            check_path(path, instance.num_tensors)
        except ValidationError as error:
            raise ValidationError(f"field 'paths.{name}.path': {error}") from None


def _check_fill(instance: NetworkInstance) -> None:
    if len(instance.fills) != instance.num_tensors:
        raise ValidationError(
            f"field 'fill' must be one name or one a tensor, got {len(instance.fills)} "
            f"for {instance.num_tensors} tensors"
        )
    for tensor, (name, shape) in enumerate(zip(instance.fills, instance.shapes, strict=True)):
        if name == "normal":
            continue
        try:
            check_constant(name, shape)
            if CONSTANTS[name].is_complex and not instance.is_complex:
                raise ValidationError(f"{name!r} is complex, but field 'dtype' is {instance.dtype!r}")
        except ValidationError as error:
            raise ValidationError(f"field 'fill': tensor {tensor}: {error}") from None
