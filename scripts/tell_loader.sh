#!/bin/sh
# Has the loader look again, after libraries were installed to a folder, or removed; says what is left
# to do where that is not enough.
#
#     scripts/tell_loader.sh [LIBDIR]
PATH=$PATH:/usr/sbin:/sbin
folder=${1:-}

if [ "$(id -u)" = 0 ] && command -v ldconfig >/dev/null; then
    ldconfig
    [ -z "$folder" ] && exit 0
    ldconfig -p | grep -qF " $folder/libmarrow.so.1" && exit 0
    echo "The loader does not look in $folder: name it in a file in /etc/ld.so.conf.d and run" \
        "ldconfig, or set LD_LIBRARY_PATH=$folder."
elif [ -n "$folder" ]; then
    echo "Programs find $folder/libmarrow.so.1 once root has run ldconfig, where the loader looks in" \
        "$folder; until then set LD_LIBRARY_PATH=$folder."
fi
exit 0
