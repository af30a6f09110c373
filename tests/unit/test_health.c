/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What tprof doctor says of machines shown as a tree of files: quiet ones and those with something
 * wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "base/memory.h"
#include "machine/detect.h"
#include "machine/health.h"
#include "tests/unit/files.h"

#define CPU	    "/sys/devices/system/cpu/"
#define CLOCK	    "/sys/devices/system/clocksource/clocksource0/"
#define GOVERNOR(n) CPU "cpu" #n "/cpufreq/scaling_governor"

static char root[] = "/tmp/tprof-test-health-XXXXXX";

struct file {
	const char *path, *text;
};

static void put(const char *path, const char *text)
{
	put_file(root, path, text);
}

/* A machine that is as it should be. */
static const struct file good[] = {
	{ GOVERNOR(0), "performance\n" },
	{ GOVERNOR(1), "performance\n" },
	{ CPU "cpu0/cpufreq/scaling_driver", "intel_pstate\n" },
	{ CPU "cpu0/cpufreq/scaling_max_freq", "3700000\n" },
	{ CPU "cpu0/cpufreq/cpuinfo_max_freq", "3700000\n" },
	{ CPU "intel_pstate/no_turbo", "1\n" },
	{ CPU "cpu0/thermal_throttle/core_throttle_count", "0\n" },
	{ CPU "cpu1/thermal_throttle/core_throttle_count", "0\n" },
	{ CPU "isolated", "\n" },
	{ CPU "nohz_full", "  (null)\n" },
	{ CPU "vulnerabilities/meltdown", "Not affected\n" },
	{ CPU "vulnerabilities/spectre_v2", "Mitigation: Retpolines\n" },
	{ CPU "cpu0/microcode/version", "0x1234\n" },
	{ CLOCK "current_clocksource", "tsc\n" },
	{ CLOCK "available_clocksource", "tsc hpet \n" },
	{ "/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n" },
	{ "/proc/sys/kernel/numa_balancing", "0\n" },
	{ "/proc/sys/kernel/randomize_va_space", "2\n" },
	{ "/proc/sys/kernel/sched_rt_runtime_us", "950000\n" },
	{ "/proc/sys/kernel/sched_rt_period_us", "1000000\n" },
	{ "/proc/sys/kernel/perf_event_paranoid", "1\n" },
	{ "/proc/sys/kernel/random/boot_id", "this-boot\n" },
	{ "/proc/stat", "cpu  9 0 0 0\ncpu0 9 0 0 0 0 0 0 0\ncpu1 9 0 0 0 0 0 0 0\n" },
	{ "/proc/loadavg", "0.12 0.34 0.56 1/234 5678\n" },
	{ "/proc/self/status", "Name:\ttprof\nCapEff:\t0000000000800000\n" },
	{ "/proc/self/cgroup", "0::/job\n" },
	{ "/proc/self/mountinfo",
	  "30 25 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n" },
};

static struct tp_machine machine;

static int make_root(void **state)
{
	static const struct tp_cpu cpu = { .arch = "x86_64", .invariant_counter = true };
	(void)state;
	strcpy(root + strlen(root) - 6, "XXXXXX");
	if (!mkdtemp(root))
		return -1;
	setenv("XDG_STATE_HOME", root, 1);
	for (size_t i = 0; i < TP_COUNT_OF(good); i++)
		put(good[i].path, good[i].text);
	if (tp_machine_init(&machine, &cpu, "synthetic:core:2 pu:1", "detected", NULL, NULL) !=
	    TP_OK)
		return -1;
	machine.cpu = cpu;
	tp_copy(machine.model.name, sizeof(machine.model.name), "zen4");
	tp_copy(machine.model.title, sizeof(machine.model.title), "AMD Zen 4");
	machine.model_found = TP_MODEL_MATCHED;
	machine.memory_bytes = 64ULL << 30;
	machine.available_bytes = 60ULL << 30;
	machine.hugetlb_free = 8;
	return 0;
}

static int remove_root(void **state)
{
	(void)state;
	tp_machine_release(&machine);
	return remove_tree(root);
}

static void begin(struct tp_health *health)
{
	tp_health_init(health, &machine, root);
	health->perf_error = 0;
	health->address_space_bytes = health->locked_bytes = ULLONG_MAX;
	health->realtime_priority = 0;
}

/* The finding of that name; severity TP_SEVERITY_COUNT if it has nothing to say. */
static struct tp_finding find(const struct tp_health *health, const char *id)
{
	struct tp_finding f;
	for (size_t i = 0; i < tp_health_count; i++) {
		bool said = tp_health_check(health, i, &f);
		if (strcmp(f.id, id) != 0)
			continue;
		if (!said)
			f.severity = TP_SEVERITY_COUNT;
		return f;
	}
	fail_msg("no check %s", id);
	return (struct tp_finding){ 0 };
}

static void expect(const struct tp_health *health, const char *id, enum tp_severity severity,
		   const char *what, const char *remedy)
{
	struct tp_finding f = find(health, id);
	if (f.severity != severity || !strstr(f.what, what) ||
	    (remedy ? !strstr(f.remedy, remedy) : *f.remedy != '\0'))
		fail_msg("%s: severity %d: \"%s\" -> \"%s\"", id, (int)f.severity, f.what,
			 f.remedy);
}

static void a_good_machine_has_nothing_wrong(void **state)
{
	struct tp_health h;
	struct tp_finding f;
	(void)state;
	begin(&h);
	tp_health_look_first(&h);
	tp_health_look_again(&h);
	for (size_t i = 0; i < tp_health_count; i++) {
		bool said = tp_health_check(&h, i, &f);
		if (said && (f.severity != TP_FINE || *f.remedy))
			fail_msg("%s: %s: %s", f.id, tp_severity_name(f.severity), f.what);
		assert_true(said);
	}
	expect(&h, "governor", TP_FINE, "performance (driver intel_pstate)", NULL);
	expect(&h, "realtime", TP_FINE, "at most 95 %", NULL);
	expect(&h, "mitigations", TP_FINE, "1 of 2 active: spectre_v2", NULL);
	expect(&h, "firmware", TP_FINE, "microcode 0x1234", NULL);
	expect(&h, "model", TP_FINE, "matched, zen4: AMD Zen 4", NULL);
	tp_health_release(&h);
}

/* One thing changed, one finding. */
static const struct {
	struct file file;
	const char *id;
	enum tp_severity severity;
	const char *what, *remedy;
} wrong[] = {
	{ { GOVERNOR(1), "powersave\n" },
	  "governor",
	  TP_WARNING,
	  "performance on 1 CPU, powersave on 1 CPU",
	  "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor" },
	{ { CPU "cpu0/cpufreq/scaling_max_freq", "2000000\n" },
	  "frequency",
	  TP_WARNING,
	  "held at 2000 MHz",
	  "echo 3700000 | sudo tee" },
	{ { CPU "intel_pstate/no_turbo", "0\n" },
	  "turbo",
	  TP_NOTE,
	  "on",
	  "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo" },
	{ { CPU "cpu1/thermal_throttle/core_throttle_count", "12\n" },
	  "thermal",
	  TP_NOTE,
	  "12 events",
	  NULL },
	{ { CPU "isolated", "6-7\n" }, "isolation", TP_NOTE, "6-7", "taskset -c 6-7 tprof" },
	{ { CPU "isolated", "1\n" }, "isolation", TP_FINE, "1", NULL },
	{ { CPU "nohz_full", "1\n" }, "isolation", TP_FINE, "without timer ticks: 1", NULL },
	{ { CLOCK "current_clocksource", "hpet\n" },
	  "clock",
	  TP_NOTE,
	  "hpet",
	  "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource" },
	{ { "/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n" },
	  "thp",
	  TP_WARNING,
	  "never",
	  "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled" },
	{ { "/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n" },
	  "thp",
	  TP_NOTE,
	  "always",
	  NULL },
	{ { "/proc/sys/kernel/numa_balancing", "1\n" },
	  "numa_balancing",
	  TP_FINE,
	  "one memory node",
	  NULL },
	{ { "/proc/sys/kernel/randomize_va_space", "0\n" },
	  "aslr",
	  TP_NOTE,
	  "off",
	  "sudo sysctl kernel.randomize_va_space=2" },
	{ { "/proc/sys/kernel/sched_rt_runtime_us", "-1\n" },
	  "realtime",
	  TP_NOTE,
	  "all of the time",
	  "sched_rt_runtime_us=950000" },
	{ { "/proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\n" },
	  "realtime",
	  TP_NOTE,
	  "not permitted",
	  "setcap cap_sys_nice" },
	{ { "/proc/sys/kernel/perf_event_paranoid", "3\n" },
	  "counters",
	  TP_NOTE,
	  "paranoid is 3",
	  "sudo sysctl kernel.perf_event_paranoid=1" },
	{ { "/sys/fs/cgroup/job/cpu.max", "150000 100000\n" },
	  "cpu_quota",
	  TP_PROBLEM,
	  "time of 1.5 CPUs for the 2",
	  "echo max | sudo tee '/sys/fs/cgroup/job/cpu.max'" },
	{ { "/sys/fs/cgroup/job/cpu.max", "200000 100000\n" },
	  "cpu_quota",
	  TP_NOTE,
	  "time of 2 CPUs",
	  "echo max" },
	{ { "/sys/fs/cgroup/job/cpu.max", "max 100000\n" }, "cpu_quota", TP_FINE, "none", NULL },
	{ { "/sys/fs/cgroup/job/memory.max", "4294967296\n" },
	  "memory_limit",
	  TP_NOTE,
	  "by a limit of 4 GiB",
	  NULL },
	{ { "/run/tprof/knobs",
	    "tprof-knobs 1\nboot this-boot\ngovernor 1 powersave performance\nend\n" },
	  "knobs",
	  TP_WARNING,
	  "governor 1 powersave performance",
	  "sudo tprof doctor --restore" },
	{ { "/run/tprof/knobs", "tprof-knobs 1\nboot this-boot\nshell 1 a b\nend\n" },
	  "knobs",
	  TP_WARNING,
	  "cannot be trusted",
	  "cat '" },
};

static void each_thing_wrong_is_found(void **state)
{
	for (size_t i = 0; i < TP_COUNT_OF(wrong); i++) {
		struct tp_health h;
		begin(&h);
		put(wrong[i].file.path, wrong[i].file.text);
		expect(&h, wrong[i].id, wrong[i].severity, wrong[i].what, wrong[i].remedy);
		tp_health_release(&h);
		remove_root(state);
		assert_int_equal(make_root(state), 0);
	}
}

static void an_older_quota_and_how_often_it_struck(void **state)
{
	struct tp_health h;
	(void)state;
	begin(&h);
	put("/proc/self/cgroup", "3:cpuset:/other\n2:cpu,cpuacct:/box\n");
	put("/proc/self/mountinfo",
	    "31 25 0:27 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
	    "30 25 0:26 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n");
	put("/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", "50000\n");
	put("/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us", "100000\n");
	put("/sys/fs/cgroup/cpu,cpuacct/box/cpu.stat", "nr_periods 9\nnr_throttled 7\n");
	put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
	expect(&h, "cpu_quota", TP_PROBLEM,
	       "time of 0.5 CPUs for the 2 that may be used (stopped 7",
	       "echo -1 | sudo tee '/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us'");
	tp_health_release(&h);
}

static void what_the_machine_itself_says(void **state)
{
	struct tp_health h;
	(void)state;
	begin(&h);
	machine.pus[1].allowed = false;
	machine.n_allowed = 1;
	machine.n_numa = 2;
	machine.n_cores = 1;
	machine.hugetlb_free = 0;
	machine.available_bytes = 1 << 20;
	machine.cpu.invariant_counter = false;
	tp_copy(machine.cpu.hypervisor, sizeof(machine.cpu.hypervisor), "KVM");
	tp_copy(machine.container, sizeof(machine.container), "docker");
	put("/proc/sys/kernel/numa_balancing", "1\n");
	expect(&h, "cpuset", TP_NOTE, "1 of 2", NULL);
	expect(&h, "numa_balancing", TP_WARNING, "2 memory nodes", "kernel.numa_balancing=0");
	expect(&h, "smt", TP_NOTE, "2 on 1 cores", "smt/control");
	expect(&h, "hugetlb", TP_NOTE, "none", "sudo sysctl vm.nr_hugepages=512");
	expect(&h, "memory_limit", TP_WARNING, "1 MiB of 64 GiB", NULL);
	expect(&h, "clock", TP_WARNING, "not known to tick evenly", NULL);
	expect(&h, "hypervisor", TP_NOTE, "KVM", NULL);
	expect(&h, "container", TP_NOTE, "docker", NULL);
	machine.cpu.family = 6;
	machine.cpu.model = 167;
	machine.model_found = TP_MODEL_LOOKS_LIKE;
	expect(&h, "model", TP_NOTE, "looks like zen4 (by features and caches; CPUID has family 6",
	       NULL);
	machine.model = (struct tp_model){ .name = "" };
	expect(&h, "model", TP_NOTE, "no model for this CPU", "tprof --list machines");
	machine.n_numa = 1;
	tp_health_release(&h);
}

static void what_this_process_may(void **state)
{
	static const struct {
		int error;
		const char *what, *remedy;
	} rows[] = { { EACCES, "not permitted (kernel.perf_event_paranoid 1)", "paranoid=1" },
		     { ENOENT, "this machine or its kernel has none", NULL },
		     { ENOSYS, "no perf events", NULL },
		     { EMFILE, "Too many open files", NULL } };
	struct tp_health h;
	(void)state;
	begin(&h);
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		h.perf_error = rows[i].error;
		expect(&h, "counters", TP_NOTE, rows[i].what, rows[i].remedy);
	}
	put("/proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\n");
	h.realtime_priority = 1;
	expect(&h, "realtime", TP_FINE, "permitted", NULL);
	h.address_space_bytes = 1 << 30;
	expect(&h, "limits", TP_WARNING, "at most 1 GiB", "ulimit -v unlimited");
	tp_health_release(&h);
}

static void who_works_meanwhile(void **state)
{
	struct tp_health h;
	struct tp_finding f;
	(void)state;
	begin(&h);
	/*
	 * CPUs 0 and 1 are ours, 7 is not. A name may hold blanks and parentheses; the last number
	 * here is the CPU.
	 */
	put("/proc/stat", "cpu  0 0 0 0\ncpu0 100 0 0 900 0 0 0 0\ncpu1 100 0 0 900 0 0 0 10\n"
			  "cpu7 0 0 0 0 0 0 0 0\nintr 1\n");
	put("/proc/111/stat", "111 (a ) (b) R 1 1 1 0 -1 0 0 0 0 0 50 50 0 0 20 0 1 0 777 1 1 1 1 "
			      "1 1 1 1 1 1 1 1 1 1 1 "
			      "17 1 0 0\n");
	put("/proc/222/stat",
	    "222 (idle) S 1 1 1 0 -1 0 0 0 0 0 5 5 0 0 20 0 1 0 778 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 "
	    "17 0 0 0\n");
	put("/proc/333/stat",
	    "333 (again) R 1 1 1 0 -1 0 0 0 0 0 5 5 0 0 20 0 1 0 779 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 "
	    "17 0 0 0\n");
	tp_health_look_first(&h);
	/* 20 ticks later: a CPU has been 15 of them with somebody, 2 were taken away. */
	put("/proc/stat", "cpu  0 0 0 0\ncpu0 100 0 0 920 0 0 0 0\ncpu1 115 0 0 903 0 0 0 12\n"
			  "cpu7 500 0 0 0 0 0 0 900\nintr 1\n");
	put("/proc/111/stat", "111 (a ) (b) R 1 1 1 0 -1 0 0 0 0 0 60 55 0 0 20 0 1 0 777 1 1 1 1 "
			      "1 1 1 1 1 1 1 1 1 1 1 "
			      "17 1 0 0\n");
	/* The same number, but another process: all of its time is from this sample. */
	put("/proc/333/stat", "333 (again) R 1 1 1 0 -1 0 0 0 0 0 3 0 0 0 20 0 1 0 999 1 1 1 1 "
			      "1 1 1 1 1 1 1 1 1 1 "
			      "1 17 0 0 0\n");
	put(CPU "cpu1/thermal_throttle/core_throttle_count", "3\n");
	tp_health_look_again(&h);
	assert_int_equal(h.n_busy, 2);
	assert_string_equal(h.busy[0].name, "a ) (b");
	f = find(&h, "load");
	assert_int_equal(f.severity, TP_WARNING);
	assert_string_equal(
		f.what, "a ) (b (pid 111) 75 % of CPU 1, again (pid 333) 15 % of CPU 0; 0.8 CPUs "
			"busy, load average 0.12");
	assert_string_equal(f.remedy, "kill -STOP 111");
	expect(&h, "hypervisor", TP_WARNING, "5.0 % of the time was taken away", NULL);
	expect(&h, "thermal", TP_PROBLEM, "3 times in the sample", NULL);
	tp_health_release(&h);
}

static void work_that_cannot_be_seen_is_told_too(void **state)
{
	struct tp_health h;
	(void)state;
	begin(&h);
	put("/proc/stat", "cpu  0 0 0 0\ncpu0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0\n");
	tp_health_look_first(&h);
	put("/proc/stat", "cpu  0 0 0 0\ncpu0 20 0 0 0 0 0 0 0\ncpu1 0 0 0 20 0 0 0 0\n");
	tp_health_look_again(&h);
	expect(&h, "load", TP_WARNING, "1.0 CPUs busy", NULL);
	tp_health_release(&h);
}

/* Nothing there at all: no finding of things that cannot be known, and nothing breaks. */
static void an_empty_tree(void **state)
{
	static const char *const silent[] = { "frequency",	"turbo", "thermal",
					      "numa_balancing", "aslr",	 "mitigations",
					      "firmware" };
	struct tp_health h;
	(void)state;
	assert_int_equal(remove_tree(root), 0);
	assert_int_equal(mkdir(root, 0700), 0);
	begin(&h);
	tp_health_look_first(&h);
	tp_health_look_again(&h);
	for (size_t i = 0; i < TP_COUNT_OF(silent); i++)
		assert_int_equal(find(&h, silent[i]).severity, TP_SEVERITY_COUNT);
	expect(&h, "governor", TP_NOTE, "no control of the frequency", NULL);
	expect(&h, "load", TP_NOTE, "unknown: /proc shows neither", NULL);
	expect(&h, "knobs", TP_FINE, "none", NULL);
	tp_health_release(&h);
}

int main(void)
{
#define HEALTH_TEST(name) cmocka_unit_test_setup_teardown(name, make_root, remove_root)
	const struct CMUnitTest tests[] = {
		HEALTH_TEST(a_good_machine_has_nothing_wrong),
		HEALTH_TEST(each_thing_wrong_is_found),
		HEALTH_TEST(an_older_quota_and_how_often_it_struck),
		HEALTH_TEST(what_the_machine_itself_says),
		HEALTH_TEST(what_this_process_may),
		HEALTH_TEST(who_works_meanwhile),
		HEALTH_TEST(work_that_cannot_be_seen_is_told_too),
		HEALTH_TEST(an_empty_tree),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
