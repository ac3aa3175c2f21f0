"""The protocols of scans, sorts and searches: families of a session's operations beside ``contract.protocols``."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from wgtensor.contract.arguments import instance_of, integer
from wgtensor.contract.protocols_elementwise import Applies
from wgtensor.tensor import Tensor

__all__ = ["TensorScan", "TensorSort"]


@runtime_checkable
class TensorScan(Applies, Protocol):
    """Running results along one axis, and what is found by counting.

    Scans keep shape and dtype; any axis, of any length, 0 too. With ``reverse`` they begin at the far end of the axis,
    with ``exclusive`` each result leaves its own element out, so that the first is the identity.
    """

    def cumulative_sum(self, x: Tensor, axis: int, exclusive: bool = False, reverse: bool = False) -> Tensor:
        """Return the sum of all elements up to each along ``axis``; integers wrap.

        Parameters
        ----------
        x
            Integers, floats or complex numbers; cast bool to the dtype that should count.
        axis
            From 0 to rank - 1.
        exclusive
            Leave each element out of its own sum; the first is 0.
        reverse
            Sum from the far end.

        Returns
        -------
        Tensor
            Of the shape and dtype of ``x``. float16 is accumulated in float32.

        Raises
        ------
        ValidationError
            There is no such axis, or a flag is no bool.
        DTypeError
            ``x`` is bool.

        Examples
        --------
        >>> from wgtensor.cpu import CpuBackend
        >>> import numpy as np
        >>> backend = CpuBackend.new_default()
        >>> x = backend.upload_host_tensor(Tensor.from_numpy(np.array([1, 2, 3], np.int32)))
        >>> with backend.session() as s:
        ...     before = s.cumulative_sum(x, 0, exclusive=True)
        >>> backend.download_to_host(before).to_numpy().tolist()
        [0, 1, 3]
        """
        return self.apply("cumulative_sum", (x,), **_direction("cumulative_sum", axis, exclusive, reverse))

    def cumulative_prod(self, x: Tensor, axis: int, exclusive: bool = False, reverse: bool = False) -> Tensor:
        """Return the product of all elements up to each along ``axis``; integers wrap.

        See ``cumulative_sum`` for parameters and errors; the first of an exclusive scan is 1.
        """
        return self.apply("cumulative_prod", (x,), **_direction("cumulative_prod", axis, exclusive, reverse))

    def cumulative_max(self, x: Tensor, axis: int, exclusive: bool = False, reverse: bool = False) -> Tensor:
        """Return the largest of all elements up to each along ``axis``; a NaN stays from where it is.

        See ``cumulative_sum`` for parameters and errors; ``x`` is real, and the first of an exclusive scan is -inf, or
        the least integer.
        """
        return self.apply("cumulative_max", (x,), **_direction("cumulative_max", axis, exclusive, reverse))

    def cumulative_min(self, x: Tensor, axis: int, exclusive: bool = False, reverse: bool = False) -> Tensor:
        """Return the smallest of all elements up to each along ``axis``; a NaN stays from where it is.

        See ``cumulative_sum`` for parameters and errors; ``x`` is real, and the first of an exclusive scan is inf, or
        the greatest integer.
        """
        return self.apply("cumulative_min", (x,), **_direction("cumulative_min", axis, exclusive, reverse))

    def flat_nonzero(self, mask: Tensor, count: int) -> Tensor:
        """Return the int32 row-major positions of the first ``count`` True.

        Parameters
        ----------
        mask
            Bools of any shape.
        count
            Positions wanted, since no shape depends on data: at most the elements of ``mask``, and as a rule the
            number of True, read from ``reduce_sum`` of the mask cast to int32.

        Returns
        -------
        Tensor
            Of shape (count,), ascending; zeros beyond the number of True.

        Raises
        ------
        ValidationError
            ``count`` is negative or above the number of elements, or the mask has 2**31 elements or more.
        DTypeError
            ``mask`` is not bool.
        """
        return self.apply("flat_nonzero", (mask,), count=integer(count))


@runtime_checkable
class TensorSort(Applies, Protocol):
    """Order along one axis. NaN of either sign comes last in both directions; -0 and 0 are equal."""

    def sort(self, x: Tensor, axis: int, descending: bool = False) -> Tensor:
        """Return the elements in order along ``axis``; stable, NaN last.

        Parameters
        ----------
        x
            Bools, integers or floats.
        axis
            From 0 to rank - 1, of less than 2**31 elements.
        descending
            The greatest first; equals keep their order, and NaN stays last.

        Returns
        -------
        Tensor
            Of the shape and dtype of ``x``.

        Raises
        ------
        ValidationError
            There is no such axis, it is too long, or ``descending`` is no bool.
        DTypeError
            ``x`` is complex, which has no order.
        """
        return self.apply("sort", (x,), axis=integer(axis), descending=instance_of(bool, "sort", descending))

    def argsort(self, x: Tensor, axis: int, descending: bool = False) -> Tensor:
        """Return the int32 positions on ``axis`` that sort ``x``; stable, NaN last.

        See ``sort`` for parameters and errors.
        """
        return self.apply("argsort", (x,), axis=integer(axis), descending=instance_of(bool, "argsort", descending))

    def searchsorted(self, ordered: Tensor, values: Tensor, side: str = "left") -> Tensor:
        """Return the int32 number of elements of ``ordered`` before each value; NaN last.

        Parameters
        ----------
        ordered
            Of rank 1, ascending as ``sort`` leaves it: bools, integers or floats.
        values
            Of the same dtype and any shape.
        side
            ``"left"`` counts elements below each value, ``"right"`` those equal to it too.

        Returns
        -------
        Tensor
            Of the shape of ``values``: where each goes so that ``ordered`` stays in order.

        Raises
        ------
        ValidationError
            ``ordered`` is not of rank 1 or too long, ``values`` is no tensor, or ``side`` is another word.
        DTypeError
            Dtypes differ, or are complex.
        """
        values = instance_of(Tensor, "searchsorted", values)
        return self.apply("searchsorted", (ordered, values), side=side)


def _direction(name: str, axis: int, exclusive: bool, reverse: bool) -> dict[str, Any]:
    """Return the attributes of a scan."""
    return {
        "axis": integer(axis),
        "exclusive": instance_of(bool, name, exclusive),
        "reverse": instance_of(bool, name, reverse),
    }
