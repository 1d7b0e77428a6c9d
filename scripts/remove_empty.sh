#!/bin/sh
# Removes folders that are empty, and those above them that are empty then. Those that any system has
# stay, but below DESTDIR, which is "" for none.
#
#     scripts/remove_empty.sh DESTDIR FOLDER...
dest=$1
shift
belongs_to_system() {
    [ -z "$dest" ] || return 1
    case $1 in
    /usr/bin | /usr/include | /usr/lib | /usr/lib64 | /usr/libexec | /usr/local | \
        /usr/local/bin | /usr/local/include | /usr/local/lib) return 0 ;;
    /usr/share | /usr/share/man | /usr/share/man/man? | /usr/local/share | /usr/local/share/man | \
        /usr/local/share/man/man?) return 0 ;;
    /usr/share/doc | /usr/share/zsh | /usr/share/zsh/site-functions | /usr/local/share/doc | \
        /usr/local/share/zsh | /usr/local/share/zsh/site-functions) return 0 ;;
    esac
    [ "$(dirname "$1")" = / ] # /opt
}
for folder; do
    folder=${folder%/}
    while [ "${folder:-/}" != / ] && ! belongs_to_system "$folder" &&
        { [ ! -e "$dest$folder" ] || rmdir "$dest$folder" 2>/dev/null; }; do
        folder=$(dirname "$folder")
    done
done
exit 0
