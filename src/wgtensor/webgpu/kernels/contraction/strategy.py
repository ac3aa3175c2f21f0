"""Which tile, whether the depth is split, whether an operand is packed: tables by adapter class.

The figures behind the software rows were measured on lavapipe, those behind the workgroup rows on one discrete adapter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.contraction.axes import LANES, Arrangement, padded
from wgtensor.webgpu.kernels.contraction.numbers import NUMBERS
from wgtensor.webgpu.kernels.contraction.tables import is_affine
from wgtensor.webgpu.kernels.contraction.variant import Tile

__all__ = ["Rule", "choose_depth", "choose_tile", "sides_to_pack"]

PACK_EXTENT: Final = 128
"""A scalar loader is worth a copy of its operand where each element is used this often."""
REGISTER_LANES: Final = 8
"""Invocations of a workgroup without subgroups: one SIMD vector of a CPU."""
SUBGROUP_SIZES: Final = (4, 8, 16, 32)
"""Sizes that divide the rows of the broadcast tiles."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Take ``tile`` for results of at least so many rows and columns (of one batch) and tiles.

    With ``vectors`` only for arrangements of the fastest loaders: tiles that take long to compile stay few.
    """

    rows: int
    cols: int
    tile: Tile
    tiles: int = 0
    vectors: bool = False

    def fits(self, plan: Arrangement) -> bool:
        """Whether the rule holds for an arrangement."""
        rows, cols = plan.rows.size, plan.cols.size
        if rows < self.rows or cols < self.cols or (self.vectors and not _in_vectors(plan)):
            return False
        if not self.tiles:
            return True
        blocks = -(-rows // self.tile.block_rows) * -(-cols // self.tile.block_cols) * plan.batch.size
        return blocks >= self.tiles


def _in_vectors(plan: Arrangement) -> bool:
    """Whether b is loaded along columns, and a along rows, or along the depth beside a vector store."""
    return plan.b == "n" and (plan.a == "m" or (plan.a == "k" and plan.c == "n"))


def _software(lanes: int) -> tuple[Rule, ...]:
    """Return the rules for a subgroup size; 0 where subgroups cannot be used."""
    low = max(8, lanes)
    shared = (
        Rule(256, 256, Tile("broadcast", 64, 8, lanes), vectors=True),
        Rule(32, 256, Tile("broadcast", 32, 8, lanes)),
        Rule(8, 3 * lanes, Tile("broadcast", low, 4, lanes)),
    )
    return (shared if lanes in SUBGROUP_SIZES else _REGISTER_LARGE) + _REGISTER_SMALL


_REGISTER_LARGE: Final = (
    Rule(64, 256, Tile("register", 16, 16, REGISTER_LANES)),
    Rule(8, 32, Tile("register", 8, 8, REGISTER_LANES)),
)
_REGISTER_SMALL: Final = (
    Rule(3, 1, Tile("register", 4, 4, REGISTER_LANES)),
    Rule(1, 1, Tile("register", 1, 4, REGISTER_LANES)),
)
_WORKGROUP: Final = (
    Rule(128, 128, Tile("workgroup", 8, 16, 128, 128, 128, 8), tiles=96),
    Rule(64, 64, Tile("workgroup", 8, 8, 64, 64, 64, 16), tiles=96),
    Rule(16, 16, Tile("workgroup", 4, 4, 64, 32, 32, 16)),
    Rule(3, 1, Tile("register", 4, 4, 64)),
    Rule(1, 1, Tile("register", 1, 4, 64)),
)


def choose_tile(plan: Arrangement, dtype: str, facts: AdapterFacts) -> Tile:
    """Return the tile for an arrangement on an adapter."""
    rules = _software(facts.subgroup_size) if facts.software else _WORKGROUP
    width = NUMBERS[dtype].width
    for rule in rules:
        tile = _fit(rule.tile, width)
        if rule.fits(plan) and _allowed(tile, width, facts):
            return tile
    return replace(rules[-1].tile, lanes=REGISTER_LANES)


def _fit(tile: Tile, width: int) -> Tile:
    """Halve the rows for values twice as wide."""
    if width == 1 or tile.rows < 8 or (tile.kind == "broadcast" and tile.rows // width < tile.lanes):
        return tile
    return replace(tile, rows=tile.rows // width, block_rows=tile.block_rows // width)


def _allowed(tile: Tile, width: int, facts: AdapterFacts) -> bool:
    staged = 2 * tile.depth * (tile.block_rows + tile.block_cols) * 4 * width
    return tile.lanes <= facts.workgroup_invocations and staged <= facts.workgroup_storage


BUSY: Final = {True: 256, False: 16_384}
"""Invocations that keep a software adapter (True) and a real one busy; with fewer the depth is split."""
SPLIT_DEPTH: Final = {True: 2048, False: 256}
"""Least depth of one part of a split that was not needed."""
TABLE_DEPTH: Final = 1 << 16
"""Longest depth that is walked by a table."""


def choose_depth(plan: Arrangement, tile: Tile, facts: AdapterFacts) -> int:
    """Return the depth that one workgroup walks at most.

    No more than the loop limit and the tables allow, and less where few invocations would walk a long depth.
    """
    depth = plan.depth.size
    limit = LANES * (facts.loop_limit - 2 * LANES)
    if not is_affine(plan.depth.lengths):
        limit = min(limit, TABLE_DEPTH)
    parts = min(BUSY[facts.software] // _invocations(plan, tile), depth // SPLIT_DEPTH[facts.software])
    return min(limit, padded(-(-depth // max(parts, 1)), 4 * LANES))


def _invocations(plan: Arrangement, tile: Tile) -> int:
    rows = -(-plan.rows.size // (tile.block_rows or tile.rows))
    cols = -(-plan.cols.size // (tile.block_cols or tile.cols * (tile.lanes if tile.kind == "broadcast" else 1)))
    return rows * cols * plan.batch.size * (1 if tile.kind == "register" else tile.lanes)


def sides_to_pack(plan: Arrangement, itemsize: int, facts: AdapterFacts) -> str:
    """Return the operands that are worth a copy: loaded one by one, each element used often, the copy bindable.

    Beside a packed a, whose rows lie together, no kernel loads b along the depth, so such a b counts as scalar.
    """
    rows, cols, lines = plan.rows.size, plan.cols.size, plan.batch.size * plan.depth.size

    def pays(loader: str, free: int, uses: int) -> bool:
        fits = lines * padded(free, LANES) * itemsize <= facts.binding_limit
        return loader == "x" and uses >= PACK_EXTENT and free >= LANES and fits

    a = pays(plan.a, rows, cols)
    b = pays("x" if a and plan.b == "k" else plan.b, cols, rows)
    return "a" * a + "b" * b
