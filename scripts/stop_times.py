#!/usr/bin/env python3
"""Measures how soon commands end after a signal, in milliseconds of their CPU time.

    scripts/stop_times.py [--marrow build/marrow] [--runs 10] [--seed 1]

Each command takes far longer than it is given. Signals come at random moments. The last line says
the largest figure; the status is 1 when a run left something, or lacked its line or its status.
"""
import argparse
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TICK = os.sysconf('SC_CLK_TCK')
LONG = ['demo:figure', '--clip', 'Walk', '--fps', '9000', '-q']
COMMANDS = {
    'still': ['render', 'demo:figure', '--size', '16000', '--aa', '8', '--png', 'best', '-o', 'w.png'],
    'still, one thread': ['render', 'demo:figure', '--size', '16000', '--aa', '8', '-j', '1', '-o', 'w.png'],
    'shadows': ['render', 'demo:figure', '--size', '16000', '--look', 'hero', '--shadow-size', '8192', '-o', 'w.png'],
    'frames': ['render', *LONG, '--size', '1024', '-o', 'out/{frame}.png'],
    'gif': ['render', *LONG, '--size', '1024', '-o', 'w.gif'],
    'apng': ['render', *LONG, '--size', '1024', '-o', 'w.apng'],
    'webp': ['render', *LONG, '--size', '2048', '-o', 'w.webp'],
    'jpeg': ['render', *LONG, '--size', '2048', '-o', 'out/{frame}.jpg'],
    'exr': ['render', *LONG, '--size', '2048', '--aov', 'depth,normal', '-o', 'out/{frame}.exr'],
    'sheet': ['sheet', 'demo:figure', '--count', '200', '--size', '512', '-o', 'w.png'],
    'sprites': ['sprites', 'demo:figure', '--count', '300', '--size', '512', '-o', 'w.png'],
    'bake': ['bake', *LONG, '-o', 'out/{frame}.obj'],
    'joints': ['bake', *LONG, '--joints', 'out/joints.jsonl'],
    'diff': ['diff', 'demo:figure', str(ROOT / 'assets/figure.m3d'), '--fps', '1000', '-o', 'out'],
    'test': ['test', 'a.suite.ini', '-q', '--update=all', '--force'],
    'pick': ['pick', 'demo:figure', '--at', '8000,8000', '--size', '16000'],
    'environment': ['render', 'demo:figure', '--env', str(ROOT / 'assets/studio.hdr'), '--size', '16000', '-o', 'w.png'],
}


def cpu_seconds(pid):
    """User and system time of a process that has ended but was not waited for."""
    fields = pathlib.Path(f'/proc/{pid}/stat').read_text().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK, fields[0]


def hear_signals():
    """In the child: whoever started this script may ignore them, as nohup does, and so would it."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def run(marrow, name, rng, folder):
    (folder / 'out').mkdir()
    (folder / 'a.suite.ini').write_text('[long]\nmodel = demo:figure\nclip = Walk\nfps = 9000\nsize = 512\n')
    number = rng.choice([signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
    child = subprocess.Popen([marrow, *COMMANDS[name]], cwd=folder, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True, preexec_fn=hear_signals)
    time.sleep(0.05 + rng.random())
    before = cpu_seconds(child.pid)[0]
    start = time.monotonic()
    os.kill(child.pid, number)
    while True:
        after, state = cpu_seconds(child.pid)
        if state == 'Z':
            break
        time.sleep(0.001)
    wall = time.monotonic() - start
    said = child.communicate()[1]
    left = [str(path) for path in folder.rglob('.*.tmp')]
    stopped = (said.endswith('marrow: error: stopped by a signal\n') and
               child.returncode in (-number, 128 + number))
    good = not left and (stopped or child.returncode == 0)  # 0: it was done
    return after - before, wall, '' if good else f'{child.returncode} {said!r} {left}'


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--marrow', default='build/marrow')
    parser.add_argument('--runs', type=int, default=10)
    parser.add_argument('--seed', type=int, default=1)
    options = parser.parse_args()
    marrow = str(pathlib.Path(options.marrow).resolve())
    rng = random.Random(options.seed)
    bad, worst = 0, 0.0
    for name in COMMANDS:
        cpu, wall = [], []
        for _ in range(options.runs):
            folder = pathlib.Path(tempfile.mkdtemp())
            seconds, waited, fault = run(marrow, name, rng, folder)
            shutil.rmtree(folder)
            cpu.append(seconds)
            wall.append(waited)
            if fault:
                bad += 1
                print(f'{name}: {fault}')
        worst = max(worst, max(cpu))
        print(f'{name:20} CPU {1000 * sorted(cpu)[len(cpu) // 2]:5.0f} ms, at most {1000 * max(cpu):5.0f}; '
              f'wall at most {1000 * max(wall):5.0f} ms')
    print(f'{bad} bad; at most {1000 * worst:.0f} ms of CPU')
    return bad > 0


if __name__ == '__main__':
    sys.exit(main())
