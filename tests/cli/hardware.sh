# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
#
# tprof hardware: what this machine, or another one, consists of.
. "$TPROF_CLI/lib.sh"

# This machine, of any kind.
run hardware
expect_exit 0
expect_no_err
for title in Topology Caches 'Theoretical peaks' 'Instruction sets'; do
	expect_out_line "$title"
done
expect_out 'Package 0'

# Another one: 2 packages of 4 cores with 2 threads each, a model of which the peaks are known.
other=(--machine zen4 --topology 'synthetic:pack:2 l3:1(size=33554432) core:4 l2:1(size=1048576) pu:2')
run hardware "${other[@]}" --ascii
expect_exit 0
expect_out 'tprof can plan for it, but not measure it.'
expect_out '+- Package 1 -'
expect_out 'L3 32 MiB'
expect_out 'CPUs 8 9'
# 32 bytes wide, two loads and one store a cycle; two FMAs of 4 doubles.
expect_out_line 'avx2       64     32    96 2:1   16    8       24   57.6     11059'

run hardware "${other[@]}" --json
expect_exit 0
expect_json out
expect_count 1 '"cpus": 16' out
expect_count 1 '"cache.L3.instances": 2' out
expect_count 1 '"model": "zen4"' out

run hardware --machine nonsense
expect_exit 2
expect_err 'nonsense'
run hardware twice
expect_exit 2
run --hardware
expect_exit 2
expect_err 'it is a command: tprof hardware'
