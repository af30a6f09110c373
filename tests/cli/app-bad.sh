# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: words of programs and roofs that do not fit.
#
# Errors of --app: no program, one that is missing or not executable, options without effect, foreign presets.
. "$TPROF_CLI/lib.sh"

run --app
expect_exit 2
expect_err "no program to run"
expect_err "tprof --app -- ./program arguments"

run --app -- ./missing
[ "$status" -ne 0 ] || fail "it runs what is not there"
expect_err 'there is no program "./missing"'

echo 'not executable' >text
run --app -- ./text
[ "$status" -ne 0 ] || fail "it runs a text"
expect_err 'there is no program "./text"'

run --app --region spmv -- true
expect_exit 2
expect_err '"spmv" is not a region'
expect_err "--region function=NAME"

run --app --app-source nothing -- true
expect_exit 2
expect_err "nothing"

run --batch quick --region function=f
expect_exit 2
expect_err "--region belongs to --app"

run --app --self-test -- true
expect_exit 2
expect_err "--self-test takes no program"

# A foreign preset runs nothing.
cat >own.yaml <<'END'
experiment: app
app: {command: touch ran, roofs: none}
END
run --batch own.yaml
expect_exit 2
expect_err "a run would run the code of app.command"
[ ! -e ran ] || fail "the command of a preset ran"

# A dry run lists the points, and runs nothing either.
run --dry-run own.yaml
expect_exit 0
expect_out "touch ran"
[ ! -e ran ] || fail "a dry run ran the command"
