# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/tui/lib.sh
# Sanitizers: the screen of lessons.
#
# A lesson from its first page to its last, as a learner goes through it: nonsense, a wrong answer, a right one, a drawn curve, a
# measurement. It is simulated, so it takes no time and its numbers are known.
. "$TPROF_CLI/lib.sh"

mkdir -p "$XDG_CONFIG_HOME/tprof/presets/lessons"
cat >"$XDG_CONFIG_HOME/tprof/presets/lessons/00-test.yaml" <<'END'
lesson: 1
title: A lesson of the test
summary: What this lesson is about.
after: [You can do what the lesson says.]
terms: {working set: the data that a loop uses}
values:
  ratio: small.median_gbps / dram.median_gbps
steps:
  - text: The first page speaks of the *working set*.
  - predict: guess
    question: How many GB/s?
    unit: GB/s
    from: 1
    to: 10000
    truth: small.median_gbps
  - predict: shape
    question: Draw it.
    curve: {of: curve, x: working_set_bytes, y: median_gbps, from: 4KiB, to: 64MiB, places: 5}
    unit: GB/s
    from: 1
    to: 1000
  - measure: curve
    text: It is simulated.
    preset: {experiment: memcurve, machine: zen4, simulate: quiet, isa: avx2, threads: 1, ratio: 1:0, size_max: 64MiB, points_per_octave: 1}
    results:
      small: {table: points, take: largest median_gbps}
      dram: {table: points, take: last}
  - plot: curve
    guesses: shape
    text: Both lines.
  - explain:
      - when: ratio > 2
        text: The small one is {ratio} times as fast. You were off by {guess.factor}.
        claims: [small.median_gbps > dram.median_gbps]
      - text: Nothing shows.
  - check: faster
    question: Which one is faster?
    choices:
      - {say: The large one, when: ratio < 1}
      - {say: The small one, when: ratio >= 1}
    hint: Look at the left end.
  - try: Try more threads.
    preset: {experiment: memcurve, threads: all}
  - next: end
    text: That was all.
END

# enter_lesson: the list, and the first lesson of it.
enter_lesson() {
	press 5
	wait_for 'A lesson of the test' 'The roofline and its ridge' 'What this lesson is about.'
	press Enter
}

open 80x24 LC_ALL=C.UTF-8 -- --machine zen4 --set experiment=app
enter_lesson
wait_for 'page 1 of 9' 'The first page speaks of the working set.' 'Enter go on'
press e
wait_for 'the data that a loop uses'
press q
wait_for 'page 1 of 9'

# A number: nonsense, one that is far out, one that counts.
press Enter
wait_for 'How many GB/s?' 'Your answer:'
press x
wait_for 'type a number, such as 30 GB/s'
press 0 Enter
wait_for '10000'
press Escape 4 0 Space G B / s Enter
wait_for 'You said 40 GB/s'

# A curve: up at the first place, down at the last.
press Enter
wait_for 'Draw it.' 'At 4 KiB:' 'your guess'
press Up Up End PageDown PageDown
wait_for 'At 64 MiB:'
press Enter
wait_for 'page 3 of 9' 'Enter go on'
press Enter
wait_for 'It is simulated.' 'Enter measure'

# Nothing of the measurement is there before.
press Right Right
wait_for 'page 6 of 9'
press Left Left
wait_for 'Enter measure'
press Enter
wait_for 'You can trust these numbers.' 'Enter go on'
press Enter
wait_for 'Both lines.' 'your guess' 'Memory curve, avx2 double'
press Enter
wait_for_line 'The small one is [0-9.]+ times as fast. You were off by [0-9.]+\.'

# A check: wrong first.
press Enter
wait_for 'Which one is faster?' 'The small one'
press 7
wait_for '1 to 2'
press 1
wait_for 'Look at the left end.'
press 2
wait_for 'Enter go on'

# The learner's file has all of it, and the lesson goes on where it was left.
press q
wait_for 'page 7 of 9'
press q
expect_end 0
grep -q '"given": *40' "$XDG_DATA_HOME/tprof/lessons/progress.json" || fail "the answer is not in progress.json"
open 120x40 LC_ALL=C -- --ascii
enter_lesson
wait_for 'page 7 of 9' 'Which one is faster?'
press Enter
wait_for 'Try more threads.'
press Enter
wait_for 'set up for you' 'What to measure'
press 5
wait_for 'page 8 of 9'
press Right
wait_for 'That was all.'
press Enter
wait_for_line '00 +A lesson of the test +done'

# Restarted: no answers are left.
press Enter
wait_for 'page 9 of 9'
press Delete
wait_for 'Restart the lesson?'
press y
wait_for 'page 1 of 9'
press Enter
wait_for 'Your answer:'
press q
press q
expect_end 0
