#!/bin/sh
# Runs the test programs named, each one even when another has failed, and ends with one line that
# counts the checks of all, below the failed ones: "N passed, N failed".
set -u
build=$(cd "${BUILD:-build}" && pwd) # tests change their folder
MARROW=$build/marrow
MARROW_IMPORTER=$build/marrow-import
MALLOC_PERTURB_=85 # memory that nobody filled is not zero by chance (glibc)
OMP_WAIT_POLICY=passive # threads that wait must not take the time of those that work
export MARROW MARROW_IMPORTER MALLOC_PERTURB_ OMP_WAIT_POLICY
passed=0
failed=0
complaints=
complain() { complaints=$complaints$(printf '%s\n' "$@")$newline; }
newline='
'
for name in "$@"; do
    log=$build/tests/$name.log
    "$build/tests/$name" >"$log" 2>&1
    status=$?
    cat "$log"
    # Check's own closing line: 100%: Checks: 12, Failures: 0, Errors: 0
    counts=$(sed -n 's/^[0-9]*%: Checks: \([0-9]*\), Failures: \([0-9]*\), Errors: \([0-9]*\)$/\1 \2 \3/p' "$log" | tail -n 1)
    if [ -z "$counts" ]; then
        complain "$name: ended with status $status without a result" "$(tail -n 5 "$log")"
        failed=$((failed + 1))
        continue
    fi
    set -- $counts
    passed=$((passed + $1 - $2 - $3))
    failed=$((failed + $2 + $3))
    [ $(($2 + $3)) -eq 0 ] || complain "$name:" "$(grep ':[FE]:' "$log")"
    if [ "$status" -ne 0 ] && [ $(($2 + $3)) -eq 0 ]; then
        complain "$name: ended with status $status"
        failed=$((failed + 1))
    fi
done
printf '%s' "$complaints"
echo "$passed passed, $failed failed" | tee "$build/tests/total"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
