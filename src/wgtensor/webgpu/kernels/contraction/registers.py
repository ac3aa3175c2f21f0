"""Contraction kernels without workgroup memory: each invocation keeps a tile of the result in registers.

The code is straight: every value has a name and every index is constant, so drivers keep all of it in registers. In
the ``broadcast`` form a subgroup shares its rows of a: each lane loads a few, and ``subgroupBroadcast`` hands them round,
which on a software driver is what makes loads cheap. The depth is walked four at a time; what is left over is walked one
by one, so nothing is ever read past the depth and no padding is multiplied.
"""

from __future__ import annotations

from typing import Final

from wgtensor.webgpu.kernels.contraction.store import COLUMN_OFFSET, LETTERS, Lines, each_column, store_group
from wgtensor.webgpu.kernels.contraction.variant import Variant, render_kernel

__all__ = ["generate_register_kernel"]

_B_OFFSET: Final = "from_b + offset(params.col_b, min({}, params.last_col))"


def generate_register_kernel(variant: Variant) -> str:
    """Return the WGSL of a ``register`` or ``broadcast`` kernel."""
    rows = _RowQuads(variant) if variant.a == "m" else _Rows(variant)
    cols = _Columns(variant)
    return render_kernel(
        "registers",
        variant,
        row_setup=list(rows.setup()),
        col_setup=list(cols.setup()),
        sums=[f"sum{row}_{j}" for row in range(variant.tile.rows) for j in cols.groups],
        quads=list(_multiply(rows, cols, 4)),
        singles=[] if "k" in (variant.a, variant.b) else list(_multiply(rows, cols, 1)),
        store=list(_store(variant, cols)),
    )


def _multiply(rows: _Rows | _RowQuads, cols: _Columns, steps: int) -> Lines:
    """One stage: load a and b at ``steps`` depths from k, then multiply four rows at a time."""
    yield from rows.loads(steps)
    yield from cols.loads(steps)
    for first in range(0, rows.tile.rows, 4):
        block = range(first, min(first + 4, rows.tile.rows))
        yield from rows.share(block, steps)
        for step in range(steps):
            for row in block:
                for j in cols.groups:
                    yield f"sum{row}_{j} = mad({rows.value(row, step)}, b{j}_{step}, sum{row}_{j});"


class _Lanes:
    """How the values of a tile are spread over the lanes that share them."""

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.tile = variant.tile
        self.shared = self.tile.kind == "broadcast"
        self.lanes = self.tile.lanes if self.shared else 1

    def from_lane(self, name: str, lane: int) -> str:
        return self.variant.numbers.broadcast.format(v=name, l=lane) if self.shared else name

    def letter(self, name: str, index: int) -> str:
        return self.variant.numbers.component.format(v=name, c=LETTERS[index])


class _Rows(_Lanes):
    """Rows of a, loaded along depth or one by one: each lane holds every ``lanes``-th row."""

    def setup(self) -> Lines:
        for entry in range(self.tile.rows // self.lanes):
            yield f"let row_a{entry} = min(first_row + {entry * self.lanes}u + sharer, params.last_row);"
            yield f"let at_a{entry} = from_a + offset(params.row_a, row_a{entry});"

    def loads(self, steps: int) -> Lines:
        scalar = self.variant.a == "x"
        for step in range(steps if scalar else 1):
            yield f"let ka{step} = depth_a(k + {step}u);"
        for entry in range(self.tile.rows // self.lanes):
            picks = [f"pick_a(at_a{entry} + ka{step})" for step in range(steps)] * (4 // steps)
            yield f"let a{entry} = {_lanes(picks) if scalar else f'load_a(at_a{entry} + ka0)'};"

    def share(self, rows: range, _steps: int) -> Lines:
        for row in rows:
            entry, lane = divmod(row, self.lanes)
            yield f"let r{row} = {self.from_lane(f'a{entry}', lane)};"

    def value(self, row: int, step: int) -> str:
        return self.letter(f"r{row}", step)


class _RowQuads(_Lanes):
    """Rows of a, loaded four rows at a time: the lanes hold different quads, then different depths."""

    def __init__(self, variant: Variant) -> None:
        super().__init__(variant)
        self.quads = self.tile.rows // 4
        self.slots = max(1, self.quads // self.lanes)
        self.depths = max(1, self.lanes // self.quads)

    def setup(self) -> Lines:
        for slot in range(self.slots):
            quad = f"({slot * self.lanes}u + sharer % {self.quads}u)"
            yield f"let row_a{slot} = min(first_row + {quad} * 4u, params.last_row);"
            yield f"let at_a{slot} = from_a + offset(params.row_a, row_a{slot});"
        yield f"let own_depth = sharer / {self.quads}u;"

    def loads(self, steps: int) -> Lines:
        if steps == 1:
            yield "let ka0 = depth_a(k);"
            yield from (f"let a{slot} = load_a(at_a{slot} + ka0);" for slot in range(self.slots))
            return
        for group in range(steps // self.depths):
            yield f"let ka{group} = depth_a(k + {group * self.depths}u + own_depth);"
            for slot in range(self.slots):
                yield f"let a{group * self.slots + slot} = load_a(at_a{slot} + ka{group});"

    def share(self, rows: range, steps: int) -> Lines:
        quad = rows.start // 4
        slot, lane = divmod(quad, self.lanes) if self.slots > 1 else (0, quad)
        for step in range(steps):
            group, depth = divmod(step, self.depths)
            held = self.from_lane(f"a{group * self.slots + slot}", lane + depth * self.quads)
            yield f"let r{quad}_{step} = {held};"

    def value(self, row: int, step: int) -> str:
        return self.letter(f"r{row // 4}_{step}", row % 4)


class _Columns(_Lanes):
    """Columns of b: each invocation loads its own, as vectors along columns."""

    @property
    def groups(self) -> range:
        return range(self.tile.cols // 4)

    def setup(self) -> Lines:
        for j in self.groups:
            yield f"let col{j} = first_col + {j * self.spread * 4}u;"
            yield f"let at_b{j} = {each_column(self.variant.b, f'col{j}', _B_OFFSET)};"

    @property
    def spread(self) -> int:
        """Groups of columns between two groups of one invocation: neighbours belong to neighbouring lanes."""
        return self.tile.lanes if self.shared else 1

    def loads(self, steps: int) -> Lines:
        along_depth = self.variant.b == "k"
        for step in range(1 if along_depth else steps):
            yield f"let kb{step} = depth_b(k + {step}u);"
        for j in self.groups:
            yield from self._transposed(j) if along_depth else self._direct(j, steps)

    def _direct(self, j: int, steps: int) -> Lines:
        for step in range(steps):
            picks = [f"pick_b(at_b{j}.{letter} + kb{step})" for letter in LETTERS]
            yield f"let b{j}_{step} = {_lanes(picks) if self.variant.b == 'x' else f'load_b(at_b{j} + kb{step})'};"

    def _transposed(self, j: int) -> Lines:
        for index, letter in enumerate(LETTERS):
            yield f"let t{j}_{index} = load_b(at_b{j}.{letter} + kb0);"
        for step in range(4):
            yield f"let b{j}_{step} = {_lanes([self.letter(f't{j}_{index}', step) for index in range(4)])};"


def _lanes(scalars: list[str]) -> str:
    return f"lanes({', '.join(scalars)})"


def _store(variant: Variant, cols: _Columns) -> Lines:
    """Offsets of the result's columns, then each row under its guard."""
    for j in cols.groups:
        yield f"let to_c{j} = {each_column(variant.c, f'col{j}', COLUMN_OFFSET)};"
    yield from _result_rows(cols)
    for row in range(variant.tile.rows):
        yield f"if (first_row + {row}u < params.rows) {{"
        for j in cols.groups:
            yield from store_group(variant, f"at_c{row}", row, j)
        yield "}"


def _result_rows(cols: _Columns) -> Lines:
    """Where each row of the result begins; in the broadcast form each lane looks up some of them."""
    for entry in range(cols.tile.rows // cols.lanes):
        row = f"min(first_row + {entry * cols.lanes}u + sharer, params.rows - 1u)"
        yield f"let own_c{entry} = from_c + offset(params.row_c, {row});"
    for index in range(cols.tile.rows):
        entry, lane = divmod(index, cols.lanes)
        held = f"subgroupBroadcast(own_c{entry}, {lane}u)" if cols.shared else f"own_c{entry}"
        yield f"let at_c{index} = {held};"
