#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Tests of the test runners: a runner that cannot fail would make every other test worthless. Writes TAP.
set -u
export LC_ALL=C

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
count=0
failed=0

# expect NAME WANTED GOT
expect() {
	count=$((count + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $count - $1"
	else
		failed=$((failed + 1))
		printf 'expected: %s\ngot: %s\n' "$2" "$3" | sed 's/^/# /'
		echo "not ok $count - $1"
	fi
}

# One folder for each awk that is installed: unit.sh has to understand any.
for name in mawk gawk original-awk busybox; do
	command -v "$name" >/dev/null && mkdir -p "$scratch/awk/$name" && ln -s "$(command -v "$name")" "$scratch/awk/$name/awk"
done
[ -d "$scratch/awk" ] || mkdir -p "$scratch/awk/the-only"

# --- tests/unit.sh, fed by scripts that speak like cmocka ---

# verdicts: the result lines of unit.sh over a script with the given text, joined; once if they are the same with every awk.
verdicts() {
	local folder
	printf '%s\n' "$1" >"$scratch/program.sh"
	for folder in "$scratch"/awk/*; do
		PATH=$folder:$PATH bash "$here/unit.sh" bash "$scratch/program.sh" 2>/dev/null | grep -v '^#' | paste -sd ';'
	done | uniq
}

expect 'unit: cases that pass, one after noise' 'ok 1 - a;ok 2 - b;1..2' "$(verdicts '
echo "[ RUN      ] a"; echo "[       OK ] a"; echo "[ RUN      ] b"; printf noise; echo "[       OK ] b"')"
expect 'unit: a case that fails is counted once' 'ok 1 - a;not ok 2 - b;1..2' "$(verdicts '
echo "[ RUN      ] a"; echo "[       OK ] a"; echo "[ RUN      ] b"; echo "[  FAILED  ] b"
echo "[  FAILED  ] tests: 1 test(s), listed below:"; echo "[  FAILED  ] b"; exit 1')"
expect 'unit: skipped cases, one with its reason' 'ok 1 - a # SKIP the test says so;ok 2 - b # SKIP no door;1..2' "$(verdicts '
echo "[ RUN      ] a"; echo "[  SKIPPED ] a"; echo "[ RUN      ] b"; echo "SKIPPED: no door"; echo "[  SKIPPED ] b"')"
expect 'unit: a crash inside a case' 'not ok 1 - a;1..1' "$(verdicts '
echo "[ RUN      ] a"; kill -SEGV $$')"
expect 'unit: a failure after the last case' \
	'ok 1 - a;not ok 2 - the program ended with status 23 without naming a failed case;1..2' \
	"$(verdicts 'echo "[ RUN      ] a"; echo "[       OK ] a"; exit 23')"
expect 'unit: no case at all' 'not ok 1 - the program ran no test case;1..1' "$(verdicts 'exit 0')"
expect 'unit: a program that hangs' 'not ok 1 - a;not ok 2 - the program did not end in time;1..2' \
	"$(TPROF_TEST_TIMEOUT=1 verdicts 'echo "[ RUN      ] a"; exec sleep 30')"

mkdir "$scratch/fuzz"
replay() { # replay STATUS: unit.sh over a stand-in for a fuzz replay that ends so
	printf '#!/bin/sh\necho file >&2\nexit %d\n' "$1" >"$scratch/fuzz/replay_x"
	chmod +x "$scratch/fuzz/replay_x"
	bash "$here/unit.sh" "$scratch/fuzz/replay_x" | grep -v '^#' | paste -sd ';'
}
expect 'unit: a fuzz replay is one test' 'ok 1 - replay of replay_x;1..1' "$(replay 0)"
expect 'unit: a fuzz replay that fails' 'not ok 1 - replay of replay_x;1..1' "$(replay 134)"

# --- tests/cli/run.sh, over a folder of small tests and a stand-in for the program ---

mkdir "$scratch/cli"
cp "$here/cli/lib.sh" "$scratch/cli"
cat >"$scratch/tprof" <<'END'
#!/bin/sh
echo "data $*"
echo "words in $PWD" >&2
exit 3
END
chmod +x "$scratch/tprof"

# cli TEST: exit status of the runner over that one test.
cli() {
	TPROF=$scratch/tprof TPROF_CLI=$scratch/cli TPROF_VERSION=0 bash "$here/cli/run.sh" "$@" \
		>"$scratch/cli.log" 2>&1
	echo $?
}
# shellcheck disable=SC2016 # the text of a test is not to be expanded here, nor those below
write_test() { # write_test NAME TEXT
	printf '%s\n' '. "$TPROF_CLI/lib.sh"' "$2" >"$scratch/cli/$1.sh"
}

# shellcheck disable=SC2016
write_test good 'run a b; expect_exit 3; expect_out "data a b"; expect_err words; expect_not_out words
expect_out_line "data [ab ]*"; expect_not_err data; [ "$HOME" = "$TMP/home" ]'
expect 'cli: a test that holds' 0 "$(cli good)"
write_test exit 'run; expect_exit 0'
expect 'cli: a wrong exit status' 1 "$(cli exit)"
write_test out 'run a; expect_out "data b"'
expect 'cli: missing output' 1 "$(cli out)"
write_test silent 'run a; expect_no_out'
expect 'cli: output where there should be none' 1 "$(cli silent)"
write_test line 'run a; expect_out_line "dat"'
expect 'cli: a line that matches only in part' 1 "$(cli line)"
# shellcheck disable=SC2016
echo '"$TPROF" x' >"$scratch/cli/files.sh"
echo 'data x' >"$scratch/cli/files.out"
echo 'words in @TMP@' >"$scratch/cli/files.err"
echo 3 >"$scratch/cli/files.exit"
expect 'cli: expected files' 0 "$(cli files)"
echo 'data y' >"$scratch/cli/files.out"
expect 'cli: an expected file that differs' 1 "$(cli files)"
echo 'data x' >"$scratch/cli/files.out"
rm "$scratch/cli/files.exit"
expect 'cli: no expected status means 0' 1 "$(cli files)"
tap() { # tap TEST...: exit status and lines of the runner, joined
	echo "$(cli "$@") $(paste -sd ';' "$scratch/cli.log")"
}
write_test part 'skip "no key"; skip "no key"; run; expect_exit 3'
expect 'cli: a test that could check only a part' '0 ok 1 - part;ok 2 - part, in part # SKIP no key;ok 3 - good;1..3' \
	"$(tap part good)"
write_test whole 'skip_all "no door"'
expect 'cli: a test that this machine does not allow' '0 ok 1 - whole # SKIP no door;1..1' "$(tap whole)"
write_test helper 'have no-such-program || :; have sh'
expect 'cli: a program that a test needs is missing' \
	'0 ok 1 - helper;ok 2 - helper, in part # SKIP no-such-program is not installed;1..2' "$(tap helper)"
write_test quiet 'exit 77'
expect 'cli: status 77 without a reason' 1 "$(cli quiet)"
write_test slow 'sleep 30'
expect 'cli: a test that hangs' 1 "$(TPROF_TEST_TIMEOUT=1 cli slow)"
expect 'cli: a test that does not exist' 1 "$(cli nowhere)"

# Side by side: how many tests of a build run at once. Each notes when it begins and ends.
# shellcheck disable=SC2016
note='d=${TPROF%/*}/notes; echo + >>"$d"; sleep 0.3; echo - >>"$d"'
at_most() { # at_most N TEST...: prints how many of these tests ran, if never more than N did at once
	local name limit=$1
	shift
	: >"$scratch/notes"
	for name; do
		TPROF=$scratch/tprof TPROF_CLI=$scratch/cli bash "$here/cli/run.sh" "$name" >/dev/null 2>&1 &
	done
	wait
	awk -v limit="$limit" '{ n += $1 == "+" ? 1 : -1; if (n > limit) bad = 1 } END { print bad ? "too many" : NR / 2 }' \
		"$scratch/notes"
}
for name in one two three; do
	write_test "$name" "$note"
	write_test "alone-$name" "# Alone: for a reason.
$note"
done
expect 'cli: at most two tests of a build run at once' 3 "$(at_most 2 one two three)"
expect 'cli: some tests run alone' 3 "$(at_most 1 alone-one alone-two alone-three)"

# --- tests/script.sh ---

mkdir "$scratch/tui"
for folder in cli tui; do
	# shellcheck disable=SC2016
	echo 'echo "'$folder' $*"' >"$scratch/$folder/run.sh"
done
echo 'echo alone' >"$scratch/single.sh"
expect 'script: each script goes to its runner' 'cli good;tui panes;alone' \
	"$(for file in cli/good tui/panes single; do bash "$here/script.sh" "$scratch/$file.sh"; done | paste -sd ';')"
rm "$scratch/tprof"
expect 'cli: no program' 1 "$(cli good)"

# --- what cross builds and the lab keep ---

mkdir -p "$scratch/cache"/{aarch64-bookworm-000000000000,riscv64-trixie-0123456789ab,x86_64-202601-0123456789ab,making.AbCdEf,of-the-user}
touch -d '40 days ago' "$scratch"/cache/*
touch -d '20 days ago' "$scratch"/cache/riscv64-*
expect 'cache: what was not used for a month is removed' 'aarch64-bookworm-000000000000 of-the-user riscv64-trixie-0123456789ab' "$(
	# shellcheck source=tests/cross/apt.sh
	. "$here/cross/apt.sh" && keep_used "$scratch/cache/aarch64-bookworm-000000000000"
	cd "$scratch/cache" && echo *)"

# builds ARGUMENT...: how a stand-in for configure is called when one folder is built with each of them.
builds() {
	local checkout=$scratch/checkout
	mkdir -p "$checkout"/{tests/cross,build-aux}
	cp "$here/cross/architectures.sh" "$checkout/tests/cross/"
	sed '/^# --- commands ---$/,$d' "$here/../bootstrap" >"$checkout/bootstrap"
	touch "$checkout"/{Makefile.in,config.h.in,build-aux/tap-driver.sh}
	cat >"$checkout/configure" <<'END'
#!/bin/sh
echo "$2" >>../calls
echo "abs_top_builddir = $PWD" >Makefile
END
	chmod +x "$checkout/configure"
	(
		# shellcheck source=/dev/null
		. "$checkout/bootstrap"
		# shellcheck disable=SC2317
		make() { :; }
		while [ $# -gt 0 ]; do
			build_in build-other "$1"
			shift
		done
	) >/dev/null 2>&1
	xargs <"$checkout/calls"
}
expect 'bootstrap: other arguments configure a folder again' 'old new' "$(builds old old new new)"

echo "1..$count"
[ "$failed" -eq 0 ]
