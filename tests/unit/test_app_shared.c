/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an agent left is read, reported, and not trusted. A stand-in writes it here. */
#include "app/symbols.h"
#include "app/tree.h"
#include "tests/app/stand_in.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <cmocka.h>

static char *const sh_words[] = { "sh", NULL };
static char *const functions[] = { "spmv_csr", "never_called", "qsoort", NULL };

static struct tp_app_command command = { .words = sh_words };

static struct tp_app_shared made(char *const *names)
{
	struct tp_app_shared shared;
	struct tp_diag diag;
	command.functions = names;
	assert_int_equal(tp_app_shared_make(&shared, TP_AGENT_COUNT, &command, &diag), TP_OK);
	return shared;
}

static void it_is_laid_out(void **state)
{
	struct tp_app_shared shared = made(functions);
	(void)state;
	assert_int_equal(shared.tree->magic, TP_AGENT_MAGIC);
	assert_int_equal(shared.tree->bytes_of_mix, TP_MIX_N * sizeof(uint64_t));
	assert_int_equal(shared.tree->n_functions, 3);
	assert_string_equal(shared.tree->functions[0], "");
	assert_string_equal(shared.tree->functions[1], "spmv_csr");
	int fd = open(shared.path, O_RDWR);
	assert_true(fd >= 0);
	PUT_HEAD(fd, state, TP_AGENT_ENDED);
	uint32_t found;
	assert_int_equal(tp_app_shared_get((struct tp_app_place){ shared.fd, 0 }, &found,
					   sizeof(found), offsetof(struct tp_agent_shared, state),
					   NULL),
			 TP_OK);
	assert_int_equal(found, TP_AGENT_ENDED);
	tp_app_shared_free(&shared, 0);
	assert_int_equal(tp_app_shared_get((struct tp_app_place){ shared.fd, 0 }, &found,
					   sizeof(found), offsetof(struct tp_agent_shared, state),
					   NULL),
			 TP_OK);
	assert_int_equal(found, 0);
	close(fd);
	tp_app_shared_release(&shared);
}

static void names_have_limits(void **state)
{
	static char many[TP_AGENT_REGIONS][8];
	static char *list[TP_AGENT_REGIONS + 1];
	char longest[TP_AGENT_NAME + 1] = "";
	char *one[] = { longest, NULL };
	struct tp_app_shared shared;
	struct tp_diag diag;
	(void)state;
	for (unsigned i = 0; i < TP_AGENT_REGIONS; i++) {
		snprintf(many[i], sizeof(many[i]), "f%u", i);
		list[i] = many[i];
	}
	command.functions = list;
	assert_int_equal(tp_app_shared_make(&shared, TP_AGENT_COUNT, &command, &diag), TP_USAGE);
	assert_non_null(strstr(diag.what, "at most 127"));
	command.functions = one;
	assert_int_equal(tp_app_shared_make(&shared, TP_AGENT_COUNT, &command, &diag), TP_USAGE);
	memset(longest, 'x', TP_AGENT_NAME);
	assert_int_equal(tp_app_shared_make(&shared, TP_AGENT_COUNT, &command, &diag), TP_USAGE);
	longest[TP_AGENT_NAME - 1] = '\0';
	assert_int_equal(tp_app_shared_make(&shared, TP_AGENT_COUNT, &command, &diag), TP_OK);
	tp_app_shared_release(&shared);
}

/* What a run left: `regions` of its first place, and everything added up. The place is free then.
 */
struct reading {
	struct tp_agent_shared *head;
	struct tp_app_regions regions;
	struct tp_app_counts counts;
};

static const char *never;

static const char *why(const char *path, struct tp_diag *diag)
{
	(void)path, (void)diag;
	return never;
}

static struct reading read_all(struct tp_app_shared *shared)
{
	const struct tp_app_place place = { shared->fd, 0 };
	struct reading r = { 0 };
	struct tp_app_tree tree;
	struct tp_diag diag;
	shared->tree->taken[0] = 1;
	assert_int_equal(tp_app_shared_head(place, &r.head, &diag), TP_OK);
	assert_int_equal(tp_app_shared_regions(place, r.head, 5000000000, &r.regions, &diag),
			 TP_OK);
	tp_app_tree_init(&tree, &command, shared, NULL);
	assert_int_equal(tp_app_tree_collect(&tree, true, &diag), TP_OK);
	assert_int_equal(shared->tree->taken[0], 0);
	tp_app_tree_counts(&tree, &r.counts, why);
	tp_app_tree_release(&tree);
	return r;
}

static void drop(struct reading *r)
{
	tp_app_shared_head_free(r->head);
	free(r->regions.items);
	tp_app_counts_release(&r->counts);
}

static const struct tp_app_region *region(const struct reading *r, const char *name,
					  unsigned thread)
{
	for (size_t i = 0; i < r->regions.n; i++)
		if (r->regions.items[i].thread == thread &&
		    strcmp(r->regions.items[i].name, name) == 0)
			return &r->regions.items[i];
	return NULL;
}

/* True if a note has these words; `hint` too, if it is not NULL. */
static bool noted(const struct reading *r, const char *what, const char *hint)
{
	for (size_t i = 0; i < r->counts.notes.n; i++)
		if (strstr(r->counts.notes.items[i].what, what) &&
		    (!hint || strstr(r->counts.notes.items[i].hint, hint)))
			return true;
	for (size_t i = 0; i < r->counts.notes.n; i++)
		print_message("note: %s; %s\n", r->counts.notes.items[i].what,
			      r->counts.notes.items[i].hint);
	return false;
}

/* Two threads, one in region 1, with counts that are settled and others that are not. */
static struct tp_app_shared two_threads(void)
{
	struct tp_app_shared shared = made(NULL);
	struct tp_agent_sum sum = { .mix = { 100 }, .entries = 1, .time_ns = 2000000000 };
	struct tp_agent_unit unit = { .bytes = 8, .pc = 0x1000 };
	int fd = shared.fd;
	PUT_HEAD(fd, state, TP_AGENT_ENDED);
	PUT_HEAD(fd, n_regions, 2);
	PUT_HEAD(fd, n_threads, 2);
	put_region(fd, 1, "solve");
	put_thread(fd, 0, 1, 3000);
	put_thread(fd, 1, 0, 1);
	sum.exits = 1;
	put_sum(fd, 1, 1, &sum);
	/* It went in after 3 s and is still there after 5. */
	sum = (struct tp_agent_sum){
		.mix = { 1000 }, .entries = 4, .exits = 3, .time_ns = 1500000000
	};
	sum.entered_ns = 3000000000;
	sum.open = 1;
	put_sum(fd, 0, 1, &sum);
	unit.add[TP_MIX_INSTRUCTIONS] = 7;
	unit.add[TP_MIX_FLOPS_DP] = 2;
	put_counter(fd, 0, 0, 50, 10, &unit);
	unit.add[TP_MIX_INSTRUCTIONS] = 1;
	/* In another piece of the file. */
	put_counter(fd, 0, 2999, 5, 0, &unit);
	put_counter(fd, 1, 0, 8, 8, &unit);
	return shared;
}

static void regions_are_summed(void **state)
{
	struct tp_app_shared shared = two_threads();
	struct reading r = read_all(&shared);
	(void)state;
	assert_false(r.regions.damaged);
	assert_int_equal(r.regions.n_threads, 2);
	assert_int_equal(r.regions.n, 4);
	/* Sums over threads come first. */
	assert_int_equal(r.regions.items[0].thread, TP_APP_ALL);
	assert_int_equal(r.regions.items[1].thread, TP_APP_ALL);
	const struct tp_app_region *one = region(&r, "solve", 0), *two = region(&r, "solve", 1),
				   *all = region(&r, "solve", TP_APP_ALL);
	assert_int_equal(one->mix[TP_MIX_INSTRUCTIONS], 1000 + 40 * 7 + 5);
	assert_int_equal(one->mix[TP_MIX_FLOPS_DP], 40 * 2 + 5 * 2);
	assert_int_equal(two->mix[TP_MIX_INSTRUCTIONS], 100);
	assert_int_equal(all->mix[TP_MIX_INSTRUCTIONS], 1385);
	assert_int_equal(all->entries, 5);
	assert_true(fabs(one->seconds - 3.5) < 1e-9);
	assert_true(fabs(all->seconds - 3.5) < 1e-9);
	assert_true(one->unended && all->unended && !two->unended);
	assert_true(r.counts.complete);
	assert_true(noted(&r, "solve was entered and never left", "tprof_roi_end"));
	assert_int_equal(r.counts.notes.n, 1);
	drop(&r);
	tp_app_shared_release(&shared);
}

static void functions_are_found(void **state)
{
	struct tp_app_shared shared = two_threads();
	struct tp_agent_unit unit = { .bytes = 4, .pc = (uint64_t)(uintptr_t)tp_app_shared_make };
	char line[512], path[256];
	unsigned long start, end, offset;
	(void)state;
	/* Where this function is mapped. */
	FILE *maps = fopen("/proc/self/maps", "re");
	bool here = false;
	while (!here && fgets(line, sizeof(line), maps)) {
		here = sscanf(line, "%lx-%lx %*s %lx %*s %*s %255s", &start, &end, &offset, path) ==
			       4 &&
		       unit.pc >= start && unit.pc < end;
	}
	fclose(maps);
	assert_true(here);
	PUT_HEAD(shared.fd, n_modules, 1);
	put_module(shared.fd, 0, start, end, offset, path);
	unit.add[TP_MIX_INSTRUCTIONS] = 1000;
	put_counter(shared.fd, 0, 1, 3, 3, &unit);
	/* Another block of the same function, on another thread. */
	unit.pc += 1;
	unit.add[TP_MIX_INSTRUCTIONS] = 1;
	put_counter(shared.fd, 1, 0, 2, 1, &unit);
	struct reading r = read_all(&shared);
	const struct tp_app_function *found = r.counts.functions;
	assert_int_equal(r.counts.n_functions, 2);
	assert_string_equal(found[0].name, "tp_app_shared_make");
	assert_int_equal(found[0].mix[TP_MIX_INSTRUCTIONS], 3002);
	assert_non_null(strstr(path, found[0].module));
	/* The rest lies in no file. */
	assert_string_equal(found[1].name, "");
	assert_string_equal(found[1].module, "");
	assert_int_equal(found[1].mix[TP_MIX_INSTRUCTIONS], 50 * 7 + 5);
	drop(&r);
	tp_app_shared_release(&shared);
}

static void put_executed(struct tp_app_shared *shared, unsigned index, const char *path)
{
	shared->tree->executed[index].pid = INT32_MAX;
	tp_copy(shared->tree->executed[index].path, TP_AGENT_PATH, path);
}

static void states_have_words(void **state)
{
	struct tp_app_shared shared = made(NULL);
	(void)state;
	put_executed(&shared, 0, "/bin/still");
	never = "is linked statically";
	struct reading r = read_all(&shared);
	assert_false(r.counts.complete);
	assert_int_equal(r.counts.n_regions, 0);
	assert_true(noted(&r, "not loaded; the program is linked statically", "qemu"));
	drop(&r);
	PUT_HEAD(shared.fd, state, TP_AGENT_DETACHED);
	static const char words[] = "a trap \033[31m it cannot handle";
	put_bytes(shared.fd, words, sizeof(words), offsetof(struct tp_agent_shared, words));
	r = read_all(&shared);
	assert_false(r.counts.complete);
	assert_true(noted(&r, "a trap ?[31m it cannot handle; its counts end there", NULL));
	drop(&r);
	PUT_HEAD(shared.fd, state, TP_AGENT_ENDED);
	PUT_HEAD(shared.fd, lost_threads, 1);
	PUT_HEAD(shared.fd, unbalanced, 1);
	PUT_HEAD(shared.fd, unended, 4);
	PUT_HEAD(shared.fd, lost_regions, 5);
	shared.tree->unfollowed = 2;
	shared.tree->lost = 3;
	shared.tree->refused = 1;
	r = read_all(&shared);
	assert_false(r.counts.complete);
	assert_true(noted(&r, "1 thread ran without being counted", "fewer threads"));
	assert_true(noted(&r, "2 child processes ran uncounted", NULL));
	assert_true(noted(&r, "3 processes ran uncounted: at most 1024", "fewer processes"));
	assert_true(noted(&r, "some of its processes were not counted", "ulimit -v"));
	assert_true(noted(&r, "ended 1 time without", "same thread"));
	assert_true(noted(&r, "4 regions began on a thread", NULL));
	assert_true(noted(&r, "more than 127 names", NULL));
	assert_int_equal(r.counts.notes.n, 7);
	drop(&r);
	shared.tree->refused = shared.tree->lost = shared.tree->unfollowed = 0;
	/* Programs that a shell starts, of which one is static, twice. */
	PUT_HEAD(shared.fd, state, TP_AGENT_ENDED);
	put_executed(&shared, 7, "/bin/still");
	put_executed(&shared, 9, "/opt/still");
	put_executed(&shared, 11, "/bin/other\nname");
	r = read_all(&shared);
	assert_true(r.counts.complete && r.counts.uncounted_programs);
	assert_true(noted(&r, "ran uncounted, 2 times: it is linked statically", "qemu"));
	assert_int_equal(r.counts.notes.n, 2);
	assert_int_equal(r.counts.n_processes, 4);
	drop(&r);
	tp_app_shared_release(&shared);
}

/* Three ranks, one after the other in the first place, and their launcher. */
static void processes_are_added_up(void **state)
{
	static const char *const programs[] = { "/bin/solver", "/bin/solver", "/bin/mpirun" };
	struct tp_app_shared shared = made(NULL);
	struct tp_app_tree tree;
	struct tp_app_counts counts = { 0 };
	struct tp_agent_unit unit = { .bytes = 8, .pc = 0x1000 };
	(void)state;
	tp_app_tree_init(&tree, &command, &shared, NULL);
	for (unsigned i = 0; i < 3; i++) {
		const uint64_t times[] = { 1000000000, 3000000000 + i * 500000000ull };
		shared.tree->taken[0] = 1;
		PUT_HEAD(shared.fd, pid, 100 + i);
		PUT_HEAD(shared.fd, state, TP_AGENT_ENDED);
		PUT_HEAD(shared.fd, n_threads, 1);
		PUT_HEAD(shared.fd, n_regions, 2);
		PUT_HEAD(shared.fd, rank, i < 2 ? 1 - i : 0);
		PUT_HEAD(shared.fd, ranks, i < 2 ? 3 : 0);
		put_bytes(shared.fd, times, sizeof(times),
			  offsetof(struct tp_agent_shared, started_ns));
		put_bytes(shared.fd, programs[i], strlen(programs[i]) + 1,
			  offsetof(struct tp_agent_shared, program));
		put_region(shared.fd, 1, "work");
		put_thread(shared.fd, 0, i < 2 ? 1 : 0, 1);
		unit.add[TP_MIX_INSTRUCTIONS] = 1000 * (i + 1);
		put_counter(shared.fd, 0, 0, 1, 0, &unit);
		if (i < 2) {
			const struct tp_agent_sum sum = { .entries = 1,
							  .exits = 1,
							  .time_ns = 1000000000 * (i + 1) };
			put_sum(shared.fd, 0, 1, &sum);
		}
		assert_int_equal(tp_app_tree_collect(&tree, true, NULL), TP_OK);
	}
	tp_app_tree_counts(&tree, &counts, why);
	assert_int_equal(counts.ran, 3);
	assert_int_equal(counts.ranks, 3);
	/* Ranks first, then by work; after the sums the processes themselves. */
	assert_int_equal(counts.n_processes, 6);
	assert_true(counts.processes[0].is_sum && counts.processes[0].has_rank);
	assert_int_equal(counts.processes[0].rank, 0);
	assert_int_equal(counts.processes[0].mix[TP_MIX_INSTRUCTIONS], 2000);
	assert_int_equal(counts.processes[1].rank, 1);
	assert_string_equal(counts.processes[2].program, "mpirun");
	assert_int_equal(counts.processes[2].mix[TP_MIX_INSTRUCTIONS], 3000);
	assert_true(fabs(counts.processes[2].wall_seconds - 3) < 1e-9);
	assert_false(counts.processes[3].is_sum);
	/* Both ranks were in it at the same time, which is that of the longer one. */
	for (size_t i = 0; i < counts.n_regions; i++)
		if (counts.regions[i].thread == TP_APP_ALL &&
		    strcmp(counts.regions[i].name, "work") == 0) {
			assert_int_equal(counts.regions[i].mix[TP_MIX_INSTRUCTIONS], 3000);
			assert_int_equal(counts.regions[i].entries, 2);
			assert_int_equal(counts.regions[i].busy_threads, 2);
			assert_true(fabs(counts.regions[i].seconds - 2) < 1e-9);
		}
	assert_int_equal(counts.busy_threads, 2);
	tp_app_counts_release(&counts);
	tp_app_tree_release(&tree);
	tp_app_shared_release(&shared);
}

static void functions_that_are_no_regions_have_words(void **state)
{
	char self[256];
	char *const words[] = { self, NULL };
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	(void)state;
	self[len] = '\0';
	/* One that this program has, one that it nearly has, a part of a name, and nonsense. */
	static char *const names[] = { "main", "tp_app_shared_mkae", "shared_regions", "zzzzzzzzz",
				       NULL };
	command.words = words;
	struct tp_app_shared shared = made(names);
	for (unsigned called = 0; called < 2; called++) {
		struct tp_agent_sum sum = { .mix = { 1 }, .entries = called, .exits = called };
		PUT_HEAD(shared.fd, state, TP_AGENT_ENDED);
		PUT_HEAD(shared.fd, n_threads, 1);
		PUT_HEAD(shared.fd, n_functions, 4);
		PUT_HEAD(shared.fd, n_regions, 5);
		PUT_HEAD(shared.fd, function_found[1], 1);
		for (unsigned i = 0; names[i]; i++)
			put_region(shared.fd, i + 1, names[i]);
		put_thread(shared.fd, 0, 0, 0);
		put_sum(shared.fd, 0, 1, &sum);
		struct reading r = read_all(&shared);
		assert_true(r.counts.complete);
		assert_true(called || noted(&r, "main was never called", NULL));
		assert_true(noted(&r, "no function tp_app_shared_mkae",
				  "do you mean tp_app_shared_make"));
		assert_true(noted(&r, "no function shared_regions",
				  "do you mean tp_app_shared_regions"));
		assert_true(noted(&r, "no function zzzzzzzzz", "inlined"));
		assert_int_equal(r.counts.notes.n, called ? 3 : 4);
		drop(&r);
	}
	tp_app_shared_release(&shared);
	command.words = sh_words;
}

static void damage_is_left_out(void **state)
{
	struct tp_app_shared shared = two_threads();
	struct tp_agent_sum sum = { .mix = { 5, ~0ull }, .entries = 1 };
	struct tp_agent_unit unit = { .pc = 0x1000 };
	char name[TP_AGENT_NAME];
	int fd = shared.fd;
	(void)state;
	PUT_HEAD(fd, n_threads, 3);
	put_thread(fd, 2, 0, 2);
	put_sum(fd, 2, 1, &sum);
	unit.add[TP_MIX_INSTRUCTIONS] = ~0u;
	/* Fewer than were settled, and more than there can be. */
	put_counter(fd, 2, 0, 1, 2, &unit);
	put_counter(fd, 2, 1, ~0ull, 0, &unit);
	memset(name, 'n', sizeof(name));
	put_bytes(fd, name, sizeof(name), offsetof(struct tp_agent_shared, regions) + sizeof(name));
	struct reading r = read_all(&shared);
	assert_true(r.regions.damaged);
	assert_false(r.counts.complete);
	assert_true(noted(&r, "wrote over the agent's counters", "sanitize"));
	assert_int_equal(strlen(r.head->regions[1]), TP_AGENT_NAME - 1);
	const struct tp_app_region *one = region(&r, r.head->regions[1], 2);
	assert_int_equal(one->mix[0], 5);
	assert_int_equal(one->mix[1], 0);
	/* The others are whole. */
	one = region(&r, r.head->regions[1], 0);
	assert_int_equal(one->mix[TP_MIX_INSTRUCTIONS], 1000 + 40 * 7 + 5);
	drop(&r);
	/* Indices beyond all bounds. */
	PUT_HEAD(fd, state, TP_AGENT_ENDED);
	PUT_HEAD(fd, n_threads, ~0u);
	PUT_HEAD(fd, n_regions, ~0u);
	PUT_HEAD(fd, n_modules, ~0u);
	PUT_HEAD(fd, n_functions, ~0u);
	put_thread(fd, 2, ~0u, ~0u);
	r = read_all(&shared);
	assert_true(r.regions.damaged);
	drop(&r);
	/* It is sealed against being cut. */
	assert_int_not_equal(ftruncate(fd, 100), 0);
	tp_app_shared_release(&shared);
}

static void symbols_are_found(void **state)
{
	struct tp_app_symbols symbols;
	struct tp_diag diag;
	(void)state;
	int fd = open("/proc/self/exe", O_RDONLY);
	assert_int_equal(tp_app_symbols_read(&symbols, fd, "self", &diag), TP_OK);
	close(fd);
	assert_true(symbols.n > 50);
	for (size_t i = 0; i < symbols.n; i++) {
		const struct tp_app_symbol *s = &symbols.items[i];
		assert_true(s->end > s->start);
		assert_true(i == 0 || s->start > s[-1].start);
		assert_ptr_equal(tp_app_symbols_at(&symbols, s->start), s);
	}
	assert_null(tp_app_symbols_at(&symbols, 0));
	assert_null(tp_app_symbols_at(&symbols, ~0ull));
	tp_app_symbols_release(&symbols);
	fd = open("/proc/self/status", O_RDONLY);
	assert_int_equal(tp_app_symbols_read(&symbols, fd, "text", &diag), TP_UNSUPPORTED);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_laid_out),
		cmocka_unit_test(names_have_limits),
		cmocka_unit_test(regions_are_summed),
		cmocka_unit_test(functions_are_found),
		cmocka_unit_test(states_have_words),
		cmocka_unit_test(processes_are_added_up),
		cmocka_unit_test(functions_that_are_no_regions_have_words),
		cmocka_unit_test(damage_is_left_out),
		cmocka_unit_test(symbols_are_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
