#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The sections of INSTALL.md in fresh systems, each from a clone of this checkout to a printed roofline. Prints a table with the seconds
# of each; status 1 if a row failed. Takes minutes and the network; the systems are kept as archives.
#
# usage: install.sh [ROW...]	(default: all) ROW: user: Debian 12 with gcc and make only, without root; root: bare Debian 12,
# ./bootstrap run; container: the steps of packaging/container/Dockerfile; ubuntu: Ubuntu 24.04, without root
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
	local key archive
	key=$(printf '%s\n' "$@" | sha256sum | cut -c 1-12)
	archive=$cache/$1-$key.tar
	if [ ! -f "$archive" ]; then
		timeout 900 mmdebstrap --quiet --variant=minbase --include="$3" --components=main,universe "$1" "${archive%.tar}.new.tar" "$2" >"$work/log" 2>&1 ||
			timeout 900 mmdebstrap --quiet --variant=minbase --include="$3" "$1" "${archive%.tar}.new.tar" "$2" >"$work/log" 2>&1 || return 1
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
	local name=$1 from=$SECONDS
	shift
	if inside "$@" >"$work/log" 2>&1 && grep -q 'ridge point\|memory-bound below' "$work/log"; then
		printf 'ok       %-48s %4d s\n' "$name" $((SECONDS - from))
	else
		failed=1
		printf 'FAILED   %-48s %4d s\n' "$name" $((SECONDS - from))
		tail -n 15 "$work/log" | sed 's/^/    /'
	fi
}
as_user=(setpriv --reuid user --regid user --clear-groups env HOME=/home/user sh -c)

[ $# -gt 0 ] || set -- user root container ubuntu
for what; do
	root=''
	case $what in
	user)
		system bookworm "$mirror" gcc,libc6-dev,make && row 'Debian 12, gcc and make only, without root' \
			"${as_user[@]}" 'cd /src && ./bootstrap run --prefix ~/.local && ~/.local/bin/tprof --version'
		;;
	root)
		# shellcheck disable=SC2016
		system bookworm "$mirror" ca-certificates && row 'Debian 12, ./bootstrap run' sh -c 'cd /src && ./bootstrap run'
		;;
	container)
		system bookworm "$mirror" ca-certificates && row 'Dockerfile: bootstrap install, tprof --batch quick' \
			sh -c 'cd /src && ./bootstrap install /opt/tprof && /opt/tprof/bin/tprof --batch quick --report=always'
		;;
	ubuntu)
		system noble "$ubuntu_mirror" gcc,libc6-dev,make && row 'Ubuntu 24.04, gcc and make only, without root' \
			"${as_user[@]}" 'cd /src && ./bootstrap run --prefix ~/.local && ~/.local/bin/tprof --version'
		;;
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
