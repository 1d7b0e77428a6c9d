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
        case $from in bin/marrow | libexec/marrow | lib/marrow) ;; *) fail "$file: a release has no $from" ;; esac
        [ "${to%"/$from"}" != "$to" ] || fail "$file: $from becomes $to"
    done
done
[ "$(words scripts/ci/Containerfile FROM)" = scratch ] || fail "Containerfile: not from scratch"
[ "$(words scripts/ci/Containerfile COPY)" = "bin/marrow /bin/marrow" ] ||
    fail "Containerfile: more than the command"
[ "$(words scripts/ci/Containerfile.import FROM)" = debian:bookworm-slim ] ||
    fail "Containerfile.import: not from debian:bookworm-slim"
[ "$(words scripts/ci/Containerfile.import COPY | wc -l)" -eq 3 ] ||
    fail "Containerfile.import: not the command, its helper and its libraries"

# ---- running it ----------------------------------------------------------------------------------
[ "$(id -u)" -eq 0 ] || fail "chroot needs root"
# All but /work is root's, so that user 65534 can write nowhere else.
root=$top/root
mkdir -p "$root/bin" "$root/work"
chmod 755 "$top" "$root" "$root/bin"
chown 65534:65534 "$root/work"
contained() { # PROGRAM ARGUMENT...
    install -m 755 "$1" "$root/bin/marrow"
    shift
    env -i "$(command -v chroot)" --userspec=65534:65534 --groups= "$root" /bin/marrow "$@"
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
    if (open("/bin/new", O_CREAT | O_WRONLY, 0600) >= 0 || errno != EACCES)
        return 2;
    if (access("/tmp", F_OK) == 0 || access("/proc", F_OK) == 0 || access("/lib", F_OK) == 0)
        return 3;
    return argc < 2 || chdir("/work") || open(argv[1], O_CREAT | O_WRONLY, 0600) < 0 ? 4 : 0;
}
C
${CC:-cc} -static "$top/stand_in.c" -o "$top/stand_in"
contained "$top/stand_in" made || fail "the root folder is not as it should be: $?"
[ -f "$root/work/made" ] || fail "nothing arrives in /work"

if [ -z "${MARROW_STATIC:-}" ]; then
    echo "check_container: instructions and conditions are right; MARROW_STATIC was not given"
    exit 0
fi
size=$(wc -c <"$MARROW_STATIC")
[ "$size" -le 9000000 ] || fail "the command has $size bytes, more than 9,000,000"
cp assets/figure.glb assets/figure.dae "$root/work"
chmod 644 "$root/work"/figure.*
contained "$MARROW_STATIC" --version
contained "$MARROW_STATIC" render /work/figure.glb --clip Walk --time 0.5 --size 64 -o /work/still.png -q
contained "$MARROW_STATIC" render demo:figure --clip Run --size 64 --loop -o /work/run.gif -q
contained "$MARROW_STATIC" init demo:figure -o /work/suite.ini -q
contained "$MARROW_STATIC" test /work --update -q
contained "$MARROW_STATIC" test /work --report /work/report -q
"$MARROW_STATIC" render assets/figure.glb --clip Walk --time 0.5 --size 64 -o "$top/still.png" -q
cmp "$top/still.png" "$root/work/still.png" || fail "the container draws other pixels"
status=0
contained "$MARROW_STATIC" info /work/figure.dae 2>"$top/err" || status=$?
[ "$status $(wc -l <"$top/err")" = "77 1" ] || fail "without the helper: $status, $(cat "$top/err")"
[ "$(stat -c %u "$root/work/still.png")" -eq 65534 ] || fail "a file is not of user 65534"
echo "check_container: $size bytes draw, animate and test as user 65534 in a read-only root folder"
