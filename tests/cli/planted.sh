# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: files of tprof whose names are taken.
. "$TPROF_CLI/lib.sh"

# A link, a pipe or a directory may stand at any name that tprof gives a file. Nothing is written through it, nothing waits at it, and
# what cannot be replaced is named. The names are those that a run without them leaves.
mkdir lost
export TMPDIR=$PWD/lost # results go there rather than get lost

names() { # names FOLDER: of the files in it and below
	(cd "$1" && find . -mindepth 1 ! -type d -printf '%P\n' | sort)
}
plant() { # plant KIND PATH
	rm -rf "$2"
	case $1 in
	link) ln -s "$TMP/outside/secret" "$2" ;;
	dangling) ln -s "$TMP/outside/new" "$2" ;;
	chain) ln -s "$TMP/outside/link" "$2" ;;
	second) ln "$TMP/outside/secret" "$2" ;;
	pipe) mkfifo "$2" ;;
	folder) mkdir "$2" ;;
	esac
}
outside() {
	rm -rf outside
	mkdir outside
	echo secret >outside/secret
	ln -s secret outside/link
}
kept() { # kept: nothing outside has changed
	[ "$(cat outside/secret)" = secret ] || fail "expected nothing to be written outside: $(head -n 3 outside/secret)"
	[ "$(names outside | paste -sd ' ')" = 'link secret' ] || fail "expected no new file outside: $(names outside)"
}
# planted FOLDER COMMAND...: at the names of files that the command writes in FOLDER it replaces everything; except those in $read, which it reads. `prepare` makes the folder as it is before.
read='' kinds='link dangling chain second pipe'
planted() {
	local folder=$1 kind name files
	shift
	prepare "$folder"
	run "$@"
	expect_exit 0
	files=$(names "$folder" | grep -vxF -e "$read")
	[ -n "$files" ] || fail "expected files in $folder"
	for kind in $kinds; do
		outside
		prepare "$folder"
		while read -r name; do
			mkdir -p "$(dirname "$folder/$name")"
			plant "$kind" "$folder/$name"
		done <<<"$files"
		ran="tprof $* ($kind)"
		timeout 100 "$TPROF" "$@" >out 2>err </dev/null
		status=$?
		expect_exit 0
		kept
		while read -r name; do
			[ "$(stat -c '%F %h' "$folder/$name" | sed 's/^regular.*file/file/')" = 'file 1' ] ||
				fail "expected a file of its own in the place of a $kind: $name"
		done <<<"$files"
		names "$folder" | grep -vxF -e "$read" | diff <(echo "$files") - || fail 'expected no other files'
	done
	made=$files
}
# refused FOLDER COMMAND...: with a directory at one of the names in $made, the words name it, and what was measured is somewhere.
refused() {
	local folder=$1 name
	shift
	while read -r name; do
		prepare "$folder"
		plant folder "$folder/$name"
		run "$@"
		case $status in
		[1-4]) ;;
		*) fail "expected a complaint about $name" ;;
		esac
		grep -qE "$folder/$name.*is a directory|$folder/$name.*Is a directory" err || fail "expected words about $name"
		[ -d "$folder/$name" ] || fail "expected the directory $name to stay"
	done <<<"$made"
}

# --- directories of runs: one that goes on ---

small_preset sim.yaml <<'END'
simulate: quiet
machine: zen4
runs:
  - {experiment: memcurve, isa: scalar, sizes: [8KiB, 16KiB]}
  - {experiment: gather, precision: single, gather: {elements: [3], lists: lines, places: 64}}
  - {experiment: autotune, autotune: {n: [32], m: 32, k: 16, invocations: 2, iterations: 4}}
END
run --batch sim.yaml --run-dir sim
expect_exit 0
cat >programs.yaml <<'END'
runs:
  - {experiment: profile, profile: {command: sleep 0.1}}
  - {experiment: app, app: {command: "sh -c 'echo words >&2'", runs: 1, max_time: 1ms, roofs: none}}
END
run --batch programs.yaml --run-dir programs --allow-code
expect_exit 0
prepare() {
	rm -rf resumed
	cp -R "$stored" resumed
	sed -i 's/"state": "complete"/"state": "interrupted"/' resumed/run.json
}
read=$(printf 'preset.yaml\njournal.ndjson\nerrors.txt')
for stored in sim programs; do
	planted resumed --resume resumed --allow-code
	made=$(grep -vxF profile.csv <<<"$made")
	refused resumed --resume resumed --allow-code
	grep -qxF plots.svg <<<"$made" || fail 'expected plots'
	for kind in link dangling second pipe folder; do
		for name in preset.yaml journal.ndjson; do
			outside
			prepare
			plant $kind resumed/$name
			timeout 60 "$TPROF" --resume resumed --allow-code >out 2>err </dev/null
			status=$?
			expect_exit 2
			expect_err "resumed/$name:"
			kept
		done
	done
done
# Samples of a profile are in a separate file. If that is unreadable, the report lists them as missing.
for kind in pipe folder; do
	prepare
	plant $kind resumed/profile.csv
	COLUMNS=200 run --show resumed
	expect_exit 0
	expect_out "resumed/profile.csv: is a $(sed 's/folder/directory/; s/pipe/pipe (FIFO)/' <<<$kind): its rows are missing here"
done

# --- cluster runs ---

small_preset fast.yaml <<'END'
experiment: memcurve
isa: scalar
sizes: [8KiB, 16KiB]
END
run --cluster local:1 --batch fast.yaml --simulate --machine zen4 --run-dir nodes
expect_exit 0
stored=nodes
prepare() {
	rm -rf resumed
	cp -R nodes resumed
	sed -i 's/"state": "done"/"state": "failed"/' resumed/cluster.json
	sed -i 's/"state": "complete"/"state": "interrupted"/' resumed/nodes/node-1/run.json
}
read=$(printf '%s\n' cluster.json preset.yaml nodes/node-1/{preset.yaml,journal.ndjson,run.json})
planted resumed --resume ./resumed --allow-code
for name in merged/run.json nodes/node-1.end nodes/node-1.txt nodes/node-1/points.csv; do
	grep -qxF $name <<<"$made" || fail "expected $name; got: $made"
done

# --- what tprof keeps for the user: estimates, the progress of lessons, compiled code, the versions of compilers ---

rm -rf resumed
read=no-such-file
prepare() {
	rm -rf "$XDG_DATA_HOME/tprof" "$XDG_CACHE_HOME/tprof" again
}
planted "$XDG_DATA_HOME/tprof" --batch sim.yaml --run-dir again
[ "$made" = estimates ] || fail "expected estimates; got: $made"
if have cc; then
	kinds=${kinds/second/} # a file of another text is another source's
	planted "$XDG_CACHE_HOME/tprof/objects" --batch template-matmul --set template.source=matmul --set template.N=40 --set template.TILE=8 \
		--set template.UNROLL=1 --set template.ORDER=IJK --set template.mca=none --set stop.max_time=5ms --run-dir again --allow-code
	grep -q '/object.so$' <<<"$made" || fail "expected compiled code; got: $made"
fi
