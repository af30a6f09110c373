# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Sanitizers: the screen of clusters.
#
# The screen Cluster: a stored cluster run whose nodes differ, one that is begun, watched, cancelled and resumed from here, and a scheduler
# that does not answer.
. "$TPROF_CLI/lib.sh"
ulimit -c 0

runs=$XDG_DATA_HOME/tprof/runs
small=(--set isa=scalar --set ratio=1:0 --set threads=1 --set 'sizes=[8KiB, 12KiB, 16KiB, 20KiB]')

# Nothing yet: what this is for, and how to begin.
open 80x24 LC_ALL=C.UTF-8
view Nodes
pane utf8-cluster-none
press q
expect_end 0

# --- stored ---

# One simulated node is all of them: a copy each, with speeds that differ a little, one that is slow, and some that did not end well.
run --cluster local:1 --batch "$TPROF_SRCDIR/presets/memcurve.yaml" "${small[@]}" --machine zen4 --simulate --run-dir one
expect_exit 0
stored=$runs/2026-01-05-120000-partition-cluster
mkdir -p "$stored/nodes"
cp one/preset.yaml "$stored"

node_folder() { # node_folder NAME SPEED
	cp -R one/nodes/node-1 "$stored/nodes/$1"
	awk -F, -v OFS=, -v speed="$2" 'NR == 1 { for (i = 1; i <= NF; i++) scaled[i] = $i ~ /_gbps$|^mean$/; print; next }
		{ for (i = 1; i <= NF; i++) if (scaled[i] && $i != "") $i = sprintf("%.6g", speed * $i); print }' \
		one/nodes/node-1/points.csv >"$stored/nodes/$1/points.csv"
}
node_entry() { # node_entry NAME STATE DONE WHY
	printf '%s{"node": "%s", "state": "%s", "target": "", "job": "", "points_done": %d, "points_planned": 4, "why": "%s", "changed": "2026-01-05T12:03:00Z"}' \
		"$comma" "$1" "$2" "$3" "$4"
	comma=,
}
{
	comma=
	printf '{"format": "tprof-cluster", "version": 1, "launcher": "local", "where": "16", "job": "", "program": "/usr/bin/tprof", "shared": false,'
	printf '"host": "", "seconds": 60, "time_limit": "", "started": "2026-01-05T12:00:00Z", "nodes": ['
	for i in $(seq -w 16); do
		speed=$(awk -v i="$i" 'BEGIN { print 1 + (i * 7 % 5 - 2) / 1000 }')
		case $i in
		03)
			node_entry "cn$i" failed 0 'there is no program \u001b[2Jtprof on the node'
			printf '\033]0;pwned\007sh: \033[31mtprof: not found\n' >"$stored/nodes/cn$i.txt"
			continue
			;;
		11) speed=0.9 ;;
		esac
		node_folder "cn$i" "$speed"
		if [ "$i" = 05 ]; then
			sed -i '/^"points_done"/s/4/2/; /^"state"/s/complete/interrupted/' "$stored/nodes/cn$i/run.json"
			head -n 3 "$stored/nodes/cn$i/points.csv" >two.csv && mv two.csv "$stored/nodes/cn$i/points.csv"
			node_entry "cn$i" partial 2 "the job's time limit came: give more with --time-limit"
		else
			node_entry "cn$i" 'done' 4 ''
		fi
	done
	printf ']}\n'
} >cluster.json
mv cluster.json "$stored"
run --cluster status partition-cluster
expect_out '14 done, 1 partial, 1 failed'

# The nodes are not merged yet.
open 80x24 LC_ALL=C.UTF-8
view Nodes
pane utf8-cluster
press f
wait_for 'merged; 1 slow, 0 fast'
press Tab o o o Home
pane utf8-cluster-speed
press Enter
wait_for 'cn11' 'of the median of its group' ': slow' 'Enter opens its run'
press Enter
wait_for 'Memory curve, scalar double' 'cn11'
view Nodes
press q
# All nodes as one run.
press m
wait_for 'Memory curve, scalar double' 'partition-cluster'
view Nodes
# Foreign text does not move the cursor.
press Tab / c n 0 3 Enter
wait_for '1 of 16' 'no program ?[2Jtprof'
press Enter
pane utf8-cluster-node
press q Escape
wait_without '1 of 16'
press q q
expect_end 0

open 120x40 LC_ALL=C.UTF-8
view Nodes
pane utf8-cluster
press q
expect_end 0
open 80x24 LC_ALL=C
view Nodes
pane ascii-cluster
press r
pane ascii-cluster-form
press Escape q
expect_end 0
if grep -lP '[^\x00-\x7f]' "$golden_folder"/ascii-cluster*.txt >"$TMP/odd"; then
	fail "not in ASCII: $(cat "$TMP/odd")"
fi
rm -r "$stored"

# --- begun here ---

open 120x40 LC_ALL=C.UTF-8 -- --set experiment=memcurve "${small[@]}" --machine zen4 --simulate
view Nodes
press r
wait_for 'on many nodes' 'local'
press Down C-u
text 99
press Enter
wait_for 'not a number of nodes from 1 to 64'
press C-u
text 2
press Enter
wait_for 'What would run on 2 nodes' '--run-dir RUN/nodes/node-2'
press Enter
wait_for 'Measure on nodes?' 'on 2 nodes by local'
wait_asked
press y
wait_for 'all 2 nodes are done' '8 of 8 points' 'merged'
press q
expect_end 0

# Cancelled and resumed after questions; the nodes go on when the screens are left.
open 80x24 LC_ALL=C.UTF-8 -- --set experiment=memcurve "${small[@]}" --set stop.max_time=60min --set stop.max_samples=1000000 \
	--set stop.min_count=100000
view Nodes
wait_for '1 cluster run' '2 done'
press r Enter
wait_for 'What would run on 2 nodes'
press Enter y
wait_for '2 cluster runs' '0 of 2 nodes done, 2 run'
press Delete
wait_for 'Cancel the cluster run?' 'have not ended'
wait_asked
press n
press Delete y
wait_for '2 nodes cancelled' '2 were cancelled'
press e
wait_for 'Measure what is missing?' 'what 2 nodes lack'
wait_asked
press y
wait_for '0 of 2 nodes done, 2 run'
press q
expect_end 0
run --cluster status
expect_out '2 running'
run --cluster cancel --allow-code
expect_exit 0

# --- a scheduler that hangs ---

mkdir -p bin "$runs/2026-02-01-000000-hung-cluster/nodes"
for program in sbatch srun squeue scancel sinfo scontrol; do
	printf '#!/bin/sh\nexec sleep 1000\n' >"bin/$program"
	chmod +x "bin/$program"
done
cat >"$runs/2026-02-01-000000-hung-cluster/cluster.json" <<'END'
{"format": "tprof-cluster", "version": 1, "launcher": "slurm", "where": "batch", "job": "17", "program": "tprof", "shared": true, "host": "",
 "seconds": 60, "time_limit": "", "started": "2026-02-01T00:00:00Z", "nodes": [
 {"node": "a1", "state": "waiting", "target": "", "job": "17", "points_done": 0, "points_planned": 0, "why": "", "changed": ""},
 {"node": "a2", "state": "waiting", "target": "", "job": "17", "points_done": 0, "points_planned": 0, "why": "", "changed": ""}]}
END
open 80x24 LC_ALL=C.UTF-8 "PATH=$TMP/bin:$PATH"
view Nodes
wait_for '3 cluster runs'
press End
wait_for 'hung-cluster, slurm:batch' '0 of 2 nodes done, 2 wait'
until_true pgrep -P "$(screens_process)" -x sleep >/dev/null || fail_with_pane 'nobody asked the scheduler'
press Enter Down
wait_for 'q back'
press q
wait_for '3 cluster runs'
asked=$(pgrep -P "$(screens_process)" -x sleep)
press q
expect_end 0
! kill -0 "$asked" 2>/dev/null || fail 'the command of the scheduler was left'

# --- a foreign one ---

# What it would start, reach or end stands in the question.
printf '#!/bin/sh\ntouch "%s/mark"\n' "$TMP" >bin/ssh
chmod +x bin/ssh
foreign=$runs/2026-01-15-000000-foreign-cluster
mkdir -p "$foreign/nodes/n1"
cp one/preset.yaml "$foreign"
touch "$foreign/nodes/n1.there"
cat >"$foreign/cluster.json" <<'END'
{"format": "tprof-cluster", "version": 1, "launcher": "ssh", "where": "hosts.txt", "job": "run1", "program": "theirs", "shared": false, "host": "",
 "seconds": 60, "time_limit": "", "started": "2026-01-15T00:00:00Z", "nodes": [
 {"node": "n1", "state": "partial", "target": "me@far:2222", "job": "", "points_done": 1, "points_planned": 4, "why": "", "changed": ""}]}
END
open 180x40 LC_ALL=C.UTF-8 "PATH=$TMP/bin:$PATH"
view Nodes
wait_for '4 cluster runs'
press End
wait_for 'foreign-cluster, ssh:hosts.txt'
press e
wait_for 'this starts theirs by ssh on me@far:2222' 'Do you trust this?'
press n f
wait_for 'this fetches results by ssh from me@far:2222' 'Do you trust this?'
press n
[ ! -e mark ] || fail 'expected nothing to be reached without the word'
press e y
until_true [ -e mark ] || fail_with_pane 'expected it to start with the word'
press q
expect_end 0
# By the other launchers, too, and its job ends only with the word.
rm -f mark
# shellcheck disable=SC2016
printf '#!/bin/sh\necho "$0 $*" >>"%s/mark"\n' "$TMP" | tee bin/theirs bin/sbatch >bin/scancel
chmod +x bin/theirs bin/sbatch bin/scancel
for launcher in local slurm; do
	sed -i "s/\"launcher\": \"[a-z]*\"/\"launcher\": \"$launcher\"/; s/\"state\": \"[a-z]*\"/\"state\": \"partial\"/" "$foreign/cluster.json"
	open 180x40 LC_ALL=C.UTF-8 "PATH=$TMP/bin:$PATH"
	view Nodes
	wait_for '4 cluster runs'
	press End
	wait_for "foreign-cluster, $launcher:hosts.txt"
	press e
	wait_for "this starts theirs by $launcher on me@far:2222" 'Do you trust this?'
	press n
	wait_for 'nothing was run'
	press q
	expect_end 0
	[ ! -e mark ] || fail 'expected nothing to start without the word'
done
rm -r "$foreign"

# --- foreign code ---

# All users may write that configuration file, so its words do not count as consent.
mkdir -p "$XDG_CONFIG_HOME/tprof"
cat >"$XDG_CONFIG_HOME/tprof/config.yaml" <<END
experiment: autotune
routine: dgemm
blas: $TMP/no.so
autotune: {n: 8, m: 8, k: 8, iterations: 2, invocations: 1, max_time: 1s}
END
chmod 666 "$XDG_CONFIG_HOME/tprof/config.yaml"
open 120x40 LC_ALL=C.UTF-8
view Nodes
wait_for '3 cluster runs'
press r Enter
wait_for 'What would run on 2 nodes' '--allow-code'
press Enter
wait_for 'Measure on nodes?' 'on 2 nodes by local'
wait_asked
press y
wait_for 'a run would run the code' 'no.so' 'Do you trust this?'
press n
wait_for 'nothing was run'
press q Escape q
expect_end 0
[ "$(find "$runs" -mindepth 1 -maxdepth 1 | wc -l)" = 3 ] || fail 'expected no new run'
