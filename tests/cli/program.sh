# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: commands that are measured.
. "$TPROF_CLI/lib.sh"

# Whole programs: parameters, numbers from the output, variants that fail, and who may name commands.
cat >sweep.yaml <<'END'
experiment: program
stop: {max_samples: 3}
program:
  command: sh -c "echo n is {n}; test {n} != 3 && echo V is $V && echo as many $(cat again)" name
  n: 1..3
  environment: ["V=x{n}"]
  read: ["n=n is ([0-9]+)", "v=V is .([0-9]+)"]
  before: ["cp {n} again"]
  prepare: ["touch prepared"]
  after: ["rm again"]
  runs: 2
  warmup: 1
END
touch 1 2 3

# Shown, and refused.
run --dry-run sweep.yaml
expect_exit 0
expect_err 'a run would run the code of program.command, and you did not type that: sh -c'
expect_err 'program.environment'
expect_not_err 'program.parameters'
expect_out 'point 1: sh -c "echo n is 2;'
run --batch sweep.yaml --run-dir refused
expect_exit 2
expect_err '--allow-code'
if [ -e refused ] || [ -e prepared ]; then
	fail 'expected nothing to run'
fi

run --batch sweep.yaml --allow-code --run-dir first --csv --report=always
expect_exit 3
expect_cells parameters 'n=1 n=2'
expect_cells samples '3 3'
expect_cells exit_status '0 0'
[ "$(column values | paste -sd ,)" = 'n=1 v=1,n=2 v=2' ] || fail "expected values; got $(column values)"
for name in time_seconds median_metric best_metric minor_faults; do
	expect_numbers $name
done
expect_between best_metric median_metric median_metric
expect_err 'a run to warm up ended with exit status 1; it said: n is 3'
[ -e prepared ] || fail 'expected what program.prepare makes'
[ ! -e again ] || fail 'expected program.after to remove its file'
expect_err 'sh n=2'

# A run that goes on measures what is missing, and needs the same consent.
run --resume first
expect_exit 2
expect_err '--allow-code'
run --resume first --allow-code
expect_exit 3
run --show first --csv
expect_cells parameters 'n=1 n=2'

# A typed command needs no consent. The metric is a number of the output.
echo 'experiment: program' >typed.yaml
run --batch typed.yaml --set 'program.command=sh -c "echo rate {k}"' --set program.k=1..2 --set 'program.read="rate=rate ([0-9]{1,3})"' \
	--set program.metric=more:rate --set stop.max_samples=2 --csv --run-dir typed --report=always
expect_exit 0
expect_cells median_metric '1 2'
expect_cells best_metric '1 2'
expect_err 'Best rate: sh k=2: 2'

# Failures of all kinds are one point each, and in words. Escape sequences do not get through.
cat >bad.yaml <<'END'
experiment: program
stop: {max_samples: 2}
program:
  command: '{tool} -c {what}'
  tool: [sh, no-such-program-here]
  what: [exec sleep 1000, exec yes, kill -SEGV $$, 'printf "\033[2J\033]0;x\007none"', exit 7]
  read: ["n=number ([0-9]+)"]
  warmup: 0
  limit: 3s
END
run --batch bad.yaml --allow-code --run-dir bad --report=always --csv
expect_exit 1
expect_err 'run 1 took longer than 3 s and was killed'
expect_err 'it said: y'
expect_err 'died of signal 11'
expect_err 'the pattern of n does not match the output'
expect_err 'run 1 ended with exit status 7'
expect_err 'there is no such program in PATH'
if grep -q "$(printf '\033')\[2J" err bad/run.json; then
	fail 'expected no escape sequence'
fi

# Words are bytes, and as long as the kernel takes: nothing splits or joins them on the way to the program.
cat >show <<'END'
#!/bin/sh
to=$1
shift
printf '<%s>' "$@" >"$to"
END
chmod +x show
long=$(printf '%5000s' '' | tr ' ' x)
cat >bytes.yaml <<'END'
experiment: program
program:
  command: './show got "" "{v} b" "\x0a\xff\\" LONG'
  v: ['a  {c} "d"']
  before: ['./show got-before "\x09{v}"']
  runs: 1
  warmup: 0
stop: {max_samples: 1}
END
sed -i "s/LONG/$long/" bytes.yaml
run --batch bytes.yaml --allow-code --run-dir bytes
expect_exit 0
printf '<><a  {c} "d" b><\n\377%s><%s>' "\\" "$long" | cmp - got || fail "the words of a program have changed on their way"
printf '<\ta  {c} "d">' | cmp - got-before || fail "the words of a command have changed on their way"

# An interrupt leaves no files.
cat >long.yaml <<'END'
experiment: program
program:
  command: 'sh -c "echo $$ >>pids; sleep 1000 & echo $! >>pids; wait"'
  limit: 1000s
END
start --batch long.yaml --allow-code --run-dir long
written() {
	[ "$(wc -l <pids)" -eq 2 ]
}
await written
kill -INT "$program"
finish
[ "$status" -eq 130 ] || fail "expected exit 130; got $status"
while read -r left; do
	await gone "$left"
done <pids
