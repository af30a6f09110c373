# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# The manual pages, and the program that makes sections of them from the tables of tprof.
build=${TPROF%/*}
for page in tprof.1 tprof-preset.5 tprof-results.5 tprof-machine.5; do
	expect_file "$build/man/$page"
	! grep -n '^@' "$build/man/$page" || fail "expected every section of $page to be made"
done
if have mandoc; then
	# The pages refer to each other before they are installed.
	mandoc -T lint -W warning "$build"/man/*.[1-9] "$TPROF_SRCDIR"/man/*.[1-9] >out 2>&1 || fail 'mandoc finds errors'
fi

make_page() { # make_page TEXT: makes a page of it
	ran="pages $1"
	status=0
	printf '%s\n' "$1" >page.in
	"$build/man/pages" page.in >out 2>err || status=$?
}
make_page '@options *'
expect_exit 0
expect_out_line '.It Cm stop.error'
make_page '.It Cm stop.error'
expect_exit 0
expect_no_err
make_page '@options experiment'
expect_exit 1
expect_err 'page.in:1: options: stop.error'
make_page '@options * experiment'
expect_exit 1
expect_err 'it has a place already: experiment'
make_page '@options * nosuch'
expect_exit 1
make_page '@nosuch *'
expect_exit 1
expect_err 'no such registry: nosuch'
# Every screen and every action with a key is on tprof(1), and a page that lacks one is refused.
for kind in screens:Em keys:Cm; do
	make_page "@${kind%:*} *"
	expect_exit 0
	grep "^\.It ${kind#*:} " out | sort >all
	[ -s all ] || fail "no $kind"
	[ -z "$(comm -23 all <(sed -n '/^\.Sh SCREENS/,/^\.Ss First/p' "$build/man/tprof.1" | sort))" ] || fail "tprof(1) lacks $kind"
done
make_page '@keys Esc'
expect_exit 1
[ "$(grep -c ': keys: ' err)" = "$(($(wc -l <all) - 1))" ] || fail 'a page without keys was made'

# What is written without a table and described by hand: in tprof-results(5) two files, the families of run.json, and the facts; in
# tprof(1) the columns of a comparison.
have python3 || exit 0
run --compare "$TPROF_CLI/old-runs/kernels" "$TPROF_CLI/old-runs/kernels" --csv -o compared.csv
run --classify "$TPROF_CLI/old-runs/counters/readings.csv" --json -o classes.json
run --classify "$TPROF_CLI/old-runs/counters/readings.csv" --csv -o classes.csv
small_preset tiny.yaml <<'END'
name: tiny
notes: none
experiment: latency
sizes: 8KiB
END
run --batch tiny.yaml --run-dir tiny
expect_exit 0
run --resume tiny
expect_exit 0
python3 - "$build/man" "$TPROF" "$TPROF_CLI/old-runs/counters/readings.csv" <<'END' 2>why || fail "$(tail -n 3 why)"
import json, sys
pages, program, readings = sys.argv[1:]
items, section = {}, ""
for page in ["/tprof-results.5", "/tprof.1"]:
    for line in open(pages + page):
        word, _, rest = line.strip().partition(" ")
        if word == ".Sh" or word == ".Ss":
            section = rest
        elif word == ".It" and rest.startswith("Va "):
            items.setdefault(section, []).extend(rest[3:].replace(",", " ").split())

def same(written, part):
    assert sorted(written) == sorted(items[part]), (part, set(written) ^ set(items[part]))

def told(written, part):
    assert set(written) <= set(items[part]), (part, set(written) - set(items[part]))
    for item in items[part]:  # not every machine has every fact
        assert item.encode() in binary, (part, item, "is not written")

same(open(readings).readline().strip().split(","), "READINGS.CSV")
same(open("classes.csv").readline().strip().split(","), "CLASSES.CSV")
# A comparison has columns of points.csv; run, flags and quality mean something else there.
own = set(open("compared.csv").readline().strip().split(",")) - set(items["POINTS.CSV"])
same(own | {"run", "flags", "quality"}, "Data")
families = json.load(open("classes.json"))["families"].values()
same({key for f in families for key in f}, "families")
for part in ["limits", "rows", "dropped", "events", "metrics"]:
    of_part = [o for f in families for o in ([f[part]] if part == "limits" else f[part])]
    assert of_part, part
    same({key for o in of_part for key in o}, "families." + part)

binary = open(program, "rb").read()
run = json.load(open("tiny/run.json"))
top = set()
for key, value in run.items():
    top |= {key + "." + inner for inner in value} if key in ("tprof", "preset", "resumed") else {key}
told(top, "Top level")
told(set(run["machine"]) - {"cache"}, "machine")
told({key for cache in run["machine"]["cache"].values() for key in cache}, "machine.cache")
told({key for knob in run["knobs"].values() for key in knob}, "knobs")
END
