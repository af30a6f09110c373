# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
#
# Roofs that an earlier run of this machine measured are taken from there, if it is like this one in everything that counts;
# roofs that the program does not need are not measured.
. "$TPROF_CLI/lib.sh"

[ "$(uname -m)" = x86_64 ] || skip_all "the agent counts x86-64 alone"

store=$HOME/.local/share/tprof/runs
export XDG_DATA_HOME=$HOME/.local/share

# app NAME OPTION...: one quick run into the store.
app() {
	local name=$1
	shift
	run --app --run-dir "$store/$name" --set level=L1 --set app.threads=1 --set stop.max_time=5ms --set stop.max_samples=8 \
		--set stop.min_count=3 --set window=20us --set measure_again=false --set pages=default --set app.runs=1 \
		--set app.max_time=1ms "$@" -- sh -c :
	expect_exit 0
}

# plant NAME EXPRESSION...: the first run under a later name, with other words in its run.json.
plant() {
	local name=$1
	shift
	rm -rf "${store:?}"/*
	cp -R "$TMP/first" "$store/$name"
	[ $# -eq 0 ] || sed -i "$@" "$store/$name/run.json"
	[ $# -eq 0 ] || ! cmp -s "$TMP/first/run.json" "$store/$name/run.json" || fail "nothing is planted"
}

mkdir -p "$store"
app 2026-01-01-000000-first
expect_not_err "Roofs of run"
cp -R "$store/2026-01-01-000000-first" "$TMP/first"
sed -i 's/"quality": *"[a-z]*"/"quality": "good"/' "$TMP/first/run.json"

# The same values, without measuring; and they are not taken from a run that has itself taken them.
plant 2026-01-01-000000-first
app 2026-01-02-000000-second
expect_err "Roofs of run 2026-01-01-000000-first, measured $(date -u +%Y)-"
expect_err "app.roofs=measure"
run --show "$TMP/first" --csv
was=$(cells median_gbps)
run --show 2026-01-02-000000-second --csv
[[ $was =~ [0-9] ]] || fail "the first run has no bandwidth"
[ "$(cells median_gbps)" = "$was" ] || fail "the roofs are not those of the first run"
app 2026-01-03-000000-third
expect_err "Roofs of run 2026-01-01-000000-first"

# New ones on request; a named run gives them at any age.
app 2026-01-04-000000-new --set app.roofs=measure
expect_not_err "Roofs of run"
plant old 's/"started": "[0-9]*/"started": "2020/'
app 2026-01-05-000000-named --set app.roofs=old
expect_err "Roofs of run old, measured 2020-"
run --app --set app.roofs=nowhere -- sh -c :
expect_exit 2
expect_err "app.roofs"

# measures WHY EXPRESSION: the planted run is not taken.
measures() {
	plant 2026-01-01-000000-first "$2"
	app 2026-01-02-000000-second
	expect_not_err "Roofs of run"
}
measures "it is old" 's/"started": "[0-9]*/"started": "2020/'
measures "another machine" 's/"packages": [0-9]*/"packages": 77/'

# Poor roofs are good enough for the first dot; they are measured again after the program.
# expect_after KERNELS: they are measured after the program, and nothing before it. What is taken has no time.
expect_after() {
	grep '"ev":"point_begin"' out | grep -v '"t":0.0,' | sed 's/.*"kernel":"\([^"]*\)".*/\1/' >begun
	[ "$(paste -sd ' ' begun)" = "sh${1:+ $1}" ] || fail "measured: $(paste -sd ' ' begun)"
}
poor='/"kernel": *"load"/,/"quality"/ s/"quality": "good"/"quality": "poor"/'
plant 2026-01-01-000000-first "$poor"
app 2026-01-02-000000-second --events --report=always
expect_after load
expect_err "1 of 2 roofs come from run 2026-01-01-000000-first"
# Where all of them are, nothing is left of the other run, and the new one can give its own.
plant 2026-01-01-000000-first 's/"quality": "good"/"quality": "poor"/'
app 2026-01-02-000000-second --events --report=always
expect_after "fma load"
expect_not_err "Roofs of run"
expect_not_err "roofs come from"
# So short a measurement may be poor next to other tests.
sed -i 's/"quality": *"[a-z]*"/"quality": "good"/' "$store/2026-01-02-000000-second/run.json"
app 2026-01-03-000000-third
expect_err "2026-01-02-000000-second"
# A run with better ones is taken before a newer one.
plant 2026-01-01-000000-first "$poor"
cp -R "$TMP/first" "$store/2025-12-31-000000-good"
app 2026-01-02-000000-second
expect_err "Roofs of run 2025-12-31-000000-good"
# Of a run that is named they are taken as they are, and what it lacks is measured.
plant old "$poor"
app 2026-01-02-000000-second --events --set app.roofs=old
expect_after ""
app 2026-01-03-000000-third --set app.roofs=old --set level=L1,L2 --report=always
expect_err "2 of 3 roofs come from run old"

# states DIRECTORY: of each point its threads, precision, kernel and state.
states() {
	run --show "$1" --json
	sed -n 's/.*"experiment".*"kernel": "\([^"]*\)".*"precision": "\([^"]*\)", "threads": \([0-9]*\).*"state": "\([^"]*\)".*/\3 \2 \1 \4/p' out
}

# A program of one thread in double precision, or without FLOPs: other roofs are left out, which is not a failure.
rm -rf "${store:?}"/*
all=$(cpus_allowed)
quick=(--set level=L1 --set stop.max_time=5ms --set stop.max_samples=8 --set stop.min_count=3 --set window=20us
	--set measure_again=false --set pages=default --set app.runs=1 --set app.max_time=1ms --report=always)
run --app --run-dir one "${quick[@]}" -- true
expect_exit 0
states one >points
grep -qx '1 single fma unneeded' points || fail "a peak of a precision that is not used: $(cat points)"
grep -qx '1 double fma done' points || fail "the peak is missing: $(cat points)"
[ "$all" -eq 1 ] || {
	[ "$(grep -c "^$all .* unneeded" points)" = 3 ] || fail "roofs of $all threads: $(cat points)"
	run --show one
	expect_out "Roofs of $all threads were not needed; app.roofs=all measures them, too."
}
run --show one --json
expect_out '"points_done": 3,'
grep -q '"points_planned": 3,' out || fail "points that are not needed are planned"
run --resume one --allow-code
expect_exit 0
expect_err "3 of 3 points are measured, 0 are left"
states one | cmp - points || fail "going on has changed the run"
run --app --run-dir whole "${quick[@]}" --set app.roofs=all -- true
expect_exit 0
expect_not_err "not needed"
states whole >points
! grep unneeded points || fail "app.roofs=all leaves roofs out"

# What is left out does not count in the time that is left.
if [ "$all" -gt 1 ]; then
	run --app --events "${quick[@]}" --set stop.max_time=600ms --set stop.max_samples=1000000 --set stop.min_count=100000 \
		--set app.roofs=measure -- sh -c :
	expect_exit 0
	grep '"ev":"progress"' out | tail -n 1 >progress
	grep -q '"points":5,' progress || fail "not a program and 4 roofs are counted: $(cat progress)"
fi

# The program has all CPUs, also where a roof was measured before it.
run --app "${quick[@]}" --set app.roofs=measure -- sh -c nproc
[ "$(cat out)" = "$all" ] || fail "the program has $(cat out) of $all CPUs"
