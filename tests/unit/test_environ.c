/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernel settings, containers and memory limits of other hosts, shown as a tree of files. */
#include "machine/detect.h"
#include "tests/unit/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const uint64_t MIB = 1048576, GIB = 1073741824;
static char root[] = "/tmp/tprof-test-environ-XXXXXX";

/* Two CPUs and one memory node to fill in. */
static void start(struct tp_machine *machine)
{
	static const struct tp_cpu cpu = { .arch = "x86_64" };
	assert_int_equal(
		tp_machine_init(machine, &cpu, "synthetic:core:2 pu:1", "detected", NULL, NULL),
		TP_OK);
}

static void put(const char *path, const char *text)
{
	put_file(root, path, text);
}

static int make_root(void **state)
{
	(void)state;
	strcpy(root + strlen(root) - 6, "XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	(void)state;
	return remove_tree(root);
}

static const char meminfo[] = "MemTotal:       16777216 kB\nMemFree:         1048576 kB\n"
			      "MemAvailable:    8388608 kB\nHugePages_Free:       42\n"
			      "Hugepagesize:       2048 kB\n";

static void stolen_time_is_summed_over_the_cpus_asked_for(void **state)
{
	(void)state;
	const unsigned cpus[] = { 1, 2 }, none[] = { 7 };
	put("/proc/stat",
	    "cpu  1 2 3 4 5 6 7 60 9 10\ncpu0 1 2 3 4 5 6 7 10 9 10\n"
	    "cpu1 1 2 3 4 5 6 7 20 9 10\ncpu2 1 2 3 4 5 6 7 30 9 10\nintr 99 1 2 3\n");
	assert_int_equal(tp_machine_steal_ticks(root, cpus, 2), 50);
	assert_int_equal(tp_machine_steal_ticks(root, none, 1), 0);
	uint64_t ticks[2] = { 1, 1 };
	tp_machine_steal_each(root, cpus, 2, ticks);
	assert_int_equal(ticks[0], 20);
	assert_int_equal(ticks[1], 30);
	tp_machine_steal_each("/nowhere", cpus, 2, ticks);
	assert_int_equal(ticks[1], 0);
	assert_int_equal(tp_machine_steal_ticks("/nowhere", cpus, 2), 0);
}

static void microcode_and_firmware(void **state)
{
	(void)state;
	struct tp_machine m;
	start(&m);
	put("/proc/cpuinfo", "processor\t: 0\nmodel name\t: X\nmicrocode\t: 0x1000065\n"
			     "cpu MHz\t\t: 2000\n");
	tp_environ_read(&m, root);
	assert_string_equal(m.microcode, "0x1000065");
	assert_string_equal(m.firmware, "");
	assert_true(m.max_ghz == 0);
	put("/sys/devices/system/cpu/cpu0/microcode/version", "0x2b000590\n");
	put("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3700000\n");
	put("/sys/class/dmi/id/bios_version", "2.1\x1b[31m\n");
	put("/sys/class/dmi/id/bios_date", "01/24/2026\n");
	tp_environ_read(&m, root);
	assert_string_equal(m.microcode, "0x2b000590");
	assert_non_null(strstr(m.firmware, " of 01/24/2026"));
	assert_null(strchr(m.firmware, '\x1b'));
	assert_true(m.max_ghz == 3.7);
	/* A hypervisor that hides it, and a machine that has none. */
	put("/sys/devices/system/cpu/cpu0/microcode/version", "0xffffffff\n");
	tp_environ_read(&m, root);
	assert_string_equal(m.microcode, "");
	tp_environ_read(&m, "/nowhere");
	assert_string_equal(m.microcode, "");
	tp_machine_release(&m);
}

static void other_environment(void **state)
{
	(void)state;
	struct tp_machine m;
	start(&m);
	put("/proc/meminfo", meminfo);
	put("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
	put("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "2097152\n");
	put("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "42\n");
	put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
	put("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
	put("/proc/1/cgroup", "0::/kubepods.slice/pod1\n");
	tp_environ_read(&m, root);
	assert_string_equal(m.thp, "always");
	assert_int_equal(m.huge_page_bytes, 2 * MIB);
	assert_int_equal(m.hugetlb_free, 42);
	assert_string_equal(m.governor, "powersave");
	assert_int_equal(m.turbo, 1);
	assert_string_equal(m.container, "kubernetes");
	put("/.dockerenv", "");
	put("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
	tp_environ_read(&m, root);
	assert_string_equal(m.container, "docker");
	assert_int_equal(m.turbo, 0);
	put("/run/systemd/container", "lxc\n");
	tp_environ_read(&m, root);
	assert_string_equal(m.container, "lxc");
	tp_machine_release(&m);
}

static void bare_environment(void **state)
{
	(void)state;
	struct tp_machine m;
	start(&m);
	m.huge_page_bytes = 0;
	tp_environ_read(&m, root); /* an empty tree: all unknown, nothing fails */
	tp_memory_read(&m, root);
	assert_string_equal(m.thp, "");
	assert_string_equal(m.governor, "");
	assert_string_equal(m.container, "");
	assert_int_equal(m.turbo, -1);
	assert_int_equal(m.hugetlb_free, 0);
	assert_int_equal(m.memory_bytes, 0);
	tp_machine_release(&m);
}

static const char mounts_v2[] =
	"25 1 0:22 / /proc rw - proc proc rw\n"
	"30 25 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

static void cgroup_v2(void **state)
{
	(void)state;
	struct tp_machine m;
	start(&m);
	put("/proc/meminfo", meminfo);
	put("/proc/self/mountinfo", mounts_v2);
	put("/proc/self/cgroup", "0::/user.slice/job\n");
	put("/sys/fs/cgroup/user.slice/job/memory.max", "max\n");
	tp_memory_read(&m, root);
	assert_int_equal(m.memory_bytes, 16 * GIB);
	assert_int_equal(m.available_bytes, 8 * GIB);
	assert_int_equal(m.nodes[0].memory_bytes, 16 * GIB);

	/*
	 * A limit of the parent counts too, less what is used, plus what could be dropped at once.
	 */
	put("/sys/fs/cgroup/user.slice/memory.max", "4294967296\n");
	put("/sys/fs/cgroup/user.slice/memory.current", "2147483648\n");
	put("/sys/fs/cgroup/user.slice/memory.stat",
	    "anon 1\ntotal_inactive_file 5\ninactive_file 1073741824\n");
	tp_memory_read(&m, root);
	assert_int_equal(m.available_bytes, 3 * GIB);
	put("/sys/fs/cgroup/user.slice/job/memory.max", "1073741824\n");
	tp_memory_read(&m, root);
	assert_int_equal(m.available_bytes, 1 * GIB);
	assert_int_equal(tp_memory_left(root), 1 * GIB);
	put("/sys/fs/cgroup/user.slice/job/memory.current", "2147483648\n"); /* over its limit */
	tp_memory_read(&m, root);
	assert_int_equal(m.available_bytes, 0);
	assert_int_equal(tp_memory_left(root), 1);
	tp_machine_release(&m);
}

static void cgroup_v1(void **state)
{
	(void)state;
	struct tp_machine m;
	start(&m);
	put("/proc/meminfo", meminfo);
	/* A container: the part /docker/abc of the hierarchy is shown at the mount point. */
	put("/proc/self/mountinfo",
	    "40 1 0:30 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n"
	    "41 1 0:31 /docker/abc /sys/fs/cgroup/memory ro master:9 - cgroup cgroup rw,memory\n");
	put("/proc/self/cgroup", "9:cpu:/docker/abc\n4:hugetlb,memory:/docker/abc\n0::/\n");
	put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	tp_memory_read(&m, root);
	assert_int_equal(m.available_bytes, 8 * GIB); /* unlimited is a huge number in v1 */
	put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "536870912\n");
	put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "268435456\n");
	tp_memory_read(&m, root);
	assert_int_equal(m.available_bytes, 256 * MIB);
	put("/proc/self/mountinfo", "garbage\n\n - cgroup\n1 2 3 - cgroup2 x\n");
	tp_memory_read(&m, root);
	assert_int_equal(m.available_bytes, 8 * GIB);
	tp_machine_release(&m);
}

int main(void)
{
	unsetenv("APPTAINER_CONTAINER");
	unsetenv("SINGULARITY_CONTAINER");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(stolen_time_is_summed_over_the_cpus_asked_for,
						make_root, remove_root),
		cmocka_unit_test_setup_teardown(microcode_and_firmware, make_root, remove_root),
		cmocka_unit_test_setup_teardown(other_environment, make_root, remove_root),
		cmocka_unit_test_setup_teardown(bare_environment, make_root, remove_root),
		cmocka_unit_test_setup_teardown(cgroup_v2, make_root, remove_root),
		cmocka_unit_test_setup_teardown(cgroup_v1, make_root, remove_root),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
