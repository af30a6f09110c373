# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Data of each architecture for tests/cross; sourced. After cross_architecture NAME:
#   CROSS_TRIPLET   what configure calls it, and the prefix of its tools
#   CROSS_DEBIAN    what Debian calls it
#   CROSS_SUITE     the Debian release its libraries come from
#   CROSS_PACKAGES  those libraries; apt adds what they depend on
#   CROSS_TOOLS     packages of the host
#   CROSS_QEMU      the emulator
# shellcheck disable=SC2034 # whoever sources this reads them

CROSS_ARCHITECTURES=(aarch64 riscv64)

cross_architecture() {
	CROSS_PACKAGES=(libc6-dev libgomp1 libhwloc-dev libyaml-dev libjansson-dev libgsl-dev libncurses-dev
		libcmocka-dev libcapstone-dev)
	CROSS_TRIPLET=$1-linux-gnu
	CROSS_QEMU=qemu-$1
	CROSS_TOOLS=("gcc-$CROSS_TRIPLET" qemu-user debian-archive-keyring)
	case $1 in
	aarch64)
		CROSS_DEBIAN=arm64 CROSS_SUITE=bookworm
		CROSS_PACKAGES+=(libpapi-dev libpfm4-dev)
		;;
	riscv64)
		# Not an architecture of Debian 12. Debian 13 has it, but no PAPI there.
		CROSS_DEBIAN=riscv64 CROSS_SUITE=trixie
		;;
	*)
		echo "cross: there is no architecture \"$1\" here (${CROSS_ARCHITECTURES[*]})" >&2
		return 1
		;;
	esac
}

# cross_configure_arguments SYSROOT: one a line. Headers, start files and libraries come from the sysroot alone: its C library may be
# newer than the one beside the cross compiler, which would otherwise be found first.
cross_configure_arguments() {
	local sysroot=$1 lib=$1/usr/lib/$CROSS_TRIPLET own
	own=$("$CROSS_TRIPLET-gcc" -print-file-name=include) || return 1
	printf '%s\n' \
		"--host=$CROSS_TRIPLET" \
		"CC=$CROSS_TRIPLET-gcc --sysroot=$sysroot -B$lib" \
		"CPPFLAGS=-nostdinc -isystem $own -isystem $sysroot/usr/include/$CROSS_TRIPLET -isystem $sysroot/usr/include" \
		"LDFLAGS=-L$lib -Wl,-rpath-link,$lib" \
		"PKG_CONFIG=pkg-config" \
		"PKG_CONFIG_LIBDIR=$lib/pkgconfig:$sysroot/usr/share/pkgconfig" \
		"PKG_CONFIG_SYSROOT_DIR=$sysroot" \
		"TPROF_EMULATOR=$CROSS_QEMU -L $sysroot"
}
