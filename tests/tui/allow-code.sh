# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# The screens load no library by a path that the user did not type, without the user's consent: when asked, or with --allow-code.
. "$TPROF_CLI/lib.sh"

# All users may write that configuration file, so its words do not count as consent.
mkdir -p "$XDG_CONFIG_HOME/tprof"
cat >"$XDG_CONFIG_HOME/tprof/config.yaml" <<END
experiment: autotune
routine: dgemm
blas: $TMP/no.so
autotune: {n: 8, m: 8, k: 8, iterations: 2, invocations: 1, max_time: 1s}
END
chmod 666 "$XDG_CONFIG_HOME/tprof/config.yaml"
open 120x40 LC_ALL=C.UTF-8 -- --ascii
press 2
wait_for autotune
press r
wait_for 'a run would run the code' 'no.so' 'Do you trust this?'
[ "$(seen | tail -n 1)" = ' y do it  n leave it' ] || fail_with_pane 'the keys below are not those of the question'
# Other keys do nothing during the question.
press r q
wait_for 'nothing was run'
press r
wait_asked
press 1 Enter r w x
sees 'Do you trust this?' || fail_with_pane 'a key of the screen acts under a question'
press n
wait_for 'nothing was run'
[ -z "$(live_run)" ] || fail 'expected no run'
press r
wait_for 'Do you trust this?'
press y
wait_for 'cannot be loaded'
press q
expect_end 0

# With the option the run begins, and reports the error of that file.
open 120x40 LC_ALL=C.UTF-8 -- --ascii --allow-code
press 2
wait_for autotune
press r
wait_for 'cannot be loaded'
press q
expect_end 0

# What was typed in a field is the user's word.
open 120x40 LC_ALL=C.UTF-8 -- --ascii
press 2
wait_for autotune
press /
text 'one search each'
press Enter Enter
wait_for 'another: type it'
press End Enter
press C-u
text "$TMP/typed.so"
press Enter
wait_for typed.so 'changed here'
press r
wait_for 'typed.so' 'cannot be loaded'
press q
expect_end 0

# What is longer than the box is read to its end before the user can agree.
list=
for i in 1 2 3 4 5 6 7 8 9; do
	list+="${list:+, }$TMP/no-$i.so"
done
sed -i "s|^blas: .*|blas: [$list]|" "$XDG_CONFIG_HOME/tprof/config.yaml"
open 80x24 LC_ALL=C.UTF-8 -- --ascii
press 2
wait_for autotune
press r
wait_for 'Do you trust this?' 'no-1.so' 'PgDn the rest  n leave it'
press y y
lacks 'no-9.so' || fail_with_pane 'the question has room for all'
sees 'Do you trust this?' || fail_with_pane 'y agreed to what was not shown'
press End
wait_for 'no-9.so'
wait_asked
press y
wait_for 'cannot be loaded'
quit
