#!/bin/sh
# Plays the first hours of an artist, a build engineer and a backend developer: the commands that they
# type, one after the other in an empty folder, each with its result. A command that does not end as it
# should ends the script.
#
#   scripts/first_hours.sh              with build/marrow
#   scripts/first_hours.sh ROOT         in a root of its own (debootstrap), with the marrow installed there
#
# It needs no network and takes about ten seconds.
set -eu
cd "$(dirname "$0")/.."
if [ $# -gt 0 ]; then
    mkdir -p "$1/first_hours"
    cp scripts/first_hours.sh "$1/first_hours/"
    exec chroot "$1" env FIRST_HOURS=installed sh /first_hours/first_hours.sh
fi
if [ "${FIRST_HOURS:-}" != installed ]; then
    PATH=$PWD/${BUILD:-build}:$PATH
fi
top=$(mktemp -d "${TMPDIR:-/tmp}/marrow-first-hours-XXXXXX")
trap 'rm -rf "$top"' EXIT
cd "$top"
export CI= NO_COLOR=1
count=0

# try STATUS COMMAND: runs a line as a user types it, and prints how it ended.
try() {
    expected=$1
    shift
    status=0
    sh -c "$*" >out.txt 2>err.txt || status=$?
    count=$((count + 1))
    printf '%3d  $ %s\n' "$status" "$*"
    sed -n '1,2s/^/       /p' out.txt err.txt | cut -c1-150
    [ "$status" = "$expected" ] || {
        echo "first_hours: expected status $expected" >&2
        cat out.txt err.txt >&2
        exit 1
    }
}
# shows TEXT: the last command said it.
shows() {
    grep -qF -e "$1" out.txt err.txt || {
        echo "first_hours: the answer lacks '$1'" >&2
        cat out.txt err.txt >&2
        exit 1
    }
}
# there FILE...: the files exist.
there() {
    for file in "$@"; do
        [ -s "$file" ] || {
            echo "first_hours: there is no $file" >&2
            exit 1
        }
    done
}

echo "== an artist"
try 0 marrow info demo:figure
try 0 marrow render demo:figure -o still.png
try 0 "marrow render demo:figure --clip Walk --loop --count 8 --size 128 -o walk.gif"
try 0 "marrow render demo:figure --views front,left,top,iso --sheet 4 --size 128 -o views.png"
shows "4 pictures"
try 0 "marrow render demo:figure --clip Walk --count 6 --directions 4 --size 64 --sheet 6 -o rows.png"
try 0 marrow sheet demo:figure
there still.png walk.gif views.png rows.png figure-sheet.png
try 2 "marrow render demo:figure --clip Walk --count 3 -o a.png"
shows "use -o 'a_{frame:04}.png'"
try 0 "marrow render demo:figure --clip Walk --count 3 --size 64 -o 'a_{frame:04}.png'"
try 0 "marrow render demo:figure --clip Walk --count 2 --size 64 -o 'a_{frame:04}.png'"
shows "1 other frame of an earlier run is still there"
try 0 "marrow sprites demo:figure --size 64 --ground --atlas-format godot -o hero.png"
there hero.png hero.json hero.tres
try 0 "marrow render demo:figure --hide 'scarf*' --size 64 -o bare.png"
try 3 "marrow render demo:figure --hide 'scarf*' --show 'nothing*' --size 64 -o none.png"
try 0 "marrow render demo:figure --add demo:blob:pos=1,0,0,scale=0.5 --size 64 -o two.png"
try 2 "marrow render demo:figure --add demo:blob:pso=1,0,0 --size 64 -o none.png"
shows "pos"
try 0 "marrow render demo:blob --copies 100 --spread 2 --stagger 0.1 --ground --size 320 -o crowd.png"
try 3 "marrow render https://example.org/hero.glb -o none.png"
shows "download it first"
try 0 "marrow compile demo:figure -o 走る子.marrow && marrow render 走る子.marrow --size 64 -o '{model}.png'"
there 走る子.png

echo "== a build engineer"
mkdir repo
cd repo
try 0 "marrow compile demo:figure -o hero.marrow && marrow init hero.marrow"
try 1 marrow test
shows "there is no golden yet"
try 0 marrow test --update
try 0 marrow test
cd ..
mv repo src
cd src
try 0 marrow test
try 0 "sed -i 's/^size = .*/size = 80x60/' hero.suite.ini && ! marrow test"
try 0 "marrow test --report report >/dev/null || test -s report/index.html"
try 0 marrow accept --dry-run
try 0 marrow accept
try 0 marrow test
try 0 "marrow compile demo:blob -o blob.marrow && marrow init --add blob.marrow"
try 0 marrow test --update=missing
try 0 "marrow test -k blob -k Walk"
try 0 "marrow test --shard 1/2 && marrow test --shard 2/2"
try 2 marrow test --shard 3/2
try 2 "marrow test -k nothing"
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%064d\nsize 1\n' 0 >hero.marrow
try 1 marrow test
shows "git lfs pull"
cd ..

echo "== a backend developer"
try 0 "marrow render demo:figure --size 64 -o - --json=answer.json >stdout.png"
there stdout.png answer.json
try 77 "PATH=\$(dirname \$(command -v marrow)) marrow render demo:blob --loop -o a.mp4 --json"
shows '"reason": "tool"'
try 3 "marrow render gone.glb --json -o a.png"
shows '"status": 3'
try 3 "marrow sheet demo:blob gone.glb --size 32 -o half.png"
there half.png
try 0 "marrow render demo:figure --aov depth --depth-scale 1000 --size 64 -o depth.png"
try 0 "marrow render demo:figure --aov depth,normal --size 64 -o '{aov}.npy'"
try 0 "marrow bake demo:figure --clip Walk --count 2 --directions 8 --joints walk.jsonl -q"
try 0 "marrow bake demo:figure --clip Walk --count 2 --joints people.json --joints-format coco-17 -q"
there depth.png depth.npy normal.npy walk.jsonl people.json
try 0 "marrow pick demo:figure --size 64 --at 32,32 --json"
for shard in 1 2 3; do
    try 0 "marrow render demo:figure demo:blob demo:stage --size 32 --shard $shard/3 -o 's_{model}.png'"
done
there s_figure.png s_blob.png s_stage.png
try 0 marrow doctor
echo "first_hours: $count commands did what they should"
