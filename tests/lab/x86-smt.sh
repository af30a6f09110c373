# shellcheck shell=sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Two sockets of two cores of two threads: where threads go, and what happens when a CPU goes away.
# shellcheck source=tests/lab/inside.sh
. /lab/inside.sh

# The CPUs of the first point of a plan: placed THREADS AFFINITY.
placed() {
	tprof --dry-run quick --set level=L1 --set "threads=$1" --set "affinity=$2" >/tmp/out 2>/tmp/err
	cpus "$(awk '$1 == "0" { print $NF; exit }' /tmp/out)"
}

siblings=topology/thread_siblings_list package=topology/physical_package_id
ok 'the kernel has 8 CPUs, 4 cores, 2 sockets' same '8 4 2' \
	"$(cd /sys/devices/system/cpu && how_many cpu[0-9]*) $(distinct $siblings 0 1 2 3 4 5 6 7) $(distinct $package 0 1 2 3 4 5 6 7)"
for case in '2 compact 2 1' '2 scatter 2 2' '4 compact 4 2' '4 scatter 4 2' '8 compact 4 2'; do
	# shellcheck disable=SC2086 # words
	set -- $case
	list=$(placed "$1" "$2")
	# shellcheck disable=SC2086
	ok "$1 threads, $2: $3 cores of $4 sockets" same "$1 $3 $4" "$(how_many $list) $(distinct $siblings $list) $(distinct $package $list)"
done
ok 'doctor has the threads of a core' ends 0 doctor
ok 'so it says' says 'Hardware threads +8 on 4 cores'
ok 'no "(null)" of the kernel is shown' sh -c '! grep -F "(null)" /tmp/out'

# pinned: the CPUs of all threads of tprof that the kernel keeps on one.
pinned() {
	for pid in $(pidof tprof); do
		sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\)$/\1/p' "/proc/$pid"/task/*/status
	done | sort -nu | xargs
}
pinned_to() {
	[ "$(pinned)" = "$1" ]
}
cat >away.yaml <<'YAML'
experiment: roofline
isa: scalar
level: L1
fp_op: fma
threads: [2, 1]
affinity: 5,7
stop: {max_time: 1s, min_count: 100000, max_samples: 100000}
YAML
tprof --events --run-dir /root/away --batch away.yaml >/tmp/events 2>/tmp/err &
run=$!
ok 'a team of two is pinned as asked' await pinned_to '5 7'
echo 0 >/sys/devices/system/cpu/cpu7/online
wait $run
status=$?
cp /tmp/events /tmp/err /out
ok 'CPU 7 goes away: the run ends with skipped points' same 3 $status
ok 'words for the CPU' grep 'CPU 7 can no longer be used' /tmp/err
ok 'the run is there' ends 0 --show /root/away --csv
ok 'points of one thread are measured' same '1 1' "$(column threads | grep -x 1 | xargs)"
ok 'while it is away, --resume is refused' ends 2 --resume /root/away
ok 'in words' says 'CPU 7 '
echo 1 >/sys/devices/system/cpu/cpu7/online
ok 'it comes back: --resume measures the rest' ends 0 --resume /root/away
ok 'its data' ends 0 --show /root/away --csv
ok 'all four points' same '1 1 2 2' "$(column threads | sort | xargs)"

# The engine of a later invocation misses its CPU, or is killed as well.
lost_to() { # lost_to HOW STATUS: CPU 6 goes away when two points are there
	sed -e 's/^threads:.*/threads: 1/' -e 's/^affinity:.*/affinity: 6/' away.yaml >lost.yaml
	tprof --run-dir "/root/$1" --batch lost.yaml --set invocations=3 >/tmp/out 2>/tmp/err &
	run=$!
	await two_points "/root/$1"
	echo 0 >/sys/devices/system/cpu/cpu6/online
	[ "$1" = restarts ] || xargs kill -9 <"/proc/$run/task/$run/children"
	wait $run
	status=$?
	echo 1 >/sys/devices/system/cpu/cpu6/online
	cp /tmp/err "/out/$1"
	cat /tmp/err
	echo "status $status"
	[ $status = "$2" ]
}
two_points() {
	[ "$(grep -c '"ev":"point_end"' "$1/journal.ndjson")" -ge 2 ]
}
for how in restarts killed; do
	ok "CPU 6 goes away: the engine $how" lost_to $how 3
	ok 'words for it' says "$(case $how in restarts) echo 'CPU 6' ;; *) echo 'the engine' ;; esac)"
	ok 'both points are there' ends 0 --show /root/$how --csv
	ok 'with what was measured' same 2 "$(column quality | grep -c '^[a-z]')"
done

mount -t cgroup2 none /sys/fs/cgroup
echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/few
echo 1-3 >/sys/fs/cgroup/few/cpuset.cpus
echo $$ >/sys/fs/cgroup/few/cgroup.procs
ok 'a cpuset of three CPUs' ends 0 doctor
ok 'doctor has its size' says 'Usable CPUs +3 of 8'
ok 'threads stay inside' same '1 2 3' "$(placed 3 compact | tr ' ' '\n' | sort | xargs)"
ok 'a CPU outside is refused' ends 2 --dry-run quick --set affinity=0
ok 'in words' says 'not allowed to run on CPU 0'
echo 0-7 >/sys/fs/cgroup/few/cpuset.cpus

ok 'pages that are not reserved' ends 1 --batch quick --set isa=scalar --set level=L2 --set pages=hugetlb
ok 'are said to be missing' says 'nr_hugepages|hugetlb'
echo 32 >/proc/sys/vm/nr_hugepages
ok 'reserved pages are taken' ends 0 --batch quick --set isa=scalar --set level=L2 --set pages=hugetlb --csv
ok 'so the points say' same hugetlb "$(column pages | sort -u | xargs)"
done_testing
