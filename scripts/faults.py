#!/usr/bin/env python3
"""Lets allocations and calls of the system fail, one per run, and looks at what the command leaves.

    scripts/faults.py [--marrow build/marrow] [--preload build/faults.so] [--most N] [--only NAME]

For each scenario and each kind of fault (memory of all libraries; write, short write, rename, mkdir,
close, fsync, open; starting a program), the N-th call fails, for every N up to the number of calls; with --most, for so
many N at most, spread evenly. Then:
- the status is 0 and the files are as without faults, or it is that of the fault, with one line;
- no temporary file is left, and each file is absent, whole, or as it was before;
- the same command then completes without faults.
The last line counts faults and bad runs; the status is 1 when a run was bad.
"""
import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
KINDS = {'alloc': {77}, 'write': {4}, 'short': set(), 'rename': {4}, 'mkdir': {4}, 'close': {4},
         'fsync': {4}, 'open': {4}, 'fork': {77}}
SMALL = 'demo:figure --size 16 -j 1 -q'
SUITE = '[one]\nmodel = demo:figure\nsize = 16\n'
CHANGED = SUITE + 'azimuth = 70\n'
# Name, preparation, the command, the statuses that it has without faults, and kinds of calls that it
# must make.
SCENARIOS = [
    ('render', '', f'render {SMALL} -o w.png', {0}),
    ('info', '', 'info demo:blob --json', {0}),
    ('compile', '', 'compile demo:figure -q -o w.marrow', {0}),
    ('bake', '', 'bake demo:figure -q -j 1 -o w.obj', {0}),
    ('diff', 'render demo:figure --size 16 -q -o a.png; render demo:blob --size 16 -q -o b.png',
     'diff a.png b.png -q -j 1 -o w.png', {1}),
    ('test', 'test -q --update --force', 'test -q -j 1 --json', {0}),
    ('failing test', 'test -q --update --force; CHANGE', 'test -q -j 1', {1}),
    ('update', '', 'test -q -j 1 --update --force', {0}),
    ('accept', 'test -q --update --force; CHANGE; test -q', 'accept', {0}),
    ('merge', 'test -q --update --force; test -q', 'report merge results --report m.html', {0}),
    ('gif', '', f'render {SMALL} --clip Walk --count 3 -o w.gif', {0}),
    ('webp', '', f'render {SMALL} --clip Walk --count 3 -o w.webp', {0}),
    ('apng', '', f'render {SMALL} --clip Walk --count 3 -o w.apng', {0}),
    ('exr', '', f'render {SMALL} --aov depth,normal -o w.exr', {0}),
    ('jpeg', '', f'render {SMALL} -o w.jpg', {0}),
    ('sprites', '', 'sprites demo:figure --clip Walk --count 3 --size 16 -j 1 -q -o w.png', {0}),
    ('frames', '', f'render {SMALL} --clip Walk --count 3 -o out/{{frame}}.png', {0}, 'mkdir'),
    ('fbx', 'COPY tests/data/fuzz/fbx/binary.fbx a.fbx', 'render a.fbx --size 16 -j 1 -q -o w.png',
     {0}, 'fork'),
    ('dae', 'COPY assets/figure.dae a.dae', 'info a.dae --json', {0}, 'fork'),
    ('mp4', '', f'render {SMALL} --clip Walk --count 3 -o w.mp4', {0}, 'fork'),
]


def files_of(folder):
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in folder.rglob('*') if path.is_file()}


def is_png(path):
    """A whole one: of pictures that were drawn before the fault."""
    return path.suffix == '.png' and path.read_bytes()[-8:-4] == b'IEND'


class Scenario:
    def __init__(self, options, name, prepare, command, good, needs='alloc'):
        self.options, self.name, self.prepare, self.good = options, name, prepare, good
        self.command, self.needs = command.split(), needs.split()
        self.start = pathlib.Path(tempfile.mkdtemp())
        (self.start / 'a.suite.ini').write_text(SUITE)
        for line in filter(None, (part.strip() for part in prepare.split(';'))):
            if line == 'CHANGE':
                (self.start / 'a.suite.ini').write_text(CHANGED)
            elif line.startswith('COPY '):
                shutil.copy(ROOT / line.split()[1], self.start / line.split()[2])
            else:
                subprocess.run([options.marrow, *line.split()], cwd=self.start, capture_output=True)
        self.before = files_of(self.start)
        folder = self.copy()
        done = self.run(folder)
        if done.returncode not in good:
            sys.exit(f'{name}: status {done.returncode}: {done.stderr}')
        self.out, self.after = done.stdout, files_of(folder)
        shutil.rmtree(folder)

    def copy(self):
        folder = pathlib.Path(tempfile.mkdtemp())
        shutil.rmtree(folder)
        shutil.copytree(self.start, folder)
        return folder

    def run(self, folder, **fault):
        env = {key: value for key, value in os.environ.items() if key != 'CI'}
        if fault:
            env.update(LD_PRELOAD=self.options.preload, FAULT_KIND=fault['kind'],
                       FAULT_AT=str(fault['at']), FAULT_REPORT=fault.get('report', ''))
        return subprocess.run([self.options.marrow, *self.command], cwd=folder, env=env,
                              capture_output=True, text=True, errors='replace', timeout=120)

    def calls(self, kind):
        folder = self.copy()
        report = folder.parent / (folder.name + '.calls')
        self.run(folder, kind=kind, at=0, report=str(report))
        shutil.rmtree(folder)
        count = int(report.read_text())
        report.unlink()
        if kind in self.needs and count == 0:
            sys.exit(f'{self.name}: it makes no call of the kind {kind}')
        return count

    def one(self, kind, at):
        """What is wrong with a run in which a call fails; ''."""
        folder = self.copy()
        try:
            done = self.run(folder, kind=kind, at=at)
            found, wrong = files_of(folder), []
            if done.returncode in self.good:
                wrong += self.compare(found) if kind == 'short' or done.returncode == 0 else []
            elif done.returncode not in self.statuses(kind):
                wrong.append(f'status {done.returncode}')
            elif done.stderr.count('marrow: error: ') != 1:
                wrong.append(f'said {done.stderr!r}')
            if '--no-sandbox' in done.stderr:
                wrong.append('it advises --no-sandbox')
            wrong += [f'{path} is left' for path in found if path.endswith('.tmp')]
            # Reports of a failing run hold times and messages of their own.
            wrong += [f'{path} is half' for path, content in found.items()
                      if content not in (self.after.get(path), self.before.get(path))
                      and not path.endswith(('.json', '.html', '.tmp', '.txt'))
                      and not is_png(folder / path)]
            again = self.run(folder)
            if again.returncode not in self.good:
                wrong.append(f'the next run has status {again.returncode}: {again.stderr!r}')
            else:
                wrong += self.compare(files_of(folder))
            return '; '.join(wrong) + (f' ({done.stderr.strip()[-200:]})' if wrong else '')
        except subprocess.TimeoutExpired:
            return 'it hangs'
        finally:
            shutil.rmtree(folder)

    def statuses(self, kind):
        """Files in memory, by which importers get models, are written, too."""
        return KINDS[kind] | ({77} if kind == 'write' and 'fork' in self.needs else set())

    def compare(self, found):
        return [f'{path} differs' for path in self.after
                if found.get(path) != self.after[path] and not path.endswith(('.json', '.html'))]


def spread(count, most):
    step = max(1, -(-count // most)) if most else 1
    return range(1, count + 1, step)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--marrow', default='build/marrow')
    parser.add_argument('--preload', default='build/faults.so')
    parser.add_argument('--most', type=int, default=0)
    parser.add_argument('--only')
    options = parser.parse_args()
    options.marrow = str(pathlib.Path(options.marrow).resolve())
    options.preload = str(pathlib.Path(options.preload).resolve())
    faults = bad = 0
    for name, *rest in SCENARIOS:
        if options.only and options.only != name:
            continue
        scenario = Scenario(options, name, *rest)
        jobs = [(kind, at) for kind in KINDS for at in spread(scenario.calls(kind), options.most)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(lambda job: scenario.one(*job), jobs))
        wrong = [(job, result) for job, result in zip(jobs, results) if result]
        for (kind, at), result in wrong[:20]:
            print(f'{name}: {kind} {at}: {result}')
        faults += len(jobs)
        bad += len(wrong)
        print(f'{name}: {len(jobs)} faults, {len(wrong)} bad', flush=True)
        shutil.rmtree(scenario.start)
    print(f'{faults} faults, {bad} bad')
    return bad > 0


if __name__ == '__main__':
    sys.exit(main())
