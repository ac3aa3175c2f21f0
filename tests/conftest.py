"""What all tests share: how examples are drawn; and without an adapter, suites that are left out on request."""

import os

from hypothesis import settings

__all__ = ["collect_ignore"]

collect_ignore = ["engine", "kernels", "webgpu"] if os.environ.get("WGTENSOR_TEST_CPU_ONLY") == "1" else []

# The same examples in every run, however long a busy machine takes for one.
settings.register_profile("suite", derandomize=True, database=None, deadline=None)
settings.load_profile("suite")
