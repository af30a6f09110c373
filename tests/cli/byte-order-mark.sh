# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: a byte order mark before every text.
. "$TPROF_CLI/lib.sh"

# Windows' editors begin a text in UTF-8 with a byte order mark. Every text that tprof reads is read the same with it.
data=$TPROF_SRCDIR/tests/counters stored=$TPROF_SRCDIR/tests/cli/old-runs
export COLUMNS=120

timeless() { # timeless OUT ERR: what was printed, without times and processes in the names of folders
	sed 's/run[0-9TZ.]*//g' out >"$1"
	sed 's/run[0-9TZ.]*//g' err >"$2"
}
# same PATH COMMAND...: succeeds, and prints the same when PATH, or each file in that folder, begins with the mark.
same() {
	local path=$1 file
	shift
	run "$@"
	expect_exit 0
	timeless plain.out plain.err
	while read -r file; do
		printf '\357\273\277' | cat - "$file" >with
		cat with >"$file"
	done < <(find "$path" -type f)
	run "$@"
	expect_exit 0
	timeless marked.out marked.err
	cmp -s marked.out plain.out || fail "expected the same of $path: $(diff plain.out marked.out | head -n 5)"
	cmp -s marked.err plain.err || fail "expected the same words of $path: $(diff plain.err marked.err | head -n 5)"
}

# Presets, and the other documents in YAML.
printf 'experiment: memcurve\nisa: scalar\nsizes: [8KiB]\nthreads: 1\n' >preset.yaml
same preset.yaml --dry-run preset.yaml
mkdir -p "$XDG_CONFIG_HOME/tprof"
printf 'threads: 1\n' >"$XDG_CONFIG_HOME/tprof/config.yaml"
same "$XDG_CONFIG_HOME/tprof/config.yaml" --print-config preset.yaml
cp "$TPROF_SRCDIR/presets/lessons/01-working-set.yaml" lesson.yaml
same lesson.yaml --check lesson.yaml
cp "$TPROF_SRCDIR/presets/machines/zen4.yaml" model.yaml
same model.yaml --dry-run preset.yaml --simulate --machine ./model.yaml
cp "$TPROF_SRCDIR/presets/bases/branch.yaml" basis.yaml
same basis.yaml --classify "$data/cat-stepped" --basis ./basis.yaml
cp "$TPROF_SRCDIR/presets/patterns/triad.yaml" loops.yaml
same loops.yaml --dry-run pattern-triad --set pattern=./loops.yaml
printf 'experiment: asm\nasm: {body: [nop], mca: none}\n' >body.yaml
[ "$(uname -m)" != x86_64 ] || same body.yaml --check body.yaml
cp "$TPROF_SRCDIR/tests/machines/vm-zen4-2c.xml" topology.xml
same topology.xml --dry-run preset.yaml --topology ./topology.xml

# Sources.
cp "$TPROF_SRCDIR/presets/templates/matmul.c" template.c
same template.c --dry-run template-matmul --set template.source=./template.c
if have cc; then
	run --batch template-matmul --set template.source=./template.c --set template.N=40 --set template.TILE=8 --set template.UNROLL=1 \
		--set template.ORDER=IJK --set template.mca=none --set stop.max_time=5ms --allow-code --run-dir compiled
	expect_exit 0
fi

# Matrices, hosts, counts, tables.
printf '%%%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 4\n2 1 1\n3 3 1.5\n' >matrix.mtx
gzip -c matrix.mtx >packed.mtx.gz
same matrix.mtx --check spmv --set matrix=./matrix.mtx
if "$TPROF" --check spmv --set matrix=./packed.mtx.gz >/dev/null 2>&1; then
	gzip -c matrix.mtx >packed.mtx.gz
	run --check spmv --set matrix=./packed.mtx.gz
	expect_exit 0
fi
printf 'node01\nnode02\n' >hosts.txt
same hosts.txt --cluster ssh:hosts.txt --dry-run preset.yaml
cp -R "$data/cat-stepped" toolkit
same toolkit --classify toolkit
cp "$stored/counters/readings.csv" readings.csv
same readings.csv --classify readings.csv
"$TPROF" --classify - <readings.csv >out 2>err
[ "$(wc -l <out)" -eq "$(wc -l <plain.out)" ] || fail 'expected the same of standard input'
printf 'k,ms\na,1\nb,2\n' >table.csv
same table.csv --mine table.csv
printf '[{"k": "a", "ms": 1}, {"k": "b", "ms": 2}]\n' >table.json
same table.json --mine table.json

# Runs, whole and in parts, and what learners did.
cp -R "$stored/kernels" stored
chmod -R u+w stored
same stored --show stored
for file in points.csv journal.ndjson; do
	cp "$stored/kernels/$file" .
	same $file --show $file
done
printf '{"format": "tprof-progress", "learner": "Zed", "lessons": []}\n' >progress.json
same progress.json --lesson-report progress.json
