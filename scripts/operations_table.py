"""Prints docs/operations.md: the table of operations, from the rows in ``rules/`` and the docstrings of the protocols.

Usage: ``python scripts/operations_table.py > docs/operations.md``; a test compares the two.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Final

from wgtensor.contract import BackendSession
from wgtensor.rules import OPERATIONS, Family, Operation
from wgtensor.tensor import ALL_DTYPES
from wgtensor.webgpu.lowerings import computed_dtypes

HEAD: Final = """\
# Operations

Methods of a session (`wgtensor.contract.BackendSession`). `scripts/operations_table.py` writes this page from the table
in `src/wgtensor/rules/operations.py` and the docstrings of the protocols.

*Takes* lists the dtypes that an operation is defined for; bfloat16 is moved and cast only. *GPU* lists those that
`WebGpuBackend` computes in: float16 where the adapter has it, casts between any two of them. `CpuBackend` computes in
all, and each backend refuses by name what it does not compute. *Accuracy* bounds the error of floats against the exact
result; integers and bools are exact. One ulp of a complex result is one of its magnitude, n is the number of elements
that one result combines, k the number of products that it sums. GPUs may flush denormal operands and
results of float arithmetic to zero; moves keep them."""

KINDS: Final = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex"}


def page() -> Iterator[str]:
    """Return the lines of the page."""
    yield HEAD
    for family in Family:
        yield f"\n## {family.value.capitalize()}\n"
        yield "| operation | takes | GPU | accuracy | meaning |"
        yield "|---|---|---|---|---|"
        yield from (_row(operation) for operation in OPERATIONS.values() if operation.family is family)


def _row(operation: Operation) -> str:
    method = getattr(BackendSession, operation.name)
    _, *parameters = inspect.signature(method).parameters
    meaning = (inspect.getdoc(method) or "").partition("\n")[0].replace("``", "`")
    takes = "any" if len(operation.dtypes) == len(KINDS) else ", ".join(KINDS[kind] for kind in operation.dtypes)
    call = f"`{operation.name}({', '.join(parameters)})`"
    return f"| {call} | {takes} | {_gpu(operation)} | {operation.accuracy} | {meaning} |"


def _gpu(operation: Operation) -> str:
    """Return the dtypes that kernels compute in, of those that the operation takes."""
    dtypes = computed_dtypes(operation.name)
    if dtypes == ALL_DTYPES:
        return "any"
    return ", ".join(dtype.name for dtype in dtypes if dtype.kind in operation.dtypes)


if __name__ == "__main__":
    print("\n".join(page()))
