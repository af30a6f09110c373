# shellcheck shell=sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Two hosts under Slurm: without a common folder, with one, and when the second host loses its network or its power.
# Hosts: 2
# Modules: nfs
# Programs: /usr/sbin/munged /usr/sbin/slurmctld /usr/sbin/slurmd /usr/sbin/slurmstepd /usr/bin/ssh-keygen
# Programs: /usr/bin/srun /usr/bin/sbatch /usr/bin/salloc /usr/bin/sinfo /usr/bin/squeue /usr/bin/scancel /usr/bin/scontrol
# Programs: /usr/lib/x86_64-linux-gnu/slurm-wlm/*_none.so /usr/lib/x86_64-linux-gnu/slurm-wlm/*_munge.so
# Programs: /usr/lib/x86_64-linux-gnu/slurm-wlm/*_default.so /usr/lib/x86_64-linux-gnu/slurm-wlm/*_linuxproc.so
# Programs: /usr/lib/x86_64-linux-gnu/slurm-wlm/*_generic.so /usr/lib/x86_64-linux-gnu/slurm-wlm/*_script.so
# Programs: /usr/lib/x86_64-linux-gnu/slurm-wlm/select_*.so /usr/lib/x86_64-linux-gnu/slurm-wlm/sched_*.so
# Programs: /usr/lib/x86_64-linux-gnu/slurm-wlm/priority_*.so /usr/lib/x86_64-linux-gnu/slurm-wlm/hash_*.so
# Programs: /usr/lib/x86_64-linux-gnu/slurm-wlm/cgroup_v1.so /usr/lib/x86_64-linux-gnu/slurm-wlm/launch_slurm.so
# shellcheck source=tests/lab/inside.sh
. /lab/inside.sh
# shellcheck source=tests/lab/hosts.sh
. /lab/hosts.sh

# With clocks two minutes apart Slurm starts no step.
join_network 60
mkdir -p /etc/slurm /etc/munge /var/spool/slurm /var/spool/slurmd /var/log
cp /lab/key /etc/munge/key
chmod 600 /etc/munge/key
/usr/sbin/munged --force --key-file=/etc/munge/key --socket=/run/munge --pid-file=/run/munged.pid --log-file=/var/log/munged --seed-file=/etc/munge/seed
echo CgroupPlugin=cgroup/v1 >/etc/slurm/cgroup.conf
cat /lab/slurm.conf - >/etc/slurm/slurm.conf <<'END'
ClusterName=lab
SlurmctldHost=host1
SlurmUser=root
SlurmdUser=root
AuthInfo=socket=/run/munge
StateSaveLocation=/var/spool/slurm
SlurmdSpoolDir=/var/spool/slurmd
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
SlurmctldLogFile=/out/slurmctld
SlurmdLogFile=/out/slurmd
SlurmctldTimeout=10
SlurmdTimeout=20
NodeName=host[1-2] CPUs=1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
END
[ "$host" = 2 ] || /usr/sbin/slurmctld
/usr/sbin/slurmd
[ "$host" = 1 ] || tail -f /out/slurmd >/dev/console

idle() {
	[ "$(sinfo -h -N -t idle -o %N | xargs)" = "$1" ]
}
ok 'Slurm has two idle nodes' await idle 'host1 host2'
small_preset >three.yaml

ok 'without a common folder' ends 3 --cluster slurm --batch three.yaml --run-dir /root/unseen
ok 'host 1 is done' says 'host1: done, 3 of 3 points'
ok 'host 2 does not see it' says 'host2: failed.*does not see /root/unseen'
ok 'which has a remedy' says '--no-shared'
ok 'through srun' ends 0 --cluster slurm --no-shared --batch three.yaml --run-dir /root/sent
ok 'every point came once from each' same '0 1 2 0 1 2' "$(points_of /root/sent)"

share_folder
ok 'host 2 mounts a folder of host 1' srun -w host2 sh -c '. /lab/hosts.sh; mount_shared'
ok 'in a common folder' ends 0 --cluster slurm --batch three.yaml --run-dir /shared/both
ok 'every point came once from each' same '0 1 2 0 1 2' "$(points_of /shared/both)"

mortal_on /shared/half/nodes >/shared/mortal
chmod +x /shared/mortal
begin=$(date +%s)
ok 'host 2 loses its power' ends 3 --cluster slurm --program /shared/mortal --batch three.yaml --run-dir /shared/half
ok 'it took less than three minutes' test $(($(date +%s) - begin)) -lt 180
ok 'host 1 is done' says 'host1: done, 3 of 3 points'
ok 'host 2 is not' says 'host2: (partial|failed), '
ok 'its points that came are kept' kept /shared/half
cp /tmp/err /out/half
done_testing
