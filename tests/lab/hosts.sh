# shellcheck shell=sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Two hosts on one network, host1 and host2: what both do before the tests; sourced. $host is the number of this one.

host=$(sed 's/.*lab.host=\([12]\).*/\1/' /proc/cmdline)

# join_network SECONDS: host 2 has a clock that is so much ahead.
join_network() {
	hostname "host$host"
	ip addr add "10.0.0.$host/24" dev eth0
	ip link set eth0 up
	printf '127.0.0.1 localhost\n10.0.0.1 host1\n10.0.0.2 host2\n' >/etc/hosts
	mkdir -p /run /root
	chmod 700 /root
	[ "$host" = 1 ] || date -s "@$(($(date +%s) + $1))" >/dev/null
}

# start_sshd: one key is that of both hosts, and of root on both.
start_sshd() {
	echo 'sshd:x:100:100::/run/sshd:/bin/false' >>/etc/passwd
	mkdir -p /run/sshd /root/.ssh /etc/ssh
	chmod 700 /root/.ssh
	cp /lab/key /root/.ssh/id_ed25519
	cp /lab/key /etc/ssh/key
	chmod 600 /root/.ssh/id_ed25519 /etc/ssh/key
	cp /lab/key.pub /root/.ssh/authorized_keys
	printf 'host1,host2 %s\n' "$(cut -d ' ' -f 1-2 /lab/key.pub)" >/root/.ssh/known_hosts
	printf 'HostKey /etc/ssh/key\nUsePAM no\nPermitRootLogin yes\nSetEnv PATH=/bin:/usr/bin\n' >/etc/ssh/sshd_config
	/usr/sbin/sshd
}

# share_folder: host 1 gives /shared to host 2 by the NFS server of its kernel. What programs of a distribution would answer stands here:
# the host belongs to the clients "*", root 0 of the exports is /shared, and that may be written by root.
share_folder() {
	mkdir -p /shared
	mount -t tmpfs -o size=64m shared /shared
	mount -t nfsd nfsd /proc/fs/nfsd
	echo 10 >/proc/fs/nfsd/nfsv4leasetime
	echo 10 >/proc/fs/nfsd/nfsv4gracetime
	echo '-3 +4' >/proc/fs/nfsd/versions
	echo 'nfsd 10.0.0.2 2147483647 *' >/proc/net/rpc/auth.unix.ip/channel
	echo '* /shared 2147483647 9218 65534 65534 0' >/proc/net/rpc/nfsd.export/channel
	printf '* 1 \\x00000000 2147483647 /shared\n' >/proc/net/rpc/nfsd.fh/channel
	echo 4 >/proc/fs/nfsd/threads
	echo Y >/proc/fs/nfsd/v4_end_grace
}

# mount_shared: on host 2.
mount_shared() {
	mkdir -p /shared
	mount -t nfs4 -o vers=4.1,clientaddr=10.0.0.2 10.0.0.1:/ /shared
}

# small_preset: three points of half a second.
small_preset() {
	cat <<'YAML'
experiment: memcurve
isa: scalar
ratio: 1:0
sizes: [8KiB, 12KiB, 16KiB]
stop: {max_time: 500ms, min_count: 3, max_samples: 10}
YAML
}

# points_of RUN: the points of both hosts, in order.
points_of() {
	for node in host1 host2; do
		column point "$1/nodes/$node/points.csv"
	done | xargs
}

# mortal_on RUN: a program that is tprof, and turns host 2 off when the first point of RUN is there.
mortal_on() {
	cat <<PROGRAM
#!/bin/sh
[ "\$(hostname)" = host1 ] || (
	until grep -q point_end $1/host2/journal.ndjson 2>/dev/null; do sleep 0.1; done
	echo o >/proc/sysrq-trigger
) >/dev/null 2>&1 &
exec tprof "\$@"
PROGRAM
}

# kept RUN: as many points of host 2 are done as the last command of \`ends\` said.
kept() {
	cat /tmp/err
	same "$(sed -n 's/.*host2: [a-z]*, \([0-9]\) of [0-9] points.*/\1/p' /tmp/err)" \
		"$(grep -s '"ev":"point_end"' "$1/nodes/host2/journal.ndjson" | grep -c '"state":"done"')"
}
