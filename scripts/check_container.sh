#!/bin/sh
# Checks the two Containerfiles, and runs what the first one copies as a container would, without an
# engine: in a root folder that holds nothing else, read-only, as user 65534, without /tmp and /proc.
#
#     scripts/check_container.sh                        with a stand-in that tests these conditions
#     MARROW_STATIC=path scripts/check_container.sh     then with this command, which has to be static
set -eu
cd "$(dirname "$0")/.."
top=$(mktemp -d "${TMPDIR:-/tmp}/marrow-container-XXXXXX")
trap 'rm -rf "$top"' EXIT
trap 'exit 1' HUP INT TERM
chmod 755 "$top"
fail() {
    echo "check_container: $*" >&2
    exit 1
}
words() { # FILE INSTRUCTION: what follows the instruction, one line for each use
    sed -n "s/^$2 //p" "$1"
}

# ---- instructions --------------------------------------------------------------------------------
for file in scripts/ci/Containerfile scripts/ci/Containerfile.import; do
    if grep -vE '^(#.*|FROM [a-z:/-]+|COPY [a-z/]+ /[a-z/]+|(USER|WORKDIR|ENTRYPOINT|CMD) .+)$' "$file"; then
        fail "$file: lines that are not known here"
    fi
    [ "$(words "$file" USER)" = 65534:65534 ] || fail "$file: the user is not 65534:65534"
    [ "$(words "$file" WORKDIR)" = /work ] || fail "$file: the folder is not /work"
    # A release has these, and the helper is found beside the command: ../libexec/marrow.
    words "$file" COPY | while read -r from to; do
        case $from in bin/marrow | libexec/marrow) ;; *) fail "$file: a release has no $from" ;; esac
        [ "${to%"/$from"}" != "$to" ] || fail "$file: $from becomes $to"
    done
done
[ "$(words scripts/ci/Containerfile FROM)" = scratch ] || fail "Containerfile: not from scratch"
[ "$(words scripts/ci/Containerfile COPY)" = "bin/marrow /bin/marrow" ] ||
    fail "Containerfile: more than the command"
[ "$(words scripts/ci/Containerfile.import FROM)" = debian:bookworm-slim ] ||
    fail "Containerfile.import: not from debian:bookworm-slim"
[ "$(words scripts/ci/Containerfile.import COPY | wc -l)" -eq 2 ] ||
    fail "Containerfile.import: not the command and its helper"

# ---- running it ----------------------------------------------------------------------------------
if [ "$(id -u)" -ne 0 ] || ! unshare -m true 2>/dev/null; then
    echo "SKIPPED check_container: only root can make a read-only root folder"
    exit 0
fi
mkdir "$top/root" "$top/work"
chown 65534:65534 "$top/work"
contained() { # PROGRAM ARGUMENT...
    rm -rf "$top/root"
    mkdir "$top/root" "$top/root/bin" "$top/root/work"
    cp "$1" "$top/root/bin/marrow"
    chmod 755 "$top/root/bin/marrow"
    shift
    # shellcheck disable=SC2016
    unshare -m sh -c 'top=$1; shift
        mount --bind "$top/root" "$top/root" && mount --bind "$top/work" "$top/root/work" &&
            mount -o remount,bind,ro "$top/root" &&
            exec env -i "$(command -v chroot)" --userspec=65534:65534 --groups= "$top/root" /bin/marrow "$@"' sh "$top" "$@"
}

cat >"$top/stand_in.c" <<'C'
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Ends with the number of the first condition that does not hold. */
int main(int argc, char **argv)
{
    if (getuid() != 65534 || getgid() != 65534)
        return 1;
    if (open("/bin/new", O_CREAT | O_WRONLY, 0600) >= 0 || errno != EROFS)
        return 2;
    if (access("/tmp", F_OK) == 0 || access("/proc", F_OK) == 0 || access("/lib", F_OK) == 0)
        return 3;
    return argc < 2 || chdir("/work") || open(argv[1], O_CREAT | O_WRONLY, 0600) < 0 ? 4 : 0;
}
C
${CC:-cc} -static "$top/stand_in.c" -o "$top/stand_in"
contained "$top/stand_in" made || fail "the root folder is not as it should be: $?"
[ -f "$top/work/made" ] || fail "nothing arrives in /work"

if [ -z "${MARROW_STATIC:-}" ]; then
    echo "check_container: instructions and conditions are right; MARROW_STATIC was not given"
    exit 0
fi
size=$(wc -c <"$MARROW_STATIC")
[ "$size" -le 9000000 ] || fail "the command has $size bytes, more than 9,000,000"
cp assets/figure.glb assets/figure.dae "$top/work"
chmod 644 "$top/work"/figure.*
contained "$MARROW_STATIC" --version
contained "$MARROW_STATIC" render /work/figure.glb --clip Walk --time 0.5 --size 64 -o /work/still.png -q
contained "$MARROW_STATIC" render demo:figure --clip Run --size 64 --loop -o /work/run.gif -q
contained "$MARROW_STATIC" init demo:figure -o /work/suite.ini -q
contained "$MARROW_STATIC" test /work --update -q
contained "$MARROW_STATIC" test /work --report /work/report -q
"$MARROW_STATIC" render assets/figure.glb --clip Walk --time 0.5 --size 64 -o "$top/still.png" -q
cmp "$top/still.png" "$top/work/still.png" || fail "the container draws other pixels"
status=0
contained "$MARROW_STATIC" info /work/figure.dae 2>"$top/err" || status=$?
[ "$status $(wc -l <"$top/err")" = "77 1" ] || fail "without the helper: $status, $(cat "$top/err")"
[ "$(stat -c %u "$top/work/still.png")" -eq 65534 ] || fail "a file is not of user 65534"
echo "check_container: $size bytes draw, animate and test as user 65534 in a read-only root folder"
