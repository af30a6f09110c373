/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the kernel tells as text becomes numbers; a machine of made-up files has its meters; and a
 * real program is sampled: what must hold whatever the machine is busy with.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profile/meters.h"
#include "profile/processes.h"
#include "profile/sampler.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static void a_process_tells_its_numbers(void **state)
{
	(void)state;
	struct tp_proc_stat stat;
	assert_true(tp_proc_stat_parse("12 (a) b (c)) S 1 2 3 0 -1 4194560 101 7 3 9 250 31 4 5 20 "
				       "0 17 0 1234 99999 4242 18446744073709551615 1 1\n",
				       &stat));
	assert_int_equal(stat.state, 'S');
	assert_int_equal(stat.minor_faults, 101);
	assert_int_equal(stat.major_faults, 3);
	assert_int_equal(stat.user_ticks, 250);
	assert_int_equal(stat.system_ticks, 31);
	assert_int_equal(stat.threads, 17);
	assert_int_equal(stat.resident_pages, 4242);
	assert_false(tp_proc_stat_parse("12 (a) S 1 2 3", &stat));
	assert_false(tp_proc_stat_parse("", &stat));
	assert_false(tp_proc_stat_parse("12 (a", &stat));
}

static void bytes_and_switches_have_names(void **state)
{
	(void)state;
	struct tp_proc_bytes bytes;
	struct tp_proc_switches switches;
	assert_true(tp_proc_io_parse("rchar: 6976\nwchar: 12\nsyscr: 10\nread_bytes: 5\n", &bytes));
	assert_int_equal(bytes.in, 6976);
	assert_int_equal(bytes.out, 12);
	assert_false(tp_proc_io_parse("rchar: 1\n", &bytes));
	assert_true(tp_proc_switches_parse("Name:\tx\nvoluntary_ctxt_switches:\t41\n"
					   "nonvoluntary_ctxt_switches:\t7\n",
					   &switches));
	assert_int_equal(switches.waits, 41);
	assert_int_equal(switches.preemptions, 7);
}

static void the_loopback_is_no_network(void **state)
{
	(void)state;
	struct tp_proc_bytes bytes;
	assert_true(tp_proc_net_parse(
		"Inter-|   Receive                            |  Transmit\n"
		" face |bytes    packets errs drop fifo frame compressed multicast|bytes    "
		"packets\n"
		"    lo:  1000       1    0    0    0     0          0         0  1000       1 0\n"
		"  eth0: 500        2    0    0    0     0          0         0    70       1 0\n"
		"  eth1:30        2    0    0    0     0          0         0    7       1 0\n",
		&bytes));
	assert_int_equal(bytes.in, 530);
	assert_int_equal(bytes.out, 77);
	assert_false(tp_proc_net_parse("nothing", &bytes));
}

static void partitions_are_counted_with_their_disks(void **state)
{
	(void)state;
	struct tp_proc_bytes bytes;
	assert_true(tp_proc_disks_parse("   7       0 loop0 5 0 900 0 0 0 900 0 0 0 0\n"
					"   8       0 sda 5 0 10 0 3 0 20 0 0 0 0\n"
					"   8       1 sda1 5 0 10 0 3 0 20 0 0 0 0\n"
					"   8      16 sdab 5 0 1 0 3 0 1 0 0 0 0\n"
					" 259       0 nvme0n1 5 0 100 0 3 0 200 0 0 0 0\n"
					" 259       1 nvme0n1p1 5 0 100 0 3 0 200 0 0 0 0\n"
					" 253       0 dm-0 5 0 100 0 3 0 200 0 0 0 0\n",
					&bytes));
	assert_int_equal(bytes.in, 512 * 111);
	assert_int_equal(bytes.out, 512 * 221);
}

static void only_code_is_a_mapping_of_code(void **state)
{
	(void)state;
	const char *at = "55d0c0000000-55d0c0001000 r--p 00000000 fe:00 77 /bin/a program\n"
			 "55d0c0001000-55d0c0002000 r-xp 00001000 fe:00 77 /bin/a program\n"
			 "7f0000000000-7f0000001000 r-xp 00000000 00:00 0 \n"
			 "rubbish\n"
			 "7ffd0-7ffd1 r-xp 00000000 00:00 0 [vdso]";
	struct tp_proc_mapping m;
	assert_true(tp_proc_mapping_next(&at, &m));
	assert_int_equal(m.start, 0x55d0c0001000);
	assert_int_equal(m.offset, 0x1000);
	assert_int_equal(m.path_len, strlen("/bin/a program"));
	assert_true(tp_proc_mapping_next(&at, &m));
	assert_int_equal(m.path_len, 0);
	assert_true(tp_proc_mapping_next(&at, &m));
	assert_int_equal(m.path_len, strlen("[vdso]"));
	assert_false(tp_proc_mapping_next(&at, &m));
}

static void fields_go_into_their_bits(void **state)
{
	(void)state;
	struct tp_sysfs_event event = { { 0 } };
	assert_true(tp_pmu_format_put("config:0-7", 0x4, &event));
	assert_true(tp_pmu_format_put("config:8-15", 0x3, &event));
	assert_int_equal(event.config[0], 0x304);
	/* Split: the lowest bits first. */
	assert_true(tp_pmu_format_put("config1:0-3,32", 0x1f, &event));
	assert_true(event.config[1] == 0x10000000full);
	assert_false(tp_pmu_format_put("config:0-3", 0x10, &event));
	assert_false(tp_pmu_format_put("config3:0-3", 1, &event));
	assert_false(tp_pmu_format_put("config:5-2", 1, &event));
	assert_false(tp_pmu_format_put("config:0-99", 1, &event));
}

static void write_below(const char *root, const char *name, const char *text)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *p = path + strlen(root) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		mkdir(path, 0700);
	}
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* Two memory controllers of a made-up machine, as sysfs of a server has them. */
static void memory_controllers_are_found_in_sysfs(void **state)
{
	(void)state;
	char root[] = "/tmp/tprof-sys-XXXXXX";
	struct tp_pmu_found found[8];
	struct tp_diag diag = { 0 };
	size_t n;
	assert_non_null(mkdtemp(root));
	assert_int_equal(tp_pmu_find_memory(root, false, found, 8, &n, &diag), TP_NOTFOUND);
	assert_string_not_equal(diag.hint, "");
	for (int i = 0; i < 2; i++) {
		char name[128], type[16];
		snprintf(type, sizeof(type), "%d\n", 14 + i);
#define DEVICE(file) "bus/event_source/devices/uncore_imc_%d/" file
		snprintf(name, sizeof(name), DEVICE("type"), i);
		write_below(root, name, type);
		snprintf(name, sizeof(name), DEVICE("cpumask"), i);
		write_below(root, name, "0,24\n");
		snprintf(name, sizeof(name), DEVICE("format/event"), i);
		write_below(root, name, "config:0-7\n");
		snprintf(name, sizeof(name), DEVICE("format/umask"), i);
		write_below(root, name, "config:8-15\n");
		snprintf(name, sizeof(name), DEVICE("events/cas_count_read"), i);
		write_below(root, name, "event=0x04,umask=0x03\n");
		snprintf(name, sizeof(name), DEVICE("events/cas_count_read.scale"), i);
		write_below(root, name, "6.103515625e-5\n");
		snprintf(name, sizeof(name), DEVICE("events/cas_count_read.unit"), i);
		write_below(root, name, "MiB\n");
	}
	assert_int_equal(tp_pmu_find_memory(root, false, found, 8, &n, &diag), TP_OK);
	assert_int_equal(n, 2);
	for (size_t i = 0; i < n; i++) {
		assert_in_range(found[i].type, 14, 15);
		assert_int_equal(found[i].event.config[0], 0x304);
		/* A burst is a line of 64 bytes. */
		assert_near(found[i].scale, 64, 1e-9);
		assert_int_equal(found[i].n_cpus, 2);
		assert_int_equal(found[i].cpus[1], 24);
	}
	assert_int_equal(tp_pmu_find_memory(root, true, found, 8, &n, &diag), TP_NOTFOUND);
	assert_int_equal(tp_pmu_find(root, "uncore_imc_1/event=1,umask=2/", found, &diag), TP_OK);
	assert_int_equal(found[0].event.config[0], 0x201);
	assert_int_equal(tp_pmu_find(root, "uncore_imc_1/edge=1/", found, &diag), TP_NOTFOUND);
	assert_int_equal(tp_pmu_find(root, "uncore_imc_1/event=300/", found, &diag), TP_USAGE);
	assert_int_equal(tp_pmu_find(root, "uncore_imc_1", found, &diag), TP_USAGE);
	assert_int_equal(tp_pmu_find(root, "../../x/y/", found, &diag), TP_USAGE);
	char command[64];
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

static void joined_ticks_keep_their_sums(void **state)
{
	(void)state;
	struct tp_profile_tick a = { .at = 1, .seconds = 1 }, b = { .at = 4, .seconds = 3 }, c;
	for (int i = 0; i < TP_METERS; i++)
		a.values[i] = b.values[i] = NAN;
	a.values[TP_METER_CPUS] = 2;
	b.values[TP_METER_CPUS] = 1;
	b.values[TP_METER_READ] = 5;
	c = tp_tick_join(&a, &b);
	assert_near(c.at, 4, 1e-12);
	assert_near(c.seconds, 4, 1e-12);
	assert_near(c.values[TP_METER_CPUS], 1.25, 1e-12);
	assert_near(c.values[TP_METER_READ], 5, 1e-12);
	assert_true(isnan(c.values[TP_METER_SENT]));
}

/* A child that reads a known number of bytes and touches memory, then sleeps. */
static pid_t start_reader(size_t bytes, double seconds)
{
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	static char buffer[4096];
	FILE *zero = fopen("/dev/zero", "r");
	setvbuf(zero, NULL, _IONBF, 0);
	usleep(100000);
	for (size_t i = 0; i < bytes; i += sizeof(buffer))
		if (!fread(buffer, sizeof(buffer), 1, zero))
			_exit(1);
	usleep((useconds_t)(1e6 * seconds));
	_exit(0);
}

static void what_a_process_reads_is_found(void **state)
{
	(void)state;
	enum { BYTES = 40 << 20 };
	struct tp_sampling_wishes wishes = { .interval_seconds = 0.005,
					     .most = 16,
					     .places = &tp_meter_places };
	struct tp_sampled sampled;
	struct tp_profiler *profiler;
	struct tp_diag diag;
	volatile uint32_t pid = (uint32_t)start_reader(BYTES, 0.3);
	assert_int_equal(tp_profiler_start(&profiler, &wishes, &pid, &diag), TP_OK);
	int end;
	siginfo_t info;
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	tp_profiler_end(profiler, &sampled);
	assert_int_equal(waitpid((pid_t)pid, &end, 0), (int)pid);
	assert_true(sampled.n > 1);
	/* More than 16 ticks: neighbours were joined, and time did not get lost. */
	assert_true(sampled.n <= 16);
	assert_true(sampled.thinned > 0);
	double read = 0, time = 0;
	bool is_gone =
		false; /* a tick may still see the process after it has ended, without memory */
	for (size_t i = 0; i < sampled.n; i++) {
		const struct tp_profile_tick *t = &sampled.ticks[i];
		assert_true(t->seconds > 0);
		assert_near(t->at, time + t->seconds, 1e-6);
		time = t->at;
		if (isfinite(t->values[TP_METER_READ]))
			read += t->values[TP_METER_READ] * t->seconds;
		bool there = t->values[TP_METER_THREADS] > 0 && t->values[TP_METER_RESIDENT] > 0;
		assert_false(is_gone && there);
		is_gone = !there;
		assert_true(i > 0 || there);
	}
	if (sampled.there[TP_METER_READ])
		assert_in_range((size_t)(read + 0.5), BYTES, BYTES + (1 << 20));
	assert_false(sampled.there[TP_METER_EVENT_1]);
	tp_sampled_release(&sampled);
}

static void *sleep_often(void *out)
{
	for (int i = 0; i < 20; i++)
		usleep(1000);
	if (write(*(int *)out, "t", 1) != 1)
		_exit(1);
	for (;;)
		pause();
	return NULL;
}

/* A child that adds a thread for 't', a child for 'c', and tells that they are there. */
static pid_t start_growing(const int to[2], const int from[2])
{
	pid_t pid = fork();
	int in = to[0], out = from[1];
	char what;
	if (pid != 0)
		return pid;
	/* So that it sees the end. */
	close(to[1]);
	while (read(in, &what, 1) == 1) {
		pthread_t thread;
		if (what == 't' && pthread_create(&thread, NULL, sleep_often, &out) != 0)
			_exit(1);
		pid_t child = what == 'c' ? fork() : 1;
		if (child == 0) {
			while (read(in, &what, 1) == 1)
				;
			_exit(0);
		}
		if (what == 'c' && write(out, "c", 1) != 1)
			_exit(1);
	}
	_exit(0);
}

static void tell_it(int to, int from, const char *what)
{
	char heard;
	assert_int_equal(write(to, what, 1), 1);
	if (from >= 0)
		assert_int_equal(read(from, &heard, 1), 1);
}

/* An emulator starts threads of its own when it likes. */
static void skip_under_emulator(void)
{
	if (!getenv("TPROF_EMULATOR"))
		return;
	print_message("an emulator has threads of its own\n");
	skip();
}

static void threads_and_children_are_noticed(void **state)
{
	(void)state;
	skip_under_emulator();
	struct tp_processes *tree = calloc(1, sizeof(*tree));
	int to[2], from[2], end;
	assert_non_null(tree);
	assert_int_equal(pipe(to) | pipe(from), 0);
	pid_t pid = start_growing(to, from);
	close(to[0]);
	close(from[1]);
	assert_true(tp_processes_init(tree, pid));
	tp_processes_read(tree, true);
	size_t first = tree->n_threads;
	assert_true(first >= 1);
	for (size_t i = 1; i < 4; i++) {
		double before = tree->waits;
		tell_it(to[1], from[0], "t");
		tp_processes_read(tree, true);
		assert_int_equal(tree->n_threads, first + i);
		assert_near(tree->running_threads, (double)(first + i), 0);
		assert_true(tree->waits - before >= 10);
	}
	/* Once they wait nothing is counted again. */
	double waits = -1;
	for (int tries = 0; tries < 100 && tree->waits > waits; tries++) {
		waits = tree->waits;
		usleep(10000);
		tp_processes_read(tree, true);
	}
	assert_near(tree->waits, waits, 0);
	tell_it(to[1], from[0], "c");
	tp_processes_read(tree, true);
	/* Some kernels do not tell children. */
	if (access("/proc/thread-self/children", R_OK) == 0) {
		assert_int_equal(tree->n, 2);
		assert_true(tree->running_threads > (double)first + 3);
	}
	assert_int_equal(tree->lost, 0);
	close(to[1]);
	assert_int_equal(waitpid(pid, &end, 0), pid);
	tp_processes_read(tree, true);
	assert_true(tree->n <= 1);
	tp_processes_release(tree);
	close(from[0]);
	free(tree);
}

static void only_what_is_wanted_is_read(void **state)
{
	(void)state;
	bool unwanted[TP_METERS];
	double values[TP_METERS];
	for (int i = 0; i < TP_METERS; i++)
		unwanted[i] = !tp_meter_is_named((enum tp_meter_id)i, "resident_bytes") &&
			      !tp_meter_is_named((enum tp_meter_id)i, "code");
	assert_true(unwanted[TP_METER_CPUS]);
	assert_false(unwanted[TP_METER_RESIDENT]);
	assert_false(unwanted[TP_METER_CODE_6]);
	assert_false(tp_meter_is_named(TP_METER_RESIDENT, ""));
	assert_false(tp_meter_is_named(TP_METER_RESIDENT, "res"));
	assert_true(tp_meter_is_named(TP_METER_MEMORY_WRITTEN, "memory"));
	struct tp_meters *meters = tp_meters_new(getpid(), &tp_meter_places, NULL, unwanted, NULL);
	assert_non_null(meters);
	tp_meters_read(meters, 1e9, 1, values);
	for (int i = 0; i < TP_METERS; i++)
		assert_int_equal(isfinite(values[i]) != 0, i == TP_METER_RESIDENT);
	assert_string_equal(tp_meters_missing(meters, TP_METER_SENT)->what, "it was not asked for");
	/* What an emulator makes of its own /proc says nothing. */
	if (!getenv("TPROF_EMULATOR"))
		assert_false(tp_meters_gone(meters));
	tp_meters_free(meters);
}

/* Others: the first grows by 3 a reading, the second falls, the third is missing. */
struct made_up {
	int readings, starts, stops;
};

static void start_made_up(void *context)
{
	((struct made_up *)context)->starts++;
}

static void read_made_up(void *context, double *values)
{
	int n = ++((struct made_up *)context)->readings;
	values[0] = 3 * n;
	values[1] = 10 - n;
	values[2] = NAN;
}

static void stop_made_up(void *context)
{
	((struct made_up *)context)->stops++;
}

static const struct tp_diag *missing_made_up(void *context, size_t i)
{
	static const struct tp_diag why = { "there", "it is made up", "make it" };
	assert_int_equal(((struct made_up *)context)->starts, 1);
	return i == 2 ? &why : NULL;
}

static bool is_gauge_made_up(void *context, size_t i)
{
	(void)context;
	return i == 1;
}

static void others_are_read_with_the_meters(void **state)
{
	(void)state;
	struct made_up made_up = { 0 };
	const struct tp_meter_others others = { 3,
						start_made_up,
						read_made_up,
						stop_made_up,
						missing_made_up,
						is_gauge_made_up,
						&made_up };
	double values[TP_METERS];
	struct tp_meters *meters = tp_meters_new(getpid(), &tp_meter_places, NULL, NULL, &others);
	assert_non_null(meters);
	for (int i = 1; i < 4; i++) {
		tp_meters_read(meters, 1e9 + i, 0.5, values);
		assert_near(values[TP_METER_PAPI_1], 6, 1e-12);
		assert_near(values[TP_METER_PAPI_2], 9 - i, 1e-12);
		assert_true(isnan(values[TP_METER_PAPI_3]));
	}
	assert_string_equal(tp_meters_missing(meters, TP_METER_PAPI_3)->what, "it is made up");
	assert_string_equal(tp_meters_missing(meters, TP_METER_PAPI_4)->what,
			    "no event was requested");
	tp_meters_stop(meters);
	assert_int_equal(made_up.stops, 1);
	tp_meters_free(meters);
}

static void nothing_starts_and_nothing_hangs(void **state)
{
	(void)state;
	struct tp_sampling_wishes wishes = { .interval_seconds = 10,
					     .most = 100,
					     .places = &tp_meter_places };
	struct tp_sampled sampled;
	struct tp_profiler *profiler;
	struct tp_diag diag;
	volatile uint32_t pid = 0;
	assert_int_equal(tp_profiler_start(&profiler, &wishes, &pid, &diag), TP_OK);
	tp_profiler_end(profiler, &sampled);
	assert_int_equal(sampled.n, 0);
	tp_sampled_release(&sampled);
	/* The end comes long before the first tick. */
	pid = (uint32_t)getpid();
	assert_int_equal(tp_profiler_start(&profiler, &wishes, &pid, &diag), TP_OK);
	tp_profiler_end(profiler, &sampled);
	assert_int_equal(sampled.n, 0);
	tp_sampled_release(&sampled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_tells_its_numbers),
		cmocka_unit_test(bytes_and_switches_have_names),
		cmocka_unit_test(the_loopback_is_no_network),
		cmocka_unit_test(partitions_are_counted_with_their_disks),
		cmocka_unit_test(only_code_is_a_mapping_of_code),
		cmocka_unit_test(fields_go_into_their_bits),
		cmocka_unit_test(memory_controllers_are_found_in_sysfs),
		cmocka_unit_test(joined_ticks_keep_their_sums),
		cmocka_unit_test(what_a_process_reads_is_found),
		cmocka_unit_test(threads_and_children_are_noticed),
		cmocka_unit_test(only_what_is_wanted_is_read),
		cmocka_unit_test(others_are_read_with_the_meters),
		cmocka_unit_test(nothing_starts_and_nothing_hangs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
