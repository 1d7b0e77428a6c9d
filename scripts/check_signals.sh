#!/bin/sh
# Commands that GNU timeout ends, which passes a signal on twice within microseconds: each ends with the
# status of the signal, says one line, and leaves whole files only. Signals come when the command has
# begun to catch them, and a little later, at another place each time.
#
#   scripts/check_signals.sh [RUNS]     runs of each command under each signal [50]
set -u
runs=${1:-50}
marrow=$(realpath "${MARROW:-${BUILD:-build}/marrow}")
assets=$(cd "$(dirname "$0")/../assets" && pwd)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
cd "$folder" || exit 1

cases=1
printf '[defaults]\nmodel = demo:figure\nclip = Walk\nframes = 0-12\nsize = 400\n' >suite.ini
while [ $cases -le 200 ]; do
    printf '[case%d]\nazimuth = %d\n' $cases $cases >>suite.ini
    cases=$((cases + 1))
done

# Succeeds when a process, the child of another one, is the command and catches SIGTERM.
catches() {
    child=$(tr -d ' ' <"/proc/$1/task/$1/children")
    [ "$(readlink "/proc/$child/exe")" = "$marrow" ] &&
        grep -q '^SigCgt:.*[4-7c-f]...$' "/proc/$child/status"
} 2>/dev/null

# Each takes seconds: much longer than it is given.
run_and_signal() {
    case $1 in
    still) set -- render demo:figure --size 6000 --aa 8 --png best -q -o out/a.png ;;
    sequence) set -- render demo:figure --clip Walk --fps 10000 --size 300 -q -o 'out/{frame}.png' ;;
    animation) set -- render demo:figure --clip Walk --fps 2000 --size 400 -q -o out/a.apng ;;
    geometry) set -- bake demo:figure --clip Walk --fps 5000 -o 'out/{frame}.obj' ;;
    joints) set -- bake demo:figure --clip Walk --fps 8000 --joints out/joints.jsonl ;;
    models) set -- diff demo:figure "$assets/figure.m3d" --fps 1000 -o out ;;
    update) set -- test suite.ini --update=all --force --out out -q ;;
    esac
    mkdir out
    env --default-signal=HUP,INT,TERM timeout --preserve-status 10000 "$marrow" "$@" >said 2>&1 &
    until catches $!; do sleep 0.01; done
    sleep "$seconds"
    kill -s "$signal" $!
    wait $! 2>/dev/null
}

# Prints what is wrong with the last run; nothing otherwise.
faults() {
    [ "$status" -eq "$expected" ] || echo "status $status"
    [ "$(grep -c '^marrow: error: stopped by a signal$' said)" -eq 1 ] || echo "said '$(cat said)'"
    find out golden -name '.*.tmp' -print 2>/dev/null
    find out golden -name '*.*png' ! -name '.*' -print 2>/dev/null | while read -r file; do
        tail -c 8 "$file" | head -c 4 | grep -q IEND || echo "$file is not whole"
    done
    find out -name '*.obj' ! -name '.*' -print | while read -r file; do
        tail -n 1 "$file" | grep -q '^f ' || echo "$file is not whole"
    done
    [ ! -e out/joints.jsonl ] || echo "joints.jsonl is there"
}

failed=0
for what in still sequence animation geometry joints models update; do
    for signal in TERM INT HUP; do
        case $signal in HUP) expected=129 ;; INT) expected=130 ;; TERM) expected=143 ;; esac
        bad=0
        run=0
        while [ $run -lt "$runs" ]; do
            seconds=0.$((10 + run * 7 % 50))
            run_and_signal $what
            status=$?
            found=$(faults)
            if [ -n "$found" ]; then
                bad=$((bad + 1))
                printf '%s\n' "$what, $signal after $seconds s: $found"
            fi
            rm -rf out golden said
            run=$((run + 1))
        done
        echo "$what, $signal: $runs runs, $bad left a file, lacked the line or had another status"
        failed=$((failed + bad))
    done
done
[ $failed -eq 0 ] || exit 1
