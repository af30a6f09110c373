# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: reports in every width and character set.
. "$TPROF_CLI/lib.sh"

# How a report looks: characters and colours.
small_preset tiny.yaml <<'END'
runs:
  - experiment: roofline
    isa: scalar
    fp_op: add
  - experiment: memcurve
    isa: scalar
    ratio: 1:0
    sizes: [8KiB, 16KiB, 64KiB]
  - experiment: mixed
    isa: scalar
    level: L1
    fp_op: add
    intensity: [0.125, 1]
END
escape=$(printf '\033')

# coloured, plain: what stderr must (not) hold.
coloured() {
	expect_err "${escape}["
}
plain() {
	expect_not_err "$escape"
}

run --batch tiny.yaml --report=always --ascii
expect_exit 0
expect_no_out
plain
expect_err GB/s
expect_err FLOP/byte
! LC_ALL=C grep -q '[^[:print:][:space:]]' err || fail 'expected ASCII only'
grep -v 'saved in' err | awk 'length($0) > 80 { bad = 1 } END { exit bad }' || fail 'expected lines of at most 80 columns'

# In a locale without UTF-8 the report is ASCII.
LC_ALL=C run --batch tiny.yaml --report=always
expect_exit 0
! LC_ALL=C grep -q '[^[:print:][:space:]]' err || fail 'expected ASCII only in the locale C'
if [ "$(locale charmap 2>/dev/null)" = UTF-8 ]; then
	run --batch tiny.yaml --report=always
	expect_exit 0
	LC_ALL=C grep -q '[^[:print:][:space:]]' err || fail 'expected more than ASCII in a UTF-8 locale'
else
	skip 'Braille plots: no UTF-8 locale here'
fi

# Colours: not into a file unless wanted.
run --batch tiny.yaml --report=always
plain
run --batch tiny.yaml --report=always --color=always
coloured
NO_COLOR=1 run --batch tiny.yaml --report=always
plain
NO_COLOR=1 run --batch tiny.yaml --report=always --color=always
coloured
run --batch tiny.yaml --report=always --color=never
plain

# On a terminal: colours and the report without being asked, but not with NO_COLOR, and none on a dumb one.
if script -qec true /dev/null >/dev/null 2>&1; then
	on_terminal() {
		script -qec "$TPROF --batch tiny.yaml $* >/dev/null" /dev/null </dev/null >err 2>&1
		status=$?
		ran="tprof --batch tiny.yaml $* (on a terminal)"
	}
	on_terminal
	expect_exit 0
	coloured
	expect_err GB/s
	NO_COLOR=1 on_terminal
	plain
	expect_err GB/s
	TERM=dumb on_terminal
	plain
	on_terminal --report=never
	expect_not_err GB/s
	on_terminal --color=never
	plain
else
	skip 'colours on a terminal: script(1) is not installed'
fi

# No report without a terminal, unless wanted; never with --quiet.
run --batch tiny.yaml
expect_not_err GB/s
expect_err 'saved in'
run --batch tiny.yaml --report=never
expect_not_err GB/s
