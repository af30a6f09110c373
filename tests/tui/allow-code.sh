# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# The screens load no library by a path that the user did not type, unless the user says so: when asked, or with --allow-code.
. "$TPROF_CLI/lib.sh"

# Everybody may write that configuration file, so its words are nobody's.
mkdir -p "$XDG_CONFIG_HOME/tprof"
cat >"$XDG_CONFIG_HOME/tprof/config.yaml" <<END
experiment: autotune
routine: dgemm
blas: $TMP/no.so
autotune: {n: 8, m: 8, k: 8, iterations: 2, invocations: 1, max_time: 1s}
END
chmod 666 "$XDG_CONFIG_HOME/tprof/config.yaml"
open 120x40 LC_ALL=C.UTF-8 -- --ascii
wait_for autotune
press r
wait_for 'a run would run the code' 'no.so' 'Do it? (y/n)'
press n
wait_for 'nothing was run'
[ -z "$(live_run)" ] || fail 'expected no run'
press r
wait_for 'Do it? (y/n)'
press y
wait_for 'cannot be loaded'
press q
expect_end 0

# With the option the run begins, and says what is wrong with that file.
open 120x40 LC_ALL=C.UTF-8 -- --ascii --allow-code
wait_for autotune
press r
wait_for 'cannot be loaded'
