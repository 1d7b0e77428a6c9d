#!/bin/sh
# Renders the README's pictures into assets/pictures/ (make pictures).
set -eu
marrow=${BUILD:-build}/marrow
out=assets/pictures
mkdir -p "$out"
"$marrow" render demo:figure --clip Walk --loop --count 8 --sheet 8 --size 120x200 --azimuth 50 \
    -o "$out/walk.png" -q
"$marrow" render demo:tentacle --clip Curl --time 0.9 --size 240x240 -o "$out/tentacle.png" -q
"$marrow" render demo:blob --time 0.5 --size 240x240 -o "$out/blob.png" -q
"$marrow" render demo:stage --camera 0 --time 1 --size 320x240 -o "$out/stage.png" -q
"$marrow" render demo:figure --clip Wave --time 1.2 --azimuth 15 --size 240x240 -o "$out/wave.png" -q
