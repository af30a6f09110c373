#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The plan of the house, checked by reading the #include lines: which room may look into which, directly or through the headers of
# another room; that private headers stay in their room; which room alone may include a library; and that only kernels/ depends on an instruction set. Writes TAP. The rules are first held against planted violations, so that a rule that can no longer fail is itself a failure.
#
# Environment: TPROF_SRCDIR (default: the folder above this one); with TPROF_BUILDDIR, TPROF_TEST_CC and
# TPROF_TEST_GSL_LIBS set, as `make check` does, the link test runs as well.
set -u
export LC_ALL=C

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source_dir=${TPROF_SRCDIR:-${here%/*}}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
awk_differs=$scratch/awk-differs
# shellcheck source=tests/awk.sh
. "$here/awk.sh"

# room: the rooms it may include, besides itself. A file can be a room of its own.
rooms='
src/base:
src/schema: src/base
src/table: src/base
src/compiler: src/base
src/machine: src/base src/schema kernels/isa_names.h
kernels/isa_names.h:
kernels: src/base kernels/isa_names.h
src/analysis: src/base
src/preset: src/base src/schema kernels/isa_names.h
src/record: src/base src/table
src/plot: src/base
src/doc: src/base src/plot
src/measure: src/base src/table src/machine kernels src/analysis src/record
src/counters: src/base src/table src/machine kernels src/analysis src/record src/preset
src/routines: src/base src/table kernels src/measure
src/pattern: src/base src/schema
src/matrix: src/base
src/sweep: src/base
src/mix:
src/agent: src/mix
src/qemu: src/mix src/agent
src/app: src/base src/mix src/agent src/counters src/record src/table src/machine kernels src/analysis src/preset include
src/profile: src/base src/mix src/app
include:
src/mining: src/base src/table src/analysis src/record src/preset src/report src/plot src/doc
src/experiments: src/base src/mix src/app src/profile src/compiler src/table src/machine kernels kernels/isa_names.h src/analysis src/record src/measure src/preset src/counters src/routines src/pattern src/matrix src/sweep src/report src/plot include src/doc
src/engine: src/base src/table src/machine kernels src/analysis src/record src/measure src/preset src/counters src/routines src/pattern src/matrix src/experiments
src/report: src/base src/table kernels src/analysis src/record src/plot src/doc
src/session: src/base src/table src/machine kernels src/analysis src/record src/preset src/counters src/routines src/pattern src/matrix src/experiments src/engine src/mining src/report src/plot src/doc
src/lesson: src/session src/base src/schema src/table src/machine kernels src/analysis src/record src/preset src/counters src/routines src/pattern src/matrix src/experiments src/engine src/mining src/report src/plot src/doc
src/cluster: src/session src/base src/table src/machine kernels src/analysis src/record src/preset src/counters src/routines src/pattern src/matrix src/experiments src/engine src/mining src/report src/plot src/doc
src/cli: src/base src/profile src/app src/mix src/table src/machine kernels src/analysis src/record src/preset src/counters src/routines src/pattern src/matrix src/experiments src/engine src/mining src/report src/session src/lesson src/cluster src/plot src/doc
src/cli/main.c: src/base src/profile src/app src/mix src/table src/machine kernels src/analysis src/record src/preset src/counters src/routines src/pattern src/matrix src/experiments src/engine src/mining src/report src/session src/lesson src/cluster src/cli src/plot ui/tui src/doc
ui/tui: src/base src/profile src/table src/machine kernels src/analysis src/record src/preset src/counters src/routines src/pattern src/matrix src/experiments src/engine src/mining src/report src/session src/lesson src/cluster src/plot src/doc
'

# header (a regular expression on what stands between < and >): the files that may include it.
libraries='
(n?curses[a-z]*/)?n?curses[a-z]*\.h: ui/tui/
papi\.h: src/counters/papi tests/unit/papi_check.c tests/unit/test_papi.c
sde_lib\.h: src/counters/papi tests/unit/test_papi.c
perfmon/.*: src/app/pmu.c
hwloc(/.*)?\.h: src/machine/ src/measure/
gsl/.*: src/analysis/
yaml\.h: src/schema/yaml.c
isl/.*: src/pattern/poly
jansson\.h: src/table/json.h
zlib\.h: src/matrix/market.c
Zydis/.*: kernels/x86/ src/mix/ src/agent/ src/qemu/ tests/unit/test_mix.c tests/unit/test_mix_kernels.c tests/unit/mix_promise.h
Zycore/.*: kernels/x86/ src/mix/ src/agent/ src/qemu/
capstone/.*: tests/
cmocka\.h: tests/
'

# Experiments do not include each other, and nothing outside their folders includes them. Exceptions: headers (the beginning
# of their path), and the files that may include them. windows/ is what experiments share; any of them may use it.
lent='
src/experiments/autotune/pictures.h: src/experiments/roofline/ ui/tui/experiments/roofline.c
src/experiments/app/report.h: ui/tui/experiments/roofline.c
ui/tui/experiments/roofline.h: ui/tui/experiments/mixed.c ui/tui/experiments/others.c ui/tui/experiments/app.c
src/experiments/spmv/row.h: ui/tui/experiments/others.c
src/experiments/roofline/pictures.h: ui/tui/experiments/mixed.c ui/tui/experiments/app.c
src/experiments/counters/: src/cli/classify.c
src/experiments/counters/(classes|report)\.h: src/experiments/app/formulas.c
src/experiments/app/row.h: src/cli/batch.c
src/experiments/app/streams.h: src/experiments/profile/profile.c
src/experiments/profile/row.h: src/cli/batch.c
'

# words of one instruction set (regular expressions): the files that may hold them. Comments do not count.
words='
__?cpuid|get_cpuid|rdtscp?|__x86_64__|_mm(256|512)?_|ZYDIS_|[ei]mmintrin\.h: kernels/x86/ src/mix/ src/agent/ src/qemu/ tests/unit/test_mix.c tests/unit/test_mix_kernels.c tests/unit/mix_promise.h
__aarch64__|cntvct|arm_neon\.h|arm_sve\.h: kernels/aarch64/
__riscv|riscv_vector\.h|riscv_hwprobe|tp_riscv_|TP_RISCV_|vsetvli|vlenb: kernels/riscv64/
'

# What creates a file or a folder (regular expressions): the files that may do so. All others write through tp_file_write and tp_file_create
# of base/file.h, which say how much of the path the user typed. mkdtemp makes a folder of the user that no other user can enter.
creators='
O_CREAT: src/base/file.c src/agent/elsewhere.c src/machine/knobs_held.c src/session/keep.c src/cluster/detached.c src/cluster/ssh.c src/compiler/store.c src/app/elsewhere.c
mkdtemp: src/session/keep.c src/cluster/merge.c src/compiler/store.c
mkdir(at)?\(: src/base/file.c src/compiler/store.c src/app/elsewhere.c
O_TMPFILE|O_TRUNC|mko?stemp|creat\(|mkfifo|mknod|symlink|tmpfile|tmpnam|freopen|fopen\([^"]*"[wa]: src/base/file.c src/machine/knobs.c
'

any_word=$(sed -n 's/: .*//p' <<<"$words$creators" | paste -sd '|')

# check_tree DIR: prints one line a violation. The lists come through the environment: awk would take the escapes out of what -v gives it.
check_tree() {
	(cd "$1" && find src kernels ui tests -name '*.[ch]' -type f 2>/dev/null | sort |
		rooms="$rooms" libraries="$libraries" words="$words" creators="$creators" any_word="$any_word" lent="$lent" awk '
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
		if (path in allowed)
			return path
		if (path ~ /^src\/experiments\/[a-z_]+\/screen[a-z_]*\.[ch]$/)
			return "ui/tui"
		for (i = 1; i <= n_rooms; i++)
			if (index(path, room_name[i] "/") == 1)
				return room_name[i]
		return ""
	}
	function path_of(target) {
		return target ~ /^(kernels|ui|tests|include)\// ? target : "src/" target
	}
	function is_allowed(home, to) {
		return to == home || index(" " allowed[home] " ", " " to " ") > 0
	}
	# A room that is one file lies in a folder: private headers of that folder are for it too.
	function folder_of(room) {
		sub(/\/[^\/]*\.c$/, "", room)
		return room
	}
	# The experiment that a file belongs to, by its folder or as its screen in ui/tui/experiments, or "".
	function experiment_of(path,    parts) {
		if (sub(/^ui\/tui\/experiments\//, "", path)) {
			sub(/(_[a-z]+)?\.[ch]$/, "", path)
			return path
		}
		return split(path, parts, "/") > 3 && path ~ /^src\/experiments\// ? parts[3] : ""
	}
	function check_experiment(target,    to, i) {
		to = experiment_of(target)
		if (to == "" || to == experiment_of(file) || file ~ /^tests\//)
			return
		if (to == "windows" && experiment_of(file) != "")
			return
		for (i = 1; i <= n_lent; i++)
			if (target ~ ("^" lent_what[i]) && may(lent_to[i], file))
				return
		say(target " belongs to the experiment " to)
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
		target = path_of(target)
		check_experiment(target)
		to = room_of(target)
		if (to == "")
			say(target " is in no room that " "tests/layers.sh knows")
		else if (!is_allowed(home, to))
			say(home " may not include " to " (" target ")")
		else {
			n_included[file]++
			included[file, n_included[file]] = target
			included_line[file, n_included[file]] = line_number
		}
	}
	# Once all files are read: what their includes bring along, and private headers of others.
	function check_reached(file, through, line_number,    i, target) {
		for (i = 1; i <= n_included[through]; i++) {
			target = included[through, i]
			if (file == through)
				line_number = included_line[file, i]
			else if (!is_allowed(home, room_of(target))) {
				if (!told[home, through, room_of(target)]++)
					print file ":" line_number ": " home " may not include " room_of(target) ", which comes through " through
				continue
			}
			if (file == through && (target in private) && folder_of(home) != folder_of(room_of(target)))
				print file ":" line_number ": " target " is private to " room_of(target)
			if (reached[file, target]++)
				continue
			check_reached(file, target, line_number)
		}
	}
	function check_library(target,    i) {
		for (i = 1; i <= n_libraries; i++)
			if (target ~ ("^(" library[i] ")$") && !may(library_home[i], file))
				say("<" target "> belongs only in" library_home[i])
	}
	function check_file(    line, code, target, i) {
		home = room_of(file)
		is_test = file ~ /^tests\//
		line_number = in_comment = 0
		if (home == "" && !is_test) {
			say("lies in no room that tests/layers.sh knows")
			return
		}
		first_comment = file ~ /\.h$/
		if (file ~ /_parts\.h$/)
			private[file] = 1
		while ((getline line < file) > 0) {
			line_number++
			if (first_comment && line ~ /Private to/)
				private[file] = 1
			if (line_number > 1 && line ~ /\*\/|^#/)
				first_comment = 0
			# Most lines are of no interest, and code_of takes time.
			if (in_comment ? !index(line, "*/") : !index(line, "include") && !index(line, "/*") && line !~ ENVIRON["any_word"])
				continue
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
			if (is_test)
				continue
			for (i = 1; i <= n_words; i++)
				if (code ~ ("(^|[^A-Za-z0-9])(" word[i] ")") && !may(word_home[i], file))
					say("an instruction set is named outside" word_home[i])
			for (i = 1; i <= n_creators; i++)
				if (code ~ ("(^|[^A-Za-z0-9_])(" creator[i] ")") && !may(creator_home[i], file))
					say("a file is created outside" creator_home[i] "; see base/file.h")
		}
		close(file)
	}
	BEGIN {
		n_rooms = read_table(ENVIRON["rooms"], room_name, room_list)
		for (i = 1; i <= n_rooms; i++)
			allowed[room_name[i]] = room_list[i]
		n_libraries = read_table(ENVIRON["libraries"], library, library_home)
		n_lent = read_table(ENVIRON["lent"], lent_what, lent_to)
		n_creators = read_table(ENVIRON["creators"], creator, creator_home)
		n_words = read_table(ENVIRON["words"], word, word_home)
	}
	{ file = $0; files[++n_files] = file; check_file() }
	END {
		for (i = 1; i <= n_files; i++)
			if ((home = room_of(files[i])) != "")
				check_reached(files[i], files[i], 0)
	}')
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

# plant NAME EXPECTED FILE TEXT [FILE TEXT]...: a tree with these files must give exactly one violation with the text EXPECTED; with
# EXPECTED empty none.
plant() {
	local name=$1 expected=$2 tree=$scratch/tree verdict=ok
	shift 2
	rm -rf "$tree"
	while [ $# -gt 0 ]; do
		mkdir -p "$tree/$(dirname "$1")"
		printf '%s\n' "$2" >"$tree/$1"
		shift 2
	done
	check_tree "$tree" >"$scratch/found" 2>&1
	if [ -z "$expected" ]; then
		[ -s "$scratch/found" ] && verdict='not ok'
	elif [ "$(wc -l <"$scratch/found")" != 1 ] || ! grep -qF -e "$expected" "$scratch/found"; then
		verdict='not ok'
	fi
	report "$verdict" "planted: $name" "$scratch/found"
}

plant 'a file of its own making' 'a file is created outside' src/lesson/x.c \
	'	int fd = open(path, O_WRONLY | O_CREAT, 0666);'
plant 'a stream of its own making' 'a file is created outside' src/lesson/x.c \
	'	FILE *file = fopen(path, "we");'
plant 'base includes another room' 'src/base may not include src/machine' src/base/x.c \
	'#include "machine/machine.h"'
plant 'machine includes kernels' 'src/machine may not include kernels' src/machine/x.h \
	'#include "kernels/arch.h"'
plant 'cli includes measure' 'src/cli may not include src/measure' src/cli/x.c \
	'  #  include "measure/stop.h"'
plant 'plot includes analysis' 'src/plot may not include src/analysis' src/plot/x.c \
	'#include "analysis/stats.h"'
plant 'experiment includes engine' 'may not include src/engine' src/experiments/memcurve/x.c \
	'#include "engine/engine.h"'
plant 'the program names an experiment' 'belongs to the experiment mixed' src/session/x.c \
	'#include "experiments/mixed/x.h"'
plant 'an experiment includes another' 'belongs to the experiment latency' src/experiments/memcurve/x.c \
	'#include "experiments/latency/x.h"'
plant 'an experiment includes what they share' '' src/experiments/memcurve/x.c '#include "experiments/windows/planner.h"'
plant 'what is shared includes an experiment' 'belongs to the experiment memcurve' src/experiments/windows/x.c \
	'#include "experiments/memcurve/x.h"'
plant 'an experiment lends a header' '' src/experiments/profile/profile.c '#include "experiments/app/streams.h"'
plant 'the screen of an experiment is one of the screens' '' src/experiments/mixed/screen_map.c '#include "ui/tui/app.h"'
plant 'the screen of an experiment in the folder of screens' '' ui/tui/experiments/mixed_map.c '#include "experiments/mixed/dot.h"'
plant 'the screen of an experiment includes another' 'belongs to the experiment latency' ui/tui/experiments/mixed.c \
	'#include "experiments/latency/x.h"'
plant 'an experiment includes the screens' 'src/experiments may not include ui/tui' src/experiments/mixed/x.c \
	'#include "ui/tui/app.h"'
plant 'cli includes the screens' 'src/cli may not include ui/tui' src/cli/x.c \
	'#include "ui/tui/app.h"'
plant 'the screens include cli' 'ui/tui may not include src/cli' ui/tui/screens/x.c \
	'#include "cli/cli.h"'
plant 'the main program starts the screens' '' src/cli/main.c '#include "ui/tui/app.h"'
plant 'an include not from the top' 'not written from the top' src/record/x.c '#include "run.h"'
plant 'an unknown room' 'in no room' src/attic/x.c 'int x;'
plant 'an include of an unknown room' 'in no room' src/cli/x.c '#include "attic/x.h"'
plant 'curses outside ui/tui' 'belongs only in ui/tui/' src/plot/x.c '#include <ncursesw/curses.h>'
plant 'hwloc outside its rooms' 'belongs only in src/machine/' src/cli/x.c '#include <hwloc.h>'
plant 'GSL outside analysis' 'belongs only in src/analysis/' src/record/x.c '#include <gsl/gsl_cdf.h>'
plant 'isl outside its files' 'belongs only in src/pattern/poly' src/pattern/x.c '#include <isl/ctx.h>'
plant 'libyaml beside the reader of YAML' 'belongs only in src/schema/yaml.c' src/machine/model.c \
	'#include <yaml.h>'
plant 'libjansson beside the reader of JSON' 'belongs only in src/table/json.h' src/engine/x.c '#include <jansson.h>'
plant 'Zydis outside kernels/x86' 'belongs only in kernels/x86/' kernels/code.c \
	'#include <Zydis/Zydis.h>'
plant 'Capstone in the program' 'belongs only in tests/' kernels/x86/x.c \
	'#include <capstone/capstone.h>'
plant 'papi outside its source' 'belongs only in src/counters/papi' src/counters/cat.c '#include <papi.h>'
plant 'the time stamp counter outside kernels/x86' 'instruction set' src/measure/x.c \
	'	return __rdtsc();'
plant 'an architecture macro outside its folder' 'instruction set' kernels/isa.c \
	'#if defined(__x86_64__)'
plant 'an encoder of one architecture elsewhere' 'instruction set' src/cli/x.c \
	'	tp_riscv_align(as, 64);'
plant 'an intrinsic after a comment' 'instruction set' src/measure/x.c '	/* wait */ _mm_pause();'
plant 'what is allowed' '' src/cli/x.c '/* cpuid says so
 * and rdtsc too */
#include <stdio.h>
#include "kernels/isa.h" // __x86_64__
#include "plot/plot.h"
static const char *all = "presets/*.yaml", *quote = "\"/*";'
plant 'an intrinsic after a string that looks like a comment' 'instruction set' src/cli/x.c \
	'f("presets/*.yaml", __rdtsc());'
plant 'what a test may' '' tests/unit/test_x.c '#include <capstone/capstone.h>
#include "measure/stop.h"'

plant 'a room that arrives through a header' 'src/cli may not include src/measure, which comes through src/experiments/x.h' \
	src/cli/x.c '#include "experiments/x.h"' src/experiments/x.h '#include "measure/y.h"' src/measure/y.h ''
plant 'a room that arrives through two headers' 'src/cli/x.c:1: src/cli may not include src/measure, which comes through src/experiments/y.h' \
	src/cli/x.c '#include "cli/x.h"' src/cli/x.h '#include "record/y.h"
#include "experiments/y.h"' src/record/y.h '' src/experiments/y.h '#include "measure/z.h"' src/measure/z.h ''
plant 'a header that says it is private' 'src/engine/x.h is private to src/engine' \
	src/cli/x.c '#include "engine/x.h"' src/engine/x.h '/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Something of the engine.
 * Private to this room. */'
plant 'a header that is private by its name' 'src/engine/x_parts.h is private to src/engine' \
	src/cli/x.c '#include "engine/x_parts.h"' src/engine/x_parts.h ''
plant 'private headers inside their room and in tests' '' \
	src/cli/x.c '#include "cli/x.h"' src/cli/x.h '/* Private to this room. */' \
	src/cli/main.c '#include "cli/x.h"' tests/unit/x.c '#include "cli/x.h"'

if [ ${#awks[@]} -lt 2 ]; then
	count=$((count + 1))
	echo "ok $count - every awk finds the same # SKIP there is one awk only"
elif [ -e "$awk_differs" ]; then
	report 'not ok' 'every awk finds the same' "$awk_differs"
else
	report ok 'every awk finds the same'
fi
# One of them is enough for the house itself.
unset -f awk

check_tree "$source_dir" >"$scratch/found" 2>&1
if [ -s "$scratch/found" ]; then
	report 'not ok' 'every room includes only what it may' "$scratch/found"
elif [ "$(find "$source_dir/src" "$source_dir/kernels" "$source_dir/ui" -name '*.[ch]' | wc -l)" -lt 20 ]; then
	echo '# hardly any sources found; is TPROF_SRCDIR right?'
	report 'not ok' 'every room includes only what it may'
else
	report ok 'every room includes only what it may'
fi

# How much house there is. A number of files or headers is lowered when there are fewer; it is never raised.
most_lines=1500
most_files=750
most_private=20

# private_headers DIR: headers of that tree for files of their own room, by their first comment or their name.
private_headers() {
	local headers
	(
		cd "$1" || exit
		find src kernels ui -name '*_parts.h' -type f 2>/dev/null
		mapfile -t headers < <(find src kernels ui -name '*.h' -type f 2>/dev/null)
		awk '
			FNR == 1 { first_comment = 1 }
			first_comment && /Private to/ { print FILENAME }
			FNR > 1 && /\*\/|^#/ { first_comment = 0 }' "${headers[@]}" </dev/null
	) | sort -u
}

# check_size DIR: prints what is too much.
check_size() {
	local n
	(cd "$1" && find src kernels ui -name '*.[chS]' -type f -exec wc -l {} + 2>/dev/null) | sort -k 2 | while read -r n file; do
		[ "$file" = total ] || [ "$n" -le "$most_lines" ] || echo "$file: $n lines, at most $most_lines"
	done
	n=$(cd "$1" && find src kernels ui -name '*.[chS]' -type f 2>/dev/null | wc -l)
	[ "$n" -le "$most_files" ] || echo "$n files in src, kernels, ui, at most $most_files"
	n=$(private_headers "$1" | wc -l)
	[ "$n" -le "$most_private" ] || echo "$n private headers, at most $most_private"
}

tree=$scratch/tree
rm -rf "$tree"
mkdir -p "$tree/src/base"
yes '' | head -n 1501 >"$tree/src/base/long.c"
yes '' | head -n 1500 >"$tree/src/base/full.c"
for i in 1 2 3; do
	printf '/* SPDX-License-Identifier: GPL-3.0-or-later */\n/* One of three.\n * Private to this room. */\n' >"$tree/src/base/p$i.h"
done
printf '/* SPDX-License-Identifier: GPL-3.0-or-later */\n/* For all. */\n#define X\n/* Private to. */\n' >"$tree/src/base/open.h"
: >"$tree/src/base/x_parts.h"
(most_files=6 most_private=3 check_size "$tree") >"$scratch/found"
printf '%s\n' 'src/base/long.c: 1501 lines, at most 1500' '7 files in src, kernels, ui, at most 6' '4 private headers, at most 3' >"$scratch/wanted"
if cmp -s "$scratch/wanted" "$scratch/found"; then
	report ok 'planted: too long a file, too many files and private headers'
else
	report 'not ok' 'planted: too long a file, too many files and private headers' "$scratch/found"
fi
check_size "$source_dir" >"$scratch/found"
if [ -s "$scratch/found" ]; then
	report 'not ok' 'files are few enough, none is too long, and few headers are private' "$scratch/found"
else
	report ok 'files are few enough, none is too long, and few headers are private'
fi

# Analysis links by itself: all of it, with only base and GSL.
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
