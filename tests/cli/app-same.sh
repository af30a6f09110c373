# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash source=tests/cli/lib.sh
#
# The counted run prints the same as the timed ones, or there is no verdict. Differences between timed runs do not count.
. "$TPROF_CLI/lib.sh"

have gcc || exit 77
[ "$(uname -m)" = x86_64 ] || skip_all "the agent counts x86-64 alone"

cat >own.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
/* Code that tprof writes into the program lies in a mapping of its kind. */
static const char *seen(void)
{
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "r");
	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, " rwxp "))
			return "counted";
	return "alone";
}
static const char *kind(int fd)
{
	struct stat st;
	fstat(fd, &st);
	return S_ISFIFO(st.st_mode) ? "pipe" : "other";
}
int main(int argc, char **argv)
{
	struct timespec now;
	volatile double s = 0;
	const char *what = argv[argc - 1];
	clock_gettime(CLOCK_REALTIME, &now);
	for (int i = 0; i < 300000; i++)
		s = s * 0.5 + argc;
	if (!strcmp(what, "pid"))
		printf("process %d\n", getpid());
	if (!strcmp(what, "time"))
		printf("at %ld.%09ld, stack %p\n", (long)now.tv_sec, now.tv_nsec, (void *)&now);
	if (!strcmp(what, "letters"))
		for (int i = 0; i < 12; i++)
			putchar('a' + (int)((now.tv_nsec / 1000 + getpid() * i * i) % 26));
	if (!strcmp(what, "same"))
		printf("the sum is %g\n", s);
	if (!strcmp(what, "kind"))
		fprintf(stderr, "it has %ss\n", kind(1));
	if (!strcmp(what, "words"))
		printf("it runs %s\n", seen());
	if (!strcmp(what, "errors"))
		fprintf(stderr, "it runs %s\n", seen());
	if (!strcmp(what, "number"))
		printf("time %d\n", (int)strlen(seen()));
	return strcmp(what, "status") == 0 && seen()[0] == 'a' ? 3 : 0;
}
END
gcc -O1 -o own own.c || fail "gcc cannot compile"

# own WORD DIFFERS OTHERWISE: one run, whose row says whether it ended or printed differently.
own() {
	rm -rf run
	run --app --run-dir run --set app.roofs=none --set app.runs=3 --set app.max_time=1ms --report=always -- ./own "$1"
	expect_cells differs "$2" run/app_regions.csv
	expect_cells prints_otherwise "$3" run/app_regions.csv
}

for word in same pid time letters kind; do
	own $word false false
	expect_exit 0
	expect_not_err 'no verdict'
done
expect_err 'it has pipes'

own words true true
expect_exit 0
expect_out 'it runs counted'
expect_err 'the counted run printed something else to standard output'
expect_err 'no verdict: the counted run printed differently'
expect_err 'Usual causes: times, process numbers'
expect_cells bound differs run/app_regions.csv
own errors true true
expect_err 'the counted run printed something else to standard error'
# Where all that are timed agree, a number is a difference, too.
own number true true
own status true false
expect_err 'no verdict: the counted run ended differently'

# In a run of a preset it is kept and compared.
rm -rf run
run --batch app --allow-code --run-dir run --set app.roofs=none --set app.runs=2 --set app.max_time=1ms --set "app.command=./own words"
expect_cells prints_otherwise true run/app_regions.csv
[ "$(cat run/output.txt)" = "it runs counted" ] || fail "output.txt is not of the first run"

# What it prints comes through unchanged and in order, also where the reader is slow, or goes.
app() {
	"$TPROF" --app --set app.roofs=none --set app.runs=1 --set app.max_time=1ms -- "$@"
}
head -c 5000000 /dev/urandom >bytes
app cat bytes </dev/null 2>err >copy
cmp -s bytes copy || fail "a file differs from what was printed"
app cat bytes </dev/null 2>err | (
	sleep 0.3
	cat >copy
)
cmp -s bytes copy || fail "what a slow reader got differs from what was printed"
cat >both.sh <<'END'
for i in 1 2 3; do
	echo "out $i"
	echo "err $i" >&2
done
END
app sh both.sh </dev/null >both 2>&1
head -n 6 both | cmp -s - <(printf 'out %d\nerr %d\n' 1 1 2 2 3 3) || fail "the order of both streams has changed"
app yes </dev/null 2>err | head -n 2 >copy
[ "$(cat copy)" = "y
y" ] || fail "a reader that goes did not get what it read"
grep -qF 'The program died of signal 13' <("$TPROF" --show last) || fail "it did not find its reader gone"
