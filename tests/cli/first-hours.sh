# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# shellcheck disable=SC2016 # backquotes of Markdown
#
# doc/hours.md: the commands of each section run as printed, in their order, and answer its question. Machines are simulated, Slurm and
# ssh are stand-ins that run here; bootstrap.sh and tests/bench/install.sh run the one command of bootstrap.
. "$TPROF_CLI/lib.sh"

page=$TPROF_SRCDIR/doc/hours.md
[ "$(grep -c '^## ' "$page")" = 4 ] || fail 'expected four sections'
export COLUMNS=100

# --- what the commands find ---

mkdir bin answers
ln -s "$TPROF" bin/tprof
cat >bin/sinfo <<'END'
#!/bin/sh
case "$*" in
*%l*) echo 'compute* infinite' ;;
*%N*) printf 'n1 idle\nn2 idle\nn3 idle\nn4 idle\n' ;;
*) echo compute ;;
esac
END
# The job is there once it has a session of its own.
cat >bin/sbatch <<'END'
#!/bin/sh
while [ $# -gt 3 ]; do shift; done
rm -f "$TMP/job"
setsid sh -c 'echo $$ >"$TMP/job.new"; mv "$TMP/job.new" "$TMP/job"; exec sh "$@"' sh "$@" >/dev/null 2>&1 </dev/null &
until [ -e "$TMP/job" ]; do sleep 0.02; done
echo '17;cluster'
END
cat >bin/squeue <<'END'
#!/bin/sh
! kill -0 "$(cat "$TMP/job")" 2>/dev/null || echo 'RUNNING|None'
END
# A node may be slow (a model in slow-NODE). A step of one task of ours is no node of the cluster run: it runs here, unsimulated.
cat >bin/srun <<'END'
#!/bin/sh
case "$*" in
'--nodes 1 --ntasks 1 '*) shift 4; unset TPROF_MACHINE TPROF_SIMULATE; exec "$@" ;;
esac
for word; do
	case $word in --nodelist=*) [ ! -e "$TMP/slow-${word#*=}" ] || export TPROF_MACHINE="$TMP/slow-${word#*=}/zen4.yaml" ;; esac
done
while [ "${1#--}" != "$1" ]; do shift; done
exec "$@"
END
for program in sacct scontrol scancel; do
	printf '#!/bin/sh\n' >bin/$program
done
cat >bin/ssh <<'END'
#!/bin/sh
while [ "$1" != -- ]; do shift; done
case $2 in old) TPROF_MACHINE=zen4 ;; new) TPROF_MACHINE=zen5 ;; esac
export TPROF_MACHINE
mkdir -p "$TMP/hosts/$2" && cd "$TMP/hosts/$2" && exec /bin/sh -c "$3"
END
cp "$TPROF_SRCDIR/tests/app/fake_mpirun" bin/mpirun
chmod +x bin/*
printf 'old\nnew\n' >hosts.txt
# One thread and one instruction set: 6 points.
export PATH=$PWD/bin:$PATH TPROF_MACHINE=zen4 TPROF_SIMULATE=quiet TPROF_THREADS=1 TPROF_ISA=avx512

# commands SECTION: those of the section whose head begins so
commands() {
	awk -v head="## $1" '/^## / { there = substr($0, 1, length(head)) == head } there && sub(/^    /, "")' "$page"
}
# step COMMAND: runs the next command of the section, which has to be this one; sets $status and leaves out and err
step() {
	local next
	n_steps=$((n_steps + 1))
	next=$(sed -n "${n_steps}p" section)
	ran=$next status=0
	[ "$next" = "$1" ] || fail "expected on the page: $1"
	bash -c "$next" >out 2>err </dev/null || status=$?
}
begin() { # begin SECTION
	n_steps=0
	commands "$1" >section
	[ -s section ] || fail "$page has no commands in: $1"
}
end() { # every command was run
	[ "$(wc -l <section)" = "$n_steps" ] || fail "commands that are not tested: $(sed "1,${n_steps}d" section)"
	total=$((total + n_steps))
}
total=0

# --- on a login node ---

begin 'On a login node'
# As it stands, by the words of bootstrap.
[ "$(sed -n 1p section)" = './bootstrap run --prefix ~/.local' ] || fail 'expected bootstrap first'
if [ -e "$TPROF_SRCDIR/bootstrap" ]; then
	"$TPROF_SRCDIR/bootstrap" help >out 2>err
	expect_out 'run [--prefix DIR]'
fi
n_steps=1
step 'tprof --cluster slurm --nodes 4 --batch roofline'
expect_exit 0
expect_err 'All 4 nodes are equally fast'
grep -q 'memory-bound below 2.8 FLOP/byte on DRAM' <(tr '\n' ' ' <err) || fail 'expected the ridge of a Zen 4'
if [ "$(uname -m)" = x86_64 ]; then
	cc -O2 -shared -fPIC -o libmpi.so "$TPROF_SRCDIR/tests/app/fake_mpi.c" || fail 'fake_mpi.c does not compile'
	cc -O2 -DPROGRAM -o yoursolver "$TPROF_SRCDIR/tests/app/fake_mpi.c" "$PWD/libmpi.so" || fail 'fake_mpi.c does not link'
	# Short runs.
	export TPROF_APP_RUNS=1 TPROF_APP_MAX_TIME=1ms TPROF_STOP_MAX_TIME=20ms
	step 'srun --nodes 1 --ntasks 1 tprof --app -- mpirun -n 4 ./yoursolver'
	expect_exit 0
	expect_err 'MPI job of 4 ranks: '
	tr '\n' ' ' <err | grep -q 'rank 1 is slow' || fail 'expected the slow rank'
	grep -qE '^The program: ' err || fail 'expected a verdict'
	unset TPROF_APP_RUNS TPROF_APP_MAX_TIME TPROF_STOP_MAX_TIME
else
	skip 'the agent counts x86-64 alone'
	n_steps=3
fi
end

# --- two machines ---

begin 'Two machines'
step 'tprof --cluster ssh:hosts.txt --batch roofline'
expect_exit 0
expect_err 'old: done, '
expect_err 'new: done, '
# It shows the next command of the page, with the name in place of last.
expect_err_line 'tprof --compare [^ ]*-roofline-cluster/nodes/new [^ ]*-roofline-cluster/nodes/old'
step 'tprof --compare last/nodes/old last/nodes/new'
expect_exit 0
expect_out 'simulated: zen4 and zen5'
# ISA, at, kernel, precision, threads, A, B, ratio
awk '$1 == "avx512" { ratio[$2 $3] = $NF; if ($NF < ($7 / $6) * 0.98 || $NF > ($7 / $6) * 1.02) exit 1 }
	END { exit !(ratio["FPfma"] > 2 && ratio["L12ld1st"] > 2 && ratio["DRAM2ld1st"] > 1 && ratio["DRAM2ld1st"] < 1.5) }' out ||
	fail 'expected that the new one computes twice as fast, and reads memory a little faster'
end

# --- a class ---

begin 'A class'
for learner in ada:Ada:50:2 bob:Bob:400:16 eve:Eve:30:1.2; do
	IFS=: read -r folder name given factor <<<"$learner"
	mkdir -p "learners/$folder"
	cat >"learners/$folder/progress.json" <<-END
		{"format": "tprof-progress", "version": 1, "learner": "$name", "lessons": [
		 {"lesson": "03-roofline", "title": "The roofline and its ridge", "step": 16, "steps": 16, "finished": true, "machine": "CPU", "trust": "good",
		  "answers": [{"step": "peak_guess", "kind": "number", "given": $given, "truth": 25, "factor": $factor, "tries": 1, "unit": "GFLOP/s"}]}]}
	END
done
step 'tprof --batch lessons/03-roofline --machine zen4 --simulate --html answers.html'
expect_exit 0
grep -q 'Answer: 1.87 FLOP/byte' answers.html || fail 'expected the answers'
grep -q '<svg' answers.html || fail 'expected the roofline'
step 'tprof --batch lessons/03-roofline --blank --html handout.html'
expect_exit 0
[ "$(grep -o '<h2[^>]*>[0-9]*\. [A-Z][a-z ]*' answers.html | sed 's/.*>//')" = "$(grep -o '<h2[^>]*>[0-9]*\. [A-Z][a-z ]*' handout.html | sed 's/.*>//')" ] ||
	fail 'expected the same steps in the handout'
! grep -qE 'Answer: [0-9]|You can trust|GFLOP/s at most\.' handout.html || fail 'expected no answers in the handout'
step 'tprof --lesson-report learners/* --html class.html'
expect_exit 0
grep -q '3 learners' class.html || fail 'expected three learners'
grep -q 'Bob' class.html || fail 'expected the learner who was far off'
end

# --- a cluster ---

begin 'A cluster'
run --cluster slurm --partition compute --batch roofline --run-dir LAST-MONTH -q
expect_exit 0
# Since then the memory of a node has got slower.
mkdir slow-n3
sed 's/memory_gbps: .*/memory_gbps: 24/' "$TPROF_SRCDIR/presets/machines/zen4.yaml" >slow-n3/zen4.yaml
step 'tprof doctor'
expect_exit 0
grep -qxE 'problem|warning|note' out || fail 'expected findings'
grep -q '^ *\$ ' out || fail 'expected the command that fixes one'
step 'tprof --cluster slurm --partition compute --batch roofline'
expect_exit 0
tr '\n' ' ' <err >words
grep -qE 'Single values differ: n3 has 6[0-9]\.[0-9] % of the median at DRAM 2ld1st\.' words || fail 'expected the memory of n3'
step 'tprof --compare LAST-MONTH last'
expect_exit 1
expect_out_line 'tprof: 7 points: 7 same; slow now: n3 at DRAM 2ld1st \(6[0-9]\.[0-9] %\)'
expect_out_line 'Slow now at single points: n3 at DRAM 2ld1st \(6[0-9]\.[0-9] %\)\.'
run --compare last LAST-MONTH
expect_exit 0
end

# A shorter way through the same questions is welcome; a longer one is not.
[ "$total" -le 11 ] || fail "the first hours take $total commands"
