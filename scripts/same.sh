#!/bin/sh
# The proof of sameness on this machine: the cases of golden/ pass bit for bit over every instruction
# set present and 1, 2, 3 and 8 threads (the test's own loop), built by gcc and clang at -O0, -O2 and
# -O3 (this loop).
set -eu
export OMP_WAIT_POLICY=passive # threads that wait must not take the time of those that work
failed=0
for cc in gcc clang; do
    for opt in -O0 -O2 -O3; do
        build=build-same/$cc$opt
        make --no-print-directory -s -j"$(nproc)" BUILD="$build" CC="$cc" OPT="$opt" "$build/tests/golden"
        printf '%s %s: ' "$cc" "$opt"
        if "$build/tests/golden" >"$build/golden.log" 2>&1; then
            grep Checks: "$build/golden.log"
        else
            cat "$build/golden.log"
            failed=1
        fi
    done
done
exit $failed
