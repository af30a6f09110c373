#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The Debian packages from end to end: the release made twice, packages built from it in a clean Debian 12, lintian,
# installed into a fresh one, the tests of debian/tests run there, purged, and what is left. Prints a table; status 1 if
# a row failed. Takes some minutes, and the network for the first run: the two systems are kept as archives.
#
# All mounts are in a separate mount namespace, which ends before a folder is removed.
#
# usage: package.sh [FOLDER]	FOLDER gets the packages and the logs (default: packages, beside this source tree's build)
#
# Environment: TPROF_BUILDDIR (default: build beside this source tree), TPROF_PACKAGE_DIR (archives of the systems, default
# ~/.cache/tprof/package; may be deleted), TPROF_MIRROR (default http://deb.debian.org/debian), DEB_BUILD_OPTIONS (nocheck
# leaves the unit tests out).
set -u
export LC_ALL=C.UTF-8
umask 022

source_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${TPROF_BUILDDIR:-$source_folder/build}
cache=${TPROF_PACKAGE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/tprof/package}
mirror=${TPROF_MIRROR:-http://deb.debian.org/debian}
# What builds packages, and what the tests of debian/tests/control need.
build_tools=(debhelper fakeroot lintian)
test_tools=(gcc libc6-dev man-db pkgconf zsh)

# --- inside the namespace: package.sh inside ROOT COMMAND... runs a command in the system that lies in ROOT. Signals are not
# ignored there, although they are for this script in the background of a shell. ---

inside() {
	local root=$1 node
	shift
	mount -t proc proc "$root/proc" && mount --rbind /sys "$root/sys" && mount -t tmpfs -o mode=755 tmpfs "$root/dev" || exit 125
	for node in null zero full random urandom tty; do
		: >"$root/dev/$node" && mount --bind "/dev/$node" "$root/dev/$node" || exit 125
	done
	mkdir "$root/dev/pts" "$root/dev/shm" && chmod 1777 "$root/dev/shm" && ln -s /proc/self/fd "$root/dev/fd" &&
		mount -t devpts -o newinstance,ptmxmode=666 devpts "$root/dev/pts" && ln -s pts/ptmx "$root/dev/ptmx" || exit 125
	exec env -i --default-signal=INT,QUIT HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 TERM=dumb DEBIAN_FRONTEND=noninteractive \
		chroot "$root" "$@"
}
if [ "${1-}" = inside ]; then
	shift
	inside "$@"
fi

system_pid=''
in_root() { # in_root ROOT COMMAND...
	"${namespace[@]}" bash "$source_folder/tests/bench/package.sh" inside "$@" </dev/null &
	local status
	system_pid=$!
	wait "$system_pid"
	status=$?
	system_pid=''
	return $status
}

# --- rows ---

failed=0
row() { # row ok|FAILED NAME TEXT
	[ "$1" = ok ] || failed=1
	printf '%-8s %-34s %s\n' "$1" "$2" "$3"
}

give_up() {
	echo "package.sh: $*" >&2
	exit 2
}

# timed LOG COMMAND...: its seconds in $took, its output in LOG.
timed() {
	local log=$1 from=$SECONDS status
	shift
	"$@" >"$log" 2>&1
	status=$?
	took=$((SECONDS - from))
	return $status
}

# --- systems ---

# system VARIANT PACKAGE...: the archive of a Debian 12 with these packages is $archive.
system() {
	local variant=$1 key
	shift
	key=$(printf '%s\n' "$variant" "$mirror" "$@" | sha256sum | cut -c 1-12)
	archive=$cache/$variant-$key.tar
	[ -f "$archive" ] && return
	mkdir -p "$cache" || give_up "cannot make $cache"
	echo "package.sh: making a Debian 12 ($variant), once" >&2
	timeout 900 mmdebstrap --quiet --variant="$variant" --include="$(IFS=,; echo "$*")" bookworm "${archive%.tar}.new.tar" "$mirror" \
		>"$results/mmdebstrap.log" 2>&1 || give_up "no system could be made; see $results/mmdebstrap.log"
	mv "${archive%.tar}.new.tar" "$archive"
}

unpacked=0
unpack() { # unpack ARCHIVE: its root is $root
	unpacked=$((unpacked + 1))
	root=$work/$unpacked
	mkdir "$root" || give_up "cannot make $root"
	"${namespace[@]}" tar -xf "$1" -C "$root" --numeric-owner --exclude='./dev/*' || give_up "cannot unpack $1"
	: >"$root/etc/machine-id"
}

# Depends and Build-Depends as names: without versions, alternatives, profiles and those of other architectures.
names_of() {
	tr ',' '\n' | sed -E "s/\|.*//; /\[/{/[[ ]$(dpkg --print-architecture)[] ]/!d}; s/[[(<].*//; s/[[:space:]]//g; /^debhelper-compat$/d; /^\$/d"
}

for program in mmdebstrap unshare dpkg-parsechangelog; do
	command -v "$program" >/dev/null || give_up "$program is needed (Debian packages mmdebstrap, util-linux, dpkg-dev)"
done
[ -f "$build/Makefile" ] || give_up "no build in $build: ./bootstrap build"
namespace=(unshare --mount --pid --fork --kill-child)
[ "$(id -u)" -eq 0 ] || namespace+=(--user --map-root-user --map-auto)
results=${1:-${build%/*}/packages}
mkdir -p "$results" || give_up "cannot make $results"
results=$(cd "$results" && pwd)
work=$(mktemp -d)
# By root of the namespace, because the files of a user's system belong to other numbers; nothing is mounted there any more.
trap '"${namespace[@]}" rm -rf --one-file-system "$work"' EXIT
# unshare waits for its children and ignores signals; with --kill-child all of them end with it.
trap '[ -z "$system_pid" ] || kill -KILL "$system_pid"; exit 130' INT TERM

version=$(sed -n 's/^AC_INIT(\[tprof\], \[\([^]]*\)\].*/\1/p' "$source_folder/configure.ac")
debian_version=$(dpkg-parsechangelog -l "$source_folder/debian/changelog" -S Version)
tarball=tprof-$version.tar.gz

# --- the release, twice ---

make_dist() { # make_dist FOLDER UMASK ZONE: the tarball lies in FOLDER
	(umask "$2" && TZ=$3 make -C "$build" dist) >"$results/dist.log" 2>&1 && mv "$build/$tarball" "$1"
}
mkdir "$work/first" "$work/second"
if make_dist "$work/first" 022 UTC && sleep 1.1 && make_dist "$work/second" 077 Asia/Tokyo &&
	cmp "$work/first/$tarball" "$work/second/$tarball"; then
	row ok 'make dist, twice' "the same $(stat -c %s "$work/first/$tarball") bytes"
else
	row FAILED 'make dist, twice' "see $results/dist.log"
	[ -f "$work/first/$tarball" ] || exit 1
fi

# --- built in a clean system ---

mapfile -t needs < <(sed -n '/^Build-Depends:/,/^[A-Z]/{s/^Build-Depends://;/^[A-Z]/!p}' "$source_folder/debian/control" | names_of)
system buildd "${build_tools[@]}" "${needs[@]}"
unpack "$archive"
builder=$root
mkdir "$builder/src"
tar -xzf "$work/first/$tarball" -C "$builder/src"
"${namespace[@]}" chroot "$builder" sh -c 'useradd --create-home builder && chown -R builder: /src'
# as_builder COMMAND...: without being root, and where the release lies. timed calls it.
# shellcheck disable=SC2317
as_builder() {
	in_root "$builder" setpriv --reuid builder --regid builder --clear-groups env HOME=/home/builder \
		DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS-}" sh -c "cd /src/tprof-$version && $*"
}
if timed "$results/build.log" as_builder 'timeout 1800 nice dpkg-buildpackage -us -uc'; then
	row ok 'dpkg-buildpackage' "$took s with $(nproc) CPUs; $(awk '/^# PASS:/ { n += $3 } END { print n + 0 }' "$results/build.log") unit tests passed"
else
	row FAILED 'dpkg-buildpackage' "see $results/build.log"
	exit 1
fi
cp "$builder"/src/*.deb "$builder"/src/*.dsc "$builder"/src/*.changes "$builder"/src/*.tar.* "$builder"/src/*.buildinfo "$results"
# Some machine code reads like a misspelt word; tests/words.sh reads the words of the sources.
if timed "$results/lintian.log" as_builder 'lintian --suppress-tags spelling-error-in-binary --display-info --pedantic --fail-on error,warning,info,pedantic ../*.changes'; then
	overrides=$(cat "$builder"/src/tprof-"$version"/debian/{,source/}*lintian-overrides | grep -vc '^#')
	row ok 'lintian, all tags' "$(grep -c '^[EWIP]:' "$results/lintian.log") tags; $overrides overrides"
else
	row FAILED 'lintian, all tags' "$(grep -c '^[EWIP]:' "$results/lintian.log") tags; see $results/lintian.log"
fi

# --- installed into a fresh system, used, and purged ---

main=$builder/src/tprof_${debian_version}_$(dpkg --print-architecture).deb
doc=$builder/src/tprof-doc_${debian_version}_all.deb
mapfile -t needs < <({ dpkg-deb -f "$main" Depends; dpkg-deb -f "$doc" Depends; } | paste -sd, | names_of)
system minbase "${needs[@]}" "${test_tools[@]}"
unpack "$archive"
fresh=$root
"${namespace[@]}" chroot "$fresh" useradd --create-home user
mkdir "$fresh/packages"
cp "$main" "$doc" "$fresh/packages"
cp -r "$source_folder/debian/tests" "$fresh/packages/tests"

# Everything that a package may leave, without what dpkg and others write at any time.
files_of() {
	"${namespace[@]}" find "$1" -xdev \( -path "$1/proc" -o -path "$1/sys" -o -path "$1/dev" -o -path "$1/tmp" \
		-o -path "$1/var/log" -o -path "$1/var/cache" -o -path "$1/var/lib/apt/lists" -o -path "$1/packages" \) -prune -o -printf '/%P\n' |
		grep -vxE '/var/lib/dpkg/(status|available|diversions|lock|triggers|updates|lock-frontend).*|/var/lib/apt/extended_states' | sort
}
files_of "$fresh" >"$work/before"

if timed "$results/install.log" in_root "$fresh" sh -c 'dpkg -i /packages/*.deb'; then
	row ok 'dpkg -i in a fresh Debian 12' "$(du -cbs "$main" "$doc" | awk 'END { printf "%.1f MB in packages", $1 / 1e6 }')"
else
	row FAILED 'dpkg -i in a fresh Debian 12' "see $results/install.log"
fi
mapfile -t tests < <(sed -n 's/^Tests: *//p' "$source_folder/debian/tests/control")
for name in "${tests[@]}"; do
	if timed "$results/test-$name.log" in_root "$fresh" setpriv --reuid user --regid user --clear-groups env HOME=/home/user \
		sh -c "cd /tmp && timeout 300 sh /packages/tests/$name"; then
		row ok "debian/tests/$name" "$took s"
	else
		row FAILED "debian/tests/$name" "see $results/test-$name.log"
	fi
done

if in_root "$fresh" apt-get purge -y tprof tprof-doc >"$results/purge.log" 2>&1 && files_of "$fresh" >"$work/after" &&
	! diff "$work/before" "$work/after" >"$results/left.txt"; then
	row FAILED 'apt-get purge' "leaves files; see $results/left.txt"
elif [ -s "$work/after" ] && ! in_root "$fresh" dpkg -s tprof >/dev/null 2>&1; then
	row ok 'apt-get purge' 'leaves nothing'
else
	row FAILED 'apt-get purge' "see $results/purge.log"
fi
exit $failed
