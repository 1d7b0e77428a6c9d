#!/bin/sh
# Makes the Debian packages twice, which gives the same bytes, asks lintian, and uses them in a clean
# Debian 12 as its users would: installs them by apt, draws, imports, compiles, and purges them, after
# which nothing is left. Needs root, for chroot. The clean system is kept in BUILD/roots.
# shellcheck disable=SC2016 # formats of apt-get and dpkg-query
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
export BUILD
base=$BUILD/roots/bookworm
root=$BUILD/roots/used
top=$(mktemp -d "${TMPDIR:-/tmp}/marrow-deb-XXXXXX")

leave() {
    ! mountpoint -q "$root/proc" || umount "$root/proc"
    # Never through something that is still mounted.
    rm -rf --one-file-system "$top" "$root"
}
trap leave EXIT
trap 'exit 1' HUP INT TERM
fail() {
    echo "check_deb: $*" >&2
    exit 1
}
began=$(date +%s)
step() {
    now=$(date +%s)
    [ -z "${name:-}" ] || echo "check_deb: $name: $((now - began)) s"
    name=$1 began=$now
}
quietly() { # COMMAND...
    "$@" >"$top/log" 2>&1 || {
        cat "$top/log" >&2
        fail "$* failed"
    }
}
inside() { # COMMAND...
    env -u MARROW_IMPORTER DEBIAN_FRONTEND=noninteractive LC_ALL=C HOME=/root \
        PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$root" "$@"
}
# All files but those of the package managers themselves, of their caches and logs.
listing() {
    (cd "$root" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./var/lib/dpkg \
        -o -path ./var/lib/apt -o -path ./var/cache/apt -o -path ./var/cache/debconf -o -path ./var/log \
        \) -prune -o -print | LC_ALL=C sort)
}

[ "$(id -u)" = 0 ] || fail "only root can install into a folder: run it as root"
command -v lintian >/dev/null || fail "there is no lintian; scripts/setup.sh deb installs it"

step "two builds"
quietly scripts/make_deb.sh
(cd "$BUILD/deb" && sha256sum -- *.deb) >"$top/first"
(umask 077 && TZ=Asia/Tokyo LC_ALL=C.UTF-8 quietly scripts/make_deb.sh)
(cd "$BUILD/deb" && sha256sum -- *.deb) >"$top/second"
diff "$top/first" "$top/second" >&2 || fail "two builds differ"
[ "$(wc -l <"$top/first")" = 4 ] || fail "there are not four packages"

step "lintian"
quietly lintian --allow-root --fail-on error,warning "$BUILD"/deb/*.deb

step "a clean Debian 12"
scripts/make_root.sh bookworm "$base"
rm -rf --one-file-system "$root"
cp -a "$base" "$root"
[ ! -f /etc/resolv.conf ] || cp -L /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
mkdir "$root/packages" "$root/work"
cp "$BUILD"/deb/*.deb "$root/packages"
cp assets/figure.dae assets/figure.png "$root/work"
quietly inside apt-get update
listing >"$top/before"
inside dpkg-query -W -f '${Package}\n' | sort >"$top/packages"

install_packages() {
    quietly inside apt-get install -y --no-install-recommends "$@"
    # What is downloaded is kept for the next run.
    cp -n "$root"/var/cache/apt/archives/*.deb "$base/var/cache/apt/archives/" 2>/dev/null || :
}
in_work() { # SHELL COMMANDS
    quietly inside sh -ec "cd /work; $1"
}
version=$(sed -n 's/#define MRW_VERSION "\(.*\)"/\1/p' include/marrow/base.h)
deb() { # PACKAGE
    (cd "$root/packages" && echo "/packages/$(echo "$1"_*.deb)")
}

step "the command"
install_packages "$(deb marrow)" man-db
inside marrow --version | grep -qx "marrow $version" || fail "marrow --version prints $(inside marrow --version)"
in_work 'marrow doctor'
in_work 'marrow render demo:figure -o still.png; [ -s still.png ]'
in_work 'marrow render figure.dae -o imported.png; [ -s imported.png ]'
in_work 'man -w marrow; man -w marrow-render; man -w marrow-clips; man marrow >page; [ -s page ]; grep -q "^NAME" page; grep -qw render page'
quietly "$BUILD/marrow" render demo:figure -o "$top/still.png"
cmp "$top/still.png" "$root/work/still.png" || fail "the installed command draws other pixels"

step "the library"
install_packages "$(deb libmarrow1)" "$(deb libmarrow-dev)" "$(deb marrow-doc)" gcc libc6-dev make pkg-config
inside ldconfig -p | grep -q 'libmarrow\.so\.1 ' || fail "the loader does not know libmarrow.so.1"
in_work 'cp -r /usr/share/doc/marrow/examples .; make -s -C examples; ./examples/program; [ -s frame.png ]
    rm frame.png; ./examples/program figure.dae; [ -s frame.png ]'

step "the static library"
# What libmarrow-dev recommends, and no more.
recommended=$(inside dpkg-query -W -f '${Recommends}' libmarrow-dev | tr -d ,)
# shellcheck disable=SC2086
install_packages $recommended
in_work 'rm frame.png; make -s -C examples clean; make -s -C examples STATIC=1; ./examples/program; [ -s frame.png ]'
inside ldd /work/examples/program | grep -q 'libcjson' || fail "the static program is not what it should be"
! inside ldd /work/examples/program | grep -q 'libmarrow' || fail "the static program needs libmarrow.so.1"

step "purged"
quietly inside apt-get purge -y marrow libmarrow1 libmarrow-dev marrow-doc
inside dpkg-query -L marrow >/dev/null 2>&1 && fail "apt has not removed marrow"
# (man keeps pages that were looked at, until its own package goes.)
left=$(cd "$root" && find . -xdev \( -path ./proc -o -path ./packages -o -path ./work -o -path ./var/cache/man \
    \) -prune -o -name '*marrow*' -print)
[ -z "$left" ] || fail "these are left: $left"
# The packages of Debian that came with ours go, too.
inside dpkg-query -W -f '${Package}\n' | sort | comm -13 "$top/packages" - >"$top/came"
# shellcheck disable=SC2046
quietly inside apt-get purge -y $(cat "$top/came")
find "$root/work" -mindepth 1 -delete
cp assets/figure.dae assets/figure.png "$root/work"
listing >"$top/after"
diff "$top/before" "$top/after" >&2 || fail "something is left"
step "done"
echo "check_deb: built twice, installed, used and purged"
