"""The matcap: a ball of warm clay under a soft key from the upper left, with a cool light behind.

64 x 64 pixels; beside the ball its rim goes on, so that no filter sees anything else.
"""
import math

from . import png

SIZE = 64
KEY, BACK = (-0.48, 0.62, 0.62), (0.72, -0.28, -0.05)
CLAY, WARM, COOL = (0.46, 0.23, 0.15), (1.0, 0.93, 0.84), (0.30, 0.44, 0.62)


def _unit(v):
    n = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    return (v[0] / n, v[1] / n, v[2] / n)


def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


_KEY, _BACK = _unit(KEY), _unit(BACK)
_HALF = _unit((_KEY[0], _KEY[1], _KEY[2] + 1.0))


def _light(n):
    key = max(0.5 * _dot(n, _KEY) + 0.5, 0.0) ** 2
    shine = max(_dot(n, _HALF), 0.0) ** 24
    rim = max(_dot(n, _BACK), 0.0) ** 2 * (1.0 - n[2])
    return [CLAY[k] * (0.06 + 1.15 * key) * WARM[k] + 0.18 * shine * WARM[k] + rim * COOL[k]
            for k in range(3)]


def _byte(x):
    x = min(max(x, 0.0), 1.0)
    x = 12.92 * x if x <= 0.0031308 else 1.055 * x ** (1.0 / 2.4) - 0.055
    return int(255.0 * x + 0.5)


def build():
    pixels = bytearray()
    for j in range(SIZE):
        for i in range(SIZE):
            x, y = (i + 0.5) * 2.0 / SIZE - 1.0, 1.0 - (j + 0.5) * 2.0 / SIZE
            r = math.sqrt(x * x + y * y)
            if r > 1.0:
                x, y, r = x / r, y / r, 1.0
            pixels += bytes(map(_byte, _light((x, y, math.sqrt(max(1.0 - r * r, 0.0))))))
    return {'matcap.png': png.encode(SIZE, SIZE, bytes(pixels))}
