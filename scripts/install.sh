#!/bin/sh
# Installs a release of marrow; needs no root:  sh install.sh [VERSION] [URL | FILE.tar.xz]
# Environment: PREFIX (default ~/.local; for root /usr/local), MARROW_VERSION, MARROW_URL.
install_marrow() {
    base_url='' # `make dist` writes the address of the releases here
    version=${MARROW_VERSION:-0.2.0} from=${MARROW_URL:-$base_url} file='' get='curl -fsL --retry 2'
    set -eu; umask 022; machine=$(uname -sm); hash curl 2>/dev/null || get='wget -qO-'
    say() { printf 'install.sh: %s\n' "$*" >&2; } && fail() { say "$*" && exit 1; }
    for word; do case $word in
        *://*) from=$word ;;
        *.tar.xz) file=${word##*/} from=$(dirname "$word") get=cat version=${file#marrow-} ;;
        *) version=$word ;; esac; done
    version=${version%-linux-*.tar.xz}; name=marrow-$version-linux-${machine#* }
    case $machine in Linux\ x86_64 | Linux\ aarch64) ;; *) fail "no release is for $machine" ;; esac
    [ "${file:-$name.tar.xz}" = "$name.tar.xz" ] || fail "$file is not a release for $machine"
    case $version in [!0-9]* | *[!0-9A-Za-z.~+-]*) fail "'$version' is not a version" ;; esac
    [ -n "$from" ] || fail "no URL is set: set MARROW_URL, or pass a URL or the file $name.tar.xz"
    for f in tar xz sha256sum "${get%% *}"; do hash "$f" 2>/dev/null || fail "$f is missing"; done
    writable() { # Finds `at`, the nearest folder at or above a path, and fails if it is read-only.
        at=$1; while [ ! -e "$at" ]; do at=$(dirname "$at"); done
        { [ -d "$at" ] && [ -w "$at" ]; } || fail "$at is not a folder to write to: set PREFIX"; }
    prefix=${PREFIX:-$([ "$(id -u)" -eq 0 ] && echo /usr/local || echo "$HOME/.local")}
    writable "$prefix"; temp=$(mktemp -d "$at/.marrow-XXXXXX"); new=$temp/$name
    trap 'rm -rf "$temp"' EXIT; trap 'exit 1' HUP INT TERM
    for f in "$name.tar.xz" "marrow-$version-SHA256SUMS"; do
        $get "$from/$f" >"$temp/$f" 2>"$temp/log" || fail "cannot read $from/$f"; done
    sum=$(grep " [ *]$name.tar.xz\$" "$temp/$f") || fail "$f has no line for $name.tar.xz"
    [ "$(sha256sum <"$new.tar.xz")" = "${sum%% *}  -" ] || fail "$name.tar.xz has a wrong checksum"
    tar -xJof "$new.tar.xz" -C "$temp"
    "$new/bin/marrow" --version >"$temp/log" 2>&1 || fail "the command of $name does not run here"
    (cd "$new" && find libexec lib include share bin ! -type d -o -name marrow -prune) >"$temp/list"
    while read -r f; do writable "$prefix/${f%/*}"; done <"$temp/list"; trap '' HUP INT TERM
    while read -r f; do to=$prefix/$f; [ -d "${to%/*}" ] || mkdir -p "${to%/*}"
        [ ! -d "$to" ] || mv "$to" "$(mktemp -d "$temp/old-XXXXXX")"
        mv -f "$new/$f" "$to"; done <"$temp/list"
    prefix=$(cd "$prefix" && pwd); say "marrow $version is in $prefix"
    first=$(command -v marrow || :); [ -z "$first" ] || cmp -s "$first" "$prefix/bin/marrow" ||
        say "$first comes first in PATH: remove it, or put $prefix/bin before it"
    case :$PATH: in *":$prefix/bin:"*) ;; *) say "add $prefix/bin to PATH" ;; esac; }
{ install_marrow "$@"; }
