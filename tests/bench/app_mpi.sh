#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# MPI jobs under tprof --app, with Open MPI and MPICH of Debian: `tprof --app -- mpirun -n 4`, `mpirun -n 4 tprof --app`,
# and, where a Slurm can be brought up (tests/cluster/slurm.sh), `tprof --app -- srun -n 4`. One rank has twice the work.
# Compares FLOPs of the ranks with known ones, the slow rank with the real one, and time in MPI with MPI's own profiling interface in the same launch. Status 1 if FLOPs differ, another rank is called slow,
# or time in MPI differs by more than 10 %.
#
# usage: tests/bench/app_mpi.sh [SWEEPS]	of a rank in each of 10 rounds (default: 3000); more take longer
#
# TPROF names the program (default: build/tprof). Needs openmpi-bin, libopenmpi-dev, mpich, libmpich-dev.
set -u
export LC_ALL=C OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
tprof=${TPROF:-$top/build/tprof}
sweeps=${1:-3000} ranks=4 slow=3
scratch=$(mktemp -d) || exit 2
# shellcheck source=tests/cluster/slurm.sh
. "$top/tests/cluster/slurm.sh"
trap 'slurm_down 2>/dev/null; rm -rf --one-file-system "$scratch"' EXIT
export XDG_DATA_HOME=$scratch/data XDG_CONFIG_HOME=$scratch/config PMPI_FILE=$scratch/pmpi
cd "$scratch" || exit 2
failed=0
options=(--app --run-dir run --set app.roofs=none --set app.runs=1 --set app.max_time=1ms --report=never)

# judge NAME: of ./run and of the last launch that MPI's interface timed
judge() {
	# The first launch is the one that counts.
	tail -n $ranks "$PMPI_FILE" >reference
	awk -F, -v name="$1" -v sweeps="$sweeps" -v ranks=$ranks -v slow=$slow 'FILENAME == "reference" {
			split($0, w, " ")
			theirs += w[2]
			next
		}
		FNR == 1 { delete at; for (i = 1; i <= NF; i++) at[$i] = i; next }
		FILENAME ~ /processes/ && $(at["process"]) == "all" && $(at["rank"]) != "" {
			n++
			ours += $(at["mpi_seconds"])
			if ($(at["slow"]) == "true")
				named = named " " $(at["rank"])
		}
		FILENAME ~ /regions/ && $(at["region"]) == "work" && $(at["thread"]) == "all" { flops = $(at["flops_dp"]) }
		END {
			known = (ranks + 1) * 10 * sweeps * 4096 * 2
			off = theirs ? 100 * (ours / theirs - 1) : 100
			ok = n == ranks && flops == known && named == " " slow && off > -10 && off < 10
			printf "%-34s %5d %14.0f %14.0f  %-9s %8.3f s %8.3f s %+7.2f%% %s\n", name, n, flops, known,
				"rank" (named ? named : " -"), ours, theirs, off, ok ? "ok" : "WRONG"
			exit !ok
		}' reference run/app_processes.csv run/app_regions.csv || failed=1
}

printf '%-34s %5s %14s %14s  %-9s %10s %10s %8s\n' job ranks FLOPs known slow 'in MPI' PMPI differs
for kind in openmpi mpich; do
	command -v "mpicc.$kind" >/dev/null || { echo "$kind is not installed"; continue; }
	"mpicc.$kind" -O2 -I"$top/include" -o "ranks.$kind" "$top/tests/bench/app/ranks.c" "$top/tests/bench/app/pmpi.c" || exit 2
	launch=(mpirun.openmpi --oversubscribe -n "$ranks")
	[ $kind = openmpi ] || launch=(mpiexec.mpich -n "$ranks")
	for form in outside inside; do
		rm -rf run "$PMPI_FILE"
		if [ $form = outside ]; then
			"$tprof" "${options[@]}" -- "${launch[@]}" "./ranks.$kind" "$sweeps" $slow >out 2>err || { cat err; exit 1; }
			judge "tprof -- ${launch[0]}"
		else
			"${launch[@]}" "$tprof" "${options[@]}" -- "./ranks.$kind" "$sweeps" $slow >out 2>err || { cat err; exit 1; }
			judge "${launch[0]} tprof --"
		fi
	done
done
if command -v mpicc.mpich >/dev/null && slurm_up 1 2>up; then
	rm -rf run "$PMPI_FILE"
	"$tprof" "${options[@]}" -- srun --overcommit -n $ranks --mpi=pmi2 ./ranks.mpich "$sweeps" $slow >out 2>err || { cat err; exit 1; }
	judge 'tprof -- srun (MPICH)'
else
	echo "srun: $(cat up 2>/dev/null)"
fi
exit $failed
