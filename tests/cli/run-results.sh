# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# What a run leaves, on stdout and in its directory.
small_preset tiny.yaml <<'END'
name: A tiny run
experiment: roofline
isa: scalar
level: [L1, L2]
fp_op: add
END
columns=run,point,experiment,kernel,isa,precision,threads,level,working_set_bytes,loads,stores,fp_op,ai_flop_per_byte
columns+=,median_gbps,best_gbps,median_gflops,best_gflops,bytes_per_cycle,flop_per_cycle,ipc,core_ghz
columns+=,ci_low,ci_high,samples,seconds,flags

# Without data options nothing goes to stdout; a message names the place of the results.
run --batch tiny.yaml
expect_exit 0
expect_no_out
expect_err '3 of 3 points'
expect_err "$XDG_DATA_HOME/tprof/runs/"
set -- "$XDG_DATA_HOME"/tprof/runs/*
[ $# -eq 1 ] || fail 'expected one run directory'
expect_run "$1" complete
case $(basename "$1") in
[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]-*-A-tiny-run) ;;
*) fail "expected date and name in the name of the run directory: $1" ;;
esac

# --csv: the promised columns first and in order, one row for each point, the same as points.csv.
run --batch tiny.yaml --csv=all --run-dir csv
expect_exit 0
expect_run csv complete
cmp -s out csv/points.csv || fail 'expected --csv=all to print what points.csv holds'
case $(head -n 1 out) in
"$columns",*) ;;
*) fail "expected the columns $columns first" ;;
esac
[ "$(wc -l <out)" -eq 4 ] || fail 'expected a head and three rows'
expect_cells level 'L1 L2 FP'
expect_cells point '0 1 2'
expect_cells working_set_bytes '8192 32768 '
expect_cells loads '2 2 '
expect_cells stores '1 1 '
expect_cells fp_op '  add'
awk -F, 'NR == 1 { n = NF } NF < n { exit 1 }' out || fail 'expected as many cells in each row as there are columns'

# --json: the same as run.json.
run --batch tiny.yaml --json --run-dir json
expect_exit 0
expect_json out
cmp -s out json/run.json || fail 'expected --json to print what run.json holds'
for key in format version state wall_seconds machine points roofs plateaus dots; do
	grep -q "^\"$key\": " out || fail "expected the key $key in run.json"
done
expect_count 3 '"state": "done"' out

# -o FILE: the data replace an existing file, and no other file is left next to it.
mkdir into
echo old >into/points.csv
run --batch tiny.yaml --csv=all -o into/points.csv --run-dir file
expect_exit 0
expect_no_out
cmp -s into/points.csv file/points.csv || fail 'expected -o to write what points.csv holds'
run --batch tiny.yaml --json -o into/run.json --run-dir file2
expect_exit 0
expect_no_out
expect_json into/run.json
[ "$(find into -mindepth 1 | wc -l)" -eq 2 ] || fail "expected two files: $(ls -A into)"

# A device or a pipe is written to, never replaced.
run --batch tiny.yaml --csv=all -o - --run-dir dash
expect_exit 0
cmp -s out dash/points.csv || fail 'expected -o - to write to stdout'
mkfifo pipe
cat pipe >piped &
reader=$!
run --batch tiny.yaml --csv=all -o pipe --run-dir fifo
expect_exit 0
[ -p pipe ] || fail 'expected the pipe to be a pipe still'
wait "$reader"
cmp -s piped fifo/points.csv || fail 'expected the data in the pipe'

# tprof does not write into a directory that is not empty.
run --batch tiny.yaml --run-dir csv
expect_exit 2
expect_err csv
expect_err empty

# The saved preset plans and measures the same points.
run --dry-run tiny.yaml
expect_exit 0
cp out planned
run --dry-run csv/preset.yaml
expect_exit 0
cmp -s out planned || fail "expected the same plan from the saved preset: $(diff planned out)"
run --batch csv/preset.yaml --csv=all --run-dir again
expect_exit 0
cut -d, -f1-13 out >got
cut -d, -f1-13 csv/points.csv >wanted
cmp -s got wanted || fail "expected the same points from the saved preset: $(diff wanted got)"

# --quiet: no output on success.
run --batch tiny.yaml --quiet --run-dir quiet
expect_exit 0
expect_no_out
expect_no_err
