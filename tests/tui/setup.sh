# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Sanitizers: the screen of options.
#
# Setup as a new user works with it: choose an ISA, a ratio, a level, look at the plan, save it, measure it; with mistakes on the way.
. "$TPROF_CLI/lib.sh"

cat >"$TMP/broken.yaml" <<'END'
experiment: roofline
thredas: 2
level: L9
END

open 120x40 LC_ALL=C.UTF-8 TPROF_STOP_ERROR=3%
wait_for "My program"
press 2
wait_for 'no preset' 'time     about' 'Changed' 'from TPROF_STOP_ERROR'

# From a list: scalar instead of auto. With Left: loads only. Typed: levels, first wrong, then right.
press Down Down Down Enter
wait_for '[x] auto' 'Space mark'
wait_for_line ' Enter take  Space mark  Esc back'
press Down Down Enter
wait_for_line '\* isa +< scalar >'
press Down Down Left
wait_for_line '\* ratio +< 1:0 >'
press Down Down Enter
wait_for 'Memory levels to measure'
press Down Down Space Down Space
wait_for '2 marked'
press Enter
wait_for_line '\* level +< L1, L2 >'
wait_for_line 'points +4 '

# More threads than any machine has: there is a message at once, and the form goes on.
press Down
press 3
wait_without 'no preset'
press 2
wait_for 'no preset'
press Enter
wait_for 'one thread'
press 6
wait_for 'a whole number from 1 to 65536'
text '5x'
wait_for 'is not a whole number'
press BSpace
text 536
press Enter
wait_for_line '! threads +< 65536 >'
wait_for 'cannot be measured: 1 problem'
press r
wait_for '65536 threads'
press BSpace
wait_for_line 'points +4 '

# After a search the row stays selected.
press /
text turbo
wait_for 'knobs.turbo'
press Enter
wait_for_line ' +knobs.turbo +< keep >'
press a

# --batch plans the same for the saved file.
press w
wait_for 'Save as a preset'
press C-u
text newcomer
press Enter
wait_for 'saved: '
preset=$TMP/config/tprof/presets/newcomer.yaml
[ -f "$preset" ] || fail_with_pane 'no preset was written'
run --dry-run newcomer
expect_exit 0
expect_out '4 points, about'
press w
wait_for 'Save as a preset'
press Enter
wait_for 'Replace the file?' 'newcomer.yaml' 'is there already'
wait_asked
press n
wait_for 'nothing was written'

# A broken preset: all errors are shown, and the form does not change.
press o
wait_for 'Load a preset' 'newcomer'
text ./broken.yaml
wait_for 'another: type it'
press Enter
wait_for 'or the path of a file' './broken.yaml'
press Enter
wait_for '2 errors' './broken.yaml:2:1' 'did you mean threads?' './broken.yaml:3:8'
press Escape
wait_without '2 errors'
wait_for_line 'points +4 '

# Pasted text does not act as keys.
printf 'qr\nqy' >"$TMP/pasted"
tm load-buffer -b pasted "$TMP/pasted"
tm paste-buffer -p -b pasted -t t
press Home
wait_for_line 'question +< How fast can this machine compute\? > .*'
run_made && fail_with_pane 'pasted text began a run'

# Measured.
press r
wait_for '[Points]'
until_true run_made || fail_with_pane 'no run was made'
wait_for 'newcomer'
done_with_it() {
	grep -q '"state": *"complete"' "$(live_run)/run.json"
}
until_true done_with_it || fail_with_pane "the run did not end: $(head -c 300 "$(live_run)/run.json")"
wait_for 'Roofline, ' 'ridge at' # the screens know it too: before that, q asks
press q
expect_end 0

# A value that the line for typing cannot hold is not cut there.
open 120x40 LC_ALL=C.UTF-8 TPROF_EXPERIMENT=app TPROF_APP_COMMAND="true $(head -c 20000 /dev/zero | tr '\0' y)"
press 2
wait_for 'true yyyy'
press Down Down Enter
wait_for 'is too long to be edited here'
press q
expect_end 0

# A question, then a preset that answers it, whose options stand first. The help of the row and the plan have room next to them.
open 80x24 LC_ALL=C.UTF-8
press 2
wait_for 'Each question has' 'points' 'time'
press Right
wait_for_line ' +question +< Do loads and arithmetic overlap\? > +mixed'
press Left Enter
wait_for 'What do you want to measure?' 'What limits my program?' 'cache-aware roofline'
wait_for_line ' Enter take  Esc back'
press Home Enter
wait_for ' How fast is my memory? ' 'memcurve' 'another: type it'
wait_without 'jacobi'
press Enter
wait_for 'Load the preset?' 'are not saved'
wait_asked
press y
wait_for 'loaded '
wait_for_line ' +question +< How fast is my memory\? > +memcurve'
wait_for 'Setup memcurve.yaml' 'Changed' 'Plan'
changed_is_first() { [ "$(seen | grep -oE '^ (Changed|What to measure)' | head -n 1)" = ' Changed' ]; }
until_true changed_is_first || fail_with_pane 'the options of the preset do not stand first'
press Down
wait_for_line ' +where +here .*'
press Enter
wait_for 'Measure memcurve on many nodes' 'launcher'
press Escape q
expect_end 0
