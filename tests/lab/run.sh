#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Boots machines that no developer has, and runs on each the script of its name in this folder. Writes TAP. A machine without an
# emulator, a kernel or a build is skipped. Lines of a script:
#   # Hosts: 2            boots it twice, on one network
#   # Programs: FILE...   files of this machine that it needs
#   # Modules: nfs        modules of the kernel beside those of every machine
#   # MPI: COMPILER       builds tests/bench/app/ranks.c
#
# usage: run.sh FOLDER [MACHINE...]
#        run.sh --architectures [MACHINE...]    prints those of the machines
#
# FOLDER holds the builds: build for this architecture, build-ARCHITECTURE for another. $TPROF_LAB_DIR keeps kernels (default
# ~/.cache/tprof/lab); $TPROF_LAB_KEEP is a folder for the files of the machines, which are otherwise deleted.
set -u
export LC_ALL=C.UTF-8
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=tests/cross/apt.sh
. "$here/../cross/apt.sh"
# shellcheck source=tests/cross/architectures.sh
. "$here/../cross/architectures.sh"
# shellcheck source=tests/lab/boot.sh
. "$here/boot.sh"

# machine | architecture | seconds that it may take | the emulator's options. A row without a machine goes on with the last.
machines='
arm-pmu   | aarch64 | 600 | -M virt,gic-version=3 -cpu neoverse-n1 -smp 1 -m 1G -icount shift=2
arm-numa  | aarch64 | 600 | -M virt,gic-version=3 -cpu neoverse-n1 -smp 4 -m 2G
          |         |     | -object memory-backend-ram,id=m0,size=1G -object memory-backend-ram,id=m1,size=1G
          |         |     | -numa node,nodeid=0,cpus=0-1,memdev=m0 -numa node,nodeid=1,cpus=2-3,memdev=m1 -numa dist,src=0,dst=1,val=21
x86-smt   | x86_64  | 600 | -M q35 -cpu Skylake-Server-v4 -smp 8,sockets=2,cores=2,threads=2 -m 2G
x86-hmat  | x86_64  | 600 | -M q35,hmat=on -cpu Skylake-Server-v4 -smp 4,sockets=2 -m 3G
          |         |     | -object memory-backend-ram,id=m0,size=1G -object memory-backend-ram,id=m1,size=1G
          |         |     | -object memory-backend-ram,id=m2,size=1G -numa node,nodeid=0,cpus=0-1,memdev=m0
          |         |     | -numa node,nodeid=1,cpus=2-3,memdev=m1 -numa node,nodeid=2,memdev=m2,initiator=0 @hmat@
          |         |     | -numa hmat-cache,node-id=2,size=96M,level=1,associativity=direct,policy=write-back,line=64
riscv-pmu | riscv64 | 600 | -M virt -cpu rv64,v=true,vlen=128,elen=64,vext_spec=v1.0,sscofpmf=true,pmu-num=16 -smp 1 -m 1G -icount shift=0
two-hosts | x86_64  | 900 | -M q35 -cpu Skylake-Server-v4 -smp 1 -m 768M
slurm     | x86_64  | 900 | -M q35 -cpu Skylake-Server-v4 -smp 1 -m 512M
small     | x86_64  | 600 | -M q35 -cpu Skylake-Server-v4 -smp 1 -m 256M
'
# Latency (ns) and bandwidth of every pair of a node with CPUs and a node with memory.
hmat=''
for pair in '0 0 10 80G' '0 1 20 40G' '0 2 90 20G' '1 0 20 40G' '1 1 10 80G' '1 2 120 10G'; do
	read -r from to latency bandwidth <<<"$pair"
	hmat+=" -numa hmat-lb,initiator=$from,target=$to,hierarchy=memory,data-type=access-latency,latency=$latency"
	hmat+=" -numa hmat-lb,initiator=$from,target=$to,hierarchy=memory,data-type=access-bandwidth,bandwidth=$bandwidth"
done

[ $# -ge 1 ] || exit 2
builds=$1
[ "$builds" = --architectures ] || builds=$(cd "$1" && pwd) || exit 1
shift
wished=" $* "
count=0
failed=0

# result NAME OK [FILE]: one line; FILE is shown of a failure.
result() {
	count=$((count + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $count - $1"
	else
		failed=$((failed + 1))
		echo "not ok $count - $1"
		[ -z "${3-}" ] || tail -n 40 "$3" | tr -d '\r' | sed 's/^/# /'
	fi
}
skip() { # skip NAME WHY
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

# find_build ARCHITECTURE: $build, the folders of its libraries, and the tool that strips; or $why there is none.
find_build() {
	local triplet=$1-linux-gnu
	strip='strip'
	if [ "$1" = "$(uname -m)" ]; then
		build=$builds/build libraries="/lib/$triplet /usr/lib/$triplet /lib64 /usr/lib/$triplet/slurm-wlm"
	else
		build=$builds/build-$1 strip=$triplet-strip
		libraries=$(sed -n 's/^PKG_CONFIG_LIBDIR = \([^:]*\)\/pkgconfig.*/\1/p' "$build/Makefile" 2>/dev/null)
		libraries+=" $(sed -n 's/^PKG_CONFIG_SYSROOT_DIR = //p' "$build/Makefile" 2>/dev/null)/lib"
	fi
	[ -x "$build/tprof" ] && return 0
	why="there is no build for $1 (./bootstrap lab makes it)"
	return 1
}

# told NAME FILE: the results of a machine, numbered on; false if it told no plan.
told() {
	local line seen=0 plan=''
	[ -e "$2" ] || return 1
	while IFS= read -r line; do
		case $line in
		'ok '* | 'not ok '*)
			count=$((count + 1)) seen=$((seen + 1))
			[ "${line%%ok *}" = '' ] || failed=$((failed + 1))
			echo "${line%%ok *}ok $count - $1: ${line#*ok * - }"
			;;
		1..*) plan=${line#1..} ;;
		*) echo "$line" ;;
		esac
	done <"$2"
	[ "$plan" = "$seen" ]
}

# machine NAME ARCHITECTURE LIMIT OPTION...
machine() {
	local name=$1 architecture=$2 limit=$3 folder=$scratch/$1 begin=$SECONDS status why='' hosts programs own_modules mpicc missing
	shift 3
	hosts=$(sed -n 's/^# Hosts: //p' "$here/$name.sh")
	programs=$(sed -n 's/^# Programs: //p' "$here/$name.sh" | xargs)
	own_modules=$(sed -n 's/^# Modules: //p' "$here/$name.sh")
	[ "$own_modules" != nfs ] || own_modules=$nfs
	mpicc=$(sed -n 's/^# MPI: //p' "$here/$name.sh")
	missing=$(for file in $programs $mpicc; do [ -e "$file" ] || echo "$file"; done | xargs)
	if ! command -v "qemu-system-$architecture" >/dev/null; then
		skip "$name" "qemu-system-$architecture is not installed"
	elif ! find_build "$architecture"; then
		skip "$name" "$why"
	elif [ -n "$missing" ]; then
		skip "$name" "not installed: $missing"
	elif ! boot_files "$architecture"; then
		skip "$name" "Debian's kernel for $architecture cannot be fetched"
	else
		rm -rf "$folder" && mkdir -p "$folder"
		if ! make_root "$build" "$libraries" "$folder/root" 2>"$folder/making" || ! cp "$here/$name.sh" "$folder/root/lab/test.sh"; then
			result "$name: its files" 1 "$folder/making"
			return
		fi
		boot "$folder" "$limit" "$architecture" "${hosts:-1}" "$@"
		status=$?
		if ! told "$name" "$folder/out/tap" || [ $status -ne 0 ]; then
			result "$name: ran to its end (status $status)" 1 "$folder/console.1"
		fi
		echo "# $name: $((SECONDS - begin)) s"
	fi
}

table=()
while IFS='|' read -r name architecture limit options; do
	read -r name <<<"$name"
	read -r limit <<<"$limit"
	read -r architecture <<<"$architecture"
	if [ -n "$name" ]; then
		table+=("$name $architecture $limit ${options//@hmat@/$hmat}")
	elif [ -n "$options" ]; then
		table[-1]+=" ${options//@hmat@/$hmat}"
	fi
done <<<"$machines"
if [ "$builds" = --architectures ]; then
	for row in "${table[@]}"; do
		read -ra words <<<"$row"
		[ "$wished" = '  ' ] || [[ $wished == *" ${words[0]} "* ]] && echo "${words[1]}"
	done | sort -u
	exit
fi
cache=${TPROF_LAB_DIR:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/tprof/lab}
scratch=${TPROF_LAB_KEEP:-$(mktemp -d)}
[ -n "${TPROF_LAB_KEEP-}" ] || trap 'rm -rf "$scratch"' EXIT
ran=0
for row in "${table[@]}"; do
	read -ra words <<<"$row"
	[ "$wished" = '  ' ] || [[ $wished == *" ${words[0]} "* ]] || continue
	ran=$((ran + 1))
	machine "${words[@]}"
done
[ $ran -gt 0 ] || result "there is such a machine: $wished" 1

echo "1..$count"
[ $failed -eq 0 ]
