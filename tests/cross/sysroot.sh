#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Makes a sysroot for a cross build out of Debian packages and prints its folder.
# Kept in $TPROF_CROSS_DIR (default ~/.cache/tprof/cross); a change of the packages makes a new one.
#
# usage: sysroot.sh aarch64|riscv64
set -u
export LC_ALL=C.UTF-8
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=tests/cross/architectures.sh
. "$here/architectures.sh"
# shellcheck source=tests/cross/apt.sh
. "$here/apt.sh"

say() {
	echo "sysroot: $*" >&2
}

download() {
	apt_begin "$apt_root" "$CROSS_DEBIAN" "$CROSS_SUITE" && apt_tool apt-get install -y --download-only "${CROSS_PACKAGES[@]}" >&2
}

# Every package in one tree. Debian 12 still ships /lib, Debian 13 ships /usr/lib only: both end there.
unpack() {
	local package tree=$1 folder
	mkdir -p "$tree/usr/lib" "$tree/usr/bin" "$tree/usr/sbin" || return 1
	for folder in lib bin sbin; do
		ln -s "usr/$folder" "$tree/$folder" || return 1
	done
	for package in "$apt_root"/var/cache/apt/archives/*.deb; do
		dpkg-deb --fsys-tarfile "$package" | tar -x -C "$tree" --keep-directory-symlink \
			--no-same-owner --exclude=./usr/share/doc --exclude=./usr/share/man \
			--exclude=./usr/share/locale || {
			say "$package could not be unpacked"
			return 1
		}
	done
}

# A link to /lib/... would lead out of the tree.
make_relative() {
	local tree=$1 link to
	find "$tree" -type l -lname '/*' | while IFS= read -r link; do
		to=$(readlink "$link")
		ln -sfnr "$tree$to" "$link" || return 1
	done
}

# glibc must be whole, or the compiler would quietly take its own.
complete() {
	local file
	for file in "usr/lib/$CROSS_TRIPLET/libc.so.6" "usr/lib/$CROSS_TRIPLET/crt1.o" usr/include/stdio.h \
		usr/include/hwloc.h usr/include/cmocka.h; do
		[ -e "$1/$file" ] || {
			say "the packages brought no $file"
			return 1
		}
	done
}

[ $# -eq 1 ] || exit 2
cross_architecture "$1" || exit 2
cache=${TPROF_CROSS_DIR:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/tprof/cross}
key=$({ cat "$here/architectures.sh" && declare -f download unpack make_relative; } | sha256sum | cut -c 1-12)
sysroot=$cache/$1-$CROSS_SUITE-$key
if [ ! -d "$sysroot" ]; then
	mkdir -p "$cache" || exit 1
	cache=$(cd "$cache" && pwd) || exit 1
	work=$(mktemp -d "$cache/making.XXXXXX") || exit 1
	trap 'rm -rf "$work"' EXIT
	chmod 755 "$work" # mktemp's 700 would be the sysroot's
	apt_root=$work/apt
	say "libraries of Debian $CROSS_SUITE for $CROSS_DEBIAN"
	if ! { download && unpack "$work/tree" && make_relative "$work/tree" && complete "$work/tree"; }; then
		say "no sysroot for $1; see above"
		exit 1
	fi
	# Appears whole or not at all; another process may have been faster.
	mv -T "$work/tree" "$sysroot" 2>/dev/null || [ -d "$sysroot" ] || exit 1
fi
keep_used "$sysroot" && cd "$sysroot" && pwd
