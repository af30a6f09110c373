# shellcheck shell=sh
# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck source=tests/lab/inside.sh
. /lab/inside.sh
exec 3>&1 >/out/said 2>&1
cd /sys/devices/system/node
for n in 0 1 2; do echo "node $n: cpus $(cat node$n/cpulist) $(head -1 node$n/meminfo)"; ls node$n/memory_side_cache/*/ ; cat node$n/memory_side_cache/index1/size; grep . node$n/access*/initiators/*; done
cat has_cpu has_normal_memory
cd
tprof --version
tprof doctor
tprof --dry-run quick --set level=DRAM
tprof --dry-run quick --set level=DRAM --set memory=2
tprof --help options | grep -i -B1 -A4 "memory node\|node 1"
tprof --dry-run memcurve
tprof --batch quick --set isa=scalar --set level=L1 --report=always
exec >&3
ok a true
done_testing
