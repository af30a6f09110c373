# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
#
# Programs that are trees of processes: all are counted, and added up by program and rank. What cannot be followed is named.
. "$TPROF_CLI/lib.sh"

[ "$(uname -m)" = x86_64 ] || skip_all "the agent counts x86-64 alone"

cc -O2 -ffp-contract=off -I"$TPROF_SRCDIR/include" -o part "$TPROF_SRCDIR/tests/app/part.c" || fail 'part.c does not compile'
cc -O2 -static -I"$TPROF_SRCDIR/include" -o still "$TPROF_SRCDIR/tests/app/part.c" 2>/dev/null || rm -f still

count() { # count COMMAND...
	rm -rf run
	run --app --run-dir run --set app.roofs=none --set app.runs=1 --set app.max_time=1ms --report=always -- "$@"
	expect_exit 0
}

# expect_sum PROCESSES FLOPS: of all processes that ran ./part
expect_sum() {
	[ "$(cell run/app_processes.csv program=part process=all processes)" = "$1" ] || fail "expected $1 processes of part"
	[ "$(cell run/app_processes.csv program=part process=all flops)" = "$2" ] || fail "expected $2 FLOPs in processes"
	[ "$(cell run/app_regions.csv region=part thread=all flops_dp)" = "$2" ] || fail "expected $2 FLOPs in the region"
	[ "$(cell run/app_regions.csv region=part thread=all timed_entries)" = "$1" ] || fail "expected $1 timed entries"
}

count sh -c './part 1000 & ./part 2000 | cat; wait; exec ./part 3000'
expect_sum 3 12000
[ -n "$(cell run/app_processes.csv program=cat process=all processes)" ] || fail 'expected a row of cat'
expect_err 'Counted by agent in '

seq 30 >numbers
count xargs -P 4 -n 1 -a numbers ./part
expect_sum 30 930
[ "$(cell run/app_processes.csv program=part process=2 flops)" = 60 ] || fail 'expected a row of the process that did most'
[ "$(cell run/app_processes.csv program=part process=all cpu_seconds)" != '' ] || fail 'expected CPU time of processes'

# posix_spawn and a program that another one executes in its place, without a shell.
count env A=b nice ./part 77
expect_sum 1 154

# A child into which nothing can be loaded has a name, a reason and a share of the time.
if [ -x still ]; then
	count sh -c './still 20000000; ./part 10'
	expect_sum 1 20
	expect_err 'still: ran uncounted, 1 time: it is linked statically'
	[ "$(cell run/app_processes.csv program=still process=all uncounted)" != '' ] || fail 'expected a reason'
	share=$(cell run/app_regions.csv 'region=(program)' thread=all uncounted_percent)
	awk -v x="${share:-0}" 'BEGIN { exit !(x > 20 && x <= 100) }' || fail "expected a share of the time, not '$share'"
	[ "$(cell run/app_regions.csv region=part thread=all incomplete)" = true ] || fail 'expected that this is incomplete'
fi

# Ranks, as a launcher makes them: by variables that are not in the environment of tprof.
cat >launch <<'END'
#!/bin/sh
for rank in 0 1 2; do
	PMI_RANK=$rank PMI_SIZE=$1 PMI_FD=7 ./part 5000 1 &
done
wait
END
chmod +x launch
count ./launch 3
[ "$(cell run/app_processes.csv program=part process=all rank=0 flops)" = 10000 ] || fail 'expected 10000 FLOPs in rank 0'
[ "$(cell run/app_processes.csv program=part process=all rank=1 flops)" = 20000 ] || fail 'expected 20000 FLOPs in rank 1'
[ "$(cell run/app_regions.csv region=part thread=all flops_dp)" = 40000 ] || fail 'expected 40000 FLOPs in all ranks'
count ./launch 5
expect_err '2 of 5 ranks were not counted: 3, 4'
# tprof inside a job: its own rank is not the program's.
PMI_RANK=0 PMI_SIZE=1 PMI_FD=7 count sh -c './part 5; ./part 6'
[ "$(cell run/app_processes.csv program=part process=all rank)" = '' ] || fail 'expected no rank'
# Of tprof as several ranks, rank 0 speaks.
PMI_RANK=1 PMI_SIZE=2 PMI_FD=7 run --app -- ./part 5
expect_exit 0
expect_no_out
expect_no_err
# It launches the job again as it was launched. Hydra cuts its lists of hosts at the commas, in what /proc shows of it.
cat >mpiexec <<'END'
#!/bin/sh
echo "$*" >>called
until [ -x "$1" ]; do shift; done
PMI_RANK=0 PMI_SIZE=2 PMI_FD=7 "$@"
END
chmod +x mpiexec
./mpiexec -hosts h1 h2 -n 2 "$TPROF" --app --run-dir job --set app.roofs=none --set app.runs=1 --set app.max_time=1ms -- ./part 5 >out 2>err ||
	fail 'expected that rank 0 launches the job'
[ "$(tail -n 1 called)" = '-hosts h1,h2 -n 2 ./part 5' ] || fail "expected the list of hosts, not: $(tail -n 1 called)"

# Time in a library of MPI has columns: MPI_Init (80 ms) and other functions (100 ms) except its clock. Rank 1 works
# for 240 ms and the others for 30.
cc -O2 -shared -fPIC -o libmpi.so "$TPROF_SRCDIR/tests/app/fake_mpi.c" || fail 'fake_mpi.c does not compile'
cc -O2 -DPROGRAM -o rank "$TPROF_SRCDIR/tests/app/fake_mpi.c" "$PWD/libmpi.so" || fail 'fake_mpi.c does not link'
sed 's/PMI_FD=7.*/PMI_FD=7 .\/rank \&/' launch >launch-mpi
chmod +x launch-mpi
count ./launch-mpi 3
for rank in 0 1 2; do
	row=$(for column in start_seconds mpi_seconds slow; do cell run/app_processes.csv program=rank process=all rank=$rank $column; done)
	awk -v row="${row//$'\n'/ }" -v slow="$([ $rank -eq 1 ] && echo true || echo false)" 'BEGIN {
		split(row, w, " ")
		exit !(w[1] >= 0.08 && w[2] >= 0.1 && w[3] == slow)
	}' || fail "rank $rank: seconds of MPI_Init, in MPI, and slow are $row"
done
expect_err 'MPI job of 3 ranks: '
expect_err 'rank 1 is slow:'

# A real MPI, with a rank that has twice the work; and tprof started as the ranks.
if have mpiexec.mpich && echo '#include <mpi.h>' | mpicc.mpich -E - >/dev/null 2>&1; then
	mpicc.mpich -O2 -I"$TPROF_SRCDIR/include" -o ranks "$TPROF_SRCDIR/tests/bench/app/ranks.c" || fail 'ranks.c does not compile'
	check_ranks() {
		[ "$(cell run/app_processes.csv program=ranks process=all rank=0 flops)" -ge 8192000 ] || fail 'expected the FLOPs of rank 0'
		[ "$(cell run/app_regions.csv region=work thread=all flops_dp)" = 24576000 ] || fail 'expected 24576000 FLOPs in the region'
		[ "$(cell run/app_processes.csv program=ranks process=all rank=1 start_seconds)" != '' ] || fail 'expected the time of MPI_Init'
		[ "$(cell run/app_processes.csv program=ranks process=all rank=1 mpi_seconds)" != '' ] || fail 'expected time in MPI'
		expect_err 'MPI job of 2 ranks: '
	}
	count mpiexec.mpich -n 2 ./ranks 100 1
	check_ranks
	rm -rf run
	ran='mpiexec.mpich -n 2 tprof --app'
	status=0
	mpiexec.mpich -n 2 "$TPROF" --app --run-dir run --set app.roofs=none --set app.runs=1 --set app.max_time=1ms --report=always -- \
		./ranks 100 1 >out 2>err </dev/null || status=$?
	expect_exit 0
	check_ranks
else
	skip 'no MPICH (Debian packages mpich and libmpich-dev)'
fi
