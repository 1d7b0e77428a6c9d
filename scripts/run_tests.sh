#!/bin/sh
# Runs the test programs named, as many at a time as there are processors ($JOBS), each one even when
# another has failed. Prints each program's own lines with its seconds, then what failed, what was
# skipped, and one line that counts the checks of all: "N passed, N failed". $RUN stands before each
# program: an emulator, say. NAME:CASE is one test case of a program, so that a long one can be shared
# out. CK_FORK=no runs the tests of a program in one process, but not those of programs in $FORKS.
# Each program has a $TMPDIR of its own. It fails if it passes its tests and leaves something there.
# What a failed program leaves is kept, and named.
set -u
if [ "${1:-}" = --one ]; then # one program, its log, its status and its seconds
    log=$2/tests/$3.log
    : >"$log"
    : >"$log.left" # what the program leaves in its TMPDIR
    echo "1 0" >"$log.end"
    start=$(date +%s)
    case $3 in *:*) export CK_RUN_CASE="${3#*:}" ;; esac
    case " ${FORKS:-} " in *" ${3%%:*} "*) unset CK_FORK ;; esac
    TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/marrow-tests-XXXXXX") || exit
    chmod 1777 "$TMPDIR" # like /tmp: tests run commands as another user
    export TMPDIR
    ${RUN:-} "$2/tests/${3%%:*}" >"$log" 2>&1
    status=$?
    rmdir "$TMPDIR" 2>/dev/null || (cd "$TMPDIR" && find "$PWD" -mindepth 1 -maxdepth 1) >"$log.left"
    echo "$status $(($(date +%s) - start))" >"$log.end"
    printf '%s\n(%s s)\n' "$(cat "$log")" "$(cut -d' ' -f2 "$log.end")"
    exit 0
fi
build=$(cd "${BUILD:-build}" && pwd) # tests change their folder
MARROW=$build/marrow
MARROW_IMPORTER=$build/marrow-import
MALLOC_PERTURB_=85 # memory that nobody filled is not zero by chance (glibc)
OMP_WAIT_POLICY=passive # threads that wait must not take the time of those that work
LSAN_OPTIONS=suppressions=$PWD/scripts/lsan.supp:print_suppressions=0
export MARROW MARROW_IMPORTER MALLOC_PERTURB_ OMP_WAIT_POLICY LSAN_OPTIONS
printf '%s\n' "$@" | xargs -P "${JOBS:-$(nproc)}" -n 1 sh "$0" --one "$build"
passed=0
failed=0
complaints=
skips=
newline='
'
complain() { complaints=$complaints$(printf '%s\n' "$@")$newline; }
for name in "$@"; do
    log=$build/tests/$name.log
    status=$(cut -d' ' -f1 "$log.end")
    if [ -s "$log.left" ]; then
        complain "$name: leaves these behind" "$(sed 's/^/    /' "$log.left")"
        [ "$status" -ne 0 ] || failed=$((failed + 1))
    fi
    # Check's own closing line: 100%: Checks: 12, Failures: 0, Errors: 0
    counts=$(sed -n 's/^[0-9]*%: Checks: \([0-9]*\), Failures: \([0-9]*\), Errors: \([0-9]*\)$/\1 \2 \3/p' "$log" | tail -n 1)
    if [ -z "$counts" ]; then
        complain "$name: ended with status $status without a result" "$(tail -n 5 "$log")"
        failed=$((failed + 1))
        continue
    fi
    skip=$(sed -n "s/^SKIPPED /SKIPPED $name: /p" "$log")
    [ -z "$skip" ] || skips=$skips$skip$newline
    set -- $counts
    [ "$1" -gt 0 ] || complain "$name: has no checks"
    [ "$1" -gt 0 ] || failed=$((failed + 1))
    passed=$((passed + $1 - $2 - $3))
    failed=$((failed + $2 + $3))
    [ $(($2 + $3)) -eq 0 ] || complain "$name:" "$(grep ':[FE]:' "$log")"
    if [ "$status" -ne 0 ] && [ $(($2 + $3)) -eq 0 ]; then
        complain "$name: ended with status $status"
        failed=$((failed + 1))
    fi
done
printf '%s%s' "$complaints" "$skips"
echo "$passed passed, $failed failed" | tee "$build/tests/total"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
