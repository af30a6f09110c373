/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What programs of a run print: bounded in memory, then whole files of its directory or none. */
#include "base/command.h"
#include "experiments/experiment.h"
#include "record/rundir.h"
#include "session/measure.h"
#include "tests/unit/files.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/tprof-printed-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int drop_folder(void **state)
{
	(void)state;
	return remove_tree(folder);
}

static const char *in_folder(const char *name)
{
	static char path[256];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void expect_file(const char *name, const char *expected)
{
	char *text;
	size_t len;
	struct tp_diag diag;
	assert_int_equal(tp_file_read(in_folder(name), 1 << 21, &text, &len, &diag), TP_OK);
	assert_string_equal(text, expected);
	free(text);
}

static void add(struct tp_printed *printed, size_t stream, const char *text)
{
	tp_output_add(printed->output, stream, text, strlen(text));
}

static void streams_are_kept_apart(void **state)
{
	char *words[] = { "sh", "-c", "echo one; echo two >&2; yes | head -c 3000000; exit 3",
			  NULL };
	struct tp_printed printed;
	struct tp_command_run run;
	struct tp_diag diag;
	(void)state;
	tp_printed_begin(&printed, folder, NULL);
	assert_non_null(printed.output);
	const struct tp_command_line command = { .words = words,
						 .kept = printed.output,
						 .limit_seconds = 20 };
	assert_int_equal(tp_command_run(&command, &run, &diag), TP_OK);
	assert_int_equal(run.end.code, 3);
	assert_int_equal(run.output.len, 0);
	tp_command_run_release(&run);
	assert_int_equal(printed.output->stream[0].n, TP_OUTPUT_BYTES);
	assert_int_equal(printed.output->stream[0].lost, 4 + 3000000 - TP_OUTPUT_BYTES);
	assert_memory_equal(printed.output->stream[0].text, "one\ny\ny\n", 8);
	assert_int_equal(printed.output->stream[1].n, 4);
	assert_memory_equal(printed.output->stream[1].text, "two\n", 4);
	/* Another process finds the same under the descriptor, and nothing under another one. */
	struct tp_output *other = tp_output_map(printed.fd);
	assert_non_null(other);
	assert_int_equal(other->stream[1].n, 4);
	tp_output_unmap(other);
	assert_null(tp_output_map(STDIN_FILENO));
	assert_null(tp_output_map(-1));
	tp_printed_release(&printed);
}

static enum tp_status write_printed(const struct tp_printed *printed, struct tp_diag *diag)
{
	struct tp_keep keep = { .typed = TP_TYPED_NOTHING };
	tp_copy(keep.directory, sizeof(keep.directory), folder);
	return tp_printed_write(printed, &keep, diag);
}

static void a_run_that_goes_on_appends(void **state)
{
	struct tp_printed printed;
	struct tp_run earlier = { 0 }, run = { 0 };
	struct tp_str text = { 0 };
	struct tp_diag diag;
	(void)state;
	put_file(folder, "output.txt", "before\n");
	tp_run_printed_set(&earlier, 0, 7, 5);
	tp_printed_begin(&printed, folder, &earlier);
	add(&printed, 0, "after\n");
	tp_printed_tell(&printed, &run);
	assert_int_equal(write_printed(&printed, &diag), TP_OK);
	expect_file("output.txt", "before\nafter\n");
	assert_int_not_equal(access(in_folder("errors.txt"), F_OK), 0);
	assert_int_equal(tp_run_printed_cut(&run, 0), 5);
	assert_true(tp_run_printed_text(&run, "/there", &text));
	assert_string_equal(tp_str_text(&text), "What the program printed is in output.txt of "
						"/there; the last 5 B of output.txt are cut off.");
	assert_false(tp_run_printed_text(&(struct tp_run){ 0 }, NULL, &text));
	tp_str_release(&text);
	tp_printed_release(&printed);
	tp_run_release(&run);
	tp_run_release(&earlier);
}

static void nothing_goes_through_links(void **state)
{
	struct tp_printed printed;
	struct tp_run earlier = { 0 };
	struct tp_diag diag;
	struct stat st;
	char victim[256];
	(void)state;
	put_file(folder, "victim", "precious");
	strcpy(victim, in_folder("victim"));
	unlink(in_folder("output.txt"));
	assert_int_equal(symlink(victim, in_folder("output.txt")), 0);
	tp_printed_begin(&printed, folder, &earlier);
	assert_int_equal(printed.output->stream[0].n, 0);
	add(&printed, 0, "new");
	assert_int_equal(write_printed(&printed, &diag), TP_OK);
	tp_printed_release(&printed);
	expect_file("victim", "precious");
	expect_file("output.txt", "new");
	assert_int_equal(lstat(in_folder("output.txt"), &st), 0);
	assert_true(S_ISREG(st.st_mode));
}

static void a_full_disk_leaves_no_half(void **state)
{
	const struct rlimit small = { 4096, RLIM_INFINITY },
			    large = { RLIM_INFINITY, RLIM_INFINITY };
	static char much[8192];
	struct tp_printed printed;
	struct tp_diag diag = { 0 };
	(void)state;
	unlink(in_folder("output.txt"));
	put_file(folder, "errors.txt", "older");
	memset(much, 'x', sizeof(much) - 1);
	tp_printed_begin(&printed, folder, NULL);
	add(&printed, 0, much);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	enum tp_status status = write_printed(&printed, &diag);
	setrlimit(RLIMIT_FSIZE, &large);
	assert_int_not_equal(status, TP_OK);
	assert_non_null(strstr(diag.where, "output.txt"));
	assert_int_not_equal(access(in_folder("output.txt"), F_OK), 0);
	expect_file("errors.txt", "older");
	tp_printed_release(&printed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_are_kept_apart),
		cmocka_unit_test(a_run_that_goes_on_appends),
		cmocka_unit_test(nothing_goes_through_links),
		cmocka_unit_test(a_full_disk_leaves_no_half),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
