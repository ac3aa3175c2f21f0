"""From a contraction problem to a launch plan: pack where it pays, multiply, sum the parts of a split depth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from wgtensor.errors import UnsupportedError
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.contraction.axes import (
    LANES,
    Arrangement,
    arrange,
    into_partial_sums,
    packed,
    padded,
)
from wgtensor.webgpu.kernels.contraction.depth import Depth, split_depth
from wgtensor.webgpu.kernels.contraction.generator import generate
from wgtensor.webgpu.kernels.contraction.numbers import NUMBERS
from wgtensor.webgpu.kernels.contraction.params import KernelParams, factor_bits
from wgtensor.webgpu.kernels.contraction.problem import AxisGroup, Batch, ContractionProblem, ListedBatch, group_axes
from wgtensor.webgpu.kernels.contraction.strategy import choose_depth, choose_tile, sides_to_pack
from wgtensor.webgpu.kernels.contraction.tables import ONE_LEVEL, Segment, Tables, is_affine, offsets
from wgtensor.webgpu.kernels.contraction.variant import Tile, Variant
from wgtensor.webgpu.kernels.plan import Binding, Grid, KernelSource, LaunchPlan, Role, Step, fold_grid

__all__ = ["plan_contraction"]

_NAME: Final = "dot_general"
_COPY_LANES: Final = 64
_PACK: Final = Tile("pack", 1, LANES, _COPY_LANES)
_FINISH: Final = Tile("finish", 1, LANES, _COPY_LANES)
_TABLE: Final = Binding(Role.TABLE)
_OUTPUT: Final = Binding(Role.OUTPUT)


def plan_contraction(problem: ContractionProblem, facts: AdapterFacts, tile: Tile | None = None) -> LaunchPlan:
    """Plan ``out = alpha * dot_general(lhs, rhs) + beta * out``.

    Operand 0 is lhs, operand 1 rhs, output 0 the result. A depth of zero gives zeros (or ``beta * out``); an empty
    result has no steps.

    Parameters
    ----------
    problem
        Shapes and dtypes must have been checked, and ``out`` must overlap neither operand.
    facts
        The adapter; decides tiles, splits and limits.
    tile
        Taken instead of the one that the table chooses; for tuning.

    Raises
    ------
    UnsupportedError
        Partial sums do not fit the adapter's binding limit.
    """
    groups = group_axes(problem)
    if 0 in (groups.batch.size, groups.rows.size, groups.cols.size):
        return LaunchPlan(_NAME, ())
    plan = arrange(problem)
    planner = _Planner(problem, facts, tile, max(plan.rows.size, plan.cols.size, plan.batch.size) > ONE_LEVEL)
    if plan.depth.size:
        planner.multiply(plan)
    else:
        planner.finish(plan, 0, planner.workspace(4 * LANES))
    work = plan.batch.size * plan.rows.size * plan.cols.size * max(plan.depth.size, 1)
    return LaunchPlan(_NAME, tuple(planner.steps), (planner.tables.words(),), tuple(planner.workspaces), work)


@dataclass
class _Planner:
    """Collects the steps, tables and workspaces of one plan."""

    problem: ContractionProblem
    facts: AdapterFacts
    tile: Tile | None
    two_level: bool
    steps: list[Step] = field(default_factory=list)
    workspaces: list[int] = field(default_factory=list)
    tables: Tables = field(init=False)

    def __post_init__(self) -> None:
        self.dtype = self.problem.dtype.name
        self.tables = Tables(self.two_level)

    def multiply(self, plan: Arrangement) -> None:
        """Add the steps of a contraction that has something to multiply."""
        operands = [Binding(Role.OPERAND, int(plan.swapped)), Binding(Role.OPERAND, int(not plan.swapped))]
        for side in sides_to_pack(plan, self.problem.dtype.itemsize, self.facts):
            operands["ab".index(side)] = self.pack(plan, side, operands["ab".index(side)])
            plan = packed(plan, side)
        tile = self.tile or choose_tile(plan, self.dtype, self.facts)
        depth = split_depth(plan.depth, choose_depth(plan, tile, self.facts))
        plan = _fitted(plan, tile, depth)
        if len(depth.parts) == 1 and (plan.c == "n" or NUMBERS[self.dtype].put):
            self.product(plan, tile, depth, operands, self.dtype)
            return
        partial_dtype = NUMBERS[self.dtype].partial
        sums = self.workspace(len(depth.parts) * _partial_elements(plan) * NUMBERS[partial_dtype].width * 4)
        self.product(into_partial_sums(plan), tile, depth, [*operands, sums], partial_dtype)
        self.finish(plan, len(depth.parts), sums)

    def workspace(self, nbytes: int) -> Binding:
        """Add scratch memory."""
        if nbytes > self.facts.binding_limit:
            raise UnsupportedError(
                f"{_NAME} needs scratch memory within the {self.facts.binding_limit} bytes that this adapter binds, "
                f"got {nbytes}; contract slices of a batch or free axis"
            )
        self.workspaces.append(nbytes)
        return Binding(Role.WORKSPACE, len(self.workspaces) - 1)

    def pack(self, plan: Arrangement, side: str, source: Binding) -> Binding:
        """Add the copy of an operand into a workspace, and return that."""
        tensor = "ab".index(side)
        free = plan.rows if side == "a" else plan.cols
        lines = plan.batch.size * plan.depth.size
        groups = padded(free.size, LANES) // LANES
        target = self.workspace(lines * groups * LANES * self.problem.dtype.itemsize)
        walk = self.walk(plan.depth)
        params = KernelParams(
            rows=free.size,
            depth=plan.depth.size,
            batches=plan.batch.size,
            base_a=plan.bases[tensor],
            depth_a=walk[tensor],
            col_groups=groups,
            row_a=self.segment(free, 0),
            batch_a=self.segment(plan.batch, tensor),
        )
        affine = is_affine(plan.depth.lengths)
        variant = Variant(_PACK, self.dtype, self.dtype, "x", "", "n", affine=affine, two_level=self.two_level)
        self.step(variant, (source, _TABLE, target), params, self.linear_grid(lines * groups))
        return target

    def product(self, plan: Arrangement, tile: Tile, depth: Depth, buffers: Sequence[Binding], out_dtype: str) -> None:
        """Add the product itself, of ``buffers`` a and b into the third (the output if there is none)."""
        direct = len(buffers) == 2
        tiles = _tiles(plan, tile, len(depth.parts))
        folded = max(tiles) > self.facts.workgroups
        swapped, conj = plan.swapped, (self.problem.lhs_conj, self.problem.rhs_conj)
        variant = Variant(
            tile, self.dtype, out_dtype, plan.a, plan.b, plan.c,
            affine=is_affine(depth.axes.lengths),
            two_level=self.two_level,
            folded=folded,
            accumulate=direct and self.problem.accumulates,
            conj_a=self.problem.dtype.is_complex and conj[swapped],
            conj_b=self.problem.dtype.is_complex and conj[not swapped],
        )  # fmt: skip
        params = self.product_params(plan, tile, depth, tiles)
        grid = fold_grid(math.prod(tiles), self.facts.workgroups) if folded else tiles
        bindings = (*buffers[:2], _TABLE, *(buffers[2:] or [_OUTPUT]))
        self.step(variant, bindings, params, grid, depth.longest // tile.depth + tile.depth)

    def product_params(self, plan: Arrangement, tile: Tile, depth: Depth, tiles: Grid) -> KernelParams:
        """Return the numbers of the product."""
        splits = len(depth.parts)
        base_a, base_b, base_c = plan.bases
        depth_a, depth_b = self.walk(depth.axes)
        return KernelParams(
            rows=plan.rows.size,
            cols=plan.cols.size,
            depth=depth.longest,
            batches=plan.batch.size,
            base_a=base_a,
            base_b=base_b,
            base_c=base_c,
            splits=splits,
            depth_a=depth_a,
            depth_b=depth_b,
            split_table=self.tables.add(depth.parts.ravel()),
            split_stride=_partial_elements(plan),
            last_row=padded(plan.rows.size, LANES) - LANES if plan.a == "m" else plan.rows.size - 1,
            last_col=padded(plan.cols.size, LANES) - LANES if plan.b == "n" else plan.cols.size - 1,
            col_groups=-(-plan.cols.size // tile.cols),
            layers=plan.batch.size * splits,
            row_tiles=tiles[1],
            col_tiles=tiles[0],
            keeps_old=int(self.problem.beta != 0),
            factors=factor_bits(self.problem),
            row_a=self.segment(plan.rows, 0),
            row_c=self.segment(plan.rows, 1),
            col_b=self.segment(plan.cols, 0),
            col_c=self.segment(plan.cols, 1),
            batch_a=self.segment(plan.batch, 0),
            batch_b=self.segment(plan.batch, 1),
            batch_c=self.segment(plan.batch, 2),
        )

    def finish(self, plan: Arrangement, splits: int, sums: Binding) -> None:
        """Add the sum of the parts, with alpha and beta."""
        groups = padded(plan.cols.size, LANES) // LANES
        params = KernelParams(
            rows=plan.rows.size,
            cols=plan.cols.size,
            batches=plan.batch.size,
            base_c=plan.bases[2],
            splits=splits,
            split_stride=_partial_elements(plan),
            col_groups=groups,
            keeps_old=int(self.problem.beta != 0),
            factors=factor_bits(self.problem),
            row_c=self.segment(plan.rows, 1),
            col_c=self.segment(plan.cols, 1),
            batch_c=self.segment(plan.batch, 2),
        )
        variant = Variant(
            _FINISH, NUMBERS[self.dtype].partial, self.dtype, "k", "", plan.c,
            two_level=self.two_level, accumulate=self.problem.accumulates,
        )  # fmt: skip
        grid = self.linear_grid(groups * plan.rows.size * plan.batch.size)
        self.step(variant, (sums, _TABLE, _OUTPUT), params, grid, splits)

    def step(
        self, variant: Variant, bindings: tuple[Binding, ...], params: KernelParams, grid: Grid, loops: int = 0
    ) -> None:
        """Add a dispatch; all but the last binding are read."""
        variant = replace(variant, wide=self.facts.wide_loads)
        kernel = KernelSource(variant.key, partial(generate, variant), len(bindings) - 1, 1)
        self.steps.append(Step(kernel, bindings, params.pack(), grid, loops))

    def segment(self, group: Batch, tensor: int) -> Segment:
        """Add the offset table of a group in one tensor."""
        if isinstance(group, ListedBatch):
            return self.tables.listed(group.offsets[tensor])
        return self.tables.segment(group.lengths, group.strides[tensor])

    def walk(self, depth: AxisGroup) -> tuple[int, ...]:
        """Return how a and b walk the depth: their strides, or the positions of their tables."""
        if is_affine(depth.lengths):
            return tuple(own[0] if own else 0 for own in depth.strides)
        return tuple(self.tables.add(offsets(depth.lengths, own)) for own in depth.strides)

    def linear_grid(self, items: int) -> Grid:
        """Return the grid of a copy with one invocation per item."""
        return fold_grid(-(-items // _COPY_LANES), self.facts.workgroups)


def _fitted(plan: Arrangement, tile: Tile, depth: Depth) -> Arrangement:
    """Give up vectors that the tile or the cut of the depth does not allow, and those that are not worth a kernel.

    Beside a scalar loader, a vector loader along the depth or a vector store gains little, and one row of a is a small
    part of all loads: fewer kernels are compiled for giving them up.
    """
    a, b = plan.a, plan.b
    single = tile.rows < LANES
    if b == "k" and not (depth.aligned(1) and (single or a == "k")):
        b = "x"
    if (single and (a == "m" or b != "k")) or (a == "k" and (b == "x" or not depth.aligned(0))):
        a = "x"
    if a == "m" and b == "x" and tile.rows == LANES:
        a = "x"
    return replace(plan, a=a, b=b, c=plan.c if b == "n" and a != "x" else "x")


def _tiles(plan: Arrangement, tile: Tile, splits: int) -> Grid:
    """Return the workgroups along columns, rows and layers; ``register`` tiles string all layers' columns together."""
    rows = -(-plan.rows.size // (tile.block_rows or tile.rows))
    layers = plan.batch.size * splits
    if tile.kind == "register":
        return -(-(-(-plan.cols.size // tile.cols) * layers) // tile.lanes), rows, 1
    return -(-plan.cols.size // (tile.block_cols or tile.cols * tile.lanes)), rows, layers


def _partial_elements(plan: Arrangement) -> int:
    return plan.batch.size * plan.rows.size * padded(plan.cols.size, LANES)
