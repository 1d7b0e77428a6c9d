#!/bin/sh
# Walks through everything that is handed out, as those who get it would, and prints the seconds of
# each step.
#
#     scripts/check_dist.sh          the part for each run of CI: at most a minute
#     scripts/check_dist.sh --all    the files that `make dist` has made, as root: clean roots of Debian
#                                    11 and 12, arm64, Debian packages, a second build elsewhere
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
export BUILD
version=$(sed -n 's/#define MRW_VERSION "\(.*\)"/\1/p' include/marrow/base.h)
machine=$(uname -m)
dist=$BUILD/dist-check
[ "${1:-}" != --all ] || dist=$BUILD/dist
tarball=$dist/marrow-$version-linux-$machine.tar.xz
top=$(mktemp -d "${TMPDIR:-/tmp}/marrow-dist-XXXXXX")
trap 'rm -rf "$top"' EXIT
name=
step() {
    [ -z "$name" ] || printf 'check_dist: %s: %s s\n' "$name" $(($(date +%s) - began))
    name=$1 began=$(date +%s)
}

if [ "${1:-}" = --all ]; then
    step "the sums of all files"
    (cd "$dist" && sha256sum --quiet -c "marrow-$version-SHA256SUMS") || {
        echo "check_dist: run make dist first" >&2
        exit 1
    }
fi
if [ "${1:-}" = --all ]; then
    step "the tarball, in an empty root, Debian 11 and 12"
    make "$BUILD/tests/fake_importer"
    TARBALL=$tarball scripts/check_tarball.sh
else
    step "the tarball, packed in a hurry, in an empty root"
    ROOTS=empty make tarball-check PRESET=0 PACKED="$dist"
    (cd "$dist" && sha256sum -- *.tar.xz >"marrow-$version-SHA256SUMS")
fi
step "the static command: size, an empty root, all goldens; install.sh; the GitHub action; the Containerfiles"
make static
RELEASE=$tarball MARROW_STATIC=$BUILD/static/marrow make -j2 --output-sync=target install-sh-check static-check \
    action-check container-check

if [ "${1:-}" = --all ]; then
    step "install.sh as it is handed out"
    PREFIX=$top/prefix sh "$dist/install.sh" "$tarball"
    cmp "$top/prefix/bin/marrow" "$BUILD/static/marrow"
    step "the same bytes from another folder"
    git clone -q . "$top/another" 2>/dev/null
    (cd "$top/another" && unset BUILD && CCACHE_DISABLE=1 make -j"$(nproc)" tarball >"$top/log" 2>&1) || {
        tail -n 20 "$top/log" >&2
        exit 1
    }
    cmp "$tarball" "$top/another/build/dist/${tarball##*/}"
    step "arm64, under qemu: all goldens by the command of the tarball"
    make static-check-arm64
    tar -xJf "$dist/marrow-$version-linux-aarch64.tar.xz" -C "$top"
    cmp "$top/marrow-$version-linux-aarch64/bin/marrow" build-arm64/static/marrow
    step "the Debian packages, in a clean Debian 12"
    make deb-check
    for package in "$dist"/*.deb; do
        cmp "$package" "$BUILD/deb/${package##*/}"
    done
fi
step ""
