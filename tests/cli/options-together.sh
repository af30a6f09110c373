# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# Options that do not go together, and options without the command that they belong to.

# refused TEXT ARGUMENT...: a usage error with TEXT, before anything is done.
refused() {
	local text=$1
	shift
	run "$@"
	expect_exit 2
	expect_no_out
	expect_err "$text"
}

refused '--batch and --show exclude each other' --batch quick --show last
refused '--json and --csv exclude each other' --csv --json --show last
refused '--json and --names exclude each other' --list isas --names --json
refused 'pictures and data would mix on standard output' --show last --svg - --csv
refused 'pictures and data would mix on standard output' --batch quick --svg - --events
refused '--events and results would mix on standard output' --batch quick --events --json
refused '--restore belongs to doctor' --restore
refused '--restore belongs to doctor' --restore --list isas
refused '--across belongs to --compare' --across isa --show last
refused '--tolerance belongs to --compare' --tolerance 2% --batch quick
refused '--basis belongs to --classify' --basis flops --batch quick
refused '--explain belongs to --classify' --explain chosen
refused '--papi-file belongs to --classify or a run' --papi-file metrics.csv --show last

# Words where no word belongs.
refused 'unexpected argument "quick"' quick
refused 'unexpected argument "doctor"' doctor --list isas
refused 'unexpected argument "doctor"' doctor twice
refused 'unexpected argument "more"' --list isas more
# The hint shows how it is written.
refused 'unexpected argument "batch"' batch quick
expect_err 'did you mean --batch PRESET?'
refused 'unexpected argument "threds=2"' --batch quick threds=2
expect_err 'did you mean --set threads=2?'
refused 'unexpected argument' --batch quick $'thre\e[31mads=\e[31m2'
! grep -q $'\e' err || fail 'expected no escape of a typed word on the terminal'
refused 'there is no option --doctor' --doctor
expect_err 'it is a command: tprof doctor'

# Values.
refused 'option --json=yes takes no value' --json=yes
refused '--speed=fast is not a speed' --speed=fast --replay last
refused '--color=green is unknown' --color=green --list isas
expect_err 'auto, always or never'

# An answer comes first, with any other options.
run --help --json --csv
expect_exit 0
expect_out 'Usage: tprof'
run --version --batch quick
expect_exit 0
expect_out 'tprof '
# The last value of an option counts; values of an option that repeats all count.
run --list machines --list isas --names
expect_exit 0
! grep -qx zen3 out || fail 'expected the list of the last --list'
