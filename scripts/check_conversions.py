#!/usr/bin/env python3
"""Finds conversions of floating-point numbers to integers outside the helpers that clamp.

    scripts/check_conversions.py [FILE...]

C leaves the result undefined when the number does not fit, and CPUs differ. So a number that comes
from a file goes through mrwi_base_round_to_int, mrwi_base_to_u32 or mrwi_base_to_u64 (base/math.h).
Any other conversion states on its line, or on the line before, why its number fits: a comment that
contains "in range". Reads clang's syntax tree of the rooms that read files.
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROOMS = 'load import image sandbox scene suite report options golden retarget'.split()
FLAGS = ['-std=c11', '-D_GNU_SOURCE', '-Iinclude', '-Isrc', '-isystem', '/usr/include/stb', '-fopenmp',
         '-fsyntax-only', '-w', '-fno-color-diagnostics', '-Xclang', '-ast-dump']
PLACE = re.compile(r'(?:(?P<file>[^\s<,:]+\.[ch]):(?P<at>\d+):\d+|line:(?P<line>\d+):\d+)')
HELPERS = {'src/base/math.c'}


def conversions(path):
    """Lines of a file with a conversion."""
    done = subprocess.run(['clang', *FLAGS, str(path)], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f'{path}: {done.stderr}')
    lines, file, line = set(), '', 0
    for text in done.stdout.splitlines():
        begin = text.find('<')
        end = text.find('>', begin)
        for found in PLACE.finditer(text[begin:end]) if begin >= 0 else ():
            if found['file']:
                file = found['file']
            line = int(found['at'] or found['line'])
            first = line
        if 'FloatingToIntegral' in text and file.endswith(str(path)):
            lines.add(line)
    return sorted(lines)


def faults(path):
    text = (ROOT / path).read_text().splitlines()
    return [f'{path}:{line}: {text[line - 1].strip()}' for line in conversions(path)
            if 'in range' not in text[line - 1] + text[line - 2]]


def main():
    files = [pathlib.Path(name) for name in sys.argv[1:]]
    files = files or [path.relative_to(ROOT) for room in ROOMS
                      for path in sorted((ROOT / 'src' / room).glob('*.c'))]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = [line for lines in pool.map(faults, files) for line in lines]
    for line in found:
        print(line)
    print(f'check_conversions: {len(files)} files, {len(found)} conversions that nothing clamps')
    return bool(found)


if __name__ == '__main__':
    sys.exit(main())
