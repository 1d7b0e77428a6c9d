#!/bin/sh
# Renders the README's pictures into assets/pictures/ (make gallery).
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

# What one can post: an animation, a turntable, a sheet of all clips.
"$marrow" render demo:figure --clip Walk --loop --count 16 --size 120x160 --azimuth 50 --background none \
    -o "$out/walk.gif" -q
"$marrow" render demo:figure --clip Wave --time 1.2 --turntable 8 --sheet 4 --size 72x108 -o "$out/turntable.png" -q
"$marrow" sheet demo:figure --count 5 --size 56x72 -o "$out/sheet.png" -q

# Lights, tone maps, shading modes.
swatches="--azimuth 12 --elevation 4 --size 300x225 -q"
"$marrow" render demo:swatches $swatches -o "$out/materials.png"
"$marrow" render demo:swatches $swatches --light none --env studio --env-background -o "$out/studio.png"
"$marrow" render demo:swatches $swatches --light none --light point:pos=0,0.5,1.5,intensity=6,color=1,0.75,0.5 \
    --light directional:dir=1,-0.2,0.3,intensity=2.5,color=0.4,0.6,1 --env studio --env-intensity 0.15 \
    --background '#101418' -o "$out/lamps.png"
for map in none aces neutral; do
    "$marrow" render demo:stage --camera 0 --time 1 --size 200x150 --exposure 1.8 --tonemap $map -q \
        -o "$out/tone-$map.png"
done
for mode in lit flat clay lambert phong toon matcap:assets/matcap.png unlit raw normal uv depth joint influences weights:chest; do
    "$marrow" render demo:figure --clip Wave --time 1.2 --azimuth 15 --size 120x160 --shading $mode -q \
        -o "$out/mode-${mode%%:*}.png"
done
# Near enough for lines between triangles.
"$marrow" render demo:figure --clip Wave --time 1.2 --eye 0.32,1.5,1.2 --target 0,1.45,0 --size 120x160 --shading wire -q \
    -o "$out/mode-wire.png"
"$marrow" render demo:figure --clip Walk --time 0.3 --azimuth 40 --size 160x200 --ground -q -o "$out/ground.png"
"$marrow" render demo:stage --time 0.8 --eye 5,3,6.6 --target 0,1,0 --size 300x225 --shadows --light none --env studio \
    --env-intensity 0.4 --light directional:dir=-1,-1.2,-0.8,intensity=2.5,color=1,0.93,0.85 -q -o "$out/shadows.png"
