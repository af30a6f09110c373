# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: what damaged nodes left.
. "$TPROF_CLI/lib.sh"

# The merged run of a cluster: found by the name of the cluster run, reported, compared; damaged, foreign or missing files of a node cost only themselves, and are reported.

small_preset a.yaml <<-'END'
	experiment: memcurve
	isa: scalar
	ratio: 1:0
	sizes: [8KiB, 12KiB, 16KiB]
END
sed 's/sizes:.*/sizes: [20KiB, 24KiB]/' a.yaml >b.yaml
run --cluster local:4 --batch a.yaml --simulate
expect_exit 0
expect_err 'All 4 nodes are equally fast, within 0.1 %.'
name=$(basename "$(echo "$XDG_DATA_HOME"/tprof/runs/*-a-cluster)")
expect_err "tprof --show $name"
run --cluster local:4 --batch a.yaml --simulate --run-dir good -q
expect_exit 0
expect_no_err

# --- the name of a cluster run is that of its merged run ---
for called in "$name" a-cluster last good ./good/ good/merged; do
	run --show "$called"
	expect_exit 0
	expect_out 'All 4 nodes are equally fast, within 0.1 %.'
	expect_out 'complete · 4 nodes · 3 points'
	expect_out 'Next     tprof --show'
	expect_not_out 'tprof --batch'
done
run --show a-cluster --csv
expect_cells point '0 1 2'
run --show a-cluster/nodes/node-3 --csv
expect_cells point '0 1 2'
run --show good --json
expect_json out
run --show good --html page.html
expect_exit 0
grep -q 'Speed of each node' page.html || fail 'expected a heat map on the page'
run --show good --svg plots.svg --csv
expect_exit 0
grep -q 'Speed of each node' plots.svg || fail 'expected a heat map'
run --compare a-cluster good
expect_exit 0
expect_out '3 points'
run --resume good/merged
expect_exit 0
expect_err 'every node has every point'

# --- what a node left ---
node=bad/nodes/node-2
damage() { # damage: a new copy, to be damaged
	rm -rf bad
	cp -R good bad
}
collect() { # collect NODES WORDS...: so many nodes are merged, and each of WORDS is said
	local nodes=$1 words
	shift
	run --cluster collect ./bad
	expect_exit 0
	for words in "$@"; do
		expect_err "$words"
	done
	sed -n '/^"cluster"/,/}/p' bad/merged/run.json | grep -qx "  \"nodes\": $nodes,\?" || fail "expected $nodes nodes in merged/"
	[ "$(find bad -maxdepth 1 -name 'merged.*')" = '' ] || fail 'expected no directory beside merged/'
}
lost='the hardware of this node is unknown'

damage && head -n 2 good/nodes/node-2/points.csv >$node/points.csv
collect 4 'points.csv: is cut off: it has 1 of 3 finished points'
damage && rm $node/points.csv && mkfifo $node/points.csv
collect 4 'points.csv: is a pipe (FIFO)'
damage && truncate -s 10G $node/points.csv
collect 4 'points.csv: longer than the 134217728 bytes allowed'
damage && sed -i '2s/^0,/1e999,/' $node/points.csv
collect 4 '"1e999" in the column'
damage && head -c 900 good/nodes/node-2/run.json >$node/run.json
collect 3 "$lost"
[ -f bad/merged-2/run.json ] || fail 'expected its points as a run of their own'
run --show bad/merged-2 --csv
expect_cells point '0 1 2'
run --show ./bad
expect_out 'bad/merged-2.'
damage && head -c 300000 /dev/zero | tr '\0' '[' >$node/run.json
collect 3 "$lost" 'maximum parsing depth'
damage && rm $node/run.json && ln -s /dev/zero $node/run.json
collect 3 'is a device' "$lost"
damage && sed -i 's/"version": 1,/"version": 99,/' $node/run.json
collect 3 'format version 99' "$lost"
damage && rm $node/* && ln -s /dev/zero $node/journal.ndjson
collect 3 'journal.ndjson: is a device'
damage && rm -r $node
collect 3 'its directory is gone'
damage && rm -r $node && mkfifo $node
collect 3 'its directory is gone'
damage && mv $node moved && ln -s "$TMP/moved" $node
collect 4
[ -f moved/run.json ] || fail 'expected a node behind a link to stay'
rm -r moved
damage && sed -i 's/"version": "[^"]*"/"version": "9.9"/' $node/run.json
collect 4 '1 of 4 nodes have another version of tprof than most: 9.9'
# Later readers of the run see it too.
run --show ./bad
expect_out 'another version of tprof'
damage && sed -i 's/"started": "20/"started": "21/' $node/run.json
collect 4 'its clock is'
damage && rm -r $node
run --batch b.yaml --simulate --run-dir $node -q
collect 3 'node-2: no point in common with the other nodes'
run --show ./bad
expect_out 'bad/merged-2.'

# --- a later merge takes the place of an earlier one, and what is not tprof's stays ---
echo mine >bad/merged/notes.txt
rm -r $node
cp -R good/nodes/node-2 $node
run --cluster collect ./bad
expect_exit 0
[ ! -e bad/merged-2 ] || fail 'expected no second group'
[ "$(cat bad/merged/notes.txt)" = mine ] || fail 'expected notes.txt to stay'

# --- early: nothing, then some; the second point waits until the test lets it go ---
rm -r bad/merged
run --show ./bad
expect_exit 2
expect_err 'whose nodes are not merged yet'
expect_err 'tprof --cluster collect'
cat >slow.yaml <<-END
	experiment: program
	stop: {max_samples: 1}
	program:
	  command: 'sh -c "until [ {k} = 1 ] || [ -e $TMP/go ]; do sleep 0.05; done"'
	  k: [1, 2]
	  warmup: 0
	  limit: 1000s
END
start --cluster local:2 --batch slow.yaml --allow-code --run-dir early -q
await grep -q '"point_end"' early/nodes/node-1/journal.ndjson
run --cluster collect ./early
expect_exit 3
run --show ./early
expect_exit 0
expect_out 'Points are missing: node-1 has '
expect_out '(running)'
expect_out 'Next     tprof --cluster collect ./early'
touch go
finish
expect_exit 0
run --show ./early
expect_not_out 'Points are missing'
