# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
#
# The commands about programs that README and the manual print run as printed, and do what the text claims. They are taken from
# these texts; the programs that they name are made here.
. "$TPROF_CLI/lib.sh"

[ "$(uname -m)" = x86_64 ] || skip_all "the agent counts x86-64 alone"
have make || exit 77

# --- what they name ---

mkdir bin build
ln -s "$TPROF" bin/tprof
ln -s "$TPROF" build/tprof
export PATH=$PWD/bin:$PATH

# Regions are marked as in the example of tprof-app(1).
sed -n '/^\.Bd -literal/,/^\.Ed/p' "$TPROF_SRCDIR/man/tprof-app.1" | grep -v '^\.' >marks
{
	grep '^#include' marks
	cat <<'END'
#include <stdio.h>
#include <unistd.h>
static double x[1000], y[1000];
static void assemble(void)
{
	for (int i = 0; i < 1000; i++)
		x[i] = x[i] + 0.5;
}
__attribute__((noinline)) void spmv_csr(void)
{
	for (int i = 0; i < 1000; i++)
		y[i] = y[i] + 0.5 * x[i];
}
__attribute__((noinline)) void solve(void)
{
	spmv_csr();
}
int main(void)
{
END
	grep -v '^#include' marks
	# Long enough for samples.
	echo 'solve(); usleep(60000); puts(y[7] == 0.25 ? "right" : "wrong"); return 0; }'
} >program.c
cc -O2 -ffp-contract=off -I"$TPROF_SRCDIR/include" -o program program.c || fail 'the example of regions does not compile'
cp program yourprogram
: >matrix.mtx
printf '%s\n' 'TABLE,Group 1 Metric,MEM_DP,2' 'Metric,HWThread 0' 'DP [MFLOP/s],100' 'Operational intensity,0.1' >likwid.csv
printf 'part:\n\tcc -I%s/include -o $@ %s/tests/app/part.c\n' "$TPROF_SRCDIR" "$TPROF_SRCDIR" >Makefile

# A launcher and a library as much like MPI's as tprof looks.
cc -O2 -shared -fPIC -o libmpi.so "$TPROF_SRCDIR/tests/app/fake_mpi.c" || fail 'fake_mpi.c does not compile'
cc -O2 -DPROGRAM -o solver "$TPROF_SRCDIR/tests/app/fake_mpi.c" "$PWD/libmpi.so" || fail 'fake_mpi.c does not link'
cp solver yoursolver
cp "$TPROF_SRCDIR/tests/app/fake_mpirun" bin/mpirun
cp bin/mpirun bin/srun

# --- the commands ---

# commands FILE: those that a manual page shows in a line or in quotes, and README as code.
commands() {
	tr '\140' '\n' <"$1" | sed -e 's/^\.D[l1] //' -e 's/^\.Ql //' -e 's/^    //' |
		grep -E '^([a-z]+ -n 4 )?(build/)?tprof (--(app|profile) .*-- |--show last)'
}
for file in README.md doc/guide.md man/tprof-app.1 man/tprof-profile.1 man/tprof.1.in; do
	commands "$TPROF_SRCDIR/$file" || fail "there are no commands in $file"
done | awk '!seen[$0]++' >printed
[ "$(wc -l <printed)" -ge 13 ] || fail "expected 13 commands and more: $(cat printed)"

# flops REGION: of the last run
flops() {
	awk -F, -v region="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["region"] == region && $at["thread"] == "all" { print $at["flops_dp"]; exit }' "$directory/app_regions.csv"
}

# Short runs without roofs; the commands stay as they are.
export TPROF_APP_ROOFS=none TPROF_APP_RUNS=1 TPROF_APP_MAX_TIME=1ms
while read -r command; do
	ran=$command status=0
	rm -f part
	bash -c "$command" >out 2>err </dev/null || status=$?
	expect_exit 0
	case $command in
	*--show*) continue ;;
	esac
	directory=$(sed -n 's/.*, saved in \([^ ]*\).*/\1/p' err)
	expect_err 'tprof · complete · '
	expect_not_err 'no function'
	case $command in
	*'> file') [ "$(cat file)" = right ] || fail 'expected what the program prints in the file, and nothing else' ;;
	*program*) expect_out_line right ;;
	esac
	case $command in
	*--profile*) continue ;;
	*program*) [ "$(flops assemble)" = 1000 ] || fail 'expected 1000 FLOPs in assemble' ;;
	*solver*) expect_err 'MPI job of 4 ranks: ' ;;
	esac
	expect_err 'Counted by agent '
	expect_not_err 'no verdict'
	case $command in
	*threads=1,all*) expect_err ' · 1 thread' ;;
	*spmv_csr*--levels*)
		[ "$(flops spmv_csr)" = 2000 ] || fail 'expected 2000 FLOPs in spmv_csr'
		expect_err 'Bytes that came from each level'
		;;
	esac
done <printed
expect_file run.html
expect_file program.svg
