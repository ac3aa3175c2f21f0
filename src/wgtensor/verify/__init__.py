"""The finder of wrong operations: each operation's result is compared with the reference backend's.

With ``WGTENSOR_VERIFY=1`` the sessions of ``wgtensor.webgpu``, and so arrays, check every operation as they run it; see
:class:`wgtensor.verify.session.VerifyingSession`. ``wgtensor selftest`` measures results in the same way.
"""

from __future__ import annotations

from typing import Any, Final

from wgtensor.contract.session_types import offer_session_type

__all__ = ["VARIABLE", "offer_verification"]

VARIABLE: Final = "WGTENSOR_VERIFY"
"""The environment variable that asks for verifying sessions with ``1``."""


def offer_verification() -> None:
    """Let :data:`VARIABLE` choose verifying sessions; loads none."""
    offer_session_type(VARIABLE, _verifying_session)


def _verifying_session() -> type[Any]:
    from wgtensor.verify.session import VerifyingSession  # noqa: PLC0415 - only where it is asked for

    return VerifyingSession
