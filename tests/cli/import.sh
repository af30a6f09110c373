# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: files of other tools.
. "$TPROF_CLI/lib.sh"

# Results of other tools as dots below the roofs of a run, and as roofs to show and compare; wrong files are refused in words.
printf '%s\n' 'Date,Method,Name,ISA,Precision,Threads,AI,Gflops,Bandwidth,Time' 'd,DBI,spmv,avx2,dp,4,0.166,3.25,19.5,1.5' >programs.csv
{
	echo 'Name:,node,L1 Size:,32,L2 Size:,1024,L3 Size:,0,,L1,L1,L2,L2,L3,L3,DRAM,DRAM,FP,FP,FP FMA,FP_FMA'
	echo 'Date,ISA,Precision,Threads,Loads,Stores,Interleaved,DRAM Bytes,FP Inst.,GB/s,I/Cycle,GB/s,I/Cycle,GB/s,I/Cycle,GB/s,I/Cycle,Gflop/s,I/Cycle,Gflop/s,I/Cycle'
	echo 'd,avx512,dp,1,2,1,No,524288,add,331.7,2.9,117,1,0,0,27.8,0.2,29.5,2,58.7,2'
} >roofs.csv

run --import programs.csv
expect_exit 0
expect_no_err
[ "$(cat out)" = spmv:0.166,3.25 ] || fail 'expected one dot'
echo 'd,PMU,idle,avx2,dp,4,0,0,0,1.5' >>programs.csv
run --import programs.csv
expect_exit 0
expect_err 'programs.csv: 1 entry without a rate and an intensity left out'
run --batch quick --machine zen4 --simulate --run-dir simulated -q
expect_exit 0
run --show simulated --dot programs.csv --dot mine:1,2
expect_exit 0
expect_out spmv
expect_out mine
run --batch quick --machine zen4 --simulate --dot programs.csv --run-dir with-dot -q
expect_exit 0
grep -qF '"own_dots.1": "spmv:0.166,3.25"' with-dot/run.json || grep -qF 'spmv:0.166,3.25' with-dot/run.json || fail 'expected the dot in run.json'

run --import roofs.csv -o carm.csv
expect_exit 0
expect_no_out
[ "$(column level carm.csv | paste -sd ' ')" = 'L1 L2 DRAM FP FP' ] || fail "expected five roofs: $(cat carm.csv)"
run --show carm.csv
expect_exit 0
expect_out 331.7
expect_out 58.7
run --compare carm.csv carm.csv
expect_exit 0

run --show simulated --dot roofs.csv
expect_exit 2
expect_err 'roofs.csv: holds roofs, not dots'
run --show simulated --dot nosuch.csv
expect_exit 2
expect_err '--dot "nosuch.csv"'
echo a,b >other.csv
for command in '--import other.csv' '--show simulated --dot other.csv'; do
	# shellcheck disable=SC2086
	run $command
	expect_exit 2
	expect_err 'other.csv: is not a result of a tool that can be imported'
	expect_err 'likwid-perfctr -O'
done
run --import nosuch.csv
[ "$status" -ne 0 ] || fail 'expected a file that is not there to be refused'
