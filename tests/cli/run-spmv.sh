# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# Sanitizers: sparse matrices from the file to the report.
. "$TPROF_CLI/lib.sh"

# A sparse matrix of a file in all formats and both orders: every format is checked before it is measured, the advice is printed, and the report shows whether the measurement agrees.
small_preset spmv.yaml <<'END'
experiment: spmv
matrix: ring.mtx
reorder: [none, rcm]
roofs: false
END
# A ring of 300 points, whose numbers are scattered; symmetric, so a file has half of it.
awk 'BEGIN {
	n = 300
	print "%%MatrixMarket matrix coordinate real symmetric"
	print "% a comment"
	print n, n, 2 * n
	for (i = 0; i < n; i++) {
		a = i * 7 % n + 1
		b = (i + 1) % n * 7 % n + 1
		print a, a, 4
		print (a > b ? a " " b : b " " a), -1.5
	}
}' >ring.mtx
run --batch spmv.yaml --csv --run-dir ring
expect_exit 0
expect_cells kernel 'spmv-coo spmv-csr spmv-bcsr spmv-dia spmv-ell spmv-coo-rcm spmv-csr-rcm spmv-bcsr-rcm spmv-dia-rcm spmv-ell-rcm'
expect_cells format 'coo csr bcsr dia ell coo csr bcsr dia ell'
expect_cells nonzeros '900 900 900 900 900 900 900 900 900 900'
expect_cells matrix 'ring.mtx ring.mtx ring.mtx ring.mtx ring.mtx ring.mtx ring.mtx ring.mtx ring.mtx ring.mtx'
for column in median_gflops median_gbps ai_flop_per_byte format_bytes pass_ns; do
	expect_numbers $column out
done
# COO has 16 bytes an entry; CSR 12, and 4 a row.
[ "$(column format_bytes out | head -n 2 | tr '\n' ' ')" = '14400 12004 ' ] || fail 'expected the bytes of COO and CSR'
# GFLOP/s, time and non-zeros agree.
paste <(column median_gflops out) <(column pass_ns out) |
	awk '{ r = $1 * $2 / 1800; if (r < 0.999 || r > 1.001) bad = 1 } END { exit bad }' || fail 'expected 2 FLOP for each non-zero'
sed -n '/^"matrices": \[/,/^\]/p' ring/run.json >found
expect_count 2 '"symmetric": true' found
expect_count 2 '"row_max": 3' found
expect_count 1 '"bandwidth": 293' found
expect_count 1 '"bandwidth": 2,' found
run --show ring
expect_exit 0
expect_out 'Sparse matrix ring.mtx'
expect_out 'Sparse matrix ring.mtx, reordered (rcm)'
expect_out '300 x 300 with 900 non-zeros: 3 to 3 in a row'
expect_out 'Advice: '
expect_out 'The measurement '
# The verdict breaks its lines where there is room.
tr -s ' \n' ' ' <out | grep -q 'Reordering changes the bandwidth from 293 to 2 ' || fail 'expected what reordering changes'

# Resumed: nothing is left to measure, though the plan did not know where the working sets lie.
run --resume ring --csv
expect_exit 0
expect_cells format 'coo csr bcsr dia ell coo csr bcsr dia ell'

# A format that would be mostly padding is left out, with the reason.
run --batch spmv.yaml --set matrix=random:2000,9000 --set reorder=none --set padding=4 --set 'format=csr,dia' --report=always
expect_exit 3
expect_err 'dia is left out: the non-zeros lie on '
expect_err 'raise the option padding'
expect_err '1 was not measured'

# With roofs the formats are dots below them.
run --batch spmv.yaml --set matrix=laplace2d:30 --set reorder=none --set roofs=true --set 'level=[L1,L2]' --set format=csr,dia --run-dir dots --report=always
expect_exit 0
sed -n '/^"dots": \[/,/^\]/p' dots/run.json >found
expect_count 2 '"distance_percent": ' found
expect_count 1 '"fp_op": "dia"' found
expect_err 'dia, '
expect_not_err 'Mixed kernels'

# Errors are reported with their place, before anything runs or at the line where it stands.
bad() { # bad MATRIX TEXT
	run --batch spmv.yaml --set "matrix=$1" --set reorder=none
	expect_exit 2
	expect_err "$2"
}
bad missing.mtx 'missing.mtx: cannot open'
bad . 'is a directory'
mkfifo pipe.mtx
bad pipe.mtx 'pipe.mtx: is a '
bad laplace2d:0 'a number is 0'
bad random:10,101 'fewer places than non-zeros'
bad banded:90000000,1 'at most 50000000 rows'
printf '%%%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n' >dense.mtx
bad dense.mtx 'dense.mtx:1: the file holds a dense matrix (array)'
printf '%%%%MatrixMarket matrix coordinate real general\n3 4 1\n1 1 1\n' >wide.mtx
run --batch spmv.yaml --set matrix=wide.mtx
expect_exit 2
expect_err 'rcm orders rows and columns alike, and the matrix has 3 rows and 4 columns'

# The whole file is read before anything is measured: by --check, --dry-run and --batch, which then leaves no run.
late() { # late FILE KIND LINES TEXT HINT: a fault after the head
	printf '%%%%MatrixMarket matrix coordinate %s\n'"$3" "$2" >"$1"
	cat >late.yaml <<-END
		experiment: spmv
		matrix: $1
	END
	for way in --check --dry-run --batch; do
		run $way late.yaml --run-dir late
		expect_exit 2
		expect_err "$1:$4"
		expect_err "$5"
		[ ! -e late ] || fail 'expected no run'
	done
}
late range.mtx 'real general' '3 3 2\n1 1 1\n4 4 1\n' '4: row 4 is not one of 1 to 3' 'rows are counted from 1 to 3'
late zero.mtx 'real general' '2 2 2\n0 0 1\n1 1 1\n' '3: row 0 is not one of 1 to 2' 'add 1 to all rows and columns'
late upper.mtx 'real symmetric' '3 3 3\n1 1 4\n1 2 1\n3 3 4\n' '4: row 1, column 2 lies above the diagonal' 'holds the lower triangle'
late values.mtx 'pattern general' '2 2 2\n1 1 1\n2 2 1\n' '3: "1" is one word too many' 'entries of a pattern have no value'
late few.mtx 'real general' '3 3 3\n1 1 1\n' '3: the file ends after 1 of 3 entries' 'the line of the size has their number'
late many.mtx 'real general' '3 3 1\n1 1 1\n2 2 2\n' '4: this is one entry more than the 1' 'the line of the size has their number'
late complex.mtx 'complex general' '1 1 1\n1 1 1 1\n' '1: complex values are not supported' 'take its real part'
late hermitian.mtx 'complex hermitian' '1 1 1\n1 1 1 0\n' '1: complex values are not supported' 'take its real part'

# What collections and other programs write: a byte order mark, Fortran's exponents, unsigned numbers, gzip.
printf '\357\273\277%%%%MatrixMarket matrix coordinate real general\r\n2 2 2\r\n1 1 1.5D+00\r\n2 2 -.25d-1\r\n' >mark.mtx
printf '%%%%MatrixMarket matrix coordinate unsigned-integer general\n2 2 2\n1 1 18446744073709551615\n2 2 1\n' >unsigned.mtx
for file in mark unsigned; do
	run --batch spmv.yaml --set matrix=$file.mtx --set reorder=none --set format=csr --csv
	expect_exit 0
	expect_cells nonzeros 2
done
gzip -c ring.mtx >ring.mtx.gz
gzip -c zero.mtx >zero.mtx.gz
# With zlib it is read, without it the words name the program that unpacks it.
if "$TPROF" --dry-run spmv.yaml --set matrix=ring.mtx.gz >/dev/null 2>&1; then
	run --batch spmv.yaml --set matrix=ring.mtx.gz --set reorder=none --set format=csr --csv
	expect_exit 0
	expect_cells nonzeros 900
	run --dry-run spmv.yaml --set matrix=zero.mtx.gz
	expect_exit 2
	expect_err 'zero.mtx.gz:3: row 0 is not one of 1 to 2'
else
	run --dry-run spmv.yaml --set matrix=ring.mtx.gz
	expect_exit 2
	expect_err 'compressed by gzip'
	expect_err 'gunzip -k'
fi
