"""PNG files: 8-bit RGB or RGBA, one filter a row chosen by the usual least-sum heuristic."""
import struct
import zlib


def _chunk(kind, data):
    return (struct.pack('>I', len(data)) + kind + data +
            struct.pack('>I', zlib.crc32(kind + data) & 0xffffffff))


def _sub(row, bpp):
    left = bytes(bpp) + row[:-bpp]
    return bytes([(a - b) & 255 for a, b in zip(row, left)])


def _up(row, above):
    return bytes([(a - b) & 255 for a, b in zip(row, above)])


def _paeth(row, above, bpp):
    left = bytes(bpp) + row[:-bpp]
    corner = bytes(bpp) + above[:-bpp]
    out = bytearray(len(row))
    i = 0
    for x, a, b, c in zip(row, left, above, corner):
        pa, pb = b - c, a - c
        pc = pa + pb
        pa, pb, pc = abs(pa), abs(pb), abs(pc)
        out[i] = (x - (a if pa <= pb and pa <= pc else b if pb <= pc else c)) & 255
        i += 1
    return bytes(out)


_COST = [min(v, 256 - v) for v in range(256)]


def _cost(data):
    return sum(map(_COST.__getitem__, data))


def encode(width, height, pixels, channels=3):
    """PNG bytes of `pixels`: rows from the top, `channels` (3 or 4) bytes a pixel."""
    stride = width * channels
    above = bytes(stride)
    out = bytearray()
    for y in range(height):
        row = bytes(pixels[y * stride:(y + 1) * stride])
        if row == above:
            candidates = [(2, bytes(stride))]
        else:
            candidates = [(0, row), (1, _sub(row, channels)), (2, _up(row, above)),
                          (4, _paeth(row, above, channels))]
        kind, data = min(candidates, key=lambda k: _cost(k[1]))
        out.append(kind)
        out += data
        above = row
    head = struct.pack('>IIBBBBB', width, height, 8, 2 if channels == 3 else 6, 0, 0, 0)
    packer = zlib.compressobj(9, zlib.DEFLATED, 15, 9)
    body = packer.compress(bytes(out)) + packer.flush()
    return (b'\x89PNG\r\n\x1a\n' + _chunk(b'IHDR', head) + _chunk(b'IDAT', body) +
            _chunk(b'IEND', b''))
