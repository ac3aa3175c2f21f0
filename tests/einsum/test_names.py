"""``wgtensor.einsum`` is the function and a package at once, whichever is imported first."""

from __future__ import annotations

import subprocess
import sys

import pytest

USES = {
    "attribute": "import wgtensor; assert callable(wgtensor.einsum)",
    "name": "from wgtensor import einsum; assert callable(einsum)",
    "package": "from wgtensor.einsum import plan_einsum, einsum; assert callable(einsum)",
    "module": "import wgtensor.einsum; assert callable(wgtensor.einsum)",
    "submodule": "import wgtensor.einsum.plan; assert callable(wgtensor.einsum)",
}


@pytest.mark.parametrize("first", USES)
def test_any_import_order(first: str) -> None:
    others = [USES[name] for name in USES if name != first]
    lines = [USES[first], *others, *others[::-1], "import sys", "assert not {'wgpu', 'opt_einsum'} & set(sys.modules)"]
    subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True, timeout=60)
