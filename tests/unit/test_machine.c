/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Topologies of this host, of captured and of made-up machines; placement, cache shares, pinning.
 */
#include "base/memory.h"
#include "machine/machine.h"
#include "tests/unit/files.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cmocka.h>

static const struct tp_cpu host_cpu = { .arch = "x86_64",
					.vendor = "AuthenticAMD",
					.brand = "AMD EPYC",
					.family = 25,
					.model = 17,
					.stepping = 1,
					.features = "sse2 avx2",
					.hypervisor = "KVM",
					.invariant_counter = true };
static const uint64_t KIB = 1024, MIB = 1048576, GIB = 1073741824;

static void load(struct tp_machine *machine, const char *topology, const char *model)
{
	struct tp_diag diag = { 0 };
	if (tp_machine_init(machine, &host_cpu, topology, model, NULL, &diag) != TP_OK)
		fail_msg("%s: %s (%s)", diag.where, diag.what, diag.hint);
}

static void load_captured(struct tp_machine *machine, const char *name, const char *model)
{
	char path[TP_PATH_MAX];
	snprintf(path, sizeof(path), "%s/tests/machines/%s", source_dir(), name);
	load(machine, path, model);
	assert_true(machine->foreign);
	assert_string_equal(machine->source, path);
}

static void assert_placed(const struct tp_machine *machine, const char *affinity, size_t n,
			  const unsigned *expected)
{
	unsigned cpus[64];
	struct tp_diag diag = { 0 };
	assert_true(n <= 64);
	if (tp_machine_place(machine, affinity, n, cpus, &diag) != TP_OK)
		fail_msg("%s: %s", affinity, diag.what);
	for (size_t i = 0; i < n; i++)
		if (cpus[i] != expected[i])
			fail_msg("%s: thread %zu on CPU %u, expected %u", affinity, i, cpus[i],
				 expected[i]);
}

static void assert_refused(const struct tp_machine *machine, const char *affinity, size_t n,
			   const char *words)
{
	unsigned cpus[512];
	struct tp_diag diag = { 0 };
	assert_true(n <= 512);
	assert_int_equal(tp_machine_place(machine, affinity, n, cpus, &diag), TP_USAGE);
	if (!strstr(diag.what, words))
		fail_msg("\"%s\" does not say \"%s\"", diag.what, words);
}

static void synthetic_two_sockets(void **state)
{
	(void)state;
	struct tp_machine m;
	load(&m, "synthetic:pack:2 core:64 pu:2", "zen4");
	assert_true(m.foreign);
	assert_int_equal(m.n_packages, 2);
	assert_int_equal(m.n_cores, 128);
	assert_int_equal(m.n_pus, 256);
	assert_int_equal(m.n_allowed, 256);
	assert_int_equal(m.n_numa, 1);
	assert_int_equal(m.memory_bytes, 0); /* the description says nothing of it */
	assert_string_equal(m.cpu.arch, "x86_64");
	assert_string_equal(m.cpu.features, "");
	for (size_t i = 0; i < m.n_pus; i++) {
		assert_int_equal(m.pus[i].core, i / 2);
		assert_int_equal(m.pus[i].smt_rank, i % 2);
		assert_int_equal(m.pus[i].package, i / 128);
	}
	/* Caches come from the model: private L1 and L2, an L3 for 8 cores. */
	assert_int_equal(m.cache[1].size_bytes, 32 * KIB);
	assert_int_equal(m.cache[1].reported_bytes, 0);
	assert_int_equal(m.cache[1].instances, 128);
	assert_int_equal(m.cache[3].instances, 16);
	assert_int_equal(m.cache[3].sharing_cores, 8);
	assert_int_equal(m.cache[3].sharing_pus, 16);
	assert_int_equal(m.pus[255].cache[3], 15);
	assert_int_equal(m.pus[16].cache[3], 1);
	assert_int_equal(tp_machine_last_level(&m), 3);
	assert_int_equal(tp_machine_last_level_bytes(&m), 16 * 32 * MIB);

	const unsigned compact[] = { 0, 2, 4, 6 }, scatter[] = { 0, 128, 2, 130, 4 };
	assert_placed(&m, "compact", 4, compact);
	assert_placed(&m, "scatter", 5, scatter);
	unsigned all[256];
	assert_int_equal(tp_machine_place(&m, "compact", 256, all, NULL), TP_OK);
	assert_int_equal(all[63], 126);
	assert_int_equal(all[64], 128); /* the second package */
	assert_int_equal(all[127], 254);
	assert_int_equal(all[128], 1); /* then SMT siblings */
	assert_int_equal(all[255], 255);
	assert_int_equal(tp_machine_place(&m, "scatter", 256, all, NULL), TP_OK);
	assert_int_equal(all[127], 254);
	assert_int_equal(all[128], 1);
	assert_int_equal(all[129], 129);

	assert_int_equal(tp_machine_share(&m, 1, 128), 32 * KIB);
	assert_int_equal(tp_machine_share(&m, 1, 129), 16 * KIB);
	assert_int_equal(tp_machine_share(&m, 3, 1), 32 * MIB);
	assert_int_equal(tp_machine_share(&m, 3, 2), 16 * MIB);
	assert_int_equal(tp_machine_share(&m, 3, 8), 4 * MIB);
	assert_int_equal(tp_machine_share(&m, 3, 128), 4 * MIB);
	assert_int_equal(tp_machine_share(&m, 3, 256), 2 * MIB);

	/* Processes on four CPUs each: 16 CPUs share L3, so no more than four of them do. */
	const size_t allowed = m.n_allowed;
	m.n_allowed = 4;
	m.sharers = 2;
	assert_int_equal(tp_machine_share(&m, 1, 1), 32 * KIB);
	assert_int_equal(tp_machine_share(&m, 3, 1), 16 * MIB);
	m.sharers = 64;
	assert_int_equal(tp_machine_share(&m, 3, 1), 8 * MIB);
	assert_int_equal(tp_machine_share(&m, 1, 1), 32 * KIB);
	m.sharers = 0;
	m.n_allowed = allowed;
	assert_int_equal(tp_machine_share(&m, 0, 1), 0);
	assert_int_equal(tp_machine_share(&m, 4, 1), 0);
	tp_machine_release(&m);
	assert_null(m.pus);
}

static void synthetic_caches(void **state)
{
	(void)state;
	struct tp_machine m;
	load(&m, "synthetic:pack:1 l3:2(size=16MiB) l2:2(size=2MiB) core:2 l1d:1(size=48KiB) pu:1",
	     "detected");
	assert_string_equal(m.model.name, ""); /* nothing to match by */
	assert_int_equal(m.n_cores, 8);
	assert_int_equal(m.cache[1].size_bytes, 48 * KIB);
	assert_int_equal(m.cache[1].sharing_cores, 1);
	assert_int_equal(m.cache[2].reported_bytes, 2 * MIB);
	assert_int_equal(m.cache[2].sharing_cores, 2);
	assert_int_equal(m.cache[2].instances, 4);
	assert_int_equal(m.cache[3].sharing_cores, 4);
	assert_int_equal(tp_machine_share(&m, 2, 2), 1 * MIB);
	assert_int_equal(tp_machine_share(&m, 3, 3), 16 * MIB / 3);
	assert_int_equal(tp_machine_last_level_bytes(&m), 32 * MIB);
	assert_int_equal(m.cache[3].size_bytes, 16 * MIB);
	tp_machine_release(&m);

	const uint64_t given[TP_CACHE_LEVELS] = { 0, 0, 256 * KIB, 0 };
	assert_int_equal(tp_machine_init(&m, &host_cpu, "synthetic:core:2 l1d:1(size=32KiB) pu:1",
					 NULL, given, NULL),
			 TP_OK);
	assert_int_equal(m.cache[2].size_bytes, 256 * KIB);
	assert_int_equal(m.cache[3].size_bytes, 0);
	assert_int_equal(tp_machine_last_level(&m), 2);
	assert_int_equal(tp_machine_last_level_bytes(&m), 512 * KIB);
	tp_machine_release(&m);
}

static void synthetic_refusals(void **state)
{
	(void)state;
	static const struct {
		const char *topology, *model;
		enum tp_status status;
		const char *what;
	} cases[] = {
		{ "synthetic:foo:x", NULL, TP_USAGE, "does not understand" },
		{ "synthetic:", NULL, TP_USAGE, "does not understand" },
		{ "synthetic:pack:1000 core:1000 pu:2", NULL, TP_USAGE, "hardware threads" },
		{ "synthetic:99999999999999999999", NULL, TP_USAGE, "hardware threads" },
		{ "/nonexistent/machine.xml", NULL, TP_NOTFOUND, "No such file" },
		{ "/dev/null", NULL, TP_USAGE, "is a device" },
		{ "/tmp", NULL, TP_USAGE, "is a directory" },
		{ "synthetic:core:1 pu:1", "zen44", TP_NOTFOUND, "did you mean zen4?" },
		{ "synthetic:core:1 pu:1", "/nonexistent/x.yaml", TP_NOTFOUND, "No such file" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tp_machine m;
		struct tp_diag diag = { 0 };
		enum tp_status status = tp_machine_init(&m, &host_cpu, cases[i].topology,
							cases[i].model, NULL, &diag);
		if (status != cases[i].status || !strstr(diag.what, cases[i].what))
			fail_msg("%s: %s, \"%s\"", cases[i].topology, tp_status_name(status),
				 diag.what);
		assert_null(m.pus); /* nothing is left behind */
	}
}

/*
 * hwloc crashes on some topologies that lack an attribute. Whichever is missing, this process lives
 * and says that the file is damaged, or takes it.
 */
static void damaged_topologies_do_not_crash(void **state)
{
	static const char *const names[] = { "complete_nodeset=\"", "complete_cpuset=\"",
					     "nodeset=\"", "cpuset=\"", "type=\"" };
	char path[TP_PATH_MAX], folder[] = "/tmp/tprof-damaged-XXXXXX", *text;
	struct tp_diag diag = { 0 };
	size_t len, crashes = 0;
	(void)state;
	snprintf(path, sizeof(path), "%s/tests/machines/skylake-2s-snc2.xml", source_dir());
	assert_int_equal(tp_file_read(path, 1 << 20, &text, &len, &diag), TP_OK);
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/damaged.xml", folder);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *at = text;
		for (int k = 0; k < 12 && (at = strstr(at, names[i])); k++) {
			struct tp_machine m;
			char kept[64];
			char *end = strchr(at + strlen(names[i]), '"') + 1;
			size_t n = (size_t)(end - at);
			assert_true(n < sizeof(kept));
			memcpy(kept, at, n);
			memset(at, ' ', n);
			assert_int_equal(tp_file_write(TP_TYPED_FILE, path, text, len, &diag),
					 TP_OK);
			diag = (struct tp_diag){ 0 };
			enum tp_status status =
				tp_machine_init(&m, &host_cpu, path, NULL, NULL, &diag);
			if (status != TP_OK && (status != TP_USAGE || !*diag.what))
				fail_msg("without %s: %s", kept, tp_status_name(status));
			crashes += strstr(diag.what, "damaged: hwloc ") != NULL;
			tp_machine_release(&m);
			memcpy(at, kept, n);
			at = end;
		}
	}
	if (!crashes)
		print_message("no damage crashed this hwloc\n");
	free(text);
	assert_int_equal(remove_tree(folder), 0);
}

/* Placing goes through the hardware threads of a core once, not once for each of them. */
static void core_of_many_threads(void **state)
{
	enum { N = 3000 };
	static const char *const policies[] = { "compact", "scatter" };
	struct tp_machine m;
	unsigned cpus[N];
	(void)state;
	/* hwloc may take 2 s of CPU time, and an emulated one takes more for so many threads. */
	if (getenv("TPROF_EMULATOR")) {
		print_message("SKIPPED: hwloc is too slow under an emulator\n");
		skip();
	}
	load(&m, "synthetic:core:2 pu:1500", NULL);
	assert_int_equal(m.n_pus, N);
	for (size_t i = 0; i < sizeof(policies) / sizeof(*policies); i++) {
		assert_int_equal(tp_machine_place(&m, policies[i], N, cpus, NULL), TP_OK);
		for (unsigned k = 0; k < N; k++)
			assert_int_equal(cpus[k], k / 2 + (k % 2) * (N / 2));
	}
	tp_machine_release(&m);
}

static void captured_vm(void **state)
{
	(void)state;
	struct tp_machine m;
	load_captured(&m, "vm-zen4-2c.xml", "detected");
	assert_int_equal(m.n_pus, 2);
	assert_string_equal(m.cpu.vendor, "AuthenticAMD");
	assert_string_equal(m.cpu_name, "AMD EPYC");
	assert_int_equal(m.cpu.family, 25);
	assert_int_equal(m.cpu.model, 17);
	assert_string_equal(m.model.name, "zen4");
	assert_int_equal(m.cache[3].reported_bytes, 32 * MIB);
	assert_int_equal(m.cache[3].ways, 16);
	assert_int_equal(m.cache[3].line_bytes, 64);
	assert_int_equal(m.cache[3].sharing_cores, 2);
	assert_int_equal(tp_machine_share(&m, 3, 2), 16 * MIB);
	assert_true(m.memory_bytes > 0); /* told by the file */
	tp_machine_release(&m);
}

/* Two sockets, two memory nodes each, siblings numbered 16 apart as Linux does on Intel. */
static void captured_skylake(void **state)
{
	(void)state;
	struct tp_machine m;
	load_captured(&m, "skylake-2s-snc2.xml", "detected");
	assert_string_equal(m.model.name, "skylake-x");
	assert_int_equal(m.n_packages, 2);
	assert_int_equal(m.n_cores, 16);
	assert_int_equal(m.n_numa, 4);
	assert_int_equal(m.memory_bytes, 192 * GIB);
	assert_int_equal(m.nodes[3].memory_bytes, 48 * GIB);
	assert_int_equal(m.nodes[3].n_pus, 8);
	assert_int_equal(m.pus[31].numa, 3);
	assert_int_equal(m.cache[3].size_bytes, 38 * MIB + MIB / 2);
	assert_int_equal(m.cache[3].line_bytes, 64);
	assert_int_equal(m.cache[3].sharing_cores, 8);
	assert_int_equal(m.cache[3].instances, 2);
	assert_int_equal(m.n_allowed, 32);
	assert_true(m.foreign);
	assert_string_equal(m.governor,
			    ""); /* facts of this host do not belong to another machine */
	assert_int_equal(m.pus[1].os_index, 16);
	assert_int_equal(m.pus[1].smt_rank, 1);
	/* Packages take turns, and within a package its two nodes. */
	const unsigned scatter[] = { 0, 8, 4, 12, 1, 9, 5, 13, 2, 10, 6, 14, 3, 11, 7, 15, 16, 24 };
	const unsigned compact[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17 };
	assert_placed(&m, "scatter", 18, scatter);
	assert_placed(&m, "compact", 18, compact);
	assert_placed(&m, NULL, 18, compact);

	/* A cpuset that holds one whole core and only the second thread of another. */
	m.n_allowed = 0;
	for (size_t i = 0; i < m.n_pus; i++) {
		unsigned os = m.pus[i].os_index;
		m.pus[i].allowed = os == 2 || os == 18 || os == 25;
		m.n_allowed += m.pus[i].allowed;
	}
	const unsigned few_compact[] = { 2, 25, 18 }, few_scatter[] = { 2, 25, 18 };
	assert_placed(&m, "compact", 3, few_compact);
	assert_placed(&m, "scatter", 3, few_scatter);
	assert_refused(&m, "compact", 4, "may use 3 of the machine's 32 CPUs");
	assert_refused(&m, "3", 1, "not allowed to run on CPU 3");
	tp_machine_release(&m);
}

static void captured_thunderx2(void **state)
{
	(void)state;
	struct tp_machine m;
	load_captured(&m, "thunderx2-2s-smt4.xml", "detected");
	assert_string_equal(m.cpu.arch, "aarch64");
	assert_string_equal(m.cpu.vendor, "Cavium");
	assert_int_equal(m.cpu.family, -1);
	assert_int_equal(m.cpu.model, 0xaf);
	assert_string_equal(m.model.name, "thunderx2");
	assert_int_equal(m.pus[3].smt_rank, 3);
	assert_int_equal(m.cache[1].sharing_pus, 4);
	const unsigned compact[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	assert_placed(&m, "compact", 10, compact);
	assert_int_equal(tp_machine_share(&m, 1, 8), 32 * KIB);
	assert_int_equal(tp_machine_share(&m, 1, 24), 32 * KIB / 3);
	tp_machine_release(&m);
}

/* Two cores of two threads with an L2 each, and a cluster of four small cores that share one. */
static void captured_hybrid(void **state)
{
	static const unsigned small[] = { 4, 5, 6, 7 }, large[] = { 0, 2, 1, 3 },
			      mixed[] = { 3, 4 };
	char kind[32], memory[48];
	TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
	const struct tp_machine *view;
	struct tp_machine m;
	TP_STR words = { 0 };
	(void)state;
	load_captured(&m, "hybrid-2p4e.xml", NULL);
	assert_int_equal(m.n_kinds, 2);
	assert_int_equal(m.pus[0].kind, 1);
	assert_int_equal(m.pus[7].kind, 0);
	assert_int_equal(m.cache[2].size_bytes, 1280 * KIB); /* of the first CPU */
	assert_true(tp_machine_part(&m, 0, &words));
	assert_string_equal(tp_str_text(&words), "kind:0 IntelAtom, 4 cores, L1d 32 KiB, L2 2 MiB "
						 "shared by 4 cores, L3 12 MiB shared by 6 cores");
	tp_str_clear(&words);
	assert_true(tp_machine_part(&m, 1, &words));
	assert_string_equal(tp_str_text(&words),
			    "kind:1 IntelCore, 2 cores of 4 hardware threads, L1d 48 KiB, "
			    "L2 1.25 MiB, L3 12 MiB shared by 6 cores");
	assert_false(tp_machine_part(&m, 2, &words)); /* memory is of one kind */
	assert_placed(&m, "kind:0", 4, small);
	assert_placed(&m, "kind:1", 4, large);
	assert_refused(&m, "kind:0", 5, "5 threads, but this process may use 4");
	assert_refused(&m, "kind:2", 1, "no \"kind:2\"");
	assert_refused(&m, "kind:", 1, "no \"kind:\"");
	assert_refused(&m, "kind:1x", 1, "no \"kind:1x\"");

	view = tp_machine_of_affinity(&m, "kind:0", &arena);
	assert_int_equal(view->n_allowed, 4);
	assert_placed(view, "compact", 4, small);
	assert_int_equal(tp_machine_share(view, 1, 1), 32 * KIB);
	assert_int_equal(tp_machine_share(view, 2, 1), 2 * MIB);
	assert_int_equal(tp_machine_share(view, 2, 4), 512 * KIB);
	view = tp_machine_of_affinity(&m, "4-5,7", &arena);
	assert_int_equal(view->cache[2].size_bytes, 2 * MIB);
	assert_int_equal(view->n_allowed, 8);
	assert_int_equal(tp_machine_of_affinity(&m, "1-3", &arena)->cache[2].size_bytes,
			 1280 * KIB);
	assert_int_equal(tp_machine_of_affinity(&m, "scatter", &arena)->cache[2].size_bytes,
			 1280 * KIB);
	tp_machine_team_words(&m, small, 4, kind, sizeof(kind), memory, sizeof(memory));
	assert_string_equal(kind, "kind:0 IntelAtom");
	assert_string_equal(memory, "");
	tp_machine_team_words(&m, mixed, 2, kind, sizeof(kind), memory, sizeof(memory));
	assert_string_equal(kind, "several");
	tp_machine_release(&m);

	load_captured(&m, "vm-zen4-2c.xml", NULL); /* one kind is none */
	assert_int_equal(m.n_kinds, 0);
	assert_refused(&m, "kind:0", 1, "all cores of this machine are alike");
	assert_ptr_equal(tp_machine_of_affinity(&m, "kind:0", &arena), &m);
	tp_machine_release(&m);
}

/* Fast memory is half a cache before the slow one, half a node that no CPU calls its own. */
static void captured_memory(void **state)
{
	static const unsigned two[] = { 0, 1 };
	struct tp_machine m;
	TP_STR words = { 0 };
	char kind[32], memory[48];
	(void)state;
	load_captured(&m, "memory-tiers.xml", NULL);
	assert_int_equal(m.n_numa, 2);
	assert_int_equal(m.memory_bytes, 104 * GIB);
	assert_int_equal(m.nodes[0].cache_bytes, 8 * GIB);
	assert_false(m.nodes[0].apart);
	assert_int_equal(m.nodes[1].cache_bytes, 0);
	assert_true(m.nodes[1].apart);
	assert_false(tp_machine_flushes(&m));
	/* A cache before memory that nothing touches by itself does not matter. */
	m.nodes[0].cache_bytes = 0;
	m.nodes[1].cache_bytes = GIB;
	assert_true(tp_machine_flushes(&m));
	m.nodes[1].cache_bytes = 0;
	m.nodes[0].cache_bytes = 8 * GIB;
	assert_true(tp_machine_part(&m, 0, &words));
	assert_string_equal(tp_str_text(&words), "node 0 96 GiB, behind a cache of 8 GiB");
	tp_str_clear(&words);
	assert_true(tp_machine_part(&m, 1, &words));
	assert_string_equal(tp_str_text(&words), "node 1 MCDRAM 8 GiB, no CPUs");
	assert_false(tp_machine_part(&m, 2, &words));
	tp_machine_team_words(&m, two, 2, kind, sizeof(kind), memory, sizeof(memory));
	assert_string_equal(kind, "");
	assert_string_equal(memory, "node 0 behind 8 GiB");
	tp_machine_release(&m);
}

/* A cpuset with the fast node alone: memory comes from there, whichever node is nearest. */
static void memory_of_a_cpuset(void **state)
{
	static const unsigned cpu = 0;
	static const char all[] = "allowed_nodeset=\"0x00000003\"";
	char path[TP_PATH_MAX], folder[] = "/tmp/tprof-cpuset-XXXXXX", *text, kind[32], memory[48];
	struct tp_machine m;
	struct tp_diag diag;
	size_t len;
	(void)state;
	snprintf(path, sizeof(path), "%s/tests/machines/memory-tiers.xml", source_dir());
	assert_int_equal(tp_file_read(path, 1 << 20, &text, &len, &diag), TP_OK);
	char *at = strstr(text, all);
	assert_non_null(at);
	at[sizeof(all) - 3] = '2';
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/cpuset.xml", folder);
	assert_int_equal(tp_file_write(TP_TYPED_FILE, path, text, len, &diag), TP_OK);
	free(text);
	load(&m, path, NULL);
	assert_true(m.nodes[0].apart);
	assert_false(m.nodes[1].apart);
	assert_true(tp_machine_flushes(&m));
	tp_machine_team_words(&m, &cpu, 1, kind, sizeof(kind), memory, sizeof(memory));
	assert_string_equal(memory, "node 1 MCDRAM");
	tp_machine_release(&m);
	unlink(path);
	rmdir(folder);
}

/* What a plan may take is that of the machine described, where it is described. */
static void limits_of_other_machines(void **state)
{
	struct tp_machine m;
	struct tp_diag diag = { 0 };
	char path[TP_PATH_MAX];
	(void)state;
	load(&m, "synthetic:[numa(memory=1GiB)] core:2 pu:1", NULL);
	assert_true(tp_machine_room_bytes(&m, 0.5) == 0.5 * (double)GIB);
	tp_machine_release(&m);
	load(&m, "synthetic:core:2 pu:1", "broadwell");
	assert_true(tp_machine_room_bytes(&m, 0.5) > 1e300);
	assert_false(tp_machine_flushes(&m)); /* by what the model says of its CPUs */
	tp_machine_release(&m);
	load(&m, "synthetic:core:2 pu:1", "skylake-x");
	assert_true(tp_machine_flushes(&m));
	tp_machine_release(&m);

	snprintf(path, sizeof(path), "%s/tests/machines/thunderx2-2s-smt4.xml", source_dir());
	assert_int_equal(tp_machine_init(&m, &host_cpu, path, "zen4", NULL, &diag), TP_USAGE);
	assert_non_null(strstr(diag.what, "zen4 is a model of x86_64"));
	assert_int_equal(tp_machine_init(&m, &host_cpu, NULL, "thunderx2", NULL, &diag), TP_USAGE);
	assert_non_null(strstr(diag.what, "this machine is of x86_64"));
	assert_null(m.pus);
}

static void lists(void **state)
{
	(void)state;
	struct tp_machine m;
	load(&m, "synthetic:pack:2 core:4 pu:1", NULL);
	const unsigned a[] = { 0, 2, 3, 4, 5 }, b[] = { 7, 1 };
	assert_placed(&m, "0,2-5", 5, a);
	assert_placed(&m, "0,2-5", 3, a); /* more listed than needed: the first are used */
	assert_placed(&m, "7,1", 2, b);
	assert_refused(&m, "0,2-5", 6, "6 threads, but only 5 CPUs listed");
	assert_refused(&m, "0,8", 2, "CPU 8 does not exist");
	assert_refused(&m, "0-99999999999999999999", 2, "CPU 8 does not exist");
	assert_refused(&m, "5-2", 1, "runs backward");
	assert_refused(&m, "1,0-2", 3, "CPU 1 is listed twice");
	assert_refused(&m, "0,,1", 2, "is not an affinity");
	assert_refused(&m, "0,", 1, "is not an affinity");
	assert_refused(&m, "-1", 1, "is not an affinity");
	assert_refused(&m, "0 1", 1, "is not an affinity");
	assert_refused(&m, "", 1, "is not an affinity");
	assert_refused(&m, "compat", 1, "did you mean compact?");
	assert_refused(&m, "compact", 9, "9 threads");
	assert_refused(&m, "compact", 0, "no threads");
	tp_machine_release(&m);
}

static void this_host(void **state)
{
	(void)state;
	struct tp_machine m;
	struct sysinfo info;
	load(&m, NULL, "detected");
	assert_false(m.foreign);
	assert_string_equal(m.source, "this machine");
	assert_true(m.n_cores >= 1 && m.n_cores <= m.n_pus);
	assert_int_equal(sysinfo(&info), 0);
	/* hwloc may be wrong about memory; the kernel is not. */
	uint64_t total = (uint64_t)info.totalram * info.mem_unit;
	assert_true(m.memory_bytes / KIB == total / KIB);
	assert_true(m.available_bytes > 0 && m.available_bytes <= m.memory_bytes);
	assert_int_equal(m.page_bytes, sysconf(_SC_PAGESIZE));
	cpu_set_t mask;
	assert_int_equal(sched_getaffinity(0, sizeof(mask), &mask), 0);
	assert_int_equal(m.n_allowed, CPU_COUNT(&mask));
	for (size_t i = 0; i < m.n_pus; i++)
		assert_int_equal(m.pus[i].allowed, CPU_ISSET(m.pus[i].os_index, &mask) != 0);
	assert_string_equal(m.model.name, "zen4"); /* by the CPU passed in */
	assert_true(*m.kernel && *m.hostname);
	tp_machine_release(&m);
}

/* The mask of the process decides what is allowed, as under taskset or a batch system. */
static void host_mask(void **state)
{
	(void)state;
	cpu_set_t before, one;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	int cpu = sched_getcpu();
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	struct tp_machine m;
	load(&m, "", "detected");
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	assert_int_equal(m.n_allowed, 1);
	unsigned placed = 99999;
	assert_int_equal(tp_machine_place(&m, "compact", 1, &placed, NULL), TP_OK);
	assert_int_equal(placed, cpu);
	tp_machine_release(&m);
}

/* The CPUs of a part are those of its socket or NUMA node that the process may use. */
static void domains(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		enum tp_status status;
		size_t n;
		unsigned first;
	} rows[] = {
		{ "socket:0/2", TP_OK, 8, 0 },	{ "socket:1/2", TP_OK, 8, 8 },
		{ "numa:3/4", TP_OK, 4, 12 },	{ "socket:0/1", TP_USAGE, 0, 0 },
		{ "numa:0/2", TP_USAGE, 0, 0 },
	};
	static const char *const wrong[] = {
		"socket",    "socket:2/2", "socket:0/0", "numa:-1/2",
		"numa: 0/2", "core:0/2",   "numa:0/2x",	 "numa:0/99999"
	};
	struct tp_machine m;
	struct tp_domain domain;
	struct tp_diag diag;
	const struct tp_pu *pus[16];
	size_t n;
	load(&m, "synthetic:pack:2 numa:2 core:2 pu:2", NULL);
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		assert_true(tp_domain_parse(rows[i].text, &domain));
		assert_int_equal(tp_machine_domain(&m, &domain, pus, &n, &diag), rows[i].status);
		assert_int_equal(n, rows[i].n);
		for (size_t k = 0; k < n; k++)
			assert_int_equal(pus[k] - m.pus, rows[i].first + k);
	}
	/* A cgroup that leaves nothing of the first socket. */
	for (size_t i = 0; i < 8; i++)
		m.pus[i].allowed = false;
	assert_true(tp_domain_parse("socket:0/2", &domain));
	assert_int_equal(tp_machine_domain(&m, &domain, pus, &n, &diag), TP_RESOURCE);
	for (size_t i = 0; i < TP_COUNT_OF(wrong); i++)
		assert_false(tp_domain_parse(wrong[i], &domain));
	tp_machine_release(&m);
}

static void host_by_hwloc_environment(void **state)
{
	(void)state;
	struct tp_machine m;
	setenv("HWLOC_SYNTHETIC", "pack:4 core:4 pu:1", 1);
	load(&m, NULL, NULL);
	unsetenv("HWLOC_SYNTHETIC");
	assert_true(m.foreign);
	assert_int_equal(m.n_pus, 16);
	tp_machine_release(&m);
}

static void *pin_everywhere(void *error)
{
	struct tp_machine m;
	struct tp_diag diag = { 0 };
	const char **why = error;
	if (tp_machine_init(&m, &host_cpu, NULL, NULL, NULL, &diag) != TP_OK) {
		*why = "init";
		return NULL;
	}
	for (size_t i = 0; i < m.n_pus; i++) {
		cpu_set_t mask;
		if (!m.pus[i].allowed)
			continue;
		if (tp_machine_pin(m.pus[i].os_index, &diag) != TP_OK)
			*why = "pin refused";
		if (sched_getaffinity(0, sizeof(mask), &mask) != 0 || CPU_COUNT(&mask) != 1 ||
		    !CPU_ISSET(m.pus[i].os_index, &mask))
			*why = "mask";
		if (sched_getcpu() != (int)m.pus[i].os_index)
			*why = "elsewhere";
	}
	if (tp_machine_pin(100000, &diag) != TP_RESOURCE || !strstr(diag.what, "CPU 100000"))
		*why = "a CPU that does not exist";
	if (tp_machine_pin(4000000000u, &diag) != TP_USAGE)
		*why = "a number beyond all CPUs";
	tp_machine_release(&m);
	return NULL;
}

static void pin_read_back(void **state)
{
	(void)state;
	pthread_t thread;
	const char *why = NULL;
	assert_int_equal(pthread_create(&thread, NULL, pin_everywhere, &why), 0);
	pthread_join(thread, NULL);
	if (why)
		fail_msg("%s", why);
}

/* A model alone describes its reference system. */
static void reference_system(void **state)
{
	struct tp_machine m;
	struct tp_diag diag = { 0 };
	(void)state;
	assert_int_equal(tp_machine_reference(&m, &host_cpu, "zen4", NULL, &diag), TP_OK);
	assert_true(m.foreign);
	assert_string_equal(m.source, "the reference system of zen4");
	assert_string_equal(m.cpu.arch, "x86_64");
	assert_int_equal(m.n_packages, 2);
	assert_int_equal(m.n_cores, 192);
	assert_int_equal(m.n_pus, 384);
	assert_int_equal(m.cache[1].size_bytes, 32 * KIB);
	assert_int_equal(m.cache[3].size_bytes, 32 * MIB);
	assert_int_equal(m.cache[3].instances, 24);
	tp_machine_release(&m);
	assert_int_equal(tp_machine_reference(&m, &host_cpu, "zen99", NULL, &diag), TP_NOTFOUND);
	tp_machine_release(&m);
}

/* What stands for this machine in a simulation must not be taken for it. */
static void simulated_host(void **state)
{
	struct tp_machine m;
	(void)state;
	load(&m, NULL, "zen4");
	assert_false(m.foreign);
	tp_machine_simulate(&m, "quiet");
	assert_true(m.foreign);
	assert_string_equal(m.simulated, "quiet");
	assert_string_equal(m.hostname, "");
	assert_string_equal(m.kernel, "");
	assert_string_equal(m.source, "a simulation of this machine");
	tp_machine_release(&m);
}

int main(void)
{
	if (!getenv("TPROF_DATADIR"))
		setenv("TPROF_DATADIR", source_dir(), 1);
	setenv("XDG_DATA_HOME", "/nonexistent", 1); /* the tester's own models stay out */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(synthetic_two_sockets),
		cmocka_unit_test(synthetic_caches),
		cmocka_unit_test(synthetic_refusals),
		cmocka_unit_test(damaged_topologies_do_not_crash),
		cmocka_unit_test(core_of_many_threads),
		cmocka_unit_test(captured_vm),
		cmocka_unit_test(captured_skylake),
		cmocka_unit_test(captured_thunderx2),
		cmocka_unit_test(captured_hybrid),
		cmocka_unit_test(captured_memory),
		cmocka_unit_test(memory_of_a_cpuset),
		cmocka_unit_test(limits_of_other_machines),
		cmocka_unit_test(lists),
		cmocka_unit_test(this_host),
		cmocka_unit_test(host_mask),
		cmocka_unit_test(domains),
		cmocka_unit_test(host_by_hwloc_environment),
		cmocka_unit_test(pin_read_back),
		cmocka_unit_test(reference_system),
		cmocka_unit_test(simulated_host),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
