# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: lessons from the first page to the last.
#
# Lessons in batch: measured (here: simulated), printed as a report, a page and data. All shipped ones are planned. Files of learners
# on one page.
. "$TPROF_CLI/lib.sh"

cat >small.yaml <<-'END'
	lesson: 1
	title: A small one
	summary: Two sizes of data.
	after: [You know that it works.]
	terms: {working set: the data that a loop uses}
	values:
	  drop: small.median_gbps / large.median_gbps
	steps:
	  - text: A loop uses its *working set*.
	  - predict: guess
	    question: How many GB/s from the first cache?
	    unit: GB/s
	    from: 0.1
	    to: 100000
	    truth: small.median_gbps
	  - predict: side
	    question: Which one is faster?
	    choices:
	      - {say: The large array, when: "drop < 1"}
	      - {say: The small array, when: "drop >= 1"}
	  - measure: curve
	    text: A second.
	    preset: {experiment: memcurve, threads: 1, ratio: "1:0", isa: neon, size_min: 8KiB, size_max: 64MiB, points_per_octave: 1}
	    results:
	      small: {table: points, take: smallest working_set_bytes}
	      large: {table: points, take: largest working_set_bytes}
	  - plot: curve
	    guesses: guess
	  - explain:
	      - {when: "not curve.noisy and drop < 1", text: "That is odd: {drop}.", claims: ["drop < 1"]}
	      - {when: "not curve.noisy", text: "The small one is {drop} times as fast, at {small.median_gbps}.", claims: ["drop >= 1"]}
	  - check: again
	    question: By which factor?
	    unit: ""
	    from: 1
	    to: 1000
	    truth: drop
	    within: 1.2
	    hint: Divide.
	  - next: end
END
simulated=(--machine neoverse-v1 --simulate)

# The report goes where people read it, data to standard output.
run --batch small.yaml "${simulated[@]}" --run-dir runs --report=always --json --html page.html --svg pictures.svg
expect_exit 0
expect_run runs/curve complete
for text in 'A small one' '1. Text' 'working set' 'How many GB/s from the first cache?' '  2  The small array' 'Answer: 2' 'You can trust these numbers' \
	'Memory curve' 'The small one is ' 'The machine was quiet enough for this lesson' 'simulated: neoverse-v1, quiet' 'This is the end of the course.'; do
	expect_err "$text"
done
expect_not_err 'That is odd'
expect_file page.html
expect_file pictures.svg
if have python3; then
	python3 - "$TMP/out" page.html pictures.svg <<-'END' || fail 'the data of the lesson are wrong'
		import json, sys, xml.dom.minidom
		lesson = json.load(open(sys.argv[1]))
		steps = {step.get("name", step["kind"]): step for step in lesson["steps"]}
		assert lesson["lesson"] == "small" and lesson["simulated"] and lesson["trust"] == "good", lesson
		drop = lesson["values"]["drop"]["value"]
		assert drop > 1 and abs(steps["again"]["truth"] / drop - 1) < 1e-9
		assert steps["side"]["truth"] == 2 and steps["guess"]["truth"] > 1
		assert steps["explain"]["shown"] == 2 and steps["explain"]["variants"] == 2
		assert steps["curve"]["run"] == "runs/curve" and steps["curve"]["poor"] == 0
		page = open(sys.argv[2]).read()
		assert "<svg" in page and "The small array" in page
		[xml.dom.minidom.parse(name) for name in sys.argv[2:]]
	END
fi

# A handout asks and answers nothing, and nothing is measured for it.
run --batch small.yaml --blank
expect_exit 0
expect_no_err
for text in 'A small one' 'Name: ___' '2. Question' 'How many GB/s from the first cache?' 'Your guess: ________ GB/s' '  2  The small array' 'By which factor?' \
	'Answer: ________' '6. Explanation' 'the data that a loop uses' 'This is the end of the course.'; do
	expect_out "$text"
done
for answer in 'Answer: 2' 'The small one is' 'That is odd' 'Divide.' 'gave no answer' 'was not measured'; do
	expect_not_out "$answer"
done
[ "$(find "$XDG_DATA_HOME" -name run.json)" = '' ] || fail 'expected that a handout measures nothing'
run --batch small.yaml --blank --html handout.html
expect_exit 0
expect_no_out
grep -q 'aria-label="room to draw"' handout.html || fail 'expected room to draw the picture'
run --batch small.yaml --blank --json
expect_exit 2
expect_err '--blank and --json exclude each other'
run --batch quick --blank
expect_exit 2
expect_err 'tprof --list lessons'
for file in "$TPROF_SRCDIR"/presets/lessons/*.yaml; do
	[ -e "$file" ] || continue
	name=lessons/$(basename "$file" .yaml)
	run --batch "$name" --blank
	expect_exit 0
	expect_no_err
	! grep -qE '^(Answer: [^_]|You (said|chose) )' out || fail "expected no answer in the handout of $name"
	! have python3 || { "$TPROF" --batch "$name" --blank --html - | python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.stdin.buffer)'; } ||
		fail "the handout of $name is not well-formed"
done

# Ends of a bad start: nothing is measured.
run --batch small.yaml "${simulated[@]}" --run-dir runs
expect_exit 2
expect_err 'runs/curve: the directory is not empty'
expect_not_err 'measurement ('
run --batch small.yaml "${simulated[@]}" --csv
expect_exit 2
expect_err '--csv does not go with a lesson'
run --batch lessons/nothing-of-that-name
expect_exit 2
expect_err 'lesson'
run --batch small.yaml "${simulated[@]}" -o /nowhere/x.json --json
expect_exit 2
expect_err 'nothing was measured'
sed 's/drop < 1"}/dorp < 1"}/' small.yaml >wrong.yaml
run --batch wrong.yaml
expect_exit 2
expect_err 'wrong.yaml:19:38'
expect_err 'did you mean drop'

# A lesson that cannot work here gives the reason.
sed 's/^steps:/needs: {when: "machine.cpus > 100000", otherwise: "This one needs a larger machine."}\n&/' small.yaml >large.yaml
run --batch large.yaml "${simulated[@]}"
expect_exit 3
expect_err 'This one needs a larger machine.'

# All that ship can be planned, and take little time.
lessons=("$TPROF_SRCDIR"/presets/lessons/*.yaml)
[ -f "${lessons[0]}" ] || lessons=()
for file in "${lessons[@]}"; do
	name=$(basename "$file" .yaml)
	run --dry-run "lessons/$name"
	if [ "$status" -eq 3 ]; then
		skip "$name does not work here: $(head -n 1 "$TMP/err")"
		continue
	fi
	expect_exit 0
	expect_out_line '[0-9]+ measurements?, [0-9]+ points?, about .*'
done

# --- learners ---

learner() { # learner FOLDER NAME STEP FINISHED GIVEN FACTOR CHOICE RIGHT
	mkdir -p "$1/lessons"
	cat >"$1/lessons/progress.json" <<-END
		{"format": "tprof-progress", "version": 1, "learner": "$2", "lessons": [
		 {"lesson": "small", "title": "A small one", "step": $3, "steps": 8, "finished": $4, "machine": "CPU", "trust": "good",
		  "answers": [{"step": "guess", "kind": "number", "given": $5, "truth": 100, "factor": $6, "tries": 1, "unit": "GB/s"},
		   {"step": "side", "kind": "choice", "given": $7, "truth": 2, "right": $8, "tries": 1, "unit": ""}]}]}
	END
}
learner ada Ada 7 true 50 2 2 true
learner bob "Bob, \\u001b[2J" 3 false 400 4 1 false
learner eve Eve 7 true 5 20 2 true
mkdir -p broken/lessons zed/lessons
echo '{"format": "tprof-progress", "lessons": [' >broken/lessons/progress.json
echo '{"format": "tprof-progress", "learner": "Zed", "lessons": []}' >zed/lessons/progress.json
COLUMNS=120 run --lesson-report ada bob broken eve zed none
expect_exit 3
expect_err 'broken/lessons/progress.json: is damaged, line 2'
expect_err 'none'
expect_err '2 of 6 files are left out'
expect_out '4 learners.'
expect_out 'small: A small one'
expect_out 'finished (2): Ada, Eve'
expect_out 'under way (1): Bob, ?[2J (step 4 of 8)'
expect_out 'not begun (1): Zed'
expect_out_line 'guess +3 +50 GB/s +100 GB/s +4 +3 to 12 .*Eve'
expect_out_line 'side +3 .*choice 1: 1, choice 2: 2'
run --lesson-report ada bob eve zed --csv
expect_exit 0
expect_out_line 'learner,lesson,reached,.*'
expect_out_line '"Bob, \?\[2J",small,4,8,false,good,false,CPU,guess,number,400,100,4,false,1,GB/s'
run --lesson-report ada bob eve zed --html class.html -q
expect_exit 0
expect_no_out
expect_file class.html
run --lesson-report ada ada/lessons/progress.json
expect_exit 3
expect_err 'is given twice'
run --lesson-report none
expect_exit 2
run --lesson-report
expect_exit 2
if have python3; then
	run --lesson-report ada bob eve zed --json
	expect_exit 0
	python3 - "$TMP/out" <<-'END' || fail 'the data of the class are wrong'
		import json, sys
		data = json.load(open(sys.argv[1]))
		lesson, = data["lessons"]
		guess, side = lesson["questions"]
		assert [l["learner"] for l in data["learners"]] == ["Ada", "Bob, ?[2J", "Eve", "Zed"]
		assert lesson["began"] == 3 and lesson["finished"] == 2
		assert guess["median_factor"] == 4 and guess["far_off"] == ["Eve"] and guess["median_given"] == 50
		assert side["chosen"] == [1, 2] and side["right"] == 2
	END
fi
