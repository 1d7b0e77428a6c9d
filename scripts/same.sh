#!/bin/sh
# The proof of sameness on this machine: the cases of golden/ pass bit for bit over every instruction
# set present (the test's own loop), built by gcc and clang at -O0, -O2 and -O3 (this loop). The build
# of `make` draws with 1, 2, 3 and 8 threads. The others draw with 8, because the work that threads
# share does not depend on the compiler. What `make` and `make CC=clang BUILD=build-clang` have compiled
# is used; builds in $PROVEN, whose test program `golden` has just passed, are not run again.
set -eu
export OMP_WAIT_POLICY=passive # threads that wait must not take the time of those that work

if [ "${1:-}" = --one ]; then
    export MARROW_IMPORTER="$PWD/$2/marrow-import"
    [ "$2" = build ] || export CK_EXCLUDE_TAGS=fewer-threads
    if "$2/tests/golden" >"$2/same.log" 2>&1; then
        echo "$2: $(grep Checks: "$2/same.log")"
    else
        echo "$2:"
        cat "$2/same.log"
        exit 1
    fi
    exit 0
fi

# `make` says cc: the same compiler by another name would compile everything anew.
plain=gcc
[ "$(readlink -f "$(command -v cc)")" != "$(readlink -f "$(command -v gcc)")" ] || plain=cc

builds=
proven=" ${PROVEN:-} "
for cc in gcc clang; do
    for opt in -O0 -O2 -O3; do
        case $cc$opt in
        gcc-O2) build=build name=$plain ;;
        clang-O2) build=build-clang name=clang ;;
        *) build=build-same/$cc$opt name=$cc ;;
        esac
        case $proven in
        *" $build "*)
            echo "$build: passed before"
            continue
            ;;
        esac
        make --no-print-directory -s -j"$(nproc)" BUILD="$build" CC="$name" OPT="$opt" "$build/tests/golden"
        builds="$builds $build"
    done
done
printf '%s\n' $builds | xargs -P "$(nproc)" -n 1 sh "$0" --one
