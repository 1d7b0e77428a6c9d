#!/bin/sh
# Installs the Debian packages that are missing, and does nothing when all are there.
#
#   scripts/setup.sh          what building and the demo need
#   scripts/setup.sh check    also what `make check` needs
#   scripts/setup.sh ci       also what .ci/run needs (the other compiler, sanitizers, readers)
#   scripts/setup.sh static   also what `make static` needs (static-arm64: for arm64)
#   scripts/setup.sh arm64    also a cross compiler and qemu for `make same-arm64`
#   scripts/setup.sh deb      also what `make deb-check` needs
#   GL=1 scripts/setup.sh ... also what `make GL=1` needs
#
# As root, or through sudo when that asks for no password; otherwise it prints the one line to run
# and stops. DEPS=off skips all of it.
set -eu

[ "${DEPS:-}" = off ] && exit 0

build="gcc g++ libc6-dev make libcjson-dev libdeflate-dev libcglm-dev libstb-dev libmeshoptimizer-dev
       libassimp-dev libdraco-dev libseccomp-dev libinih-dev libopenexr-dev libgif-dev libwebp-dev
       libqoi-dev libjpeg62-turbo-dev libzstd-dev libutf8proc-dev"
check="check pkg-config python3 clang-format libpng-dev lowdown mandoc groff"
ci="ccache clang lld libomp-dev libclang-rt-dev locales chromium chromium-driver ffmpeg openexr
    openimageio-tools gifsicle giflib-tools webp cmake bash-completion fish zsh
    python3-yaml curl wget xz-utils"
arm64="gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user libcjson-dev:arm64 libdeflate-dev:arm64
       libmeshoptimizer-dev:arm64 libinih-dev:arm64 libopenexr-3-1-30:arm64 check:arm64
       libsubunit-dev:arm64 libgomp1:arm64 libdraco-dev:arm64 libgif-dev:arm64
       libwebp-dev:arm64 libjpeg62-turbo-dev:arm64 libzstd-dev:arm64 libutf8proc-dev:arm64"
deb="debhelper dpkg-dev lintian debootstrap lowdown pkg-config python3"

static="dpkg-dev xz-utils zlib1g-dev"

# Where node is not Debian's it has npm with it, and is in conflict with Debian's.
command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 || ci="$ci nodejs npm"

case "${1:-build}" in
build) wanted=$build ;;
check) wanted="$build $check" ;;
ci) wanted="$build $check $ci" ;;
arm64) wanted="$build $check $arm64" ;;
static) wanted="$build $static" ;;
static-arm64) wanted="$build $static $arm64 zlib1g-dev:arm64 libassimp-dev:arm64 libseccomp-dev:arm64" ;;
deb) wanted="$build $deb" ;;
*)
    echo "setup.sh: '$1' is none of build, check, ci, static, static-arm64, arm64, deb" >&2
    exit 2
    ;;
esac
[ -z "${GL:-}" ] || wanted="$wanted libglfw3-dev libepoxy-dev libegl-dev libgl1-mesa-dri"
case "${GL:+gl}-${1:-build}" in
gl-check | gl-ci) wanted="$wanted xvfb xdotool" ;;
esac

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "setup.sh: this is no Debian system; install the equivalents of: $wanted" >&2
    exit 0
fi

# Names of versions that Debian's unversioned packages stand for.
resolve() {
    case "$1" in
    libclang-rt-dev) echo libclang-rt-14-dev ;;
    libomp-dev) echo libomp-14-dev ;;
    *) echo "$1" ;;
    esac
}

installed() {
    dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'
}

missing=
for package in $wanted; do
    name=$(resolve "$package")
    installed "$name" || missing="$missing $name"
done

# CI proves that numbers are read alike where the comma is the decimal point.
comma=
case "${1:-}" in
ci) locale -a 2>/dev/null | grep -qi '^de_DE.utf-\?8$' || comma="localedef -i de_DE -f UTF-8 de_DE.UTF-8" ;;
esac
[ -z "$missing$comma" ] && exit 0

foreign=
case "$missing" in
*:arm64*) dpkg --print-foreign-architectures | grep -qx arm64 || foreign="dpkg --add-architecture arm64 && " ;;
esac
line="${foreign}apt-get update && apt-get install -y --no-install-recommends$missing"
[ -n "$missing" ] || line=true
[ -z "$comma" ] || line="$line && $comma"

if [ "$(id -u)" -eq 0 ]; then
    run=sh
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    run="sudo -n sh"
else
    echo "setup.sh: packages are missing; run this as root, then try again:" >&2
    echo "    $line" >&2
    exit 1
fi
echo "setup.sh: installing$missing${comma:+${missing:+ and} the locale de_DE.UTF-8}" >&2
DEBIAN_FRONTEND=noninteractive
export DEBIAN_FRONTEND
if ! $run -c "$line" >/dev/null </dev/null; then
    echo "setup.sh: installing failed; try it by hand:" >&2
    echo "    $line" >&2
    exit 1
fi
