#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A Slurm of virtual nodes on this machine, for tests: munged, slurmctld and a slurmd a node, with a
# configuration, ports, keys, logs and separate spool directories. To be sourced:
#
#   slurm_up N      N nodes tp1 ... tpN in the partitions "all" (default), "short" (1 minute) and
#                   "few" (tp1 only); sets SLURM_CONF and SLURM_DIR. Returns 77 with the reason if it cannot be: no such programs, or they do not run here. With SLURM_HIDE, the
#                   nodes do not see what is in that folder (slurm_can_hide says whether that works)
#   slurm_down      ends every process of it, and removes its directory
#   slurm_pids      the process ids of its daemons, one a line: "NAME PID"
#   slurmd_start N  starts the daemon of node tpN again
#
# Run as a program, it brings two nodes up, runs `srun -N2 hostname`, and takes them down. Nothing
# of it listens outside of this machine but its ports, which only munge's throw-away key opens.

slurm_say()
{
	echo "slurm.sh: $*" >&2
}

# The programs of daemons are not in the PATH of ordinary users.
slurm_find()
{
	PATH=$PATH:/usr/sbin:/sbin command -v "$1"
}

# A range of free ports: the daemons' are consecutive.
slurm_ports()
{
	local first=$((20000 + ($$ * 37 + RANDOM) % 10000)) port
	for port in $(seq "$first" $((first + $1))); do
		if (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null; then
			slurm_ports "$1"
			return
		fi
	done
	echo "$first"
}

slurm_configure()
{
	local nodes=$1 port=$2 host user i
	host=$(hostname -s)
	user=$(id -un)
	cp "$(dirname "${BASH_SOURCE[0]}")/slurm.conf" "$SLURM_CONF"
	cat >> "$SLURM_CONF" <<-END
		ClusterName=tprof
		SlurmctldHost=$host(127.0.0.1)
		SlurmctldPort=$port
		SlurmUser=$user
		SlurmdUser=$user
		AuthInfo=socket=$SLURM_DIR/munge/socket
		StateSaveLocation=$SLURM_DIR/state
		SlurmdSpoolDir=$SLURM_DIR/spool.%n
		SlurmctldPidFile=$SLURM_DIR/slurmctld.pid
		SlurmdPidFile=$SLURM_DIR/slurmd.%n.pid
		SlurmctldLogFile=$SLURM_DIR/slurmctld.log
		SlurmdLogFile=$SLURM_DIR/slurmd.%n.log
		SlurmctldTimeout=5
		SlurmdTimeout=10
	END
	for i in $(seq "$nodes"); do
		echo "NodeName=tp$i NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + i))" \
			"CPUs=$(nproc) State=UNKNOWN" >> "$SLURM_CONF"
	done
	cat >> "$SLURM_CONF" <<-END
		PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
		PartitionName=short Nodes=ALL MaxTime=1 State=UP
		PartitionName=few Nodes=tp1 MaxTime=INFINITE State=UP
	END
	# Without systemd there are no scopes to put steps into; processes are followed by their parents.
	echo "CgroupPlugin=cgroup/v1" > "$SLURM_DIR/cgroup.conf"
}

slurm_munge()
{
	local dir=$SLURM_DIR/munge
	mkdir -p "$dir"
	chmod 755 "$dir"
	head -c 128 /dev/urandom > "$dir/key"
	chmod 600 "$dir/key"
	"$(slurm_find munged)" --force --key-file="$dir/key" --socket="$dir/socket" \
		--pid-file="$dir/pid" --log-file="$dir/log" --seed-file="$dir/seed" \
		--num-threads=2 > "$dir/said" 2>&1
}

# A mount namespace of the node hides a folder from it.
slurm_can_hide()
{
	unshare -m mount -t tmpfs none /mnt 2> /dev/null
}

slurmd_start()
{
	local hide=()
	# shellcheck disable=SC2016
	[ -z "${SLURM_HIDE:-}" ] || hide=(unshare -m sh -c 'mount -t tmpfs none "$0" && exec "$@"' "$SLURM_HIDE")
	# It stays in the foreground, a child of the shell, so that its id is known at once.
	setsid "${hide[@]}" "$(slurm_find slurmd)" -D -N "tp$1" -f "$SLURM_CONF" \
		> "$SLURM_DIR/slurmd.tp$1.said" 2>&1 < /dev/null &
	echo "tp$1 $!" >> "$SLURM_DIR/pids"
	disown $!
}

slurm_pids()
{
	[ -f "$SLURM_DIR/pids" ] && cat "$SLURM_DIR/pids"
	[ -s "$SLURM_DIR/munge/pid" ] && echo "munged $(cat "$SLURM_DIR/munge/pid")"
	return 0
}

# Every node is idle, within two minutes.
slurm_wait()
{
	local nodes=$1 i idle
	for i in $(seq 1200); do
		idle=$(timeout 50 sinfo -h -N -p all -t idle -o %N 2> /dev/null | grep -c .)
		[ "$idle" = "$nodes" ] && return 0
		sleep 0.1
	done
	return 1
}

slurm_up()
{
	local nodes=${1:-2} tool port
	for tool in munged slurmctld slurmd srun sbatch sinfo squeue scancel; do
		if ! slurm_find "$tool" > /dev/null; then
			slurm_say "skipped: no $tool (Debian: slurm-wlm munge)"
			return 77
		fi
	done
	SLURM_DIR=$(mktemp -d "${TMPDIR:-/tmp}/tprof-slurm.XXXXXX") || return 77
	chmod 755 "$SLURM_DIR"
	export SLURM_DIR SLURM_CONF=$SLURM_DIR/slurm.conf
	mkdir "$SLURM_DIR/state"
	port=$(slurm_ports "$nodes")
	slurm_configure "$nodes" "$port"
	if ! slurm_munge; then
		slurm_say "skipped: munged does not start: $(tail -n 1 "$SLURM_DIR/munge/said")"
		slurm_down
		return 77
	fi
	setsid "$(slurm_find slurmctld)" -D -i -f "$SLURM_CONF" \
		> "$SLURM_DIR/slurmctld.said" 2>&1 < /dev/null &
	echo "slurmctld $!" >> "$SLURM_DIR/pids"
	disown $!
	for tool in $(seq "$nodes"); do
		slurmd_start "$tool"
	done
	if ! slurm_wait "$nodes"; then
		slurm_say "skipped: the nodes do not come up here:"
		tail -n 3 "$SLURM_DIR/slurmctld.log" "$SLURM_DIR/slurmd.tp1.log" >&2
		slurm_down
		return 77
	fi
}

# Steps outlive their daemon. Their managers write to its log, their tasks know the configuration.
slurm_end_steps()
{
	local pid
	while read -r pid; do
		case $(readlink "/proc/$pid/exe") in
		*/slurmstepd*)
			find "/proc/$pid/fd" -lname "$SLURM_DIR/*" 2> /dev/null | grep -q . && kill -KILL "$pid"
			;;
		*)
			grep -qsz "^SLURM_CONF=$SLURM_CONF\$" "/proc/$pid/environ" &&
				grep -qsz '^SLURM_TASK_PID=' "/proc/$pid/environ" && kill -KILL "$pid"
			;;
		esac
	done < <(pgrep -u "$(id -u)") 2> /dev/null
}

slurm_down()
{
	local pid
	[ -n "${SLURM_DIR:-}" ] || return 0
	# Nothing of it is needed again.
	for pid in $(slurm_pids | awk '{ print $2 }'); do
		kill -KILL "$pid" 2> /dev/null
	done
	slurm_end_steps
	[ -n "${SLURM_KEEP:-}" ] || rm -rf "$SLURM_DIR"
	unset SLURM_DIR SLURM_CONF
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
	trap slurm_down EXIT
	slurm_up 2 || exit $?
	timeout 300 srun -N2 -n2 -l hostname
fi
