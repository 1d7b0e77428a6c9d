#!/bin/sh
# The completions of bash, zsh and fish, tried in these shells. Keys are typed into an interactive bash
# and zsh on a terminal of zsh's own (zpty); fish completes a line on request (complete -C).
#
# A key behind TAB has the shell print its line. It is handled when the completion is done, and the
# check waits for what it prints: no time is guessed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${BUILD:-build}" && pwd)

for shell in bash zsh fish; do
    if ! command -v $shell >/dev/null 2>&1; then
        echo "completions: there is no $shell; install the package $shell (scripts/setup.sh ci)" >&2
        exit 1
    fi
done
if [ ! -e /usr/share/bash-completion/bash_completion ]; then
    echo "completions: install the package bash-completion (scripts/setup.sh ci)" >&2
    exit 1
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
cd "$folder"
mkdir home 'dir one'
# Names of clips that shells have to quote.
python3 - "$root/tests/data/sail.gltf" <<'PYTHON'
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    model = json.load(file)
clip = model["animations"][0]
model["animations"] = [dict(clip, name=name) for name in ("Zoë's \"Walk\"", "$un & go", "plain")]
for name in ("a model.gltf", "plain.gltf", "home/model.gltf"):
    with open(name, "w", encoding="utf-8") as file:
        json.dump(model, file)
PYTHON

PATH=$build:$PATH HOME=$folder/home TERM=dumb LC_ALL=C.UTF-8 TMPDIR=$folder
export PATH HOME TERM LC_ALL TMPDIR
unset FPATH ZDOTDIR BASH_ENV ENV
failed=0
for shell in bash bash-completion zsh zsh-fpath; do
    # Two minutes are the end of a shell that hangs; each takes seconds.
    timeout 120 zsh -f "$root/scripts/completions/keys.zsh" $shell || failed=1
done
fish --no-config "$root/scripts/completions/lines.fish" || failed=1
exit $failed
