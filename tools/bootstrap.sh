#!/bin/sh
# Prepare this machine:  bootstrap.sh run   for the program,
#                        bootstrap.sh test  for its tests and linters as well.
# Installs what is missing into .venv and, if allowed, with apt; a second call does nothing.
set -eu
cd "$(dirname "$0")/.."

profile=${1:-run}

# Names of packages of Debian and Ubuntu. Importing ImGui needs libX11 and libXext;
# GLFW loads the other X libraries when it opens a window.
packages="libegl1 libopengl0 libgl1 libglx-mesa0 libgl1-mesa-dri
    libx11-6 libxext6 libxrandr2 libxinerama1 libxcursor1 libxi6"
elsewhere="EGL, OpenGL and GLX (libglvnd with Mesa or NVIDIA's driver), libX11, Xext, Xrandr, Xinerama, Xcursor and Xi"
if [ "$profile" = test ]; then
    packages="$packages xvfb xauth xdotool g++"
    elsewhere="$elsewhere; for the tests Xvfb, xauth, xdotool and g++"
fi

say() {
    printf 'wheatstone: %s\n' "$*" >&2
}

has() {
    command -v "$1" >/dev/null 2>&1
}

# Print those of the named Debian packages that are not installed.
missing_of() {
    installed=$(dpkg-query -W -f ' ${Package}=${db:Status-Status} ' "$@" 2>/dev/null || true)
    for package; do
        case "$installed" in
            *" $package=installed "*) ;;
            *) printf ' %s' "$package" ;;
        esac
    done
}

# Print the command that runs another command as root; fail if there is none. If sudo needs a password, the
# user is asked once, and only on a terminal before the first installation.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        echo env
    elif has sudo && sudo -n true 2>/dev/null; then
        echo "sudo -n env"
    elif has sudo && [ -t 0 ] && [ -z "$installed_before" ]; then
        printf 'Install them now with sudo? [Y/n] ' >&2
        read -r answer || answer=n
        case $answer in [Nn]*) return 1 ;; esac
        echo "sudo env"
    else
        return 1
    fi
}

# Print the disk space that packages need according to apt, such as "229 MB"; nothing if apt does not know it.
apt_size() {
    LC_ALL=C apt-get --assume-no -o Debug::NoLocking=1 --no-install-recommends install "$@" 2>/dev/null |
        sed -n 's/^After this operation, \(.*\) of additional disk space.*/\1/p'
}

# Install the named Debian packages that are missing, or print the command that installs them.
ensure_packages() {
    missing=$(missing_of "$@")
    [ -n "$missing" ] || return 0
    line="apt-get install --no-install-recommends$missing"
    if [ "$(id -u)" -ne 0 ]; then
        if has sudo; then line="sudo $line"; else line="su - -c '$line'"; fi
    fi
    # shellcheck disable=SC2086
    size=$(apt_size $missing)
    say "missing, to be installed with apt${size:+ ($size)}:$missing"
    if ! root=$(as_root); then
        say "only root may install them. Run:  $line"
        return 1
    fi
    # A new machine may be installing updates: wait until they are complete.
    apt="$root DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300"
    install="$apt install -y --no-install-recommends$missing"
    # Fetch the package lists if they are missing or out of date; the output of apt shows the progress.
    # shellcheck disable=SC2086
    if ! { [ -n "$size" ] && $install >&2; } && ! { $apt update >&2 && $install >&2; }; then
        say "apt or sudo failed. Once it works, run:  $line"
        return 1
    fi
    from_apt=", and ${size:-more} with apt"
}

find_python() {
    for python in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
        if "$python" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$python"
            return
        fi
    done
    return 1
}

# Print the extra for this machine's NVIDIA driver: cuda, cuda13 or none.
cuda_extra() {
    driver=0 cuda=0 oldest=99
    if smi=$(PATH="$PATH:/usr/lib/wsl/lib" nvidia-smi 2>/dev/null); then
        cuda=$(echo "$smi" | sed -n 's/.*CUDA [A-Z ]*Version: *\([0-9]*\).*/\1/p' | head -n 1)
        oldest=$(PATH="$PATH:/usr/lib/wsl/lib" nvidia-smi --query-gpu=compute_cap --format=csv,noheader |
            tr -cd '0-9\n' | sort -n | head -n 1)
    elif [ -r /proc/driver/nvidia/version ]; then
        driver=$(sed -n 's/^NVRM.*  *\([0-9][0-9]*\)\.[0-9.]*  *.*/\1/p' /proc/driver/nvidia/version)
    fi
    # CUDA 13 needs driver 580 and compiles for compute capability 7.5 and newer only.
    if { [ "${cuda:-0}" -ge 13 ] || [ "${driver:-0}" -ge 580 ]; } && [ "${oldest:-99}" -ge 75 ]; then
        echo cuda13
    elif [ "${cuda:-0}" -ge 12 ] || [ "${driver:-0}" -ge 525 ]; then
        echo cuda
    else
        echo none
    fi
}

installed_before=$(cat ".venv/.installed-$profile" 2>/dev/null || true) from_apt=""

# The system packages to install: libraries, and Python if it is missing.
wanted="$packages"
if ! find_python >/dev/null; then
    python=python3
    # Ubuntu 22.04: its python3 is 3.10, but it has a newer one.
    if python3 -c 'import sys; sys.exit(sys.version_info >= (3, 11))' 2>/dev/null; then python=python3.11; fi
    wanted="$python $python-venv $wanted"
fi
# The report's page is tested in Chromium, which is large; elsewhere those tests are skipped.
if [ "$profile" = test ] && [ -n "${CI:-}" ] && ! has chromium; then wanted="$wanted chromium"; fi
# Continue if this fails: OpenGL may be installed in another way, and wheatstone reports what is missing.
if has apt-get; then
    # shellcheck disable=SC2086
    ensure_packages $wanted || true
fi
if ! python=$(find_python); then
    say "Python 3.11 or newer is needed, with its venv and ensurepip modules; python3 here is" \
        "$(python3 --version 2>/dev/null || echo missing). To use another one, name it: make run PYTHON=python3.12"
    exit 1
fi

cuda=$(cuda_extra)
case $profile-$cuda in
    run-none) extras="[all]" fewer="" ;;
    run-*) extras="[all,$cuda]" fewer="[$cuda]" ;;
    test-none) extras="[test,dev,docs,release,nvrtc]" fewer="[test,dev,nvrtc]" ;;
    test-*) extras="[test,dev,docs,release,$cuda]" fewer="[test,dev,$cuda]" ;;
    *)
        say "bootstrap.sh takes 'run' or 'test' (got '$profile')"
        exit 1
        ;;
esac

# Create the virtual environment if it is missing, broken, or for another version of CUDA.
if ! .venv/bin/python -m pip --version >/dev/null 2>&1 ||
    [ "$(cat .venv/.cuda-extra 2>/dev/null || echo "$cuda")" != "$cuda" ]; then
    say "making .venv with $("$python" --version)"
    "$python" -m venv --clear .venv
fi

# The stamp of a complete installation: extras and checksum of their declaration. A second call compares it.
wanted="$extras $(cksum <pyproject.toml)"
if [ "$installed_before" != "$wanted" ]; then
    case $cuda in
        none) say "no NVIDIA driver of CUDA 12 or newer found: everything runs on the CPU" ;;
        *) say "NVIDIA driver found: installing the extra '$cuda'" ;;
    esac
    has apt-get || say "not a Debian or Ubuntu system; make sure that it has: $elsewhere"
    say "installing Python packages into .venv; the first time this takes minutes"
    pip_install() {
        sh tools/announced.sh "installing Python packages" .venv/bin/python -m pip install --editable ".$1"
    }
    if ! pip_install "$extras"; then
        say "not every extra can be installed here; installing the program without them"
        pip_install "$fewer"
    fi
    say "installed: $(du -sh .venv | cut -f1) in .venv$from_apt"
    [ "$profile" = test ] || say "the command is .venv/bin/wheatstone; 'make install' links it into ~/.local/bin"
    echo "$cuda" >.venv/.cuda-extra
    echo "$wanted" >".venv/.installed-$profile"
fi
