"""What all tests share: without an adapter, the suites of the WebGPU backend are left out on request."""

import os

__all__ = ["collect_ignore"]

_ON_AN_ADAPTER = ["engine", "kernels", "webgpu", "verify/test_session.py", "cli/test_selftest.py"]

collect_ignore = _ON_AN_ADAPTER if os.environ.get("WGTENSOR_TEST_CPU_ONLY") == "1" else []
