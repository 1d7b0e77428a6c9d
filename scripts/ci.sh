#!/bin/sh
# Installs marrow on a CI machine from this checkout, then runs a command with it.
#
#     apt-get update -qq && apt-get install -qq -y ca-certificates git
#     git clone -q "$MARROW_URL" /tmp/marrow
#     git -C /tmp/marrow checkout -q "$MARROW_COMMIT"
#     sh /tmp/marrow/scripts/ci.sh [COMMAND [ARGUMENT...]]
#
# 1. Installs the Debian packages that are missing: as root, or through sudo if that needs no
#    password. On other systems it prints what is needed and goes on.
# 2. Builds marrow and installs it into PREFIX. Skips this if PREFIX already has this commit, so a
#    CI system can save the build in its cache: cache the folder PREFIX.
# 3. Runs COMMAND in the current folder with PREFIX/bin first in PATH, and ends with its status.
#    On GitHub, later steps of the job find marrow in their PATH, too.
#
# Environment:
#     PREFIX     absolute path; default: /usr/local for root, else ~/.local
#     DEPS=off   install no packages
#     GL=1       build with the OpenGL backend
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)

home=$HOME/.local
[ "$(id -u)" -ne 0 ] || home=/usr/local
PREFIX=${PREFIX:-$home}
export PREFIX

"$root/scripts/setup.sh" build >&2

# The stamp names the installed commit. If git cannot tell the commit, marrow is always built.
stamp=$PREFIX/libexec/marrow/commit
commit=$(git -C "$root" rev-parse HEAD 2>/dev/null || date)${GL:+ GL}
if [ ! -x "$PREFIX/bin/marrow" ] || [ "$commit" != "$(cat "$stamp" 2>/dev/null)" ]; then
    rm -f "$stamp"
    make -C "$root" -j"$(nproc)" install >&2
    echo "$commit" >"$stamp"
fi

PATH=$PREFIX/bin:$PATH
export PATH
[ -z "${GITHUB_PATH:-}" ] || echo "$PREFIX/bin" >>"$GITHUB_PATH"
echo "ci.sh: marrow is in $PREFIX/bin" >&2
[ $# -eq 0 ] || exec "$@"
