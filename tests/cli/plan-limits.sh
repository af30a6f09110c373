# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# Plans beyond all measure are refused in words, at once and in little memory.
list() { # list N: 1,2,...,N
	seq -s, "$1"
}
limited() { # limited ARGUMENT...: within 300 s and 600 MB of address space
	ran="tprof $*"
	status=0
	(ulimit -v 600000 && timeout 300 "$TPROF" "$@") >out 2>err </dev/null || status=$?
}
(ulimit -v 600000 && "$TPROF" --version) >out 2>&1 || skip_all 'the program does not start with an address space of 600 MB'
cat >search.yaml <<END
experiment: autotune
routine: dgemm
autotune: {n: [$(list 300)], m: [$(list 300)], k: [$(list 300)]}
END
for command in --dry-run --check --batch; do
	limited $command search.yaml
	expect_exit 4
	expect_err '27000000 configurations (300 x 300 x 300)'
	expect_err 'may have 262144'
	expect_err 'autotune.n, m or k'
done
sed -i "s/^autotune:.*/autotune: {n: [$(list 1000)], m: [$(list 1000)], k: [$(list 1000)]}/" search.yaml
limited --dry-run search.yaml
expect_exit 4
expect_err '1000000000 configurations (1000 x 1000 x 1000)'

# Just as many as are allowed, in one search; a second one has no room.
sed -i "s/^autotune:.*/autotune: {n: [$(list 64)], m: [$(list 64)], k: [$(list 64)]}/" search.yaml
limited --dry-run search.yaml
expect_exit 0
expect_out '262144 configurations: n 1-64, m 1-64, k 1-64'
limited --dry-run search.yaml --set technique=racing,c+i
expect_exit 4
expect_err 'in addition to other searches'
limited --dry-run search.yaml --set routine=dgemm,sgemm
expect_exit 4

# Of squares, those that both lists have.
limited --dry-run search.yaml --set autotune.square=yes --set "autotune.m=64,2,1000"
expect_exit 0
expect_out '128 configurations: n 2-64, m 2-64, k 1-64'

# Many runs with long lists.
{
	echo "experiment: memcurve"
	echo "isa: scalar"
	echo "sizes: [$(seq -f '%.0fKiB' -s, 4 4 4096)]"
	echo "ratio: [1:0, 0:1, 1:1, 2:1]"
	echo runs:
	for ((i = 0; i < 256; i++)); do
		echo "  - {}"
	done
} >many.yaml
limited --dry-run many.yaml
expect_exit 4
expect_err 'more than 65536 points'

# The same obstacle is reported once, and the advice names options that the experiment takes.
cat >bound.yaml <<'END'
experiment: roofline
isa: scalar
affinity: "0,9999"
threads: [1, 2]
runs:
  - {level: L1}
  - {level: L2}
END
run --check bound.yaml
expect_exit 2
expect_count 1 'CPU 9999 does not exist' err
cat >large.yaml <<'END'
isa: scalar
threads: 1
cache_size: {L3: 512GiB}
END
for experiment in roofline mixed; do
	run --check large.yaml --set experiment=$experiment --set level=DRAM
	expect_exit 4
	expect_err 'memory may be used'
	expect_not_err size_max
	expect_err 'level: '
done
run --check large.yaml --set experiment=memcurve --set sizes=512GiB
expect_exit 4
expect_err 'sizes: '

# Small stacks are enough.
small_preset tiny.yaml <<'END'
experiment: memcurve
isa: scalar
ratio: 1:0
sizes: [8KiB, 16KiB]
END
for command in "--batch tiny.yaml --run-dir little" "--resume little" "--dry-run quick" "--show little" "--list machines" "doctor" \
	"--compare little little" "--print-config quick" "--classify $TPROF_SRCDIR/tests/cli/old-runs/counters/readings.csv"; do
	# shellcheck disable=SC2086 # words
	(ulimit -s 120 && "$TPROF" $command) >out 2>err </dev/null
	status=$?
	ran="ulimit -s 120; tprof $command"
	[ "$status" -lt 126 ] || fail 'expected it to end in good order'
done
