#!/bin/sh
# Builds the static libraries that Debian does not ship, for the static command: cJSON, meshoptimizer
# and OpenEXRCore, and the C code of libjpeg-turbo, from Debian's source packages of the system's own
# release.
#
#     scripts/static_libs.sh SOURCES OUT     CC, CXX and AR as make has them
#
# SOURCES keeps the unpacked sources; all architectures share them. OUT gets the four lib*.a.
# Packages come from the places that apt is configured with, through an index of sources of its own,
# so that the system's configuration stays as it is; apt checks signatures and hashes.
set -eu
mkdir -p "$1" "$2"
sources=$(cd "$1" && pwd)
out=$(cd "$2" && pwd)
CC=${CC:-cc} CXX=${CXX:-c++} AR=${AR:-ar}

fetch() {
    temporary=$(mktemp -d "$sources/fetch-XXXXXX")
    trap 'rm -rf "$temporary"' EXIT
    mkdir -p "$temporary/parts" "$temporary/lists/partial"
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ ! -f "$file" ] || sed -n 's/^deb /deb-src /p' "$file" >>"$temporary/parts/all.list"
    done
    for file in /etc/apt/sources.list.d/*.sources; do
        [ ! -f "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$temporary/parts/${file##*/}"
    done
    cd "$temporary"
    apt_source() {
        apt-get -qq -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$temporary/parts" \
            -o "Dir::State::Lists=$temporary/lists" -o APT::Sandbox::User=root "$@" >log 2>&1 || {
            cat log >&2
            echo "static_libs: apt-get $1 failed; the sources of cjson, meshoptimizer, openexr and libjpeg-turbo are needed" >&2
            exit 1
        }
    }
    apt_source update
    apt_source source --download-only cjson meshoptimizer openexr libjpeg-turbo
    for name in cjson meshoptimizer openexr libjpeg-turbo; do
        dpkg-source --no-check -x "$name"_*.dsc "$name" >log 2>&1 || {
            cat log >&2
            exit 1
        }
        rm -rf "${sources:?}/$name"
        mv "$name" "$sources/$name"
    done
    cd "$sources"
    rm -rf "$temporary"
    trap - EXIT
}

[ -d "$sources/cjson" ] && [ -d "$sources/meshoptimizer" ] && [ -d "$sources/openexr" ] &&
    [ -d "$sources/libjpeg-turbo" ] || fetch

# make_library NAME COMPILER FLAGS FILE... : archive of files of $sources
make_library() {
    name=$1 compiler=$2 flags=$3
    shift 3
    rm -rf "$out/$name.o" "$out/lib$name.a"
    mkdir "$out/$name.o"
    for file in "$@"; do
        # shellcheck disable=SC2086
        $compiler -O2 -g0 -w -ffp-contract=off -ffunction-sections -fdata-sections \
            -fno-asynchronous-unwind-tables -ffile-prefix-map="$sources=." $flags \
            -c "$file" -o "$out/$name.o/$(basename "$file").o"
    done
    "$AR" rcsD "$out/lib$name.a" "$out/$name.o"/*.o
    rm -rf "$out/$name.o"
}

mesh=$sources/meshoptimizer/src
make_library cjson "$CC" "" "$sources/cjson/cJSON.c"
make_library meshoptimizer "$CXX" "-fno-exceptions -fno-rtti" \
    "$mesh/allocator.cpp" "$mesh/indexcodec.cpp" "$mesh/vertexcodec.cpp" "$mesh/vertexfilter.cpp"
# Its configuration is that of Debian's package. Half floats are converted without the table, which
# is a part of a C++ library. B44, which marrow neither reads nor writes, has tables of 256 kB: four
# functions that fail replace it. -Os: the command has a limit.
core=$sources/openexr/src/lib/OpenEXRCore
cat >"$out/no_b44.c" <<'END'
#include "internal_compress.h"
#include "internal_decompress.h"
#define UNDO(name)                                                                                 \
    exr_result_t name(exr_decode_pipeline_t *a, const void *b, uint64_t c, void *d, uint64_t e)    \
    {                                                                                              \
        return EXR_ERR_FEATURE_NOT_IMPLEMENTED;                                                    \
    }
#define APPLY(name)                                                                                \
    exr_result_t name(exr_encode_pipeline_t *a)                                                    \
    {                                                                                              \
        return EXR_ERR_FEATURE_NOT_IMPLEMENTED;                                                    \
    }
UNDO(internal_exr_undo_b44)
UNDO(internal_exr_undo_b44a)
APPLY(internal_exr_apply_b44)
APPLY(internal_exr_apply_b44a)
END
# shellcheck disable=SC2046
make_library OpenEXRCore "$CC" \
    "-Os -DIMATH_HALF_NO_LOOKUP_TABLE -I$core -I/usr/include/OpenEXR -I/usr/include/Imath" \
    $(ls "$core"/*.c | grep -v b44) "$out/no_b44.c"
rm "$out/no_b44.c"

# The kernels come from Debian's libjpeg.a, which stands behind this library. Its C code there takes
# 250 kB more: 64 kB are a table for what the processor has an instruction. Left out is what marrow never
# asks for: rough and reduced transforms, palettes, and writing of other than plain baseline files.
jpeg=$out/jpeg
case $("$CC" -dumpmachine) in
aarch64*) kernels=arm/aarch64 ;;
*) kernels=x86_64 ;;
esac
rm -rf "$jpeg"
cp -r "$sources/libjpeg-turbo" "$jpeg"
sed -i -E 's/^#define ((DCT_(IFAST|FLOAT)|C_(MULTISCAN_FILES|PROGRESSIVE)|ENTROPY_OPT|(INPUT|BLOCK)_SMOOTHING|SAVE_MARKERS|IDCT_SCALING|UPSAMPLE_MERGING|QUANT_[12]PASS)_SUPPORTED)/#undef \1/' \
    "$jpeg/jmorecfg.h"
sed 's/@COPYRIGHT_YEAR@//' "$jpeg/jversion.h.in" >"$jpeg/jversion.h"
cat >"$jpeg/jconfigint.h" <<'END'
#define BUILD ""
#define INLINE inline
#define THREAD_LOCAL __thread
#define PACKAGE_NAME "libjpeg-turbo"
#define VERSION ""
#define SIZEOF_SIZE_T 8
#define HAVE_BUILTIN_CTZL
#define FALLTHROUGH __attribute__((fallthrough));
END
# shellcheck disable=SC2046
make_library jpegcore "$CC" "-Os -DUSE_CLZ_INTRINSIC -I$jpeg" \
    $(for name in jaricom jcapimin jcapistd jccoefct jccolor jcdctmgr jchuff jcinit jcmainct jcmarker \
        jcmaster jcomapi jcparam jcprepct jcsample jdapimin jdapistd jdarith jdatasrc jdcoefct jdcolor \
        jddctmgr jdhuff jdinput jdmainct jdmarker jdmaster jdphuff jdpostct jdsample jerror jfdctint \
        jidctint jmemmgr jmemnobs jutils simd/$kernels/jsimd; do echo "$jpeg/$name.c"; done)
rm -r "$jpeg"
