# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# Command line before environment before preset before the user's configuration before the built in.
cat >preset.yaml <<'END'
experiment: roofline
seed: 3
window: 3ms
END
mkdir -p "$XDG_CONFIG_HOME/tprof"
printf 'seed: 4\nwindow: 4ms\nthreads: 1\nstop: {error: 4%%}\n' >"$XDG_CONFIG_HOME/tprof/config.yaml"
export TPROF_SEED=2

# has KEY VALUE WHERE: --print-config shows it so.
has() {
	grep -qE "^ *$1: +$2 +# .*$3" out || fail "expected $1: $2 from $3; got: $(grep -E "^ *$1:" out)"
}

run --print-config preset.yaml --set seed=1 --set precision=single
expect_exit 0
has seed 1 --set
has window 3ms preset.yaml
has error 4% config.yaml
has precision single --set
has confidence 99% default
run --print-config preset.yaml
expect_exit 0
has seed 2 TPROF_SEED
unset TPROF_SEED
run --print-config preset.yaml
expect_exit 0
has seed 3 preset.yaml
run --print-config
expect_exit 0
has seed 4 config.yaml
rm "$XDG_CONFIG_HOME/tprof/config.yaml"
run --print-config
expect_exit 0
has seed 1 default

# An empty variable counts as unset. Of two --set, the later one counts.
export TPROF_SEED=
run --print-config preset.yaml --set precision=single --set precision=double
expect_exit 0
has seed 3 preset.yaml
has precision double --set
unset TPROF_SEED

# What --print-config prints is a preset, and means the same.
export TPROF_THREADS=1
run --print-config preset.yaml --set isa=scalar --set level=L1,L2 --set stop.max_time=20ms
expect_exit 0
cp out printed.yaml
unset TPROF_THREADS
run --check printed.yaml
expect_exit 0
run --print-config printed.yaml
expect_exit 0
[ "$(sed 's/ *#.*//' out)" = "$(sed 's/ *#.*//' printed.yaml)" ] ||
	fail "expected the same values: $(diff <(sed 's/ *#.*//' printed.yaml) <(sed 's/ *#.*//' out))"
"$TPROF" --print-config preset.yaml --set isa=scalar >piped.yaml
run --dry-run piped.yaml
expect_exit 0
