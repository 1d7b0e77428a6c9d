#!/usr/bin/env python3
"""Writes the manual pages, from what `marrow help` prints: marrow(1), a page per command, and a page
marrow-CHAPTER(7) per chapter of src/help. Debian's lowdown makes them.

    scripts/make_man.py --build build --out build/man
    scripts/make_man.py --build build --out build/man --check     also checks the pages
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMN = 30  # where the text of an option begins


def run(*command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


class Marrow:
    def __init__(self, build):
        self.program = str(pathlib.Path(build).resolve() / "marrow")
        self.version = self.help("--version-only")

    def help(self, *words):
        if words == ("--version-only",):
            return run(self.program, "--version").split()[1]
        return run(self.program, "help", *words)


def escape(text):
    """Plain text as Markdown."""
    return re.sub(r"([\\`*_<>\[\]|#~])", r"\\\1", text)


def sections(text):
    """(title, lines) of a help text; the part before the first title has ''."""
    found = [("", [])]
    for line in text.splitlines():
        before = found[-1][1][-1:] == [""]
        titled = before and re.match(r"[A-Z][^.|`]*$", line) and len(line) < 50
        if titled:
            found.append((line, []))
        else:
            found[-1][1].append(line)
    return found


def rows(lines):
    """(left, right) of a table of two columns; long left parts have lines of their own."""
    found = []
    for line in lines:
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        if indent >= COLUMN:
            found[-1][1].append(line.strip())
        elif indent >= 8 and found and not re.match(r" {6}--", line):
            found[-1][0] += line.strip()
        else:
            left, right = line[:COLUMN].strip(), line[COLUMN:].strip()
            if line[COLUMN - 1:COLUMN] != " " or not right:
                left, right = line.strip(), ""
            found.append([left, [right] if right else []])
    return [(left, " ".join(right)) for left, right in found]


def option_rows(lines):
    out = []
    for left, right in rows(lines):
        match = re.match(r"(?:(-\w), )?(--[\w-]+)([ \[=].*)?$", left)
        if not match:
            sys.exit(f"make_man.py: can't read the option '{left}'")
        short, name, argument = match.groups()
        head = (f"`{short}`, " if short else "") + f"`{name}`"
        if argument:
            optional = argument.startswith("[=")
            value = escape(argument.strip(" =[]") if not optional else argument[2:-1])
            head += f"\\[=*{value}*\\]" if optional else f" *{value}*"
        out.append(f"{head}\n\n: {escape(right)}\n")
    return "\n".join(out)


def heading(title):
    return f"# {title.upper()}\n\n"


def page(marrow, name, section, body):
    return (f"title: {name.upper()}\nsection: {section}\nsource: marrow {marrow.version}\n"
            f"volume: marrow manual\ndate: {date()}\n\n{body}")


def date():
    """Of the last commit, or of the file of changes where there is no repository."""
    try:
        return run("git", "-C", str(ROOT), "log", "-1", "--format=%cs").strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def command_page(marrow, command, summary):
    text = marrow.help(command, "--all")
    parts = sections(text)
    usage, _, about = "\n".join(parts[0][1]).partition("\n")
    body = heading("Name") + f"marrow-{command} - {escape(summary)}\n\n"
    body += heading("Synopsis") + f"`{usage.strip()}`\n\n"
    body += heading("Description") + escape(about.strip()) + "\n\n"
    for title, lines in parts[1:]:
        options = any(re.match(r"  (-\w, |    )--", line) for line in lines)
        if options:
            body += heading(title) + option_rows(lines) + "\n"
        elif title == "Examples":
            body += heading(title) + "\n".join("    " + line.strip() for line in lines) + "\n\n"
        elif title.startswith("Keys"):
            body += heading(title) + "\n".join(f"`{left}`\n\n: {escape(right)}\n"
                                               for left, right in key_rows(lines)) + "\n"
        else:
            body += heading(title) + "\n".join(lines) + "\n\n"
    body += heading("See also") + "marrow(1)\n"
    return page(marrow, f"marrow-{command}", 1, body)


def key_rows(lines):
    return [tuple(part.strip() for part in re.match(r"(.{32})(.*)", line).groups())
            for line in lines if line.strip()]


def overview(marrow):
    """(name, summary) of commands and of chapters, and the other parts of `marrow help`."""
    parts = dict(sections(marrow.help()))
    tables = {}
    for title in parts:
        if title.startswith(("Commands", "Chapters")):
            joined = []
            for line in parts[title]:
                if re.match(r"  \S", line):
                    joined.append(line.strip())
                elif line.strip():
                    joined[-1] += "  " + line.strip()
            tables[title.split()[0].rstrip(":")] = [
                (row.split()[0], re.sub(r"  +", " ", re.split(r"  +", row, maxsplit=1)[1]))
                for row in joined]
    return tables, parts


def top_page(marrow, tables, parts):
    body = heading("Name") + "marrow - render skeletal animation to images\n\n"
    body += heading("Synopsis") + "`marrow` *COMMAND* \\[*ARGUMENT*...\\] \\[*OPTION*...\\]\n\n"
    body += heading("Description") + (
        "marrow loads animated models, poses their skeletons, blends vertices on the CPU, draws them "
        "with its own rasterizer, and writes pictures, animations, videos and sprite sheets. It needs "
        "no GPU, no display and no OpenGL. Pixels are the same on every machine.\n\n")
    for title, kind in (("Commands", 1), ("Chapters", 7)):
        body += heading(title)
        body += "\n".join(f"marrow-{name}({kind})\n\n: {escape(summary)}\n"
                          for name, summary in tables[title]) + "\n"
    for title in ("Environment variables", "Exit status"):
        body += heading(title) + "\n".join(parts[title]).strip() + "\n\n"
    return page(marrow, "marrow", 1, body)


def chapter_page(marrow, name, summary):
    text = marrow.help(name)
    title, _, rest = text.partition("\n")
    rest = re.sub(r"^## (.*)$", lambda m: "# " + m.group(1).upper(), rest, flags=re.M)
    body = heading("Name") + f"marrow-{name} - {escape(summary)}\n\n"
    body += heading("Description") + rest.strip() + "\n\n" + heading("See also") + "marrow(1)\n"
    return page(marrow, f"marrow-{name}", 7, body)


def to_man(markdown):
    """lowdown 1.0.0 writes a font that mandoc refuses, and a paragraph after each heading."""
    man = run("lowdown", "-s", "-Tman", "--out-no-smarty", text=markdown)
    man = man.replace("\\fC", "\\fB")
    man = re.sub(r"^(\.S[HS])\n(.*)\n\.[LP]P\n", r'\1 "\2"\n', man, flags=re.M)
    if "\n.TS\n" in man:
        man = "'\\\" t\n" + man  # man runs tbl then
    return man


def check(pages, marrow, commands):
    """mandoc and groff are silent, and every option is in the page of its command."""
    faults = []
    for path in pages:
        for command in (["mandoc", "-Tlint", "-Wwarning"], ["groff", "-man", "-ww", "-Tutf8", "-t"]):
            if not shutil.which(command[0]):
                sys.exit(f"make_man.py: {command[0]} is missing")
            done = subprocess.run([*command, str(path)], capture_output=True, text=True)
            said = done.stderr + (done.stdout if command[0] == "mandoc" else "")
            if said:
                faults.append(said)
    for command, _ in commands:
        plain = run("mandoc", "-Tascii", str(pages[0].parent / f"marrow-{command}.1"))
        plain = re.sub(".\b", "", plain)
        options = re.findall(r"^  (?:-\w, |    )(--[\w-]+)", marrow.help(command, "--all"), re.M)
        faults += [f"marrow-{command}(1) lacks {option}\n" for option in options
                   if not re.search(r"(?<![\w-])" + option + r"(?![\w-])", plain)]
    if faults:
        sys.exit("".join(faults))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if not shutil.which("lowdown"):
        sys.exit("make_man.py: lowdown is missing; scripts/setup.sh check installs it")
    marrow = Marrow(options.build)
    tables, parts = overview(marrow)
    texts = {"man1/marrow.1": top_page(marrow, tables, parts)}
    for name, summary in tables["Commands"]:
        texts[f"man1/marrow-{name}.1"] = command_page(marrow, name, summary)
    for name, summary in tables["Chapters"]:
        texts[f"man7/marrow-{name}.7"] = chapter_page(marrow, name, summary)
    out = pathlib.Path(options.out)
    for folder in ("man1", "man7"):
        shutil.rmtree(out / folder, ignore_errors=True)
        (out / folder).mkdir(parents=True)
    for path, text in texts.items():
        (out / path).write_text(to_man(text))
    pages = [out / path for path in texts]
    if options.check:
        check(pages, marrow, tables["Commands"])
    print(f"manual pages: {len(pages)} in {out}")


main()
