#!/usr/bin/env python3
"""Damages copies of models in every way a disk, a network or a stranger can, and runs the command.

    scripts/fuzz_damage.py [--marrow build/marrow] [--copies 500] [--seed 1] [--keep DIR] [MODEL...]

The models (all of assets/ by default: .glb, .dae, .m3d, .iqm, one compiled to .marrow, and the
generated .fbx of tests/data/fuzz) are damaged as
they are and, a .glb, as .gltf with base64 buffers: cut short, bits flipped, numbers, words, lines
and whole values of the JSON exchanged, chunk lengths changed; a .marrow also with its hash mended.
`marrow info` and `marrow render` must end by themselves with status 0, or with status 3, one line
(behind warnings) that names the file, and no picture. An import that reaches its time limit ends
with status 77 in the same way: how soon it does depends on the machine. Copy K depends on the seed, on K and on the models alone.
Copies that fail are kept in --keep. The last line counts; the status is 1 when a copy failed.
"""
import argparse
import base64
import collections
import concurrent.futures
import hashlib
import json
import math
import os
import pathlib
import random
import re
import resource
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 150  # seconds until a command hangs: an import of 10 is cut off; the machine may be busy
BUFFER = re.compile(r'"buffers"\s*:\s*\[\s*\{')
NUMBER = re.compile(r'(?<=[:,\[\s])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?=[,\]}\s])')
TEXT_NUMBER = re.compile(r'(?<=[\s">])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?=[\s"<])')
TEXT_WORD = re.compile(r'(?<=[\s"<>/])[A-Za-z_][A-Za-z_0-9:-]*(?=[\s"<>/=])')
WORD = re.compile(r'(?<=")[A-Za-z_0-9]+(?=")')
NUMBERS = ['0', '1', '2', '3', '-1', '255', '65535', '65536', '2147483647', '4294967295',
           '4294967296', '9007199254740993', '18446744073709551616', '0.5', '-0.0', '1e-45',
           '3e38', '1e39', '-1e308', '1e999', '5120', '5121', '5123', '5125', '5126']
VALUES = [None, True, False, 0, -1, 1e300, '', 'x', [], {}, [[]], [0], {'index': 0}, '../../x',
          'data:,', 'data:application/octet-stream;base64,AAAA']


# ---- the two forms of a model ------------------------------------------------------------------

def read_model(path):
    """JSON and BIN chunk of a .glb; the text of a .gltf and None."""
    data = path.read_bytes()
    if data[:4] != b'glTF':
        return data.decode(), None
    length = struct.unpack_from('<I', data, 12)[0]
    return data[20:20 + length].decode(), data[28 + length:]


def join_glb(text, binary):
    chunk = text.encode()
    chunk += b' ' * (-len(chunk) % 4)
    chunks = struct.pack('<II', len(chunk), 0x4E4F534A) + chunk
    chunks += struct.pack('<II', len(binary), 0x004E4942) + binary
    return struct.pack('<4sII', b'glTF', 2, 12 + len(chunks)) + chunks


def with_data_uri(text, binary):
    """The text of a .gltf, where the damage left a first buffer to put the bytes in."""
    uri = 'data:application/octet-stream;base64,' + base64.b64encode(binary).decode()
    return BUFFER.sub(lambda found: f'{found.group()}"uri":"{uri}",', text, count=1)


# ---- damage to JSON ----------------------------------------------------------------------------

def exchange(rng, text, pattern, choose):
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        found = list(pattern.finditer(text))
        at = rng.choice(found)
        text = text[:at.start()] + choose(at, found) + text[at.end():]
    return text


def edit_numbers(rng, text, pattern=NUMBER):
    def choose(at, _):
        if rng.random() < 0.3 and math.isfinite(float(at.group())):  # 1e999 may stand there by now
            return str(int(float(at.group())) + rng.choice([-1, 1, 4]))
        return rng.choice(NUMBERS)
    return exchange(rng, text, pattern, choose)


def edit_words(rng, text, pattern=WORD):
    return exchange(rng, text, pattern, lambda at, found: rng.choice(found).group())


def edit_values(rng, text):
    """Exchanges, doubles, empties or removes a value somewhere in the tree."""
    tree = json.loads(text)
    for _ in range(rng.choice([1, 1, 2, 4])):
        places = []
        todo = [tree]
        while todo:
            node = todo.pop()
            inside = list(node.items() if isinstance(node, dict) else enumerate(node))
            places += [(node, key) for key, _ in inside]
            todo += [value for _, value in inside if isinstance(value, (dict, list))]
        if not places:
            break
        node, key = rng.choice(places)
        if rng.random() < 0.4:
            del node[key]
        elif rng.random() < 0.3:
            other, name = rng.choice(places)
            node[key] = json.loads(json.dumps(other[name]))
        else:
            node[key] = rng.choice(VALUES)
    return json.dumps(tree)


# ---- damage to other text ----------------------------------------------------------------------

def edit_text_numbers(rng, text):
    return edit_numbers(rng, text, TEXT_NUMBER)


def edit_text_words(rng, text):
    return edit_words(rng, text, TEXT_WORD)


def edit_lines(rng, text):
    """Removes, doubles or exchanges lines."""
    lines = text.split('\n')
    for _ in range(rng.choice([1, 1, 3])):
        at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[at:at + 1] = rng.choice([[], [lines[at]] * 2, [lines[other]]])
    return '\n'.join(lines)


# ---- damage to bytes ---------------------------------------------------------------------------

def cut(rng, data):
    return data[:rng.choice([rng.randrange(len(data)), rng.randrange(min(len(data), 64)),
                             len(data) - 1 - rng.randrange(8)])]


def flip_bits(rng, data):
    data = bytearray(data)
    end = rng.choice([len(data), min(len(data), 4096), 32])
    for _ in range(rng.choice([1, 3, 30])):
        data[rng.randrange(end)] ^= 1 << rng.randrange(8)
    return bytes(data)


def edit_lengths(rng, data):
    """The lengths in the header of a GLB and its chunks; of another file, four bytes anywhere."""
    data = bytearray(data)
    places = [rng.randrange(len(data) - 4)]
    if data[:4] == b'glTF':
        places = [4, 8, 12, 16, 20 + struct.unpack_from('<I', data, 12)[0]]
    at = rng.choice(places)
    old = struct.unpack_from('<I', data, at)[0]
    new = rng.choice([0, 1, old + 1, old - 1, old + 4, old - 4, len(data), 2**31, 2**32 - 1])
    struct.pack_into('<I', data, at, new & (2**32 - 1))
    return bytes(data)


def mend_hash(rng, data):
    """Damage inside a compiled scene whose hash says that all is well."""
    data = rng.choice([flip_bits, edit_lengths])(rng, data[64:])
    return COMPILED_START + struct.pack('<Q', len(data)) + hashlib.sha256(data).digest() + bytes(8) + data


def edit_header(rng, data):
    """One of the counts and offsets of an IQM."""
    data = bytearray(data)
    at = 16 + 4 * rng.randrange(27)
    old = struct.unpack_from('<I', data, at)[0]
    new = rng.choice([0, 1, old + 1, old - 1, old * 2, old // 2, len(data), 2**31, 2**32 - 1])
    struct.pack_into('<I', data, at, new & (2**32 - 1))
    return bytes(data)


COMPILED_START = b'\x8dmarrow\n' + struct.pack('<II', 2, 0x01020304)
BYTES = [cut, flip_bits, edit_lengths]
TEXT = [edit_text_numbers, edit_text_numbers, edit_text_words, edit_lines]
DAMAGES = [edit_numbers, edit_numbers, edit_values, edit_values, edit_words, cut, flip_bits,
           edit_lengths]


def damaged_other(rng, number, model):
    """The same for a model that is no glTF."""
    data = model.read_bytes()
    others = {'.marrow': [mend_hash] * 5, '.iqm': [edit_header] * 3}
    if data[:7] == b'Kaydara':
        others['.fbx'] = []
    damage = rng.choice(BYTES + others.get(model.suffix, TEXT))
    data = damage(rng, data.decode()).encode() if damage in TEXT else damage(rng, data)
    return f'{number:05}-{model.stem}-{damage.__name__}{model.suffix}', data


def damaged(seed, number, models):
    """The name and bytes of copy `number`."""
    rng = random.Random(f'{seed} {number}')
    model = rng.choice(models)
    if model.suffix not in ('.glb', '.gltf'):
        return damaged_other(rng, number, model)
    text, binary = read_model(model)
    as_text = binary is None or rng.random() < 0.4
    damage = rng.choice(DAMAGES)
    if damage in (edit_numbers, edit_values, edit_words):
        text = damage(rng, text)
    if binary is None:
        data = text.encode()
    elif as_text:
        data = with_data_uri(text, binary).encode()
    else:
        data = join_glb(text, binary)
    if damage in BYTES:
        data = damage(rng, data)
    name = f'{number:05}-{model.stem}-{damage.__name__}' + ('.gltf' if as_text else '.glb')
    return name, data


# ---- running -----------------------------------------------------------------------------------

def complaint(done, path, picture):
    """What is wrong with how a command ended; empty for nothing."""
    talk = done.stderr.decode(errors='backslashreplace')
    out_of_time = done.returncode == 77 and 'the import took longer than' in talk
    if done.returncode not in (0, 3) and not out_of_time:
        return f'status {done.returncode}: {talk[-2000:]}'
    if any(ord(c) < 32 and c != '\n' or ord(c) == 127 for c in talk):
        return f'control characters: {talk!r}'
    if done.returncode == 0:
        return '' if picture is None or picture.is_file() else 'no picture'
    *before, last = talk.splitlines() or ['']
    if 'error:' not in last or path.name not in last or any('warning:' not in b for b in before):
        return f'not one line with the name, behind warnings at most: {talk}'
    if done.stdout or (picture is not None and picture.exists()):
        return f'output in spite of: {talk}'
    return ''


def try_copy(marrow, seed, number, models, folder, keep):
    name, data = damaged(seed, number, models)
    path, picture = folder / name, folder / (name + '.png')
    path.write_bytes(data)
    statuses, wrong = [], []
    for command, out in ((['info', path], None),
                         (['render', path, '--size', '32', '-j', '1', '-o', picture], picture)):
        try:
            done = subprocess.run([marrow, *command], capture_output=True, timeout=LIMIT,
                                  stdin=subprocess.DEVNULL, check=False)
        except subprocess.TimeoutExpired:
            wrong.append(f'{name}: {command[0]}: still running after {LIMIT} s')
            continue
        statuses.append(done.returncode)
        said = complaint(done, path, out)
        if said:
            wrong.append(f'{name}: {command[0]}: {said}')
    if wrong and keep:
        keep.mkdir(parents=True, exist_ok=True)
        (keep / name).write_bytes(data)
    path.unlink()
    picture.unlink(missing_ok=True)
    return statuses, wrong


def own_models(marrow, folder):
    """The models of assets/, and one of them compiled in `folder`."""
    compiled = folder / 'stage.marrow'
    subprocess.run([marrow, 'compile', '-q', 'demo:stage', '-o', compiled], check=True)
    assets = ROOT / 'assets'
    return sorted(assets.glob('*.glb')) + [assets / 'draco/tentacle.glb', assets / 'figure.dae', assets / 'figure.m3d', assets / 'koi/koi.iqm',
                                             assets / 'koi/dive.iqm', compiled, *sorted(
                                                 (ROOT / 'tests/data/fuzz/fbx').glob('*.fbx'))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--marrow', default=os.environ.get('BUILD', 'build') + '/marrow')
    parser.add_argument('--copies', type=int, default=500)
    parser.add_argument('--first', type=int, default=0, help='number of the first copy')
    parser.add_argument('--seed', default='1')
    parser.add_argument('--keep', type=pathlib.Path)
    parser.add_argument('models', nargs='*', type=pathlib.Path)
    options = parser.parse_args()
    marrow = os.path.abspath(options.marrow)
    numbers = range(options.first, options.first + options.copies)
    statuses, failures = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        models = options.models or own_models(marrow, pathlib.Path(folder))
        jobs = [pool.submit(try_copy, marrow, options.seed, k, models, pathlib.Path(folder),
                            options.keep) for k in numbers]
        for job in jobs:
            ended, wrong = job.result()
            statuses.update(ended)
            failures += bool(wrong)
            for line in wrong:
                print(line)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(f'fuzz_damage: {options.copies} copies of {len(models)} models: {statuses[0]} runs ended '
          f'with status 0, {statuses[3]} with 3, {statuses[77]} at the time limit; '
          f'{failures} copies failed; {peak} MB at most')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
