# shellcheck shell=sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Two hosts without a common folder, joined by a network: one preset on both, over ssh. The second host loses its power under way.
# Hosts: 2
# Programs: /usr/sbin/sshd /usr/bin/ssh /usr/bin/ssh-keygen /usr/bin/scp
# shellcheck source=tests/lab/inside.sh
. /lab/inside.sh

host=$(sed 's/.*lab.host=\([12]\).*/\1/' /proc/cmdline)
hostname "host$host"
ip addr add "10.0.0.$host/24" dev eth0
ip link set eth0 up
printf '127.0.0.1 localhost\n10.0.0.1 host1\n10.0.0.2 host2\n' >/etc/hosts
echo 'sshd:x:100:100::/run/sshd:/bin/false' >>/etc/passwd
mkdir -p /run/sshd /root/.ssh /etc/ssh
chmod 700 /root /root/.ssh
# The key of both hosts, and of root on both.
cp /lab/key /root/.ssh/id_ed25519
cp /lab/key /etc/ssh/key
chmod 600 /root/.ssh/id_ed25519 /etc/ssh/key
cp /lab/key.pub /root/.ssh/authorized_keys
printf 'host1,host2 %s\n' "$(cut -d ' ' -f 1-2 /lab/key.pub)" >/root/.ssh/known_hosts
printf 'HostKey /etc/ssh/key\nUsePAM no\nPermitRootLogin yes\nSetEnv PATH=/bin:/usr/bin\n' >/etc/ssh/sshd_config
/usr/sbin/sshd
if [ "$host" = 2 ]; then
	# An hour ahead.
	date -s "@$(($(date +%s) + 3600))" >/dev/null
	sleep 1000
	exit
fi

ok 'host 2 answers' await ssh -o ConnectTimeout=2 host2 hostname
ok 'its clock is an hour ahead' near 3600 $(($(ssh host2 date +%s) - $(date +%s))) 0.01
cat >three.yaml <<'YAML'
experiment: memcurve
isa: scalar
ratio: 1:0
sizes: [8KiB, 12KiB, 16KiB]
stop: {max_time: 500ms, min_count: 3, max_samples: 10}
YAML
printf 'host1\nhost2\n' >hosts.txt
ok 'a preset on both' ends 0 --cluster ssh:hosts.txt --program tprof --batch three.yaml --run-dir /root/both
ok 'host 1 is done' says 'host1: done, 3 of 3 points'
ok 'host 2 is done' says 'host2: done, 3 of 3 points'
ok 'its clock is told' says 'host2: its clock is 3[56][0-9][0-9] s or more ahead'
ok 'every point came once from each' same '0 1 2 0 1 2' \
	"$(for node in host1 host2; do column point "/root/both/nodes/$node/points.csv"; done | xargs)"
ok 'nothing is left on host 2' same '' "$(ssh host2 ls -d /root/.tprof-cluster 2>/dev/null)"
# mortal is tprof, and turns host 2 off when its first point is there.
printf '#!/bin/sh\nexec tprof "$@"\n' >/usr/bin/mortal
chmod +x /usr/bin/mortal
ssh host2 'cat >/usr/bin/mortal; chmod +x /usr/bin/mortal' <<'PROGRAM'
#!/bin/sh
(
	until grep -q point_end /root/.tprof-cluster/*/host2/journal.ndjson 2>/dev/null; do sleep 0.1; done
	echo o >/proc/sysrq-trigger
) >/dev/null 2>&1 &
exec tprof "$@"
PROGRAM
begin=$(date +%s)
ok 'host 2 loses its power' ends 3 --cluster ssh:hosts.txt --program mortal --batch three.yaml --run-dir /root/half
ok 'it took less than three minutes' test $(($(date +%s) - begin)) -lt 180
ok 'host 1 is done' says 'host1: done, 3 of 3 points'
ok 'host 2 is not' says 'host2: (partial|failed), '
ok 'its points that came are kept' same "$(sed -n 's/.*host2: [a-z]*, \([0-9]\) of 3 points.*/\1/p' /tmp/err)" \
	"$(grep '"ev":"point_end"' /root/half/nodes/host2/journal.ndjson | grep -c '"state":"done"')"
done_testing
