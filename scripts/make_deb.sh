#!/bin/sh
# Makes the Debian packages marrow, libmarrow1, libmarrow-dev and marrow-doc in BUILD/deb. `make install`
# puts everything into a folder, and debhelper, led by scripts/deb, makes the packages of it.
#
# The same sources give the same bytes. Dates are those of SOURCE_DATE_EPOCH; by default it is the time of
# the last commit, or of the newest header if there is no repository.
set -eu
cd "$(dirname "$0")/.."
out=${BUILD:-build}/deb
tree=$out/tree
umask 022

for tool in dh dpkg-gensymbols lowdown python3; do
    command -v "$tool" >/dev/null || {
        echo "make_deb: there is no $tool; scripts/setup.sh deb installs it" >&2
        exit 1
    }
done
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null ||
    stat -c %Y include/marrow/*.h | sort -n | tail -n 1)}
export SOURCE_DATE_EPOCH
version=$(sed -n 's/#define MRW_VERSION "\(.*\)"/\1/p' include/marrow/base.h)
symbols=tests/libmarrow.symbols

rm -rf "$tree" "$out"/*.deb
mkdir -p "$tree"
tree=$(cd "$tree" && pwd) # BUILD may be absolute
cp -R scripts/deb "$tree/debian"
debian=$tree/debian
for package in $(sed -n 's/^Package: //p' "$debian/control"); do
    cp scripts/deb/lintian-overrides "$debian/$package.lintian-overrides"
done
rm "$debian/lintian-overrides" # debhelper would take it for the first package only
maintainer=$(sed -n 's/^Maintainer: //p' "$debian/control")
cat >"$debian/changelog" <<END
marrow ($version-1) unstable; urgency=medium

  * Version $version: changelog.gz in this folder says what is new.

 -- $maintainer  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
END
{
    sed -n '3s/Copyright (c) \(.*\)/\1/p' LICENSE | {
        read -r holder
        printf '%s\n' 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/' \
            'Upstream-Name: marrow' '' 'Files: *' "Copyright: $holder" 'License: Expat'
    }
    sed '1,4d; s/^$/./; s/^/ /' LICENSE
} >"$debian/copyright"
{
    printf '%s\n' 'libmarrow.so.1 libmarrow1 #MINVER#' '* Build-Depends-Package: libmarrow-dev'
    echo " MARROW_1@MARROW_1 $(cut -d' ' -f2 "$symbols" | sort -V | head -n 1)"
    sed 's/^\([^ ]*\) / \1@MARROW_1 /' "$symbols"
} >"$debian/libmarrow1.symbols"

${MAKE:-make} --no-print-directory BUILD="${BUILD:-build}" PREFIX=/usr DESTDIR="$tree/root" \
    LIBDIR="/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)" install >"$out/log" 2>&1 || {
    cat "$out/log" >&2
    exit 1
}
# The changelog is in each package, and the licence is in the file copyright.
mv "$tree/root/usr/share/doc/marrow/CHANGELOG.md" "$tree"
rm "$tree/root/usr/share/doc/marrow/LICENSE"
# Debian's zsh looks for the completions of packages in a folder of its own.
share=usr/share
while read -r file folder; do
    [ ! -f "$tree/root/$share/$file" ] || echo "$share/$file $share/$folder" >>"$debian/marrow.install"
done <<'END'
bash-completion/completions/marrow bash-completion/completions
zsh/site-functions/_marrow zsh/vendor-completions
fish/vendor_completions.d/marrow.fish fish/vendor_completions.d
END
mkdir "$tree/packages"
(cd "$tree" && env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS LC_ALL=C debian/rules binary) >>"$out/log" 2>&1 || {
    cat "$out/log" >&2
    exit 1
}
mv "$tree/packages"/*.deb "$out/"
rm -rf "$tree"
ls "$out"/*.deb
