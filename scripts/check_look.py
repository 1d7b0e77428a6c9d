#!/usr/bin/env python3
"""Compares marrow's look with three.js's: how bright models are, and how much of them is black or white.

    scripts/check_look.py MARROW [MODELS_FOLDER] [options of marrow ...]
    scripts/check_look.py --self-test

scripts/look_three.json has the models' paths below MODELS_FOLDER, the cameras and three.js's numbers,
and says how they were made; those below own/ are made here, by scripts/assets/metals.py. Without
MODELS_FOLDER only these are drawn (`make look-check`). Each model is drawn with its camera, without the
lights of its file, and with the options given here: those of a look or of lights, not of the camera.

The subject is what a picture without a background covers fully. The mean is 0.2126 R + 0.7152 G +
0.0722 B of the encoded bytes over it. A pixel is near-black when its largest channel is below 16, and
white when its smallest is 254 or more. The goals: four models of five within 20 levels of three.js;
near-black at most 3 % and white at most 1 % of each subject, or three.js's own share where that is
more. Exit status 1: a goal is missed; 2: a model is missing or was not drawn.
"""
import contextlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile

SCRIPTS = pathlib.Path(__file__).resolve().parent
TABLE = SCRIPTS / "look_three.json"
LEVELS = 20
OWN_LEVELS = 25  # for each of the own models, if only these are drawn
WITHIN = 0.8
BLACK, WHITE = 0.03, 0.01

BELOW_16 = bytes(255 if v < 16 else 0 for v in range(256))
FROM_254 = bytes(255 if v >= 254 else 0 for v in range(256))
ONLY_255 = bytes(255 if v == 255 else 0 for v in range(256))


def read_pam(data):
    """The channels of a PAM of 8 bits, one bytes object each."""
    head, _, body = data.partition(b"ENDHDR\n")
    words = dict(line.split(b" ", 1) for line in head.split(b"\n") if b" " in line)
    depth = int(words[b"DEPTH"])
    if depth not in (3, 4) or words[b"MAXVAL"] != b"255":
        sys.exit("check_look: this needs pictures of 8 bits: leave out --bits and --palette")
    return [body[c::depth] for c in range(depth)]


def both(*planes):
    """The bitwise and of planes of equal length."""
    value = int.from_bytes(planes[0], "little")
    for plane in planes[1:]:
        value &= int.from_bytes(plane, "little")
    return value.to_bytes(len(planes[0]), "little")


def measure(colors, alpha):
    """The mean, and the shares of near-black and white pixels, where alpha is 255."""
    mask = alpha.translate(ONLY_255)
    count = mask.count(255)
    if count == 0:
        return 0.0, 0.0, 0.0
    red, green, blue = (sum(both(plane, mask)) for plane in colors)
    black = both(mask, *(plane.translate(BELOW_16) for plane in colors)).count(255)
    white = both(mask, *(plane.translate(FROM_254) for plane in colors)).count(255)
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / count, black / count, white / count


def draw(marrow, model, size, options):
    with tempfile.TemporaryDirectory(prefix="check_look") as folder:
        out = pathlib.Path(folder, "picture.pam")
        command = [marrow, "render", model, "--size", str(size), "-q", "-o", out, *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if done.returncode not in (0, 5):
            print(f"check_look: {model} was not drawn: {done.stderr.strip()}", file=sys.stderr)
            sys.exit(2)
        return read_pam(out.read_bytes())


def make_own(folder):
    """Writes the models of assets/metals.py to `folder`."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(SCRIPTS))
    from assets import metals
    figure = (SCRIPTS.parent / "assets" / "figure.glb").read_bytes()
    for name, data in metals.build(figure).items():
        (folder / name).write_bytes(data)


def row_of(marrow, folder, own, model, size, options):
    kind, _, name = model["path"].partition("/")
    path = own / name if kind == "own" else folder / model["path"]
    if not path.is_file():
        print(f"check_look: {path} does not exist; give the folder of models", file=sys.stderr)
        sys.exit(2)
    camera = [*model["camera"].split(), "--file-lights", "off"]
    alpha = draw(marrow, path, size, [*camera, "--shading", "unlit", "--background", "none"])[3]
    mean, black, white = measure(draw(marrow, path, size, [*camera, *options])[:3], alpha)
    return {
        "name": model["name"], "mean": mean, "three": model["mean"], "black": black, "white": white,
        "three_black": model["black"] / model["pixels"],
        "three_white": model["white"] / model["pixels"],
    }


def missed(rows, share=WITHIN, levels=LEVELS):
    """Prints the totals. Returns the goals that are missed, as text."""
    out = []
    within = sum(abs(row["mean"] - row["three"]) <= levels for row in rows)
    print(f"{within} of {len(rows)} models are within {levels} levels of three.js; "
          f"mean {sum(row['mean'] for row in rows) / len(rows):.1f}, "
          f"three.js {sum(row['three'] for row in rows) / len(rows):.1f}")
    if within < share * len(rows):
        out.append(f"{within} of {len(rows)} models are within {levels} levels, "
                   f"and {share:.0%} should be")
    for kind, goal in (("black", BLACK), ("white", WHITE)):
        most = max(rows, key=lambda row: row[kind])
        print(f"{kind}: mean {sum(row[kind] for row in rows) / len(rows):.2%}, "
              f"most {most[kind]:.2%} ({most['name']})")
        out += [f"{row['name']}: {row[kind]:.2%} of it is {kind}, and at most "
                f"{max(goal, row['three_' + kind]):.2%} should be"
                for row in rows if row[kind] > max(goal, row["three_" + kind])]
    return out


def self_test():
    """Measures four pixels whose values were found by hand."""
    header = b"P7\nWIDTH 2\nHEIGHT 2\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
    pixels = [(100, 200, 50, 255), (15, 0, 15, 255), (254, 255, 254, 255), (9, 9, 9, 254)]
    red, green, blue, alpha = read_pam(header + b"".join(map(bytes, pixels)))
    mean, black, white = measure([red, green, blue], alpha)
    # 100*.2126 + 200*.7152 + 50*.0722 = 167.91; 15*(.2126 + .0722) = 4.272; 254 + .7152 = 254.7152
    assert abs(mean - (167.91 + 4.272 + 254.7152) / 3) < 1e-9, mean
    assert (black, white) == (1 / 3, 1 / 3), (black, white)
    good = {"name": "a", "mean": 100, "three": 120, "black": 0.03, "white": 0.05,
            "three_black": 0, "three_white": 0.05}
    assert missed([good]) == []
    for change in ({"mean": 99.9}, {"black": 0.031}, {"white": 0.051}):
        assert len(missed([{**good, **change}])) == 1, change


def measure_all(marrow, folder, own, options):
    """Prints the table. Returns its rows."""
    table = json.loads(TABLE.read_text())
    print(f"{'model':34} {'mean':>6} {'three':>6} {'diff':>6} {'black':>7} {'white':>7}")
    rows = []
    for model in table["models"]:
        if not folder and not model["path"].startswith("own/"):
            continue
        row = row_of(marrow, folder, own, model, table["size"], options)
        rows.append(row)
        difference = row["mean"] - row["three"]
        print(f"{row['name']:34} {row['mean']:6.1f} {row['three']:6.1f} {difference:+6.1f} "
              f"{row['black']:7.2%} {row['white']:7.2%}"
              f"{'  *' if abs(difference) > LEVELS else ''}", flush=True)
    return rows


def main():
    if sys.argv[1:] == ["--self-test"]:
        with contextlib.redirect_stdout(io.StringIO()):
            self_test()
        return
    if len(sys.argv) < 2:
        print(__doc__.strip(), file=sys.stderr)
        sys.exit(2)
    marrow, options = sys.argv[1], sys.argv[2:]
    named = options and not options[0].startswith("-")
    folder = pathlib.Path(options.pop(0)) if named else None
    with tempfile.TemporaryDirectory(prefix="check_look") as own:
        make_own(pathlib.Path(own))
        rows = measure_all(marrow, folder, pathlib.Path(own), options)
    goals = missed(rows) if folder else missed(rows, 1.0, OWN_LEVELS)
    for text in goals:
        print(f"check_look: {text}")
    sys.exit(1 if goals else 0)


main()
