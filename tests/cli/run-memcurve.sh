# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: a curve from the preset to the report.
. "$TPROF_CLI/lib.sh"

# A curve has the requested sizes and its plateaus.
small_preset curve.yaml <<'END'
experiment: memcurve
isa: scalar
ratio: [1:0, 2:1]
sizes: [2KiB, 8KiB, 32KiB, 128KiB, 512KiB]
END
run --batch curve.yaml --csv --run-dir curve
expect_exit 0
expect_cells working_set_bytes '2048 8192 32768 131072 524288 2048 8192 32768 131072 524288'
expect_cells kernel 'load load load load load 2ld1st 2ld1st 2ld1st 2ld1st 2ld1st'
expect_cells level '         '
for column in median_gbps best_gbps bytes_per_cycle ipc core_ghz; do
	expect_numbers $column
done
expect_between median_gbps median_gbps best_gbps
# Which plateaus there are depends on how quiet the machine was, so the unit tests hold that on simulated ones. Each is whole.
sed -n '/^"plateaus": \[/,/^\]/p' curve/run.json >plateaus
expect_count "$(count '"kernel"' plateaus)" '"capacity_bytes"' plateaus

# Without a list: from size_min to size_max, points_per_octave a doubling and more at the edges of the caches.
run --batch curve.yaml --set sizes= --set size_min=4KiB --set size_max=128KiB --set points_per_octave=1 --set ratio=1:0 --csv
expect_exit 0
sizes=$(cells working_set_bytes)
for size in 4096 8192 16384 32768 65536 131072; do
	case " $sizes " in
	*" $size "*) ;;
	*) fail "expected the size $size; got: $sizes" ;;
	esac
done
[ "$(column working_set_bytes | sort -n | paste -sd ' ')" = "$sizes" ] || fail "expected ascending sizes; got: $sizes"
[ "$(wc -l <out)" -gt 8 ] || fail 'expected more points around the edges of the caches'

# stride and cold caches.
run --batch curve.yaml --set ratio=1:0 --set stride=4 --set cache=cold --csv
expect_exit 0
expect_cells kernel 'load-stride4 load-stride4 load-stride4 load-stride4 load-stride4'
expect_numbers median_gbps

# shuffle: another order, the same points, and the same order again for the same seed.
run --batch curve.yaml --set shuffle=yes --set seed=7 --csv
expect_exit 0
shuffled=$(cells working_set_bytes)
case $shuffled in
'2048 8192 32768 131072 524288 2048 8192 32768 131072 524288') fail 'expected another order' ;;
esac
[ "$(cut -d, -f3-13 out | sort)" = "$(cut -d, -f3-13 curve/points.csv | sort)" ] || fail 'expected the same points'
run --batch curve.yaml --set shuffle=yes --set seed=7 --csv
expect_exit 0
expect_cells working_set_bytes "$shuffled"
