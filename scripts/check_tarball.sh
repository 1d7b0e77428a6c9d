#!/bin/sh
# Tries the tarball in folders and roots that have never seen this project: an empty one, Debian 11 and
# Debian 12. $TARBALL names it; $BUILD has the command whose pictures it must draw. Needs root, for
# chroot(8). One that is packed in a hurry (PRESET below 9) may have any size. ROOTS="empty" leaves out
# the roots that debootstrap makes (two minutes each, once).
set -eu
cd "$(dirname "$0")/.."
build=$(cd "${BUILD:-build}" && pwd)
tarball=$TARBALL
roots=${ROOTS:-empty bullseye bookworm}
name=$(basename "$tarball" .tar.xz)
top=$(mktemp -d "${TMPDIR:-/tmp}/marrow-tarball-XXXXXX")
used=
clean() {
    rm -rf "$top"
    [ -z "$used" ] || rm -rf "$used$place" "$used/in" "$used/out"
}
trap clean EXIT
fail() {
    echo "check_tarball: $*" >&2
    exit 1
}
[ "$(id -u)" -eq 0 ] || fail "chroot needs root"

size=$(stat -c %s "$tarball")
[ "$size" -le 10000000 ] || [ "${PRESET:-9}" -lt 9 ] || fail "it has $size bytes, more than 10,000,000"
mkdir "$top/a folder"
tar -C "$top/a folder" -xJf "$tarball"
there="$top/a folder/$name"
(cd "$there" && sha256sum --quiet -c SHA256SUMS) || fail "SHA256SUMS is wrong"
listed=$(wc -l <"$there/SHA256SUMS")
found=$(find "$there" -type f ! -name SHA256SUMS | wc -l)
[ "$listed" -eq "$found" ] || fail "SHA256SUMS lists $listed of $found files"
[ -z "$(find "$there" ! -type l -perm /022)" ] || fail "others may write to some of its files"
[ "$(tar -tvJf "$tarball" | awk '{print $2, $4}' | sort -u | wc -l)" -eq 1 ] || fail "owners or dates differ"
for page in man1/marrow.1 man1/marrow-render.1 man7/marrow-clips.7; do
    [ -f "$there/share/man/$page" ] || fail "it has no $page"
done
for package in libassimp5 libc6 libstdc++6 libzstd-dev "Apache License"; do
    grep -q "$package" "$there/share/doc/marrow/LICENSES.txt" || fail "LICENSES.txt lacks $package"
done

models="assets/figure.glb assets/figure.dae assets/draco/*.glb"
mkdir "$top/in" "$top/expected"
# shellcheck disable=SC2086
cp $models "$top/in"
for model in "$top/in"/*; do
    MARROW_IMPORTER=$build/marrow-import "$build/marrow" render "$model" --size 96x72 --aa 2 -q \
        -o "$top/expected/${model##*/}.png"
done

# The README's program, linked to the library of the tarball.
scripts/examples.sh "$top/examples"
PKG_CONFIG_PATH="$there/lib/pkgconfig"
export PKG_CONFIG_PATH
eval "${CC:-cc} '$top/examples/program.c' $(pkg-config --cflags --libs marrow) -o '$top/program'" ||
    fail "the README's program does not compile"

# As user 65534, who may write to /out alone; without /proc, and in an empty root without /tmp and /dev.
run() {
    chroot --userspec=65534:65534 "$root" "$@"
}
try_root() {
    marrow="$place/$name/bin/marrow"
    run "$marrow" --version >/dev/null &&
        run "$marrow" doctor >"$top/doctor" || return 1
    for model in "$top/in"/*; do
        run "$marrow" render "/in/${model##*/}" --size 96x72 --aa 2 -o "/out/${model##*/}.png" -q || return 1
    done
    [ "$kind" != bookworm ] ||
        run sh -c "cd /out && LD_LIBRARY_PATH='$place/$name/lib' exec '$place/$name/program'" >/dev/null
}
for kind in $roots; do
    if [ "$kind" = empty ]; then
        root=$top/root
        mkdir "$root"
    else
        scripts/make_root.sh "$kind" "$build/roots/$kind"
        root=$build/roots/$kind
        used=$root
    fi
    # A list of folders, such as LD_LIBRARY_PATH, can hold no colon; the command has no such list.
    place="/a folder"
    [ "$kind" = bookworm ] || place='/a:b; $ORIGIN'
    rm -rf "$root$place" "$root/in" "$root/out"
    cp -a "$top/a folder" "$root$place"
    cp "$top/program" "$root$place/$name/program"
    mkdir "$root/in" "$root/out"
    chmod 777 "$root/out"
    cp "$top/in"/* "$root/in"
    begun=$(date +%s)
    try_root || fail "it does not work in $kind"
    for file in "$top/expected"/*.png; do
        cmp "$file" "$root/out/${file##*/}" || fail "$kind: ${file##*/} differs from this build's"
    done
    grep -q 'works, confined by seccomp' "$top/doctor" || fail "$kind: the importer is not confined"
    [ -z "$used" ] || rm -rf "$used$place" "$used/in" "$used/out"
    used=
    echo "check_tarball: $kind: $(($(date +%s) - begun)) s"
done

# Without its helper, or with one of another version: status 77 for other formats; glTF still draws.
mv "$there/libexec/marrow/marrow-import" "$top/helper"
try_helper() { # EXPECTED
    status=0
    "$there/bin/marrow" render "$model" -q -o "$top/x.png" >"$top/log" 2>&1 || status=$?
    [ "$status" -eq 77 ] || fail "$1: status $status instead of 77"
    [ "$(wc -l <"$top/log")" -eq 1 ] && grep -q "$1" "$top/log" || fail "$1: $(cat "$top/log")"
    [ ! -e "$top/x.png" ] || fail "$1: a picture is left"
    "$there/bin/marrow" render "$top/in/figure.glb" -q -o "$top/y.png" || fail "$1: glTF is not drawn"
}
model=$top/in/figure.dae
try_helper "the import helper marrow-import was not found"
cp "$build/tests/fake_importer" "$there/libexec/marrow/marrow-import"
printf 'bytes refusal\nsleep\n' >"$top/other.obj"
model=$top/other.obj
try_helper "of another version of marrow"
echo "check_tarball: $(basename "$tarball") of $size bytes works"
