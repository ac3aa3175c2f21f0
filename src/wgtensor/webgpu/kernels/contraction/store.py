"""How a tile of the result is written: under guards, as vectors or one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from wgtensor.webgpu.kernels.contraction.variant import Variant

__all__ = ["COLUMN_OFFSET", "LETTERS", "Lines", "each_column", "store_group"]

LETTERS: Final = "xyzw"
"""The lanes of a vector."""
COLUMN_OFFSET: Final = "offset(params.col_c, min({}, params.cols - 1u))"
"""Offset of a column of the result."""
Lines: TypeAlias = Iterator[str]
"""Lines of WGSL."""


def each_column(access: str, column: str, expression: str) -> str:
    """Return ``expression`` of a group of four columns, or of each of the four where they are no vector."""
    if access == "n":
        return expression.format(column)
    return f"vec4<u32>({', '.join(expression.format(f'{column} + {index}u') for index in range(4))})"


def store_group(variant: Variant, at_row: str, row: int, j: int) -> Lines:
    """Write four columns of a row; vectors may reach into the padding of the row, single elements may not."""
    if variant.c == "n":
        yield f"    if (col{j} < params.cols) {{ store_c({at_row} + to_c{j}, sum{row}_{j}); }}"
        return
    for index, letter in enumerate(LETTERS):
        value = variant.numbers.component.format(v=f"sum{row}_{j}", c=letter)
        yield f"    if (col{j} + {index}u < params.cols) {{ put_c({at_row} + to_c{j}.{letter}, {value}); }}"
