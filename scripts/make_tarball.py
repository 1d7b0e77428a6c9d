#!/usr/bin/env python3
"""Packs marrow for machines that build nothing: the static command, the import helper with its own
loader and libraries, the library, headers, manual pages and completions.

    scripts/make_tarball.py --build DIR --staged DIR --arch ARCH --out DIR

--staged is what `make install` put into PREFIX. The pack is the same, byte for byte, whenever and
wherever it is made of the same files: SOURCE_DATE_EPOCH, or else the last commit, dates it."""
import argparse
import hashlib
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

TRIPLETS = {"x86_64": "x86_64-linux-gnu", "aarch64": "aarch64-linux-gnu"}
# Parts of the C library. They belong to the loader: no program with another one may find them.
GLIBC = re.compile(r"^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|anl|util))\.so(\.\d+)?$")
# These may lie beside the loader only, too: a program that loads libmarrow.so has its own.
RUNTIME = re.compile(r"^lib(stdc\+\+|gcc_s)\.so\.\d+$")
# Packages of what the static command contains.
STATIC_PACKAGES = [
    "libc6-dev", "libgcc-12-dev", "libcglm-dev", "libcjson-dev", "libdeflate-dev", "libgif-dev",
    "libimath-dev", "libinih-dev", "libjpeg62-turbo-dev", "libmeshoptimizer-dev", "libopenexr-dev",
    "libqoi-dev", "libstb-dev", "libutf8proc-dev", "libwebp-dev", "libzstd-dev", "zlib1g-dev",
]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def needed(path):
    return re.findall(r"\(NEEDED\).*\[(.+)\]", run("readelf", "-dW", str(path)))


def interpreter(path):
    return re.search(r"interpreter: (\S+)\]", run("readelf", "-lW", str(path))).group(1)


def find_library(name, triplet):
    for folder in (f"/lib/{triplet}", f"/usr/lib/{triplet}", f"/usr/{triplet}/lib"):
        path = pathlib.Path(folder, name)
        if path.exists():
            return path
    sys.exit(f"make_tarball: {name} is not installed for {triplet}")


def all_needed(files, triplet):
    """The libraries that programs need, and those that these need: name -> path."""
    found, left = {}, [name for file in files for name in needed(file)]
    while left:
        name = left.pop()
        if name not in found:
            found[name] = find_library(name, triplet)
            left += needed(found[name])
    return found


def package_of(path):
    """The Debian package of a file, which dpkg may know by its name before /usr was merged."""
    path = str(path.resolve())
    for name in (path, path.removeprefix("/usr"), f"/usr{path}"):
        done = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout.split(":")[0]
    sys.exit(f"make_tarball: no package has {path}, so its licence is unknown")


def write_licences(packages, out):
    """All licences in one file: ours first, then Debian's notes of each package."""
    texts = {}
    for package in sorted(packages):
        text = pathlib.Path(f"/usr/share/doc/{package}/copyright").read_text(errors="replace")
        texts.setdefault(text, []).append(package)
    common = set()
    with open(out, "w") as file:
        file.write("marrow\n\n" + pathlib.Path("LICENSE").read_text())
        for text, names in texts.items():
            file.write("\n" + "=" * 78 + "\n" + ", ".join(names) + "\n\n" + text)
            common |= set(re.findall(r"/usr/share/common-licenses/([\w.+-]*\w)", text))
        for name in sorted(common):
            text = pathlib.Path(f"/usr/share/common-licenses/{name}").read_text()
            file.write("\n" + "=" * 78 + f"\n/usr/share/common-licenses/{name}\n\n" + text)


def copy(source, target, mode):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(mode)


def add_libraries(build, folder, triplet, strip):
    """The helper beside its loader and libraries. Those that libmarrow.so needs as well lie in
    lib/marrow; links to them lie with the others."""
    helper, library = build / "static/marrow-import", build / "static/libmarrow.so"
    of_library = all_needed([library], triplet)
    of_helper = all_needed([helper], triplet)
    private = folder / "libexec/marrow"
    copy(helper, private / "marrow-import", 0o755)
    # Build ids follow from debug information, which names folders.
    run(strip, "-R", ".note.gnu.build-id", str(private / "marrow-import"))
    copy(find_library(pathlib.Path(interpreter(helper)).name, triplet), private / "marrow-import.loader", 0o755)
    for name, path in {**of_helper, **of_library}.items():
        if name.startswith("ld-linux"):
            continue
        if name in of_library and not GLIBC.match(name) and not RUNTIME.match(name):
            copy(path, folder / "lib/marrow" / name, 0o644)
            if name in of_helper:
                (private / "lib").mkdir(exist_ok=True)
                (private / "lib" / name).symlink_to(f"../../../lib/marrow/{name}")
        elif name in of_helper:
            copy(path, private / "lib" / name, 0o644)
    copy(library, folder / "lib/libmarrow.so.1", 0o644)
    run(strip, "-R", ".note.gnu.build-id", str(folder / "lib/libmarrow.so.1"))
    return {**of_helper, **of_library}


def write_sums(folder):
    lines = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            lines.append(f"{digest}  {path.relative_to(folder)}\n")
    (folder / "SHA256SUMS").write_text("".join(lines))


def pack(folder, out, epoch, preset):
    def normal(info):
        info.uid = info.gid = 0
        info.uname = info.gname = ""
        info.mtime = epoch
        info.mode = 0o755 if info.isdir() or info.mode & 0o100 else 0o644
        return info

    temporary = out.with_suffix(".part")
    with lzma.open(temporary, "wb", preset=preset) as file:
        with tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT) as tar:
            tar.add(folder, folder.name, recursive=False, filter=normal)
            for path in sorted(folder.rglob("*")):
                tar.add(path, f"{folder.name}/{path.relative_to(folder)}", False, filter=normal)
    temporary.rename(out)


def main():
    parser = argparse.ArgumentParser()
    for name in ("build", "staged", "arch", "out"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--strip", default="strip")
    parser.add_argument("--preset", type=int, default=9, help="of xz, 0 to 9")
    options = parser.parse_args()
    build, out = pathlib.Path(options.build), pathlib.Path(options.out)
    header = pathlib.Path("include/marrow/base.h").read_text()
    version = re.search(r'#define MRW_VERSION "(.*)"', header).group(1)
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or run("git", "log", "-1", "--format=%ct"))
    folder = out / f"marrow-{version}-linux-{options.arch}"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(options.staged, folder, symlinks=True)
    shutil.rmtree(folder / "libexec")
    copy(build / "static/marrow", folder / "bin/marrow", 0o755)
    libraries = add_libraries(build, folder, TRIPLETS[options.arch], options.strip)
    packages = {package_of(path) for path in libraries.values()}
    write_licences(packages | set(STATIC_PACKAGES), folder / "share/doc/marrow/LICENSES.txt")
    write_sums(folder)
    packed = out / f"{folder.name}.tar.xz"
    pack(folder, packed, epoch, options.preset)
    digest = hashlib.sha256(packed.read_bytes()).hexdigest()
    print(f"{digest}  {packed.name}")


if __name__ == "__main__":
    main()
