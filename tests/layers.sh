#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The plan of the house, checked by reading the #include lines: which room may look into which, which
# room alone knows a library, and that only kernels/ knows an instruction set. Writes TAP. The rules are
# first held against planted violations, so that a rule that can no longer fail is itself a failure.
#
# Environment: TPROF_SRCDIR (default: the folder above this one); with TPROF_BUILDDIR, TPROF_TEST_CC and
# TPROF_TEST_GSL_LIBS set, as `make check` does, the link test runs as well.
set -u
export LC_ALL=C

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source_dir=${TPROF_SRCDIR:-${here%/*}}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# room: the rooms it may include, besides itself.
rooms='
src/base:
src/machine: src/base
kernels: src/base
src/analysis: src/base
src/preset: src/base
src/record: src/base
ui/plot: src/base
src/measure: src/base src/machine kernels src/analysis src/record
src/counters: src/base src/machine kernels src/analysis src/record src/preset
src/routines: src/base kernels src/measure
src/experiment: src/base src/machine kernels src/analysis src/record src/measure src/preset src/counters src/routines
src/engine: src/base src/machine kernels src/analysis src/record src/measure src/preset src/counters src/routines src/experiment
src/report: src/base kernels src/analysis src/record ui/plot
src/cli: src/base src/machine kernels src/analysis src/record src/preset src/counters src/routines src/experiment src/engine src/report ui/plot ui/tui
ui/tui: src/base src/machine kernels src/analysis src/record src/preset src/counters src/routines src/experiment src/engine src/report src/cli ui/plot
'

# header (a regular expression on what stands between < and >): the files that may include it.
libraries='
(n?curses[a-z]*/)?n?curses[a-z]*\.h: ui/tui/
papi\.h: src/counters/papi tests/unit/papi_check.c tests/unit/test_papi.c
sde_lib\.h: src/counters/papi tests/unit/test_papi.c
hwloc(/.*)?\.h: src/machine/ src/measure/
gsl/.*: src/analysis/
yaml\.h: src/preset/ src/machine/model_yaml.c
jansson\.h: src/record/
Zydis/.*: kernels/x86/
Zycore/.*: kernels/x86/
capstone/.*: tests/
cmocka\.h: tests/
'

# words of one instruction set (regular expressions): the files that may hold them. Comments do not count.
words='
__?cpuid|get_cpuid|rdtscp?|__x86_64__|_mm(256|512)?_|ZYDIS_|[ei]mmintrin\.h: kernels/x86/
__aarch64__|cntvct|arm_neon\.h|arm_sve\.h: kernels/aarch64/
__riscv|riscv_vector\.h|riscv_hwprobe|tp_riscv_|TP_RISCV_|vsetvli|vlenb: kernels/riscv64/
'

# check_tree DIR: prints one line a violation.
check_tree() {
	(cd "$1" && find src kernels ui tests -name '*.[ch]' -type f 2>/dev/null | sort |
		awk -v rooms="$rooms" -v libraries="$libraries" -v words="$words" '
	function read_table(text, keys, values,    lines, n, i, at, count) {
		n = split(text, lines, "\n")
		for (i = 1; i <= n; i++) {
			at = match(lines[i], /:[^:]*$/)
			if (!at)
				continue
			keys[++count] = substr(lines[i], 1, at - 1)
			values[count] = substr(lines[i], at + 1) " "
		}
		return count
	}
	# The room of a file or of an included path, or "" outside the house.
	function room_of(path,    i) {
		for (i = 1; i <= n_rooms; i++)
			if (index(path, room_name[i] "/") == 1)
				return room_name[i]
		return ""
	}
	function included_room(path) {
		return path ~ /^(kernels|ui)\// ? room_of(path) : room_of("src/" path)
	}
	function may(list, path,    parts, n, i) {
		n = split(list, parts, " ")
		for (i = 1; i <= n; i++)
			if (index(path, parts[i]) == 1)
				return 1
		return 0
	}
	function say(text) {
		print file ":" line_number ": " text
	}
	# Takes comments out of a line and leaves strings; in_comment lasts from line to line.
	function code_of(line,    out, at) {
		out = ""
		for (;;) {
			if (in_comment) {
				at = index(line, "*/")
				if (!at)
					return out
				line = substr(line, at + 2)
				in_comment = 0
			}
			if (!match(line, /"([^"\\]|\\.)*"|\047([^\047\\]|\\.)*\047|\/\*|\/\//))
				return out line
			if (substr(line, RSTART, 2) == "//")
				return out substr(line, 1, RSTART - 1)
			if (substr(line, RSTART, 2) == "/*") {
				out = out substr(line, 1, RSTART - 1) " "
				in_comment = 1
			} else {
				out = out substr(line, 1, RSTART + RLENGTH - 1)
			}
			line = substr(line, RSTART + RLENGTH)
		}
	}
	function check_ours(target,    to) {
		if (home == "")
			return
		if (target == "config.h") {
			say("config.h is given to every file by the compiler; leave it out")
			return
		}
		if (target !~ /\//) {
			say("\"" target "\" is not written from the top (room/file.h)")
			return
		}
		to = included_room(target)
		if (to == "")
			say("\"" target "\" is in no room that " "tests/layers.sh knows")
		else if (to != home && index(" " allowed[home] " ", " " to " ") == 0)
			say(home " may not include " to " (\"" target "\")")
	}
	function check_library(target,    i) {
		for (i = 1; i <= n_libraries; i++)
			if (target ~ ("^(" library[i] ")$") && !may(library_home[i], file))
				say("<" target "> belongs only in" library_home[i])
	}
	function check_file(    line, code, target, i) {
		home = room_of(file)
		line_number = in_comment = 0
		if (home == "" && file !~ /^tests\//) {
			say("lies in no room that tests/layers.sh knows")
			return
		}
		while ((getline line < file) > 0) {
			line_number++
			code = code_of(line)
			if (code ~ /^[ \t]*#[ \t]*include[ \t]*"/) {
				split(code, part, "\"")
				check_ours(part[2])
				check_library(part[2])
			} else if (code ~ /^[ \t]*#[ \t]*include[ \t]*</) {
				target = code
				sub(/^[^<]*</, "", target)
				sub(/>.*$/, "", target)
				check_library(target)
			}
			if (file ~ /^tests\//)
				continue
			for (i = 1; i <= n_words; i++)
				if (code ~ ("(^|[^A-Za-z0-9])(" word[i] ")") && !may(word_home[i], file))
					say("an instruction set is named outside" word_home[i])
		}
		close(file)
	}
	BEGIN {
		n_rooms = read_table(rooms, room_name, room_list)
		for (i = 1; i <= n_rooms; i++)
			allowed[room_name[i]] = room_list[i]
		n_libraries = read_table(libraries, library, library_home)
		n_words = read_table(words, word, word_home)
	}
	{ file = $0; check_file() }')
}

count=0
failed=0
report() { # report ok|"not ok" NAME [FILE with reasons]
	count=$((count + 1))
	if [ "$1" != ok ]; then
		failed=$((failed + 1))
		[ -n "${3-}" ] && sed 's/^/# /' "$3"
	fi
	echo "$1 $count - $2"
}

# plant NAME FILE EXPECTED TEXT: a tree with that one file must give exactly one violation, which
# says EXPECTED; with EXPECTED empty it must give none.
plant() {
	local tree=$scratch/tree verdict=ok
	rm -rf "$tree"
	mkdir -p "$tree/$(dirname "$2")"
	printf '%s\n' "$4" >"$tree/$2"
	check_tree "$tree" >"$scratch/found" 2>&1
	if [ -z "$3" ]; then
		[ -s "$scratch/found" ] && verdict='not ok'
	elif [ "$(wc -l <"$scratch/found")" != 1 ] || ! grep -qF -e "$3" "$scratch/found"; then
		verdict='not ok'
	fi
	report "$verdict" "planted: $1" "$scratch/found"
}

plant 'base includes another room' src/base/x.c 'src/base may not include src/machine' \
	'#include "machine/machine.h"'
plant 'machine includes kernels' src/machine/x.h 'src/machine may not include kernels' \
	'#include "kernels/arch.h"'
plant 'cli includes measure' src/cli/x.c 'src/cli may not include src/measure' \
	'  #  include "measure/stop.h"'
plant 'plot includes analysis' ui/plot/x.c 'ui/plot may not include src/analysis' \
	'#include "analysis/stats.h"'
plant 'experiment includes engine' src/experiment/memcurve/x.c 'may not include src/engine' \
	'#include "engine/engine.h"'
plant 'an include not from the top' src/record/x.c 'not written from the top' '#include "run.h"'
plant 'an unknown room' src/attic/x.c 'in no room' 'int x;'
plant 'an include of an unknown room' src/cli/x.c 'in no room' '#include "attic/x.h"'
plant 'curses outside ui/tui' ui/plot/x.c 'belongs only in ui/tui/' '#include <ncursesw/curses.h>'
plant 'hwloc outside its rooms' src/cli/x.c 'belongs only in src/machine/' '#include <hwloc.h>'
plant 'GSL outside analysis' src/record/x.c 'belongs only in src/analysis/' '#include <gsl/gsl_cdf.h>'
plant 'libyaml beside the model reader' src/machine/model.c 'belongs only in src/preset/' \
	'#include <yaml.h>'
plant 'jansson outside record' src/engine/x.c 'belongs only in src/record/' '#include <jansson.h>'
plant 'Zydis outside kernels/x86' kernels/code.c 'belongs only in kernels/x86/' \
	'#include <Zydis/Zydis.h>'
plant 'Capstone in the program' kernels/x86/x.c 'belongs only in tests/' \
	'#include <capstone/capstone.h>'
plant 'papi outside its source' src/counters/cat.c 'belongs only in src/counters/papi' '#include <papi.h>'
plant 'the time stamp counter outside kernels/x86' src/measure/x.c 'instruction set' \
	'	return __rdtsc();'
plant 'an architecture macro outside its folder' kernels/isa.c 'instruction set' \
	'#if defined(__x86_64__)'
plant 'an encoder of one architecture elsewhere' src/cli/x.c 'instruction set' \
	'	tp_riscv_align(as, 64);'
plant 'an intrinsic after a comment' src/measure/x.c 'instruction set' '	/* wait */ _mm_pause();'
plant 'what is allowed' src/cli/x.c '' '/* cpuid says so
 * and rdtsc too */
#include <stdio.h>
#include "kernels/isa.h" // __x86_64__
#include "ui/plot/plot.h"
static const char *all = "presets/*.yaml", *quote = "\"/*";'
plant 'an intrinsic after a string that looks like a comment' src/cli/x.c 'instruction set' \
	'f("presets/*.yaml", __rdtsc());'
plant 'what a test may' tests/unit/test_x.c '' '#include <capstone/capstone.h>
#include "measure/stop.h"'

check_tree "$source_dir" >"$scratch/found" 2>&1
if [ -s "$scratch/found" ]; then
	report 'not ok' 'every room includes only what it may' "$scratch/found"
elif [ "$(find "$source_dir/src" "$source_dir/kernels" "$source_dir/ui" -name '*.[ch]' | wc -l)" -lt 20 ]; then
	echo '# hardly any sources found; is TPROF_SRCDIR right?'
	report 'not ok' 'every room includes only what it may'
else
	report ok 'every room includes only what it may'
fi

# Analysis links alone: all of it, with base and GSL and nothing else of ours.
# links_alone ARCHIVE...
links_alone() {
	# shellcheck disable=SC2086 # the compiler and the libraries are lists of words
	${TPROF_TEST_CC} -o "$scratch/alone" "$scratch/main.c" -Wl,--whole-archive "$@" \
		-Wl,--no-whole-archive "$TPROF_BUILDDIR/libtp_base.a" ${TPROF_TEST_GSL_LIBS} -lm \
		>"$scratch/found" 2>&1
}
if [ -n "${TPROF_BUILDDIR-}" ] && [ -n "${TPROF_TEST_CC-}" ] && [ -n "${TPROF_TEST_GSL_LIBS-}" ]; then
	echo 'int main(void) { return 0; }' >"$scratch/main.c"
	echo 'int tp_machine_detect(void); int stray(void); int stray(void) { return tp_machine_detect(); }' \
		>"$scratch/stray.c"
	# shellcheck disable=SC2086 # as above
	${TPROF_TEST_CC} -c -o "$scratch/stray.o" "$scratch/stray.c"
	if links_alone "$TPROF_BUILDDIR/libtp_analysis.a"; then
		report ok 'analysis links alone'
	else
		report 'not ok' 'analysis links alone' "$scratch/found"
	fi
	if links_alone "$TPROF_BUILDDIR/libtp_analysis.a" "$scratch/stray.o"; then
		report 'not ok' 'planted: analysis calls another room'
	else
		report ok 'planted: analysis calls another room'
	fi
	# No input or output in there either.
	if nm -u "$TPROF_BUILDDIR/libtp_analysis.a" | awk '{ print $NF }' |
		grep -xE '(fopen|fdopen|open|openat|read|write|socket|printf|puts|putchar|fprintf|vprintf|vfprintf|fputs|fputc|fwrite|fread|getenv|system|popen)(64)?' \
			>"$scratch/found"; then
		report 'not ok' 'analysis does no input or output' "$scratch/found"
	else
		report ok 'analysis does no input or output'
	fi
else
	count=$((count + 1))
	echo "ok $count - analysis links alone # SKIP run by make check, which says where the libraries are"
fi

echo "1..$count"
[ "$failed" -eq 0 ]
