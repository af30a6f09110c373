# shellcheck shell=sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Two nodes of two CPUs: where threads and their memory are, as /proc says.
# shellcheck source=tests/lab/inside.sh
. /lab/inside.sh

ok 'the kernel has two nodes, far apart' same '0-1 2-3 10 21' "$(of_node 0 cpulist) $(of_node 1 cpulist) $(of_node 0 distance)"
ok 'doctor' ends 0 doctor
ok 'NUMA balancing is on' says 'NUMA balancing +on, with 2 memory nodes'
ok 'a remedy' says 'sysctl kernel.numa_balancing=0'
echo 0 >/proc/sys/kernel/numa_balancing
ok 'that works' ends 0 doctor
ok 'it is off' says 'NUMA balancing +off'

placed() {
	tprof --dry-run quick --set level=L1 --set "threads=$1" --set "affinity=$2" >/tmp/out 2>/tmp/err
	cpus "$(awk '$1 == "0" { print $NF; exit }' /tmp/out)"
}
ok 'two threads, compact: one node' same '0 1' "$(placed 2 compact)"
ok 'two threads, scatter: both nodes' same '0 2' "$(placed 2 scatter)"

cat >dram.yaml <<'YAML'
experiment: roofline
isa: scalar
level: DRAM
fp_op: fma
ratio: 1:0
dram: walked
pages: small
cache_size: {L1: 16KiB, L2: 64KiB, L3: 4MiB}
stop: {max_time: 4s, min_count: 100000, max_samples: 100000}
YAML
# on_node: pages of the largest mapping of tprof's processes on nodes 0 and 1, "0 8192".
on_node() {
	for pid in $(pidof tprof); do
		awk '{ n[0] = n[1] = 0
			for (i = 1; i <= NF; i++)
				if (split($i, part, "=") == 2 && part[1] ~ /^N[01]$/)
					n[substr(part[1], 2)] = part[2]
			print n[0] + n[1], n[0], n[1] }' "/proc/$pid/numa_maps"
	done 2>/dev/null | sort -n | tail -n 1 | cut -d ' ' -f 2-
}
# touched NODE: the buffer, above 4 MiB, is there and nowhere else.
touched() {
	# shellcheck disable=SC2046 # two words
	set -- "$1" $(on_node)
	case $1 in
	0) [ "$2" -gt 1000 ] && [ "$3" = 0 ] ;;
	1) [ "$3" -gt 1000 ] && [ "$2" = 0 ] ;;
	esac
}
for node in 0 1; do
	cpu=$((2 * node))
	tprof --batch dram.yaml --set affinity=$cpu --run-dir /root/$node >/tmp/out 2>/tmp/err &
	ok "CPU $cpu touches memory of node $node" await touched $node
	wait $!
	ok 'the run ends' same 0 $?
	ok 'its data' ends 0 --show /root/$node --csv
	ok 'the point names the node' same "node $node" "$(column memory | head -n 1)"
done
ok 'a team over both' ends 0 --batch dram.yaml --set stop.max_time=200ms --set stop.max_samples=5 --set stop.min_count=3 --set threads=2 --set affinity=scatter --csv
ok 'names several nodes' same 'several nodes' "$(column memory | head -n 1)"
ok '--bind numa:1/2' ends 0 --batch quick --set isa=scalar --set level=L1 --set fp_op=fma --bind numa:1/2 --csv
ok 'keeps to its CPUs' same 2 "$(column cpus | sort -u)"
done_testing
