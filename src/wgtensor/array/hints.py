"""What to write for the names of NumPy and PyTorch that the standard, and so wgtensor, does not have.

Only failing look-ups come here. They stay an AttributeError, so ``hasattr`` says False, and the text gives the way out.
"""

from __future__ import annotations

from typing import Final

__all__ = ["missing_function", "missing_method"]

_RENAMED: Final = {
    "absolute": "abs",
    "amax": "max",
    "amin": "min",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "array": "asarray",
    "ascontiguousarray": "asarray",
    "bitwise_not": "bitwise_invert",
    "cat": "concat",
    "concatenate": "concat",
    "conjugate": "conj",
    "cumprod": "cumulative_prod",
    "cumsum": "cumulative_sum",
    "fabs": "abs",
    "identity": "eye",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "mod": "remainder",
    "mm": "matmul",
    "permute": "permute_dims",
    "power": "pow",
    "right_shift": "bitwise_right_shift",
    "rint": "round",
    "tensor": "asarray",
    "true_divide": "divide",
    "unique": "unique_values",
    "unsqueeze": "expand_dims",
}
"""The standard's name of a function."""

_ADVICE: Final = {
    "allclose": "wt.all(wt.abs(x - y) <= atol + rtol * wt.abs(y))",
    "average": "wt.sum(x * weights) / wt.sum(weights)",
    "cpu": "device='cpu'",
    "cuda": "device='webgpu'",
    "dot": "wt.matmul, or wt.vecdot for vectors",
    "dstack": "wt.stack or wt.concat",
    "fft": "np.fft of x.to_numpy(), since there is no fft yet",
    "hstack": "wt.concat with axis=1, or axis=0 for vectors",
    "inner": "wt.vecdot, or wt.tensordot",
    "isclose": "wt.abs(x - y) <= atol + rtol * wt.abs(y)",
    "linalg": "np.linalg of x.to_numpy(), since there is no linalg yet; wt.matmul and wt.einsum are here",
    "median": "wt.sort, and take the middle",
    "norm": "wt.sqrt(wt.sum(x * x))",
    "outer": "x[:, None] * y",
    "ptp": "wt.max(x) - wt.min(x)",
    "rand": "wt.asarray(np.random.default_rng().random(shape, dtype=np.float32))",
    "randn": "wt.asarray(np.random.default_rng().standard_normal(shape, dtype=np.float32))",
    "random": "wt.asarray of what np.random.default_rng() gives, since there is no random yet",
    "ravel": "wt.reshape(x, (-1,))",
    "swapaxes": "wt.permute_dims with the two axes exchanged",
    "vstack": "wt.concat with axis=0, or wt.stack for vectors",
    "webgpu": "device='webgpu'",
}
"""What to write for a function that is none."""

_INSTEAD: Final = {
    "backward": "the derivative yourself, since there is no autograd",
    "bool": "x.astype(wt.bool)",
    "clone": "wt.asarray(x, copy=True)",
    "contiguous": "x itself: operations take any layout",
    "copy": "wt.asarray(x, copy=True)",
    "cpu": "x.to_device('cpu'), or x.to_numpy()",
    "cuda": "x.to_device('webgpu')",
    "detach": "x itself, since there is no autograd",
    "dim": "x.ndim",
    "double": "x.astype(wt.float64)",
    "fill": "x[...] = value",
    "flatten": "x.reshape(-1)",
    "float": "x.astype(wt.float32)",
    "get": "x.to_numpy()",
    "half": "x.astype(wt.float16)",
    "int": "x.astype(wt.int32)",
    "long": "x.astype(wt.int64)",
    "numel": "x.size",
    "numpy": "x.to_numpy()",
    "permute": "x.transpose(axes)",
    "ravel": "x.reshape(-1)",
    "t": "x.T",
    "to": "x.to_device(device), or x.astype(dtype)",
    "type": "x.astype(dtype)",
    "view": "x.reshape(shape), or x.astype(dtype)",
}
"""What to write for a method."""

_FUNCTION_NAMES: Final = (
    "abs acos acosh all any argmax argmin argsort asin asinh atan atan2 atanh ceil clip concat conj cos cosh "
    "count_nonzero cumulative_prod cumulative_sum diff exp expand_dims expm1 flip floor imag isfinite isinf isnan log "
    "log10 log1p log2 matmul max maximum mean min minimum moveaxis nonzero pow prod real reciprocal repeat roll round "
    "searchsorted sign sin sinh sort sqrt square squeeze std sum take tan tanh tensordot tile tril triu trunc "
    "unique_values var"
)
"""Functions of arrays, that other libraries have as methods too."""

_FUNCTIONS: Final = frozenset(_FUNCTION_NAMES.split())


def missing_function(name: str) -> AttributeError:
    """Return the error of the package for a name that it does not have."""
    advice = _ADVICE.get(name) or (f"wt.{_RENAMED[name]}" if name in _RENAMED else "")
    if advice:
        return AttributeError(f"module 'wgtensor' has no {name!r}; write {advice}")
    return AttributeError(f"module 'wgtensor' has no attribute {name!r}")


def missing_method(name: str) -> AttributeError:
    """Return the error of an array for a name that it does not have."""
    function = _RENAMED.get(name, name)
    advice = _INSTEAD.get(name) or (f"wt.{function}(x)" if function in _FUNCTIONS else _ADVICE.get(name, ""))
    if advice:
        return AttributeError(f"an Array has no {name!r}; write {advice}")
    return AttributeError(f"'Array' object has no attribute {name!r}")
