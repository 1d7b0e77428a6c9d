#!/bin/sh
# Makes the smallest root of a Debian release in a folder, unless it is there already.
#
#     scripts/make_root.sh bookworm build/roots/bookworm
#
# Packages come from where apt is configured to take them.
set -eu
[ ! -d "$2" ] || exit 0
command -v debootstrap >/dev/null || { echo "make_root: install the package debootstrap" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || { echo "make_root: debootstrap needs root" >&2; exit 1; }
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Component: main' | head -n 1)
[ -n "$mirror" ] || { echo "make_root: apt knows no archive; run apt-get update" >&2; exit 1; }
mkdir -p "$(dirname "$2")"
rm -rf "$2.part"
debootstrap --variant=minbase "$1" "$2.part" "$mirror" >"$2.log" 2>&1 || { tail -n 20 "$2.log" >&2; exit 1; }
mv "$2.part" "$2"
