#!/bin/sh
# Writes the files by which builds find an installed libmarrow: marrow.pc and marrow-static.pc for
# pkg-config, marrow-config.cmake and marrow-config-version.cmake for CMake. Paths are relative to the
# files, so a whole prefix can be moved. If LIBDIR is not below PREFIX, they are absolute.
#
#     scripts/package_files.sh OUT PREFIX LIBDIR VERSION LIBRARY...
#
# LIBRARY... is what a program that links libmarrow.a has to link, too.
set -eu
out=$1 prefix=${2%/} libdir=${3%/} version=$4
shift 4
case $libdir/ in
"$prefix"/*)
    below=${libdir#"$prefix"}
    up=$(printf %s "$below" | sed 's|/[^/]*|/..|g')
    pc_prefix="\${pcfiledir}/..$up" pc_libdir="\${prefix}$below"
    cmake_prefix="\${_marrow_libdir}$up"
    ;;
*) pc_prefix=$prefix pc_libdir=$libdir cmake_prefix=$prefix ;;
esac

# marrow.pc is for libmarrow.so. marrow-static.pc links libmarrow.a where both are installed.
pc() { # DESCRIPTION LINE...
    printf '%s\n' "prefix=$pc_prefix" "libdir=$pc_libdir" "Name: marrow" "Description: $1" \
        "Version: $version" "Cflags: -I\${prefix}/include"
    shift
    printf '%s\n' "$@"
}
mkdir -p "$out"
# shellcheck disable=SC2016
pc "headless skinning engine" 'Libs: -L${libdir} -lmarrow' "Libs.private: $*" >"$out/marrow.pc"
# shellcheck disable=SC2016
pc "headless skinning engine, static library" "Libs: -L\${libdir} -l:libmarrow.a $*" \
    >"$out/marrow-static.pc"

libraries=$(printf '%s;' "$@")
cat >"$out/marrow-config.cmake" <<END
# Defines the imported targets marrow::marrow (libmarrow.so) and marrow::static (libmarrow.a).
# The real path is used because /lib can be a link to /usr/lib.
get_filename_component(_marrow_libdir "\${CMAKE_CURRENT_LIST_DIR}" REALPATH)
get_filename_component(_marrow_libdir "\${_marrow_libdir}/../.." ABSOLUTE)
get_filename_component(_marrow_prefix "$cmake_prefix" ABSOLUTE)
if(NOT TARGET marrow::marrow)
  add_library(marrow::marrow SHARED IMPORTED)
  set_target_properties(marrow::marrow PROPERTIES
    IMPORTED_LOCATION "\${_marrow_libdir}/libmarrow.so.1"
    IMPORTED_SONAME "libmarrow.so.1"
    INTERFACE_INCLUDE_DIRECTORIES "\${_marrow_prefix}/include")
  add_library(marrow::static STATIC IMPORTED)
  set_target_properties(marrow::static PROPERTIES
    IMPORTED_LOCATION "\${_marrow_libdir}/libmarrow.a"
    INTERFACE_INCLUDE_DIRECTORIES "\${_marrow_prefix}/include"
    INTERFACE_LINK_LIBRARIES "${libraries%;}")
endif()
unset(_marrow_libdir)
unset(_marrow_prefix)
END
cat >"$out/marrow-config-version.cmake" <<END
# A request for X.Y is met by the same X and at least that Y; before 1.0 by the same Y alone.
set(PACKAGE_VERSION "$version")
set(_marrow_series "\${PACKAGE_FIND_VERSION_MAJOR}")
set(_marrow_own_series "${version%%.*}")
if(_marrow_own_series EQUAL 0 AND PACKAGE_FIND_VERSION_COUNT GREATER 1)
  set(_marrow_series "\${PACKAGE_FIND_VERSION_MAJOR}.\${PACKAGE_FIND_VERSION_MINOR}")
  set(_marrow_own_series "${version%.*}")
endif()
set(PACKAGE_VERSION_COMPATIBLE FALSE)
set(PACKAGE_VERSION_EXACT FALSE)
if(NOT PACKAGE_FIND_VERSION OR (_marrow_series STREQUAL _marrow_own_series AND
    NOT PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION))
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
if(CMAKE_SIZEOF_VOID_P AND NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
  set(PACKAGE_VERSION_UNSUITABLE TRUE)
endif()
unset(_marrow_series)
unset(_marrow_own_series)
END
