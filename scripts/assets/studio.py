"""Two studios: grey soft boxes around a model, as equirectangular Radiance pictures.

The viewer stands at +Z, Y is up. A key on the upper left, a fill on the right, two strips behind
and a box overhead, in a room whose floor is lighter than its walls. studio.hdr is bright: a white
matt surface shows 1 in the mean, and from any side nearly as much. One of its strips is the rim
light. A lamp in its place would put wet glints on rough cloth and sparkles into hair.
studio-dim.hdr is half as bright and goes with the three-point rig, which has a rim light of its
own. `make studio` makes assets/studio.env of studio.hdr. Both are part of the library.
"""
import math

WIDTH, HEIGHT = 512, 256
# azimuth from +Z to +X and height in degrees, half of width and height at distance 1, radiance
DIM_BOXES = [
    (-42.0, 42.0, 0.40, 0.34, 2.4),  # key
    (62.0, 14.0, 0.30, 0.52, 0.9),   # fill
    (148.0, 28.0, 0.12, 0.62, 1.9),  # strips
    (-140.0, 24.0, 0.12, 0.62, 1.9),
    (0.0, 90.0, 0.45, 0.45, 0.6),    # overhead
]
BOXES = [
    (-42.0, 42.0, 0.40, 0.34, 4.8),
    (62.0, 14.0, 0.30, 0.52, 1.8),
    (148.0, 28.0, 0.12, 0.62, 6.5),  # the rim light
    (-140.0, 24.0, 0.12, 0.62, 3.8),
    (0.0, 90.0, 0.45, 0.45, 1.2),
]
SOFT = 0.06  # over which an edge fades


def _fade(inside):
    t = min(max(0.5 + inside / SOFT, 0.0), 1.0)
    return t * t * (3.0 - 2.0 * t)


def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _frame(azimuth, height):
    """The direction to a box, and its right and its up."""
    a, h = math.radians(azimuth), math.radians(height)
    return ((math.cos(h) * math.sin(a), math.sin(h), math.cos(h) * math.cos(a)),
            (math.cos(a), 0.0, -math.sin(a)),
            (-math.sin(h) * math.sin(a), math.cos(h), -math.sin(h) * math.cos(a)))


def _frames(boxes):
    return [_frame(b[0], b[1]) + b[2:] for b in boxes]


def radiance(d, room, frames):
    """The radiance from direction d; `room` multiplies that of the walls and the floor."""
    # The room: walls that fade upwards, a floor that is lightest below the model.
    y = d[1]
    blend = _fade(0.3 * (y + 0.08))
    wall = 0.22 + 0.22 * max(y, 0.0)
    floor = 0.18 + 0.12 * y * y
    value = room * (floor + (wall - floor) * blend)
    for to, right, up, across, along, strength in frames:
        c = _dot(d, to)
        if c > 0.1:
            x, z = abs(_dot(d, right)) / c, abs(_dot(d, up)) / c
            value += strength * _fade(across - x) * _fade(along - z)
    return value


def _rgbe(value):
    mantissa, exponent = math.frexp(value)
    whole = int(mantissa * 256.0 + 0.5)
    if whole == 256:
        whole, exponent = 128, exponent + 1
    return whole, exponent + 128


def _packed(data):
    """Run lengths of one byte of each pixel of a row."""
    out, i = bytearray(), 0
    while i < len(data):
        run = 1
        while i + run < len(data) and run < 127 and data[i + run] == data[i]:
            run += 1
        if run >= 3:
            out += bytes([128 + run, data[i]])
            i += run
            continue
        end = i + run
        while end < len(data) and end - i < 128 and not (
                end + 2 < len(data) and data[end] == data[end + 1] == data[end + 2]):
            end += 1
        out.append(end - i)
        out += data[i:end]
        i = end
    return bytes(out)


def _picture(room, boxes):
    frames = _frames(boxes)
    out = bytearray(b'#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y %d +X %d\n' % (HEIGHT, WIDTH))
    for row in range(HEIGHT):
        polar = math.pi * (row + 0.5) / HEIGHT
        pixels = []
        for column in range(WIDTH):
            turn = 2.0 * math.pi * ((column + 0.5) / WIDTH - 0.5)
            direction = (math.sin(polar) * math.cos(turn), math.cos(polar),
                         math.sin(polar) * math.sin(turn))
            pixels.append(_rgbe(radiance(direction, room, frames)))
        grey = _packed(bytes(p[0] for p in pixels))
        out += bytes([2, 2, WIDTH >> 8, WIDTH & 255])
        out += grey * 3 + _packed(bytes(p[1] for p in pixels))
    return bytes(out)


def build():
    return {'studio.hdr': _picture(2.0, BOXES), 'studio-dim.hdr': _picture(1.0, DIM_BOXES)}
