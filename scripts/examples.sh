#!/bin/sh
# Writes the programs of the README and of the chapter `library` to a folder, with a Makefile that
# builds those in C by an installed marrow.
#
#     scripts/examples.sh OUT
set -eu
out=$1
cd "$(dirname "$0")/.."
mkdir -p "$out"

# The program between ```c and ``` of the README's part about the library.
# shellcheck disable=SC2016
sed -n '/^## A library program/,/^## /p' README.md | sed -n '/^```c$/,/^```$/p' | sed '/^```/d' \
    >"$out/program.c"

# The block of the chapter that begins with its name, up to the end of its last function.
sed -n '/^    \/\* picture\.c \*\/$/,/^[^ ]/p' src/help/library.md | sed '/^[^ ]/d; s/^    //' \
    >"$out/picture.c"

# The Python program of the chapter, up to the list behind it.
sed -n '/^    # picture\.py$/,/^- /p' src/help/library.md | sed '/^[^ ]/d; s/^    //' >"$out/picture.py"
grep -q 'mrw_job_draw' "$out/picture.py" || {
    echo "examples: picture.py is not found in its document" >&2
    exit 1
}

for program in program picture; do
    grep -q 'int main' "$out/$program.c" || {
        echo "examples: $program.c is not found in its document" >&2
        exit 1
    }
done
cat >"$out/Makefile" <<'END'
# Builds the examples with an installed libmarrow. STATIC=1 links libmarrow.a.
MARROW := marrow$(if $(STATIC),-static)
CFLAGS += -std=c11 $(shell pkg-config --cflags $(MARROW))
LDLIBS += $(shell pkg-config --libs $(MARROW))
all: program picture
clean:
	rm -f program picture
.PHONY: all clean
END
