#!/bin/sh
# The proof of sameness on this machine: the golden frames have one hash each over every instruction
# set present and 1, 2, 3 and 8 threads (the test's own loop), built by gcc and clang at -O0, -O2 and
# -O3 (this loop).
set -eu
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
