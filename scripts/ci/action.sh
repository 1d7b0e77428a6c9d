#!/bin/sh
# The steps of action.yml: action.sh place|install|test|link. Inputs and results of earlier steps
# are variables, which action.yml names; the runner sets RUNNER_... and GITHUB_....
set -eu
installer=$(dirname "$0")/../install.sh

fail() {
    echo "::error title=marrow::$*"
    exit 1
}

# Says where things go. Both inputs become parts of paths and lines, so few characters are allowed.
place() {
    version=${MARROW_VERSION:-$(sed -n 's/.*MARROW_VERSION:-\([0-9.]*\)}.*/\1/p' "$installer")}
    case $version in '' | *[!0-9A-Za-z.~+-]*) fail "version: not one such as 0.2.0" ;; esac
    case $NAME in '' | [!0-9A-Za-z]* | *[!0-9A-Za-z._-]*)
        fail "name: letters, digits, '.', '_' and '-' are allowed, with a letter or digit first" ;;
    esac
    # Releases lie with the repository of the action, which is at _actions/OWNER/NAME/REF.
    if [ -z "$FILE$MARROW_URL" ]; then
        case $GITHUB_ACTION_PATH in
        */_actions/*/*/*)
            inside=${GITHUB_ACTION_PATH##*/_actions/}
            name=${inside#*/}
            REPOSITORY=${inside%%/*}/${name%%/*}
            ;;
        esac
        [ -n "$REPOSITORY" ] || fail "url: set it, since this action is in no repository of its own"
        MARROW_URL=$GITHUB_SERVER_URL/$REPOSITORY/releases/download/v$version
    fi
    case $MARROW_URL in *[![:print:]]*) fail "url: it has control characters" ;; esac
    source=$(printf %s "$MARROW_URL" | sha256sum | cut -c 1-8)
    {
        echo "url=$MARROW_URL"
        echo "prefix=$RUNNER_TEMP/marrow"
        echo "key=marrow-$version-$source-$RUNNER_OS-$RUNNER_ARCH"
        echo "folder=$RUNNER_TEMP/marrow-results/$NAME"
        echo "page=$RUNNER_TEMP/marrow-results/failures-$NAME.html"
    } >>"$GITHUB_OUTPUT"
}

install() {
    rm -rf "$PREFIX" # of an earlier use in this job
    PATH=$PREFIX/bin:$PATH sh "$installer" ${FILE:+"$FILE"} ||
        fail "marrow cannot be installed: the log of this step says why"
}

# Runs marrow with the words of the inputs, one per line. Nothing in them is expanded.
test_suites() {
    PATH=$PREFIX/bin:$PATH
    echo "$PREFIX/bin" >>"$GITHUB_PATH"
    rm -rf "$FOLDER" "$PAGE"
    mkdir -p "$FOLDER"
    if [ -n "$MERGE" ]; then
        set -- report merge
        words=$MERGE
    else
        set -- test --out "$FOLDER/results"
        words=$SUITES
    fi
    while read -r word; do
        [ -z "$word" ] || set -- "$@" "$word"
    done <<WORDS
$words
$ARGUMENTS
WORDS
    status=0
    marrow "$@" --report "$FOLDER/report" --report-inline "$PAGE" --junit "$FOLDER/junit.xml" ||
        status=$?
    [ "$status" -ne 1 ] || [ ! -f "$PAGE" ] || echo "failed=true" >>"$GITHUB_OUTPUT"
    exit "$status"
}

# GitHub drops pictures that stand in a summary as data, and shows none of those that need a login.
# https://github.com/github/markup/issues/1840
link() {
    # shellcheck disable=SC2016
    printf '\n[Look at the failures](%s), or download all results: the artifact `%s`.\n' \
        "$LINK" "$NAME" >>"$GITHUB_STEP_SUMMARY"
}

case $1 in
place | install | link) "$1" ;;
test) test_suites ;;
*) fail "action.sh: '$1' is none of place, install, test, link" ;;
esac
