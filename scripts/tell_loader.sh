#!/bin/sh
# Has the loader look again, after libraries were installed to a folder, or removed; says what is left
# to do where that is not enough.
#
#     scripts/tell_loader.sh [LIBDIR]
PATH=$PATH:/usr/sbin:/sbin
folder=${1:-}

# Whether the loader has the library of that folder, by whatever name: /lib may be a link to /usr/lib.
finds() {
    ldconfig -p | sed -n 's/.*libmarrow\.so\.1 .*=> //p' | while IFS= read -r library; do
        [ "$(readlink -f "$library")" != "$(readlink -f "$1/libmarrow.so.1")" ] || echo yes
    done | grep -q yes
}

if [ "$(id -u)" = 0 ] && command -v ldconfig >/dev/null; then
    ldconfig
    [ -z "$folder" ] && exit 0
    finds "$folder" && exit 0
    echo "The loader does not look in $folder: name it in a file in /etc/ld.so.conf.d and run" \
        "ldconfig, or set LD_LIBRARY_PATH=$folder."
elif [ -n "$folder" ]; then
    echo "Programs find $folder/libmarrow.so.1 once root has run ldconfig, where the loader looks in" \
        "$folder; until then set LD_LIBRARY_PATH=$folder."
fi
exit 0
