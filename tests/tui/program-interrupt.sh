# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Ctrl-C in a program that has the terminal: it gets the signal, tprof runs nothing more and reports what it has.
. "$TPROF_CLI/lib.sh"

[ "$(uname -m)" = x86_64 ] || skip_all "the agent counts x86-64 alone"

# They run for a while before they say so: --profile has nothing to report of a program that ends before the first sample.
cat >"$TMP/dies" <<'END'
#!/bin/sh
sleep 1
echo "it has begun"
exec sleep 1000
END
cat >"$TMP/hears" <<'END'
#!/bin/sh
trap 'echo "it heard that"; exit 3' INT
sleep 1
echo "it has begun"
i=0
while [ $i -lt 10000 ]; do sleep 0.1; i=$((i + 1)); done
END
chmod +x "$TMP/dies" "$TMP/hears"

# interrupted WAY PROGRAM [TEXT]: Ctrl-C while it has the terminal; the program prints TEXT then.
interrupted() {
	open 100x40 -- --run-dir "$TMP/run$1-$2" "$1" -- "$TMP/$2"
	wait_for 'it has begun'
	press C-c
	expect_end 130
	grep -q 'tprof --resume' err || fail "$1 $2: expected to hear how it goes on"
	expect_count 1 '"state": "interrupted"' "$TMP/run$1-$2/run.json"
	# The roofs were there before.
	if [ "$1" = --app ]; then
		[ -z "$(cells timed_runs "$TMP/run$1-$2/app_regions.csv" | tr -d ' ')" ] || fail "$1 $2: expected no run to be timed"
	else
		expect_count 1 '"state": "done"' "$TMP/run$1-$2/run.json"
	fi
	tm capture-pane -p -t t -S - >pane
	[ "$(grep -c 'it has begun' pane)" = 1 ] || fail "$1 $2: expected one run"
	[ $# -lt 3 ] || grep -q "$3" pane || fail "$1 $2: expected the program to get the signal"
}

for way in --profile --app; do
	interrupted "$way" dies
	interrupted "$way" hears 'it heard that'
done
