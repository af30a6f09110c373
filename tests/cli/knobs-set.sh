# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"
program=
trap 'kill "$program" 2>/dev/null' EXIT # a test that fails leaves nothing that works on

# The machine's knobs, shown as a tree of files: set for a run, recorded, and put back however the run ends.
export TPROF_TEST_ROOT=$TMP/root
cpus=$TPROF_TEST_ROOT/sys/devices/system/cpu
thp=$TPROF_TEST_ROOT/sys/kernel/mm/transparent_hugepage/enabled
record=$TPROF_TEST_ROOT/run/tprof/knobs
first=$(one_cpu)
governor=$cpus/cpu$first/cpufreq/scaling_governor
mkdir -p "${governor%/*}" "${thp%/*}" "$TPROF_TEST_ROOT/proc/sys/kernel/random" "$cpus/intel_pstate"

fresh() {
	echo powersave >"$governor"
	echo 'performance powersave' >"${governor%/*}/scaling_available_governors"
	echo 1500000 >"${governor%/*}/scaling_min_freq"
	echo 3700000 >"${governor%/*}/scaling_max_freq"
	echo 0 >"$cpus/intel_pstate/no_turbo"
	echo 'always [madvise] never' >"$thp"
	echo this-boot >"$TPROF_TEST_ROOT/proc/sys/kernel/random/boot_id"
}

is() { # is FILE VALUE
	[ "$(cat "$1")" = "$2" ]
}
expect_is() {
	is "$1" "$2" || fail "expected $2 in ${1#"$TMP/"}; got: $(cat "$1")"
}
back() {
	is "$governor" powersave && is "${governor%/*}/scaling_max_freq" 3700000 &&
		is "$cpus/intel_pstate/no_turbo" 0 && is "$thp" madvise && [ ! -e "$record" ]
}
expect_back() {
	back || fail "expected everything to be put back: $(head "$governor" "$thp" "$record" 2>&1)"
}

# A normal run.
fresh
small_preset short.yaml <<'END2'
experiment: memcurve
isa: scalar
ratio: 1:0
sizes: 8KiB
knobs: {governor: performance, frequency: 2000, turbo: off, thp: never}
END2
run --batch short.yaml --run-dir short
expect_exit 0
expect_not_err knobs
expect_back
tr -d '\n' <short/run.json | grep -q '"governor": {    "before": "powersave",    "wanted": "performance",    "got": "performance"  }' ||
	fail 'expected the governor in the record'
grep -q '"before": "1500-3700 MHz"' short/run.json || fail 'expected the frequency in the record'
grep -q '"got": "2000 MHz"' short/run.json || fail 'expected the frequency held in the record'

# Kept knobs are recorded and not changed.
fresh
run --batch short.yaml --run-dir kept --set knobs.governor=keep --set knobs.frequency=keep --set knobs.turbo=keep --set knobs.thp=keep
expect_exit 0
expect_is "$thp" 'always [madvise] never'
grep -q '"before": "powersave"' kept/run.json || fail 'expected the governor in the record'
! grep -q '"wanted"' kept/run.json || fail 'expected nothing wanted'

# During the run the knobs are set, and another tprof does not change them; any signal that ends the run puts them back.
long_preset long.yaml
echo 'knobs: {governor: performance, turbo: off, thp: never, frequency: 2000}' >>long.yaml
for signal in INT TERM HUP KILL; do
	fresh
	start --batch long.yaml --run-dir "$signal"
	await begun "$signal/journal.ndjson" 1
	expect_is "$governor" performance
	expect_is "$thp" never
	expect_is "$cpus/intel_pstate/no_turbo" 1
	expect_file "$record"
	if [ "$signal" = INT ]; then
		mv out first-out && mv err first-err
		run --batch short.yaml --run-dir second
		expect_exit 0
		expect_err 'another tprof has set'
		expect_is "$thp" never
		run doctor
		expect_out 'another tprof is measuring with its own knobs'
		run doctor --restore
		expect_exit 4
		expect_is "$thp" never
	fi
	kill -s "$signal" "$program"
	finish
	await back
done

# The same when an engine dies.
fresh
start --batch long.yaml --run-dir engine
await begun engine/journal.ndjson 1
kill -KILL "$(engine engine/journal.ndjson)"
await grep -q '"ev":"point_begin".*"point":2,' engine/journal.ndjson
finish
expect_exit 3
expect_back

# A CPU that refuses: the run goes on and prints the command that would do it.
if [ -r /proc/sys/kernel/ostype ]; then
	fresh
	ln -sf /proc/sys/kernel/ostype "$thp"
	run --batch short.yaml --run-dir refused
	expect_exit 0
	expect_err 'knobs.thp: /sys/kernel/mm/transparent_hugepage/enabled cannot be set to never: Permission denied'
	expect_err 'echo never | sudo tee /sys/kernel/mm/transparent_hugepage/enabled'
	grep -q '"where": "knobs.thp"' refused/run.json || fail 'expected the refusal in the record'
	expect_is "$governor" powersave
	rm "$thp"
fi

# Missing knobs, and values that the machine does not support.
fresh
rm "$thp"
run --batch short.yaml --run-dir without --set knobs.governor=schedutil
expect_exit 0
expect_err 'knobs.thp: this machine has no control'
expect_err 'has no governor "schedutil"'
expect_err 'there are: performance powersave'

# Differing knobs in one preset are refused before anything is touched.
printf 'runs:\n  - {experiment: memcurve, knobs: {thp: never}}\n  - {experiment: memcurve}\n' >two.yaml
run --check two.yaml
expect_exit 2
expect_err 'knobs.thp differs'
for bad in thp=sometimes turbo=perhaps frequency=1 scheduler=idle priority=20 priority=1.5 priority=high; do
	run --check short.yaml --set "knobs.$bad"
	expect_exit 2
	expect_err "knobs.${bad%%=*}"
done
