"""The error tree of wgtensor.

Every error has one base, and each is also the builtin that a caller would catch::

    WgTensorError(Exception)
    ├── ValidationError(ValueError)          shapes, axes, configs, sizes
    │   └── AxisError(IndexError)            an axis that an array does not have
    ├── ExchangeError(BufferError)           memory that cannot be shared with, or taken from, another library
    ├── DTypeError(TypeError)                dtypes that do not fit an operation
    ├── IndexRuleError(IndexError)           keys that do not fit an array
    ├── UnsupportedError(NotImplementedError)  what this backend or adapter cannot do
    ├── RuntimeStateError(RuntimeError)      the request is right, the state is not
    │   ├── ForeignDomainError               a tensor of another runtime
    │   ├── SessionEntryError                a closed or a nested session
    │   ├── DeviceLostError                  the device is gone; sticky
    │   └── AdapterNotFoundError             no adapter that could be used
    ├── BackendSourceError(RuntimeError)     the driver or wgpu failed; has a ``__cause__``
    ├── DeviceOutOfMemoryError(MemoryError)  the byte budget or the device's memory is spent
    ├── PrepareError(RuntimeError)           a preparation request that cannot be answered
    └── VerificationError(AssertionError)    a result that the reference backend does not agree with

Messages say, in this order: the operation, the rule, what it got, the way out.
"""

__all__ = [
    "AdapterNotFoundError",
    "AxisError",
    "BackendSourceError",
    "DTypeError",
    "DeviceLostError",
    "DeviceOutOfMemoryError",
    "ExchangeError",
    "ForeignDomainError",
    "IndexRuleError",
    "PrepareError",
    "RuntimeStateError",
    "SessionEntryError",
    "UnsupportedError",
    "ValidationError",
    "VerificationError",
    "WgTensorError",
]


class WgTensorError(Exception):
    """Base of every error that wgtensor raises on purpose."""


class ValidationError(WgTensorError, ValueError):
    """A shape, axis, config or size breaks the operation's rule."""


class AxisError(ValidationError, IndexError):
    """An array has no such axis; also an IndexError, as NumPy's is."""


class ExchangeError(WgTensorError, BufferError):
    """Memory cannot be shared with, or taken from, another library in the way that was asked for."""


class DTypeError(WgTensorError, TypeError):
    """An operand's dtype does not fit the operation."""


class IndexRuleError(WgTensorError, IndexError):
    """A key of ``x[key]`` does not fit the array: too many indices, an int out of range, a type that is no index."""


class UnsupportedError(WgTensorError, NotImplementedError):
    """This backend, adapter or version does not do what was asked for; nothing was done."""


class RuntimeStateError(WgTensorError, RuntimeError):
    """The request is well formed, but an object is in the wrong state or place."""


class ForeignDomainError(RuntimeStateError):
    """A tensor belongs to another runtime's allocation domain."""


class SessionEntryError(RuntimeStateError):
    """A session was used after it closed, or entered inside another one."""


class DeviceLostError(RuntimeStateError):
    """The device is lost. Sticky: every later call on that runtime raises it too."""


class AdapterNotFoundError(RuntimeStateError):
    """No adapter could be used; the text says what was tried and what to install."""


class BackendSourceError(WgTensorError, RuntimeError):
    """The driver or wgpu failed while initialising, flushing or synchronising; see ``__cause__``."""


class DeviceOutOfMemoryError(WgTensorError, MemoryError):
    """An allocation exceeds the byte budget, or the driver refused it; the next call works."""


class PrepareError(WgTensorError, RuntimeError):
    """A preparation request cannot be answered."""


class VerificationError(WgTensorError, AssertionError):
    """A result differs from the reference backend's beyond the operation's bound (``WGTENSOR_VERIFY=1``)."""
