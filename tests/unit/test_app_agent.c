/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs with the agent inside, counted and timed: their regions, what becomes of their output
 * and their exit code, and words for those that it cannot be loaded into. The programs of tests/app
 * are compiled here without the flags of this build: sanitizers and the agent do not mix.
 */
#include "app/app.h"
#include "base/command.h"
#include "tests/unit/files.h"

#include <elf.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
static bool have_c, have_cxx, have_fortran, have_static, have_loader;

static const char *in_folder(const char *name)
{
	static char path[4][256];
	static unsigned next;
	char *at = path[next++ % 4];
	snprintf(at, sizeof(path[0]), "%s/%s", folder, name);
	return at;
}

/* False if there is no such compiler, or it cannot do that. */
static bool compile(const char *compiler, const char *name, const char *words)
{
	char path[TP_PATH_MAX], command[4 * TP_PATH_MAX];
	if (!tp_program_find(compiler, path))
		return false;
	snprintf(command, sizeof(command), "cd %s && %s -O2 -I%s/include -o %s %s", folder, path,
		 source_dir(), name, words);
	return system(command) == 0;
}

static const char *source(const char *name)
{
	static char path[2][TP_PATH_MAX];
	static unsigned next;
	char *at = path[next++ % 2];
	snprintf(at, sizeof(path[0]), "%s/%s", source_dir(), name);
	return at;
}

static int make_programs(void **state)
{
	char words[3 * TP_PATH_MAX];
	(void)state;
	strcpy(folder, "/tmp/tprof-agent-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(words, sizeof(words), "%s -pthread -ldl", source("tests/app/regions.c"));
	have_c = compile("cc", "regions", words);
	snprintf(words, sizeof(words), "-shared -fPIC %s", source("tests/app/plugin.c"));
	have_c = have_c && compile("cc", "plugin.so", words);
	snprintf(words, sizeof(words), "-static %s -pthread 2>/dev/null",
		 source("tests/app/regions.c"));
	have_static = have_c && compile("cc", "static", words);
	snprintf(words, sizeof(words), "%s -pthread -Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1",
		 source("tests/app/regions.c"));
	have_loader = have_c && compile("cc", "loader", words);
	have_cxx = compile("c++", "throws", source("tests/app/throws.cc"));
	snprintf(words, sizeof(words), "%s %s", source("include/tprof_roi.f90"),
		 source("tests/app/blanks.f90"));
	have_fortran = compile("gfortran", "blanks", words);
	return 0;
}

static int drop_programs(void **state)
{
	(void)state;
	return remove_tree(folder);
}

static void need(bool what, const char *words)
{
	struct tp_diag diag;
	if (tp_app_agent.supported(NULL, NULL, &diag) != TP_OK) {
		print_message("the agent: %s\n", diag.what);
		skip();
	}
	if (!what) {
		print_message("%s\n", words);
		skip();
	}
}

/* --- runs --- */

struct call {
	char program[256], output[256];
	char *words[4];
	struct tp_app_command command;
	struct tp_app_time time;
	struct tp_app_counts counts;
};

static void call_init(struct call *c, const char *program, const char *word)
{
	*c = (struct call){ .words = { c->program, (char *)word } };
	snprintf(c->program, sizeof(c->program), "%s", in_folder(program));
	snprintf(c->output, sizeof(c->output), "%s", in_folder("output"));
	c->command = (struct tp_app_command){
		.words = c->words, .input = "/dev/null", .errors = -1, .limit_seconds = 60
	};
}

static void with_output(struct call *c, enum tp_status (*run)(struct call *c, struct tp_diag *diag))
{
	struct tp_diag diag = { 0 };
	int fd = open(c->output, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
	c->command.output = fd;
	enum tp_status status = run(c, &diag);
	close(fd);
	if (status != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
}

static enum tp_status run_time(struct call *c, struct tp_diag *diag)
{
	return tp_app_time(&c->command, &c->time, diag);
}

static enum tp_status run_count(struct call *c, struct tp_diag *diag)
{
	return tp_app_agent.count(&c->command, &c->counts, diag);
}

static void both(struct call *c)
{
	with_output(c, run_count);
	with_output(c, run_time);
}

static void drop(struct call *c)
{
	tp_app_counts_release(&c->counts);
	tp_app_time_release(&c->time);
}

static void printed(const struct call *c, const char *expected)
{
	char *text;
	size_t len;
	assert_int_equal(tp_file_read(c->output, 1 << 20, &text, &len, NULL), TP_OK);
	assert_string_equal(text, expected);
	free(text);
}

static const struct tp_app_region *find(const struct tp_app_region *regions, size_t n,
					const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (regions[i].thread == TP_APP_ALL && strcmp(regions[i].name, name) == 0)
			return &regions[i];
	fail_msg("there is no region %s", name);
	return NULL;
}

static const struct tp_app_region *timed(const struct call *c, const char *name)
{
	return find(c->time.regions, c->time.n_regions, name);
}

static const struct tp_app_region *counted(const struct call *c, const char *name)
{
	return find(c->counts.regions, c->counts.n_regions, name);
}

static bool noted(const struct tp_diags *notes, const char *what)
{
	for (size_t i = 0; i < notes->n; i++)
		if (strstr(notes->items[i].what, what))
			return true;
	for (size_t i = 0; i < notes->n; i++)
		print_message("note: %s\n", notes->items[i].what);
	return false;
}

/* Both ways saw it so often. */
static void entered(const struct call *c, const char *name, uint64_t times)
{
	assert_int_equal(timed(c, name)->entries, times);
	assert_int_equal(counted(c, name)->entries, times);
	assert_true(timed(c, name)->seconds <= c->time.wall_seconds);
	assert_true(counted(c, name)->mix[TP_MIX_INSTRUCTIONS] > 0);
}

/* --- tests --- */

static void regions_nest(void **state)
{
	struct call c;
	(void)state;
	need(have_c, "no C compiler");
	call_init(&c, "regions", "nested");
	both(&c);
	/* Its output, its exit code and its environment are its own. */
	printed(&c, "nested 7425.0\nnothing is preloaded\n");
	assert_int_equal(c.time.end.code, 3);
	assert_int_equal(c.counts.end.code, 3);
	entered(&c, "outer", 1);
	entered(&c, "inner", 5000);
	assert_true(c.time.wall_seconds >=
		    timed(&c, "outer")->seconds + timed(&c, "inner")->seconds);
	/* 10 multiplications and additions in each call: the innermost region counts. */
	assert_int_equal(counted(&c, "inner")->mix[TP_MIX_FLOPS_DP], 5000 * 20);
	assert_int_equal(counted(&c, "outer")->mix[TP_MIX_FLOPS_DP], 0);
	assert_int_equal(counted(&c, "")->mix[TP_MIX_FLOPS_DP], 200);
	assert_true(c.counts.complete);
	assert_int_equal(c.counts.n_threads, 1);
	drop(&c);
}

/* What an inner region takes and does is not the outer one's, natively and while it is counted. */
static void times_are_exclusive(void **state)
{
	struct call c;
	(void)state;
	need(have_c, "no C compiler");
	call_init(&c, "regions", "sleeps");
	both(&c);
	entered(&c, "outer", 1);
	entered(&c, "inner", 10);
	const struct tp_app_region *const outer[] = { timed(&c, "outer"), counted(&c, "outer") };
	const struct tp_app_region *const inner[] = { timed(&c, "inner"), counted(&c, "inner") };
	const double wall_seconds[] = { c.time.wall_seconds, c.counts.wall_seconds };
	for (int i = 0; i < 2; i++) {
		/* It sleeps ten times, in itself as well, and no sleep is shorter than wanted. */
		assert_true(inner[i]->seconds >= 0.1);
		assert_true(outer[i]->seconds > 0);
		assert_true(outer[i]->seconds < inner[i]->seconds);
		assert_true(outer[i]->seconds + inner[i]->seconds <= wall_seconds[i]);
		assert_false(outer[i]->unended || inner[i]->unended);
	}
	assert_int_equal(inner[1]->mix[TP_MIX_FLOPS_DP], 5 * 20);
	assert_int_equal(outer[1]->mix[TP_MIX_FLOPS_DP], 0);
	drop(&c);
}

static void threads_are_told_apart(void **state)
{
	struct call c;
	uint64_t entries = 0;
	(void)state;
	need(have_c, "no C compiler");
	call_init(&c, "regions", "threads");
	both(&c);
	entered(&c, "work", 30400);
	assert_int_equal(counted(&c, "work")->mix[TP_MIX_FLOPS_DP], 30400 * 200);
	for (size_t i = 0; i < c.time.n_regions; i++)
		if (c.time.regions[i].thread != TP_APP_ALL)
			entries += c.time.regions[i].entries;
	assert_int_equal(entries, 30400);
	assert_int_equal(c.counts.n_threads, 305);
	assert_true(c.counts.complete);
	drop(&c);
}

static void mistakes_have_words(void **state)
{
	struct call c;
	(void)state;
	need(have_c, "no C compiler");
	call_init(&c, "regions", "wrong");
	both(&c);
	printed(&c, "wrong 7425.0\nnothing is preloaded\n");
	assert_int_equal(timed(&c, "twice")->entries, 2);
	assert_int_equal(timed(&c, "first name")->entries, 1);
	assert_int_equal(timed(&c, "second name")->entries, 1);
	assert_int_equal(timed(&c, "crossed a")->entries, 1);
	assert_true(timed(&c, "never ends")->unended);
	assert_false(timed(&c, "crossed b")->unended);
	assert_true(noted(&c.time.notes, "never ends was entered and never left"));
	assert_true(noted(&c.time.notes, "ended 2 times without"));
	assert_true(noted(&c.counts.notes, "ended 2 times without"));
	drop(&c);
}

static void processes_are_followed(void **state)
{
	struct call c;
	(void)state;
	need(have_c, "no C compiler");
	call_init(&c, "regions", "forks");
	both(&c);
	entered(&c, "parent", 1);
	entered(&c, "child", 1);
	assert_int_equal(counted(&c, "child")->mix[TP_MIX_FLOPS_DP], 20);
	assert_true(c.counts.complete);
	assert_int_equal(c.counts.ran, 2);
	/* Their sum, and each of them. */
	assert_int_equal(c.counts.n_processes, 3);
	assert_true(c.counts.processes[0].is_sum);
	assert_int_equal(c.counts.processes[0].n, 2);
	assert_string_equal(c.counts.processes[0].program, "regions");
	assert_int_equal(c.time.n_processes, 3);
	assert_true(c.time.processes[0].cpu_seconds > 0);
	drop(&c);
	call_init(&c, "regions", "closes");
	both(&c);
	printed(&c, "closes 7425.0\nnothing is preloaded\n");
	entered(&c, "before", 1);
	entered(&c, "after", 1);
	drop(&c);
	call_init(&c, "regions", "crashes");
	both(&c);
	assert_int_equal(c.time.end.signal, SIGABRT);
	assert_int_equal(c.counts.end.signal, SIGABRT);
	assert_int_equal(counted(&c, "crash")->entries, 1);
	assert_true(counted(&c, "crash")->unended);
	assert_int_equal(counted(&c, "")->mix[TP_MIX_FLOPS_DP], 200);
	drop(&c);
	call_init(&c, "regions", "executes");
	both(&c);
	printed(&c, "nested 7425.0\nnothing is preloaded\n");
	entered(&c, "inner", 5000);
	assert_int_equal(c.counts.ran, 2);
	assert_true(c.counts.complete);
	drop(&c);
}

static void functions_are_regions(void **state)
{
	char *const names[] = { "solve", "factorial", "jumps", "chosen", "with_numbres", NULL };
	struct call c;
	(void)state;
	need(have_c, "no C compiler");
	call_init(&c, "regions", "functions");
	with_output(&c, run_time);
	char native[256], *text;
	size_t len;
	assert_int_equal(tp_file_read(c.output, sizeof(native) - 1, &text, &len, NULL), TP_OK);
	strcpy(native, text);
	free(text);
	drop(&c);
	c.command.functions = names;
	with_output(&c, run_time);
	printed(&c, native);
	assert_int_equal(c.time.end.code, 3);
	assert_int_equal(timed(&c, "solve")->entries, 1001);
	assert_int_equal(timed(&c, "factorial")->entries, 10);
	assert_int_equal(timed(&c, "jumps")->entries, 20);
	assert_true(noted(&c.time.notes, "no function with_numbres"));
	with_output(&c, run_count);
	printed(&c, native);
	assert_int_equal(counted(&c, "solve")->entries, 1001);
	assert_int_equal(counted(&c, "solve")->mix[TP_MIX_FLOPS_DP], 1000 * 100 + 200);
	assert_int_equal(counted(&c, "factorial")->entries, 10);
	assert_int_equal(counted(&c, "jumps")->entries, 20);
	/* A table of jumps cannot be patched, but is counted. */
	assert_int_equal(counted(&c, "chosen")->entries, 8);
	drop(&c);
}

/* The counters need no memory, but addresses. */
static void limits_have_words(void **state)
{
	struct rlimit before, low;
	struct call c;
	(void)state;
	need(have_c, "no C compiler");
#ifdef __SANITIZE_ADDRESS__
	print_message("this test needs more addresses itself\n");
	skip();
#endif
	call_init(&c, "regions", "nested");
	assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
	low = before;
	low.rlim_cur = 4000000000;
	assert_int_equal(setrlimit(RLIMIT_AS, &low), 0);
	both(&c);
	assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
	printed(&c, "nested 7425.0\nnothing is preloaded\n");
	assert_true(noted(&c.counts.notes, "nothing was counted: the limit on addresses (ulimit"));
	assert_true(noted(&c.time.notes, "regions are not timed: the limit on addresses (ulimit"));
	assert_int_equal(c.counts.notes.n, 1);
	assert_false(c.counts.complete);
	drop(&c);
}

static void libraries_come_later(void **state)
{
	char *const names[] = { "plugged", NULL };
	struct call c;
	char plugin[256];
	(void)state;
	need(have_c, "no C compiler");
	snprintf(plugin, sizeof(plugin), "%s", in_folder("plugin.so"));
	call_init(&c, "regions", "loads");
	c.words[2] = plugin;
	c.command.functions = names;
	both(&c);
	printed(&c, "loads 7425.0\n22.5\n22.5\nnothing is preloaded\n");
	entered(&c, "in the plug-in", 2);
	entered(&c, "plugged", 2);
	drop(&c);
}

static void exceptions_go_through(void **state)
{
	char *const names[] = { "inner", "deep::middle", NULL };
	struct call c;
	(void)state;
	need(have_cxx, "no C++ compiler");
	call_init(&c, "throws", NULL);
	c.command.functions = names;
	both(&c);
	printed(&c, "90000 100\n");
	entered(&c, "inner", 300);
	entered(&c, "deep::middle", 300);
	entered(&c, "loop", 300);
	assert_false(timed(&c, "deep::middle")->unended);
	assert_int_equal(c.time.notes.n, 0);
	assert_int_equal(c.counts.notes.n, 0);
	drop(&c);
}

static void fortran_has_regions(void **state)
{
	struct call c;
	(void)state;
	need(have_fortran, "no Fortran compiler");
	call_init(&c, "blanks", NULL);
	both(&c);
	printed(&c, "done\n");
	entered(&c, "plain", 10);
	entered(&c, "in a variable", 10);
	drop(&c);
}

/* --- programs that it cannot be loaded into --- */

static void refused(const char *path, const char *what, const char *hint)
{
	struct tp_diag diag = { 0 };
	assert_int_equal(tp_app_agent.supported(path, NULL, &diag), TP_UNSUPPORTED);
	if (!strstr(diag.what, what) || !strstr(diag.hint, hint))
		fail_msg("%s; %s", diag.what, diag.hint);
}

static void others_are_refused(void **state)
{
	unsigned char head[sizeof(Elf32_Ehdr)] = ELFMAG;
	char words[600];
	struct tp_diag diag;
	(void)state;
	need(true, "");
	head[EI_CLASS] = ELFCLASS32;
	head[EI_DATA] = ELFDATA2LSB;
	head[18] = EM_386;
	FILE *file = fopen(in_folder("bits32"), "wb");
	assert_int_equal(fwrite(head, sizeof(head), 1, file), 1);
	fclose(file);
	refused(in_folder("bits32"), "a program of 32 bits for x86 machines", "for this machine");
	if (have_static)
		refused(in_folder("static"), "linked statically", "without -static");
	put_file(folder, "script", "#!/bin/sh\necho said\n");
	assert_int_equal(chmod(in_folder("script"), 0755), 0);
	assert_int_equal(tp_app_agent.supported(in_folder("script"), NULL, &diag), TP_OK);
	snprintf(words, sizeof(words), "#!%s\n", in_folder("bits32"));
	put_file(folder, "script32", words);
	refused(in_folder("script32"), "32 bits", "");
	if (have_loader)
		refused(in_folder("loader"), "loaded by /lib/ld-musl-x86_64.so.1", "qemu");
	put_file(folder, "text", "neither\n");
	refused(in_folder("text"), "neither an ELF program nor a script", "");
	if (geteuid() != 0)
		return;
	snprintf(words, sizeof(words), "cp /bin/cat %s", in_folder("privileged"));
	assert_int_equal(system(words), 0);
	if (chown(in_folder("privileged"), 65534, 0) == 0 &&
	    chmod(in_folder("privileged"), 04755) == 0)
		refused(in_folder("privileged"), "its own rights", "copy");
}

static void scripts_and_static_programs_run(void **state)
{
	struct call c;
	(void)state;
	need(true, "");
	put_file(folder, "script", "#!/bin/sh\necho said | cat\nexit 5\n");
	assert_int_equal(chmod(in_folder("script"), 0755), 0);
	call_init(&c, "script", NULL);
	both(&c);
	printed(&c, "said\n");
	assert_int_equal(c.time.end.code, 5);
	/* The shell, its two children, and cat. */
	assert_true(c.counts.complete);
	assert_true(c.counts.ran >= 3);
	assert_true(counted(&c, "")->mix[TP_MIX_INSTRUCTIONS] > 1000);
	drop(&c);
	if (!have_static) {
		print_message("no static libraries\n");
		skip();
	}
	call_init(&c, "static", "nested");
	both(&c);
	printed(&c, "nested 7425.0\nnothing is preloaded\n");
	assert_int_equal(c.time.end.code, 3);
	assert_int_equal(c.time.n_regions, 0);
	assert_true(noted(&c.time.notes, "regions are not timed: is linked statically"));
	assert_false(c.counts.complete);
	assert_true(noted(&c.counts.notes, "the program is linked statically"));
	drop(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(regions_nest),
		cmocka_unit_test(times_are_exclusive),
		cmocka_unit_test(threads_are_told_apart),
		cmocka_unit_test(mistakes_have_words),
		cmocka_unit_test(processes_are_followed),
		cmocka_unit_test(functions_are_regions),
		cmocka_unit_test(limits_have_words),
		cmocka_unit_test(libraries_come_later),
		cmocka_unit_test(exceptions_go_through),
		cmocka_unit_test(fortran_has_regions),
		cmocka_unit_test(others_are_refused),
		cmocka_unit_test(scripts_and_static_programs_run),
	};
	return cmocka_run_group_tests(tests, make_programs, drop_programs);
}
