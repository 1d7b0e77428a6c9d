#!/bin/sh
# Runs the targets of tests/fuzz/targets.h by libFuzzer, each for an equal share of $SECONDS_ALL
# seconds (60), as many at a time as there are CPUs: with two, all take half of $SECONDS_ALL. They
# begin with our own assets, small files that are made here, and $BUILD/fuzz/corpus, which keeps what
# they learn. $TARGETS names fewer targets. An input that fails is kept: the last lines say where,
# and how to run it again. It becomes a fixture in tests/data/fuzz/TARGET, which every run begins
# with.
set -u
BUILD=${BUILD:-build-fuzz}
export BUILD
build=$BUILD
known=$(grep -o '{"[a-z]*", fuzz_' tests/fuzz/targets.h | cut -d'"' -f2)
targets=${TARGETS:-$known}
share=${SHARE:-$((${SECONDS_ALL:-60} / $(echo "$targets" | wc -w)))}
[ "$share" -gt 0 ] || { echo "fuzz: give each target a second: SECONDS=$(echo "$targets" | wc -w)"; exit 2; }
for target in $targets; do
    echo "$known" | grep -qx "$target" || { echo "fuzz: no target is called $target: $(echo $known)"; exit 2; }
done

# Draws a small picture as a seed, if the command is built.
draw() {
    [ ! -x build/marrow ] || build/marrow render demo:figure --size 24 --force -q "$@"
}

# Writes pictures in formats that marrow only reads: one block of BC1 as DDS and as KTX2, and a run
# of three pixels as TGA.
write_textures() {
    python3 - "$1" <<'PYTHON'
import struct, sys
folder, block = sys.argv[1], bytes([0xff, 0xff, 0, 0, 0x1b, 0x1b, 0x1b, 0x1b])
dds = struct.pack('<4s7I44x2I4s5I5I', b'DDS ', 124, 0x1007, 4, 4, 8, 0, 1, 32, 4, b'DXT1',
                  0, 0, 0, 0, 0, 0x1000, 0, 0, 0, 0) + block
open(folder + '/block.dds', 'wb').write(dds)
dfd = struct.pack('<I', 28 + 16) + bytes(40)
ktx = (b'\xabKTX 20\xbb\r\n\x1a\n' + struct.pack('<9I', 131, 1, 4, 4, 0, 0, 1, 1, 0)
       + struct.pack('<4I2Q', 104, len(dfd), 0, 0, 0, 0) + struct.pack('<3Q', 104 + len(dfd), 8, 8)
       + dfd + block)
open(folder + '/block.ktx2', 'wb').write(ktx)
tga = struct.pack('<3B5x4H2B', 0, 0, 10, 0, 0, 3, 1, 24, 32) + bytes([0x82, 1, 2, 3])
open(folder + '/run.tga', 'wb').write(tga)
PYTHON
}

write_options() {
    printf 'render\nmodel.glb\n-o\nout/{clip}_{frame:04}.png\n--frames\n0-47x2,-1\n--size\n64x48\n' >"$1/render"
    printf 'render\na\n--times\n10%%,0.5\n--light\nspot:pos=1,2,3,color=red@camera\n--views\nfront,left\n' >"$1/times"
    printf 'render\na\n--add\nb.glb@Hand:pos=0,1,0,scale=2\n--id\nHead=7\n--blend\nWalk:0.7,Run:0.3\n' >"$1/add"
    printf 'sheet\na\n--background\n#123..white@radial\n--displacement\na.png:0.1:0.5\n--aov\ndepth\n' >"$1/sheet"
    printf 'test\nx.suite.ini\n--mask\nrect:1,2,3,4\n--shard\n1/3\n--timeout\n5\n--memory\n2G\n' >"$1/test"
    printf '{model}/{path}-####_%%04d_{time:3}_{n:02}_{view}_{dir}_{aov}_{page}{{}}.png\n' >"$1/template"
}

# Fills the folder of a target's seeds.
write_seeds() {
    case $1 in
    picture)
        cp assets/matcap.png assets/pictures/mode-weights.png "$2" && write_textures "$2" || return
        for ending in jpg webp tga bmp png; do draw -o "$2/figure.$ending" || return; done
        ;;
    exr) draw --aov depth,normal -o "$2/figure.exr" ;;
    hdr) cp assets/studio-dim.hdr "$2" ;;
    model) cp assets/lanterns.glb assets/inchworm/*.glb assets/koi/*.iqm tests/data/sail.gltf "$2" ;;
    gltf | draw) cp assets/lanterns.glb assets/signal.glb assets/swatches.glb assets/inchworm/*.glb tests/data/sail.gltf "$2" ;;
    marrow) cp tests/data/sail-*.marrow "$2" ;;
    mtl) printf 'newmtl red\nKd 1 0 0\nd 0.5\nmap_Kd -s 2 2 -bm 0.5 a.png\nmap_d b.png\n' >"$2/red.mtl" ;;
    fbx) "$build/tests/fbx_seeds" "$2" ;;
    dae) head -c 20000 assets/figure.dae >"$2/figure.dae" ;;
    suite) cp golden/*.suite.ini "$2" ;;
    options) write_options "$2" ;;
    golden) for i in blob/aa.1 looks/look.post figure/*; do
        [ ! -f "golden/$i/golden.txt" ] || cp "golden/$i/golden.txt" "$2/$(echo "$i" | tr / -)" || return
    done ;;
    results)
        [ ! -x build/marrow ] ||
            build/marrow test golden/swatches.suite.ini --out "$2/run" -q >/dev/null &&
            mv "$2/run/results.json" "$2" && rm -r "$2/run"
        ;;
    esac
}

# Fuzzes one target.
fuzz() {
    target=$1
    corpus=$build/fuzz/corpus/$target
    seeds=$build/fuzz/seeds/$target
    failed=$build/fuzz/failed/$target
    rm -rf "$seeds"
    mkdir -p "$corpus" "$seeds" "$failed" && write_seeds "$target" "$seeds" || return
    fixtures=tests/data/fuzz/$target
    [ -d "$fixtures" ] || fixtures=
    log=$failed.log
    if ! MARROW_FUZZ=$target LSAN_OPTIONS=suppressions=scripts/lsan.supp:print_suppressions=0 OMP_NUM_THREADS=1 \
        "$build/tests/fuzzer" -max_total_time="$share" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
        -artifact_prefix="$failed/" -print_final_stats=1 "$corpus" "$seeds" $fixtures \
        >"$log" 2>&1; then
        tail -n 60 "$log"
        echo "fuzz: $target failed; the input is the newest file in $failed. Again:"
        echo "    MARROW_FUZZ=$target $build/tests/fuzzer $failed/FILE"
        return 1
    fi
    echo "fuzz: $target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") executions, $(
        sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1) edges, $share s"
}

if [ "${1-}" = --one ]; then
    fuzz "$2"
    exit
fi
SHARE=$share
export SHARE
printf '%s\n' $targets | xargs -P "$(nproc)" -n 1 "$0" --one
