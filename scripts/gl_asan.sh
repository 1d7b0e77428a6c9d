#!/bin/sh
# What tests OpenGL itself, under AddressSanitizer and LeakSanitizer, in one process.
#
#   scripts/gl_asan.sh             what `make gl-asan` has built into build-gl-asan (or $BUILD)
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build-gl-asan}
export CK_FORK=no CK_TIMEOUT_MULTIPLIER=20 LSAN_OPTIONS="exitcode=23 ${LSAN_OPTIONS:-}"

"$build/tests/gl" || { echo "gl-asan: not clean"; exit 1; }
# Once more where Mesa has OpenGL ES 3.0 alone.
MESA_GL_VERSION_OVERRIDE=2.1 MESA_GLES_VERSION_OVERRIDE=3.0 "$build/tests/gl" ||
    { echo "gl-asan: not clean with OpenGL ES"; exit 1; }

# What was left on purpose must be found.
status=0
"$build/tests/gl_leak" >"$build/leak.log" 2>&1 || status=$?
if [ "$status" -ne 23 ] || ! grep -q 'in gl_store_mesh ' "$build/leak.log"; then
    tail -n 30 "$build/leak.log"
    echo "gl-asan: a leak on purpose was not found (status $status)"
    exit 1
fi
echo "gl-asan: clean; a leak on purpose is found"
