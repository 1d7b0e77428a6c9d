#!/bin/sh
# Renders the built-in character's walk into out/demo/ and prints what it wrote, and with which
# commands.
set -eu
build=${BUILD:-build}
out=out/demo
mkdir -p "$out"

show() {
    echo "\$ $*"
    "$@"
}

show "$build/marrow" render demo:figure --clip Walk --loop --count 24 --size 360x480 \
    -o "$out/walk_{frame:04}.png"
show "$build/marrow" render demo:figure --clip Walk --loop --count 24 --size 360x480 \
    -o "$out/walk.apng"
show "$build/marrow" render demo:figure --clip Walk --loop --count 12 --size 240x320 --sheet 6 \
    -o "$out/contact.png"

echo
echo "$(ls "$out"/walk_*.png | wc -l) frames: $out/walk_0000.png ..."
echo "the walk as one animation (open it in a browser): $out/walk.apng"
echo "the walk in one picture: $out/contact.png"
