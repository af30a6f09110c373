# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: a program over time.
# Alone: it looks for phases of real programs.
#
# A program over time: its streams and its exit status stay its own; what it does is found in files, phases and words.
. "$TPROF_CLI/lib.sh"

# expect_words TEXT: stderr has it, wherever its lines break.
expect_words() {
	tr -s ' \n' ' ' <"$TMP/err" | grep -qF -- "$1" || expect_err "$1"
}

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
expect_words 'The program ended with status 7.'
[ -s streams/profile.csv ] || fail "profile.csv is missing"

# Two seconds of sleep, then bytes: two phases at least, and the edge is where the bytes begin.
run --profile --run-dir "$TMP/phases" --interval 10ms -- \
	sh -c 'sleep 2; exec head -c 3000000000 /dev/zero >/dev/null'
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
# Output after the last sample is missing.
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

# Regions that the program names, and a function that is one: their order and nesting.
if have gcc && [ "$(uname -m)" = x86_64 ] && have python3; then
	cat >marked.c <<'END'
#include <tprof_roi.h>
#include <time.h>

__attribute__((noinline)) void rest(long ms)
{
	struct timespec t = { 0, ms * 1000000 };
	nanosleep(&t, 0);
}

int main(void)
{
	tprof_roi_begin("outer");
	for (int i = 0; i < 5; i++) {
		tprof_roi_begin("first");
		rest(40);
		tprof_roi_end("first");
		tprof_roi_begin("second");
		rest(20);
		tprof_roi_end("second");
	}
	tprof_roi_end("outer");
	tprof_roi_begin("tiny");
	tprof_roi_end("tiny");
	for (int i = 0; i < 40000; i++) {
		tprof_roi_begin("often");
		tprof_roi_end("often");
	}
	return 0;
}
END
	gcc -O1 -I"$TPROF_SRCDIR/include" -o marked marked.c || fail "gcc cannot compile"
	run --profile --run-dir "$TMP/regions" --region function=rest --report always -- ./marked
	expect_exit 0
	if grep -q 'regions are not timed' err; then
		echo "no agent: regions are not looked at"
	else
		expect_err 'Regions over time'
		expect_err 'only the first 65,536'
		expect_words '14508 entries and exits came after'
		python3 - "$TMP/regions" <<'END' || fail "the regions are not what they must be"
import json, sys

rows = json.load(open(sys.argv[1] + "/run.json"))["profile_regions"]
end = lambda r: r["start_s"] + r["seconds"]
assert len(rows) <= 2048, len(rows)
assert rows[0]["region"] == "outer", rows[0]
inner = [r for r in rows if r["region"] in ("first", "second")]
assert [r["region"] for r in inner] == ["first", "second"] * 5, inner
for a, b in zip(inner, inner[1:]):
    assert end(a) <= b["start_s"] + 1e-6, (a, b)
# Neighbours become one, as there are many others.
rest = [r for r in rows if r["region"] == "rest"]
assert sum(r["times"] for r in rest) == 10 and sum(r["seconds"] for r in rest) >= 0.29, rest
for r in inner:
    assert rows[0]["start_s"] <= r["start_s"] and end(r) <= end(rows[0]) + 1e-6, r
    assert r["seconds"] >= (0.039 if r["region"] == "first" else 0.019), r
assert sum(r["times"] for r in rows) == 32768, sum(r["times"] for r in rows)
END
		run --show "$TMP/regions" --svg "$TMP/regions.svg"
		expect_exit 0
		grep -q 'second' regions.svg || fail "the picture has no region"
	fi
fi

# Impossible meters are reported.
run --profile
expect_exit 2
expect_err 'no program to run'
run --profile -- ./nothing
expect_exit 2
expect_err 'there is no program "./nothing"'
run --profile --interval 1us -- true
expect_exit 2
expect_err 'out of range'
# Only requested meters are read, and others have no number. Events of PAPI that cannot be read have their reasons.
run --profile --run-dir "$TMP/papi" --set 'profile.papi=[no_such:::X, sde:::own::X]' --set 'profile.meters=[papi, resident_bytes, waits]' \
	--report always -- sleep 0.2
expect_exit 0
if grep -q 'without PAPI' err; then
	skip 'events of PAPI: this tprof was built without it'
else
	expect_words 'No no_such:::X: this PAPI was built without a component no_such'
	expect_words 'No sde:::own::X: software-defined events belong to the process that reads them'
fi
expect_err 'resident_bytes'
expect_words 'its CPU time was not asked for'
for word in nan 'No power' minor_faults; do
	if grep -q "$word" err; then fail "the report has $word"; fi
done
# One that works: whoever built PAPI decides whether there is a component for the network.
if have papi_native_avail && have python3 && timeout 120 papi_native_avail 2>/dev/null | grep -q 'net:::lo:rx:bytes'; then
	run --profile --run-dir "$TMP/net" --set 'profile.papi=[net:::lo:rx:bytes]' --report always -- sleep 0.2
	expect_exit 0
	python3 - "$TMP/net" <<'END' || fail "the event of PAPI is not a meter"
import csv, json, sys

meters = {m["name"]: m for m in json.load(open(sys.argv[1] + "/run.json"))["meters"]}
assert meters["papi_1"]["there"] and meters["papi_1"]["unit"] == "1/s", meters["papi_1"]
assert all(float(row["papi_1"]) >= 0 for row in csv.DictReader(open(sys.argv[1] + "/profile.csv")))
END
else
	skip 'an event of PAPI that can be read: its component net is not there'
fi
run --profile --set 'profile.papi=[a,b,c,d,e,f,g]' -- true
expect_exit 2
expect_err 'there are more than 6 events'
run --profile --set profile.meters=cpu -- true
expect_exit 2
expect_err 'there is no meter "cpu"'
run --profile --region rest -- true
expect_exit 2
expect_err '"rest" is not a region'
run --interval 10ms --batch quick
expect_exit 2
expect_err '--interval belongs to --profile'
run --profile --interval 10s --run-dir "$TMP/short" -- true
expect_err 'it ended before the first sample'
run --profile --set 'profile.events=[no_such_pmu/event/]' --run-dir "$TMP/events" --report always -- sleep 0.2
expect_exit 0
expect_words 'the kernel has no such PMU here'
# A killed program is reported as in shells.
# shellcheck disable=SC2016
run --profile -q --run-dir "$TMP/killed" -- sh -c 'sleep 0.1; kill -9 $$'
expect_exit 137
