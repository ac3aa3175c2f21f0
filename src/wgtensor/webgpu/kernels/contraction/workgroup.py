"""Contraction kernels that stage tiles of a and b in workgroup memory, for real GPUs.

Both tiles are kept depth-major in vectors of four rows or columns, twice: while one stage is multiplied, the next one
is loaded into registers and then written to the other half, so each stage costs one barrier. Nothing is padded (padding
was measured to hurt), and workgroup memory is never read before it is written, since not every driver zero-fills it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from wgtensor.webgpu.kernels.contraction.store import COLUMN_OFFSET, LETTERS, Lines, each_column, store_group
from wgtensor.webgpu.kernels.contraction.variant import Variant, render_kernel

__all__ = ["generate_workgroup_kernel"]

GROUP_ROWS: Final = 4
GROUP_COLS: Final = 8
"""Threads of a subgroup are laid out 4 by 8 over the tile; 8 by 4 loses a quarter."""


def generate_workgroup_kernel(variant: Variant) -> str:
    """Return the WGSL of a ``workgroup`` kernel."""
    tile = variant.tile
    a = _Side(variant, "a", variant.a, "row", tile.block_rows)
    b = _Side(variant, "b", variant.b, "col", tile.block_cols)
    sides = (a, b)
    return render_kernel(
        "workgroup",
        variant,
        sides=sides,
        thread_cols=tile.block_cols // tile.cols,
        group_rows=GROUP_ROWS,
        group_cols=GROUP_COLS,
        setup=[line for side in sides for line in side.setup()],
        offsets=[line for side in sides for line in side.next_offsets()],
        loads=[line for side in sides for line in side.loads()],
        stage=[line for side in sides for line in side.stage()],
        sums=[f"sum{row}_{j}" for row in range(tile.rows) for j in range(tile.cols // 4)],
        products=list(_products(variant, a, b)),
        store=list(_store(variant)),
    )


@dataclass(frozen=True)
class _Side:
    """One operand's way from its buffer to workgroup memory; ``index`` is its free index, row or col."""

    variant: Variant
    name: str
    access: str
    index: str
    block: int

    @property
    def quads(self) -> int:
        """Vectors of the free index in a stage."""
        return self.block // 4

    @property
    def words(self) -> int:
        """Vectors of one stage."""
        return self.quads * self.variant.tile.depth

    @property
    def entries(self) -> range:
        """Vectors that one invocation loads for a stage."""
        return range(self.words // self.variant.tile.lanes)

    def setup(self) -> Lines:
        for q in self.entries:
            yield f"let {self.name}_entry{q} = lane + {q * self.variant.tile.lanes}u;"
            yield from self._along_depth(q) if self.access == "k" else self._along_free(q)

    def _along_depth(self, q: int) -> Lines:
        n, steps = self.name, self.variant.tile.depth // 4
        yield f"let {n}_free{q} = {n}_entry{q} / {steps}u;"
        yield f"let {n}_depth{q} = ({n}_entry{q} % {steps}u) * 4u;"
        yield f"let {n}_at{q} = {self._offset(f'{n}_free{q}')};"
        yield f"let {n}_slot{q} = {n}_depth{q} * {self.quads}u + {n}_free{q} / 4u;"

    def _along_free(self, q: int) -> Lines:
        n = self.name
        yield f"let {n}_free{q} = ({n}_entry{q} % {self.quads}u) * 4u;"
        yield f"let {n}_depth{q} = {n}_entry{q} / {self.quads}u;"
        each = ", ".join(self._offset(f"{n}_free{q} + {index}u") for index in range(4))
        yield f"let {n}_at{q} = {f'vec4<u32>({each})' if self.access == 'x' else self._offset(f'{n}_free{q}')};"
        yield f"let {n}_slot{q} = {n}_entry{q};"

    def _offset(self, free: str) -> str:
        n, index = self.name, self.index
        return f"from_{n} + offset(params.{index}_{n}, min(first_{index} + {free}, params.last_{index}))"

    def next_offsets(self) -> Lines:
        """Offsets along the depth, looked up one stage ahead."""
        for q in self.entries:
            n = self.name
            yield f"{n}_along{q} = depth_{n}(min(ahead + {n}_depth{q}, depth - 1u));"

    def loads(self) -> Lines:
        """Load the stage at ``k``; beyond the depth both operands are zero, so that no garbage is multiplied."""
        for q in self.entries:
            n = self.name
            picks = ", ".join(f"pick_{n}({n}_at{q}.{letter} + {n}_along{q})" for letter in LETTERS)
            value = f"lanes({picks})" if self.access == "x" else f"load_{n}({n}_at{q} + {n}_along{q})"
            yield f"{n}_held{q} = masked({value}, k + {n}_depth{q} < depth);"

    def stage(self) -> Lines:
        """Write the loaded stage, transposed where it was loaded along the depth."""
        numbers = self.variant.numbers
        for q in self.entries:
            n = self.name
            if self.access != "k":
                yield f"staged_{n}[half_{n} + {n}_slot{q}] = {n}_held{q};"
                continue
            for step, letter in enumerate(LETTERS):
                slot = f"staged_{n}[half_{n} + {n}_slot{q} + {step * self.quads}u]"
                value = numbers.component.format(v=f"{n}_held{q}", c=letter)
                yield numbers.assign.format(v=slot, i=f"{n}_free{q} % 4u", x=value)


def _products(variant: Variant, a: _Side, b: _Side) -> Lines:
    """Multiply the staged tiles."""
    tile = variant.tile
    row_threads, col_threads = tile.block_rows // tile.rows, tile.block_cols // tile.cols
    for step in range(tile.depth):
        for i in range(tile.rows // 4):
            yield f"let a{step}_{i} = staged_a[half_a + {step * a.quads + i * row_threads}u + thread_row];"
        for j in range(tile.cols // 4):
            yield f"let b{step}_{j} = staged_b[half_b + {step * b.quads + j * col_threads}u + thread_col];"
        for row in range(tile.rows):
            left = variant.numbers.component.format(v=f"a{step}_{row // 4}", c=LETTERS[row % 4])
            for j in range(tile.cols // 4):
                yield f"sum{row}_{j} = mad({left}, b{step}_{j}, sum{row}_{j});"


def _store(variant: Variant) -> Lines:
    """Offsets of the result's columns, then each row under its guard."""
    tile = variant.tile
    row_threads, col_threads = tile.block_rows // tile.rows, tile.block_cols // tile.cols
    for j in range(tile.cols // 4):
        yield f"let col{j} = first_col + (thread_col + {j * col_threads}u) * 4u;"
        yield f"let to_c{j} = {each_column(variant.c, f'col{j}', COLUMN_OFFSET)};"
    for row in range(tile.rows):
        yield f"let row{row} = first_row + (thread_row + {row // 4 * row_threads}u) * 4u + {row % 4}u;"
        yield f"if (row{row} < params.rows) {{"
        yield f"    let at_c = from_c + offset(params.row_c, row{row});"
        for j in range(tile.cols // 4):
            yield from store_group(variant, "at_c", row, j)
        yield "}"
