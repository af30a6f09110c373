# shellcheck shell=sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# One CPU and little memory; then a root that cannot be written, without /proc. Words, no crash, no hang.
# shellcheck source=tests/lab/inside.sh
. /lab/inside.sh

# survives COMMAND...: no signal ends it, and it says something.
survives() {
	timeout 200 "$@" >/tmp/out 2>/tmp/err
	status=$?
	echo "status $status"
	tail -n 15 /tmp/out /tmp/err
	[ $status -lt 100 ] && cat /tmp/out /tmp/err | grep -q .
}
ok 'doctor' ends 0 doctor
ok 'has the one CPU' says 'Usable CPUs +all 1'
ok 'two threads are refused' ends 2 --dry-run quick --set threads=2
ok 'in words' says 'may use 1 of the machine'
ok 'a measurement' ends 0 --batch quick --set isa=scalar --set level=L1,L2 --set stop.run_time=off --csv
ok 'has a rate for each point' same '' "$(column quality | grep -v '^[a-z]')"
ok 'more memory than there is: a plan' survives tprof --dry-run memcurve --set size_max=4GiB
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
ok 'memory is measured' survives tprof --batch dram.yaml --report=always
ok 'within what there is' says 'DRAM|memory'

mkdir -p /ro
mount --bind / /ro
mkdir -p /ro/tmp
mount -o remount,ro,bind /ro
for arguments in --version doctor '--list events' '--list runs' '--dry-run quick' '--batch quick' '--app -- /bin/busybox true' \
	'--profile -- /bin/busybox true' ''; do
	# shellcheck disable=SC2086 # words
	ok "read-only, without /proc: tprof $arguments" survives chroot /ro /usr/bin/tprof $arguments
	[ "$arguments" = --version ] || ok 'it says why' says '/proc: it is not mounted'
done
done_testing
