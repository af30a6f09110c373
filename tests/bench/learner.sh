#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Goes through every lesson on the screens as a learner does: with nonsense, wrong answers, right ones and drawn curves, and with
# every measurement. Prints how long each lesson measured, its pages, answers and trust, and says which lesson could not be finished.
#
# usage: tests/bench/learner.sh [BUILD-FOLDER] [COLUMNSxROWS] [LESSON...]	(default: build, 80x24, all that are listed)
# TPROF_ARGUMENTS: given to tprof, such as --machine zen4 --simulate quiet
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=${here%/*/*}
build=$(cd "${1:-$top/build}" && pwd) || exit 2
pane_size=${2:-80x24}
work=$(mktemp -d)
export TPROF=$build/tprof TPROF_SRCDIR=$top TPROF_CLI=$top/tests/tui TMP=$work
export HOME=$work XDG_DATA_HOME=$work/data XDG_CONFIG_HOME=$work/config XDG_STATE_HOME=$work/state
progress=$XDG_DATA_HOME/tprof/lessons/progress.json
read -ra arguments <<<"${TPROF_ARGUMENTS-}"
# shellcheck source=tests/tui/lib.sh
. "$TPROF_CLI/lib.sh"
trap 'close_server; rm -rf "$work"' EXIT
mapfile -t lessons < <("$TPROF" --list lessons --names | sed 's,.*/,,')
wanted=("${@:3}")

# last LESSON FIELD: of the last answer in the learner's file ("" if none).
last() {
	python3 - "$progress" "$1" "$2" <<-'END'
		import json, sys
		try:
		    for lesson in json.load(open(sys.argv[1]))["lessons"]:
		        if lesson["lesson"] == sys.argv[2]:
		            value = lesson[sys.argv[3]] if sys.argv[3] in lesson else (lesson["answers"] or [{}])[-1].get(sys.argv[3])
		            print(len(value) if isinstance(value, list) else "" if value is None else value)
		except OSError:
		    pass
	END
}

page() {
	seen | sed -n 's/.* page \([0-9]*\) of \([0-9]*\)$/\1 \2/p' | head -n 1
}

# changed BEFORE: the pane is no longer as it was.
changed() {
	[ "$(seen)" != "$1" ]
}

# tell KEY...: presses keys and waits until the pane has changed.
tell() {
	local before
	before=$(seen)
	press "$@"
	until_true changed "$before"
}

# number LESSON: nonsense, then a wrong number, then the truth as the learner's file has it.
number() {
	local truth
	tell x
	tell 1
	tell Enter
	sees 'Your answer:' || return 0
	truth=$(last "$1" truth)
	# A number that was refused still stands in the field.
	press BSpace
	if [ -z "$truth" ]; then
		tell Right
		return
	fi
	text "$truth"
	tell Enter
}

choose() {
	local key
	tell 9
	for key in 1 2 3 4 5 6; do
		sees 'by its number' || return 0
		press $key
		sleep 0.3
	done
}

not_measuring() {
	! sees 'stops the measurement'
}

# go_through LESSON: answers and measures until the last page. Sets $measured (seconds) and $pages.
go_through() {
	local at n steps=0 begun
	measured=0
	while read -r at n < <(page) && [ "$steps" -lt 200 ]; do
		steps=$((steps + 1)) pages=$n
		if sees 'Your answer:'; then
			number "$1"
		elif sees 'by its number'; then
			choose
		elif sees 'arrows draw'; then
			press Up Up Right Right Down
			tell End
			press Down
			tell Enter
		elif sees 'Enter measure'; then
			begun=$SECONDS
			tell Enter
			patience_seconds=320 until_true not_measuring || return 1
			measured=$((measured + SECONDS - begun))
			sees 'Enter measure' && return 1
		elif [ "$at" = "$n" ]; then
			return 0
		else
			tell Right || return 1
		fi
	done
	return 1
}

failed=0 total=0
printf '%-36s %5s %8s %8s  %s\n' lesson pages seconds answers trust
for i in "${!lessons[@]}"; do
	name=${lessons[i]}
	[ ${#wanted[@]} -eq 0 ] || [[ " ${wanted[*]} " == *" $name "* ]] || continue
	open "$pane_size" LC_ALL=C.UTF-8 -- "${arguments[@]}"
	wait_for 'Setup'
	press L
	wait_for 'Each lesson asks'
	press Home
	for ((down = 0; down < i; down++)); do press Down; done
	press Enter
	wait_for_line 'page [0-9]+ of [0-9]+$'
	if go_through "$name"; then
		printf '%-36s %5s %8s %8s  %s\n' "$name" "$pages" "$measured" "$(last "$name" answers)" "$(last "$name" trust)"
	else
		failed=$((failed + 1))
		printf '%-36s could not be finished; the page:\n' "$name"
		seen | sed 's/^/    /'
	fi
	total=$((total + measured))
	press q
	press q
done
echo "in all $total s of measurements; $failed lessons could not be finished"
[ "$failed" -eq 0 ]
