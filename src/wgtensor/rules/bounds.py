"""The accuracy column of the table of operations as numbers: what each of its phrases allows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Final

from wgtensor.rules.operation import Operation

__all__ = ["BOUNDS", "EXACT", "ROUNDED", "Bound", "Scale", "bound_of"]


class Scale(Enum):
    """What one ulp is one of.

    ``RESULT`` the result's magnitude; ``ONE`` the same, but at least 1; ``TERMS`` the sum of the magnitudes of what is
    summed; ``PRODUCT`` the result of a product of many; ``POWER`` the result's magnitude times
    ``1 + abs(exponent * log(base))``.
    """

    RESULT = "result"
    ONE = "one"
    TERMS = "terms"
    PRODUCT = "product"
    POWER = "power"


@dataclass(frozen=True, slots=True)
class Bound:
    """Largest error in ulp of a scale: ``constant + per_element * n + per_doubling * log2(n)``.

    n is the number of elements, or of products, that one result combines.
    """

    constant: float = 0.0
    per_element: float = 0.0
    per_doubling: float = 0.0
    scale: Scale = Scale.RESULT

    def ulps(self, count: int = 1) -> float:
        """Return the bound of a result that combines ``count`` elements.

        Examples
        --------
        >>> Bound(per_doubling=1).ulps(1024)
        10.0
        """
        return self.constant + self.per_element * count + self.per_doubling * math.log2(max(count, 1))


EXACT: Final = Bound()
ROUNDED: Final = Bound(0.5)
_SUM: Final = Bound(per_element=1, scale=Scale.TERMS)

BOUNDS: Final[dict[str, tuple[Bound, Bound]]] = {
    "exact": (EXACT, EXACT),
    "exact; complex 4 ulp": (EXACT, Bound(4.0)),
    "correctly rounded": (ROUNDED, ROUNDED),
    "correctly rounded; complex 2 ulp": (ROUNDED, Bound(2)),
    "2 ulp": (Bound(2), Bound(2)),
    "2.5 ulp": (Bound(2.5), Bound(2.5)),
    "2.5 ulp; complex 4 ulp": (Bound(2.5), Bound(4)),
    "4 ulp": (Bound(4), Bound(4)),
    "6 ulp": (Bound(6), Bound(6)),
    "6 ulp; integers exact; complex 4 (1 + abs(exponent log base)) ulp": (Bound(6), Bound(4, scale=Scale.POWER)),
    "2 ulp of max(1, abs(result))": (Bound(2, scale=Scale.ONE), Bound(2, scale=Scale.ONE)),
    "n ulp": (Bound(per_element=1, scale=Scale.PRODUCT), Bound(per_element=1, scale=Scale.PRODUCT)),
    "k ulp of the sum of magnitudes": (_SUM, _SUM),
    "exact; mode add: n ulp of the sum of magnitudes": (_SUM, _SUM),
    "4 ulp of the sum of magnitudes": (Bound(4, scale=Scale.TERMS), Bound(4, scale=Scale.TERMS)),
    "log2(n) ulp of the sum of magnitudes": (Bound(per_doubling=1, scale=Scale.TERMS),) * 2,
    "log2(n) + 384 ulp of the running sum of magnitudes": (Bound(384, per_doubling=1, scale=Scale.TERMS),) * 2,
}
"""Bounds of real and of complex results by the phrase of the accuracy column. Other dtypes are exact."""


def bound_of(operation: Operation, kinds: str, mode: str = "add") -> Bound:
    """Return the bound of an operation's results.

    Parameters
    ----------
    operation
        A row of the table.
    kinds
        Kind letters of the dtypes of the result and the operands. Results of no float or complex dtype are exact; that
        of complex numbers counts where an operand is complex.
    mode
        Of a scatter, which sums in mode ``"add"`` only.

    Examples
    --------
    >>> from wgtensor.rules import OPERATIONS
    >>> bound_of(OPERATIONS["abs"], "fc").ulps()
    4.0
    """
    if kinds[0] not in "fc" or mode != "add":
        return EXACT
    return BOUNDS[operation.accuracy]["c" in kinds]
