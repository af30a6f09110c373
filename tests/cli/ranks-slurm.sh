# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# --ranks in a step of a real Slurm, which says who is who and names the launch.
# shellcheck source=tests/cluster/slurm.sh
. "$TPROF_SRCDIR/tests/cluster/slurm.sh"
[ "$(cpus_allowed)" -ge 2 ] || skip_all 'two ranks need two CPUs'
trap slurm_down EXIT
slurm_up 2 2>why || skip_all "$(head -n 1 why)"

small_preset two.yaml <<-'END'
	experiment: memcurve
	isa: scalar
	ratio: 1:0
	sizes: [8KiB, 512KiB]
END

# Two nodes of the Slurm are one machine here: the ranks see that, and divide its CPUs.
status=0
ran='srun -N2 -n2 tprof --ranks'
timeout 60 srun -N2 -n2 "$TPROF" --batch two.yaml --ranks --run-dir both >"$TMP/out" 2>"$TMP/err" </dev/null || status=$?
expect_exit 0
expect_err '2 ranks at once'
[ "$(column cpus both/rank-0/points.csv)" != "$(column cpus both/rank-1/points.csv)" ] ||
	fail 'expected ranks on different CPUs'
[ -z "$(ls "$XDG_DATA_HOME/tprof/ranks")" ] || fail 'expected the place of the meeting to be removed'

# A rank more than there are CPUs.
status=0
timeout 60 srun -n $(($(cpus_allowed) + 1)) -O "$TPROF" --batch two.yaml --ranks --run-dir many \
	>"$TMP/out" 2>"$TMP/err" </dev/null || status=$?
[ "$status" -ne 0 ] || fail 'expected more ranks than CPUs to fail'
expect_err 'two on one CPU would measure each other'
