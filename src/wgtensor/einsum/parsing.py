"""Subscripts: strings and integer sublists, ellipses expanded, the implicit output filled in.

What leaves this module has no ellipsis and an explicit output: one tuple of labels per operand, one for the output.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from types import EllipsisType
from typing import Any, NamedTuple, TypeAlias

from wgtensor.errors import ValidationError

__all__ = ["EllipsisAxis", "Labels", "Subscripts", "parse_equation", "parse_sublists"]

Labels: TypeAlias = tuple[Hashable, ...]
"""One label per axis."""

_Term: TypeAlias = tuple[Any, ...]
"""Labels of one operand before expansion, with at most one ``Ellipsis`` among them."""


class EllipsisAxis(NamedTuple):
    """The label of an axis under an ellipsis, counted from the right: the last one is -1."""

    position: int

    def __repr__(self) -> str:
        return f"'...'[{self.position}]"


class Subscripts(NamedTuple):
    """Labels of each operand and of the output.

    Attributes
    ----------
    inputs
        One tuple of labels per operand; a label may repeat within an operand.
    output
        Distinct labels, each of some operand.
    """

    inputs: tuple[Labels, ...]
    output: Labels


def parse_equation(equation: str, ranks: Sequence[int]) -> Subscripts:
    """Parse ``"ij,jk->ik"`` for operands of the given ranks.

    Letters and every character beyond ASCII are labels; spaces are ignored. Without ``->`` the output holds the
    ellipsis and then, in the order of their code points, the labels that appear once.

    Raises
    ------
    ValidationError
        The text is malformed, or does not fit the number of operands or their ranks.

    Examples
    --------
    >>> parse_equation("ij,jk", (2, 2)).output
    ('i', 'k')
    >>> parse_equation("...i->i...", (2,)).inputs
    (('...'[-1], 'i'),)
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = [_string_term(term, f"operand {number}") for number, term in enumerate(left.split(","))]
    return _resolve(terms, _string_term(right, "the output") if arrow else None, ranks)


def parse_sublists(sublists: Sequence[Any], output: Any, ranks: Sequence[int]) -> Subscripts:
    """Resolve integer sublists, which may hold ``Ellipsis``, for operands of the given ranks.

    Raises
    ------
    ValidationError
        An entry is neither an integer of at least 0 nor ``Ellipsis``, or a sublist does not fit its operand.
    """
    terms = [_sublist_term(sublist, f"operand {number}") for number, sublist in enumerate(sublists)]
    return _resolve(terms, None if output is None else _sublist_term(output, "the output"), ranks)


def _string_term(text: str, where: str) -> _Term:
    before, dots, after = text.partition("...")
    for character in before + after:
        if character.isascii() and not character.isalpha():
            raise ValidationError(
                f"einsum takes letters and at most one '...' as subscripts of {where}, got {character!r} in {text!r}"
            )
    return (*before, Ellipsis, *after) if dots else tuple(before)


def _sublist_term(sublist: Any, where: str) -> _Term:
    if not isinstance(sublist, Sequence):
        raise ValidationError(f"einsum takes a sequence as the sublist of {where}, got {sublist!r}")
    term: list[int | EllipsisType] = []
    for entry in sublist:
        if entry is Ellipsis:
            term.append(entry)
            continue
        label = _integer(entry)
        if label is None or label < 0:
            raise ValidationError(
                f"einsum takes integers of 0 or more and Ellipsis as the sublist of {where}, got {entry!r}"
            )
        term.append(label)
    if term.count(Ellipsis) > 1:
        raise ValidationError(f"einsum takes at most one Ellipsis in the sublist of {where}, got {list(sublist)}")
    return tuple(term)


def _integer(entry: Any) -> int | None:
    try:
        return int(entry.__index__())
    except AttributeError:
        return None


def _resolve(terms: Sequence[_Term], output: _Term | None, ranks: Sequence[int]) -> Subscripts:
    if len(terms) != len(ranks):
        raise ValidationError(f"einsum needs one term per operand, got {len(terms)} terms for {len(ranks)} operands")
    inputs = tuple(_expand(term, rank, f"operand {n}") for n, (term, rank) in enumerate(zip(terms, ranks, strict=True)))
    dots = _widest_ellipsis(inputs)
    if output is None:
        return Subscripts(inputs, (*dots, *_appearing_once(inputs)))
    if dots and Ellipsis not in output:
        raise ValidationError(
            f"einsum needs '...' in the output too, since operands have {len(dots)} axes under theirs; "
            "add it, or name these axes and leave them out to sum them"
        )
    return Subscripts(inputs, _checked_output(_expand(output, None, "the output", dots), inputs))


def _expand(term: _Term, rank: int | None, where: str, dots: Labels = ()) -> Labels:
    """Replace the ellipsis by one label per axis that ``rank`` leaves to it (or by ``dots``)."""
    named = len(term) - term.count(Ellipsis)
    if rank is not None:
        if named > rank or (Ellipsis not in term and named != rank):
            raise ValidationError(
                f"einsum needs one label per axis, got {named} labels {_shown(term)} for {where} of rank {rank}"
            )
        dots = tuple(EllipsisAxis(position) for position in range(named - rank, 0))
    if Ellipsis not in term:
        return term
    at = term.index(Ellipsis)
    return (*term[:at], *dots, *term[at + 1 :])


def _widest_ellipsis(inputs: Iterable[Labels]) -> Labels:
    axes = {label for term in inputs for label in term if isinstance(label, EllipsisAxis)}
    return tuple(sorted(axes))


def _appearing_once(inputs: Iterable[Labels]) -> list[Any]:
    counts: Counter[Any] = Counter(label for term in inputs for label in term)
    return sorted(label for label, n in counts.items() if n == 1 and not isinstance(label, EllipsisAxis))


def _checked_output(output: Labels, inputs: Sequence[Labels]) -> Labels:
    known = {label for term in inputs for label in term}
    for label in output:
        if label not in known:
            raise ValidationError(f"einsum needs every output label in some operand, got {label!r} in none")
        if output.count(label) > 1:
            raise ValidationError(f"einsum needs distinct output labels, got {label!r} more than once")
    return output


def _shown(term: _Term) -> str:
    if all(isinstance(label, str) or label is Ellipsis for label in term):
        return repr("".join("..." if label is Ellipsis else label for label in term))
    return repr(["..." if label is Ellipsis else label for label in term])
