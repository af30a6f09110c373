# shellcheck shell=sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Two hosts over ssh: one preset on both, and an MPI program over both. The second host loses its power under way.
# Hosts: 2
# Modules: nfs
# MPI: /usr/bin/mpicc.mpich
# Programs: /usr/sbin/sshd /usr/bin/ssh /usr/bin/ssh-keygen /usr/bin/scp /usr/bin/mpiexec.hydra /usr/bin/hydra_pmi_proxy
# shellcheck source=tests/lab/inside.sh
. /lab/inside.sh
# shellcheck source=tests/lab/hosts.sh
. /lab/hosts.sh

join_network 3600
start_sshd
[ "$host" = 1 ] || sleep 1000

ok 'host 2 answers' await ssh -o ConnectTimeout=2 host2 hostname
ok 'its clock is an hour ahead' near 3600 $(($(ssh host2 date +%s) - $(date +%s))) 0.01
small_preset >three.yaml
printf 'host1\nhost2\n' >hosts.txt
ok 'a preset on both' ends 0 --cluster ssh:hosts.txt --program tprof --batch three.yaml --run-dir /root/both
ok 'host 1 is done' says 'host1: done, 3 of 3 points'
ok 'host 2 is done' says 'host2: done, 3 of 3 points'
ok 'its clock is told' says 'host2: its clock is 3[56][0-9][0-9] s or more ahead'
ok 'every point came once from each' same '0 1 2 0 1 2' "$(points_of /root/both)"
ok 'nothing is left on host 2' same '' "$(ssh host2 ls -d /root/.tprof-cluster 2>/dev/null)"

# What a rank counts comes through the folder of data. An MPI program has 10 x 50 x 4096 x 2 FLOPs in each rank; a program that does not
# call MPI starts faster.
export UCX_TLS=tcp UCX_NET_DEVICES=eth0
count_ranks() { # count_ranks RUN COMMAND...
	run=$1
	shift
	timeout 400 "$@" >/tmp/out 2>/tmp/err
	status=$?
	cat /tmp/out /tmp/err
	[ $status -eq 0 ] && [ -e "$run/app_processes.csv" ]
}
# cells FILE WHERE VALUE COLUMN: of its rows for all threads.
cells() {
	awk -F, -v where="$2" -v value="$3" -v column="$4" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$(at[where]) == value && ($(at["thread"]) == "all" || $(at["process"]) == "all") { print $(at[column]) }' "$1" | xargs
}
options='--set app.roofs=none --set app.runs=1 --set app.max_time=1ms'
launch='mpiexec.hydra -hosts host1,host2 -n 2'
# shellcheck disable=SC2086 # words
{
	ok 'a job over both hosts' count_ranks /root/alone tprof --app --run-dir /root/alone $options -- $launch known add 1
	ok 'without a common folder, a rank is missing' says '1 of 2 ranks was not counted: 1'
	ok 'which says where it would be counted' says 'your data folder'
	share_folder
	ok 'host 2 mounts a folder of host 1' await ssh host2 '. /lab/hosts.sh; mount_shared'
	export XDG_DATA_HOME=/shared
	ok 'MPI with a common folder' count_ranks /root/outside tprof --app --run-dir /root/outside $options -- $launch ranks 50
	ok 'FLOPs of both ranks' same $((2 * 4096000)) "$(cells /root/outside/app_regions.csv region work flops_dp)"
	ok 'tprof as a rank' count_ranks /root/inside $launch tprof --app --run-dir /root/inside $options -- known add 1
	ok 'both ranks' same '0 1' "$(cells /root/inside/app_processes.csv program known rank | tr ' ' '\n' | sort | xargs)"
}
unset XDG_DATA_HOME

mortal_on '/root/.tprof-cluster/*' >/usr/bin/mortal
chmod +x /usr/bin/mortal
scp -q /usr/bin/mortal host2:/usr/bin/
begin=$(date +%s)
ok 'host 2 loses its power' ends 3 --cluster ssh:hosts.txt --program mortal --batch three.yaml --run-dir /root/half
ok 'it took less than three minutes' test $(($(date +%s) - begin)) -lt 180
ok 'host 1 is done' says 'host1: done, 3 of 3 points'
ok 'host 2 is not' says 'host2: (partial|failed), '
ok 'its points that came are kept' kept /root/half
done_testing
