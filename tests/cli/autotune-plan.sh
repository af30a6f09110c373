# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# Searches planned for a machine of two packages with 64 cores each: spaces, scopes, levels.
topology='synthetic:pack:2 l3:1(size=33554432) core:64 l2:1(size=1048576) l1:1(size=32768) pu:2'
echo 'experiment: autotune' >base.yaml
plan() { run --dry-run base.yaml --topology "$topology" "$@"; }

plan
expect_exit 0
expect_out_line 'point 0: 704 configurations: n 500-4096, m 500-4096, k 64-2048'
plan --set autotune.space=wide
expect_out_line 'point 0: 539 configurations: n 64-4096, m 64-4096, k 2-2048'
plan --set autotune.space=paper
expect_out_line 'point 0: 96 configurations: n 500-4000, m 512-4096, k 64-2048'
plan --set autotune.space=small --set technique=single,c+i
expect_out_line 'points 0-1: 96 configurations: n 128-500, m 128-500, k 16-500'
expect_err 'autotune.space: small has an eighth of the sizes of paper, the published space'
plan --set autotune.space=paper --set technique=single,c+i
expect_not_err 'published'
plan --set autotune.space=wide --set autotune.square=true
expect_out_line 'point 0: 77 configurations: n 64-4096, m 64-4096, k 2-2048'
plan --set autotune.n=100 --set autotune.m=200,300 --set autotune.k=7
expect_out_line 'point 0: 2 configurations: n 100, m 200-300, k 7'

# One thread for each core: close together for a product, spread over the packages for TRIAD.
plan --set scope=core,socket,machine
awk '$2 == "autotune" { print $5, $NF }' out >scopes
[ "$(sed -n 1p scopes)" = '1 0' ] || fail 'expected one core'
sed -n 2p scopes | grep -qE '^64 0,2,4,.*,126$' || fail 'expected the cores of one package'
sed -n 3p scopes | grep -qE '^128 0,2,4,' || fail 'expected all cores'
plan --set scope=machine --set routine=triad --set level=DRAM
awk '$2 == "autotune" { print $5, $NF }' out >scopes
grep -qE '^128 0,128,2,130,' scopes || fail 'expected the packages to take turns'

# The arrays of TRIAD fit into the level: 24 bytes for each element, for each thread.
plan --set routine=triad --set level=L1,L2
expect_out_line 'point 0: 8 configurations: n [0-9]+-12[0-9][0-9]'
expect_out_line 'point 1: 8 configurations: n 27[0-9][0-9]-349[0-9][0-9]'
plan --set routine=triad --set level=L1,DRAM --set autotune.elements=1000,100000000
expect_out_line 'point 0: 1 configuration: n 1000'
expect_out_line 'point 1: 1 configuration: n 100000000'

# On one package the cores of the socket are those of the machine.
run --dry-run base.yaml --topology 'synthetic:pack:1 l2:1(size=1048576) core:4 l1:1(size=32768) pu:1' --set scope=machine,socket,core
expect_exit 0
expect_err 'socket is left out: here it has the same cores as machine'
[ "$(grep -c ' autotune ' out)" -eq 2 ] || fail 'expected two searches'
# ... and a missing cache is not a level.
run --dry-run base.yaml --topology 'synthetic:pack:1 core:4 l1:1(size=32768) pu:1' --set routine=triad
expect_exit 0
expect_err 'L3 is left out'

# --- what cannot be searched: where it stands, what is wrong, what is allowed ---
cat >space.yaml <<'END'
experiment: autotune
autotune:
  space: papers
END
run --dry-run space.yaml
expect_exit 2
expect_err 'space.yaml:3:10: autotune.space: '
expect_err 'did you mean paper'
cat >space.yaml <<'END'
experiment: autotune
autotune:
  n: 1000000
  m: [900000, 1000000]
END
run --dry-run space.yaml
expect_exit 4
expect_err_line "tprof: space.yaml:3:6: autotune.n: the smallest configuration would need 6.* TiB, and only .* of this machine's memory may be used"
expect_err 'choose smaller sizes'
# Of several, those that fit are searched.
cat >space.yaml <<'END'
experiment: autotune
autotune: {n: [64, 1000000], m: [64, 1000000], k: 64}
END
run --dry-run space.yaml
expect_exit 0
expect_err_line 'tprof: autotune.n: 1 of 4 configurations need more than the .* of this machine.s memory that may be used; they fail'
cat >space.yaml <<'END'
experiment: autotune
routine: triad
level: DRAM
autotune:
  elements: 100000000000
END
run --dry-run space.yaml
expect_exit 4
expect_err 'space.yaml:5:13: autotune.elements: the smallest configuration would need 2.183 TiB'
