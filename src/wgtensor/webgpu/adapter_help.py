"""What to say when no adapter can be used: what was looked for, what to install, how to go on without."""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["no_adapter_message"]

LOADERS = {"linux": "libvulkan.so.1", "win32": "vulkan-1.dll"}
"""The Vulkan loader by platform; macOS has Metal and needs none."""

ICD_FOLDERS = ("/etc/vulkan/icd.d", "/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d")

CHOICES = ("WGTENSOR_ADAPTER", "WGPU_BACKEND_TYPE")
"""Variables that restrict which adapters are taken."""

INSTALL = {
    "apt-get": "sudo apt-get install -y libvulkan1 mesa-vulkan-drivers",
    "dnf": "sudo dnf install -y vulkan-loader mesa-vulkan-drivers",
    "pacman": "sudo pacman -S vulkan-icd-loader vulkan-swrast",
    "zypper": "sudo zypper install libvulkan1 libvulkan_lvp",
    "apk": "apk add vulkan-loader mesa-vulkan-swrast",
}
"""The command that brings a Vulkan driver (at least the software one), by package manager."""


def no_adapter_message(refused: Sequence[str] = ()) -> str:
    """Return the text of an ``AdapterNotFoundError``.

    Parameters
    ----------
    refused
        The adapters that were found and refused, one line each with the reason.
    """
    lines = [
        f"no WebGPU adapter can be used on this machine ({platform.system()} {platform.machine()}).",
        "Looked for:",
        *(f"  - refused {line}" for line in refused),
        *(f"  - {line}" for line in _found_facts()),
        "Next:",
        *(f"  - {line}" for line in _next_steps(refused)),
        "To go on without a GPU: wgtensor.cpu.CpuBackend() in Python, --device cpu on the command line.",
    ]
    return "\n".join(lines)


def _found_facts() -> list[str]:
    """Return what there is on this machine of a GPU driver, one line each."""
    facts = []
    loader = LOADERS.get(sys.platform)
    if loader:
        facts.append(f"Vulkan loader {loader}: {'found' if _loads(loader) else 'not found'}")
    if sys.platform == "linux":
        facts.append(_driver_files())
        facts.append(f"/dev/dri: {_listed('/dev/dri')}; NVIDIA device: {_listed('/dev/nvidiactl')}")
    places = [name for name, here in _PLACES.items() if here()]
    if places:
        facts.append(f"inside {' and '.join(places)}")
    return facts


def _next_steps(refused: Sequence[str] = ()) -> list[str]:
    """Return what to run or to change, most likely first; variables that ``refused`` adapters blame come before all."""
    steps = [
        f"unset {variable} (set to {os.environ[variable]!r}), which excludes adapters that are there"
        for variable in CHOICES
        if variable in os.environ and any(variable in line for line in refused)
    ]
    nvidia, contained = Path("/dev/nvidiactl").exists(), _in_container()
    if os.environ.get("VK_DRIVER_FILES") or os.environ.get("VK_ICD_FILENAMES"):
        steps.append("unset VK_DRIVER_FILES and VK_ICD_FILENAMES, which hide the installed drivers")
    if contained and nvidia:
        steps.append("start the container with -e NVIDIA_DRIVER_CAPABILITIES=compute,utility,graphics")
    elif contained and not Path("/dev/dri").exists():
        steps.append("for an AMD or Intel GPU, start the container with --device /dev/dri")
    if nvidia and _in_colab():
        steps.append("install libnvidia-gl-<version> with the driver version that nvidia-smi prints")
    if _in_wsl():
        steps.append("set WGTENSOR_NONCOMPLIANT=1 if Mesa's Dozen driver (dzn) is installed: it is hidden otherwise")
    return [*steps, _install_step()]


def _install_step() -> str:
    """Return the command or the advice that brings an adapter to this operating system."""
    if sys.platform == "darwin":
        return "python -m pip install --force-reinstall wgpu (macOS has Metal; only the library can be missing)"
    if sys.platform == "win32":
        return "install the GPU vendor's driver, or all Windows updates for the software adapter (WARP)"
    for manager, command in INSTALL.items():
        if shutil.which(manager):
            return command if shutil.which("sudo") else command.removeprefix("sudo ")
    return "install a Vulkan driver: your GPU vendor's, or Mesa's lavapipe for the CPU"


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _driver_files() -> str:
    asked = os.environ.get("VK_DRIVER_FILES") or os.environ.get("VK_ICD_FILENAMES")
    if asked:
        missing = [path for path in asked.split(os.pathsep) if not Path(path).exists()]
        return f"Vulkan drivers: set to {asked}" + (f", of which {len(missing)} missing" if missing else "")
    names = [path.stem for folder in ICD_FOLDERS for path in sorted(Path(folder).glob("*.json"))]
    return f"Vulkan drivers: {', '.join(names) or 'none installed'}"


def _listed(path: str) -> str:
    return "present" if Path(path).exists() else "absent"


def _in_wsl() -> bool:
    return "microsoft" in platform.release().lower()


def _in_container() -> bool:
    return Path("/.dockerenv").exists() or Path("/run/.containerenv").exists() or "container" in os.environ


def _in_colab() -> bool:
    return "COLAB_RELEASE_TAG" in os.environ


_PLACES = {"WSL": _in_wsl, "a container": _in_container, "Colab": _in_colab}
"""Surroundings that often hide a GPU."""
