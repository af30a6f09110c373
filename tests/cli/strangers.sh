# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# Foreign documents start, reach, end, load and overwrite nothing, through any door: a preset, a lesson, a stored
# run, a cluster run. tests/unit/test_consent.c walks all options and all fields; here each of them has every door.
ulimit -c 0
# shellcheck disable=SC2016
printf '#!/bin/sh\necho "$0 $*" >>"%s/mark"\n' "$TMP" >evil.sh
chmod +x evil.sh
mkdir bin
for program in ssh sbatch salloc srun scancel; do
	cp evil.sh bin/$program
done
for program in squeue sacct scontrol sinfo; do
	printf '#!/bin/sh\n' >bin/$program
	chmod +x bin/$program
done
export PATH=$PWD/bin:$PATH
unmarked() {
	[ ! -e "$TMP/mark" ] || fail "expected nothing to run: $(cat "$TMP/mark")"
}

# --- code, by every door ---

small_preset fast.yaml <<'END'
experiment: memcurve
isa: scalar
ratio: 1:0
sizes: [8KiB, 12KiB]
END
run --batch fast.yaml --run-dir stored
expect_exit 0
cp -R stored other
refused() { # refused OPTION COMMAND...: it says what would run, and runs nothing
	local option=$1
	shift
	run "$@"
	expect_exit 2
	expect_err "a run would run the code of $option, and you did not type that: "
	expect_err 'if you trust it, add --allow-code'
	[ ! -e refused ] || fail 'expected no run directory'
	unmarked
}
evil() { # evil OPTION VALUE: as a preset, as a lesson, and as the preset of stored runs
	local group=${1%%.*} options="$1: $2"
	[ "$group" = blas ] && group=autotune
	[ "$1" = app.command ] || [ "$group" != app ] || options="app.command: 'true', $options"
	[ "$1" = program.command ] || [ "$group" != program ] || options="program.command: 'true', $options"
	echo "{experiment: $group, $options}" >theirs.yaml
	sed "s|PRESET|{experiment: $group, $options}|" >lesson.yaml <<-'END'
		lesson: 1
		title: A stranger's
		summary: It runs a program.
		after: [You know that it works.]
		terms: {code: what runs}
		steps:
		  - text: A program has *code*.
		  - measure: theirs
		    text: A second.
		    preset: PRESET
		    results: {first: {table: points, take: first}}
		  - plot: theirs
		  - explain:
		      - {when: "theirs.noisy", text: "Noise."}
		      - {text: "No noise."}
	END
	cp theirs.yaml stored/preset.yaml
}
while read -r option value; do
	evil "$option" "$value"
	refused "$option" --batch theirs.yaml --run-dir refused
	refused "$option" --batch lesson.yaml --run-dir refused
	# A run that has other points than its preset says cannot go on anyhow; allow-code.sh and app-arguments.sh resume some that could.
	run --resume stored
	expect_exit 2
	unmarked
	for cluster in local:1 ssh:hosts.txt slurm; do
		refused "$option" --cluster $cluster --batch theirs.yaml --run-dir refused
	done
	# These only read.
	for read in '--check theirs.yaml' '--dry-run theirs.yaml' '--check lesson.yaml' '--dry-run lesson.yaml' '--show stored' '--compare stored other' \
		'--show stored --html page.html' '--print-config theirs.yaml'; do
		# shellcheck disable=SC2086
		run $read
		unmarked
	done
done <<END
app.command "$TMP/evil.sh"
app.folder $TMP
app.env "LD_PRELOAD=$TMP/evil.sh"
profile.command "$TMP/evil.sh"
program.command "$TMP/evil.sh"
program.before "$TMP/evil.sh"
program.prepare "$TMP/evil.sh"
program.after "$TMP/evil.sh"
program.environment "LD_PRELOAD=$TMP/evil.sh"
blas $TMP/evil.sh
END

# --- directories of others ---

# theirs LAUNCHER: the stored cluster run "theirs" of one node, which has measured one of two points
theirs() {
	rm -rf theirs
	mkdir -p theirs/nodes/n1
	cp fast.yaml theirs/preset.yaml
	echo '{"ev":"plan","n_points":2}' >theirs/nodes/n1/journal.ndjson
	touch theirs/nodes/n1.there theirs/nodes/n1.end
	cat >theirs/cluster.json <<-END
		{"format": "tprof-cluster", "version": 1, "launcher": "$1", "program": "$TMP/evil.sh", "where": "batch", "job": "17", "shared": true, "host": "",
		 "seconds": 1, "time_limit": "", "started": "2026-02-01T00:00:00Z", "nodes": [
		 {"node": "n1", "state": "$2", "target": "far", "job": "17", "points_done": 0, "points_planned": 2, "why": "", "changed": ""}]}
	END
}
content() { # of the directories, with links and times
	find "$@" -printf '%p %y %l %s %T@ %m %u\n' | sort
}
# untouched DIR COMMAND...: it is refused, and the directory is as it was
untouched() {
	local directory=$1
	shift
	content "$directory" >before
	run "$@"
	content "$directory" | cmp -s before - || fail "expected $directory to be as it was: $(content "$directory" | diff before -)"
	unmarked
}
cp -R other alone
for way in open foreign; do
	make_theirs() { # make_theirs DIR: others can write there, or it is another user's
		if [ $way = open ]; then
			chmod -R o+w "$1"
			words='others can write into the directory'
		else
			chown -R 12345 "$1"
			words='the directory belongs to another user (12345)'
		fi
	}
	[ $way = open ] || [ "$(id -u)" -eq 0 ] || continue
	make_theirs alone
	untouched alone --resume alone --allow-code
	expect_exit 4
	expect_err "alone: nothing is written there: $words"
	untouched alone --show alone
	expect_exit 0
	untouched alone --compare alone other
	expect_exit 0
	for launcher in local ssh slurm; do
		theirs $launcher failed
		make_theirs theirs
		for verb in '--resume ./theirs' '--cluster collect ./theirs' '--cluster cancel ./theirs'; do
			# shellcheck disable=SC2086
			untouched theirs $verb --allow-code
			expect_exit 4
			expect_err "$words"
		done
		untouched theirs --cluster status ./theirs
		theirs $launcher running
		make_theirs theirs
		untouched theirs --cluster status ./theirs
		expect_exit 0
		expect_not_err 'nothing is written there'
		# shellcheck disable=SC2012
		[ "$(ls theirs/nodes | wc -l)" -eq 3 ] || fail 'expected no new file'
	done
done
# A directory that the user named for a new run is the user's word. No link in it is followed.
mkdir -m 777 named
run --batch fast.yaml --run-dir named
expect_exit 0
[ -f named/run.json ] || fail 'expected a run'
