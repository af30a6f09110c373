# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# shellcheck disable=SC2016 # backquotes of Markdown
. "$TPROF_CLI/lib.sh"

# The manual pages, and the program that makes sections of them from the tables of tprof.
build=${TPROF%/*}
for source in "$TPROF_SRCDIR"/man/*.[1-9].in "$TPROF_SRCDIR"/man/*.[1-9]; do
	page=${source##*/}
	page=$build/man/${page%.in}
	expect_file "$page"
	case $source in
	*.in) ! grep -n '^@' "$page" || fail "expected every section of $page to be made" ;;
	esac
	echo "$page"
done | sort -u >pages
[ "$(wc -l <pages)" -ge 15 ] || fail "expected all pages: $(cat pages)"
mapfile -t pages <pages
# The pages refer to each other before they are installed.
if have mandoc; then
	mandoc -T lint -W warning "${pages[@]}" >out 2>&1 || fail "mandoc finds errors: $(head -n 3 out)"
	[ "$(mandoc -T ascii "$build/man/tprof.1" | sed 's/.\x08//g' | wc -w)" -le 4500 ] || fail 'tprof(1) is longer than 4500 words'
fi
if have groff; then
	for page in "${pages[@]}"; do
		groff -mandoc -ww -Tutf8 -z "$page" >out 2>&1 || fail "groff fails at $page"
		[ ! -s out ] || fail "groff warns of $page: $(head -n 3 out)"
	done
fi

# README and tprof(1) name every page; each page names in SEE ALSO what its text refers to; every page and section that is named exists.
names() { # names FILE...: "NAME SECTION" of the pages of tprof that these refer to
	sed -nE 's/^\.(.* )?Xr (tprof[a-z-]*) ([1-9]).*/\2 \3/p' "$@" | sort -u
}
printf '%s\n' "${pages[@]##*/}" | sed -E 's/\.([1-9])$/ \1/' | sort >there
sed -nE 's/.*`(tprof[a-z-]*)\(([1-9])\)`.*/\1 \2/p' "$TPROF_SRCDIR/README.md" | sort -u >told
[ -z "$(comm -3 there told)" ] || fail "README names other pages than there are: $(comm -3 there told)"
for page in "${pages[@]}"; do
	name=${page##*/}
	own="${name%.*} ${name##*.}"
	sed '/^\.Sh SEE ALSO/,$d' "$page" >text
	sed -n '/^\.Sh SEE ALSO/,$p' "$page" >see
	[ -z "$(comm -13 there <(names "$page"))" ] || fail "$page refers to $(comm -13 there <(names "$page"))"
	missing=$(comm -13 <(names see) <(names text | grep -vxF "$own"))
	[ -z "$missing" ] || fail "SEE ALSO of $page lacks $missing"
	missing=$(comm -23 there <({ names see && echo 'tprof 1'; } | sort))
	[ "$name" != tprof.1 ] || [ -z "$missing" ] || fail "SEE ALSO of tprof(1) lacks $missing"
done
# A section is one of the page itself, or of a page that is named up to three lines before or after.
awk 'FNR == 1 { n = split(FILENAME, part, "/"); page = part[n]; near = "" }
	/^\.S[hs] / { is[page, substr($0, 5)] = 1 }
	/Xr tprof/ { split(substr($0, index($0, "Xr ") + 3), word, " "); near = word[1] "." word[2]; near_line = NR
		for (i = n_asked; i > 0 && NR - line[i] <= 3; i--) if (!(i in later)) later[i] = near }
	/^\..*Sx / { wanted = substr($0, index($0, "Sx ") + 3); sub(/ [.,;:]+$/, "", wanted); sub(/ in Xr .*/, "", wanted)
		asked[++n_asked] = wanted; from[n_asked] = page; line[n_asked] = NR
		if (near != "" && NR - near_line <= 3) earlier[n_asked] = near }
	END { for (i = 1; i <= n_asked; i++)
		if (!((from[i], asked[i]) in is) && !((earlier[i], asked[i]) in is) && !((later[i], asked[i]) in is))
			print from[i] ": no section " asked[i] }' "${pages[@]}" >lost
[ ! -s lost ] || fail "sections that are named, and not there: $(cat lost)"

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
# Every screen and every action with a key is on tprof-screens(7), and a page that lacks one is refused.
for kind in screens:Em keys:Cm; do
	make_page "@${kind%:*} *"
	expect_exit 0
	grep "^\.It ${kind#*:} " out | sort >all
	[ -s all ] || fail "no $kind"
	[ -z "$(comm -23 all <(sort "$build/man/tprof-screens.7"))" ] || fail "tprof-screens(7) lacks $kind"
done
make_page '@keys Esc'
expect_exit 1
[ "$(grep -c ': keys: ' err)" = "$(($(wc -l <all) - 1))" ] || fail 'a page without keys was made'

# What is written without a table and described by hand: in tprof-results(5) two files, the families of run.json, and the facts; in
# tprof-compare(1) the columns of a comparison.
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
for page in ["/tprof-results.5", "/tprof-compare.1"]:
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
same(own | {"run", "flags", "quality"}, "DATA")
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
