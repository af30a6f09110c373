#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The long form of the fuzz targets: each tests/fuzz/fuzz_TARGET.c under libFuzzer with the address, leak and undefined behaviour
# sanitizers. `make check` only replays the corpora.
#
# usage: tests/bench/fuzz.sh [SECONDS] [TARGET...]	(default: 600 seconds for every target)
#        tests/bench/fuzz.sh stored [MUTANTS [KIND...]]	(see mutants.py: damaged files for the program as a whole)
#
# Prints one line a target and a verdict; ends with 1 if anything was found. Builds in build-fuzz (or $FUZZ_BUILD), where
# found/TARGET holds what broke a promise (move it to tests/fuzz/corpus/TARGET once the error is fixed) and corpus/TARGET
# what reached new code. JOBS=N runs N targets at a time (default: half of the CPUs).
set -u
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=${here%/*/*}
build=${FUZZ_BUILD:-$top/build-fuzz}
cpus=$(nproc)
jobs=${JOBS:-$(((cpus + 1) / 2))}
cc=${FUZZ_CC:-clang}
sanitizers=address,undefined
flags="-g -O1 -fno-omit-frame-pointer -fno-sanitize-recover=all"

if [ "${1-}" = stored ]; then
	shift
	exec python3 "$here/mutants.py" "$@"
fi

die() {
	printf 'fuzz: %s\n' "$@" >&2
	exit 2
}

seconds=600
case ${1-} in
*[!0-9]* | '') ;;
*)
	seconds=$1
	shift
	;;
esac
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
	for source in "$top"/tests/fuzz/fuzz_*.c; do
		source=${source##*/fuzz_}
		targets+=("${source%.c}")
	done
fi
for target in "${targets[@]}"; do
	[ -f "$top/tests/fuzz/fuzz_$target.c" ] || die "there is no tests/fuzz/fuzz_$target.c"
done

# --- what is needed ---

command -v "$cc" >/dev/null || die "$cc is missing; on Debian: apt-get install clang libclang-rt-14-dev"
[ -x "$top/configure" ] || die 'there is no configure yet: ./bootstrap build'
mkdir -p "$build" || exit 2
cd "$build" || exit 2
build=$PWD
printf '#include <stddef.h>\n#include <stdint.h>\nint LLVMFuzzerTestOneInput(const uint8_t *d, size_t n);\n%s\n' \
	'int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n) { return d == 0 && n > 0; }' >try.c
if ! "$cc" -fsanitize=fuzzer,$sanitizers try.c -o try 2>try.log; then
	cat try.log >&2
	version=$("$cc" -dumpversion)
	die "$cc cannot link libFuzzer; on Debian: apt-get install libclang-rt-${version%%.*}-dev"
fi

# --- building ---

if [ ! -e Makefile ] || [ "$top/configure" -nt Makefile ]; then
	echo "fuzz: configuring $build" >&2
	"$top/configure" -q CC="$cc" CFLAGS="$flags -fsanitize=fuzzer-no-link,$sanitizers" >configure.log 2>&1 </dev/null ||
		die "configure failed; see $build/configure.log"
fi
# What a program of tests is linked with. A Makefile that is old is made first, so that nothing else is printed.
make -s Makefile >make.log 2>&1 </dev/null
# shellcheck disable=SC2016 # make's
read -ra libraries < <(printf 'include Makefile\nlinked:\n\t@echo $(LDADD)\n' | make -s -f - linked)
archives=()
for library in "${libraries[@]}"; do
	[[ $library != *.a ]] || archives+=("$library")
done
make -s -j "$jobs" "${archives[@]}" >make.log 2>&1 </dev/null || {
	grep -E 'error|\*\*\*' make.log >&2
	die "the libraries cannot be built; see $build/make.log"
}
for target in "${targets[@]}"; do
	# shellcheck disable=SC2086 # a list of flags
	"$cc" -std=gnu11 -include config.h -I. -I"$top/src" -I"$top" $flags -fsanitize=fuzzer,$sanitizers \
		"$top/tests/fuzz/fuzz_$target.c" -o "fuzz_$target" -Wl,--start-group "${libraries[@]}" -Wl,--end-group >"link_$target.log" 2>&1 || {
		cat "link_$target.log" >&2
		die "fuzz_$target cannot be built"
	}
done

# --- running ---

# fuzz TARGET: leaves executions, edges and findings in result_TARGET.
fuzz() {
	local target=$1 log=run_$1.log executions edges found
	mkdir -p "corpus/$target" "found/$target"
	touch "begun_$target" # what earlier runs found stays, and is not told again
	ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1 \
		"./fuzz_$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2560 -detect_leaks=1 -print_final_stats=1 \
		-artifact_prefix="found/$target/" "corpus/$target" "$top/tests/fuzz/corpus/$target" >"$log" 2>&1 </dev/null
	local status=$?
	executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
	[ -n "$executions" ] || executions=$(sed -nE 's/^#([0-9]+)[[:space:]].*/\1/p' "$log" | tail -n 1)
	edges=$(sed -nE 's/.* cov: ([0-9]+) .*/\1/p' "$log" | tail -n 1)
	found=$(find "found/$target" -type f -newer "begun_$target" | wc -l)
	if [ $status -ne 0 ] && [ "$found" -eq 0 ]; then
		found=1 # it could not even say what it was
	fi
	echo "${executions:-0} ${edges:-0} $found" >"result_$target"
	printf '%-8s %12s executions %6s edges %3s found\n' "$target" "${executions:-0}" "${edges:-0}" "$found"
	if [ "$found" -gt 0 ]; then
		grep -E -m 3 'ERROR|SUMMARY|broken promise|runtime error' "$log" | sed 's/^/    /'
		find "found/$target" -type f -newer "begun_$target" | sed "s|^|    $build/|"
		echo "    see $build/$log"
	fi
}

for target in "${targets[@]}"; do
	while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
		wait -n
	done
	rm -f "result_$target"
	fuzz "$target" &
done
wait
executions=0
found=0
for target in "${targets[@]}"; do
	read -r e _ f <"result_$target" || die "nothing is known of $target"
	executions=$((executions + e))
	found=$((found + f))
done
echo "fuzz: ${#targets[@]} targets, $seconds s each, $executions executions, $found found"
[ "$found" -eq 0 ]
