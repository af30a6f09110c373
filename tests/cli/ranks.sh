# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# --ranks: processes that go through the points of a preset together.
for variable in OMPI_COMM_WORLD_RANK MV2_COMM_WORLD_RANK PMI_RANK SLURM_PROCID; do
	unset "$variable"
done

small_preset two.yaml <<-'END'
	experiment: memcurve
	isa: scalar
	ratio: 1:0
	sizes: [8KiB, 512KiB]
END

# Bad input: words, and nothing is measured.
run --batch two.yaml --ranks
expect_exit 2
expect_err 'no launcher says which rank this process is'
run --batch two.yaml --ranks=2/2 --ranks-dir meet
expect_exit 2
expect_err '--ranks=2/2 is no rank'
run --batch two.yaml --ranks=0/2
expect_exit 2
expect_err 'give all ranks a new directory that they see: --ranks-dir DIR'
run --ranks=0/2
expect_exit 2
expect_err '--ranks belongs to --batch'

# One rank is a run as any other, and tidies up.
run --batch two.yaml --ranks=0/1 --ranks-dir meet --run-dir one
expect_exit 0
expect_err '1 ranks at once'
expect_cells point '0 1' one/rank-0/points.csv
[ ! -e meet ] || fail 'expected the place of the meeting to be removed'

if [ "$(cpus_allowed)" -lt 2 ]; then
	skip 'two ranks need two CPUs'
	exit 0
fi

# Two, as a launcher says it. The files of an earlier launch that was killed mean nothing.
mkdir meet
printf 'tprof-ranks 1\nnonce 0000000000000001\nsize 2\nhost a\ncpus 0\n' >meet/hello-1
: >meet/00000000000000aa.0-begin.1
OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 "$TPROF" --batch two.yaml --ranks --ranks-dir meet \
	--run-dir both --csv >other.out 2>other.err </dev/null &
other=$!
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 run --batch two.yaml --ranks --ranks-dir meet --run-dir both --csv
code=0
wait $other || code=$?
expect_exit 0
[ "$code" = 0 ] || fail "expected rank 1 to end with 0, not $code: $(cat other.err)"
expect_err '2 ranks at once'
expect_cells point '0 1'
[ ! -s other.out ] || fail 'expected no output of rank 1'
[ ! -e meet ] || fail "expected the place of the meeting to be removed: $(ls meet)"
for rank in 0 1; do
	expect_cells point '0 1' "both/rank-$rank/points.csv"
done
# Each on CPUs of its own, and the sums are those of both.
[ "$(column cpus both/rank-0/points.csv)" != "$(column cpus both/rank-1/points.csv)" ] ||
	fail 'expected ranks on different CPUs'
expect_cells threads '2 2' both/sum/points.csv
[ "$(column working_set_bytes both/sum/points.csv)" = "$(column working_set_bytes both/rank-0/points.csv)" ] ||
	fail 'expected the working set of a thread'
# Within a core they are sums to the last digit; where windows tell what both did at the same time, they decide.
awk -F, 'NR == 2 && ($4 <= 0 || ($4 - $5 - $6) ^ 2 > ($4 * 1e-4) ^ 2) || NR == 3 && ($4 <= 0 || $5 <= 0 || $6 <= 0) { bad = 1 }
	END { exit NR != 3 || bad }' \
	both/sum/ranks.csv || fail "expected sums: $(cat both/sum/ranks.csv)"

# The run of both is one as any other.
run --show both/sum
expect_exit 0
expect_out '2 at the same time: rates are sums'
run --compare both/sum both/sum
expect_exit 0
expect_out 'Nothing changed'

# Ranks that would measure different things are told so, all of them.
sed 's/512KiB/256KiB/' two.yaml >other.yaml
"$TPROF" --batch other.yaml --ranks=1/2 --ranks-dir meet --run-dir different >other.out 2>other.err </dev/null &
other=$!
run --batch two.yaml --ranks=0/2 --ranks-dir meet --run-dir different
code=0
wait $other || code=$?
expect_exit 2
expect_err 'rank 1 has another preset or other options than rank 0'
[ "$code" = 2 ] || fail "expected rank 1 to end with 2, not $code: $(cat other.err)"
grep -q 'rank 1 has another preset' other.err || fail "expected words of rank 1: $(cat other.err)"
[ ! -e meet ] || fail "expected the place of the meeting to be removed: $(ls meet)"

# One that does not come so far does not let the others wait.
"$TPROF" --batch no-such-preset --ranks=1/2 --ranks-dir meet >other.out 2>other.err </dev/null &
other=$!
run --batch two.yaml --ranks=0/2 --ranks-dir meet --run-dir alone
wait $other
expect_err 'rank 1 ended before'
[ "$status" -ne 0 ] || fail 'expected a failure'
