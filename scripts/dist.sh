#!/bin/sh
# Makes all files of a release, and says what is left for a person to do: `make dist`.
# MARROW_URL, if set, is where the files will lie. Then install.sh takes them from there by itself; else
# its users name the address.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
out=$build/dist
version=$(sed -n 's/#define MRW_VERSION "\(.*\)"/\1/p' include/marrow/base.h)
fail() {
    echo "dist: $*" >&2
    exit 1
}
case ${MARROW_URL:-} in *[!A-Za-z0-9:/._~%+-]*) fail "MARROW_URL has characters that an address needs not have" ;; esac
[ -z "$(git status --porcelain)" ] || fail "the checkout has changes: commit them first"
grep -q "^## $version " CHANGELOG.md || fail "CHANGELOG.md has no heading '## $version'"
grep -q "MARROW_VERSION:-$version}" scripts/install.sh || fail "scripts/install.sh installs another version than $version"
tagged=$(git rev-parse -q --verify "refs/tags/v$version^{commit}" || :)
[ -z "$tagged" ] || [ "$tagged" = "$(git rev-parse HEAD)" ] ||
    fail "the tag v$version names another commit: raise MRW_VERSION in include/marrow/base.h"

rm -rf "$out" build/sources "$build/static" build-arm64/static # of an earlier day
make tarball
make tarball-arm64
make deb
cp "$build"/deb/*.deb "$out"
sed "s|base_url=''|base_url='${MARROW_URL:-}'|" scripts/install.sh >"$out/install.sh"
cp scripts/ci/Containerfile scripts/ci/Containerfile.import "$out"
(cd "$out" && sha256sum -- *.tar.xz *.deb install.sh >"marrow-$version-SHA256SUMS")

cat <<END

dist: the release $version, of commit $(git rev-parse --short HEAD), is in $out:
$(cd "$out" && find . -maxdepth 1 -type f -printf '  %8s  %f\n' | sort -k2)

What is left for a person:
  1. make dist-check             tries these files in clean roots; takes about seven minutes
  2. git tag -a v$version -m "marrow $version" && git push origin v$version
  3. upload the files of $out to the release v$version of the repository, where the GitHub action looks${MARROW_URL:+,
     and to $MARROW_URL}
  4. sh install.sh               on another machine, from that address
END
