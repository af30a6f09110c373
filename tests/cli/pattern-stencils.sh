# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Stencils that ship: tiles of any size compute the grid of the naive sweep, and damaged ones are found out.
. "$TPROF_CLI/lib.sh"

command -v cc >/dev/null || { skip 'there is no C compiler'; exit 0; }
short=(--set stop.max_time=20ms --set measure_again=false)
# column NAME: that column of the points in out, without the head; lists of CPUs contain commas.
column() {
	sed 's/"[^"]*"/list/g' out | awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }'
}

# Sizes that are not multiples of tiles, smaller than one, and the smallest grid; to the last bit.
cat >odd.yaml <<'END'
experiment: pattern
pattern: [jacobi-2d-overlapped, jacobi-2d-tiles, jacobi-2d-steps]
pattern.parameters: [n=3 5 31 67 129, tile_i=8 32, tile_j=8 64]
pattern.where: not (tile_i == 32 and tile_j == 8)
threads: [1, all]
END
run --batch odd.yaml "${short[@]}" --csv
[ "$status" -eq 0 ] || [ "$status" -eq 3 ] || fail 'expected a measurement'
[ "$(column pattern | grep -c overlapped)" -ge 15 ] || fail 'expected 15 overlapped points a count of threads'
[ "$(column exact | sort -u)" = true ] || fail 'expected the grid of the naive sweeps to the last bit'
# Points that several tiles compute are not work: an element counts as often as in the naive sweeps.
[ "$(paste <(column n) <(column elements) | grep '^67	' | sort -u | wc -l)" -eq 2 ] ||
	fail 'expected the elements of four sweeps, or of one'
[ "$(column flop_per_element | sort -u)" = 9 ] || fail 'expected 9 FLOP an element'
cat >blocks.yaml <<'END'
experiment: pattern
pattern: [jacobi-3d-blocks, jacobi-3d-partial]
pattern.parameters: [n=3 11 29, tile_i=4 16, tile_j=8, tile_k=8 64]
END
run --batch blocks.yaml "${short[@]}" --csv
[ "$(column exact | sort -u)" = true ] || fail 'expected the cube of the naive sweep to the last bit'

# damage PATTERN SED: the shipped pattern with a change, measured.
damage() {
	sed "$2" "$TPROF_SRCDIR/presets/patterns/$1.yaml" >bad.yaml
	! cmp -s bad.yaml "$TPROF_SRCDIR/presets/patterns/$1.yaml" || fail "nothing to damage: $2"
	printf 'experiment: pattern\npattern: ./bad.yaml\npattern.parameters: n=67\n' >bad-preset.yaml
	run --batch bad-preset.yaml --allow-code "${short[@]}"
}

# A tile that computes one row, or one column, too few for the next step.
damage jacobi-2d-overlapped '/^    Q\[/,/^    R\[/s/tile_i + 2/tile_i + 1/'
expect_exit 1
expect_err 'wrong result with n=67 tile_i=32 tile_j=64: b[31][1] is'
expect_err ', expected '
damage jacobi-2d-overlapped '/^    R\[/,/^    S\[/s/tile_j \* tj - 1/tile_j * tj/'
expect_exit 1
expect_err 'wrong result with n=67 tile_i=32 tile_j=64: b[1][64] is'
# An element that no tile computes.
damage jacobi-2d-overlapped '/^    S\[/,/schedule/s/i < tile_i \* ti + tile_i /i < tile_i * ti + tile_i - 1 /'
expect_exit 1
expect_err 'b[31][1] is'

# Time steps that change places with rows are reported before anything runs, and compute something else.
sed 's|^  schedule: "\(.*\)"|  schedule: ["\1", "{ [k, s, i, j] -> [i, k, s, j] }"]|; s/parallel: 1/parallel: none/' \
	"$TPROF_SRCDIR/presets/patterns/jacobi-2d-steps.yaml" >bad.yaml
run --dry-run bad-preset.yaml --allow-code
expect_err 'the schedule breaks a dependence: '
expect_err 'first'
run --batch bad-preset.yaml --allow-code "${short[@]}"
expect_exit 1
expect_err 'wrong result with n=67'

# A separate way to the result is used only on request.
damage jacobi-2d-overlapped 's/^validate: reference/validate: {c: "CHECK(b, 0, 0, 0);"}/'
expect_exit 2
expect_err 'reference: validate does not use it'
damage jacobi-2d-overlapped 's/^elements: .*/elements: 0 - n/'
expect_exit 2
expect_err 'elements: 0 - n is -'

# Next to the times are the predictions of models, if the same run has measured bandwidths.
cat >models.yaml <<'END'
threads: 1
runs:
  - name: roofs
    experiment: roofline
    isa: widest
    level: [L1, L2]
    fp_op: add
  - name: stencil
    experiment: pattern
    pattern: [jacobi-2d-rows, jacobi-2d-overlapped]
    pattern.parameters: [n=40 600, m=18, tile_i=8, tile_j=8]
END
run --batch models.yaml "${short[@]}" --set cache_size.L1=48KiB --set cache_size.L2=2MiB --csv
[ "$status" -eq 0 ] || [ "$status" -eq 3 ] || fail 'expected a measurement'
[ "$(paste <(column pattern) <(column n) <(column reuse_level) <(column l2_bytes) <(column l1_n) | grep rows | tr '\t' ' ')" = \
	'jacobi-2d-rows 40 L1  1536
jacobi-2d-rows 600 L1 24 1536' ] || fail 'expected rows in L1, 24 bytes an element from L2, up to n = 1536'
[ -z "$(paste <(column pattern) <(column reuse_level) | awk '/overlapped/ && NF > 1')" ] || fail 'expected no prediction for overlapped tiles'
run --show last --report=always
expect_out 'What models predict for jacobi-2d-rows'
tr '\n' ' ' <out | grep -aq 'L1 up to n = 1536, L2 up to n = 65536' || fail 'expected the edges in words'
expect_not_out 'What models predict for jacobi-2d-overlapped'
run --show last --json
expect_out '"measured_to_ecm"'
for preset in "$TPROF_SRCDIR"/presets/pattern-jacobi-*.yaml; do
	run --dry-run "$preset"
	expect_exit 0
	expect_not_err 'breaks a dependence'
done
