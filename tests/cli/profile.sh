# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Alone: it looks for phases of real programs.
#
# A program over time: its streams and its exit status stay its own; what it does is found in files, phases and words.
. "$TPROF_CLI/lib.sh"

# Streams and status are those of the program.
echo "a line" >input
status=0
ran="tprof --profile with a program that reads"
# shellcheck disable=SC2016
"$TPROF" --profile --run-dir "$TMP/streams" -- sh -c 'sleep 0.1; read -r x; echo "read $x"; echo words >&2; exit 7' \
	<input >"$TMP/out" 2>"$TMP/err" || status=$?
expect_exit 7
expect_out_line 'read a line'
expect_err_line 'words'
expect_err 'It ended with status 7.'
[ -s streams/profile.csv ] || fail "profile.csv is missing"

# Half a second of sleep, then bytes: two phases at least, and the edge is where the bytes begin.
run --profile --run-dir "$TMP/phases" --interval 10ms -- \
	sh -c 'sleep 0.6; exec head -c 3000000000 /dev/zero >/dev/null'
expect_exit 0
if have python3; then
	python3 - "$TMP/phases" <<'END' || fail "the samples or the phases are not what they must be"
import csv, json, sys

folder = sys.argv[1]
rows = list(csv.DictReader(open(folder + "/profile.csv")))
run = json.load(open(folder + "/run.json"))
assert len(rows) > 30, len(rows)
at = 0.0
for i, row in enumerate(rows):
    assert int(row["number"]) == i
    assert abs(float(row["at_s"]) - at - float(row["seconds"])) < 1e-6, row
    at = float(row["at_s"])
total = sum(float(r["written_bytes_per_s"]) * float(r["seconds"]) for r in rows if r["written_bytes_per_s"])
# What was written behind the last sample is missing.
assert 0.5 * 3e9 < total <= 3.01e9, total
meters = {m["name"]: m for m in run["meters"]}
assert meters["cpus"]["there"] and meters["resident_bytes"]["mean"] > 0
for m in run["meters"]:
    assert m["there"] or m["why"], m
phases = run["phases"]
assert len(phases) >= 2, phases
assert phases[0]["start_s"] < 0.01 and phases[0]["mean_cpus"] < 0.2, phases[0]
begins = [p["start_s"] for p in phases if p["mean_written_bytes_per_s"] > 1e7]
first = next(float(r["at_s"]) for r in rows if float(r["written_bytes_per_s"] or 0) > 1e7)
assert begins and abs(begins[0] - first) < 0.1, (begins, first)
assert abs(sum(p["share"] for p in phases) - 1) < 1e-6
END
fi

# What was stored is shown again, with pictures.
run --show "$TMP/phases" --svg "$TMP/profile.svg"
expect_exit 0
run --show "$TMP/phases"
expect_exit 0
expect_out 'Phases'
grep -q '<svg' profile.svg || fail "no pictures"

# What cannot be is said.
run --profile
expect_exit 2
expect_err 'no program to run'
run --profile -- ./nothing
expect_exit 2
expect_err 'there is no program "./nothing"'
run --profile --interval 1us -- true
expect_exit 2
expect_err 'out of range'
run --interval 10ms --batch quick
expect_exit 2
expect_err '--interval belongs to --profile'
run --profile --interval 10s --run-dir "$TMP/short" -- true
expect_err 'it ended before the first sample'
run --profile --set 'profile.events=[no_such_pmu/event/]' --run-dir "$TMP/events" --report always -- sleep 0.2
expect_exit 0
expect_err 'the kernel has no such PMU here'
# A killed program is told as shells do.
# shellcheck disable=SC2016
run --profile -q --run-dir "$TMP/killed" -- sh -c 'sleep 0.1; kill -9 $$'
expect_exit 137
