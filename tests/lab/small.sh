# shellcheck shell=sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# One CPU and little memory; then a root that cannot be written, without /proc. Words, no crash, no hang.
# shellcheck source=tests/lab/inside.sh
. /lab/inside.sh

# No signal ended it, and it says something.
survives() {
	timeout 60 tprof "$@" >/tmp/out 2>/tmp/err
	status=$?
	echo "status $status"
	tail -n 15 /tmp/out /tmp/err
	[ $status -lt 100 ] && { [ -s /tmp/out ] || [ -s /tmp/err ]; }
}
ok 'doctor' ends 0 doctor
ok 'has the one CPU' says 'Usable CPUs +all 1'
ok 'two threads are refused' ends 2 --dry-run quick --set threads=2
ok 'in words' says 'may use 1 of the machine'
ok 'a measurement' ends 0 --batch quick --set isa=scalar --set level=L1,L2 --csv
ok 'has a rate for each point' same '' "$(column quality | grep -v '^[a-z]')"
ok 'more memory than there is: a plan' survives --dry-run memcurve --set size_max=4GiB
ok 'which keeps within memory' same 0 "$(awk '/up to .*GiB/ { n++ } END { print n + 0 }' /tmp/out)"
cat >dram.yaml <<'YAML'
experiment: roofline
isa: scalar
level: DRAM
fp_op: fma
ratio: 1:0
pages: small
stop: {max_time: 200ms, max_samples: 5, min_count: 3}
YAML
ok 'memory is measured' survives --batch dram.yaml --report=always
ok 'within what there is' says 'DRAM|memory'
cat /tmp/out /tmp/err >/out/dram

mkdir -p /ro
mount --bind / /ro
mkdir -p /ro/tmp
mount -o remount,ro,bind /ro
inside() {
	wanted=$1
	shift
	timeout 60 chroot /ro /usr/bin/tprof "$@" >/tmp/out 2>/tmp/err
	status=$?
	echo "status $status, wanted $wanted"
	tail -n 15 /tmp/out /tmp/err
	case $wanted in any) [ $status -lt 100 ] && { [ -s /tmp/out ] || [ -s /tmp/err ]; } ;; *) [ $status -eq "$wanted" ] ;; esac
}
for case in 0:--version 0:doctor any:--list,events any:--list,runs any:--dry-run,quick any:--batch,quick any:--app,--,/bin/busybox,true any:--profile,--,/bin/busybox,true any:; do
	# shellcheck disable=SC2046 # words
	ok "read-only, without /proc: tprof ${case#*:}" inside "${case%%:*}" $(echo "${case#*:}" | tr , ' ')
	{
		echo "== $case $status"
		cat /tmp/out /tmp/err
	} >>/out/said
done
done_testing
