# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
#
# Roofs that an earlier run of this machine measured are taken from there, if it is like this one in everything that counts.
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

# The same values, without measuring; and nobody takes them from the one that has taken them.
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

# Whoever wants new ones, says so; a run that is named gives them whatever its age.
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
measures "a poor roof" '/"kernel": *"load"/,/"quality"/ s/"quality": "good"/"quality": "poor"/'

# The program has all CPUs, also where a roof was measured before it.
run --app --set level=L1 --set stop.max_time=5ms --set measure_again=false --set pages=default --set app.runs=1 --set app.max_time=1ms \
	--set app.roofs=measure -- sh -c nproc
[ "$(cat out)" = "$(cpus_allowed)" ] || fail "the program has $(cat out) of $(cpus_allowed) CPUs"
