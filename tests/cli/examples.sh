# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
# The examples build in another folder with one make, and count and compute the same in every variant.
. "$TPROF_CLI/lib.sh"

command -v cc >/dev/null || skip_all 'there is no C compiler'
have make || exit 0
unset MAKEFLAGS MFLAGS MAKELEVEL CFLAGS LDFLAGS FFLAGS CC FC
make -f "$TPROF_SRCDIR/examples/Makefile" CC='cc -Werror' >make.log 2>&1 || fail "the examples do not build: $(tail -n 20 make.log)"

# value NAME FILE: what follows a name in what an example printed.
value() {
	sed -n "s/.*\b$1 *\([^ ]*\).*/\1/p" "$2"
}

# A mesh of 40 x 40 nodes has 40^2 nodes, 2 x 40 x 39 edges along its axes and 39^2 across, each of them twice.
./spmv/spmv --side 40 --products 3 >plain || fail 'spmv failed'
./spmv/spmv --side 40 --products 3 --rcm >rcm || fail 'spmv --rcm failed'
nonzeros=$((1600 + 2 * (2 * 40 * 39 + 39 * 39)))
[ "$(value flops plain)" = $((2 * 3 * nonzeros)) ] || fail "expected 2 FLOPs for each of $nonzeros nonzeros: $(cat plain)"
[ "$(value flops rcm)" = "$(value flops plain)" ] || fail 'expected as many FLOPs with another numbering'
[ "$(value checksum rcm)" = "$(value checksum plain)" ] || fail "expected the same checksum: $(cat plain rcm)"
[ "$(value most rcm)" -le 80 ] || fail "expected narrow rows of a mesh of 40 x 40: $(cat rcm)"
[ "$(value most plain)" -gt 800 ] || fail "expected scrambled numbers: $(cat plain)"

# A file: two parts that have nothing to do with each other, and an empty row.
cat >two.mtx <<'END'
%%MatrixMarket matrix coordinate real symmetric
% a comment
6 6 5
1 1 2.5
4 1 -1
6 4 -2
2 5 3
5 5 1
END
./spmv/spmv two.mtx --products 1 >file || fail 'spmv of a file failed'
# y = A x with x = (1, 2, 3, 4, 5, 1). row 1: 2.5*1 - 4 = -1.5; row 2: 3*5 = 15; row 4: -1*1 - 2*1 = -3; row 5: 3*2 + 5 = 11; row 6: -2*4 = -8
[ "$(value checksum file)" = 23.5 ] || fail "expected -1.5 + 30 - 12 + 55 - 48 = 23.5: $(cat file)"
./spmv/spmv two.mtx --products 1 --rcm >file || fail 'spmv --rcm of a file failed'
[ "$(value checksum file)" = 23.5 ] || fail "expected the same of the reordered file: $(cat file)"
[ "$(value flops file)" = 16 ] || fail "expected 2 FLOPs for each of 8 nonzeros: $(cat file)"

for bad in '%%MatrixMarket matrix array real general' '%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0' \
	'%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1' '%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1' \
	'%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1' '%%MatrixMarket matrix coordinate real general'; do
	printf '%b\n' "$bad" >bad.mtx
	status=0
	./spmv/spmv bad.mtx >out 2>err || status=$?
	expect_exit 1
	expect_err 'spmv: bad.mtx: '
done
for words in '--side' '--side 1' '--products x' '--what'; do
	status=0
	# shellcheck disable=SC2086 # several words
	./spmv/spmv $words >out 2>err || status=$?
	expect_exit 2
	expect_err 'usage: spmv'
done

# The three versions do the same: 8 FLOPs for each of 18^3 inner points, 5 times.
./stencil/stencil --size 20 --steps 5 --block 7 >out || fail 'stencil failed'
[ "$(wc -l <out)" -eq 3 ] || fail 'expected three versions'
[ "$(sed 's/.*checksum \([^ ]*\).*/\1/' out | sort -u | wc -l)" -eq 1 ] || fail 'expected one checksum'
[ "$(sed 's/.*flops \([^ ]*\).*/\1/' out | sort -u)" = $((8 * 18 * 18 * 18 * 5)) ] || fail 'expected 8 FLOPs for each inner point'
status=0
./stencil/stencil sideways >out 2>err || status=$?
expect_exit 2

# Counted under tprof: exactly the FLOPs that the program states, in each of its regions, with any numbering.
flops_of() { # flops_of REGION: of the run in the folder dir
	awk -F, -v region="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["region"] == region && $at["thread"] == "all" { printf "%d", $at["flops_dp"] }' dir/app_regions.csv
}
# counted REGION FLOPS PROGRAM ARGUMENT...
counted() {
	local region=$1 flops=$2
	shift 2
	rm -rf dir
	run --app --run-dir dir --set app.roofs=none --set app.source=agent --set app.runs=1 --set stop.max_samples=1 -- "$@"
	if [ "$status" -ne 0 ] || [ ! -s dir/app_regions.csv ]; then
		skip "the agent cannot count programs here: $(tail -n 2 err)"
		return 0
	fi
	[ "$(flops_of "$region")" = "$flops" ] || fail "expected $flops FLOPs in $region, counted $(flops_of "$region")"
}
case $(uname -m) in
x86_64)
	counted spmv $((2 * 3 * nonzeros)) ./spmv/spmv --side 40 --products 3
	counted spmv $((2 * 3 * nonzeros)) ./spmv/spmv --side 40 --products 3 --rcm
	for version in naive blocked vector; do
		counted $version $((8 * 18 * 18 * 18 * 5)) ./stencil/stencil --size 20 --steps 5
	done
	;;
*) skip 'the agent counts on x86-64 alone' ;;
esac

if have gfortran; then
	./fortran/regions 10 >out || fail 'the example in Fortran failed'
	expect_out "flops $((2 * 800000 * 20))"
	expect_out "flops $((2 * 60 * 60 * 60))"
	if [ "$(uname -m)" = x86_64 ]; then
		counted triad $((2 * 800000 * 20)) ./fortran/regions 10
		counted matmul $((2 * 60 * 60 * 60)) ./fortran/regions 10
	fi
fi
