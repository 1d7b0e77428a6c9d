#!/usr/bin/env python3
"""Writes marrow's own models into assets/: shapes, rigs, clips and textures, all from code.

    python3 scripts/make_assets.py [--out assets] [--only NAME] [--check]

--check writes nothing: it makes everything again and compares the bytes with those in --out.
Only the standard library is used and nothing is random, so a second run gives the same bytes.
Lengths are metres, Y is up and models look along +Z.
"""
import argparse
import importlib
import pathlib
import sys

MODELS = ['tentacle', 'blob', 'stage', 'swatches', 'figure', 'inchworm', 'studio', 'matcap',
          'moon', 'koi', 'lanterns', 'signal']


def make(names):
    files = {}
    for name in names:
        files.update(importlib.import_module('assets.' + name).build())
    return files


def check(folder, files):
    """The names of the files that differ from, or are missing in, `folder`."""
    wrong = []
    for name, data in sorted(files.items()):
        path = folder / name
        if not path.is_file() or path.read_bytes() != data:
            wrong.append(name)
    return wrong


def main():
    here = pathlib.Path(__file__).resolve().parent
    sys.path.insert(0, str(here))
    sys.dont_write_bytecode = True
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--out', type=pathlib.Path, default=here.parent / 'assets')
    parser.add_argument('--only', action='append', choices=MODELS, help='make only this model')
    parser.add_argument('--check', action='store_true', help='compare instead of writing')
    options = parser.parse_args()
    files = make(options.only or MODELS)
    if options.check:
        wrong = check(options.out, files)
        for name in wrong:
            print('%s: differs from what the generator makes' % (options.out / name), file=sys.stderr)
        return 1 if wrong else 0
    options.out.mkdir(parents=True, exist_ok=True)
    for name, data in sorted(files.items()):
        (options.out / name).parent.mkdir(parents=True, exist_ok=True)
        (options.out / name).write_bytes(data)
        print('%8d  %s' % (len(data), options.out / name))
    return 0


if __name__ == '__main__':
    sys.exit(main())
