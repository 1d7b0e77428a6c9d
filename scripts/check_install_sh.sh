#!/bin/sh
# Runs scripts/install.sh with releases that it makes up: from a file, by curl and by wget, over an
# older installation, and with every bad input that its messages name. A bad input gives one line, a
# status other than 0, and leaves every folder as it was.
#
#     scripts/check_install_sh.sh
#     RELEASE=marrow-0.2.0-linux-x86_64.tar.xz scripts/check_install_sh.sh    also installs this one
set -eu
cd "$(dirname "$0")/.."
root=$(pwd)
script=$root/scripts/install.sh
top=$(mktemp -d "${TMPDIR:-/tmp}/marrow-release-XXXXXX")
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; chmod -R u+w "$top"; rm -rf "$top"' EXIT
trap 'exit 1' HUP INT TERM
unset MARROW_URL MARROW_VERSION PREFIX
machine=$(uname -m)
plain_path=$PATH
fail() {
    echo "check_install_sh: $*" >&2
    [ ! -s "$top/err" ] || sed 's/^/    /' "$top/err" >&2
    exit 1
}

# Root can write anywhere, so what follows runs as somebody else.
chmod 755 "$top"
mkdir "$top/work" && chmod 777 "$top/work"
user=
[ "$(id -u)" -ne 0 ] || user="setpriv --reuid=65534 --regid=65534 --clear-groups"

# ---- releases ------------------------------------------------------------------------------------
# A release's command answers with its version; WORD is a file that only this release has.
make_release() { # VERSION WORD FOLDER [COMMAND'S STATUS]
    name=marrow-$1-linux-$machine
    tree=$top/trees/$name
    rm -rf "$tree"
    mkdir -p "$3" "$tree/bin" "$tree/libexec/marrow/lib" "$tree/lib/pkgconfig" \
        "$tree/lib/cmake/marrow" "$tree/include/marrow" "$tree/share/man/man1" \
        "$tree/share/doc/marrow/examples" "$tree/share/bash-completion/completions"
    printf '#!/bin/sh\necho "marrow %s"\nexit %s\n' "$1" "${4:-0}" >"$tree/bin/marrow"
    chmod 755 "$tree/bin/marrow"
    for path in libexec/marrow/loader "libexec/marrow/lib/$2.so" lib/libmarrow.so.1 lib/libmarrow.a \
        lib/pkgconfig/marrow.pc lib/cmake/marrow/marrow-config.cmake "include/marrow/$2.h" \
        share/man/man1/marrow.1 share/bash-completion/completions/marrow \
        share/doc/marrow/LICENSE "share/doc/marrow/examples/$2.ini"; do
        echo "$1 $path" >"$tree/$path"
    done
    ln -s libmarrow.so.1 "$tree/lib/libmarrow.so"
    echo "of the files in here" >"$tree/SHA256SUMS"
    tar -cJf "$3/$name.tar.xz" -C "$top/trees" "$name"
    (cd "$3" && sha256sum "$name.tar.xz" >"marrow-$1-SHA256SUMS")
}
make_release 0.1.0 early "$top/releases"
make_release 0.2.0 late "$top/releases"
old=marrow-0.1.0-linux-$machine
new=marrow-0.2.0-linux-$machine

# Serves the releases; below /half/ a file ends in its middle, and below /slow/ it waits there.
cat >"$top/server.py" <<'PYTHON'
import http.server, pathlib, sys, time

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        parts = self.path.strip("/").split("/")
        file = pathlib.Path(sys.argv[1], parts[-1])
        if not file.is_file():
            self.send_error(404)
            return
        data = file.read_bytes()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        short = file.name.endswith(".xz") and parts[0] in ("half", "slow")
        self.wfile.write(data[:len(data) // 2] if short else data)
        if short and parts[0] == "slow":
            self.wfile.flush()
            pathlib.Path(sys.argv[2], "slow").touch()
            time.sleep(60)

    def log_message(self, *rest):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
PYTHON
mkfifo "$top/port"
python3 "$top/server.py" "$top/releases" "$top" >"$top/port" &
server=$!
read -r port <"$top/port"
url=http://127.0.0.1:$port

# ---- running it ----------------------------------------------------------------------------------
# Folders of all commands that it runs, but for some.
commands="sh env uname curl wget mktemp dirname mkdir mv rm cat grep find tar xz sha256sum id"
without() { # NAME COMMAND...
    path=$top/$1
    shift
    mkdir "$path"
    for command in $commands; do
        case " $* " in *" $command "*) ;; *) ln -s "$(command -v "$command")" "$path" ;; esac
    done
}
without no_curl curl
without no_wget wget
without neither curl wget
without no_xz xz
without no_sum sha256sum
without no_find find
mkdir "$top/riscv" "$top/darwin"
printf '#!/bin/sh\necho Linux riscv64\n' >"$top/riscv/uname"
printf '#!/bin/sh\necho Darwin arm64\n' >"$top/darwin/uname"
chmod +x "$top/riscv/uname" "$top/darwin/uname"

run() { # [NAME=VALUE...] SHELL SCRIPT [ARGUMENT...]
    status=0
    # shellcheck disable=SC2086
    (cd "$top/work" && $user "$(command -v env)" HOME="$top/work/home" "$@") \
        >"$top/out" 2>"$top/err" </dev/null || status=$?
    [ ! -s "$top/out" ] || fail "$*: it writes to standard output"
}
# Lists the folder where it may write. A file that is written to, or another under the name of an old
# one, shows.
look() {
    find "$top/work" -type d -printf '%P %M %i\n' -o -printf '%P %M %i %s %T@\n' >"$top/$1"
}
unchanged() {
    look after
    cmp -s "$top/before" "$top/after" || fail "$*: it leaves: $(diff "$top/before" "$top/after")"
}
good() { # MESSAGE [NAME=VALUE...] SHELL SCRIPT [ARGUMENT...]
    wanted=$1
    shift
    run "$@"
    [ "$status" -eq 0 ] || fail "$*: it fails with status $status"
    grep -qE "$wanted" "$top/err" || fail "$*: it does not say '$wanted'"
}
bad() { # MESSAGE [NAME=VALUE...] SHELL SCRIPT [ARGUMENT...]
    wanted=$1
    shift
    run "$@"
    [ "$status" -ne 0 ] || fail "$*: it accepts this"
    grep -qE "^install.sh: $wanted" "$top/err" || fail "$*: it does not say '$wanted'"
    [ "$(wc -l <"$top/err")" -eq 1 ] || fail "$*: it says more than one line"
    unchanged "$@"
}
holds() { # PREFIX TREE: all of the release is there, and no more
    for folder in bin libexec lib include share; do
        diff -r "$1/$folder" "$2/$folder" >"$top/err" || fail "$1: not what the release holds"
    done
    [ "$(cd "$1" && echo .[!.]* ./*)" = ".[!.]* ./bin ./include ./lib ./libexec ./share" ] ||
        fail "$1: more than the release's folders"
}

# ---- what works ----------------------------------------------------------------------------------
[ "$(wc -l <"$script")" -le 40 ] || fail "install.sh has more than 40 lines"
sed -n 's/#define MRW_VERSION "\(.*\)"/\1/p' include/marrow/base.h >"$top/version"
grep -q "MARROW_VERSION:-$(cat "$top/version")}" "$script" ||
    fail "install.sh is of another version"

file=$top/releases/$new.tar.xz
for shell in sh "bash --posix" "busybox sh"; do
    command -v "${shell%% *}" >/dev/null || continue
    # shellcheck disable=SC2086
    good "put .*/a b/bin first in PATH$" PREFIX="$top/work/a b" $shell "$script" "$file"
    holds "$top/work/a b" "$top/trees/$new"
    rm -rf "$top/work/a b"
done
good "marrow 0.1.0 is in" PATH="$top/no_wget" PREFIX=../work/curl sh "$script" 0.1.0 "$url"
holds "$top/work/curl" "$top/trees/$old"
good "marrow 0.1.0 is in" PATH="$top/no_curl" PREFIX="$top/work/wget" MARROW_URL="$url" \
    MARROW_VERSION=0.1.0 sh "$script"
holds "$top/work/wget" "$top/trees/$old"
good "marrow 0.2.0 is in $top/work/home/.local" MARROW_URL="$url/" sh "$script"
holds "$top/work/home/.local" "$top/trees/$new"

# Over an older one: files of its own folders go, files of others stay. A running command keeps its
# file.
prefix=$top/work/curl
echo mine >"$prefix/share/mine"
ln "$prefix/bin/marrow" "$top/running"
good "marrow 0.2.0 is in" PREFIX="$prefix" sh "$script" "$file"
[ "$(cat "$prefix/share/mine")" = mine ] || fail "it removes files of others"
rm "$prefix/share/mine"
holds "$prefix" "$top/trees/$new"
[ "$("$top/running")" = "marrow 0.1.0" ] || fail "it writes into the file of a running command"

# Another marrow comes first in PATH; this one does; a link to this one does. An empty word is none.
mkdir "$top/other" "$top/link"
cp "$top/trees/$old/bin/marrow" "$top/other"
ln -s "$prefix/bin/marrow" "$top/link"
good "^install.sh: put $prefix/bin first in PATH, where marrow is $top/other/marrow now" \
    PATH="$top/other:$prefix/bin:$PATH" PREFIX="$prefix" sh "$script" "$file"
[ "$(wc -l <"$top/err")" -eq 2 ] || fail "two lines are enough if another marrow comes first"
for before in "$prefix/bin" "$top/link:$prefix/bin"; do
    good "marrow 0.2.0 is in" PATH="$before:$PATH" PREFIX="$prefix" sh "$script" "" "$file" ""
    [ "$(wc -l <"$top/err")" -eq 1 ] || fail "it says more than one line with $before first in PATH"
done

# A folder of releases, by the newest version and by another.
for words in "$top/releases" "../releases 0.2.0" "0.1.0 $top/releases/"; do
    # shellcheck disable=SC2086
    good "marrow 0.[12].0 is in" PREFIX="$top/work/folder" sh "$script" $words
done
holds "$top/work/folder" "$top/trees/$old"

# Manual pages of an earlier release go, those of others stay.
pages=$prefix/share/man
$user mkdir "$pages/man7"
for page in man1/marrow-early.1 man7/marrow-early.7 man1/marrowfat.1 man7/other.7; do
    echo page >"$pages/$page"
done
rm "$top/trees/$new/share/man/man1/marrow.1"
mkdir "$top/fewer"
tar -cJf "$top/fewer/$new.tar.xz" -C "$top/trees" "$new"
(cd "$top/fewer" && sha256sum "$new.tar.xz" >marrow-0.2.0-SHA256SUMS)
good "marrow 0.2.0 is in" PREFIX="$prefix" sh "$script" "$top/fewer"
[ "$(cd "$pages" && echo man?/*)" = "man1/marrowfat.1 man7/other.7" ] ||
    fail "of the manual pages it leaves $(cd "$pages" && echo man?/*)"

# ---- bad inputs, first without a PREFIX, then over an older installation -------------------------
mkdir "$top/broken"
bad_release() { # FOLDER COMMAND...: a copy of the releases in which a command changes something
    cp -r "$top/releases" "$top/broken/$1"
    (cd "$top/broken/$1" && shift && "$@")
}
sums=marrow-0.2.0-SHA256SUMS
bad_release wrong sed -i 's/^./x/' "$sums"
bad_release no_line sed -i "s/$machine/m68k/" "$sums"
bad_release no_sums rm "$sums"
bad_release cut truncate -s 400 "$new.tar.xz"
bad_release cut_sums truncate -s 60 "$sums"
make_release 0.2.0 late "$top/broken/does_not_run" 1
make_release 0.2.0 late "$top/releases"
echo >"$top/work/not_a_folder"
good "marrow 0.1.0 is in" PREFIX="$top/work/older" sh "$script" "$top/releases/$old.tar.xz"

look before
for to in "$top/work/none/of these" "$top/work/older"; do
    bad "no release is for Linux riscv64" PATH="$top/riscv:$PATH" PREFIX="$to" sh "$script" "$file"
    bad "no release is for Darwin arm64" PATH="$top/darwin:$PATH" PREFIX="$to" sh "$script" "$file"
    bad "$sums has another checksum for $new" \
        PREFIX="$to" sh "$script" "$top/broken/wrong/$new.tar.xz"
    bad "$sums has another checksum for $new" \
        PREFIX="$to" sh "$script" "$top/broken/cut/$new.tar.xz"
    bad "$sums has another checksum for $new" \
        PREFIX="$to" sh "$script" "$top/broken/no_line/$new.tar.xz"
    bad "$sums has another checksum for $new" \
        PREFIX="$to" sh "$script" "$top/broken/cut_sums/$new.tar.xz"
    bad "cannot read .*/$sums" PREFIX="$to" sh "$script" "$top/broken/no_sums/$new.tar.xz"
    bad "cannot read .*/$new" PREFIX="$to" sh "$script" "$top/broken/$new.tar.xz"
    bad "cannot read .*/none/$new" PREFIX="$to" sh "$script" "file://$top/none"
    bad "the command of $new does not run here" \
        PREFIX="$to" sh "$script" "$top/broken/does_not_run/$new.tar.xz"
    bad "cannot read $url/half/$new" PATH="$top/no_wget" PREFIX="$to" sh "$script" "$url/half"
    bad "cannot read $url/marrow-9.9.9" PATH="$top/no_wget" PREFIX="$to" sh "$script" "$url" 9.9.9
    bad "cannot read $url/marrow-9.9.9" PATH="$top/no_curl" PREFIX="$to" sh "$script" "$url" 9.9.9
    bad "no URL is set: " PREFIX="$to" sh "$script"
    bad "wget is missing" PATH="$top/neither" PREFIX="$to" sh "$script" "$url"
    bad "xz is missing" PATH="$top/no_xz" PREFIX="$to" sh "$script" "$file"
    bad "find is missing" PATH="$top/no_find" PREFIX="$to" sh "$script" "$file"
    bad "sha256sum is missing" PATH="$top/no_sum" PREFIX="$to" sh "$script" "$file"
    bad "0.2.0-other.tar.xz is not a release for Linux $machine" \
        PREFIX="$to" sh "$script" ./0.2.0-other.tar.xz
    bad ".*m68k.tar.xz is not a release for Linux $machine" \
        PREFIX="$to" sh "$script" marrow-0.2.0-linux-m68k.tar.xz
    bad "--help is not a version or DIR" PREFIX="$to" sh "$script" --help
    bad "./none is not a version or DIR" PREFIX="$to" sh "$script" ./none
    bad "HOME is not set: set PREFIX" env -u HOME sh "$script" "$file"
    bad "'0.2/../..' is not a version" PREFIX="$to" MARROW_VERSION=0.2/../.. sh "$script" "$url"
done
mkdir "$top/work/read_only" "$top/work/part" "$top/work/part/share"
chmod 555 "$top/work/read_only" "$top/work/part/share"
[ -z "$user" ] || chown 65534 "$top/work/part"
look before
bad ".*not_a_folder is not a folder to write to" \
    PREFIX="$top/work/not_a_folder" sh "$script" "$file"
bad ".*not_a_folder is not a folder to write to" \
    PREFIX="$top/work/not_a_folder/b" sh "$script" "$file"
for to in read_only read_only/b part; do
    bad "$top/work/(read_only|part/share) is not a folder to write to" \
        PREFIX="$top/work/$to" sh "$script" "$file"
done

# A folder in the way of a file, and the reverse.
for path in bin/marrow lib/libmarrow.so libexec/marrow share/man/man1/marrow.1; do
    mv "$top/work/older/$path" "$top/aside"
    maker="mkdir"
    [ ! -d "$top/aside" ] || maker="touch"
    "$maker" "$top/work/older/$path"
    look before
    bad "$top/work/older/$path is in the way" PREFIX="$top/work/older" sh "$script" "$file"
    rm -r "${top:?}/work/older/$path"
    mv "$top/aside" "$top/work/older/$path"
done

# Folders that cannot be moved, or not be removed then. A move that fails all the same is undone.
for path in share/doc/marrow share/doc/marrow/examples include/marrow; do
    chmod 555 "$top/work/older/$path"
    look before
    bad "$top/work/older/$path is not a folder to write to" \
        PREFIX="$top/work/older" sh "$script" "$file"
    chmod 755 "$top/work/older/$path"
done
mkdir "$top/moves"
for where in '*/.marrow-*/old/bin/marrow' '*/older/bin/marrow' '*/older/lib/libmarrow.so.1' \
    '*/older/share/doc/marrow'; do
    cat >"$top/moves/mv" <<SCRIPT
#!/bin/sh
case \$1:\$2 in
*/old/*:$where) ;;
*:$where) echo "mv: no" >&2 && exit 1 ;;
esac
exec $(command -v mv) "\$@"
SCRIPT
    chmod +x "$top/moves/mv"
    look before
    bad "cannot replace $top/work/older/[^ ]*$" \
        PATH="$top/moves:$PATH" PREFIX="$top/work/older" sh "$script" "$file"
    holds "$top/work/older" "$top/trees/$old"
done

# ---- an installation that a signal ends, and a script that was cut -------------------------------
# shellcheck disable=SC2086
PATH=$top/no_wget:$plain_path PREFIX=$top/work/signal \
    setsid $user sh "$script" "$url/slow" 2>"$top/err" &
group=$!
while [ ! -e "$top/slow" ] && kill -0 "$group" 2>/dev/null; do sleep 0.05; done
[ -e "$top/slow" ] || fail "it ends before its download"
env kill -s TERM -- "-$group"
! wait "$group" || fail "it ends well with a signal"
unchanged "a signal"

# The moves are not cut off: here each of them sends a signal.
mkdir "$top/signals"
# shellcheck disable=SC2016
printf '#!/bin/sh\nkill -TERM $PPID\nexec %s "$@"\n' "$(command -v mv)" >"$top/signals/mv"
chmod +x "$top/signals/mv"
good "marrow 0.2.0 is in" PATH="$top/signals:$PATH" PREFIX="$top/work/older" sh "$script" "$file"
holds "$top/work/older" "$top/trees/$new"

# As `curl | sh` reads it, cut at the ends of all lines, at each byte of the last line and at others.
size=$(wc -c <"$script")
cuts=$(awk '{ n += length($0) + 1; print n - 1; print n }' "$script" |
    awk -v size="$size" '$1 < size - 1')
cuts="$cuts $(seq 0 97 $((size - 2))) $(seq $((size - 28)) $((size - 2)))"
for cut in $cuts; do
    head -c "$cut" "$script" | MARROW_URL=$url PREFIX=$top/cut sh -s -- "$file" \
        >"$top/out" 2>&1 || :
    [ ! -e "$top/cut" ] || fail "cut after $cut of $size bytes it installs"
done
head -c $((size - 1)) "$script" | PREFIX=$top/cut sh -s -- "$file" 2>"$top/err" ||
    fail "the whole script fails"
holds "$top/cut" "$top/trees/$new"

if [ -n "${RELEASE:-}" ]; then
    run PREFIX="$top/work/real" sh "$script" "$(realpath "$RELEASE")"
    [ "$status" -eq 0 ] || fail "$RELEASE cannot be installed"
    "$top/work/real/bin/marrow" --version
fi
echo "check_install_sh: installed from files and addresses; bad inputs and cut scripts leave nothing"
