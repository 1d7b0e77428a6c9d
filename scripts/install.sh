#!/bin/sh
# Installs a release, without root:  [PREFIX=DIR] sh install.sh [VERSION] [URL | DIR | FILE.tar.xz]
install_marrow() { base_url='' # `make dist` writes the address of the releases here
    version=${MARROW_VERSION:-0.2.0} from=${MARROW_URL:-$base_url} file='' get='curl -fsL --retry 2'
    set -eu; umask 022; machine=$(uname -sm) CDPATH=''; hash curl 2>/dev/null || get='wget -qO-'
    say() { printf 'install.sh: %s\n' "$*" >&2; } && fail() { say "$*" && exit 1; }
    for word; do case $word in '') ;; *://*) from=$word ;;
        *.tar.xz) file=${word##*/} from=$(dirname "$word") get=cat version=${file#marrow-} ;;
        */* | [!0-9]*) from=$word get=cat; [ -d "$word" ] || fail "$word is not a version or DIR" ;;
        *) version=$word ;; esac; done
    version=${version%-linux-*.tar.xz}; name=marrow-$version-linux-${machine#* }
    case $machine in Linux\ x86_64 | Linux\ aarch64) ;; *) fail "no release is for $machine" ;; esac
    [ "${file:-$name.tar.xz}" = "$name.tar.xz" ] || fail "$file is not a release for $machine"
    case $version in [!0-9]* | *[!0-9A-Za-z.~+-]*) fail "'$version' is not a version" ;; esac
    [ -n "$from" ] || fail "no URL is set: set MARROW_URL, or pass a URL or the file $name.tar.xz"
    for f in find tar xz sha256sum "${get%% *}"; do hash "$f" 2>&- || fail "$f is missing"; done
    writable() { at=$1; while [ ! -e "$at" ]; do at=$(dirname "$at"); done # the nearest that exists
        { [ -d "$at" ] && [ -w "$at" ]; } || fail "$at is not a folder to write to: set PREFIX"; }
    prefix=${PREFIX:-${HOME:+$HOME/.local}}; [ "$(id -u)" -ne 0 ] || prefix=${PREFIX:-/usr/local}
    [ -n "$prefix" ] || fail "HOME is not set: set PREFIX"; writable "$prefix"
    tmp=$(cd "$at" && mktemp -d "$PWD/.marrow-XXXXXX"); trap 'rm -rf "$tmp"' EXIT; new=$tmp/$name
    trap 'exit 1' 1 2 15; for f in "$name.tar.xz" "marrow-$version-SHA256SUMS"; do
        $get "$from/$f" >"$tmp/$f" 2>"$tmp/log" || fail "cannot read $from/$f"; done
    sum=$(sha256sum <"$new.tar.xz"); grep -q "^${sum% -}[ *]$name.tar.xz\$" "$tmp/$f" ||
        fail "$f has another checksum for $name.tar.xz"; tar -xJof "$new.tar.xz" -C "$tmp"
    "$new/bin/marrow" --version >"$tmp/log" 2>&1 || fail "the command of $name does not run here"
    (cd "$new" && find libexec lib include share bin ! -type d -o -name marrow -prune) >"$tmp/list"
    while read -r f; do t=$prefix/$f; echo "${t%/*}"; [ ! -d "$t" ] || find "$t" -type d
        if [ -d "$new/$f" ]; then [ ! -f "$t" ]; else [ ! -d "$t" ]; fi || fail "$t is in the way"
    done <"$tmp/list" >"$tmp/folders"; while read -r f; do writable "$f"; done <"$tmp/folders"
    move() { while read -r f; do t=$2/$f; [ -e "$1/$f" ] || [ -L "$1/$f" ] || continue # FROM TO
        { [ ! -e "$t" ] && mkdir -p "${t%/*}" && mv "$1/$f" "$t"; } || return; done <"$tmp/list"; }
    trap '' 1 2 15; if ! { move "$prefix" "$tmp/old" && move "$new" "$prefix"; } 2>"$tmp/log"; then
        why="cannot replace $prefix/$f"; ! move "$prefix" "$new" || :
        ! move "$tmp/old" "$prefix" || fail "$why"; trap - EXIT; fail "$why: see $tmp/old"; fi
    cd "$prefix"; prefix=$PWD; for f in share/man/man1/marrow.1 share/man/man[17]/marrow-*.[17]; do
        grep -qxF "$f" "$tmp/list" || rm -f "$f" || :; done; say "marrow $version is in $prefix"
    first=$(command -v marrow || :); command test "$first" -ef bin/marrow ||
        say "put $prefix/bin first in PATH${first:+, where marrow is $first now}"; }
{ install_marrow "$@"; }
