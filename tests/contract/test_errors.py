"""Bad input of every kind: the class and the text say operation, rule, what it got and the way out."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from contract.harness import Bench, f32

from wgtensor import errors
from wgtensor.contract import (
    CompareDirection,
    DotGeneralAccumulation,
    DotGeneralConfig,
    DotGeneralPrepareRequest,
    ElementwiseFusionPlan,
    GatherConfig,
    GroupedGemmJob,
    PadConfig,
    ScatterConfig,
    SliceConfig,
    TensorSignature,
)
from wgtensor.errors import (
    DeviceLostError,
    DTypeError,
    ForeignDomainError,
    RuntimeStateError,
    ValidationError,
    WgTensorError,
)
from wgtensor.tensor import Tensor, float32

MATMUL = DotGeneralConfig([1], [0])
ROWS = GatherConfig([1], [0], [0], 1, [1, 3])
ADD_ROWS = ScatterConfig([1], [0], [0], 1)
NEGATED = ElementwiseFusionPlan("float32", 1, ops=[("neg", (0,))], outputs=[1])

# name: call on a session with x of (2, 3) float32, n of (2, 3) int32, i of (2,) int32, z of (0, 3) float32,
# c of (2, 3) complex64, b of (2, 3) bool; the text that it must raise
SHAPE_FAULTS: list[tuple[str, Callable[..., Any], str]] = [
    ("add", lambda s, t: s.add(t.x, s.transpose(t.x, (1, 0))), "add needs equal shapes or one rank-0 operand, got (2, 3) and (3, 2); broadcast first with broadcast_in_dim"),
    ("length 1", lambda s, t: s.add(t.x, s.slice(t.x, SliceConfig([0, 0], [1, 3]))), "got (2, 3) and (1, 3); broadcast first"),
    ("select", lambda s, t: s.select(t.b, t.x, s.transpose(t.x, (1, 0))), "select needs equal shapes"),
    ("transpose rank", lambda s, t: s.transpose(t.x, (0,)), "transpose needs one axis per axis of shape (2, 3) in its permutation, got (0,)"),
    ("transpose range", lambda s, t: s.transpose(t.x, (0, 2)), "transpose needs axes in its permutation within 0 to 1, got (0, 2)"),
    ("transpose negative", lambda s, t: s.transpose(t.x, (0, -1)), "within 0 to 1, got (0, -1)"),
    ("transpose twice", lambda s, t: s.transpose(t.x, (1, 1)), "transpose needs distinct axes in its permutation, got (1, 1)"),
    ("transpose kind", lambda s, t: s.transpose(t.x, (0, 1.0)), "transpose needs a sequence of integers as permutation, got (0, 1.0)"),
    ("reshape", lambda s, t: s.reshape(t.x, (7,)), "reshape needs a shape of the same element count, got (2, 3) (6) to (7,) (7)"),
    ("reshape negative", lambda s, t: s.reshape(t.x, (-1, 6)), "reshape: a shape needs lengths of 0 or more, got (-1, 6)"),
    ("broadcast count", lambda s, t: s.broadcast_in_dim(t.x, (2, 3), (0,)), "broadcast_in_dim needs one of dims per axis of shape (2, 3), got (0,)"),
    ("broadcast length", lambda s, t: s.broadcast_in_dim(t.x, (2, 4), (0, 1)), "got length 3 on axis 1 for length 4 on axis 1"),
    ("broadcast twice", lambda s, t: s.broadcast_in_dim(t.x, (2, 3), (1, 1)), "broadcast_in_dim needs distinct dims, got (1, 1)"),
    ("broadcast size", lambda s, t: s.broadcast_in_dim(t.x, (2**40, 2**40, 2, 3), (2, 3)), "at most 2**63 - 1 elements"),
    ("diagonal lengths", lambda s, t: s.extract_diagonal(t.x), "extract_diagonal needs two equally long axes, got axes 0 and 1 of shape (2, 3)"),
    ("diagonal one axis", lambda s, t: s.extract_diagonal(t.x, 1, -1), "needs two distinct axes, got 1 and -1"),
    ("diagonal rank", lambda s, t: s.extract_diagonal(t.i), "needs a tensor of rank 2 or more, got rank 1"),
    ("embed range", lambda s, t: s.embed_diagonal(t.x, 2), "embed_diagonal needs an axis within -2 to 1, got 2"),
    ("tril", lambda s, t: s.tril(t.i), "tril needs a tensor of rank 2 or more, got shape (2,)"),
    ("triu k", lambda s, t: s.triu(t.x, 0.5), "triu needs an integer k, got 0.5"),
    ("reduce range", lambda s, t: s.reduce_sum(t.x, (2,)), "reduce_sum needs axes within 0 to 1, got (2,)"),
    ("reduce negative", lambda s, t: s.reduce_max(t.x, (-1,)), "reduce_max needs axes within 0 to 1, got (-1,)"),
    ("reduce twice", lambda s, t: s.reduce_prod(t.x, (1, 1)), "reduce_prod needs distinct axes, got (1, 1)"),
    ("argmax", lambda s, t: s.argmax(t.x, 2), "argmax needs axes within 0 to 1, got (2,)"),
    ("argmin of nothing", lambda s, t: s.argmin(t.z, 0), "argmin has no value over an axis of length 0"),
    ("slice count", lambda s, t: s.slice(t.x, SliceConfig([0], [1])), "slice needs one of starts per axis of shape (2, 3), got 1: (0,)"),
    ("slice limit", lambda s, t: s.slice(t.x, SliceConfig([0, 0], [2, 4])), "slice needs 0 <= start <= limit <= 3 on axis 1"),
    ("slice order", lambda s, t: s.slice(t.x, SliceConfig([1, 0], [0, 3])), "got start 1 and limit 0"),
    ("slice stride", lambda s, t: s.slice(t.x, SliceConfig([0, 0], [2, 3], [1, -1])), "slice needs strides of 1 or more, got -1 on axis 1; reverse the axis"),
    ("reverse", lambda s, t: s.reverse(t.x, (0, 0)), "reverse needs distinct axes, got (0, 0)"),
    ("pad count", lambda s, t: s.pad(t.x, PadConfig([1], [1])), "pad needs one of low per axis of shape (2, 3)"),
    ("pad crop", lambda s, t: s.pad(t.x, PadConfig([-2, 0], [-1, 0])), "pad may crop an axis to length 0 at most"),
    ("pad interior", lambda s, t: s.pad(t.x, PadConfig([0, 0], [0, 0], [0, -1])), "pad needs interior of 0 or more"),
    ("pad value", lambda s, t: s.pad(t.x, PadConfig([0, 0], [0, 0]), t.x), "pad needs a rank-0 value, got shape (2, 3)"),
    ("concatenate none", lambda s, t: s.concatenate([], 0), "concatenate needs at least one tensor, got none"),
    ("concatenate shapes", lambda s, t: s.concatenate([t.x, s.transpose(t.x, (1, 0))], 0), "equal but for axis 0, got (2, 3) and (3, 2)"),
    ("concatenate axis", lambda s, t: s.concatenate([t.x], 2), "concatenate needs an axis within 0 to 1, got (2,)"),
    ("gather window", lambda s, t: s.gather(t.x, t.i, GatherConfig([1], [0], [0], 1, [1, 4])), "gather needs a window within the operand's shape (2, 3), got sizes (1, 4)"),
    ("gather collapsed", lambda s, t: s.gather(t.x, t.i, GatherConfig([1], [0], [0], 1, [2, 3])), "gather needs slice size 1 on collapsed axes"),
    ("gather vector", lambda s, t: s.gather(t.x, t.i, GatherConfig([1], [0], [0], 2, [1, 3])), "gather needs index_vector_dim within 0 to 1"),
    ("gather map", lambda s, t: s.gather(t.x, t.i, GatherConfig([1], [0], [0, 1], 1, [1, 3])), "one mapped operand axis per index component (1), got (0, 1)"),
    ("gather offsets", lambda s, t: s.gather(t.x, t.i, GatherConfig([], [0], [0], 1, [1, 3])), "one of offset_dims per window axis that is not collapsed (1), got ()"),
    ("gather order", lambda s, t: s.gather(t.x, t.i, GatherConfig([2, 1], [], [0], 1, [1, 3])), "gather needs ascending offset_dims, got (2, 1)"),
    ("scatter cover", lambda s, t: s.scatter(t.x, t.i, t.x, ScatterConfig([1], [], [0], 1)), "to cover the 2 axes of shape (2, 3)"),
    ("scatter batch", lambda s, t: s.scatter(t.x, t.i, s.slice(t.x, SliceConfig([0, 0], [1, 3])), ADD_ROWS), "batch shape (2,), got (1,)"),
    ("dynamic_slice starts", lambda s, t: s.dynamic_slice(t.x, s.reshape(t.i, (1, 2)), (1, 1)), "dynamic_slice needs starts of shape (2,) for shape (2, 3), got (1, 2)"),
    ("dynamic_slice window", lambda s, t: s.dynamic_slice(t.x, t.i, (1, 4)), "dynamic_slice needs a window within the operand's shape (2, 3), got sizes (1, 4)"),
    ("update rank", lambda s, t: s.dynamic_update_slice(t.x, t.i, t.i), "dynamic_update_slice needs an update of rank 2, got shape (2,)"),
    ("dot range", lambda s, t: s.dot_general(t.x, t.x, DotGeneralConfig([2], [0])), "dot_general needs contracting axes of lhs within 0 to 1, got (2,)"),
    ("dot twice", lambda s, t: s.dot_general(t.x, t.x, DotGeneralConfig([1, 1], [0, 1])), "needs distinct contracting axes of lhs, got (1, 1)"),
    ("dot roles", lambda s, t: s.dot_general(t.x, t.x, DotGeneralConfig([1], [1], [0], [1])), "each axis of rhs in one role, got [1] as contracting and as batch"),
    ("dot count", lambda s, t: s.dot_general(t.x, t.x, DotGeneralConfig([0, 1], [0])), "as many contracting axes of lhs as of rhs, got (0, 1) and (0,)"),
    ("dot lengths", lambda s, t: s.dot_general(t.x, t.x, MATMUL), "equal lengths on paired contracting axes, got 3 on axis 1 of lhs (2, 3) and 2 on axis 0 of rhs (2, 3)"),
    ("vdot", lambda s, t: s.vdot(t.x, s.transpose(t.x, (1, 0))), "vdot needs equal shapes, got (2, 3) and (3, 2)"),
    ("accumulate", lambda s, t: s.dot_general_into_accum(t.x, s.transpose(t.x, (1, 0)), MATMUL, DotGeneralAccumulation(), t.x), "dot_general_into_accum needs out of the product's shape (2, 2), got (2, 3)"),
]  # fmt: skip
# ruff: noqa: E501 (a fault, its call and its text stand on one line)

CONFIG_FAULTS: list[tuple[str, Callable[..., Any], str]] = [
    ("permutation", lambda s, t: s.transpose(t.x, 1), "transpose needs a sequence of integers as permutation, got 1"),
    ("shape", lambda s, t: s.reshape(t.x, 6), "reshape needs a sequence of integers as shape, got 6"),
    ("axes", lambda s, t: s.reduce_sum(t.x, 0), "reduce_sum needs a sequence of integers as axes, got 0"),
    ("axis", lambda s, t: s.argmax(t.x, None), "argmax needs integers as axes, got (None,)"),
    ("direction", lambda s, t: s.compare(t.x, t.x, "<"), "compare takes one of CompareDirection.EQ ('eq'), CompareDirection.NE ('ne'), CompareDirection.LT ('lt'), CompareDirection.LE ('le'), CompareDirection.GT ('gt'), CompareDirection.GE ('ge'), got '<'"),
    ("bool axis", lambda s, t: s.reduce_sum(t.x, (True,)), "reduce_sum needs a sequence of integers as axes, got (True,)"),
    ("array axis", lambda s, t: s.argmax(t.x, np.array([0, 1])), "argmax needs integers as axes, got (array([0, 1]),)"),
    ("array shape", lambda s, t: s.reshape(t.x, np.ones((2, 3))), "reshape needs a sequence of integers as shape, got "),
    ("array k", lambda s, t: s.tril(t.x, np.array([0, 1])), "tril needs an integer k, got array([0, 1])"),
    ("diagonal axis", lambda s, t: s.extract_diagonal(t.x, True, 0), "extract_diagonal needs an axis within -2 to 1, got True"),
]  # fmt: skip

KIND_FAULTS: list[tuple[str, Callable[..., Any], str]] = [
    ("slice", lambda s, t: s.slice(t.x, (0, 1)), "slice takes a SliceConfig, got (0, 1)"),
    ("dot", lambda s, t: s.dot_general(t.x, t.x, None), "dot_general takes a DotGeneralConfig, got None"),
    ("accumulation", lambda s, t: s.dot_general_into_accum(t.x, t.x, MATMUL, 2.0, t.x), "dot_general_into_accum takes a DotGeneralAccumulation, got 2.0"),
    ("conj", lambda s, t: s.dot_general_with_conj(t.x, t.x, MATMUL, [], False), "dot_general takes a bool, got []"),
    ("tensors", lambda s, t: s.concatenate(t.x, 0), "concatenate takes a sequence of Tensor, got Tensor(shape=(2, 3)"),
    ("plan", lambda s, t: s.execute_elementwise_fusion([t.x], None), "execute_elementwise_fusion takes a ElementwiseFusionPlan, got None"),
    ("inputs", lambda s, t: s.execute_elementwise_fusion([1], NEGATED), "execute_elementwise_fusion takes a Tensor, got 1"),
    ("job", lambda s, t: s.grouped_gemm(t.x, t.x, [(0, 0)], DotGeneralAccumulation(), t.x), "grouped_gemm takes a GroupedGemmJob, got (0, 0)"),
]  # fmt: skip

DTYPE_FAULTS: list[tuple[str, Callable[..., Any], str]] = [
    ("mixed", lambda s, t: s.add(t.x, t.n), "add needs operands of one dtype, got float32 and int32; convert or cast one of them first"),
    ("real beside complex", lambda s, t: s.add(t.x, t.c), "add needs operands of one dtype, got float32 and complex64"),
    ("maximum", lambda s, t: s.maximum(t.c, t.c), "maximum takes bool, signed integer, unsigned integer and float tensors, got complex64; cast first"),
    ("sub", lambda s, t: s.sub(t.b, t.b), "sub takes signed integer, unsigned integer, float and complex tensors, got bool"),
    ("exp", lambda s, t: s.exp(t.n), "exp takes float and complex tensors, got int32; cast first"),
    ("conj", lambda s, t: s.conj(t.n), "conj takes float and complex tensors, got int32"),
    ("logical_not", lambda s, t: s.logical_not(t.n), "logical_not takes bool tensors, got int32"),
    ("compare", lambda s, t: s.compare(t.c, t.c, CompareDirection.LT), "compare takes EQ and NE for complex tensors, which have no order, got LT"),
    ("select", lambda s, t: s.select(t.n, t.x, t.x), "select needs a bool predicate, got int32; compare it with 0 first"),
    ("reduce_sum", lambda s, t: s.reduce_sum(t.b, (0,)), "reduce_sum takes signed integer, unsigned integer, float and complex tensors, got bool"),
    ("reduce_max", lambda s, t: s.reduce_max(t.c, (0,)), "reduce_max takes signed integer, unsigned integer and float tensors, got complex64"),
    ("reduce_any", lambda s, t: s.reduce_any(t.x, (0,)), "reduce_any takes bool tensors, got float32"),
    ("gather", lambda s, t: s.gather(t.x, s.cast(t.i, "float32"), ROWS), "gather needs starts of an integer dtype, got float32; cast them to int32 first"),
    ("scatter", lambda s, t: s.scatter(t.x, t.i, t.n, ADD_ROWS), "scatter needs operands of one dtype, got float32 and int32"),
    ("scatter bool", lambda s, t: s.scatter(t.b, t.i, t.b, ADD_ROWS), "scatter with mode 'add' takes"),
    ("scatter complex", lambda s, t: s.scatter(t.c, t.i, t.c, ScatterConfig([1], [0], [0], 1, "max")), "scatter with mode 'max' takes"),
    ("concatenate", lambda s, t: s.concatenate([t.x, t.n], 0), "concatenate needs operands of one dtype"),
    ("dot", lambda s, t: s.dot_general(t.b, s.transpose(t.b, (1, 0)), MATMUL), "dot_general takes signed integer, unsigned integer, float and complex tensors, got bool"),
    ("alpha", lambda s, t: s.dot_general_into_accum(t.x, s.transpose(t.x, (1, 0)), MATMUL, DotGeneralAccumulation(alpha=1j), s.to_contiguous(s.slice(t.x, SliceConfig([0, 0], [2, 2])))), "numbers that fit their dtype float32, got 1j"),
    ("float beside int", lambda s, t: s.add(t.n, 1.5), "add takes tensors, and numbers that fit their dtype int32, got 1.5 of type float"),
    ("complex beside float", lambda s, t: s.add(t.x, 1j), "numbers that fit their dtype float32, got 1j of type complex"),
    ("int beside bool", lambda s, t: s.logical_or(t.b, 1), "logical_or takes bool beside bool tensors, got the int 1; use True or False"),
    ("numbers only", lambda s, t: s.add(1, 2), "add needs at least one tensor to take the dtype from, got only numbers"),
    ("an array", lambda s, t: s.add(t.x, f32([1])), "got a NumPy array of shape (1,); upload it with upload_host_tensor(Tensor.from_numpy(array))"),
    ("a NumPy float beside int", lambda s, t: s.add(t.n, np.float32(1.5)), "numbers that fit their dtype int32, got 1.5 of type float"),
    ("a NumPy date", lambda s, t: s.add(t.x, np.datetime64("2020-01-01")), "numbers that fit their dtype float32, got datetime.date(2020, 1, 1)"),
    ("a list", lambda s, t: s.neg([1.0]), "neg"),
    ("no dtype", lambda s, t: s.cast(t.x, None), "wgtensor has no dtype None; it has bool, int8"),
    ("a tensor as dtype", lambda s, t: s.cast(t.x, t.x), "wgtensor has no dtype Tensor(shape=(2, 3)"),
    ("unknown dtype", lambda s, t: s.cast(t.x, "float128"), "wgtensor has no dtype 'float128'; it has bool, int8"),
]  # fmt: skip


class Operands:
    """One tensor of each kind that the faults need."""

    def __init__(self, up: Callable[[Any], Tensor]) -> None:
        self.x = up(np.zeros((2, 3), np.float32))
        self.n = up(np.zeros((2, 3), np.int32))
        self.i = up(np.zeros(2, np.int32))
        self.z = up(np.zeros((0, 3), np.float32))
        self.c = up(np.zeros((2, 3), np.complex64))
        self.b = up(np.zeros((2, 3), np.bool_))


@pytest.mark.parametrize(("call", "text"), [row[1:] for row in SHAPE_FAULTS], ids=[row[0] for row in SHAPE_FAULTS])
def test_shapes_axes_and_configs(bench: Bench, call: Callable[..., Any], text: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(text)):
        call(bench.session, Operands(bench.up))


@pytest.mark.parametrize(("call", "text"), [row[1:] for row in CONFIG_FAULTS], ids=[row[0] for row in CONFIG_FAULTS])
def test_values_of_arguments(bench: Bench, call: Callable[..., Any], text: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(text)):
        call(bench.session, Operands(bench.up))


@pytest.mark.parametrize(("call", "text"), [row[1:] for row in KIND_FAULTS], ids=[row[0] for row in KIND_FAULTS])
def test_arguments_of_the_wrong_kind(bench: Bench, call: Callable[..., Any], text: str) -> None:
    with pytest.raises(DTypeError, match=re.escape(text)):
        call(bench.session, Operands(bench.up))


@pytest.mark.parametrize(("call", "text"), [row[1:] for row in DTYPE_FAULTS], ids=[row[0] for row in DTYPE_FAULTS])
def test_dtypes(bench: Bench, call: Callable[..., Any], text: str) -> None:
    with pytest.raises(DTypeError, match=re.escape(text)):
        call(bench.session, Operands(bench.up))


def test_numpy_integers_count_as_integers(bench: Bench) -> None:
    x, zero = np.arange(6, dtype=np.float32).reshape(2, 3), np.int64(0)
    session: Any = bench.session
    tensor = bench.up(x)
    np.testing.assert_array_equal(bench.down(session.argmax(tensor, np.uint8(0))), [1, 1, 1])
    np.testing.assert_array_equal(bench.down(session.reduce_sum(tensor, np.array([1]))), [3, 12])
    np.testing.assert_array_equal(bench.down(session.concatenate((tensor,), np.array(0))), x)
    np.testing.assert_array_equal(bench.down(session.tril(tensor, zero)), np.tril(x))
    np.testing.assert_array_equal(bench.down(session.transpose(tensor, np.array([1, 0]))), x.T)


NUMPY_NUMBERS = [
    (np.float32, np.float32(2.5)),
    (np.float32, np.float64(2.5)),
    (np.float32, np.int8(3)),
    (np.int32, np.uint8(3)),
    (np.complex64, np.complex128(1 + 2j)),
    (np.bool_, np.bool_(True)),
]


@pytest.mark.parametrize(("dtype", "number"), NUMPY_NUMBERS, ids=repr)
def test_numpy_numbers_count_as_numbers(bench: Bench, dtype: Any, number: Any) -> None:
    x = np.array([0, 1, 1], dtype)
    got = bench.down(bench.session.mul(bench.up(x), number))
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, x * dtype(number))


@pytest.mark.parametrize("k", [2**70, -(2**70)])
def test_a_diagonal_far_outside(bench: Bench, k: int) -> None:
    x = np.ones((2, 3), np.float32)
    kept, cut = (x, 0 * x) if k > 0 else (0 * x, x)
    np.testing.assert_array_equal(bench.down(bench.session.tril(bench.up(x), k)), kept)
    np.testing.assert_array_equal(bench.down(bench.session.triu(bench.up(x), k)), cut)


@pytest.mark.parametrize("value", [2**1024 - 1, 1 - 2**1024, 2**1024 - 2**970])
def test_an_int_that_rounds_beyond_floats(bench: Bench, value: int) -> None:
    for dtype in (np.float32, np.complex64):
        with pytest.raises(ValidationError, match=r"mul needs an int below 2\*\*1024"):
            bench.session.mul(bench.up(np.zeros(2, dtype)), value)


def test_prepared_operands_are_tensors(bench: Bench) -> None:
    side = TensorSignature(float32, (2, 2))
    prepared = bench.backend.prepare(DotGeneralPrepareRequest(MATMUL, side, side))
    with pytest.raises(DTypeError, match=r"Prepared\.run takes a Tensor, got None"):
        prepared.run(bench.session, None, None)


def test_ints_outside_the_dtype(bench: Bench) -> None:
    with pytest.raises(ValidationError, match="add needs an int within -128 to 127 beside int8, got 128"):
        bench.session.add(bench.up(np.zeros(2, np.int8)), 128)
    with pytest.raises(ValidationError, match=r"add needs an int below 2\*\*1024 beside float32"):
        bench.session.add(bench.up(np.zeros(2, np.float32)), 10**400)


JOB_FAULTS = [
    (
        [GroupedGemmJob(0, 0, 0, 2, 2, 2), GroupedGemmJob(3, 0, 0, 1, 1, 1)],
        "needs disjoint output ranges, got jobs 0 and 1 on element 3",
    ),
    ([GroupedGemmJob(0, 10, 0, 2, 2, 2)], "needs blocks within 0 to 12, got elements 10 to 14 for lhs of job 0"),
    ([GroupedGemmJob(0, 0, -1, 2, 2, 2)], "got elements -1 to 3 for rhs of job 0"),
    ([GroupedGemmJob(10, 0, 0, 2, 0, 2)], "got elements 10 to 14 for out of job 0"),
    ([GroupedGemmJob(0, 0, 0, -1, 2, 2)], "needs sizes of 0 or more, got job 0"),
    (
        [GroupedGemmJob(0, 0, 0, 2, 3, 2, lhs_leading=2)],
        "needs a leading dimension of 3 or more, got 2 for lhs of job 0",
    ),
]


@pytest.mark.parametrize(("jobs", "text"), JOB_FAULTS)
def test_grouped_gemm_checks_every_job_before_it_writes(bench: Bench, jobs: list[GroupedGemmJob], text: str) -> None:
    lhs, rhs, out = (bench.up(np.ones(12, np.float32)) for _ in range(3))
    good = GroupedGemmJob(4, 0, 0, 1, 1, 1)
    with pytest.raises(ValidationError, match=re.escape(text)):
        bench.session.grouped_gemm(lhs, rhs, [*jobs, good], DotGeneralAccumulation(beta=1), out)
    np.testing.assert_array_equal(bench.down(out), np.ones(12))


def test_host_tensors_are_refused_until_uploaded(bench: Bench) -> None:
    host, there = Tensor.from_numpy(f32([1, 2])), bench.up(f32([1, 2]))
    text = r"add needs tensors of this session's device, got a host tensor of shape \(2,\); upload it with upload_host_tensor"
    for operands in ((host, host), (host, there), (there, host)):
        with pytest.raises(RuntimeStateError, match=text):
            bench.session.add(*operands)


def test_tensors_of_another_runtime_are_refused(bench: Bench, fresh_backend: Any) -> None:
    mine, foreign = bench.up(f32([1])), fresh_backend.upload_host_tensor(Tensor.from_numpy(f32([1])))
    text = r"mul needs tensors of <AllocationDomain .*, got operand 1 of <AllocationDomain .*; move it with download"
    with pytest.raises(ForeignDomainError, match=text):
        bench.session.mul(mine, foreign)
    with pytest.raises(ForeignDomainError, match="transpose"):
        bench.session.transpose(foreign, (0,))


def test_shapes_come_before_dtypes_and_dtypes_before_residency(bench: Bench) -> None:
    host = Tensor.from_numpy(np.zeros((2, 3), np.float32))
    with pytest.raises(ValidationError):
        bench.session.transpose(host, (0, 0))
    with pytest.raises(ValidationError):
        bench.session.add(host, Tensor.from_numpy(np.zeros(2, np.int32)))
    with pytest.raises(DTypeError):
        bench.session.add(host, Tensor.from_numpy(np.zeros((2, 3), np.int32)))
    with pytest.raises(RuntimeStateError):
        bench.session.add(host, host)


def test_config_faults_come_before_faults_of_index_dtypes(bench: Bench) -> None:
    x, starts = bench.up(np.zeros((2, 3), np.float32)), bench.up(np.zeros(2, np.float32))
    with pytest.raises(ValidationError):
        bench.session.gather(x, starts, GatherConfig([1], [0], [0], 1, [1, 9]))


def test_a_failing_check_moves_nothing_and_leaves_the_session_usable(bench: Bench) -> None:
    counters = bench.backend.runtime.counters
    operands = Operands(bench.up)
    bench.backend.synchronize()
    before = counters.dispatches, counters.bytes_up, counters.bytes_down, counters.submits
    for _, call, _ in DTYPE_FAULTS[:12]:
        with pytest.raises(DTypeError):
            call(bench.session, operands)
    bench.backend.synchronize()
    assert (counters.dispatches, counters.bytes_up, counters.bytes_down, counters.submits) == before
    np.testing.assert_array_equal(bench.down(bench.session.add(operands.x, 1)), np.ones((2, 3)))


def test_a_closed_runtime_is_lost_for_good(fresh_backend: Any, make_backend: Callable[[], Any]) -> None:
    x = fresh_backend.upload_host_tensor(Tensor.from_numpy(f32([1])))
    with fresh_backend.session() as session:
        fresh_backend.runtime.close()
        for _ in range(2):
            with pytest.raises(DeviceLostError):
                session.add(x, x)
        with pytest.raises(ValidationError):
            session.transpose(x, (1,))
    with pytest.raises(DeviceLostError):
        fresh_backend.upload_host_tensor(Tensor.from_numpy(f32([1])))
    with pytest.raises(DeviceLostError):
        fresh_backend.download_to_host(x)
    with pytest.raises(DeviceLostError):
        fresh_backend.synchronize()
    assert make_backend().upload_host_tensor(Tensor.from_numpy(f32([1]))).shape == (1,)


BUILTINS = {
    "ValidationError": ValueError, "DTypeError": TypeError, "UnsupportedError": NotImplementedError,
    "RuntimeStateError": RuntimeError, "ForeignDomainError": errors.RuntimeStateError,
    "SessionEntryError": errors.RuntimeStateError, "DeviceLostError": errors.RuntimeStateError,
    "AdapterNotFoundError": errors.RuntimeStateError, "BackendSourceError": RuntimeError,
    "DeviceOutOfMemoryError": MemoryError, "PrepareError": RuntimeError, "ExchangeError": BufferError,
    "AxisError": IndexError, "IndexRuleError": IndexError, "VerificationError": AssertionError,
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(set(errors.__all__) - {"WgTensorError"}))
def test_each_error_is_the_builtin_that_a_caller_would_catch(name: str) -> None:
    assert issubclass(getattr(errors, name), (WgTensorError))
    assert issubclass(getattr(errors, name), BUILTINS[name])
