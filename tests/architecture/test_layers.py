"""The architecture as tests: imports go down only, every module lists its names, wgpu stays in one place."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from pathlib import Path

import pytest

import wgtensor

ROOT = Path(wgtensor.__file__).parent
LAYERS = [
    *("errors", "tensor", "rules", "contract", "backends", "verify", "selftest"),
    *("einsum", "networks", "array", "cli"),
]
"""From the bottom up."""
BACKENDS = {"cpu", "webgpu"}
MODULES = sorted(
    info.name for info in pkgutil.walk_packages([str(ROOT)], "wgtensor.") if not info.name.endswith("__main__")
)


def layer_of(module: str) -> int:
    """Return the height of a module's layer."""
    top = module.split(".")[1]
    return LAYERS.index("backends" if top in BACKENDS else "array" if top == "interop" else top)


def imports_of(module: str) -> set[str]:
    """Return the modules that a module imports anywhere but under TYPE_CHECKING."""
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    typing_only = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.dump(block.test)
        for node in ast.walk(block)
    }
    found: set[str] = set()
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return found


@pytest.mark.parametrize("module", MODULES)
def test_imports_go_down(module: str) -> None:
    for imported in imports_of(module):
        if not imported.startswith("wgtensor."):
            continue
        assert layer_of(imported) <= layer_of(module), f"{module} imports {imported}"
        tops = {module.split(".")[1], imported.split(".")[1]}
        assert tops != BACKENDS, f"{module} imports the other backend"


@pytest.mark.parametrize("module", MODULES)
def test_only_the_engine_imports_wgpu(module: str) -> None:
    allowed = module.startswith("wgtensor.webgpu.engine") or module == "wgtensor.webgpu.adapters"
    uses = any(name.split(".")[0] == "wgpu" for name in imports_of(module))
    assert allowed or not uses


@pytest.mark.parametrize("module", ["wgtensor", *MODULES])
def test_all_lists_what_a_module_defines(module: str) -> None:
    """``__all__`` is sorted by ruff; here: it exists, it is true, and no public definition is missing."""
    loaded = importlib.import_module(module)
    names = loaded.__all__
    assert len(set(names)) == len(names)
    assert all(hasattr(loaded, name) for name in names)
    public = {
        name
        for name, value in vars(loaded).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module and hasattr(value, "__qualname__")
    }
    assert public <= set(names)
