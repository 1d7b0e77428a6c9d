#!/bin/sh
# Renders the README's pictures into assets/pictures/ (make gallery): twice as large as they are shown.
# The picture of the report needs Chromium; without it, that one stays as it is.
set -eu
marrow=$(cd "${BUILD:-build}" && pwd)/marrow
out=$(pwd)/assets/pictures
mkdir -p "$out"

# The first picture of the page.
"$marrow" render demo:figure --clip Run --loop --count 8 --sheet 8 --gap 0 --size 208x336 --azimuth 55 --elevation 8 \
    --look post --aa 8 --png best -o "$out/hero.png" -q

# Things to post: an animation, a turntable, a sheet of all clips.
"$marrow" render demo:figure --clip Walk --loop --count 16 --size 240x320 --azimuth 50 --background none \
    -o "$out/walk.gif" -q
"$marrow" render demo:figure --clip Wave --time 1.2 --turntable 8 --sheet 4 --size 144x216 --png best \
    -o "$out/turntable.png" -q
"$marrow" sheet demo:figure --count 5 --size 112x144 --png best -o "$out/sheet.png" -q

# Light and materials.
swatches="--azimuth 12 --elevation 4 --size 400x300 --png best -q"
"$marrow" render demo:swatches $swatches -o "$out/materials.png"
"$marrow" render demo:swatches $swatches --light none --env studio --env-background -o "$out/studio.png"
"$marrow" render demo:swatches $swatches --light none --light point:pos=0,0.5,1.5,intensity=6,color=1,0.75,0.5 \
    --light directional:dir=1,-0.2,0.3,intensity=2.5,color=0.4,0.6,1 --env studio --env-intensity 0.08 \
    --background '#101418' -o "$out/lamps.png"
"$marrow" render demo:stage --time 0.8 --eye 5,3,6.6 --target 0,1,0 --size 400x300 --shadows --light none --env studio \
    --env-intensity 0.2 --light directional:dir=-1,-1.2,-0.8,intensity=2.5,color=1,0.93,0.85 --png best -q \
    -o "$out/shadows.png"

# Shading modes.
for mode in lit clay toon normal depth joint weights:chest; do
    "$marrow" render demo:figure --clip Wave --time 1.2 --azimuth 15 --size 200x280 --shading $mode --png best -q \
        -o "$out/mode-${mode%%:*}.png"
done
# Near enough for lines between triangles.
"$marrow" render demo:figure --clip Wave --time 1.2 --eye 0.32,1.5,1.2 --target 0,1.45,0 --size 200x280 --shading wire \
    --png best -q -o "$out/mode-wire.png"

# The viewer's window, and the report of a test that failed: a foot of the model turns too far.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp assets/figure.glb "$work/hero.glb"
turn=$(pwd)/scripts
cd "$work"
printf 'marrow view 1\ntick 400000\nkey k\nexpect viewer.png\n' >events.txt
"$marrow" view demo:figure --clip Walk --size 800x500 --look post --play events.txt -o "$out/" -q
printf '[walk]\nmodel = hero.glb\nsize = 288\nclip = Walk\nframes = 0-31\n[run]\nmodel = hero.glb\nsize = 288\nclip = Run\n' \
    >hero.suite.ini
CI= "$marrow" test --update -q
PYTHONPATH=$turn PYTHONDONTWRITEBYTECODE=1 python3 -c '
import pathlib, check_report
glb = check_report.Glb(pathlib.Path("hero.glb"))
glb.turn("Walk", "foot.L", [(key, 1) for key in range(10, 19)], 30)
glb.write(pathlib.Path("hero.glb"))'
"$marrow" test --report report -q 2>/dev/null || true
if chromium=$(command -v chromium); then
    "$chromium" --headless --no-sandbox --hide-scrollbars --window-size=1280,800 --force-device-scale-factor=1 \
        --virtual-time-budget=5000 --screenshot="$out/report.png" "file://$work/report/index.html" >/dev/null 2>&1
else
    echo "gallery: report.png stays as it is; Chromium is not installed"
fi
