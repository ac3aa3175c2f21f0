"""What all tests share: without an adapter, the suites of the WebGPU backend are left out on request."""

import os

__all__ = ["collect_ignore"]

collect_ignore = ["engine", "kernels", "webgpu"] if os.environ.get("WGTENSOR_TEST_CPU_ONLY") == "1" else []
