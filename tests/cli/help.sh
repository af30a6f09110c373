# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# The first page fits a terminal of 40 lines and 80 columns.
COLUMNS=80 run --help
expect_exit 0
expect_no_err
expect_out 'Usage: tprof'
[ "$(wc -l <out)" -le 44 ] || fail 'expected at most 44 lines of --help'
if awk 'length($0) > 80 { bad = 1 } END { exit !bad }' out; then
	fail 'expected no line longer than 80 columns in --help'
fi
for command in --batch --resume --show --compare --classify --mine --dry-run --check --print-config --list --dump-asm --replay --completion \
	--version doctor hardware; do
	expect_out "$command"
done

# Every topic that it names has a page, written in any of these ways.
sed '1,/^More help/d; /^$/,$d' out | awk '{ print $1 }' >topics
[ "$(wc -l <topics)" -ge 5 ] || fail 'expected topics in --help'
run --help=all
cp out all
: >pages
while read -r topic; do
	run --help "$topic"
	expect_exit 0
	expect_no_err
	[ -s out ] || fail "expected a page of $topic"
	cp out page
	[ "$topic" = all ] || cat page >>pages
	run --help="$topic"
	cmp -s out page || fail "expected the same of --help=$topic"
	run -h "$topic"
	cmp -s out page || fail "expected the same of -h $topic"
done <topics
run --help show
expect_out --svg
expect_not_out --control
run --help options
expect_out stop.error
expect_not_out --svg

# The page of all has every option, and all of them except those of the first page are on another page as well.
for option in --batch --set --json --csv --run-dir --report --events --strict --ascii --color --quiet --check \
	--dry-run --print-config --list --dump-asm --topology --machine --version --help; do
	grep -qF -e "$option" all || fail "expected in --help=all: $option"
done
sed -nE 's/^  (-.|   ),? ?(--[a-z-]+).*/\2/p' all | grep -vxE -e '--version|--help' >options
while read -r option; do
	grep -qF -e "$option" pages || fail "expected on the page of a topic: $option"
done <options
if awk 'length($0) > 100 { bad = 1 } END { exit !bad }' all; then
	fail 'expected no line longer than 100 columns in --help=all'
fi

# A topic that there is not.
run --help=optoins
expect_exit 2
expect_no_out
expect_err 'there is no help on "optoins"'
expect_err 'did you mean options?'
run --help optoins
expect_exit 2
expect_no_out
