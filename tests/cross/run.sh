#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Tests of a cross build under qemu-user, on each processor of the table below. Writes TAP. The programs are started through the
# emulator by name: no binfmt handler is needed, and one that is there does no harm.
#
# usage: run.sh ARCHITECTURE SYSROOT BUILD-FOLDER [PROCESSOR...]
set -u
export LC_ALL=C.UTF-8
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
# shellcheck source=tests/cross/architectures.sh
. "$here/architectures.sh"
# shellcheck source=tests/cross/program.sh
. "$here/program.sh"

# architecture | processor | the emulator's -cpu | what runs there: the patterns of unit tests, and "program" for the tests of
# program.sh. The first row of an architecture runs everything; the others repeat what depends on the processor.
emitted='test_kernel_numbers test_counting_* test_asm test_emit test_narrow test_outer test_step* test_dump'
# In streaming mode without the instructions that belong to other modes (sme_fa64=off).
streaming='test_kernel_numbers test_narrow test_outer'
processors="
aarch64 | neon      | max,sve=off      | test_* program
aarch64 | sve-128   | max,sve-max-vq=1 | $emitted program
aarch64 | sve-256   | max,sve-max-vq=2,sve-default-vector-length=32 | $emitted program
aarch64 | sve-512   | max,sve-max-vq=4,sve-default-vector-length=64 | $emitted program
aarch64 | sve-1024  | max,sve-max-vq=8,sve-default-vector-length=128 | $emitted program
aarch64 | sve-2048  | max,sve-max-vq=16,sve-default-vector-length=256 | $emitted program
aarch64 | sme-128   | max,sme_fa64=off,sme-default-vector-length=16 | $streaming program
aarch64 | sme-512   | max,sme_fa64=off,sme-default-vector-length=64 | $streaming program
aarch64 | sme-2048  | max,sme_fa64=off,sme-default-vector-length=256 | $streaming program
riscv64 | scalar    | rv64,v=false     | test_* program
riscv64 | rvv-128   | rv64,v=true,vlen=128,elen=64,vext_spec=v1.0 | $emitted program
riscv64 | rvv-256   | rv64,v=true,vlen=256,elen=64,vext_spec=v1.0 | $emitted program
riscv64 | rvv-512   | rv64,v=true,vlen=512,elen=64,vext_spec=v1.0 | $emitted program
riscv64 | rvv-1024  | rv64,v=true,vlen=1024,elen=64,vext_spec=v1.0 | $emitted program
"

# Arithmetic, drawing and whole simulated experiments independent of the processor, minutes under an emulator.
slow=" $(xargs <<<'test_changes test_classify_planted test_curve_levels test_density test_difference test_estimate test_large
	test_learn test_learned test_lesson_claims test_lesson_simulated test_merge_simulated test_plateau test_plateau_soft test_plot test_race
	test_regimes test_settle test_simulation test_tree') "

[ $# -ge 3 ] || exit 2
cross_architecture "$1" || exit 2
architecture=$1 sysroot=$2 build=$(cd "$3" && pwd) || exit 1
shift 3
wished=" $* "

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HOME=$scratch XDG_DATA_HOME='' XDG_CONFIG_HOME='' XDG_CACHE_HOME=''
TPROF_SRCDIR=$(cd "$here/../.." && pwd)
export TPROF_SRCDIR TPROF_BUILDDIR=$build
jobs=${JOBS:-$(nproc)}
count=0
failed=0

# verdict NAME OK [FILE]: one line; FILE holds the message for a failure. OK is 0, or "skip" with FILE as the reason.
verdict() {
	count=$((count + 1))
	case $2 in
	0) echo "ok $count - $1" ;;
	skip) echo "ok $count - $1 # SKIP ${3-}" ;;
	*)
		failed=$((failed + 1))
		echo "not ok $count - $1"
		[ -n "${3-}" ] && tail -n 40 "$3" | sed 's/^/# /'
		;;
	esac
}

# tests_matching PATTERN...: names of the unit tests that were built, each once.
tests_matching() {
	local pattern path
	for pattern in "$@"; do
		for path in "$build/tests/unit/"$pattern; do
			case $path in
			*.o | *.log | *.trs) ;;
			*) [ -f "$path" ] && [ -x "$path" ] && basename "$path" ;;
			esac
		done
	done | sort -u
}

# unit PROCESSOR NAME...: several at once, then reported in order.
unit() {
	local processor=$1 name line lines
	shift
	# shellcheck disable=SC2016 # for the inner shell
	printf '%s\n' "$@" | xargs -r -P "$jobs" -I{} sh -c \
		'bash "$1/tests/unit.sh" "$2/tests/unit/$3" >"$4/$3.tap" 2>&1' \
		sh "$TPROF_SRCDIR" "$build" {} "$scratch"
	for name in "$@"; do
		mapfile -t lines <"$scratch/$name.tap"
		for line in "${lines[@]}"; do
			case $line in
			'ok '*' # SKIP '*)
				line=${line#ok * - }
				verdict "$architecture $processor: $name: ${line%% # SKIP*}" skip "${line#* # SKIP }"
				;;
			'ok '*) verdict "$architecture $processor: $name: ${line#ok * - }" 0 ;;
			'not ok '*)
				verdict "$architecture $processor: $name: ${line#not ok * - }" 1 "$scratch/$name.tap"
				;;
			esac
		done
		# unit.sh always prints a plan; without it, it was stopped itself.
		grep -q '^1\.\.' "$scratch/$name.tap" ||
			verdict "$architecture $processor: $name has no result" 1 "$scratch/$name.tap"
	done
}

ran=0
while IFS='|' read -r row processor cpu what; do
	read -r row <<<"$row"
	read -r processor <<<"$processor"
	read -r cpu <<<"$cpu"
	[ "$row" = "$architecture" ] || continue
	[ "$wished" = '  ' ] || [[ $wished == *" $processor "* ]] || continue
	ran=$((ran + 1))
	export TPROF_EMULATOR="$CROSS_QEMU -L $sysroot -cpu $cpu"
	read -ra patterns <<<"$what"
	mapfile -t names < <(
		for name in $(tests_matching "${patterns[@]}"); do
			[ "${TPROF_CROSS_SLOW-}" = yes ] || [[ $slow != *" $name "* ]] && echo "$name"
		done
	)
	if [ ${#names[@]} -gt 0 ]; then
		unit "$processor" "${names[@]}"
	else
		verdict "$architecture $processor: unit tests were built" 1
	fi
	[[ " $what " == *' program '* ]] && program_tests "$architecture" "$processor"
done <<<"$processors"
[ $ran -gt 0 ] || verdict "$architecture: there is such a processor" 1

echo "1..$count"
[ $failed -eq 0 ]
