#!/usr/bin/env python3
"""Checks scripts/ci/action.yml, then runs its steps as GitHub's runner would, without GitHub.

    scripts/check_action.py [--build DIR]

The form first: keys, references to inputs and steps, and no expression in a script. Faults that are
put into copies have to be found. Then jobs: inputs reach a step through `env:` only, the step's
script is run by its shell, and the files that GITHUB_OUTPUT, GITHUB_PATH and GITHUB_STEP_SUMMARY
name are read after it. Steps that use actions/cache and actions/upload-artifact are noted, and
answered as these do. The release that is installed is made from the command in the build folder.
"""
import argparse
import hashlib
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
ACTION = ROOT / "scripts/ci/action.yml"
ARCHITECTURE = {"x86_64": "X64", "aarch64": "ARM64"}[platform.machine()] # as the runner has it
EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}", re.S)

# ---- the form ------------------------------------------------------------------------------------
# Keys of action.yml that we use, as GitHub's page "Metadata syntax" has them. True: must be there.
KEYS = {
    "action": {"name": True, "description": True, "inputs": False, "outputs": False, "runs": True},
    "input": {"description": True, "default": False, "required": False},
    "output": {"description": True, "value": True},
    "runs": {"using": True, "steps": True},
    "run step": {"run": True, "shell": True, "id": False, "if": False, "env": False},
    "use step": {"uses": True, "id": False, "if": False, "with": False},
}
WITH = {
    "actions/cache@v5": {"path", "key"},
    "actions/upload-artifact@v7": {"name", "path", "archive", "if-no-files-found"},
}
OUTPUTS = {
    "actions/cache@v5": {"cache-hit"},
    "actions/upload-artifact@v7": {"artifact-url"},
}


def check_keys(kind, place, mapping, faults):
    if not isinstance(mapping, dict):
        faults.append(f"{place}: not a mapping")
        return
    for key in mapping:
        if key not in KEYS[kind]:
            faults.append(f"{place}: '{key}' is not a key of {kind}")
    for key, needed in KEYS[kind].items():
        if needed and key not in mapping:
            faults.append(f"{place}: '{key}' is missing")


def expressions(step):
    """Yields the expressions of a step; `if` is one as a whole."""
    if "if" in step:
        yield str(step["if"])
    for values in (step.get("env", {}), step.get("with", {})):
        for value in values.values():
            yield from EXPRESSION.findall(str(value))


def check_step(place, step, inputs, outputs, faults):
    check_keys("use step" if "uses" in step else "run step", place, step, faults)
    if "uses" in step:
        allowed = WITH.get(step["uses"])
        if allowed is None:
            faults.append(f"{place}: '{step['uses']}' is not an action that is known here")
        else:
            faults += [f"{place}: '{key}' is not an input of {step['uses']}"
                       for key in step.get("with", {}) if key not in allowed]
    if "${{" in str(step.get("run", "")):
        faults.append(f"{place}: an expression in a script: its value would be run as part of it")
    used = set()
    for text in expressions(step):
        for name in re.findall(r"\binputs\.([\w-]+)", text):
            used.add(name)
            if name not in inputs:
                faults.append(f"{place}: there is no input '{name}'")
        text = text.replace("github.action_repository", "")
        for name, output in re.findall(r"\bsteps\.([\w-]+)\.outputs\.([\w-]+)", text):
            if name not in outputs:
                faults.append(f"{place}: there is no earlier step '{name}'")
            elif outputs[name] is not None and output not in outputs[name]:
                faults.append(f"{place}: step '{name}' has no output '{output}'")
        others = re.sub(r"\b(inputs|steps)\.[\w.-]+|'[^']*'", "", text)
        if re.search(r"\w\.\w", others):
            faults.append(f"{place}: '{text.strip()}' has neither inputs nor steps")
    return used


def check_form(text):
    """Returns what is wrong with the action, a sentence per fault."""
    faults = []
    action = yaml.safe_load(text)
    check_keys("action", "action", action, faults)
    for kind in ("input", "output"):
        for name, entry in action.get(kind + "s", {}).items():
            check_keys(kind, f"{kind} {name}", entry, faults)
    runs = action.get("runs", {})
    check_keys("runs", "runs", runs, faults)
    if runs.get("using") != "composite":
        faults.append("runs: 'using' is not composite")
    script = (ROOT / "scripts/ci/action.sh").read_text()
    written = set(re.findall(r'echo "(\w+)=', script))
    outputs, used = {}, set()
    for number, step in enumerate(runs.get("steps", []), 1):
        used |= check_step(f"step {number}", step, action.get("inputs", {}), outputs, faults)
        if "id" in step:
            outputs[step["id"]] = OUTPUTS.get(step.get("uses"), written)
    faults += [f"no step uses the input '{name}'"
               for name in action.get("inputs", {}) if name not in used]
    for name, entry in action.get("outputs", {}).items():
        value = str(entry.get("value"))
        for step, output in re.findall(r"steps\.([\w-]+)\.outputs\.([\w-]+)", value):
            if step not in outputs or output not in outputs[step]:
                faults.append(f"output {name}: no step has it")
    return faults


# A text of action.yml, what takes its place, and what has to be said of that.
FAULTS = [
    ("description: Tests", "descripton: Tests", "'descripton' is not a key of action"),
    ("    description: Release", "    desription: Release", "'desription' is not a key of input"),
    ("    value:", "    valeu:", "'valeu' is not a key of output"),
    ("using:", "use:", "'use' is not a key of runs"),
    ("      shell: sh\n", "", "'shell' is missing"),
    ("      env:", "      evn:", "'evn' is not a key of run step"),
    ("      with:", "      wiht:", "'wiht' is not a key of use step"),
    ("        key:", "        kye:", "'kye' is not an input of actions/cache@v5"),
    ("archive: false", "archiv: false", "'archiv' is not an input of actions/upload"),
    ("actions/cache@v5", "actions/cache@main", "'actions/cache@main' is not an action"),
    ("inputs.suites", "inputs.suite", "there is no input 'suite'"),
    ("inputs.url", "inputs.file", "no step uses the input 'url'"),
    ("steps.cache.outputs", "steps.cash.outputs", "there is no earlier step 'cash'"),
    ("outputs.failed", "outputs.fialed", "step 'test' has no output 'fialed'"),
    ('action.sh" test', 'action.sh" ${{ inputs.suites }}', "an expression in a script"),
    ("inputs.merge", "github.ref", "has neither inputs nor steps"),
]


def self_test(text):
    for old, new, said in FAULTS:
        assert old in text, f"action.yml has no '{old}'"
        faults = check_form(text.replace(old, new, 1))
        assert any(said in fault for fault in faults), f"{new!r}: not found; found: {faults}"


def check_examples(version, action):
    """The jobs that the chapter shows name this version and inputs that there are."""
    chapter = (ROOT / "src/help/continuous-integration.md").read_text()
    blocks = re.findall(r"^    # \.github/workflows/.*\n((?:(?:    .*)?\n)+)", chapter, re.M)
    uses = []
    for block in blocks:
        for job in yaml.safe_load(block)["jobs"].values():
            uses += [step for step in job["steps"] if "/scripts/ci@" in step.get("uses", "")]
    faults = [f"the chapter has {step['uses']}" for step in uses
              if not step["uses"].endswith(f"/scripts/ci@v{version}")]
    faults += [f"the chapter has an input '{name}'" for step in uses
               for name in step.get("with", {}) if name not in action["inputs"]]
    return faults + ([] if len(uses) == 3 else [f"the chapter uses the action {len(uses)} times"])


# ---- a runner ------------------------------------------------------------------------------------
class Runner:
    """Runs the steps of the action in one job. actions/cache brings back the folder `cached`."""

    def __init__(self, top, workspace, inputs, cached=None):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="job-", dir=top))
        self.workspace, self.cached = workspace, cached
        self.action = yaml.safe_load(ACTION.read_text())
        self.inputs = {name: entry["default"] for name, entry in self.action["inputs"].items()}
        assert set(inputs) <= set(self.inputs), inputs
        self.inputs.update(inputs)
        self.steps, self.path, self.repository = {}, [], "example/marrow"
        self.failed, self.log, self.summary = False, "", ""
        self.uploads, self.keys, self.scripts = [], [], []

    def value(self, name):
        if name.startswith("inputs."):
            return self.inputs[name[len("inputs."):]]
        if name == "github.action_repository":
            return self.repository
        step, output = re.fullmatch(r"steps\.([\w-]+)\.outputs\.([\w-]+)", name).groups()
        return self.steps.get(step, {}).get(output, "")

    def expand(self, text):
        return EXPRESSION.sub(lambda match: self.value(match[1].strip()), str(text))

    def wanted(self, step):
        """Returns the value of `if`; without always() a step is skipped after a failure."""
        text = step.get("if", "true")
        parts = [part.strip() for part in text.split("&&")]
        if self.failed and "always()" not in parts:
            return False
        for part in parts:
            if part in ("always()", "true"):
                continue
            left, operator, right = re.fullmatch(r"(\S+) (==|!=) '(.*)'", part).groups()
            if (self.value(left) == right) != (operator == "=="):
                return False
        return True

    def use(self, step):
        """Answers as the action of the step would."""
        given = {key: self.expand(value) for key, value in step["with"].items()}
        assert all(given.values()), f"{step['uses']}: an empty input: {given}"
        if step["uses"].startswith("actions/cache@"):
            self.keys.append((given["key"], given["path"]))
            if self.cached:
                os.symlink(self.cached, given["path"])
            return {"cache-hit": "true" if self.cached else ""}
        path = pathlib.Path(given["path"])
        if given.get("archive") == "False":
            assert path.is_file(), f"{path}: not a single file"
            given["name"] = path.name
        elif not path.exists():
            assert given.get("if-no-files-found") == "ignore", f"{path}: nothing to upload"
            return {}
        self.uploads.append((given["name"], path))
        return {"artifact-url": f"https://github.example/artifacts/{len(self.uploads)}"}

    def run(self, step):
        names = ("OUTPUT", "PATH", "ENV", "STEP_SUMMARY")
        files = {name: self.top / "files" / name for name in names}
        (self.top / "files").mkdir(exist_ok=True)
        for file in files.values():
            file.write_text("")
        script = self.top / "files/script.sh"
        script.write_text(step["run"])
        self.scripts.append(step["run"])
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("MARROW_")}
        environment.update({f"GITHUB_{name}": str(file) for name, file in files.items()})
        environment.update(
            CI="true", GITHUB_ACTIONS="true", GITHUB_ACTION_PATH=str(ACTION.parent),
            GITHUB_WORKSPACE=str(self.workspace), RUNNER_TEMP=str(self.top / "runner temp"),
            GITHUB_SERVER_URL=self.top.parent.as_uri(), RUNNER_OS="Linux", RUNNER_ARCH=ARCHITECTURE,
            PATH=os.pathsep.join(self.path + [environment["PATH"]]))
        environment.update({key: self.expand(value) for key, value in step.get("env", {}).items()})
        done = subprocess.run([step["shell"], "-e", script], cwd=self.workspace, env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        self.log += done.stdout
        self.failed = self.failed or done.returncode != 0
        self.path = files["PATH"].read_text().split("\n")[:-1] + self.path
        self.summary += files["STEP_SUMMARY"].read_text()
        return dict(line.split("=", 1) for line in files["OUTPUT"].read_text().splitlines())

    def job(self):
        (self.top / "runner temp").mkdir(exist_ok=True)
        for step in self.action["runs"]["steps"]:
            if self.wanted(step):
                outputs = self.use(step) if "uses" in step else self.run(step)
                if "id" in step:
                    self.steps[step["id"]] = outputs
        return self


# ---- jobs ----------------------------------------------------------------------------------------
SUITE = """[defaults]
name = {name}
model = demo:figure
size = 64x48
count = 1
check = pixels
[Walk]
clip = Walk
{more}
[Run]
clip = Run
"""


def this_version():
    return re.search(r'MRW_VERSION "(.*)"', (ROOT / "include/marrow/base.h").read_text())[1]


def make_release(top, command):
    """Packs the command as a release; the rest of it are stand-ins."""
    version = this_version()
    name = f"marrow-{version}-linux-{platform.machine()}"
    tree = top / name
    for folder in ("bin", "libexec/marrow", "lib", "include/marrow", "share/man/man1"):
        (tree / folder).mkdir(parents=True)
    (tree / "bin/marrow").write_bytes(command.read_bytes())
    (tree / "bin/marrow").chmod(0o755)
    (tree / "share/man/man1/marrow.1").write_text("a page\n")
    releases = top / "the releases"
    releases.mkdir()
    file = releases / f"{name}.tar.xz"
    subprocess.run(["tar", "-cf", file, "-I", "xz -0", "-C", top, name], check=True)
    sums = subprocess.run(["sha256sum", file.name], cwd=releases, check=True,
                          stdout=subprocess.PIPE)
    (releases / f"marrow-{version}-SHA256SUMS").write_bytes(sums.stdout)
    return version, releases, file


def make_suites(top, command):
    """Makes a repository with two suites of names with blanks; in the second, Walk has changed."""
    workspace = top / "a repository"
    for name in ("good one", "bad one"):
        folder = workspace / "my tests" / name
        folder.mkdir(parents=True)
        (folder / "suite.ini").write_text(SUITE.format(name=name.replace(" ", "_"), more=""))
    subprocess.run([command, "test", "-q", "--update", "--force"], cwd=workspace, check=True)
    changed = SUITE.format(name="bad_one", more="background = red")
    (workspace / "my tests/bad one/suite.ini").write_text(changed)
    return workspace


def expect(condition, what, runner):
    if not condition:
        sys.exit(f"check_action: {what}\n--- log\n{runner.log}\n--- summary\n{runner.summary}\n"
                 f"--- uploads {runner.uploads}, keys {runner.keys}")


def check_good(start, version, url):
    job = start(url=url, suites="my tests/good one").job()
    expect(not job.failed and "2 passed" in job.log, "a good suite does not pass", job)
    prefix = str(job.top / "runner temp/marrow")
    source = hashlib.sha256(url.encode()).hexdigest()[:8]
    expect(job.keys == [(f"marrow-{version}-{source}-Linux-{ARCHITECTURE}", prefix)],
           "the key of the cache is not of version, address and architecture", job)
    expect([name for name, _ in job.uploads] == ["pictures"], "wrong uploads", job)
    expect("2 cases, none bad" in job.summary, "the summary has no table", job)
    expect("Look at" not in job.summary, "the summary has a link to nothing", job)
    expect(job.path == [prefix + "/bin"], "later steps do not find marrow", job)
    expect(any(script.endswith(" install") for script in job.scripts), "nothing was installed", job)

    again = start(url=url, suites="my tests/good one", cached=prefix).job()
    expect(not again.failed and "2 passed" in again.log, "the cache is not used", again)
    expect(not any(script.endswith(" install") for script in again.scripts), "a second time", again)
    return again.cached


def check_repository(start, top, version, releases):
    """Without an address, the release comes from the repository that the action is in."""
    place = top / "example/marrow/releases/download"
    place.mkdir(parents=True)
    (place / f"v{version}").symlink_to(releases)
    job = start(suites="my tests/good one").job()
    expect(not job.failed and "2 passed" in job.log, "the action's own release is not found", job)


def check_bad(start, file):
    suites = "my tests/good one\n\nmy tests/bad one\n"
    job = start(file=str(file), suites=suites, name="of-linux").job()
    expect(job.failed and "1 failed" in job.log, "a bad suite does not fail", job)
    expect(job.keys == [], "a file of the repository is cached", job)
    annotation = r"^::error file=my tests/bad one/suite.ini,line=\d+,title=bad_one/Walk::"
    expect(re.search(annotation, job.log, re.M), "there is no annotation", job)
    expect("1 bad of 4 cases" in job.summary, "the summary has no table", job)
    link = "[Look at the failures](https://github.example/artifacts/1)"
    expect(link in job.summary, "the summary has no link", job)
    names = [name for name, _ in job.uploads]
    expect(names == ["failures-of-linux.html", "of-linux"], "wrong uploads", job)
    page, folder = (path for _, path in job.uploads)
    text = page.read_text()
    expect("data:image/png;base64" in text or "iVBORw0KGgo" in text, "the page has no picture", job)
    expect(not re.search(r'(src|href)="(?!data:|#)', text), "the page needs other files", job)
    for path in ("results/results.json", "report/index.html", "junit.xml"):
        expect((folder / path).is_file(), f"{path} is not uploaded", job)
    expect(list(folder.glob("results/bad_one/**/*.png")), "no picture is uploaded", job)


TEXTS = ["$(touch hit)", "`touch hit`", '"; touch hit; "', "'; touch hit; '", "${{ touch hit }}",
         "WORDS"]


def check_arguments(start, cached):
    job = start(cached=cached, suites="my tests/bad one", arguments="--match\nRun\n").job()
    expect(not job.failed and "1 passed" in job.log, "arguments do not arrive", job)
    lists = ("suites", "arguments", "merge")
    cases = [(given, "\n".join([*TEXTS, "touch hit"])) for given in lists]
    cases += [(given, text) for given in ("version", "name", "file", "url") for text in TEXTS[:-1]]
    for given, text in cases:
        job = start(cached=cached if given in lists else None, **{given: text}).job()
        expect(job.failed, f"{given} {text!r} is accepted", job)
        expect(not list(job.workspace.glob("**/hit")), f"{given} {text!r} is run", job)


def check_shards(start, cached):
    folders = []
    for shard in ("1", "2"):
        job = start(cached=cached, suites="my tests", arguments=f"--shard={shard}/2",
                    name=f"shard-{shard}").job()
        folders.append(str(job.uploads[-1][1]))
    job = start(cached=cached, merge="\n".join(folders)).job()
    expect(job.failed and "1 bad of 4 cases" in job.summary, "shards are not merged", job)
    names = [name for name, _ in job.uploads]
    expect(names == ["failures-pictures.html", "pictures"], "wrong uploads", job)


def check_failures(start, top):
    for given, said in (({}, "url: set it, since"),
                        ({"url": "a\nprefix=/x"}, "url: it has control characters"),
                        ({"url": f"file://{top}/nothing"}, "cannot read file://"),
                        ({"file": "none.tar.xz"}, "none.tar.xz is not a release for Linux")):
        job = start(suites="my tests", **given)
        job.repository = ""
        job.job()
        expect(job.failed and said in job.log, f"it does not say '{said}'", job)
        expect("::error title=marrow::" in job.log, "there is no annotation", job)
        expect(not job.uploads and not job.summary, "it goes on without marrow", job)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    command = (ROOT / parser.parse_args().build / "marrow").resolve()
    text = ACTION.read_text()
    faults = check_form(text)
    faults += [] if faults else check_examples(this_version(), yaml.safe_load(text))
    if faults:
        sys.exit("\n".join(f"action.yml: {fault}" for fault in faults))
    self_test(text)
    with tempfile.TemporaryDirectory(prefix="marrow-action-") as folder:
        top = pathlib.Path(folder)
        version, releases, file = make_release(top, command)
        workspace = make_suites(top, command)

        def start(cached=None, **inputs):
            return Runner(top, workspace, inputs, cached)

        cached = check_good(start, version, "file://" + str(releases).replace(" ", "%20"))
        check_repository(start, top, version, releases)
        check_bad(start, file)
        check_arguments(start, cached)
        check_shards(start, cached)
        check_failures(start, top)
    print(f"check_action: {len(FAULTS)} faults found; jobs pass, fail and end as they have to")


if __name__ == "__main__":
    main()
