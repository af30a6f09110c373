# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
#
# Processes that see other processes than tprof, or run on another host: they are counted through a folder that both reach. A host is a
# shell here with other processes and another number of its boot, which tprof has not started.
. "$TPROF_CLI/lib.sh"

[ "$(uname -m)" = x86_64 ] || skip_all "the agent counts x86-64 alone"
unshare -mpf --mount-proc true 2>/dev/null || skip_all 'only root has processes that see others'

cc -O2 -ffp-contract=off -I"$TPROF_SRCDIR/include" -o part "$TPROF_SRCDIR/tests/app/part.c" || fail 'part.c does not compile'

count() { # count COMMAND...
	rm -rf run
	run --app --run-dir run --set app.roofs=none --set app.runs=1 --set app.max_time=1ms --report=always -- "$@"
	expect_exit 0
	[ -z "$(ls "$XDG_DATA_HOME/tprof/agents")" ] || fail 'expected that nothing is left in the folder of agents'
}

# A container: the number of a process means another one there, and /proc is its own or that of the host.
for proc in --mount-proc ''; do
	# shellcheck disable=SC2086
	count unshare -pf $proc sh -c './part 1000 & ./part 2000; wait; exec ./part 3000'
	[ "$(cell run/app_processes.csv program=part process=all processes)" = 3 ] || fail "expected 3 processes of part ($proc)"
	[ "$(cell run/app_regions.csv region=part thread=all flops_dp)" = 12000 ] || fail "expected 12000 FLOPs ($proc)"
	[ "$(cell run/app_regions.csv region=part thread=all timed_entries)" = 3 ] || fail "expected 3 timed entries ($proc)"
	[ "$(cell run/app_regions.csv 'region=(program)' thread=all other_hosts_percent)" = '' ] || fail 'expected one host'
	expect_not_err uncounted
done

# It runs commands that come as "NUMBER FOLDER COMMAND", each on a host of that number.
mkfifo commands
cat >host <<'END'
echo "00000000-0000-0000-0000-000000000$1" >boot.$1
mount --bind boot.$1 /proc/sys/kernel/random/boot_id
[ -z "$HIDDEN" ] || mount -t tmpfs none "$HIDDEN"
eval "$2"
END
hosts() {
	local number command
	while read -r number command <&3; do
		(
			unshare -mpf --mount-proc sh ./host "$number" "$command" >"out.$number" 2>&1
			echo $? >"done.$number"
		) &
	done
}
exec 3<>commands
hosts &
trap 'kill %1 2>/dev/null' EXIT

# A launcher: it gives its own environment to the ranks that it starts there.
cp "$(command -v dash || command -v sh)" mpirun
cat >job <<'END'
rank=0
for host in 101 102; do
	rm -f done.$host
	echo "$host PMI_RANK=$rank PMI_SIZE=3 PMI_FD=7 LD_PRELOAD='$LD_PRELOAD' TPROF_AGENT='$TPROF_AGENT' ./part 5000 1" >commands
	rank=$((rank + 1))
done
PMI_RANK=2 PMI_SIZE=3 PMI_FD=7 ./part 5000 1
while [ ! -e done.101 ] || [ ! -e done.102 ]; do
	sleep 0.02
done
cat out.101 out.102
END
count ./mpirun job
for rank in 0 1 2; do
	[ "$(cell run/app_processes.csv program=part process=all rank=$rank flops)" = $((rank == 1 ? 20000 : 10000)) ] ||
		fail "expected the FLOPs of rank $rank"
done
[ "$(cell run/app_regions.csv region=part thread=all flops_dp)" = 40000 ] || fail 'expected 40000 FLOPs in all ranks'
[ "$(cell run/app_regions.csv region=part thread=all timed_entries)" = 3 ] || fail 'expected 3 timed entries'
share=$(cell run/app_regions.csv region=part thread=all other_hosts_percent)
awk -v x="${share:-0}" 'BEGIN { exit !(x > 66 && x < 84) }' || fail "expected that other hosts execute three quarters, not '$share'"
tr '\n' ' ' <err >words
grep -q 'of its instructions were executed on other hosts, and the roofs belong to this one' words || fail 'expected no roof'
expect_not_err 'not counted'

# What TPROF_AGENT is on a host does not show what it is here.
sed -n "s/.*TPROF_AGENT='\([^']*\)'.*/\1/p" out.101 | grep . && fail 'expected that a rank does not see the agent'

# Hosts without the folder: their ranks have names.
export HIDDEN=$XDG_DATA_HOME
sed -i "s|echo \"\$host |&HIDDEN=|" job
echo "$HIDDEN" >hidden
sed -i "s|^\[ -z.*|mount -t tmpfs none \"\$(cat hidden)\"|" host
count ./mpirun job
expect_err '2 of 3 ranks were not counted: 0, 1'
expect_err 'your data folder'

# A tprof that is killed leaves its folder, and the next one removes it.
mkdir -p "$XDG_DATA_HOME/tprof/agents/dead"
touch "$XDG_DATA_HOME/tprof/agents/dead/tree"
count ./part 10
