# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# The directory of a cluster run may be foreign. Without the user's consent nothing that it names starts, is reached or ends, and
# nothing is written through its links, by any launcher.
ulimit -c 0
# shellcheck disable=SC2016
printf '#!/bin/sh\necho "$0 $*" >>"%s/mark"\n' "$TMP" >evil.sh
chmod +x evil.sh
mkdir bin
for program in ssh sbatch salloc srun scancel; do
	cp evil.sh bin/$program
done
# Asking Slurm for the state of a job needs no word.
for program in squeue sacct scontrol sinfo; do
	printf '#!/bin/sh\n' >bin/$program
	chmod +x bin/$program
done
# shellcheck disable=SC2016
printf '#!/bin/sh\necho "$0 $*" >>"%s/mark"\necho 17\n' "$TMP" >bin/sbatch
export PATH=$PWD/bin:$PATH

small_preset fast.yaml <<'END'
experiment: memcurve
isa: scalar
ratio: 1:0
sizes: [8KiB, 12KiB]
END
sed 's/^stop:.*/stop: {max_time: 60min, max_samples: 1000000, min_count: 100000}/' fast.yaml >slow.yaml

theirs() { # theirs LAUNCHER PROGRAM WHERE TARGET STATE JOB: the stored run "theirs" of one node
	rm -rf theirs
	mkdir -p theirs/nodes
	cp fast.yaml theirs/preset.yaml
	cat >theirs/cluster.json <<-END
		{"format": "tprof-cluster", "version": 1, "launcher": "$1", "program": "$2", "where": "$3", "job": "17", "shared": true, "host": "",
		 "seconds": 1, "time_limit": "", "started": "2026-02-01T00:00:00Z", "nodes": [
		 {"node": "n1", "state": "$5", "target": "$4", "job": "$6", "points_done": 0, "points_planned": 2, "why": "", "changed": ""}]}
	END
}
refused() { # refused TEXT: the last command was refused, and said what it would have done
	expect_exit 2
	expect_err "$1"
	expect_err 'add --allow-code'
	unmarked
}
unmarked() {
	[ ! -e "$TMP/mark" ] || fail "expected nothing to run: $(cat "$TMP/mark")"
}
marked() { # marked REGEX
	grep -qE -e "$1" "$TMP/mark" || fail "expected to run: $1"
	rm "$TMP/mark"
}

# --- programs that start ---

theirs local "$TMP/evil.sh" 1 '' failed ''
run --resume ./theirs
refused "this starts $TMP/evil.sh by local on n1"
for verb in status collect cancel; do
	run --cluster $verb ./theirs
	unmarked
done
run --resume ./theirs --allow-code
marked '/evil.sh --batch .*/theirs/preset.yaml'

theirs ssh evil.sh hosts.txt me@far:2222 failed ''
run --resume ./theirs
refused 'this starts evil.sh by ssh on me@far:2222'
run --resume ./theirs --allow-code
marked '/ssh .*-l me -p 2222 -- far '

theirs slurm "$TMP/evil.sh" batch '' failed ''
run --resume ./theirs
refused "this starts $TMP/evil.sh by slurm on n1, partition batch, time limit by the estimate"
run --resume ./theirs --allow-code
marked '/sbatch .*--partition=batch .*/evil.sh'

# The code that the preset names is shown too. Nodes do not run what was not shown.
theirs local "$TMP/evil.sh" 1 '' failed ''
printf 'experiment: autotune\nroutine: dgemm\nblas: %s/evil.so\n' "$TMP" >theirs/preset.yaml
run --resume ./theirs
refused "starts $TMP/evil.sh by local on n1"
expect_err "the code of blas, and you did not type that: $TMP/evil.so"
run --resume ./theirs --allow-code
marked '--allow-code'
theirs local "$TMP/evil.sh" 1 '' failed ''
run --resume ./theirs --allow-code
! grep -q -e --allow-code "$TMP/mark" || fail 'expected a node not to run code that nobody was shown'
marked evil

# --- hosts that are reached ---

theirs ssh tprof hosts.txt me@far partial ''
mkdir theirs/nodes/n1
echo '{"ev":"plan","n_points":2}' >theirs/nodes/n1/journal.ndjson
touch theirs/nodes/n1.there
run --cluster status ./theirs
expect_exit 0
unmarked
run --cluster collect ./theirs
refused 'this fetches results by ssh from me@far'

# --- words that are options, or that a shell acts on: also with the user's word ---

for target in "-oProxyCommand=touch $TMP/mark" "-oProxyCommand=$TMP/evil.sh" "x;$TMP/evil.sh" "me@-oProxyCommand=$TMP/evil.sh"; do
	theirs ssh tprof hosts.txt "$target" failed ''
	run --resume ./theirs --allow-code
	expect_exit 1
	expect_err 'this is not a host'
	unmarked
done
for program in "tprof;$TMP/evil.sh" "\$($TMP/evil.sh)"; do
	theirs ssh "$program" hosts.txt far failed ''
	run --resume ./theirs --allow-code
	expect_exit 1
	expect_err 'a character that a shell may act on'
	unmarked
done
theirs slurm tprof --wrap=x '' failed ''
run --resume ./theirs --allow-code
expect_exit 2
expect_err 'has an invalid name of a partition'
unmarked
theirs slurm -c batch '' failed ''
run --resume ./theirs --allow-code
expect_exit 2
unmarked

# --- processes and jobs that end ---

sleep 300 &
innocent=$!
born=$(sed 's/.*) //' "/proc/$innocent/stat" | cut -d ' ' -f 20)
for launcher in local ssh; do
	for word in '' --allow-code; do
		theirs $launcher tprof 1 far running "$innocent@$born"
		# shellcheck disable=SC2086
		run --cluster cancel ./theirs $word
		expect_exit 0
		alive $innocent || fail "expected a process that is not of this run to be left alone by $launcher"
		unmarked
	done
done
kill $innocent
theirs slurm tprof batch '' running 17
run --cluster cancel ./theirs
refused 'this ends job 17 of slurm'
run --cluster cancel ./theirs --allow-code
marked '/scancel --name=tprof 17$'

# That of a run which is the user's ends with the word, and a copy of its directory does not name it.
start --cluster local:1 --batch slow.yaml --simulate --run-dir mine
await grep -q '"job": "[0-9]' mine/cluster.json
job=$(sed -n 's/.*"job": "\([0-9]*\)@.*/\1/p' mine/cluster.json)
kill -INT "$program"
finish
cp -R mine copy
run --cluster cancel ./copy --allow-code
alive "$job" || fail 'expected the copy not to end the process'
run --cluster cancel ./mine
refused "this ends the processes $job@"
alive "$job" || fail 'expected the process to go on without the word'
run --cluster cancel ./mine --allow-code
expect_exit 0
await gone "$job"

# --- links ---

secret() { # secret LINK...: links to a file outside
	echo secret >outside
	for link; do
		ln -sfn "$TMP/outside" "$link"
	done
}
kept() {
	[ "$(cat outside)" = secret ] || fail "expected nothing to be written through a link: $(cat outside)"
	rm -f mark
}
for hard in '' hard; do
	theirs local "$TMP/evil.sh" 1 '' failed ''
	secret theirs/nodes/n1.txt theirs/nodes/n1.end
	[ -z "$hard" ] || ln -f outside theirs/nodes/n1.txt
	run --resume ./theirs --allow-code
	kept
	[ ! -L theirs/nodes/n1.end ] || fail 'expected a file of its own'
	theirs ssh tprof hosts.txt far failed ''
	mkdir theirs/nodes/n1
	secret theirs/nodes/n1.txt theirs/nodes/n1.end theirs/nodes/n1.there theirs/nodes/n1.coming theirs/nodes/n1/journal.ndjson
	[ -z "$hard" ] || ln -f outside theirs/nodes/n1/journal.ndjson
	printf '#!/bin/sh\necho "{}"\necho words >&2\n' >bin/ssh
	run --resume ./theirs --allow-code
	kept
	theirs slurm tprof batch '' failed ''
	secret theirs/job.sh theirs/nodes/n1.txt theirs/nodes/n1.end theirs/nodes/n1.ending
	[ -z "$hard" ] || ln -f outside theirs/job.sh
	run --resume ./theirs --allow-code
	kept
	grep -q 'measure n1' theirs/job.sh || fail 'expected a script'
	[ ! -L theirs/job.sh ] || fail 'expected a script of its own'
	[ ! -L theirs/nodes/n1.ending ] || fail 'expected no link for the script to write through'
done
# The list of hosts and the state.
theirs slurm tprof batch '' failed ''
awk '/"node"/ { for (i = 1; i <= 1600; i++) { line = $0; sub(/"n1"/, sprintf("\"n%065d\"", i), line); sub(/\]}$/, "", line)
	print line (i < 1600 ? "," : "]}") } next } { print }' theirs/cluster.json >many.json
mv many.json theirs/cluster.json
secret theirs/hosts.txt
run --resume ./theirs --allow-code
marked '--nodefile=.*/theirs/hosts.txt'
kept
[ "$(wc -l <theirs/hosts.txt)" -eq 1600 ] || fail 'expected a line for each host'
theirs slurm tprof batch '' waiting 17
mv theirs/cluster.json outside.json
cp outside.json outside.before
ln -s ../outside.json theirs/cluster.json
run --cluster status ./theirs
cmp -s outside.json outside.before || fail 'expected the state not to be written through a link'
# Folders.
mkdir elsewhere
for launcher in local ssh slurm; do
	for link in nodes nodes/n1; do
		theirs $launcher "$TMP/evil.sh" batch far failed ''
		rm -rf "theirs/${link:?}"
		ln -s "$TMP/elsewhere" theirs/$link
		run --resume ./theirs --allow-code
		expect_err "$link is a link or a file"
		[ -z "$(ls elsewhere)" ] || fail "expected nothing in the folder that $link leads to"
		unmarked
	done
done
