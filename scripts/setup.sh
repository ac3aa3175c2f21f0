# shellcheck shell=bash
# Set-up shared by scripts/run, scripts/test, scripts/docs and .ci/run: a virtual environment that holds wgtensor, and
# an adapter where one can be had. Source it; it defines functions, and ROOT and VENV. Everything is safe to repeat and
# quick when there is nothing to do.

set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
VENV=${WGTENSOR_VENV:-$ROOT/.venv}
DRIVER_PACKAGES=(libvulkan1 mesa-vulkan-drivers)

say() { printf '%s\n' "$*" >&2; }

# The newest of the interpreters that are new enough.
find_python() {
    local name
    for name in python3 python3.14 python3.13 python3.12 python3.11; do
        if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$name"
            return
        fi
    done
    say "wgtensor needs Python 3.11 or newer, found $(python3 --version 2>/dev/null || echo none); install it and run this again."
    return 1
}

# Runs a command as root, or fails where that would need a password.
as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

apt_usable() {
    command -v apt-get >/dev/null && { [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; }
}

apt_install() {
    say "Installing $* with apt."
    as_root apt-get -qq update >/dev/null &&
        as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends "$@" >/dev/null
}

# Debian and Ubuntu keep python3-venv in a package of its own; virtualenv does without it.
make_venv() {
    local python version
    python=$(find_python)
    "$python" -m venv "$VENV" >/dev/null 2>&1 && return
    rm -rf "$VENV"
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    if apt_usable && apt_install "python$version-venv" && "$python" -m venv "$VENV"; then
        return
    fi
    say "python$version-venv is missing, trying virtualenv."
    if "$python" -m pip install --quiet --target "$VENV.bootstrap" virtualenv &&
        PYTHONPATH=$VENV.bootstrap "$python" -m virtualenv --quiet "$VENV"; then
        rm -rf "$VENV.bootstrap"
        return
    fi
    rm -rf "$VENV" "$VENV.bootstrap"
    say "Cannot make a virtual environment: install python$version-venv, or pip, and run this again."
    return 1
}

# ensure_package [EXTRA]: installs wgtensor with an extra, unless that was done for this pyproject.toml already.
ensure_package() {
    local extra=${1:-} stamp wanted
    stamp=$VENV/installed-${extra:-core}
    wanted="$ROOT $(cksum <"$ROOT/pyproject.toml")"
    [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ] && return
    [ -x "$VENV/bin/python" ] || make_venv
    say "Installing wgtensor${extra:+ with its $extra tools} into ${VENV#"$ROOT"/}."
    "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check --editable "$ROOT${extra:+[$extra]}"
    printf '%s' "$wanted" >"$stamp"
}

has_adapter() {
    "$VENV/bin/python" - <<'PYTHON'
import sys
from wgtensor.webgpu.adapters import list_adapters
sys.exit(not any(row.verdict == "taken" for row in list_adapters()))
PYTHON
}

# Succeeds if there is an adapter, after installing a software Vulkan driver where that is needed and possible.
ensure_adapter() {
    has_adapter && return
    if ! apt_usable; then
        say "No adapter found, and no apt or no root to install ${DRIVER_PACKAGES[*]} with."
        return 1
    fi
    apt_install "${DRIVER_PACKAGES[@]}" || say "apt could not install ${DRIVER_PACKAGES[*]}."
    has_adapter
}
