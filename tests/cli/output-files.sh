# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# Files that are written over stay what they are, and slow or missing readers are reported.
run_dir=$TPROF_SRCDIR/tests/cli/old-runs/kernels
mode() {
	stat -c %a "$1"
}
run --show "$run_dir" --csv
expect_exit 0
cp out expected.csv

# Permissions stay.
for bits in 600 640 666; do
	echo old >kept.csv
	chmod $bits kept.csv
	run --show "$run_dir" --csv -o kept.csv
	expect_exit 0
	cmp -s expected.csv kept.csv || fail 'expected the table in the file'
	[ "$(mode kept.csv)" = $bits ] || fail "expected the permissions $bits; got: $(mode kept.csv)"
done

# A link stays a link, also one that leads to nothing yet.
mkdir elsewhere
echo old >elsewhere/there.csv
for name in there new; do
	ln -s elsewhere/$name.csv $name.link
	run --show "$run_dir" --csv -o $name.link
	expect_exit 0
	[ -L $name.link ] || fail 'expected the link to be there'
	cmp -s expected.csv elsewhere/$name.csv || fail 'expected the table where the link leads'
done

# So do several names of one file.
echo old >one.csv
ln one.csv other.csv
run --show "$run_dir" --csv -o one.csv
expect_exit 0
cmp -s expected.csv other.csv || fail 'expected both names to have the table'

# A write-protected file is refused, before anything is measured.
echo old >closed.csv
chmod 444 closed.csv
run --show "$run_dir" --csv -o closed.csv
expect_exit 4
expect_err 'closed.csv: is there already and is write-protected'
run --batch quick --csv -o closed.csv
expect_exit 4
expect_err 'nothing was measured'
[ "$(cat closed.csv)" = old ] || fail 'expected the file as it was'
[ "$(find . -name '*.csv.*' | wc -l)" -eq 0 ] || fail 'expected no temporary files'

# A file that may not grow, in every command that writes.
for command in "--show $run_dir --json -o big.json" "--show $run_dir --svg big.json"; do
	# shellcheck disable=SC2086 # words
	(ulimit -f 1 && "$TPROF" $command >out 2>err)
	status=$?
	expect_exit 4
	expect_err 'File too large'
	expect_err 'ulimit -f'
	[ "$(find . -name 'big.json*' | wc -l)" -eq 0 ] || fail "expected no files: $(ls)"
done
(ulimit -f 1 && "$TPROF" --show "$run_dir" --json >limited.json 2>err)
status=$?
expect_exit 4
expect_err 'File too large'

# A reader without haste behind a descriptor that does not block gets everything.
run --show "$run_dir" --json
cp out expected.json
[ "$(wc -c <expected.json)" -gt 80000 ] || fail 'expected more than a pipe holds'
if have python3; then
	cat >slow.py <<'END'
import os, subprocess, sys, time

out, into = os.pipe()
os.set_blocking(into, False)
program = subprocess.Popen(sys.argv[1:], stdout=into)
os.close(into)
time.sleep(0.3)
with os.fdopen(out, 'rb') as pipe:
    sys.stdout.buffer.write(pipe.read())
sys.exit(program.wait())
END
	python3 slow.py "$TPROF" --show "$run_dir" --json >slow.json 2>err
	status=$?
	expect_exit 0
	cmp -s expected.json slow.json || fail "expected all of it; got: $(wc -c <slow.json) bytes"
	small_preset many.yaml <<-END
		experiment: memcurve
		isa: scalar
		ratio: [1:0, 0:1, 1:1, 2:1]
		sizes: [$(seq -f '%.0fKiB' -s, 4 300)]
	END
	run --dry-run many.yaml
	expect_exit 0
	cp out whole.txt
	[ "$(wc -c <whole.txt)" -gt 70000 ] || fail 'expected more than a pipe holds'
	python3 slow.py "$TPROF" --dry-run many.yaml >slow.txt 2>err
	status=$?
	expect_exit 0
	cmp -s whole.txt slow.txt || fail "expected the whole plan; got: $(wc -c <slow.txt) bytes"
fi

# Events that nobody takes: words, and the run can go on.
small_preset short.yaml <<'END'
experiment: memcurve
isa: scalar
ratio: 1:0
sizes: [8KiB, 12KiB, 16KiB, 32KiB]
END
if [ -w /dev/full ]; then
	"$TPROF" --batch short.yaml --events --run-dir full >/dev/full 2>err
	status=$?
	expect_exit 4
	expect_err '--events: cannot be written any more, so the run stops: No space left'
	expect_err '--resume last'
	run --resume full
	expect_exit 0
fi
{ "$TPROF" --batch short.yaml --events --run-dir gone 2>err; echo $? >code; } | true
read -r status <code
expect_exit 130
expect_err '--events: cannot be written any more, so the run stops: Broken pipe'

# One that does not read does not make the program deaf.
mkfifo pipe
sed -i 's/^stop:.*/stop: {max_time: 60min, max_samples: 1000000, min_count: 100000}/' short.yaml
exec 7<>pipe
ran='tprof --batch short.yaml --events >pipe'
"$TPROF" --batch short.yaml --events --run-dir deaf >pipe 2>err </dev/null &
program=$!
# Nothing more goes into the pipe, and no byte is added to the journal any more.
full() {
	local before
	have python3 && ! python3 -c 'import select
p = select.poll()
p.register(7, select.POLLOUT)
exit(1 if p.poll(0) else 0)' && return 1
	[ -s deaf/journal.ndjson ] || return 1
	before=$(stat -c %s deaf/journal.ndjson)
	[ "$before" -gt 50000 ] || return 1
	sleep 0.3
	[ "$(stat -c %s deaf/journal.ndjson)" -eq "$before" ]
}
await full
kill -TERM "$program"
finish
expect_exit 130
expect_err '--events: their reader does not read'
