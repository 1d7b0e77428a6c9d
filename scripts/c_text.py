"""Reads C by its text: comments, functions and names, as far as the form of this project tells them.

The formatter puts the brace that opens a function, and the one that closes it, in the first column;
that is what functions() goes by. Everything keeps its line and column.
"""
import bisect
import functools
import re

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\([^)]*\))?((?:[^\n]*\\\n)*[^\n]*)", re.M)
ATTRIBUTE = re.compile(r"__attribute__\s*\(\(.*?\)\)|_Alignas\s*\([^)]*\)", re.S)
WORD = re.compile(r"[A-Za-z_]\w*")


def blank(text):
    """Spaces in place of all but the line ends."""
    return re.sub(r"[^\n]", " ", text)


def without_comments(text):
    """Comments and what strings hold become spaces."""
    def hide(match):
        token = match[0]
        return blank(token) if token[0] == "/" else token[0] + blank(token[1:-1]) + token[0]
    return TOKEN.sub(hide, text)


def blank_comments(text):
    """Comments become spaces, strings stay."""
    return TOKEN.sub(lambda match: blank(match[0]) if match[0][0] == "/" else match[0], text)


def comments(text):
    return [token for token in TOKEN.findall(text) if token[0] == "/"]


def without_directives(code):
    return DIRECTIVE.sub(lambda match: blank(match[0]), code)


class Function:
    """One definition. Lines count from 1; `lines` holds the head and both braces. `statics` are the
    macros that stand for `static`."""

    def __init__(self, path, name, head, first, last, body, statics=frozenset()):
        self.path, self.name, self.head = path, name, head
        self.first, self.last, self.body = first, last, body
        self.lines = last - first + 1
        self.is_static = (WORD.match(head) or [""])[0] in statics | {"static"}

    def __repr__(self):
        return f"{self.path}:{self.first} {self.name}"


def static_macros(code):
    """Macros without parameters whose text begins with `static`."""
    return {name for name, parameters, body in DEFINE.findall(code)
            if not parameters and re.match(r"\s*static\b", body)}


def functions(path, plain, statics=frozenset()):
    """All functions of code without comments and directives; those that macros make are not seen."""
    lines = plain.split("\n")
    found = []
    for at, line in enumerate(lines):
        if line != "{":
            continue
        first = at
        while first > 0 and lines[first - 1].strip() and not re.search(r"[;}]\s*$", lines[first - 1]):
            first -= 1
        head = ATTRIBUTE.sub(" ", " ".join(lines[first:at])).strip()
        name = re.search(r"(\w+)\s*\(", head)
        last = next((i for i in range(at + 1, len(lines)) if lines[i].startswith("}")), len(lines) - 1)
        if name and "=" not in head:
            found.append(Function(path, name[1], head, first + 1, last + 1,
                                  "\n".join(lines[at:last + 1]), statics))
    return found


TABLE = re.compile(r"^(?:static |const )[^;{}()=]*?\b(\w+)(?:\[[^\]]*\])*\s*=\s*(\{.*?\});", re.M | re.S)


def tables(path, plain):
    """The constant tables at file scope, in the form of functions: they may name functions."""
    found = []
    for match in TABLE.finditer(plain):
        first = plain.count("\n", 0, match.start()) + 1
        last = plain.count("\n", 0, match.end()) + 1
        found.append(Function(path, match[1], match[0].partition("=")[0], first, last, match[2]))
    return found


class File:
    """One source file; what is costly is worked out when asked for."""

    def __init__(self, root, path):
        self.path = path.relative_to(root)
        self.text = path.read_text()
        self.statics = frozenset()

    @functools.cached_property
    def code(self):
        return without_comments(self.text)

    @functools.cached_property
    def plain(self):
        """Without comments and directives."""
        return without_directives(self.code)

    @functools.cached_property
    def functions(self):
        return functions(self.path, self.plain, self.statics)

    @functools.cached_property
    def tables(self):
        return tables(self.path, self.plain)

    @functools.cached_property
    def line_starts(self):
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def line_of(self, at):
        """The number of the line that holds the character `at`."""
        return bisect.bisect_right(self.line_starts, at)


def files(root, *patterns):
    """The files of all patterns. A macro of one that stands for `static` does so in each."""
    found = [File(root, path) for pattern in patterns for path in sorted(root.glob(pattern))]
    statics = frozenset().union(*(static_macros(file.code) for file in found))
    for file in found:
        file.statics = statics
    return found
