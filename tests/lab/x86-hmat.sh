# shellcheck shell=sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Two nodes with CPUs, and one of memory alone behind a cache: who names it, and where memory goes.
# shellcheck source=tests/lab/inside.sh
. /lab/inside.sh

cache=$(of_node 2 memory_side_cache/index1/size)
ok 'the kernel has a node without CPUs behind a cache' same "[] $((96 << 20))" "[$(of_node 2 cpulist)] $cache"
ok 'and its bandwidth' same '20480 81920' "$(of_node 2 access0/initiators/read_bandwidth) $(of_node 0 access0/initiators/read_bandwidth)"

ok 'a plan' ends 0 --dry-run quick --set level=DRAM
ok 'has every node in its head' same '3' "$(grep -c '^node [012] [0-9.]* MiB' /tmp/out)"
ok 'and the cache' says "^node 2 .* MiB, no CPUs, behind a cache of $((cache >> 20)) MiB"
ok 'memory is flushed: the cache is not before the memory of these CPUs' same '' "$(grep 'memory points walk' /tmp/err)"
ok 'doctor sees that pages may move' ends 0 doctor
ok 'among three nodes' says 'NUMA balancing +on, with 3 memory nodes'

mkdir -p /root/near /root/far
cat >dram.yaml <<'YAML'
experiment: roofline
isa: scalar
level: DRAM
fp_op: fma
ratio: 1:0
dram: walked
pages: small
cache_size: {L1: 16KiB, L2: 64KiB, L3: 1MiB}
stop: {max_time: 200ms, max_samples: 6, min_count: 3}
YAML
ok 'memory of CPU 2 is measured' ends 0 --batch dram.yaml --set affinity=2 --run-dir /root/near --report=always
ok 'the report names the nodes' says 'node 2 .* behind a cache of 96 MiB'
ok 'its data' ends 0 --show /root/near --csv
ok 'the point names the node of the CPU' same 'node 1' "$(column memory | head -n 1)"

# A cpuset with the far node alone.
mount -t cgroup2 none /sys/fs/cgroup
echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/far
echo 0-1 >/sys/fs/cgroup/far/cpuset.cpus
echo 2 >/sys/fs/cgroup/far/cpuset.mems
echo $$ >/sys/fs/cgroup/far/cgroup.procs
ok 'a cpuset with the memory of node 2: a plan' ends 0 --dry-run quick --set level=DRAM
ok 'walks' says 'memory points walk: .* cache of 96 MiB'
ok 'memory is measured there' ends 0 --batch dram.yaml --set affinity=0 --run-dir /root/far
ok 'its data' ends 0 --show /root/far --csv
ok 'the point names the node and the cache' same 'node 2 behind 96 MiB' "$(column memory | head -n 1)"
done_testing
