# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: files of options.
. "$TPROF_CLI/lib.sh"

# Configuration files and environment variables with errors: they are reported with their place, and only by commands that need them.
config=$XDG_CONFIG_HOME/tprof/config.yaml
mkdir -p "${config%/*}"
echo 'experiment: roofline' >fine.yaml
printf 'seed: 4\nthreds: 1\nstop: {error: many}\n' >"$config"

for command in '--print-config' '--dry-run quick' '--batch quick' '--check fine.yaml'; do
	# shellcheck disable=SC2086 # words of a command line
	run $command
	expect_exit 2
	expect_no_out
	expect_err "$config:2:1: unknown option \"threds\""
	expect_err 'did you mean threads?'
	expect_err "$config:3:15: stop.error"
done
for command in --help --version '--list presets' '--list runs' '--list isas' '--dump-asm scalar:load' '--completion bash' doctor; do
	# shellcheck disable=SC2086
	run $command
	expect_not_err config.yaml
	[ "$command" = doctor ] || [ "${command#--dump}" != "$command" ] || expect_exit 0
done

# The errors of all layers at once, after a remark on a variable that looks like an option.
TPROF_THREDS=2 TPROF_SEED=many run --print-config --set isas=sse
expect_exit 2
expect_err 'config.yaml:2:1'
expect_err 'TPROF_THREDS: ignored: no option has this environment variable'
expect_err 'did you mean TPROF_THREADS?'
expect_err 'TPROF_SEED: seed: "many" is not a whole number'
expect_err '--set: unknown option "isas"'

# Variables that a modulefile sets stop nothing, and neither does a misspelt one; doctor lists them.
for command in '--print-config fine.yaml' '--dry-run fine.yaml'; do
	# shellcheck disable=SC2086
	XDG_CONFIG_HOME=$TMP/none TPROF_ROOT=/opt/tprof TPROF_DIR=/opt/tprof TPROF_HOME=/opt/tprof TPROF_VERSION=9 TPROF_BASE=x run $command
	expect_exit 0
	expect_no_err
	# shellcheck disable=SC2086
	XDG_CONFIG_HOME=$TMP/none TPROF_THREDS=2 run $command
	expect_exit 0
	expect_err 'did you mean TPROF_THREADS?'
done
XDG_CONFIG_HOME=$TMP/none TPROF_THREDS=2 run --print-config fine.yaml -q
expect_no_err
TPROF_ROOT=/opt/tprof TPROF_DIR=/opt/tprof run doctor --strict
expect_exit 5
expect_out_line ' *Environment +ignored, because no option has this name: TPROF_ROOT, TPROF_DIR'
TPROF_THREDS=2 run doctor --json
expect_out '"means": "did you mean TPROF_THREADS?"'
run doctor
expect_out 'each TPROF_ variable is an option'

# Keys that a configuration file must not have, and files that are not a configuration.
printf 'runs:\n  - experiment: mixed\n' >"$config"
run --print-config
expect_exit 2
expect_err "$config:1:1"
expect_err 'only presets have runs'
printf 'seed: [4\n' >"$config"
run --print-config
expect_exit 2
expect_err_line "tprof: $config:[0-9]+:[0-9]+: .*"
rm "$config"
mkdir "$config"
run --print-config
[ "$status" -ne 0 ] || fail 'expected that a directory is not a configuration file'
expect_err "$config: is a directory"
rmdir "$config"

# An empty file is fine; a file that cannot be read is an error.
: >"$config"
run --print-config
expect_exit 0
expect_not_out config.yaml
echo 'seed: 4' >"$config"
if [ "$(id -u)" -ne 0 ]; then
	chmod 0 "$config"
	run --print-config
	[ "$status" -ne 0 ] || fail 'expected that a configuration file that cannot be read is told'
	expect_err "$config"
	chmod 600 "$config"
else
	skip 'a configuration file that cannot be read: root reads everything'
fi

# The place of the file without XDG_CONFIG_HOME, or with one that is not a path.
mkdir -p "$HOME/.config/tprof"
echo 'seed: 5' >"$HOME/.config/tprof/config.yaml"
run --print-config
expect_out_line "seed: 4 +# $config:1:7"
for home in '' relative/path; do
	XDG_CONFIG_HOME=$home run --print-config
	expect_exit 0
	expect_out_line "seed: 5 +# $HOME/.config/tprof/config.yaml:1:7"
done

# Every line of --print-config shows where its value comes from.
run --print-config fine.yaml
expect_exit 0
! grep -vE '^ *#|^[a-z_]+:$|^ *(- )?[a-zA-Z0-9_.]+: .* # (default|.*:[0-9]+:[0-9]+)' out | grep -q . ||
	fail "expected a source in every line: $(grep -vE '# (default|.*:[0-9]+:[0-9]+)' out | head -n 3)"
# The preset takes precedence, and an option that its experiment does not use does no harm.
echo 'points_per_octave: 5' >>"$config"
echo 'seed: 6' >>fine.yaml
run --print-config fine.yaml
expect_exit 0
expect_out_line 'seed: 6 +# fine.yaml:2:7'
run --dry-run fine.yaml
expect_exit 0
