#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# FLOPs counted by the agent against known ones: DGEMM of OpenBLAS (2 n^3), a transform of FFTW (its own estimate) and a sparse
# matrix times a vector (2 for each non-zero). Prints a table and judges nothing. usage: tests/bench/app_flops.sh
#
# TPROF names the program (default: build/tprof), CC the compiler. Needs libopenblas-dev, libfftw3-dev and python3.
set -u
export LC_ALL=C OPENBLAS_NUM_THREADS=1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=${here%/*/*}
tprof=${TPROF:-$top/build/tprof}
scratch=$(mktemp -d) || exit 2
trap 'rm -rf --one-file-system "$scratch"' EXIT
export XDG_DATA_HOME=$scratch/data XDG_CONFIG_HOME=$scratch/config
"${CC_PLAIN:-gcc}" -O2 -I"$top/include" -o "$scratch/known_flops" "$here/app/known_flops.c" -lopenblas -lfftw3 -lm || exit 2
"$tprof" --app --set app.roofs=none -o "$scratch/out.json" --json -- "$scratch/known_flops" >"$scratch/known" 2>"$scratch/said" || {
	cat "$scratch/said" >&2
	exit 1
}
python3 - "$scratch/known" "$scratch/out.json" <<'END'
import json, sys
known = dict(line.split() for line in open(sys.argv[1]))
run = json.load(open(sys.argv[2]))
print('%-8s %14s %14s %9s' % ('region', 'known', 'counted', 'differs'))
for row in run['app_regions']:
    if row['region'] in known and row['thread'] == 'all':
        n = int(known[row['region']])
        print('%-8s %14d %14d %8.3f%%' % (row['region'], n, row['flops_dp'], 100 * (row['flops_dp'] / n - 1)))
END
