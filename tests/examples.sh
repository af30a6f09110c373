#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Makes the example runs that ship with tprof, one for each experiment: examples/runs/EXPERIMENT.
#
#	tests/examples.sh [EXPERIMENT...]		TPROF=build/tprof is measured with
#
# What tprof can simulate is simulated, on a quiet machine of the model zen4, so those examples are the same wherever they are made. The
# others are measured on the machine that this runs on: run it where nothing else does. What names the machine or its user is taken out,
# and so are the windows of the points and the values that a point does not have: an example is small. Look at the difference before it
# is committed.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
TPROF=$(realpath "${TPROF:-$top/build/tprof}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir made home
export HOME=$work/home LC_ALL=C.UTF-8
unset XDG_CONFIG_HOME XDG_CACHE_HOME
export XDG_DATA_HOME=$work/home/data

cat >memcurve.yaml <<'PRESET'
notes: "Bandwidth of loads over the size of the data"
experiment: memcurve
isa: widest
ratio: 1:0
threads: 1
pages: thp
points_per_octave: 1.5
size_max: 256MiB
stop: {max_time: 120ms}
PRESET
cat >latency.yaml <<'PRESET'
notes: "Time of a load that depends on the one before"
experiment: latency
threads: 1
size_min: 4KiB
size_max: 256MiB
points_per_octave: 1
pages: thp
stop: {max_time: 120ms}
PRESET
cat >loaded-latency.yaml <<'PRESET'
notes: "Time of a load while another core streams"
experiment: loaded-latency
isa: widest
threads: 8
level: [DRAM]
ratio: 1:0
pages: thp
stop: {max_time: 2s, min_count: 200}
PRESET
cat >roofline.yaml <<'PRESET'
notes: "The roofs of one core: caches, memory, two peaks"
experiment: roofline
isa: widest
threads: 1
ratio: 2:1
fp_op: [fma, add]
level: [L1, L2, L3, DRAM]
pages: thp
stop: {max_time: 500ms}
PRESET
cat >mixed.yaml <<'PRESET'
notes: "FP and loads mixed: dots below the roof of L1"
experiment: mixed
isa: widest
threads: 1
ratio: 2:1
level: L1
fp_op: fma
intensity_points: 7
stop: {max_time: 200ms}
PRESET
cat >gather.yaml <<'PRESET'
notes: "Gathers from 1 to 8 cache lines"
experiment: gather
precision: single
threads: 1
cache: hot
gather: {elements: [2, 4, 8], lists: lines, width: [128, 256]}
stop: {max_time: 10ms}
PRESET
cat >asm.yaml <<'PRESET'
notes: "Cycles of an addition, a product and an FMA"
experiment: asm
asm.mode: [latency, throughput]
asm.mca: none
stop: {max_time: 100ms}
runs:
  - asm.body: vaddpd %ymm1,%ymm2,%ymm0
  - asm.body: vmulpd %ymm1,%ymm2,%ymm0
  - asm.body: vfmadd231pd %ymm1,%ymm2,%ymm0
PRESET
cat >spmv.yaml <<'PRESET'
notes: "A sparse matrix times a vector in five formats"
experiment: spmv
matrix: laplace2d:500
format: [coo, csr, bcsr, dia, ell]
threads: 1
stop: {max_time: 300ms}
PRESET
cat >counters.yaml <<'PRESET'
notes: "What emulated events count, and metrics of them"
experiment: counters
families: [branch]
source: emulated
threads: 1
counters: {repetitions: 2, misleading: 3}
PRESET
cat >autotune.yaml <<'PRESET'
notes: "The fastest sizes of TRIAD, searched for"
experiment: autotune
routine: triad
scope: core
technique: racing
level: [L1, L2, L3, DRAM]
autotune: {invocations: 4, max_time: 5s}
PRESET
cat >pattern.yaml <<'PRESET'
notes: "TRIAD as a loop of YAML, compiled, over all levels"
experiment: pattern
pattern: triad
pattern.n_from: level
level: [L1, L2, L3, DRAM]
PRESET
cat >program.yaml <<'PRESET'
notes: "gzip over its levels: time, and what it saves"
experiment: program
stop: {error: 3%, confidence: 95%}
program:
  command: gzip -{level} -v -k -f numbers.txt
  level: [1, 3, 6, 9]
  read: ["saved=([0-9.]+)%"]
  before: ["shuf -i 1-100000 -o numbers.txt"]
  after: ["rm -f numbers.txt numbers.txt.gz"]
  runs: 8
  max_time: 2s
PRESET
cat >template.yaml <<'PRESET'
notes: "Matrix product in C: three orders of its loops"
experiment: template
template:
  source: matmul
  N: 200
  ORDER: [IJK, IKJ, JKI]
  TILE: [20, 200]
  UNROLL: 1
PRESET
cat >triad.c <<'SOURCE'
#include <stdio.h>
#include <stdlib.h>

enum { N = 4 << 20, ROUNDS = 20 };

static __attribute__((noinline)) void triad(double *a, const double *b, const double *c)
{
	for (int i = 0; i < N; i++)
		a[i] = b[i] + 3.0 * c[i];
}

int main(void)
{
	double *a = calloc(N, sizeof(*a)), *b = calloc(N, sizeof(*b)), *c = calloc(N, sizeof(*c));
	for (int i = 0; a && b && c && i < N; i++)
		b[i] = c[i] = i;
	for (int round = 0; a && b && c && round < ROUNDS; round++)
		triad(a, b, c);
	printf("%g\n", a ? a[N - 1] : 0);
	return 0;
}
SOURCE
gcc -O2 -g -fno-tree-vectorize -o triad triad.c
cat >app.yaml <<'PRESET'
notes: "A STREAM triad without vectors, under the roofs of its machine"
experiment: app
stop: {error: 3%, confidence: 95%}
app:
  command: ./triad
  source: auto
  runs: 5
  max_time: 5s
PRESET
cat >traffic.yaml <<'PRESET'
notes: "Bytes that DOT and GEMV move, expected and counted"
experiment: traffic
threads: all
traffic:
  kernels: [capped-gemv, dot]
  sizes: auto
  source: emulated
PRESET
cat >profile.yaml <<'PRESET'
notes: "A program over time, with its phases"
experiment: profile
profile:
  command: sh -c "head -c 100000000 /dev/zero | gzip -1 > /dev/null; sleep 0.3; head -c 200000000 /dev/zero | sort -u"
  interval: 20ms
PRESET

# slim EXPERIMENT: what an example does not need leaves its files.
slim() {
	python3 - "made/$1" "$work" <<'PYTHON'
import json, re, sys
folder, work = sys.argv[1:]
path = folder + "/run.json"

# Six digits are more than any measurement has.
def short(value):
    if isinstance(value, float):
        return float("%.6g" % value)
    if isinstance(value, list):
        return [short(v) for v in value]
    if isinstance(value, dict):
        return {k: short(v) for k, v in value.items()}
    return value

# Rows are a line each, and the facts before them stay as they are.
lines, table = [], ""
for line in open(path, encoding="utf-8"):
    head = re.match(r'"(\w+)": \[$', line)
    table = head[1] if head else table
    row = re.match(r"(\{.*\})(,?)$", line)
    if row and table:
        cells = short(json.loads(row[1]))
        cells.pop("windows", None)
        if table == "points":
            cells = {k: v for k, v in cells.items() if v is not None and v is not False and v != ""}
        line = json.dumps(cells, ensure_ascii=False) + row[2] + "\n"
    line = re.sub(r'("hostname": )".*"', r'\1"example"', line)
    # Nobody else has the preset.
    if re.match(r'  "path": ', line):
        continue
    lines.append(line.replace(work + "/", ""))
text = "".join(lines)
json.loads(text)
open(path, "w", encoding="utf-8").write(text)
PYTHON
	# Tables that an experiment reads from files of their own stay; the others are in run.json.
	find "made/$1" -type f ! -name run.json ! -name readings.csv ! -name profile.csv -delete
}

# These count or run what a simulation does not have: events, traffic, compiled loops, programs.
measured=' app counters profile program template traffic '

names=("$@")
if [ $# = 0 ]; then
	mapfile -t names < <("$TPROF" --list experiments --names)
fi
for name in "${names[@]}"; do
	[ -f "$name.yaml" ] || {
		echo "tests/examples.sh: there is no preset for the experiment $name: write one here" >&2
		exit 1
	}
	sed -i "1i name: $name" "$name.yaml"
	machine=()
	[[ $measured == *" $name "* ]] || machine=(--machine zen4 --simulate)
	"$TPROF" --batch "$name.yaml" "${machine[@]}" --run-dir "made/$name" --allow-code --quiet || [ $? = 3 ]
	slim "$name"
	mkdir -p "$top/examples/runs"
	rm -rf "$top/examples/runs/${name:?}"
	cp -R "made/$name" "$top/examples/runs/$name"
	chmod -R u=rwX,go=rX "$top/examples/runs/$name"
	du -sb "$top/examples/runs/$name" | sed "s|$top/||"
done
