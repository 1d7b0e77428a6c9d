#!/bin/sh
# Sprite sheets, read back by the parsers of PixiJS and Phaser: tests/npm/sprites.js.
#
# npm fetches what tests/npm/package-lock.json names into the build folder: 43 packages, 130 MB, of
# which Phaser is 120. Nothing of it is run but the parsers, and none of it is in marrow. Without
# node and npm the check is skipped, but not where CI is set.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${BUILD:-build}" && pwd)

if ! command -v node >/dev/null 2>&1 || ! command -v npm >/dev/null 2>&1; then
    if [ -n "${CI:-}" ]; then
        echo "sprites: there is no node, or no npm; scripts/setup.sh ci installs them" >&2
        exit 1
    fi
    echo "SKIPPED sprites: no node, or no npm"
    exit 0
fi

# Again only when the lock file has changed.
mkdir -p "$build/npm"
if ! cmp -s "$root/tests/npm/package-lock.json" "$build/npm/fetched"; then
    rm -f "$build/npm/fetched"
    cp "$root/tests/npm/package.json" "$root/tests/npm/package-lock.json" "$build/npm/"
    (cd "$build/npm" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
    cp "$root/tests/npm/package-lock.json" "$build/npm/fetched"
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
node "$root/tests/npm/sprites.js" "${MARROW:-$build/marrow}" "$root/assets/figure.glb" \
    "$build/npm/node_modules" "$folder"
