# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# A real knob of this machine, set for moments and put back even after kill -9. Of the modes that influence measurements,
# madvise and always differ least.
# Alone: it changes the pages of every process, and only one tprof at a time may hold the knobs.
thp=/sys/kernel/mm/transparent_hugepage/enabled
mode() {
	sed -n 's/.*\[\(.*\)\].*/\1/p' "$thp" 2>/dev/null
}
before=$(mode)
case $before in
madvise) other=always ;;
always) other=madvise ;;
*) skip_all "transparent huge pages are ${before:-not in this kernel}" ;;
esac
if [ ! -w "$thp" ] || ! (echo "$before" >"$thp") 2>/dev/null; then
	skip_all 'transparent huge pages may not be set here'
fi
trap 'kill "$program" 2>/dev/null; echo "$before" >"$thp"' EXIT
program=

is() {
	[ "$(mode)" = "$1" ]
}
long_preset long.yaml
for signal in INT KILL; do
	start --batch long.yaml --run-dir "$signal" --set "knobs.thp=$other"
	await begun "$signal/journal.ndjson" 1
	if grep -q 'another tprof' err; then
		kill -INT "$program"
		finish
		skip_all 'another tprof holds the knobs of this machine'
	fi
	is "$other" || fail "expected the mode $other"
	kill -s "$signal" "$program"
	finish
	await is "$before"
done
