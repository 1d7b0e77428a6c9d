#!/usr/bin/env bash
# The tests that use threads, under ThreadSanitizer: clang, libomp, and Archer, which tells the
# sanitizer what OpenMP orders (Debian's libomp-14-dev has all of it). Without Archer every parallel
# loop would look like a race.
#
#   scripts/tsan.sh TEST...        what `make tsan` has built into build-tsan (or $BUILD)
set -euo pipefail
cd "$(dirname "$0")/.."

build=${BUILD:-build-tsan}
tests=("$@")

# ignore_noninstrumented_modules: libomp's own locks are not instrumented. Tests run in one process:
# after fork() the sanitizer knows nothing of the threads before. OMP_WAIT_POLICY as in the command.
export TSAN_OPTIONS="ignore_noninstrumented_modules=1 halt_on_error=0 exitcode=66 ${TSAN_OPTIONS:-}"
export OMP_WAIT_POLICY=passive CK_FORK=no CK_TIMEOUT_MULTIPLIER=10
MARROW=$build/marrow

# A race on purpose, and the same sums with an order: the first must be found, the second not.
probe=$build/tsan_probe
cat >"$probe.c" <<'EOF'
#include <omp.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int sums[64] = {0}, all = 0;
    (void)argv;
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 64; i++) {
        sums[i] = i;
        if (argc > 1) {
            all += i;
        }
    }
    for (int i = 0; i < 64; i++) {
        all += sums[i];
    }
    return printf("%d\n", all) < 0;
}
EOF
clang -std=c11 -O1 -g -fopenmp -fsanitize=thread -o "$probe" "$probe.c"
ARCHER_OPTIONS=verbose=1 "$probe" >"$probe.log" 2>&1 || { cat "$probe.log"; echo "tsan: OpenMP's own order is not understood"; exit 1; }
grep -q Archer "$probe.log" || { echo "tsan: Archer was not loaded (install libomp-14-dev)"; exit 1; }
if "$probe" race >"$probe.log" 2>&1; then
    echo "tsan: a race on purpose was not found"
    exit 1
fi

status=0

# Runs a command; a race ends it with 66.
clean() {
    local name=$1 log start=$SECONDS
    log=$build/$name.tsan.log
    shift
    if "$@" >"$log" 2>&1 && ! grep -q 'WARNING: ThreadSanitizer' "$log"; then
        echo "tsan: $name is clean ($((SECONDS - start)) s)"
    else
        printf 'tsan: %s failed:\n%s\n' "$name" "$(head -60 "$log")"
        return 1
    fi
}

running=0
reap() {
    wait -n || status=1
    running=$((running - 1))
}
start() {
    [ "$running" -lt "$(nproc)" ] || reap
    "$@" &
    running=$((running + 1))
}

# As many at a time as there are processors; nothing below reads what another writes.
for test in "${tests[@]}"; do
    start clean "$test" "$build/tests/$test"
done
figure=(render demo:figure --clip Walk --size 80 -j 3)
start clean files "$MARROW" "${figure[@]}" --json -o "$build/tsan/{frame}.png"
start clean animation "$MARROW" "${figure[@]}" -o "$build/tsan/a.apng"
start clean gif "$MARROW" "${figure[@]}" --background none -o "$build/tsan/a.gif"
start clean webp "$MARROW" "${figure[@]}" -o "$build/tsan/a.webp"
start clean stream "$MARROW" "${figure[@]}" -o - --stream y4m
start clean video "$MARROW" "${figure[@]}" -o "$build/tsan/a.mp4"
start clean sheet "$MARROW" "${figure[@]}" --sheet 4 -o "$build/tsan/a.png"
start clean still "$MARROW" "${figure[@]}" --time 0.2 -o "$build/tsan/still.png"
start clean goldens "$MARROW" test golden -j 3 -k 'figure*' --out "$build/tsan/results"
while [ "$running" -gt 0 ]; do
    reap
done
exit $status
