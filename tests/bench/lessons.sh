#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What the lessons take and show on this machine. Runs each in batch, as a teacher would before a class, and prints its seconds, how many
# points were good, fair and poor, and which explanations held (3/4: the third of four; -: none).
#
# usage: tests/bench/lessons.sh TPROF [LESSON...]	(default: all of --list lessons)
#        SIMULATE=REGIME MACHINE=MODEL tests/bench/lessons.sh ...: the same on a simulated machine
# REPORTS=FOLDER keeps each lesson as text, page and data. A lesson that takes more than five minutes, all of them together more than an
# hour, and an explanation without content are listed after the table. No verdict.
set -u
export LC_ALL=C.UTF-8

tprof=$(realpath "${1:?usage: $0 TPROF [LESSON...]}") || exit 2
shift
lessons=("$@")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
reports=${REPORTS:-$scratch/reports}
mkdir -p "$reports" && reports=$(realpath "$reports") || exit 2
cd "$scratch" || exit 2
export XDG_DATA_HOME=$scratch/data XDG_CONFIG_HOME=$scratch/config
[ ${#lessons[@]} -gt 0 ] || mapfile -t lessons < <("$tprof" --list lessons --names)
options=()
[ -z "${SIMULATE-}" ] || options+=("--simulate=$SIMULATE")
[ -z "${MACHINE-}" ] || options+=(--machine "$MACHINE")

printf '%-34s %8s %6s %6s %6s %6s  %-6s %s\n' lesson seconds points good fair poor trust explanations
total=0
for name in "${lessons[@]}"; do
	lesson=$name
	[ -f "$name" ] || lesson=lessons/${name#lessons/}
	stem=$(basename "$name" .yaml)
	from=$(date +%s%N)
	timeout 900 "$tprof" --batch "$lesson" "${options[@]}" --report=always --html "$reports/$stem.html" --json -o "$reports/$stem.json" \
		2>"$reports/$stem.txt" </dev/null
	code=$?
	milliseconds=$((($(date +%s%N) - from) / 1000000))
	total=$((total + milliseconds))
	if [ ! -s "$reports/$stem.json" ]; then
		printf '%-34s ended with %d: %s\n' "$stem" "$code" "$(grep -m 1 '^tprof: ' "$reports/$stem.txt")"
		continue
	fi
	python3 - "$stem" "$milliseconds" "$code" "$reports/$stem.json" <<-'END'
		import json, sys
		stem, ms, code, path = sys.argv[1:]
		lesson = json.load(open(path))
		count = lambda key: sum(step.get(key, 0) for step in lesson["steps"])
		shown = " ".join(f"{s['shown'] or '-'}/{s['variants']}" for s in lesson["steps"] if s["kind"] == "explain")
		print(f"{stem:34} {int(ms) / 1000:8.1f} {lesson['points']:6} {count('good'):6} {count('fair'):6} {count('poor'):6}  "
		      f"{lesson['trust']:6} {shown}" + (f"  (status {code})" if code != "0" else ""))
		silent = [s["step"] for s in lesson["steps"] if s["kind"] == "explain" and not s["shown"]]
		unknown = [s["name"] for s in lesson["steps"] if s.get("ask", "curve") != "curve" and s["truth"] is None]
		print(*(f"  step {n} explains nothing" for n in silent), sep="\n", end="\n" if silent else "")
		print(*(f"  no answer to {n}" for n in unknown), sep="\n", end="\n" if unknown else "")
		print("  takes more than five minutes\n" if int(ms) > 300000 else "", end="")
	END
done
printf 'all: %d s%s\n' $((total / 1000)) "$([ "$total" -le 3600000 ] || echo ', more than an hour')"
