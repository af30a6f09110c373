# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: nodes that are processes.
. "$TPROF_CLI/lib.sh"

# --cluster local:N: the same preset by several processes, each with its own run directory. Nodes that are killed or cancelled
# lose nothing that they have finished, and --resume measures only what is missing.
ulimit -c 0

preset() { # preset FILE TIME
	small_preset "$1" <<-'END'
		experiment: memcurve
		isa: scalar
		ratio: 1:0
		sizes: [8KiB, 12KiB, 16KiB]
	END
	sed -i "s/^stop:.*/stop: {max_time: $2, max_samples: 1000000, min_count: 100000}/" "$1"
}
job() { # job NODE: the process that watches over it
	grep -A 3 "\"node\": \"$2\"" "$1/cluster.json" | sed -n 's/.*"job": "\([0-9]*\)@.*/\1/p'
}
state() { # state RUN NODE
	run --cluster status "$1"
	awk -v node="$2" '$1 == node { print $2 }' out
}
medians() { # medians DIR: of the finished points in a journal
	grep '"ev":"point_end"' "$1/journal.ndjson" | grep '"state":"done"' |
		sed -n 's/.*"point":\([0-9]*\),.*"median_gbps":\([0-9.eE+-]*\).*/\1 \2/p' | awk '{ printf "%d %.6g\n", $1, $2 }' | sort
}

# --- from its beginning to its end ---
preset fast.yaml 5ms
run --cluster local:3 --batch fast.yaml --simulate
expect_exit 0
expect_no_out
expect_err 'fast-cluster: 3 of 3 nodes submitted'
for node in node-1 node-2 node-3; do
	expect_err "$node: done, 3 of 3 points"
done
run --cluster status
expect_exit 0
expect_out '3 done, 9 of 9 points'
run --show "$(echo "$XDG_DATA_HOME"/tprof/runs/*-fast-cluster)/merged" --csv
expect_exit 0
expect_cells point '0 1 2'
run --cluster collect fast-cluster
expect_exit 0
expect_err 'tprof --show '
expect_run "$XDG_DATA_HOME"/tprof/runs/*-fast-cluster/nodes/node-3 complete
run --cluster status last --json
expect_json out
run --resume fast-cluster
expect_exit 0
expect_err 'every node has every point'
# It is not a run, and does not hide one.
run --list runs
expect_not_out unreadable
expect_out_line '.* fast-cluster +memcurve .* complete, 3 nodes, simulated: .* 9 .*'
# The last run is the newest of both kinds.
run --resume last
expect_exit 0
expect_err_line 'tprof: the last run is the cluster run .*-fast-cluster'
cp -R "$(echo "$XDG_DATA_HOME"/tprof/runs/*-fast-cluster)" "$XDG_DATA_HOME/tprof/runs/2998-01-01-000000-not-merged"
rm -r "$XDG_DATA_HOME/tprof/runs/2998-01-01-000000-not-merged/merged"
run --resume last
expect_err 'the last run is the cluster run 2998-01-01-000000-not-merged'
cp -R "$XDG_DATA_HOME/tprof/runs/2998-01-01-000000-not-merged/nodes/node-1" "$XDG_DATA_HOME/tprof/runs/2999-01-01-000000-one"
run --resume last
expect_exit 0
expect_err 'the last run is 2999-01-01-000000-one'
rm -r "$XDG_DATA_HOME"/tprof/runs/299*
run --cluster local:2 --dry-run fast.yaml
expect_exit 0
[ "$(wc -l <out)" -eq 2 ] || fail 'expected a command for each node'
expect_out ' --batch RUN/preset.yaml --quiet --run-dir RUN/nodes/node-2'

# --- unattended, killed, cancelled, resumed ---
preset slow.yaml 600ms
start --cluster local:3 --batch slow.yaml --run-dir many
await begun many/nodes/node-1/journal.ndjson 1
kill -INT "$program"
finish
expect_exit 130
expect_err 'tprof --cluster status'
kill -KILL "$(job many node-1)"
ended_early() {
	state many node-1 | grep -qxE 'failed|partial'
}
await ended_early
run --cluster status many
expect_out 'was killed'
run --cluster cancel many --allow-code
expect_exit 0
expect_err 'what they measured stays'
for node in 1 2 3; do
	await gone "$(job many node-$node)"
	medians many/nodes/node-$node >before.$node
done
[ -s before.1 ] || fail 'expected a finished point of the node that was killed'
state many node-2 | grep -qxE 'cancelled|done' || fail 'expected node-2 to be cancelled'
run --cluster cancel many --allow-code
expect_exit 0
run --resume many --allow-code
expect_exit 0
for node in 1 2 3; do
	grep -qxF '"state": "complete",' many/nodes/node-$node/run.json || fail "expected node-$node to be complete"
	expect_cells point '0 1 2' many/nodes/node-$node/points.csv
	medians many/nodes/node-$node >after.$node
	[ "$(wc -l <after.$node)" -eq 3 ] || fail "expected every point of node-$node once: $(cat after.$node)"
	[ -z "$(comm -23 before.$node after.$node)" ] || fail "expected finished points of node-$node to stay as they were"
done
run --cluster status many
expect_out '3 done, 9 of 9 points'

# A process id that was reused is not a job.
cp -R many stale
sed -i -e 's/"state": "done"/"state": "running"/' -e "s/\"job\": \"[0-9]*@/\"job\": \"$$@1/" stale/cluster.json
rm stale/nodes/node-3/run.json stale/nodes/node-3/journal.ndjson stale/nodes/node-3.end
run --cluster cancel stale
expect_exit 0
alive $$ || fail 'expected this process to be left alone'
[ "$(state stale node-1)" = 'done' ] || fail 'expected the node with all points to be done'
[ "$(state stale node-3)" = failed ] || fail 'expected the node without points to have failed'

# --- errors are reported ---
cp -R many damaged
head -c 300 many/cluster.json >damaged/cluster.json
run --cluster status ./damaged
expect_exit 2
expect_err 'cluster.json: is damaged, line'
sed 's/"node": "node-1"/"node": "..\/..\/x"/' many/cluster.json >damaged/cluster.json
run --cluster cancel ./damaged
expect_exit 2
expect_err 'this is not a name of a node'
sed 's/"launcher": "local"/"launcher": "pigeon"/' many/cluster.json >damaged/cluster.json
run --resume ./damaged
expect_exit 2
expect_err '"pigeon", which this tprof does not support'
sed 's/"host": "[^"]*"/"host": "elsewhere"/; s/"state": "done"/"state": "running"/' many/cluster.json >damaged/cluster.json
run --cluster cancel ./damaged
expect_exit 2
expect_err 'started on elsewhere'
run --cluster status nosuch
expect_exit 2
expect_err 'there is no such cluster run'
run --cluster status fast-clustre
expect_err 'did you mean'
for wrong in local local:0 local:x local:65 pigeon; do
	run --cluster $wrong --batch fast.yaml
	expect_exit 2
	expect_err "${wrong#local:}"
done
run --cluster local:2
expect_exit 2
expect_err 'needs a preset'
run --cluster local:2 --batch fast.yaml --json
expect_exit 2
run --cluster local:2 --batch fast.yaml --nodes 1
expect_exit 2
run --batch fast.yaml --nodes 1
expect_exit 2
expect_err '--nodes belongs to --cluster'
run --cluster status many many
expect_exit 2
