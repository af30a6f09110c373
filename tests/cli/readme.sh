# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# shellcheck disable=SC2016 # backquotes of Markdown
#
# README and the guide: every command runs as printed, what stands below a command is what it prints, and pages, files and pictures
# that are named exist. Measurements are simulated, so that they take no time; app-manual.sh runs the commands about programs, and
# bootstrap.sh those of bootstrap.
. "$TPROF_CLI/lib.sh"

readme=$TPROF_SRCDIR/README.md guide=$TPROF_SRCDIR/doc/guide.md install=$TPROF_SRCDIR/INSTALL.md
[ "$(wc -w <"$readme")" -le 800 ] || fail "README has $(wc -w <"$readme") words, more than 800"
[ "$(sed '/^    tprof/q' "$readme" | wc -w)" -le 100 ] || fail 'the first command of README comes after 100 words'

# --- what they name ---

for page in "$readme" "$guide" "$install" "$TPROF_SRCDIR"/doc/{hours,tour,patterns,studies}.md; do
	sed 's/](/\n&/g' "$page" | sed -n 's/^\](\([^)#]*\)).*/\1/p' | grep -v '^[a-z]*:' | while read -r link; do
		[ -e "${page%/*}/$link" ] || fail "$page: there is no $link"
	done || exit 1
	grep -ohE 'tests/[a-z/_-]+\.sh' "$page" | while read -r script; do
		# A release has no benchmarks.
		[ -e "$TPROF_SRCDIR/.git" ] || [ "${script#tests/bench/}" = "$script" ] || continue
		[ -e "$TPROF_SRCDIR/$script" ] || fail "$page: there is no $script"
	done || exit 1
	grep -ohE '`tprof[a-z-]*\([1-9]\)`' "$page" | tr -d '`)' | tr '(' . | while read -r manual; do
		[ -e "${TPROF%/*}/man/$manual" ] || fail "$page: there is no page $manual"
	done || exit 1
done

# --- commands ---

mkdir bin learners
ln -s "$TPROF" bin/tprof
export PATH=$PWD/bin:$PATH
echo '{"format": "tprof-progress", "learner": "Zed", "lessons": []}' >learners/progress.json
cp -R "$TPROF_CLI/old-runs/counters" CATFOLDER
cp "$TPROF_SRCDIR/presets/templates/matmul.c" mine.c
awk -v OFS=, 'BEGIN { print "n,m,seconds"; for (i = 0; i < 200; i++) print i % 20, int(i / 20), 0.001 * (i % 20) * (i % 20) + 0.0001 * (i * 7 % 5) }' >times.csv
sed -n '/^# transpose.yaml/,/^```/p' "$guide" | sed '$d' >transpose.yaml
export TPROF_MACHINE=zen4 TPROF_SIMULATE=quiet
# RUN and LAST-MONTH are names of a reader's runs.
for name in RUN LAST-MONTH; do
	run --batch quick --run-dir "$name"
	expect_exit 0
done
run --batch quick
expect_exit 0

printed() { # printed FILE: its commands, without the words beside them
	sed -n '/^```/,/^```/d; s/^    \(tprof.*\)/\1/p' "$1" | sed -E 's/  +# .*//; s/ +# .*//'
}
{
	printed "$readme"
	printed "$guide"
} | awk '!seen[$0]++' >commands
[ "$(wc -l <commands)" -ge 35 ] || fail "expected 35 commands and more: $(cat commands)"
while read -r command; do
	wanted=0 short=$command
	case $command in
	tprof) continue ;; # tests/tui/home.sh
	*--replay*) continue ;; # tests/tui/replay.sh
	*--app* | *--profile*) continue ;; # app-manual.sh
	# Nodes are processes here.
	*--cluster\ s*) short=$(sed -E 's/slurm( --partition [a-z]*)? --nodes [0-9]*|ssh:[a-z.]*/local:2/; s/batch roofline/batch quick/' <<<"$command") ;;
	# These need compilers, libraries or counters that are measured: their tests measure them. Here they are planned.
	*pattern-triad* | *template-matmul* | *autotune-dgemm* | *program-gzip* | *'batch counters'* | *matrix-peaks*)
		short="TPROF_SIMULATE=off TPROF_MACHINE= ${command/--batch/--dry-run}"
		[ "$(uname -m)" = x86_64 ] || continue
		;;
	# The simulated machine has 384 hardware threads.
	*roofline | *loaded-latency) short="TPROF_THREADS=2 $command" ;;
	*--asm*) short="TPROF_ASM_MCA=none $command" ;;
	*--compare*) wanted='[01]' ;;
	*doctor*) short="TPROF_SIMULATE=off $command" ;;
	esac
	ran=$command status=0
	bash -c "$short" >out 2>err </dev/null || status=$?
	# shellcheck disable=SC2053 # a pattern
	[[ $status == $wanted ]] || fail "expected exit status $wanted of: $short"
done <commands
expect_file points.csv
expect_file run.html
expect_file roofline.html
expect_file tree.svg

# --- what they print, and the picture ---

# README shows excerpts of two commands.
unset TPROF_MACHINE TPROF_SIMULATE
export COLUMNS=100
run --batch quick --machine zen4 --simulate --report=always --dot spmv:0.17,3.2 --svg roofline.svg
expect_exit 0
cp err shown
run --show example/app
cat out >>shown
sed -n '/^## First steps/,/^Outputs\|^(Excerpts/p' "$readme" | grep '^    ' | grep -v '^    tprof ' | sed 's/^    //' >excerpts
[ "$(wc -l <excerpts)" -ge 5 ] || fail "expected excerpts: $(cat excerpts)"
while IFS= read -r line; do
	grep -qxF -e "$line" shown || fail "README shows a line that is not printed: $line"
done <excerpts
undated() { # undated FILE: the picture without the time of the run
	sed -E 's/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{5} UTC//' "$1"
}
cmp -s <(undated roofline.svg) <(undated "$TPROF_SRCDIR/doc/roofline.svg") ||
	fail 'doc/roofline.svg is not what tprof --batch quick --machine zen4 --simulate --dot spmv:0.17,3.2 --svg draws'

# The lines for pandas.
if python3 -c 'import pandas' 2>/dev/null; then
	sed -n 's/^    \(import pandas\|points = pandas.*\)/\1/p' "$readme" >lines.py
	echo 'assert points.median_gbps.max() > 0' >>lines.py
	"$TPROF" --batch quick --machine zen4 --simulate --csv >points.csv 2>err
	python3 lines.py 2>err || fail 'the lines for pandas fail'
fi
