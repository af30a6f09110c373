# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: the ends of other programs.
. "$TPROF_CLI/lib.sh"

# Programs that a user or the kernel ends, and their children: messages name the cause, and the results so far are kept. The end of an engine is in
# engine-killed.sh, that of a node in cluster-local.sh, that of a worker in worker.sh.
ulimit -c 0
export COLUMNS=200

# expect_words TEXT: stderr has it, wherever its lines break.
expect_words() {
	tr -s ' \n' ' ' <"$TMP/err" | grep -qF -- "$1" || fail "expected on stderr: $1"
}
by_kill='was killed (signal 9; by a user, or because memory ran out)'
by_fault='died of signal 11 (Segmentation fault)'

# shellcheck disable=SC2016
for signal in KILL SEGV; do
	case $signal in
	KILL) words=$by_kill code=137 ;;
	SEGV) words=$by_fault code=139 ;;
	esac
	run --profile --run-dir "profile-$signal" -- sh -c "sleep 0.1; kill -$signal \$\$"
	expect_exit "$code"
	expect_words "The program $words."
	printf 'experiment: program\nprogram: {command: "sh -c {what}", what: ["kill -%s $$", "true"], runs: 2}\n' $signal >sweep.yaml
	run --batch sweep.yaml --allow-code --run-dir "sweep-$signal"
	expect_exit 3
	expect_words "a run to warm up $words"
	expect_words '1 of 2 points'
done

# Counted programs: the counts of a process until then are kept, and one among several is reported.
[ "$(uname -m)" = x86_64 ] || exit 0
once=(--app --set app.roofs=none --set app.runs=1 --set app.max_time=1ms)
# shellcheck disable=SC2016
for signal in KILL SEGV; do
	case $signal in
	KILL) words=$by_kill code=137 ;;
	SEGV) words=$by_fault code=139 ;;
	esac
	run "${once[@]}" --run-dir "app-$signal" -- sh -c "kill -$signal \$\$"
	expect_exit "$code"
	expect_words "The program $words; what it did before is counted"
	[ "$(awk -F, 'NR == 2 { print $2 }' "app-$signal/app_classes.csv")" ] || fail 'expected counts'
	run "${once[@]}" --run-dir "child-$signal" -- sh -c "sh -c 'kill -$signal \$\$'; (exit 3); /bin/true; exit 0"
	expect_exit 0
	expect_words 'a signal ended 1 of 4 processes: their counts end there'
	expect_words 'Counted by agent in 4 processes'
done
# The rank of a job.
cat >launch <<'END'
#!/bin/sh
for rank in 0 1 2; do
	PMI_RANK=$rank PMI_SIZE=3 PMI_FD=7 sh -c 'test $PMI_RANK -ne 1 || kill -KILL $$; sleep 0.01' &
done
wait
END
chmod +x launch
run "${once[@]}" --run-dir job -- ./launch
expect_exit 0
expect_err_line 'tprof: rank 1, .*: a signal ended 1 of [0-9]+ processes: .*'
# None of these was ended by a signal.
run "${once[@]}" --run-dir whole -- sh -c '(exit 3); /bin/true; exec /bin/true'
expect_exit 0
expect_not_err 'a signal ended'
