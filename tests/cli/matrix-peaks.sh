# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
#
# Peaks in half, bf16 and int8: the machine's peaks are planned, missing ones are reported. The machines are models, since
# this CPU may have all of them or none.
. "$TPROF_CLI/lib.sh"

# Every peak that the model gives has its own roof, and its value.
run --batch matrix-peaks --machine emerald-rapids --simulate --run-dir emr
expect_exit 0
expect_err 'dot in bf16 is left out: the model emerald-rapids gives no peak of it'
expect_err 'tile in half is left out: the model emerald-rapids gives no peak of it'
[ "$(grep -c 'is left out' err)" -eq 2 ] || fail 'more is left out than the model lacks'
for peak in half,fma bf16,tile int8,dot int8,tile single,fma; do
	awk -F, -v precision="${peak%,*}" -v op="${peak#*,}" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$at["level"] == "FP" && $at["precision"] == precision && $at["fp_op"] == op { print $at["flop_per_cycle"] }
	' emr/points.csv >peak
	case $peak in half,fma) want=128 ;; bf16,tile) want=1024 ;; int8,dot) want=256 ;; int8,tile) want=2048 ;; *) want=64 ;; esac
	awk -v want="$want" '{ n++; ok = $1 > 0.98 * want && $1 < 1.02 * want } END { exit !(n == 1 && ok) }' peak ||
		fail "expected one peak of $peak with $want FLOP a cycle: $(cat peak)"
done
run --show emr --ascii
expect_exit 0
expect_out 'Roofline, avx512 int8, 1 thread, simulated: emerald-rapids, quiet'
expect_out_line '.*tile 71[67][0-9] GFLOP/s.*' # 2,048 a cycle at 3.5 GHz
expect_out 'Roofline, avx512 bf16, 1 thread, simulated: emerald-rapids, quiet'
run --show emr --csv
expect_exit 0
expect_out ',int8,'

# AMX-FP16: a roof as high as that of bf16.
run --batch matrix-peaks --machine granite-rapids --simulate --set precision=half --set fp_op=tile --set level=L1 --csv
expect_exit 0
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
	$at["level"] == "FP" { n++; ok = $at["fp_op"] == "tile" && $at["flop_per_cycle"] > 1004 && $at["flop_per_cycle"] < 1044 }
	END { exit !(n == 1 && ok) }' out || fail 'expected one peak of half,tile with 1024 FLOP a cycle'
run --dump-asm avx512:tile/half
if [ "$(uname -m)" = x86_64 ]; then
	expect_exit 0
	expect_out 'tdpfp16ps tmm5, tmm6, tmm7'
fi

# Another architecture than this host's: its rows are known everywhere.
run --batch matrix-peaks --machine neoverse-v1 --simulate --run-dir v1
expect_exit 0
expect_err 'tile in half is left out: the model neoverse-v1 gives no peak of it'
expect_err 'tile in single is left out: the model neoverse-v1 gives no peak of it'
[ "$(grep -c 'is left out' err)" -eq 2 ] || fail 'the model has all the others'
expect_err 'points in '
run --dry-run matrix-peaks --machine neoverse-n2 --simulate
expect_exit 0
expect_out_line ' *[0-9]+  roofline +sve +bf16 +1  FP +tile .*'

# SME: outer products in every precision, in addition to the widest ISA if matrices are requested, and nowhere else.
cat >sme.yaml <<-'END'
	title: a core with SME
	arch: aarch64
	nominal_ghz: 3
	sockets: 1
	cores_per_socket: 4
	caches: {L1: 64KiB, L2: 1MiB, L3: 32MiB}
	isas:
	  neon:
	    {vector_bytes: 16, loads_per_cycle: 2, stores_per_cycle: 1, fma_per_cycle: 2, add_per_cycle: 2, mul_per_cycle: 2}
	  sme:
	    vector_bytes: 64
	    loads_per_cycle: 2
	    stores_per_cycle: 1
	    fma_per_cycle: 1
	    add_per_cycle: 1
	    mul_per_cycle: 1
	    double_tile_flop_per_cycle: 128
	    single_tile_flop_per_cycle: 512
	    int8_tile_flop_per_cycle: 2048
END
run --batch roofline --machine ./sme.yaml --simulate --set isa=widest --set precision=double,single,int8 --set fp_op=fma,tile \
	--set level=L1 --set threads=1 --csv
expect_exit 0
for peak in neon,double,fma,8 sme,double,fma,16 sme,double,tile,128 sme,single,tile,512 sme,int8,tile,2048; do
	awk -F, -v peak="$peak" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; split(peak, p, ",") }
		$at["level"] == "FP" && $at["isa"] == p[1] && $at["precision"] == p[2] && $at["fp_op"] == p[3] {
			n++; ok = $at["flop_per_cycle"] > 0.98 * p[4] && $at["flop_per_cycle"] < 1.02 * p[4] }
		END { exit !(n == 1 && ok) }' out || fail "expected a peak $peak FLOP a cycle"
done
run --dry-run roofline --machine ./sme.yaml --simulate --set isa=widest --set fp_op=fma
expect_exit 0
expect_out ' neon '
! grep -q ' sme ' out || fail 'sme is measured where it was not asked for'
run --dry-run roofline --machine ./sme.yaml --simulate --set isa=auto --set fp_op=fma
expect_exit 0
expect_out ' sme '

# A machine with none of them still has single precision.
run --dry-run matrix-peaks --machine zen3 --simulate
expect_exit 0
expect_err 'tile in int8 is left out: the model zen3 gives no peak of it'
! grep -qE 'bf16|int8|half' out || fail 'something is planned that zen3 lacks'
cat >bf16.yaml <<-'END'
	experiment: roofline
	precision: bf16
	fp_op: [dot, tile]
END
run --dry-run bf16.yaml --machine zen3 --simulate
expect_exit 2
expect_err 'no operation in that precision can be measured here: dot in bf16 is left out: the model zen3 gives no peak of it'

# Operations and precisions that do not go together, and experiments without them.
run --dry-run roofline --set fp_op=dot
expect_exit 2
expect_err 'no operation in that precision can be measured here'
expect_err 'bf16 and int8 have dot and tile'
run --dry-run memcurve --set precision=int8
expect_exit 2
expect_err 'memcurve measures nothing in int8'
run --dry-run mixed-l1 --set fp_op=tile
expect_exit 2
expect_err 'mixed has no tile'
run --dry-run roofline --set precision=quarter
expect_exit 2
expect_err 'half'

# What this CPU has, and why not: as many rows as data.
run --list precisions --json
expect_exit 0
if [ "$(uname -m)" = x86_64 ]; then
	expect_out '"name": "avx512:tile/bf16"'
	expect_out '"amx_bf16"'
fi
