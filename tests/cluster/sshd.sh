#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A real sshd on a high port of this machine, for tests, with keys that are thrown away. To be
# sourced:
#
#   sshd_up    sets SSHD_DIR, SSHD_PORT and SSHD_CONFIG, a configuration for `ssh -F` that knows the
#              hosts node1 ... node9 (all of them this machine, each with its own home in
#              SSHD_DIR/home/NAME, whose bin/ is the first folder of PATH), "refused" (a login that is
#              refused), "stranger" (its key is another one than known), "closed" (nobody listens)
#              and "silent" (it takes the connection, and says nothing). Returns 77 with the reason if it cannot be
#   sshd_down  ends it, and removes its directory

sshd_say()
{
	echo "sshd.sh: $*" >&2
}

# The program of a daemon is not in the PATH of ordinary users.
sshd_find()
{
	PATH=$PATH:/usr/sbin:/sbin command -v "$1"
}

sshd_write_hosts()
{
	local i
	{
		for i in 1 2 3 4 5 6 7 8 9; do
			printf 'Host node%s\n\tSetEnv SSHD_NODE=node%s\n' $i $i
		done
		printf 'Host stranger\n\tHostKeyAlias stranger\n'
		printf 'Host closed\n\tPort 1\n'
		printf 'Host silent\n\tPort %s\n' $((SSHD_PORT + 1))
		printf 'Host refused\n\tIdentityFile %s\n' "$SSHD_DIR/other"
		printf 'Host * !refused\n\tIdentityFile %s\n' "$SSHD_DIR/key"
		printf 'Host *\n\tHostName 127.0.0.1\n\tHostKeyAlias known\n\tPort %s\n\tUser %s\n' \
			"$SSHD_PORT" "$(id -un)"
		# The cheapest: tests connect often.
		printf '\tKexAlgorithms curve25519-sha256\n'
		printf '\tIdentitiesOnly yes\n\tIdentityAgent none\n'
		printf '\tUserKnownHostsFile %s\n\tGlobalKnownHostsFile /dev/null\n' "$SSHD_DIR/known"
		printf '\tStrictHostKeyChecking yes\n\tPasswordAuthentication no\n'
	} > "$SSHD_CONFIG"
}

# What a login runs: the command, in the home of the node.
sshd_write_enter()
{
	cat > "$SSHD_DIR/enter" <<-END
		#!/bin/sh
		HOME=$SSHD_DIR/home/\${SSHD_NODE:-none}
		PATH=\$HOME/bin:/usr/bin:/bin
		export HOME PATH
		mkdir -p "\$HOME/bin" && cd "\$HOME" && exec /bin/sh -c "\$SSH_ORIGINAL_COMMAND"
	END
	chmod 755 "$SSHD_DIR/enter"
}

sshd_write_config()
{
	cat > "$SSHD_DIR/sshd_config" <<-END
		ListenAddress 127.0.0.1
		HostKey $SSHD_DIR/host
		AuthorizedKeysFile $SSHD_DIR/authorized
		PidFile none
		StrictModes no
		UsePAM no
		PasswordAuthentication no
		KbdInteractiveAuthentication no
		PermitRootLogin prohibit-password
		PrintMotd no
		MaxStartups 100
		AcceptEnv SSHD_NODE
		ForceCommand $SSHD_DIR/enter
	END
}

# sshd_start PORT: its process is in $!.
sshd_start()
{
	"$(sshd_find sshd)" -D -f "$SSHD_DIR/sshd_config" -p "$1" \
		-E "$SSHD_DIR/log.$1" < /dev/null > /dev/null 2>&1 &
	disown $!
}

# sshd_await COMMAND...: until it succeeds, within a minute.
sshd_await()
{
	local i
	for i in $(seq 600); do
		"$@" 2> "$SSHD_DIR/said" && return 0
		kill -0 "$SSHD_PID" 2> /dev/null || break
		sleep 0.1
	done
	return 1
}

sshd_login()
{
	timeout 50 ssh -F "$SSHD_CONFIG" -o BatchMode=yes node1 true
}

sshd_listens()
{
	: < "/dev/tcp/127.0.0.1/$1"
}

sshd_up()
{
	local i
	for i in sshd ssh ssh-keygen; do
		if ! sshd_find $i > /dev/null; then
			sshd_say "skipped: no $i (Debian: openssh-server openssh-client)"
			return 77
		fi
	done
	SSHD_DIR=$(mktemp -d "${TMPDIR:-/tmp}/tprof-sshd.XXXXXX") || return 77
	SSHD_CONFIG=$SSHD_DIR/config
	SSHD_PORT=$((30000 + ($$ * 41 + RANDOM) % 10000 * 2))
	export SSHD_DIR SSHD_CONFIG SSHD_PORT
	for i in host key other; do
		ssh-keygen -q -t ed25519 -N '' -f "$SSHD_DIR/$i" -C "tprof test"
	done
	cp "$SSHD_DIR/key.pub" "$SSHD_DIR/authorized"
	{
		echo "known $(cut -d' ' -f1,2 "$SSHD_DIR/host.pub")"
		echo "stranger $(cut -d' ' -f1,2 "$SSHD_DIR/other.pub")"
	} > "$SSHD_DIR/known"
	sshd_write_config
	sshd_write_enter
	sshd_write_hosts
	# A root's sshd needs its empty directory, which the service would have made.
	if [ "$(id -u)" = 0 ] && [ ! -d /run/sshd ]; then
		mkdir -p /run/sshd && chmod 755 /run/sshd
		SSHD_MADE_RUN=yes
	fi
	sshd_start "$SSHD_PORT"
	SSHD_PID=$!
	sshd_start $((SSHD_PORT + 1))
	SSHD_SILENT_PID=$!
	if ! sshd_await sshd_login || ! sshd_await sshd_listens $((SSHD_PORT + 1)); then
		sshd_say "skipped: no login here: $(tail -n 1 "$SSHD_DIR/said")" \
			"$(tail -qn 1 "$SSHD_DIR"/log.*)"
		sshd_down
		return 77
	fi
	# The kernel still takes connections for it.
	kill -STOP $SSHD_SILENT_PID
}

sshd_down()
{
	local pid
	[ -n "${SSHD_DIR:-}" ] || return 0
	if [ -n "${SSHD_PID:-}" ]; then
		# Logins that are still open are its children.
		for pid in $(ps -o pid= --ppid "$SSHD_PID" 2> /dev/null) "$SSHD_PID"; do
			kill "$pid" 2> /dev/null
		done
		kill -KILL "$SSHD_SILENT_PID" 2> /dev/null
	fi
	[ -n "${SSHD_MADE_RUN:-}" ] && rmdir /run/sshd 2> /dev/null
	# What runs in a home may still write there.
	for pid in 1 2 3; do
		rm -rf "$SSHD_DIR" 2> /dev/null && break
		sleep 0.3
	done
	unset SSHD_DIR SSHD_CONFIG SSHD_PORT SSHD_PID SSHD_SILENT_PID SSHD_MADE_RUN
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
	trap sshd_down EXIT
	sshd_up || exit $?
	for host in node2 refused stranger closed silent; do
		echo "$host: $(ssh -F "$SSHD_CONFIG" -o ConnectTimeout=1 $host pwd 2>&1 | tail -n 1)"
	done
fi
