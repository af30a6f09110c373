# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Every Next of a report can be followed: the commands that it names are taken, on all example runs, on simulated runs of several
# qualities, and on a run that was cut off.
. "$TPROF_CLI/lib.sh"
export LC_ALL=C.UTF-8

# next_of RUN: the command below "Next", in one line.
next_of() {
	run --show "$1" --report=always
	expect_exit 0
	awk '/^Next / { sub(/^Next */, ""); text = $0; more = 1; next }
		more && /^ / { sub(/^ */, ""); text = text " " $0; next }
		{ more = 0 }
		END { print text }' out >next
	[ -s next ] || fail "expected a Next of $1"
}

# follow: the advice of Next. A run that would be measured is only planned; --compare then has the run itself on both sides.
follow() {
	local -a words
	local part
	sed 's/ && /\n/' next >parts
	while read -r part; do
		eval "words=($part)"
		[ "${words[0]}" = tprof ] || fail "not a command of tprof: $part"
		case ${words[1]} in
		--batch) words[1]=--dry-run ;;
		--compare) words[3]=${words[2]} ;;
		--resume) continue ;; # resume.sh follows it
		esac
		run "${words[@]:1}"
		expect_exit 0
	done <parts
}

run --list examples --names
expect_exit 0
cp out names
while read -r name; do
	next_of "$name"
	follow
done <names

# A deterministic simulation is not measured again with the same seed: that gives the same bits.
small_preset small.yaml <<'END'
experiment: roofline
isa: avx2
level: L1
fp_op: fma
machine: zen4
END
# simulated NAME OPTIONS: a run, and its Next.
simulated() {
	run --batch small.yaml --quiet --run-dir "$1" "${@:2}"
	expect_exit 0
	next_of "$1"
	follow
}
simulated quiet --simulate=quiet
[ "$(cat next)" = 'tprof --batch small.yaml --machine zen4 --simulate quiet --set seed=2 && tprof --compare quiet last' ] ||
	fail "expected another seed: $(cat next)"
simulated seven --simulate=quiet --set seed=7
grep -q 'seed=8' next || fail "expected another seed: $(cat next)"
simulated poor --simulate=zen4-vm --set threads=96
grep -q 'doctor' next && fail "the doctor of this machine for a simulated one: $(cat next)"
printf 'experiment: memcurve\nisa: avx2\nmachine: zen4\n' >small.yaml
simulated early --simulate=huge-llc
