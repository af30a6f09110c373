#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The sections of INSTALL.md in fresh systems, each from a clone of this checkout to a printed roofline. Prints a table with the seconds
# of each, and those of its processors; status 1 if a row failed. Takes minutes and the network; the systems are kept as archives.
#
# usage: install.sh [ROW...]	(default: all) ROW:
#   root       bare Debian 12, ./bootstrap run
#   user       Debian 12 with gcc and make only, without root
#   newer      the same in Debian 13
#   ubuntu     the same in Ubuntu 24.04
#   older      Debian 12 with autoconf 2.69, which RHEL 9 has
#   container  the steps of both recipes in packaging/container
#
# Environment: TPROF_PACKAGE_DIR (archives, default ~/.cache/tprof/package), TPROF_MIRROR, TPROF_UBUNTU_MIRROR, CPUS (default 2).
set -u
export LC_ALL=C.UTF-8
umask 022

source_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=${TPROF_PACKAGE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/tprof/package}
mirror=${TPROF_MIRROR:-http://deb.debian.org/debian}
ubuntu_mirror=${TPROF_UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu}
command -v mmdebstrap >/dev/null || {
	echo 'install.sh: mmdebstrap is needed (Debian package mmdebstrap)' >&2
	exit 2
}
namespace=(unshare --mount --pid --fork --kill-child)
[ "$(id -u)" -eq 0 ] || namespace+=(--user --map-root-user --map-auto)
work=$(mktemp -d)
trap '"${namespace[@]}" rm -rf --one-file-system "$work"' EXIT
mkdir -p "$cache"
failed=0

# system SUITE MIRROR PACKAGES: a fresh system is $root, with the checkout in /src.
system() {
	local key archive components=main
	key=$(printf '%s\n' "$@" | sha256sum | cut -c 1-12)
	archive=$cache/$1-$key.tar
	if [ ! -f "$archive" ]; then
		[ "$2" = "$ubuntu_mirror" ] && components=main,universe
		timeout 900 mmdebstrap --quiet --variant=minbase --include="$3" --components="$components" "$1" "${archive%.tar}.new.tar" "$2" >"$work/log" 2>&1 || return 1
		mv "${archive%.tar}.new.tar" "$archive"
	fi
	root=$(mktemp -d "$work/root.XXXXXX")
	"${namespace[@]}" tar -xf "$archive" -C "$root" --numeric-owner --exclude='./dev/*' || {
		root=''
		return 1
	}
	chmod 755 "$root"
	cp /etc/resolv.conf "$root/etc/" 2>/dev/null
	mkdir "$root/src"
	(cd "$source_folder" && git ls-files -z | tar --null -T - -c) | tar -x -C "$root/src"
	"${namespace[@]}" chroot "$root" sh -c 'useradd --create-home user && chown -R user: /src'
}

inside() { # inside COMMAND...
	"${namespace[@]}" taskset -c "0-$((${CPUS:-2} - 1))" bash "$source_folder/tests/bench/package.sh" inside "$root" "$@" </dev/null
}

# row NAME COMMAND...: runs it in $root; the output has a roofline.
row() {
	local name=$1 from=$SECONDS verdict=ok processors
	shift
	TIMEFORMAT='%U %S'
	processors=$({ time inside "$@" >"$work/log" 2>&1; } 2>&1) && grep -q 'ridge point\|memory-bound below' "$work/log" || verdict=FAILED
	printf '%-8s %-48s %4d s, of processors %4.0f s\n' "$verdict" "$name" $((SECONDS - from)) "$(awk '{ print $1 + $2 }' <<<"$processors")"
	[ "$verdict" = ok ] || {
		failed=1
		tail -n 15 "$work/log" | sed 's/^/    /'
	}
}
as_user=(setpriv --reuid user --regid user --clear-groups env HOME=/home/user sh -c)
recipes=$source_folder/packaging/container
quick='/opt/tprof/bin/tprof --batch quick --report=always'

# without_root NAME SUITE MIRROR
without_root() {
	system "$2" "$3" gcc,libc6-dev,make && row "$1, gcc and make only, without root" \
		"${as_user[@]}" 'cd /src && ./bootstrap run --prefix ~/.local && ~/.local/bin/tprof --version'
}

# Apptainer's recipe, and the last stage of Docker's with the folder that the same step made.
containers() {
	local built
	system bookworm "$mirror" ca-certificates || return
	row 'tprof.def' sh -ec "$(sed -n '/^%post/,/^$/{/^%post/d; p;}' "$recipes/tprof.def"); cd / && $quick"
	built=$root
	system bookworm "$mirror" "$(sed -n '/^RUN apt-get/,/rm -rf/p' "$recipes/Dockerfile" | grep -oE '\<(lib[a-z0-9.-]+|zlib1g)' | grep -v '^lib$' | paste -sd ,)" || return
	"${namespace[@]}" cp -a "$built/opt/tprof" "$root/opt/"
	row 'Dockerfile, last stage' sh -c "$quick"
}

[ $# -gt 0 ] || set -- root user newer ubuntu older container
for what; do
	root=''
	case $what in
	root) system bookworm "$mirror" ca-certificates && row 'Debian 12, ./bootstrap run' sh -c 'cd /src && ./bootstrap run' ;;
	user) without_root 'Debian 12' bookworm "$mirror" ;;
	newer) without_root 'Debian 13' trixie "$mirror" ;;
	ubuntu) without_root 'Ubuntu 24.04' noble "$ubuntu_mirror" ;;
	older)
		system bookworm "$mirror" autoconf2.69 && row 'Debian 12 with autoconf 2.69, ./bootstrap run' sh -c \
			'cd /src && AUTOCONF=autoconf2.69 AUTOHEADER=autoheader2.69 AUTOM4TE=autom4te2.69 ./bootstrap run &&
			grep "by GNU Autoconf 2.69" configure'
		;;
	container) containers ;;
	*)
		echo "install.sh: no such row: $what" >&2
		exit 2
		;;
	esac
	[ -n "$root" ] || {
		failed=1
		echo "FAILED   $what: no system could be made"
		tail -n 3 "$work/log" 2>/dev/null | sed 's/^/    /'
	}
done
exit $failed
