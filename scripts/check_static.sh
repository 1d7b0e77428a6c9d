#!/bin/sh
# Tries the static command, $STATIC/marrow, against the one in $BUILD: size, links, the same pixels in a
# folder that holds nothing else, and all goldens. $RUN stands before the command where an emulator runs
# it; then the empty folder is left out, since the emulator is not in it.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
static=$(cd "$build/static" && pwd)/marrow
top=$(mktemp -d "${TMPDIR:-/tmp}/marrow-static-XXXXXX")
trap 'rm -rf "$top"' EXIT
fail() {
    echo "check_static: $*" >&2
    exit 1
}

size=$(stat -c %s "$static")
packed=$(xz -9e -c "$static" | wc -c)
[ "$size" -le 8300000 ] || fail "the command has $size bytes, more than 8,300,000"
[ "$packed" -le 3290000 ] || fail "the command has $packed bytes as xz, more than 3,290,000"
! readelf -lW "$static" | grep -q 'INTERP\|DYNAMIC' || fail "the command is not linked statically"

if [ -z "${RUN:-}" ]; then
    mkdir "$top/root"
    cp "$static" "$top/root/marrow"
    as_root=
    [ "$(id -u)" -eq 0 ] || as_root="unshare --map-root-user"
    in_root() {
        $as_root chroot "$top/root" /marrow "$@"
    }
    in_root doctor >"$top/doctor" 2>&1 || { cat "$top/doctor" >&2; fail "doctor fails in an empty root"; }
    grep -q '^This machine agrees' "$top/doctor" || fail "doctor does not agree in an empty root"
    in_root render demo:figure --clip Walk --count 3 --size 160x120 -o '{frame}.png' >"$top/log" 2>&1 || {
        cat "$top/log" >&2
        fail "it draws nothing in an empty root"
    }
    "$build/marrow" render demo:figure --clip Walk --count 3 --size 160x120 -o "$top/{frame}.png" >"$top/log"
    count=0
    for file in "$top"/*.png; do
        cmp "$file" "$top/root/${file##*/}" || fail "${file##*/} differs from the dynamic command's"
        count=$((count + 1))
    done
    [ "$count" -eq 3 ] || fail "$count pictures instead of 3"
    in_root info missing.glb >"$top/log" 2>&1 && fail "a missing file is no error"
    [ "$(wc -l <"$top/log")" -eq 1 ] || fail "a missing file is not one line: $(cat "$top/log")"
fi

MARROW_IMPORTER=${MARROW_IMPORTER:-$(cd "$build" && pwd)/marrow-import}
export MARROW_IMPORTER
# shellcheck disable=SC2086
${RUN:-} "$static" test golden --out "$top/results" >"$top/log" 2>&1 || {
    tail -n 20 "$top/log" >&2
    fail "the goldens fail"
}
echo "check_static: $size bytes, $packed as xz; $(tail -n 1 "$top/log")"
