"""The set-up scripts, on a machine made of stand-ins: a path of few tools, and a Python that only notes its calls."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = ("scripts/setup.sh", "scripts/run", "scripts/test", ".ci/run")
WITHOUT_VENV = 'case "$2" in *%d*) echo 3.11 ;; esac\n'
"""A Python that tells its version, 3.11."""

TOOLS = ("bash", "cat", "cksum", "dirname", "id", "mkdir", "rm")


class Machine:
    """A machine without apt: tools are links to the real ones, all else is a stand-in that notes its calls."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.venv = folder / "venv"
        self.log = folder / "calls"
        self.bin.mkdir()
        self.log.touch()
        for tool in TOOLS:
            found = shutil.which(tool)
            assert found is not None, f"this test needs {tool}"
            (self.bin / tool).symlink_to(found)

    def stand_in(self, path: Path, body: str = "") -> None:
        """Make a command that notes its arguments and then runs ``body``."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#!{self.bin}/bash\necho "{path.name} $*" >>{self.log}\n{body}\n', encoding="utf-8")
        path.chmod(0o755)

    def made_venv(self, *, adapter: bool) -> None:
        """Make a virtual environment whose Python says whether there is an adapter."""
        code = 0 if adapter else 1
        noted = f'[ "$1" = - ] && exit {code}\necho "threads $LP_NUM_THREADS, $XDG_RUNTIME_DIR" >>{self.log}'
        noted += f'\necho "driver ${{VK_DRIVER_FILES:-any}}, checked ${{WGTENSOR_CHECKED:-0}}" >>{self.log}'
        self.stand_in(self.venv / "bin" / "python", f"{noted}\nexit 0")
        self.stand_in(self.venv / "bin" / "wgtensor")

    def apt(self, *, has_package: bool) -> None:
        """Make an apt that downloads an empty package of Chromium, or none, and the tools that open it."""
        for tool in ("mv", "touch"):
            (self.bin / tool).symlink_to(str(shutil.which(tool)))
        made = "touch chromium-common_1.deb" if has_package else "exit 1"
        self.stand_in(self.bin / "apt-get", f'case "$*" in *download*) {made} ;; esac')
        self.stand_in(self.bin / "env", 'shift; exec "$@"')
        self.stand_in(self.bin / "sudo", 'shift; exec "$@"')
        self.stand_in(self.bin / "dpkg-deb")
        self.stand_in(self.bin / "tar", "touch libvk_swiftshader.so vk_swiftshader_icd.json")

    def bash(self, command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run bash with nothing but this machine in its environment."""
        return subprocess.run(
            ["bash", "-c", command],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            env={"PATH": str(self.bin), "WGTENSOR_VENV": str(self.venv), **environment},
        )

    @property
    def calls(self) -> list[str]:
        return self.log.read_text(encoding="utf-8").splitlines()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize("script", SCRIPTS)
def test_syntax(script: str) -> None:
    subprocess.run(["bash", "-n", ROOT / script], check=True)


@pytest.mark.parametrize("script", SCRIPTS[1:])
def test_scripts_can_be_started(script: str) -> None:
    assert os.access(ROOT / script, os.X_OK)


def test_old_python_is_refused(machine: Machine) -> None:
    machine.stand_in(machine.bin / "python3", '[ "$1" = --version ] && echo Python 3.9.2 && exit\nexit 1')
    done = machine.bash("source scripts/setup.sh; find_python")
    assert done.returncode == 1
    assert done.stderr == "wgtensor needs Python 3.11 or newer, found Python 3.9.2; install it and run this again.\n"


def test_newer_python_beside_an_old_one(machine: Machine) -> None:
    machine.stand_in(machine.bin / "python3", "exit 1")
    machine.stand_in(machine.bin / "python3.12")
    assert machine.bash("source scripts/setup.sh; find_python").stdout == f"{machine.bin}/python3.12\n"


def test_virtualenv_where_venv_is_missing(machine: Machine) -> None:
    machine.stand_in(machine.bin / "python3", WITHOUT_VENV + '[ "$2" != venv ]')
    done = machine.bash("source scripts/setup.sh; make_venv")
    assert done.returncode == 0
    assert done.stderr == "python3.11-venv is missing, trying virtualenv.\n"
    assert machine.calls[-1] == f"python3 -m virtualenv --quiet {machine.venv}"


def test_no_way_to_make_a_virtual_environment(machine: Machine) -> None:
    machine.stand_in(machine.bin / "python3", WITHOUT_VENV + '[ "$1" = -c ]')
    done = machine.bash("source scripts/setup.sh; ensure_package")
    assert done.returncode == 1
    assert done.stderr.endswith("install python3.11-venv, or pip, and run this again.\n")


def test_package_is_installed_once(machine: Machine) -> None:
    machine.made_venv(adapter=True)
    for _ in range(2):
        assert machine.bash("source scripts/setup.sh; ensure_package test").returncode == 0
    installs = [call for call in machine.calls if "pip install" in call]
    assert len(installs) == 1
    assert installs[0].endswith(f"--editable {ROOT}[test]")


def test_package_is_installed_again_after_a_change(machine: Machine) -> None:
    machine.made_venv(adapter=True)
    (machine.venv / "installed-core").write_text("another pyproject.toml", encoding="utf-8")
    assert machine.bash("source scripts/setup.sh; ensure_package").returncode == 0
    assert sum("pip install" in call for call in machine.calls) == 1


def test_failed_installation_is_not_remembered(machine: Machine) -> None:
    machine.stand_in(machine.venv / "bin" / "python", "exit 1")
    assert machine.bash("source scripts/setup.sh; ensure_package").returncode == 1
    assert not (machine.venv / "installed-core").exists()


def test_run_takes_the_adapter(machine: Machine) -> None:
    machine.made_venv(adapter=True)
    done = machine.bash("bash scripts/run")
    assert done.returncode == 0
    assert machine.calls[-1].startswith(f"wgtensor contract {ROOT}/examples/networks/")
    assert machine.calls[-1].endswith(" --device webgpu --verify")
    assert done.stdout.startswith("Next: source ")


def test_run_without_adapter_apt_or_root_says_so(machine: Machine) -> None:
    machine.made_venv(adapter=False)
    done = machine.bash("bash scripts/run")
    assert done.returncode == 0
    assert machine.calls[-1].endswith(" --device cpu --verify")
    assert "No adapter found, and no apt or no root to install libvulkan1 mesa-vulkan-drivers with." in done.stderr
    assert "Going on with the reference backend" in done.stderr


def test_driver_is_installed_where_apt_is_usable(machine: Machine) -> None:
    machine.made_venv(adapter=False)
    machine.stand_in(machine.bin / "apt-get")
    machine.stand_in(machine.bin / "env", 'shift; exec "$@"')
    machine.stand_in(machine.bin / "sudo", 'shift; exec "$@"')
    machine.bash("bash scripts/run")
    wanted = "apt-get -qq install --no-install-recommends libvulkan1 mesa-vulkan-drivers"
    assert machine.calls.index("apt-get -qq update") < machine.calls.index(wanted)


def test_run_fails_where_a_network_does(machine: Machine) -> None:
    machine.made_venv(adapter=True)
    machine.stand_in(machine.venv / "bin" / "wgtensor", "exit 1")
    assert machine.bash("bash scripts/run").returncode == 1


def test_tests_fail_without_adapter(machine: Machine) -> None:
    machine.made_venv(adapter=False)
    done = machine.bash("bash scripts/test")
    assert done.returncode == 1
    assert done.stderr.endswith("WGTENSOR_TEST_CPU_ONLY=1 tests the reference backend alone.\n")
    assert machine.calls[-1] == "wgtensor info"


@pytest.mark.parametrize(("adapter", "environment"), [(True, {}), (False, {"WGTENSOR_TEST_CPU_ONLY": "1"})])
def test_tests_run_with_the_settings_of_small_tensors(
    machine: Machine, adapter: bool, environment: dict[str, str]
) -> None:
    machine.made_venv(adapter=adapter)
    assert machine.bash("bash scripts/test -k einsum", **environment).returncode == 0
    assert machine.calls[-3:] == [
        "python -m pytest -q -k einsum",
        f"threads 0, {machine.venv}/runtime",
        "driver any, checked 0",
    ]
    assert sum(call.startswith("python -m pytest") for call in machine.calls) == 1


def test_the_stages_of_the_tests(machine: Machine) -> None:
    machine.made_venv(adapter=True)
    machine.apt(has_package=True)
    done = machine.bash("bash scripts/test")
    assert done.returncode == 0
    drivers = [call for call in machine.calls if call.startswith("driver ")]
    icd = machine.venv / "swiftshader" / "vk_swiftshader_icd.json"
    assert drivers[-3:] == ["driver any, checked 0", f"driver {icd}, checked 0", "driver any, checked 1"]
    assert done.stderr.count(" s\n") == len(drivers[-3:])


def test_a_failing_stage_ends_the_tests(machine: Machine) -> None:
    machine.made_venv(adapter=True)
    machine.apt(has_package=True)
    machine.stand_in(machine.venv / "bin" / "python", '[ "$2" != pytest ] || [ -z "$VK_DRIVER_FILES" ]')
    assert machine.bash("bash scripts/test").returncode == 1
    assert sum(call.startswith("python -m pytest") for call in machine.calls) == 2


def test_swiftshader_is_fetched_once(machine: Machine) -> None:
    machine.apt(has_package=True)
    for _ in range(2):
        assert machine.bash("source scripts/setup.sh; ensure_swiftshader").returncode == 0
    downloads = [call for call in machine.calls if "download" in call]
    assert len(downloads) == 1
    assert downloads[0].endswith("download chromium-common")
    assert not any("install" in call for call in machine.calls)
    kept = sorted(each.name for each in (machine.venv / "swiftshader").iterdir())
    assert kept == ["libvk_swiftshader.so", "vk_swiftshader_icd.json"]


def test_swiftshader_is_looked_for_again_after_a_new_list(machine: Machine) -> None:
    machine.apt(has_package=False)
    assert machine.bash("source scripts/setup.sh; ensure_swiftshader").returncode == 1
    apt = [call.split()[-1] for call in machine.calls if call.startswith("apt-get")]
    assert apt == ["chromium-common", "update", "chromium-common"]
    assert not list(machine.venv.iterdir())


def test_tests_without_apt_say_that_swiftshader_is_missing(machine: Machine) -> None:
    machine.made_venv(adapter=True)
    done = machine.bash("bash scripts/test")
    assert done.returncode == 0
    assert "SwiftShader cannot be had: it is taken from Debian's package chromium-common" in done.stderr
    assert "The tests run on the other adapter alone.\n" in done.stderr
    assert sum(call.startswith("python -m pytest") for call in machine.calls) == 2


@pytest.mark.parametrize(("value", "code"), [("1", 1), ("", 0)])
def test_swiftshader_is_required_on_request(machine: Machine, value: str, code: int) -> None:
    machine.made_venv(adapter=True)
    assert machine.bash("bash scripts/test", WGTENSOR_TEST_SWIFTSHADER=value).returncode == code
