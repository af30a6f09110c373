#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The sparse matrix of examples/spmv with and without Cuthill-McKee: the intensity stays, the speed rises. Prints tprof's report of region `spmv` for both runs, without a verdict. usage: tests/bench/app_rcm.sh [SIDE]	(default: 1200, of the mesh)
#
# TPROF names the program (default: build/tprof). Needs make, a C compiler and python3.
set -u
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=${here%/*/*}
tprof=${TPROF:-$top/build/tprof}
side=${1:-1200}
scratch=$(mktemp -d) || exit 2
trap 'rm -rf --one-file-system "$scratch"' EXIT
export XDG_DATA_HOME=$scratch/data XDG_CONFIG_HOME=$scratch/config
cp -r "$top/examples" "$top/include" "$scratch" && make -s -C "$scratch/examples/spmv" || exit 2
for order in given rcm; do
	words=("$scratch/examples/spmv/spmv" --side "$side")
	[ $order = given ] || words+=(--rcm)
	"$tprof" --app --levels -o "$scratch/$order.json" --json -- "${words[@]}" >"$scratch/$order.out" 2>"$scratch/$order.said" || {
		cat "$scratch/$order.said" >&2
		exit 1
	}
done
python3 - "$scratch" <<'END'
import json, sys
rows = {}
for order in ('given', 'rcm'):
    run = json.load(open('%s/%s.json' % (sys.argv[1], order)))
    rows[order] = next(r for r in run['app_regions'] if r['region'] == 'spmv' and r['thread'] == 'all')
print('%-6s %12s %8s %7s %-7s %-5s %8s %s' % ('order', 'flops', 'FLOP/B', 'GFLOP/s', 'bound', 'roof', 'of roof', 'trust'))
for order, r in rows.items():
    print('%-6s %12d %8.4f %7.3f %-7s %-5s %7.1f%% %s (%s)' % (order, r['flops_dp'], r['ai_flop_per_byte'], r['gflops'], r['bound'], r['roof'],
          r['roof_percent'], r['trust'], r['reasons']))
a, b = rows['given'], rows['rcm']
print('intensity %+.3f %%, speed %.2f times' % (100 * (b['ai_flop_per_byte'] / a['ai_flop_per_byte'] - 1), b['gflops'] / a['gflops']))
END
grep -h '^spmv:' -A1 "$scratch"/given.said "$scratch"/rcm.said
