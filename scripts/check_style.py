#!/usr/bin/env python3
"""Checks the rules of src/STYLE.md that a script can check, in src/, include/ and tests/.

    scripts/check_style.py [ROOT] [--counts] [--only RULE]
    scripts/check_style.py --self-test

Prints FILE:LINE: RULE: what is wrong, and exits with 1 when there is a fault. --counts prints the
number of faults of each rule instead. The formatter sees to the layout. The rules:

braces    the body of if, else, for, while and do stands in braces, an empty one too
null      pointers are tested as `p` and `!p`, not against NULL
typedef   a struct, union or enum with a name has a typedef
section   a rule between sections is `/* ---- what ---- */`, drawn out to column 100
function  at most 60 lines in src/, head and braces included
file      at most 800 lines in src/ and include/
width     at most 100 columns
macro     no macro hides a return or goto, opens a branch or loop, or is a keyword in capitals
label     the one label is `out`
first     the first line is `/* NAME: what the file holds`
word      no identifier and no file name in src/ and include/ uses a word of WORDS; each identifier
          is reported once per file

The rules for comments in src/ and include/. Upper and lower case are alike.

opening   no comment begins with a word of OPENINGS: it begins with a verb or a noun
phrase    no comment uses a phrase of PHRASES
field     the comment of a field does not continue the sentence of the comment before it: it begins
          with no comma and no word of JOINS, and the one before ends with none. A lower-case letter
          alone is no fault: short notes such as `metres` begin with one.
"""
import argparse
import collections
import functools
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True
import c_text  # noqa: E402

WORDS = {word + ending for word in ("cast", "hand", "shot", "tray", "actor", "twin", "moment",
                                    "recruit", "lead", "prop", "drawable") for ending in ("", "s")}
WORDS |= {"looks", "recruited", "recruiting"}
OPENINGS = ("of", "what", "those", "where", "as", "whether", "and", "which", "nobody", "nothing",
            "somebody")
PHRASES = {  # a pattern, and what to write instead
    r"at hand": "say `current`, or name the thing",
    r"strangers?": "name what it is: a file, a node, a program that is not ours",
    r"anew": "say `again`",
    r"in the making": "say what is being built or written",
    r"for want of": "say `without`, or `because there is no`",
    # "There is no end" and "is no longer than" are plain English.
    r"(?<!\bthere )is no\b(?! longer\b| more\b| less\b| \w+er than\b)": "say `is not a`",
    r"one an?\b(?= \w)": "say `one per`",
    r"no number": "say `NaN`, or `not a number`",
}
PHRASE = {re.compile(rf"\b(?:{phrase})\b", re.I): instead for phrase, instead in PHRASES.items()}
JOINS = ("or", "but", "nor", "so", "then", "also of", "whose", "by which", "to which", "in which",
         "on which")  # those of OPENINGS are refused already
JOINS_BEFORE = re.compile(rf"[,;]|(?:{'|'.join(JOINS)})\b")
JOINS_AFTER = re.compile(r",$|\b(?:and|or|but|nor|of|the|a|an|so is|so are)$")
FIELDS = re.compile(r"\b(?:struct|union|enum)\b[^;{}()]*\{")
MOST_FUNCTION, MOST_FILE, MOST_WIDTH = 60, 800, 100
OPENS = re.compile(r"\b(?:if|else|for|while|do)\b")
OPENS_HEAD = re.compile(r"\s*\(")
FOLLOWING = re.compile(r"\s*(if\b|.)?")
# A macro that makes a function holds the function's own return.
MAKES_FUNCTION = re.compile(r"(?:\s|\\)*(?:static|[A-Z_]*INLINE|int main)\b")
CAPITALS = {"IF", "ELSE", "FOR", "WHILE", "DO", "SWITCH", "CASE", "RETURN", "GOTO", "BREAK", "CONTINUE"}


def behind_parentheses(text, at):
    """Where the text goes on behind the parentheses that open at or after `at`."""
    at = text.find("(", at)
    depth = 0
    while 0 <= at < len(text):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
        if depth == 0:
            return at
    return len(text)


def braces_in(text):
    for match in OPENS.finditer(text):
        word, at = match[0], match.end()
        if word not in ("else", "do"):
            if not OPENS_HEAD.match(text, at):
                continue  # a macro's parameter of that name, say
            at = behind_parentheses(text, at)
        following = FOLLOWING.match(text, at)[1]
        if following == "{" or (word == "else" and following == "if"):
            continue
        if word == "while" and following in (";", None) and text[:match.start()].rstrip()[-1:] == "}":
            continue  # the end of a do loop
        yield match.start(), f"`{word}` without braces"


def braces(file):
    yield from braces_in(file.plain)
    for match in c_text.DEFINE.finditer(file.code):
        for at, what in braces_in(match[3].replace("\\\n", " \n")):
            yield match.start(3) + at, what


def null(file):
    for match in re.finditer(r"[=!]=\s*NULL\b|\bNULL\s*[=!]=", file.code):
        yield match.start(), f"`{match[0]}`: write `p` or `!p`"


def typedefs(file):
    return re.findall(r"\btypedef\s+(?:const\s+)?(?:struct|union|enum)\s+(\w+)", file.plain)


def typedef(file, known):
    for match in re.finditer(r"\b(?:struct|union|enum)\s+(\w+)\s*\{", file.plain):
        if match[1] not in known:
            yield match.start(), f"'{match[0][:-1].strip()}' has no typedef"


def section(file):
    for match in c_text.TOKEN.finditer(file.text):
        if not re.match(r"/[/*]\s*[-=*_]{2,}(?![-\w])", match[0]):
            continue  # `/* --option` opens a sentence
        before = file.text.rfind("\n", 0, match.start()) + 1
        if (before != match.start() or not re.fullmatch(r"/\* ---- \S.*?\S -+ \*/", match[0])
                or len(match[0]) != MOST_WIDTH):
            yield match.start(), "a section's rule is `/* ---- what ---- */`, drawn out to column 100"


def macro(file):
    for match in c_text.DEFINE.finditer(file.code):
        name, body = match[1], match[3]
        hidden = re.search(r"\b(return|goto)\b", body)
        if hidden and not MAKES_FUNCTION.match(body):
            yield match.start(), f"macro {name} hides a {hidden[1]}"
        elif opened := re.match(r"(?:\s|\\)*(if|for|while|switch|else)\b", body):
            yield match.start(), f"macro {name} opens a `{opened[1]}`"
        elif name in CAPITALS:
            yield match.start(), f"macro {name} looks like a keyword"


def label(file):
    for match in re.finditer(r"^[ \t]*(?!default\b)(\w+):[ \t]*$", file.plain, re.M):
        if match[1] != "out":
            yield match.start(1), f"label '{match[1]}': the one label is `out`"


@functools.cache
def word_of(name):
    """The word of a name that is not to be used."""
    parts = re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()
    return next((part for part in re.split(r"[\W_\d]+", parts) if part in WORDS), None)


def words(file):
    if file.path.parts[0] == "tests":
        return
    if found := word_of(file.path.stem):
        yield 0, f"the file's name says '{found}'"
    told = {"static_cast", "reinterpret_cast"}  # C++ has no other words for them
    for match in c_text.WORD.finditer(file.code):
        if match[0] in told:
            continue
        told.add(match[0])
        if found := word_of(match[0]):
            yield match.start(), f"'{match[0]}' says '{found}'"


def spoken(file):
    """(offset, text on one line) of each comment, without its marks."""
    for match in c_text.TOKEN.finditer(file.text):
        if match[0][0] == "/":
            inside = re.sub(r"\*+/$", "", re.sub(r"^/[/*]+", "", match[0]))
            yield match.start(), " ".join(re.sub(r"\n\s*\*", "\n", inside).split())


def opening(file):
    for at, text in spoken(file):
        first = c_text.WORD.match(text)
        if first and first[0].lower() in OPENINGS:
            yield at, f"'{text[:40]}' begins with '{first[0]}': begin with a verb or a noun"


def phrase(file):
    for at, text in spoken(file):
        for pattern, instead in PHRASE.items():
            for match in pattern.finditer(text):
                said = text[max(0, match.start() - 16):match.end() + 16]
                yield at, f"'{match[0]}' in '{said}': {instead}"


def bodies(file):
    """(start, end) of each struct, union or enum that is not part of another."""
    end = 0
    for match in FIELDS.finditer(file.plain):
        if match.start() < end:
            continue
        depth, end = 1, match.end()
        while depth and end < len(file.plain):
            depth += {"{": 1, "}": -1}.get(file.plain[end], 0)
            end += 1
        yield match.end(), end


def field(file):
    said = list(spoken(file))
    for start, end in bodies(file):
        inside = [(at, text) for at, text in said if start <= at < end]
        for (_, before), (at, text) in zip(inside, inside[1:]):
            if JOINS_BEFORE.match(text) or (JOINS_AFTER.search(before) and not text[:1].isupper()):
                yield at, f"'{text[:40]}' continues '{before[-40:]}': write a sentence for each field"


VOICE = {"opening": opening, "phrase": phrase, "field": field}


def sizes(file):
    lines = file.text.split("\n")
    for number, line in enumerate(lines, 1):
        if len(line) > MOST_WIDTH:
            yield "width", number, f"{len(line)} columns"
    if file.path.parts[0] != "tests":
        if len(lines) - 1 > MOST_FILE:
            yield "file", 1, f"{len(lines) - 1} lines"
        for function in file.functions:
            if function.lines > MOST_FUNCTION:
                yield "function", function.first, f"{function.name} has {function.lines} lines"
    if not re.match(rf"/\* {re.escape(file.path.name)}: \S", lines[0]):
        yield "first", 1, f"the first line is `/* {file.path.name}: what it holds`"


def faults(root):
    """(path, line, rule, what)"""
    files = c_text.files(root, "src/**/*.[ch]", "src/**/*.cc", "include/**/*.h",
                         "tests/**/*.[ch]")
    if not files:
        sys.exit(f"check_style: no sources in {root}")
    known = {name for file in files for name in typedefs(file)}
    rules = {"braces": braces, "null": null, "typedef": lambda file: typedef(file, known),
             "section": section, "macro": macro, "label": label, "word": words}
    for file in files:
        found = [(number, rule, what) for rule, number, what in sizes(file)]
        voice = {} if file.path.parts[0] == "tests" else VOICE
        for rule, check in (rules | voice).items():
            found += [(file.line_of(at), rule, what) for at, what in check(file)]
        yield from ((file.path, *fault) for fault in sorted(found))


# ---- the check of the check ---------------------------------------------------------------------

FIRST = "/* a.c: a file. */\n"
RULE = "/* ---- part " + "-" * 84 + " */\n"
SOUND = FIRST + RULE + r"""
#include "x.h"
#if defined(A) && \
    B
#else
#endif
#define EACH(a) do { if (a) { call(a); } } while (0)
#define MAKE(name) static int name(void) { return 1; }
#define SIZE 4 /* if (a) return; */

typedef struct sound {
    struct { int a; } inner;
    int broadcast, handle, snapshot, property, lookup; /* a cast of actors; p == NULL */
    int sheet; /* --sheet */
} sound;

struct opaque {
    int a;
};
typedef struct opaque opaque;

static int tell(sound *s, int count)
{
    for (int i = 0; i < count; i++) {
        do {
            count--;
        } while (count > (3 + i));
    }
    while (next(s)) {
    }
    if (!s) {
        goto out;
    } else if (count == 1) {
        call("if (a) b; else NULL == c; twin");
    } else {
        switch (count) {
        case 1:
        default:
            break;
        }
    }
out:
    return 0;
}
"""
FAULTY = [  # rule, a text against it, the line that is told
    ("braces", FIRST + "void f(void)\n{\n    if (a)\n        b();\n}\n", 4),
    ("braces", FIRST + "void f(void)\n{\n    if (a) {\n        b();\n    } else\n        c();\n}\n", 6),
    ("braces", FIRST + "void f(void)\n{\n    for (;;)\n        b();\n}\n", 4),
    ("braces", FIRST + "void f(void)\n{\n    while (a(1))\n        ;\n}\n", 4),
    ("braces", FIRST + "void f(void)\n{\n    do\n        b();\n    while (a);\n}\n", 4),
    ("braces", FIRST + "#define M(a) { \\\n    if (a) \\\n        b(); }\n", 3),
    ("null", FIRST + "int a = b == NULL;\n", 2),
    ("null", FIRST + "int a = NULL != b;\n", 2),
    ("typedef", FIRST + "struct b {\n    int c;\n};\n", 2),
    ("typedef", FIRST + "enum b { C };\n", 2),
    ("section", FIRST + "/* ---- part ---- */\n", 2),
    ("section", FIRST + RULE.replace("- */", "-*/"), 2),
    ("section", FIRST + RULE.replace("/* ----", "/* ===="), 2),
    ("function", FIRST + "void f(void)\n{\n" + "    a();\n" * 58 + "}\n", 2),
    ("file", FIRST + "\n" * 800, 1),
    ("width", FIRST + "int a; /* " + "x" * 88 + " */\n", 2),
    ("macro", FIRST + "#define CHECK(a) \\\n    if (a) { \\\n        return 1; }\n", 2),
    ("macro", FIRST + "#define FREE(a) goto out\n", 2),
    ("macro", FIRST + "#define ALL(a) for (int i = 0; i < a; i++)\n", 2),
    ("macro", FIRST + "#define WHILE 1\n", 2),
    ("label", FIRST + "void f(void)\n{\nfail:\n    return;\n}\n", 4),
    ("first", "/* b.c: another. */\n", 1),
    ("first", "#include <a.h>\n", 1),
    ("word", FIRST + "int find_the_twins;\n", 2),
    ("word", FIRST + "#define MRW_SHOT 1\n", 2),
    ("word", FIRST + "int tray2, leadTime;\n", 2),
]


# The rules for comments: a header that keeps them, then faults.
HEADER = "/* a.h: a header. */\n"
SOUND_HEADER = HEADER + """
/* Offers what is needed; there is no other way, and it is no longer than that. */
typedef struct sound {
    int a; /* metres */
    int b; /* metres; one of the two */
    int c; /* Asks which of them. */
} sound;
/* Androids are offered, ones a b. */
"""
FAULTY_VOICE = [
    ("opening", HEADER + "\n/* Of two the first. */\n", 3),
    ("opening", HEADER + "int a; /* whether it is */\n", 2),
    ("opening", HEADER + "/*\n * What it is.\n */\n", 2),
    ("phrase", HEADER + "/* The file at\n * hand. */\n", 2),
    ("phrase", HEADER + "/* Numbers, one a line. */\n", 2),
    ("phrase", HEADER + "/* This is no test. */\n", 2),
    ("phrase", HEADER + "/* NULL for want of memory, built anew. */\n", 2),
    ("field", HEADER + "typedef struct s {\n    int a; /* the width, */\n    int b; /* the height */\n} s;\n", 4),
    ("field", HEADER + "typedef struct s {\n    int a; /* width */\n    int b; /* or height */\n} s;\n", 4),
    ("field", HEADER + "typedef enum s {\n    A, /* the sum of */\n    B, /* all */\n} s;\n", 4),
]


def faults_in(text, path="src/base/a.c"):
    with tempfile.TemporaryDirectory(prefix="check_style") as folder:
        file = pathlib.Path(folder, path)
        file.parent.mkdir(parents=True)
        file.write_text(text)
        return [(rule, line) for _, line, rule, _ in faults(pathlib.Path(folder))]


def self_test():
    wrong = [f"the sound text: {fault}" for fault in faults_in(SOUND)]
    for rule, text, line in FAULTY:
        found = faults_in(text)
        if (rule, line) not in found:
            wrong.append(f"not seen: {rule} in line {line} of {text!r}, but {found}")
    wrong += [f"the sound header: {fault}" for fault in faults_in(SOUND_HEADER, "include/marrow/a.h")]
    for rule, text, line in FAULTY_VOICE:
        found = faults_in(text, "include/marrow/a.h")
        if (rule, line) not in found:
            wrong.append(f"not seen: {rule} in line {line} of {text!r}, but {found}")
        if (rule, line) not in faults_in(text, "src/base/a.h"):
            wrong.append(f"not seen in src/: {text!r}")
        if faults_in(text, "tests/a.h"):
            wrong.append(f"refused in tests/: {text!r}")
    if ("word", 1) not in faults_in(FIRST.replace("a.c", "a_cast.c"), "src/base/a_cast.c"):
        wrong.append("not seen: a word in the name of a file")
    for line in wrong:
        print(line)
    print(f"check_style: sees {len(FAULTY) + len(FAULTY_VOICE) + 1} faults" if not wrong else "check_style: broken")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("--counts", action="store_true")
    parser.add_argument("--only", metavar="RULE")
    parser.add_argument("--self-test", action="store_true")
    asked = parser.parse_args()
    if asked.self_test:
        return self_test()
    found = [fault for fault in faults(asked.root) if not asked.only or fault[2] == asked.only]
    if asked.counts:
        for rule, count in collections.Counter(fault[2] for fault in found).most_common():
            print(f"{count:6} {rule}")
    else:
        for path, line, rule, what in found:
            print(f"{path}:{line}: {rule}: {what}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
