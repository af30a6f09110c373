# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"
# shellcheck source=tests/cluster/sshd.sh
. "$TPROF_SRCDIR/tests/cluster/sshd.sh"

# --cluster ssh:FILE over a real sshd of this machine: each node has its own home and PATH, and most nodes have a fault.
trap sshd_down EXIT
code=0
sshd_up 2>up || code=$?
[ $code -eq 0 ] || skip_all "$(head -n 1 up)"

# A configuration of the test's own, and a limit that is shorter than tprof's 10 s.
mkdir bin
cat >bin/ssh <<END
#!/bin/sh
exec $(command -v ssh) -F "$SSHD_CONFIG" -o ConnectTimeout=1 "\$@"
END
chmod +x bin/ssh
export PATH=$TMP/bin:$PATH
homes=$SSHD_DIR/home

# node NAME [SCRIPT]: what is called tprof-there on that node; in the script, \$TPROF is the program.
node() {
	mkdir -p "$homes/$1/bin"
	# shellcheck disable=SC2016
	printf '#!/bin/sh\nTPROF=%s NODE=.tprof-cluster/*/%s\n%s\n' "$TPROF" "$1" "${2-exec \"\$TPROF\" \"\$@\"}" >"$homes/$1/bin/tprof-there"
	chmod +x "$homes/$1/bin/tprof-there"
}
# dies NAME COMMAND: the command runs there when the first point is finished; \$! is tprof.
dies() {
	# shellcheck disable=SC2016
	node "$1" 'nice -n 19 "$TPROF" "$@" &
		until grep -q point_end $NODE/journal.ndjson 2>/dev/null; do sleep 0.01; done
		'"$2"'
		wait'
}
node node1
# shellcheck disable=SC2016
{
	dies node2 'kill -KILL $!'
	# The sshd of this connection.
	dies node3 'p=$$; until grep -q "(sshd" /proc/$p/stat; do p=$(cut -d" " -f4 /proc/$p/stat); done; echo $! >left; kill $p'
	# node4 has none.
	node node5 'echo "no tprof, but hello"; echo "{\"v\":1"'
	# Half a result; a full disk.
	node node6 '"$TPROF" "$@"; for f in $NODE/run.json; do head -c 1000 "$f" >half && cp half "$f"; done'
	node node7 'ulimit -f 20; exec "$TPROF" "$@"'
	# Another version, and many words.
	node node8 'yes "what a node says" | head -c 1000000 >&2; echo "its last word" >&2; "$TPROF" "$@"
		sed -i "s/\"version\": \"[0-9.]*\"/\"version\": \"0.0.1\"/" $NODE/run.json'
}
small_preset three.yaml <<'END'
experiment: memcurve
isa: scalar
ratio: 1:0
sizes: [8KiB, 12KiB, 16KiB]
END
sed -i 's/^stop:.*/stop: {max_time: 600ms, max_samples: 1000000, min_count: 100000}/' three.yaml

medians() { # medians DIR: of the finished points in a journal
	grep '"ev":"point_end"' "$1/journal.ndjson" | grep '"state":"done"' |
		sed -n 's/.*"point":\([0-9]*\),.*"median_gbps":\([0-9.eE+-]*\).*/\1 \2/p' | awk '{ printf "%d %.6g\n", $1, $2 }' | sort
}
clean() { # nothing of ours is left on the node
	[ ! -e "$homes/$1/.tprof-cluster" ]
}

printf '%s\n' node1 node2 node3 node4 node5 node6 node7 node8 refused stranger closed silent >hosts.txt
run --cluster ssh:hosts.txt --program tprof-there --batch three.yaml --simulate --run-dir many
expect_exit 3
expect_err 'node1: done, 3 of 3 points'
expect_err 'node2: partial, '
expect_err 'node3: partial, '
expect_err 'closed by remote host'
expect_err 'node4: failed, 0 of 0 points: there is no program tprof-there on the node'
expect_err 'node5: failed, 0 of 0 points: tprof-there there prints "no tprof, but hello", which this tprof does not read'
expect_err 'node6: partial, 3 of 3 points: its results did not come'
expect_err 'node7: partial, 3 of 3 points: ended after its last point, before it wrote its results'
expect_err 'File too large'
expect_err 'node8: done, 3 of 3 points'
expect_err 'have another version of tprof than most: 0.0.1'
expect_err 'refused: unreachable, 0 of 0 points: ssh: '
expect_err 'Permission denied'
expect_err 'stranger: unreachable, 0 of 0 points: ssh: Host key verification failed'
expect_err 'closed: unreachable, 0 of 0 points: ssh: connect to host 127.0.0.1 port 1: Connection refused'
expect_err 'silent: unreachable, 0 of 0 points: ssh: Connection'
expect_err 'timed out'

# Files there are removed once everything was fetched, and kept otherwise. Nothing goes on after a broken connection.
for name in node1 node4 node8; do
	await clean $name
done
for name in node2 node3 node6 node7; do
	expect_file "$(echo "$homes/$name/.tprof-cluster"/*/$name/journal.ndjson)"
	medians many/nodes/$name >before.$name
	expect_file before.$name
done
await gone "$(cat "$homes/node3/left")"
# A node's messages are bounded, and their end is kept.
await grep -qxE '\[[0-9]* bytes are left out here\]' many/nodes/node8.txt
[ "$(stat -c %s many/nodes/node8.txt)" -le 65536 ] || fail 'expected at most 64 KiB of words'
grep -q 'its last word$' many/nodes/node8.txt || fail 'expected the last words of the node'

# Two can be reached again.
for name in node2 node3 node4 node5 node6 node7; do
	node $name
done
run --cluster collect many --allow-code
expect_exit 3
expect_err 'tprof --show '
run --cluster status many
expect_out '2 done, 4 partial, 2 failed, 4 unreachable'
run --resume many --quiet --allow-code
expect_exit 3
run --cluster status many
for name in node1 node2 node3 node4 node5 node6 node7 node8; do
	expect_out_line "$name +done +(█+ +)?3/3 .*"
	expect_cells point '0 1 2' many/nodes/$name/points.csv
	await clean $name
done
for name in node2 node3; do
	medians many/nodes/$name >after
	[ -z "$(comm -23 before.$name after)" ] || fail "expected finished points of $name to stay as they were"
done
run --show many/merged --csv
expect_exit 0
expect_cells point '0 1 2'

# Cancelled: nothing goes on there, and what was measured stays.
echo node1 >hosts.txt
long_preset long.yaml
# shellcheck disable=SC2016
node node1 'echo $$ >left; exec "$TPROF" "$@"'
start --cluster ssh:hosts.txt --program tprof-there --batch long.yaml --run-dir ended
await begun ended/nodes/node1/journal.ndjson 1
run --cluster cancel ended --allow-code
expect_exit 0
finish
await gone "$(cat "$homes/node1/left")"
run --cluster collect ended
run --cluster status ended
expect_out_line 'node1 +cancelled +(█+ +)?1/3 .*'
