# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# --ranks under a real mpirun with PMIx: ranks meet through it, in no directory.
command -v mpirun >/dev/null || skip_all 'there is no mpirun (Debian package openmpi-bin)'
grep -q '^#define HAVE_PMIX 1' "$(dirname "$TPROF")/config.h" 2>/dev/null ||
	skip_all 'this build has no PMIx (Debian package libpmix-dev)'
[ "$(cpus_allowed)" -ge 2 ] || skip_all 'two ranks need two CPUs'
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
timeout 20 mpirun --oversubscribe -n 2 printenv PMIX_NAMESPACE >why 2>&1 </dev/null ||
	skip_all "mpirun does not run here, or has no PMIx: $(head -n 1 why)"

small_preset two.yaml <<-'END'
	experiment: memcurve
	isa: scalar
	ratio: 1:0
	sizes: [8KiB, 512KiB]
END
sed 's/512KiB/256KiB/' two.yaml >other.yaml

# ranks MPIRUN-ARGUMENT...
ranks() {
	status=0
	ran="mpirun $*"
	timeout 60 mpirun --mca odls_base_sigkill_timeout 0 --oversubscribe --bind-to none "$@" >"$TMP/out" 2>"$TMP/err" </dev/null || status=$?
}

ranks -n 2 "$TPROF" --batch two.yaml --ranks --run-dir both
expect_exit 0
expect_err '2 ranks at once'
expect_cells threads '2 2' both/sum/points.csv
[ "$(column cpus both/rank-0/points.csv)" != "$(column cpus both/rank-1/points.csv)" ] ||
	fail 'expected ranks on different CPUs'
grep -q '"launch": "pmix-' both/rank-1/run.json || fail 'expected ranks that meet through PMIx'
[ ! -e "$XDG_DATA_HOME/tprof/ranks" ] || fail 'expected no directory to meet in'

# Ranks that would measure different things.
ranks -n 1 "$TPROF" --batch two.yaml --ranks : -n 1 "$TPROF" --batch other.yaml --ranks
expect_exit 2
expect_err 'rank 1 has another preset or other options than rank 0'

# A point that one of them cannot measure: the engine of rank 1 dies at the second one.
cat >one-dies.sh <<-'END'
	#!/bin/sh
	if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then
		(for i in $(seq 200); do
			sleep 0.05
			[ "$(grep -c '"ev":"point_begin"' dies/rank-1/journal.ndjson 2>/dev/null)" = 2 ] || continue
			kill -9 "$(pgrep -f 'tprof --engine' -P "$$")"
			break
		done) &
	fi
	exec "$@"
END
chmod +x one-dies.sh
small_preset three.yaml <<-'END'
	experiment: memcurve
	isa: scalar
	ratio: 1:0
	runs:
	  - sizes: 8KiB
	  - sizes: 16KiB
	    stop: {max_time: 700ms, max_samples: 1000000, min_count: 100000}
	  - sizes: 32KiB
END
ranks -n 2 ./one-dies.sh "$TPROF" --batch three.yaml --ranks --run-dir dies
expect_exit 3
expect_err 'rank 1 does not measure this point'
expect_cells point '0 2' dies/sum/points.csv
