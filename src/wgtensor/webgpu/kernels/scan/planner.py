"""From a scan, a dtype and a layout to a launch plan."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from wgtensor.errors import UnsupportedError
from wgtensor.tensor import DType, Layout, bool_, int32, merge_axes
from wgtensor.webgpu.facts import AdapterFacts
from wgtensor.webgpu.kernels.draft import OPERAND, OUTPUT, Draft
from wgtensor.webgpu.kernels.plan import Binding, KernelSource, LaunchPlan
from wgtensor.webgpu.kernels.scan.combine import COUNT, SCANS
from wgtensor.webgpu.kernels.scan.kernels import ELEMENTS, PARTS, POSITIONS, Scanned
from wgtensor.webgpu.kernels.scan.lines import Lines
from wgtensor.webgpu.kernels.scan.strategy import WORKGROUP, Share, plan_share
from wgtensor.webgpu.kernels.structural.fill import add_fill
from wgtensor.webgpu.kernels.tables import join_tables

__all__ = ["is_one_line", "plan_flat_nonzero", "plan_scan"]

_ZERO: Final = bytes(int32.itemsize)


def plan_scan(
    op: str, dtype: DType, layout: Layout, axis: int, facts: AdapterFacts, *, exclusive: bool, reverse: bool
) -> LaunchPlan:
    """Plan the scan of operand 0 along ``axis`` into the row-major output 0, in one dispatch or three.

    Parameters
    ----------
    op
        ``"sum"``, ``"prod"``, ``"max"`` or ``"min"``.
    dtype
        float32, int32 or uint32; complex64 for sum and prod.
    layout
        The operand's layout: any offset and strides.
    axis
        From 0.
    facts
        The adapter's.
    exclusive
        Whether each result leaves its own element out, so that the first is the identity.
    reverse
        Whether to begin at the far end.

    Raises
    ------
    UnsupportedError
        There is no kernel for this operation and dtype.

    Notes
    -----
    The result depends on layout and adapter class, never on the run. Sums are at most ``(log2 n + 384) eps`` of the
    running sum of magnitudes off, products ``n eps`` relative. A NaN stays from where it is.

    Examples
    --------
    >>> from wgtensor.tensor import float32
    >>> from wgtensor.webgpu.facts import AdapterClass
    >>> software = AdapterFacts(AdapterClass.SOFTWARE)
    >>> plan = plan_scan("sum", float32, Layout.contiguous((1 << 20,)), 0, software, exclusive=False, reverse=False)
    >>> len(plan.steps), len(plan_scan("sum", float32, Layout.contiguous((3, 9)), 1, software,
    ...     exclusive=False, reverse=False).steps)
    (3, 1)
    """
    combine = SCANS.get((op, dtype))
    if combine is None:
        raise UnsupportedError(f"cumulative {op} has no WebGPU kernel for {dtype}; cast first")
    draft = Draft(op, facts)
    if layout.size:
        scanned = Scanned((op, dtype.name), combine, dtype.itemsize, facts.software)
        _Scan(draft, scanned, Lines.of(layout, axis, reverse), exclusive).add(ELEMENTS)
    return draft.finish(2 * layout.size)


def is_one_line(layout: Layout) -> bool:
    """Return whether the elements of ``layout``, in row-major order, lie at one distance from each other."""
    lengths, _ = merge_axes(layout.shape, [layout.strides])
    return len(lengths) <= 1


def plan_flat_nonzero(layout: Layout, count: int, facts: AdapterFacts) -> LaunchPlan:
    """Plan the positions of the first ``count`` True of operand 0 into output 0, in two dispatches or four.

    Parameters
    ----------
    layout
        The mask's: any offset, its elements at one distance (``is_one_line``).
    count
        Elements of the output. Those beyond the number of True are 0.
    facts
        The adapter's.
    """
    draft = Draft("flat_nonzero", facts)
    if count:
        add_fill(draft, int32, count, _ZERO)
        line = Layout((layout.size,), _stride(layout), layout.offset)
        scanned = Scanned(("nonzero", bool_.name), COUNT, bool_.itemsize, facts.software)
        _Scan(draft, scanned, Lines.of(line, 0), most=count).add(POSITIONS)
    return draft.finish(2 * layout.size)


def _stride(layout: Layout) -> tuple[int]:
    _, (strides,) = merge_axes(layout.shape, [layout.strides])
    return (strides[0] if strides else 1,)


@dataclass(frozen=True, slots=True)
class _Scan:
    """Lines to scan, how, and the plan that the passes go to."""

    draft: Draft
    scanned: Scanned
    lines: Lines
    exclusive: bool = False
    most: int = 0

    def add(self, sink: str) -> None:
        """Add one pass or, where lines are split, three: totals of shares, their scan, the scan of each share."""
        share = plan_share(self.lines, self.draft.facts)
        carries = () if share.splits == 1 else (self._add_carries(share),)
        kernel = self.scanned.scan(sink, self.lines.walk.form, carried=bool(carries))
        self._dispatch(kernel, share, (OPERAND, *carries), OUTPUT)

    def _add_carries(self, share: Share) -> Binding:
        """Add the passes that find what each share goes on from, and return where it is."""
        nbytes = 4 * self.scanned.combine.words * share.lines * share.splits
        totals, carries = self.draft.workspace(nbytes), self.draft.workspace(nbytes)
        self._dispatch(self.scanned.totals(self.lines.walk.form), share, (OPERAND,), totals)
        lines = Lines.plain(share.lines, share.splits, share.across)
        kernel = self.scanned.scan(PARTS, lines.walk.form, carried=False)
        whole = plan_share(lines, self.draft.facts, whole=True)
        replace(self, lines=lines, exclusive=True)._dispatch(kernel, whole, (totals,), carries)
        return carries

    def _dispatch(self, kernel: KernelSource, share: Share, reads: tuple[Binding, ...], output: Binding) -> None:
        (walk,), tables = join_tables([self.lines.walk])
        params = (
            *(share.lines, share.steps, share.splits, share.team, share.span, share.block, share.across),
            *(self.exclusive, self.most, self.lines.source_stride, self.lines.target_stride),
            *(*share.total_strides, *walk.words),
        )
        source, *carries = reads
        bindings = (source, *self.draft.tables(tables), *carries, output)
        workgroups = share.workgroups(WORKGROUP[self.draft.facts.software])
        self.draft.dispatch(kernel, bindings, params, workgroups, share.loop_iterations)
