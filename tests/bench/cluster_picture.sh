#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Draws doc/cluster.svg, the picture of README's section on clusters: one roofline over nodes of a real Slurm. The nodes are virtual, so
# they are this machine each time, measuring at once: run it where nothing else does.
#
# usage: tests/bench/cluster_picture.sh [PROGRAM] [NODES] [PICTURE]     (build/tprof, 8 nodes, doc/cluster.svg)
# Prints the report. Exit status 77 where Slurm cannot be had.
set -u
export LC_ALL=C.UTF-8

here=$(cd "$(dirname "$0")" && pwd)
tprof=$(realpath "${1:-$here/../../build/tprof}") || exit 2
nodes=${2:-8}
picture=$(realpath "${3:-$here/../../doc/cluster.svg}") || exit 2
# shellcheck source=tests/cluster/slurm.sh
. "$here/../cluster/slurm.sh"
scratch=$(mktemp -d)
trap 'slurm_down; rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
export XDG_DATA_HOME=$scratch/data XDG_CONFIG_HOME=$scratch/config HOME=$scratch

cat >partition.yaml <<'END'
name: partition
experiment: roofline
isa: avx2
threads: 1
ratio: 2:1
fp_op: [fma, add]
level: [L1, L2, L3, DRAM]
END
slurm_up "$nodes" || exit $?
timeout 600 "$tprof" --cluster slurm --nodes "$nodes" --batch partition.yaml --run-dir partition || exit $?
"$tprof" --show partition
"$tprof" --show partition --svg "$picture"
