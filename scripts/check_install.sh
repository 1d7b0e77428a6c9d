#!/bin/sh
# Installs what is built in BUILD into folders of its own, uses it as others would, and removes it again:
# the command, its import helper, and the installed examples by pkg-config and CMake, with the shared and
# with the static library, also after the prefix was moved. DEBUG and SANITIZE are as make has them: with
# either one it is not small; with the second programs bring the runtime.
set -eu
build=${BUILD:-build}
top=$(mktemp -d "${TMPDIR:-/tmp}/marrow-install-XXXXXX")
trap 'rm -rf "$top"' EXIT
cd "$(dirname "$0")/.."
root_of_sources=$PWD
fail() {
    echo "check_install: $*" >&2
    exit 1
}
make_it() {
    # The loader of this machine has nothing to do with it.
    make --no-print-directory BUILD="$build" TELL_LOADER=: "$@" >"$top/log" 2>&1 || {
        cat "$top/log" >&2
        fail "make $* failed"
    }
}
listing() {
    (cd "$1" && find . | LC_ALL=C sort)
}

# Stand-ins for completions: what is installed of them is tested even without any.
completions=$top/completions
mkdir "$completions"
for name in marrow.bash marrow.zsh marrow.fish; do
    echo "$name" >"$completions/$name"
done

try() { # PREFIX LIBDIR DESTDIR
    root=$3$1
    rm -rf "$top/usr" "$top/dest"
    mkdir -p "$top/work" "${3:-$root/share}"
    [ -n "$3" ] || touch "$root/share/somebody_elses"
    listing "${3:-$root}" >"$top/before"
    mkdir -p "$root/include/marrow"
    touch "$root/include/marrow/of_an_earlier_version.h"
    mkdir -p "$root/share/man/man1"
    touch "$root/share/man/man1/marrow-earlier.1"
    make_it all PREFIX="$1"
    (umask 077 && make_it install PREFIX="$1" LIBDIR="$2" DESTDIR="$3" COMPLETIONS="$completions")
    while read -r mode file; do
        [ "$(stat -c %a "$3$(eval echo "$file")")" = "$mode" ] || fail "$file has not the mode $mode"
    done <<'END'
755 $1/bin/marrow
755 $1/libexec/marrow/marrow-import
644 $1/libexec/marrow/marrow-import.so
644 $2/libmarrow.so.1
644 $2/libmarrow.a
644 $2/pkgconfig/marrow.pc
644 $2/pkgconfig/marrow-static.pc
644 $2/cmake/marrow/marrow-config.cmake
644 $2/cmake/marrow/marrow-config-version.cmake
644 $1/share/doc/marrow/LICENSE
644 $1/share/doc/marrow/README.md
644 $1/share/doc/marrow/CHANGELOG.md
644 $1/share/doc/marrow/examples/program.c
644 $1/share/doc/marrow/examples/picture.c
644 $1/share/doc/marrow/examples/picture.py
644 $1/share/doc/marrow/examples/Makefile
644 $1/share/bash-completion/completions/marrow
644 $1/share/zsh/site-functions/_marrow
644 $1/share/fish/vendor_completions.d/marrow.fish
END
    [ -z "$(find "$root" -type d ! -perm 755)" ] || fail "a folder can't be read by all"
    if [ -z "$3" ]; then
        use "$1" "$2"
        move "$1" "$2"
    fi
    [ ! -e "$root/include/marrow/of_an_earlier_version.h" ] || fail "headers of an earlier version stay"
    [ ! -e "$root/share/man/man1/marrow-earlier.1" ] || fail "manual pages of an earlier version stay"
    for page in man1/marrow.1 man1/marrow-render.1 man7/marrow-clips.7; do
        ! command -v lowdown >/dev/null || [ -f "$root/share/man/$page" ] || fail "$page is missing"
    done
    size=$(du -sk "$root" | cut -f1)
    [ -n "${DEBUG:-}${SANITIZE:-}" ] || [ "$size" -lt 24000 ] || fail "$size kB are installed: not stripped"
    make_it uninstall PREFIX="$1" LIBDIR="$2" DESTDIR="$3" COMPLETIONS="$completions"
    listing "${3:-$root}" >"$top/after"
    diff "$top/before" "$top/after" >&2 || fail "uninstall does not leave what was there"
}

# Builds the installed examples with their own Makefile, which asks pkg-config, and runs them.
examples() { # PREFIX LIBDIR [STATIC=1]
    PKG_CONFIG_PATH="$2/pkgconfig"
    export PKG_CONFIG_PATH
    rm -rf "$top/examples"
    cp -r "$1/share/doc/marrow/examples" "$top/examples"
    make -s -C "$top/examples" CC="${CC:-cc}${SANITIZE:+ -fsanitize=$SANITIZE}" ${3:+"$3"} ||
        fail "the examples do not compile: $*"
    for program in program picture; do
        rm -f "$top/work/frame.png"
        (cd "$top/work" && LD_LIBRARY_PATH="$2" "$top/examples/$program" && [ -s frame.png ]) ||
            fail "the example $program does not run: $*"
    done
    [ -n "${SANITIZE:-}" ] || { # a library with sanitizers needs a program with them
        rm -f "$top/work/frame.png"
        (cd "$top/work" && LD_LIBRARY_PATH="$2" python3 "$top/examples/picture.py" | grep -qx '256 192 3 147456' &&
            [ -s frame.png ]) || fail "the example picture.py does not run: $*"
    }
}

needs_library() { # PROGRAM
    readelf -d "$1" | grep -q 'NEEDED.*libmarrow'
}

imports_by() { # PROGRAM
    env -u MARROW_IMPORTER "$1" "$root_of_sources/assets/figure.dae"
}

use() { # PREFIX LIBDIR
    examples "$1" "$2"
    needs_library "$top/examples/program" || fail "marrow.pc does not link libmarrow.so"
    env -u MARROW_IMPORTER "$1/bin/marrow" info assets/figure.dae >/dev/null ||
        fail "the installed command finds no import helper"
    (cd "$top/work" && LD_LIBRARY_PATH="$2" imports_by "$top/examples/program") ||
        fail "a program with libmarrow.so finds no import helper"
    examples "$1" "$2" STATIC=1
    ! needs_library "$top/examples/program" || fail "marrow-static.pc links libmarrow.so"
    # Only the prefix that is compiled in leads there.
    (cd "$top/work" && imports_by "$top/examples/program") ||
        fail "a program with libmarrow.a finds no import helper"
    with_cmake "$1" "$2"
    static_libraries "$2"
}

# The libraries that marrow.pc names for libmarrow.a are enough, and each of them is needed.
static_libraries() { # LIBDIR
    libraries=$(sed -n 's/^Libs.private: //p' "$1/pkgconfig/marrow.pc")
    for needed in --no-as-needed --as-needed; do
        # shellcheck disable=SC2086
        ${CC:-cc} ${SANITIZE:+-fsanitize="$SANITIZE"} -shared -Wl,$needed -Wl,-z,defs \
            -Wl,--whole-archive "$1/libmarrow.a" -Wl,--no-whole-archive $libraries \
            -o "$top/whole$needed" || fail "Libs.private of marrow.pc is not all that libmarrow.a needs"
        readelf -d "$top/whole$needed" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | sort >"$top/needed$needed"
    done
    diff "$top/needed--no-as-needed" "$top/needed--as-needed" >&2 ||
        fail "libmarrow.a takes nothing from libraries that marrow.pc names"
}

# Everything works from another folder with a blank in its name. pkg-config escapes the blank, and make
# hands that to a shell.
move() { # PREFIX LIBDIR
    place="$top/two words"
    mv "$1" "$place"
    moved=$place${2#"$1"}
    examples "$place" "$moved"
    examples "$place" "$moved" STATIC=1
    with_cmake "$place" "$moved"
    env -u MARROW_IMPORTER "$place/bin/marrow" info assets/figure.dae >/dev/null ||
        fail "the moved command finds no import helper"
    mv "$place" "$1"
}

# A project of CMake finds the package below PREFIX and links either library.
with_cmake() { # PREFIX LIBDIR
    if ! command -v cmake >/dev/null; then
        echo "SKIPPED install-check: there is no cmake"
        return 0
    fi
    rm -rf "$top/project"
    mkdir "$top/project"
    cp "$1/share/doc/marrow/examples/program.c" "$top/project"
    cat >"$top/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(user ${LANGUAGES})
find_package(marrow ${WANTED} REQUIRED)
add_executable(shared program.c)
target_link_libraries(shared PRIVATE marrow::marrow)
add_executable(static program.c)
target_link_libraries(static PRIVATE marrow::static)
END
    cmake_project "$1" "$version" >"$top/log" 2>&1 &&
        cmake --build "$top/project/build" >>"$top/log" 2>&1 || {
        cat "$top/log" >&2
        fail "a project of CMake does not build with $1"
    }
    grep -q "^marrow_DIR:PATH=$2/cmake/marrow" "$top/project/build/CMakeCache.txt" ||
        fail "CMake takes another marrow than that of $1"
    for program in shared static; do # the first one has a run path
        rm -f "$top/work/frame.png"
        (cd "$top/work" && "$top/project/build/$program" && [ -s frame.png ]) ||
            fail "the program of CMake with marrow::$program does not run"
    done
    needs_library "$top/project/build/shared" || fail "marrow::marrow is not libmarrow.so"
    ! needs_library "$top/project/build/static" || fail "marrow::static is not libmarrow.a"
    [ "$1" = "$top/usr" ] || return 0
    for wrong in "$version.1" "${version%.*}9.0" $((${version%%.*} + 1)).0; do
        # Without a compiler, CMake does not know the name of the folder in lib.
        ! cmake_project "$2/cmake" "$wrong" NONE >"$top/log" 2>&1 && grep -q "version: $version" "$top/log" ||
            fail "CMake takes marrow $version for version $wrong"
    done
}

cmake_project() { # PREFIX VERSION [NONE: without a compiler]
    rm -rf "$top/project/build"
    cmake -S "$top/project" -B "$top/project/build" -DCMAKE_PREFIX_PATH="$1" -DWANTED="$2" -DLANGUAGES="${3:-C}" \
        -DCMAKE_C_COMPILER="${CC:-cc}" -DCMAKE_C_FLAGS="${SANITIZE:+-fsanitize=$SANITIZE}"
}
version=$(sed -n 's/#define MRW_VERSION "\(.*\)"/\1/p' include/marrow/base.h)

# Folders that were made for it go with it, as far up as they are empty.
mkdir -p "$top/a/b/c/lib/pkgconfig" "$top/a/b/c/bin"
scripts/remove_empty.sh "" "$top/a/b/c/lib/pkgconfig/" "$top/a/b/c/bin" "$top/a/b/c/include/marrow"
[ ! -e "$top/a" ] && [ -e "$completions" ] || fail "remove_empty leaves folders"

# What is told of the loader, which may know a folder by another name: /lib is a link to /usr/lib.
mkdir -p "$top/fake" "$top/lib/x"
ln -s lib/x "$top/link"
touch "$top/lib/x/libmarrow.so.1"
printf '#!/bin/sh\necho 0\n' >"$top/fake/id"
printf '#!/bin/sh\n[ "$*" != -p ] || echo "	libmarrow.so.1 (libc6,x86-64) => %s/link/libmarrow.so.1"\n' "$top" \
    >"$top/fake/ldconfig"
chmod +x "$top/fake/id" "$top/fake/ldconfig"
tell() {
    PATH="$top/fake:$PATH" scripts/tell_loader.sh "$1"
}
[ -z "$(tell "$top/lib/x")" ] && [ -z "$(tell "$top/lib/x/")" ] || fail "the loader looks in a folder, but: $(tell "$top/lib/x")"
tell "$top/lib" | grep -q "does not look in $top/lib" || fail "nothing is told of a folder that the loader does not know"

# A machine that only builds has neither python3 nor lowdown.
mkdir "$top/few"
ln -s /usr/bin/* "$top/few"
rm -f "$top/few"/python3* "$top/few/lowdown"
PATH=$top/few make --no-print-directory BUILD="$build" man >"$top/log" 2>&1 &&
    grep -q "no manual pages" "$top/log" || fail "make man fails without python3: $(cat "$top/log")"

# A LIBDIR outside of PREFIX has absolute paths in its files.
scripts/package_files.sh "$top/package" /opt/a /srv/lib 1.0 -lz
grep -q '^prefix=/opt/a$' "$top/package/marrow.pc" && grep -q '^libdir=/srv/lib$' "$top/package/marrow.pc" &&
    grep -q 'prefix "/opt/a" ABSOLUTE' "$top/package/marrow-config.cmake" ||
    fail "a LIBDIR outside of PREFIX: $(cat "$top/package"/*)"

try "$top/usr" "$top/usr/lib" ""
try "$top/usr" "$top/usr/lib/x86_64-linux-gnu" ""
try /opt/marrow /opt/marrow/lib/x86_64-linux-gnu "$top/dest"
echo "check_install: installed, used and removed three times"
