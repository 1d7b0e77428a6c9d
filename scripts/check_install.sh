#!/bin/sh
# Installs what is built in BUILD into folders of its own, uses it as others would, and removes it again:
# the command, its import helper, and the C program of the README by pkg-config. DEBUG and SANITIZE are
# as make has them: with either one it is not small; with the second programs bring the runtime.
set -eu
build=${BUILD:-build}
top=$(mktemp -d "${TMPDIR:-/tmp}/marrow-install-XXXXXX")
trap 'rm -rf "$top"' EXIT
cd "$(dirname "$0")/.."
fail() {
    echo "check_install: $*" >&2
    exit 1
}
make_it() {
    # The loader of this machine has nothing to do with it.
    make --no-print-directory BUILD="$build" TELL_LOADER=: "$@" >"$top/log" 2>&1 || {
        cat "$top/log" >&2
        fail "make $* failed"
    }
}
listing() {
    (cd "$1" && find . | LC_ALL=C sort)
}

# The program between ```c and ``` of the README's part about the library.
sed -n '/^## A library program/,/^## /p' README.md | sed -n '/^```c$/,/^```$/p' | sed '/^```/d' \
    >"$top/program.c"
grep -q 'int main' "$top/program.c" || fail "the README has no program"

try() { # PREFIX LIBDIR DESTDIR
    root=$3$1
    rm -rf "$top/usr" "$top/dest"
    mkdir -p "$top/work" "${3:-$root/share}"
    [ -n "$3" ] || touch "$root/share/somebody_elses"
    listing "${3:-$root}" >"$top/before"
    mkdir -p "$root/include/marrow"
    touch "$root/include/marrow/of_an_earlier_version.h"
    mkdir -p "$root/share/man/man1"
    touch "$root/share/man/man1/marrow-earlier.1"
    make_it all PREFIX="$1"
    (umask 077 && make_it install PREFIX="$1" LIBDIR="$2" DESTDIR="$3")
    [ "$(stat -c %a "$3$2/pkgconfig/marrow.pc")" = 644 ] || fail "marrow.pc can't be read by all"
    for file in "$root/bin/marrow" "$3$2/libmarrow.so.1" "$3$2/pkgconfig/marrow.pc"; do
        [ -f "$file" ] || fail "$file is missing"
    done
    [ -n "$3" ] || use "$1" "$2"
    [ ! -e "$root/include/marrow/of_an_earlier_version.h" ] || fail "headers of an earlier version stay"
    [ ! -e "$root/share/man/man1/marrow-earlier.1" ] || fail "manual pages of an earlier version stay"
    for page in man1/marrow.1 man1/marrow-render.1 man7/marrow-clips.7; do
        ! command -v lowdown >/dev/null || [ -f "$root/share/man/$page" ] || fail "$page is missing"
    done
    size=$(du -sk "$root" | cut -f1)
    [ -n "${DEBUG:-}${SANITIZE:-}" ] || [ "$size" -lt 24000 ] || fail "$size kB are installed: not stripped"
    make_it uninstall PREFIX="$1" LIBDIR="$2" DESTDIR="$3"
    listing "${3:-$root}" >"$top/after"
    diff "$top/before" "$top/after" >&2 || fail "uninstall does not leave what was there"
}

use() { # PREFIX LIBDIR
    PKG_CONFIG_PATH="$2/pkgconfig"
    export PKG_CONFIG_PATH
    # shellcheck disable=SC2046
    ${CC:-cc} ${SANITIZE:+-fsanitize="$SANITIZE"} "$top/program.c" $(pkg-config --cflags --libs marrow) -o "$top/program" ||
        fail "the README's program does not compile"
    (cd "$top/work" && LD_LIBRARY_PATH="$2" "$top/program" && [ -s frame.png ]) ||
        fail "the README's program does not run"
    env -u MARROW_IMPORTER "$1/bin/marrow" info assets/figure.dae >/dev/null ||
        fail "the installed command finds no import helper"
}

# Folders that were made for it go with it, as far up as they are empty.
mkdir -p "$top/a/b/c/lib/pkgconfig" "$top/a/b/c/bin"
scripts/remove_empty.sh "" "$top/a/b/c/lib/pkgconfig/" "$top/a/b/c/bin" "$top/a/b/c/include/marrow"
[ ! -e "$top/a" ] && [ -e "$top/program.c" ] || fail "remove_empty leaves folders"

# What is told of the loader, which may know a folder by another name: /lib is a link to /usr/lib.
mkdir -p "$top/fake" "$top/lib/x"
ln -s lib/x "$top/link"
touch "$top/lib/x/libmarrow.so.1"
printf '#!/bin/sh\necho 0\n' >"$top/fake/id"
printf '#!/bin/sh\n[ "$*" != -p ] || echo "	libmarrow.so.1 (libc6,x86-64) => %s/link/libmarrow.so.1"\n' "$top" \
    >"$top/fake/ldconfig"
chmod +x "$top/fake/id" "$top/fake/ldconfig"
tell() {
    PATH="$top/fake:$PATH" scripts/tell_loader.sh "$1"
}
[ -z "$(tell "$top/lib/x")" ] && [ -z "$(tell "$top/lib/x/")" ] || fail "the loader looks in a folder, but: $(tell "$top/lib/x")"
tell "$top/lib" | grep -q "does not look in $top/lib" || fail "nothing is told of a folder that the loader does not know"

# A machine that only builds has neither python3 nor lowdown.
mkdir "$top/few"
ln -s /usr/bin/* "$top/few"
rm -f "$top/few"/python3* "$top/few/lowdown"
PATH=$top/few make --no-print-directory BUILD="$build" man >"$top/log" 2>&1 &&
    grep -q "no manual pages" "$top/log" || fail "make man fails without python3: $(cat "$top/log")"

try "$top/usr" "$top/usr/lib" ""
try "$top/usr" "$top/usr/lib/x86_64-linux-gnu" ""
try /opt/marrow /opt/marrow/lib/x86_64-linux-gnu "$top/dest"
echo "check_install: installed, used and removed three times"
