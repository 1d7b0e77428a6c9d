#!/bin/sh
# Runs every target of tests/fuzz/targets.h for an equal share of $SECONDS_ALL seconds (60), by
# libFuzzer, from our own assets and generated FBX files. $BUILD/fuzz/corpus keeps what it learns.
# $TARGETS names fewer targets. An input that fails is kept: the last lines say where, and how to
# run it again. It becomes a fixture in tests/data/fuzz/TARGET, which every run begins with.
set -u
build=${BUILD:-build-fuzz}
known=$(grep -o '{"[a-z]*", fuzz_' tests/fuzz/targets.h | cut -d'"' -f2)
targets=${TARGETS:-$known}
share=$((${SECONDS_ALL:-60} / $(echo "$targets" | wc -w)))
[ "$share" -gt 0 ] || { echo "fuzz: give each target a second: SECONDS=$(echo "$targets" | wc -w)"; exit 2; }
# Draws a small picture as a seed, if the command is built.
draw() {
    [ ! -x build/marrow ] || build/marrow render demo:figure --size 24 --force -q "$@"
}
for target in $targets; do
    corpus=$build/fuzz/corpus/$target
    seeds=$build/fuzz/seeds/$target
    failed=$build/fuzz/failed/$target
    mkdir -p "$corpus" "$seeds" "$failed" || exit
    fixtures=tests/data/fuzz/$target
    [ -d "$fixtures" ] || fixtures=
    case $target in
    picture)
        cp assets/matcap.png assets/pictures/mode-weights.png "$seeds"
        for ending in jpg webp tga bmp png; do draw -o "$seeds/figure.$ending" || exit; done
        ;;
    exr) draw --aov depth,normal -o "$seeds/figure.exr" ;;
    hdr) cp assets/studio-dim.hdr "$seeds" ;;
    model) cp assets/lanterns.glb assets/inchworm/*.glb assets/koi/*.iqm tests/data/sail.gltf "$seeds" ;;
    marrow) cp tests/data/sail-*.marrow "$seeds" ;;
    mtl) printf 'newmtl red\nKd 1 0 0\nd 0.5\nmap_Kd -s 2 2 -bm 0.5 a.png\nmap_d b.png\n' >"$seeds/red.mtl" ;;
    fbx) "$build/tests/fbx_seeds" "$seeds" ;;
    dae) head -c 20000 assets/figure.dae >"$seeds/figure.dae" ;;
    esac || exit
    log=$failed.log
    if ! MARROW_FUZZ=$target LSAN_OPTIONS=suppressions=scripts/lsan.supp:print_suppressions=0 OMP_NUM_THREADS=1 \
        "$build/tests/fuzzer" -max_total_time="$share" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
        -artifact_prefix="$failed/" -print_final_stats=1 "$corpus" "$seeds" $fixtures \
        >"$log" 2>&1; then
        tail -n 60 "$log"
        echo "fuzz: $target failed; the input is the newest file in $failed. Again:"
        echo "    MARROW_FUZZ=$target $build/tests/fuzzer $failed/FILE"
        exit 1
    fi
    echo "fuzz: $target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") executions, $(
        sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1) edges, $share s"
done
