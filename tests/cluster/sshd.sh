#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A real sshd on a high port of this machine, for tests, with keys that are thrown away. To be
# sourced:
#
#   sshd_up    sets SSHD_DIR, SSHD_PORT and SSHD_CONFIG, a configuration for `ssh -F` that knows the
#              hosts node1 ... node9 (all of them this machine), "refused" (a login that is
#              refused), "stranger" (its key is another one than known), "closed" (nobody listens)
#              and "silent" (nobody answers). Returns 77 and says why, where it cannot be
#   sshd_down  ends it, and removes its directory

sshd_say()
{
	echo "sshd.sh: $*" >&2
}

sshd_write_hosts()
{
	local i
	{
		for i in 1 2 3 4 5 6 7 8 9; do
			printf 'Host node%s\n\tHostKeyAlias known\n' "$i"
		done
		printf 'Host refused\n\tHostKeyAlias known\n\tIdentityFile %s\n' "$SSHD_DIR/other"
		printf 'Host stranger\n\tHostKeyAlias stranger\n'
		printf 'Host closed\n\tPort 1\n'
		# A documentation address, RFC 5737: packets to it are lost.
		printf 'Host silent\n\tHostName 192.0.2.1\n'
		printf 'Host *\n\tHostName 127.0.0.1\n\tPort %s\n\tUser %s\n' "$SSHD_PORT" "$(id -un)"
		printf '\tIdentityFile %s\n\tIdentitiesOnly yes\n\tIdentityAgent none\n' "$SSHD_DIR/key"
		printf '\tUserKnownHostsFile %s\n\tGlobalKnownHostsFile /dev/null\n' "$SSHD_DIR/known"
		printf '\tStrictHostKeyChecking yes\n\tPasswordAuthentication no\n'
	} > "$SSHD_CONFIG"
}

sshd_up()
{
	local sshd i
	sshd=$(PATH=$PATH:/usr/sbin:/sbin command -v sshd)
	if [ -z "$sshd" ] || ! command -v ssh ssh-keygen > /dev/null; then
		sshd_say "skipped: no sshd or ssh (Debian: openssh-server openssh-client)"
		return 77
	fi
	SSHD_DIR=$(mktemp -d "${TMPDIR:-/tmp}/tprof-sshd.XXXXXX") || return 77
	SSHD_CONFIG=$SSHD_DIR/config
	SSHD_PORT=$((30000 + ($$ * 41 + RANDOM) % 10000))
	export SSHD_DIR SSHD_CONFIG SSHD_PORT
	for i in host key other; do
		ssh-keygen -q -t ed25519 -N '' -f "$SSHD_DIR/$i" -C "tprof test"
	done
	cp "$SSHD_DIR/key.pub" "$SSHD_DIR/authorized"
	{
		echo "known $(cut -d' ' -f1,2 "$SSHD_DIR/host.pub")"
		echo "stranger $(cut -d' ' -f1,2 "$SSHD_DIR/other.pub")"
	} > "$SSHD_DIR/known"
	cat > "$SSHD_DIR/sshd_config" <<-END
		ListenAddress 127.0.0.1
		Port $SSHD_PORT
		HostKey $SSHD_DIR/host
		AuthorizedKeysFile $SSHD_DIR/authorized
		PidFile $SSHD_DIR/pid
		StrictModes no
		UsePAM no
		PasswordAuthentication no
		KbdInteractiveAuthentication no
		PermitRootLogin prohibit-password
		PrintMotd no
		MaxStartups 100
		Subsystem sftp internal-sftp
	END
	sshd_write_hosts
	# A root's sshd wants its empty directory, which the service would have made.
	if [ "$(id -u)" = 0 ] && [ ! -d /run/sshd ]; then
		mkdir -p /run/sshd && chmod 755 /run/sshd && SSHD_MADE_RUN=yes
	fi
	"$sshd" -D -f "$SSHD_DIR/sshd_config" -E "$SSHD_DIR/log" < /dev/null > /dev/null 2>&1 &
	SSHD_PID=$!
	disown $SSHD_PID
	for i in $(seq 50); do
		timeout 5 ssh -F "$SSHD_CONFIG" -o BatchMode=yes node1 true 2> "$SSHD_DIR/said" &&
			return 0
		kill -0 $SSHD_PID 2> /dev/null || break
		sleep 0.1
	done
	sshd_say "skipped: no login here: $(tail -n 1 "$SSHD_DIR/said") $(tail -n 1 "$SSHD_DIR/log")"
	sshd_down
	return 77
}

sshd_down()
{
	local pid
	[ -n "${SSHD_DIR:-}" ] || return 0
	if [ -n "${SSHD_PID:-}" ]; then
		# Logins that are still open are its children.
		for pid in $(ps -o pid= --ppid "$SSHD_PID" 2> /dev/null) $SSHD_PID; do
			kill "$pid" 2> /dev/null
		done
	fi
	[ -n "${SSHD_MADE_RUN:-}" ] && rmdir /run/sshd 2> /dev/null
	rm -rf "$SSHD_DIR"
	unset SSHD_DIR SSHD_CONFIG SSHD_PORT SSHD_PID SSHD_MADE_RUN
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
	trap sshd_down EXIT
	sshd_up || exit $?
	ssh -F "$SSHD_CONFIG" node2 hostname
fi
