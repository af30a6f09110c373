# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
. "$TPROF_CLI/lib.sh"

# The system clock jumps (set by a user, stepped by NTP): no measured value or duration depends on it. A library in front of the
# C library makes every reading of that clock jump by an hour, back and forth.
cat >jump.c <<'END'
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static long jump(void)
{
	static int n;
	return n++ % 2 ? -3600 : 3600;
}
int clock_gettime(clockid_t clock, struct timespec *t)
{
	long status = syscall(SYS_clock_gettime, clock, t);
	if (clock == CLOCK_REALTIME)
		t->tv_sec += jump();
	return (int)status;
}
time_t time(time_t *out)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	if (out)
		*out = t.tv_sec;
	return t.tv_sec;
}
END
cc=${TPROF_TEST_CC:-cc}
ldd "$TPROF" 2>/dev/null | grep -q asan && skip_all 'a jumping clock (no library goes before a sanitizer)'
$cc -shared -fPIC -o jump.so jump.c 2>why || skip_all "a jumping clock (no compiler: $(head -n 1 why))"

small_preset two.yaml <<'END'
experiment: memcurve
isa: scalar
ratio: 1:0
sizes: [8KiB, 12KiB]
END
ran='tprof with a jumping clock'
status=0
LD_PRELOAD=$TMP/jump.so "$TPROF" --batch two.yaml --run-dir jumped --csv >out 2>err </dev/null || status=$?
expect_exit 0
expect_run jumped complete
expect_cells point '0 1'
column seconds | awk '!($0 > 0 && $0 < 60) { bad = 1 } END { exit bad }' || fail 'expected durations of seconds'
wall=$(sed -n 's/^"wall_seconds": \(.*\),$/\1/p' jumped/run.json)
awk -v w="$wall" 'BEGIN { exit !(w > 0 && w < 60) }' || fail "expected a wall time of seconds, got $wall"
