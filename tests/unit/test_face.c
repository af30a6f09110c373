/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables, words, the progress line, what a stream can show, the list of runs, the text of a plan.
 */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "experiments/experiment.h"
#include "record/schema.h"
#include "doc/text.h"
#include "record/load.h"
#include "tests/unit/report_run.h"
#include "tests/unit/printed.h"
#include "record/point.h"

static const struct tp_look ascii = { .columns = 80, .rows = 24 };
static const struct tp_look utf8 = { .columns = 80, .rows = 24, .utf8 = true };

/* --- words --- */

static void wrapping(void **state)
{
	static const struct tp_look wide = { .columns = 1 };
	struct tp_str out = { 0 };
	(void)state;
	/* 80 is the least: three words of 30 do not fit into one line. */
	char words[100];
	memset(words, 'x', 92);
	words[30] = words[61] = ' ';
	words[92] = '\0';
	PRINTED(&wide, &out, tp_text_wrap(doc, TP_PAINT_PLAIN, words, 0, 4));
	assert_int_equal(out.len, 61 + 1 + 4 + 30 + 1);
	assert_memory_equal(out.s + 61, "\n    x", 6);
	tp_str_clear(&out);
	/* A word that is too long is cut, not lost. */
	char word[201];
	memset(word, 'y', 200);
	word[200] = '\0';
	PRINTED(&ascii, &out, tp_text_wrap(doc, TP_PAINT_PLAIN, word, 10, 2));
	assert_int_equal(out.len, 200 + 3 + 2 * 2);
	tp_str_clear(&out);
	PRINTED(&ascii, &out, tp_text_wrap(doc, TP_PAINT_PLAIN, "", 0, 2));
	assert_string_equal(out.s, "\n");
	tp_str_release(&out);
}

static void cleaning(void **state)
{
	struct tp_str out = { 0 };
	(void)state;
	tp_text_clean(&out, "\u00b5\x1b[m\n\x7f\xc2\x9b\u202e!", &utf8);
	assert_string_equal(out.s, "\u00b5?[m ?"
				   "?"
				   "?!");
	tp_str_clear(&out);
	tp_text_clean(&out, "\u00b5s", &ascii);
	assert_string_equal(out.s, "?s");
	tp_str_release(&out);
}

/* A hint that names a command or an option of tprof is left out on screens. */
static void hints_on_screens(void **state)
{
	static const char *const kept[] = { "", "this tprof has none", "app.roofs=all measures it",
					    "sudo sysctl kernel.perf_event_paranoid=1",
					    "-1 for all - or 2" },
				 *const dropped[] = { "tprof --batch quick", "see tprof doctor",
						      "--set seed=2", "name it: --across isa" };
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(kept); i++)
		assert_string_equal(tp_hint_on_screen(kept[i]), kept[i]);
	for (size_t i = 0; i < TP_COUNT_OF(dropped); i++)
		assert_string_equal(tp_hint_on_screen(dropped[i]), "");
}

static void sizes(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {
		{ 64, "64" },	     { 2048, "2K" },	    { 1003520, "980K" },
		{ 3 << 19, "1.5M" }, { 512 << 20, "512M" }, { 1023 << 10, "1023K" },
		{ 36175, "35.3K" },
	};
	char text[32];
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(cases); i++)
		assert_string_equal(tp_text_size(text, sizeof(text), cases[i].bytes),
				    cases[i].text);
}

/* --- tables --- */

static void tables(void **state)
{
	static const struct tp_grid_column columns[] = {
		{ "name", TP_LEFT, 0 },
		{ "rate", TP_RIGHT, 0 },
		{ "none", TP_RIGHT, 1 },
		{ "words", TP_LEFT, 0 },
	};
	struct tp_grid grid;
	struct tp_str out = { 0 };
	(void)state;
	tp_grid_init(&grid, columns, TP_COUNT_OF(columns));
	tp_grid_heads(&grid);
	tp_grid_text(&grid, TP_PAINT_PLAIN, "a");
	tp_grid_number(&grid, TP_PAINT_PLAIN, 123.456, TP_DECIMALS);
	tp_grid_number(&grid, TP_PAINT_PLAIN, NAN, TP_DECIMALS);
	tp_grid_text(&grid, TP_PAINT_PLAIN, "one");
	tp_grid_text(&grid, TP_PAINT_PLAIN, "b");
	tp_grid_number(&grid, TP_PAINT_PLAIN, 1.234, TP_DECIMALS);
	tp_grid_number(&grid, TP_PAINT_PLAIN, NAN, TP_DECIMALS);
	tp_grid_text(&grid, TP_PAINT_PLAIN, "");
	PRINTED(&ascii, &out, tp_grid_write(&grid, doc));
	assert_string_equal(out.s, "name    rate  words\n"
				   "a     123.46  one\n"
				   "b       1.23\n");
	tp_grid_release(&grid);
	tp_str_release(&out);
}

/* Rows by what the columns say: members of every type, each form, what is missing. */

struct shown_row {
	char words[16];
	const char *place;
	int offset;
	unsigned threads;
	unsigned long bytes;
	double gflops, seconds, share;
	const struct shown_row *next;
};

static double doubled(const void *row)
{
	return 2 * ((const struct shown_row *)row)->gflops;
}

static const void *of_several(const void *row)
{
	return ((const struct shown_row *)row)->threads > 1 ? row : NULL;
}

static bool has_share(const void *row)
{
	return ((const struct shown_row *)row)->threads > 1;
}

static void own_cell(struct tp_grid *grid, const void *row, const void *context)
{
	tp_grid_printf(grid, TP_PAINT_PLAIN, "%s %u", (const char *)context,
		       ((const struct shown_row *)row)->threads);
}

#define SHOWN(name) TP_SHOWS(struct shown_row, name)
static const struct tp_grid_column shown_columns[] = {
	{ "words", TP_LEFT, 0, SHOWN(words), .again = true },
	{ "place", TP_LEFT, 0, SHOWN(place), .none = "(none)", .again = true },
	{ "int", TP_RIGHT, 0, SHOWN(offset) },
	{ "n", TP_RIGHT, 0, SHOWN(threads) },
	{ "size", TP_RIGHT, 0, SHOWN(bytes), .as = TP_AS_SIZE },
	{ "about", TP_RIGHT, 0, SHOWN(gflops), .as = TP_AS_SIZE, .of = of_several },
	{ "rate", TP_RIGHT, 0, SHOWN(gflops), .positive = true },
	{ "fixed", TP_RIGHT, 0, SHOWN(gflops), .as = TP_AS_FIXED, .digits = 1 },
	{ "digits", TP_RIGHT, 0, .value = doubled, .as = TP_AS_DIGITS, .digits = 3 },
	{ "time", TP_RIGHT, 0, SHOWN(seconds), .as = TP_AS_SECONDS, .positive = true },
	{ "share", TP_RIGHT, 0, SHOWN(share), .as = TP_AS_PERCENT, .when = has_share,
	  .none = "one" },
	{ "change", TP_RIGHT, 0, SHOWN(share), .as = TP_AS_CHANGE, .digits = 1 },
	{ "of", TP_RIGHT, 0, SHOWN(share), .as = TP_AS_SHARE, .digits = 2 },
	{ "times", TP_RIGHT, 0, SHOWN(gflops), .as = TP_AS_TIMES, .digits = 2 },
	{ "own", TP_LEFT, 0, .cell = own_cell },
	{ "next", TP_LEFT, 0, SHOWN(offset), TP_VIA(struct shown_row, next) },
};

static void rows_show_members(void **state)
{
	const struct shown_row rows[] = {
		{ "a", "here", -3, 2, 30720, 1.234, 0.25, 12.34, &rows[2] },
		{ "a", NULL, 0, 1, 1048576, NAN, 0, 0 },
		{ "b\x1b", "", 12, 4000000000u, 0, 123.6, 1e-6, -5 },
		{ "b\x1b", "", 12, 1, 0, 123.6, 1e-6, -5 },
	};
	static const struct tp_look roomy = { .columns = 160, .rows = 24 };
	struct tp_str out = { 0 };
	(void)state;
	TP_GRID(grid, shown_columns);
	tp_grid_heads(&grid);
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++)
		tp_grid_row(&grid, &rows[i], "of");
	PRINTED(&roomy, &out, tp_grid_write(&grid, doc));
	assert_string_equal(out.s, "words  place   int           n  size  about    rate  fixed  "
				   "digits    time  share  "
				   "change   of     times  own            next\n"
				   "a      here     -3           2   30K      1    1.23    1.2    "
				   "2.47  250 ms    12%  "
				   "+12.3%  12%      1.2x  of 2           12\n"
				   "       (none)    0           1    1M      -       -      -     "
				   "  -       -    one   "
				   "+0.0%   0%         -  of 1           -\n"
				   "b?     (none)   12  4000000000     0    124  123.60  123.6     "
				   "247    1 us    -5%   "
				   "-5.0%  -5%  1.2e+02x  of 4000000000  -\n"
				   "                12           1     0      -  123.60  123.6     "
				   "247    1 us    one   "
				   "-5.0%  -5%  1.2e+02x  of 1           -\n");
	tp_str_release(&out);
}

/* Numbers with a unit, and in words of a function; a cell for several columns. */

static const char *in_words(char *out, size_t size, double value)
{
	snprintf(out, size, "about %.0f", value);
	return value > 100 ? "many" : out;
}

static void head_cell(struct tp_grid *grid, const void *row, const void *context)
{
	(void)row;
	(void)context;
	tp_grid_printf(grid, TP_PAINT_PLAIN, "under %s", tp_grid_next(grid)->head);
}

static const struct tp_grid_column own_columns[] = {
	{ "ratio", TP_RIGHT, 0, SHOWN(gflops), .as = TP_AS_FIXED, .digits = 2, .unit = "x" },
	{ "words", TP_RIGHT, 0, SHOWN(gflops), .words = in_words },
	{ "of 1", TP_RIGHT, 0, SHOWN(share), .as = TP_AS_RATIO, .digits = 1 },
	{ "bar", TP_LEFT, 0, SHOWN(share), .as = TP_AS_BAR, .digits = 8 },
	{ "x", TP_LEFT, 0, .cell = head_cell },
	{ "y", TP_LEFT, 0, .cell = head_cell },
};

static void rows_show_own_forms(void **state)
{
	const struct shown_row rows[] = { { .gflops = 1.5, .share = 0.255 },
					  { .gflops = 150, .share = 2 },
					  { .gflops = NAN, .share = NAN } };
	struct tp_str out = { 0 };
	(void)state;
	TP_GRID(grid, own_columns);
	tp_grid_heads(&grid);
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++)
		tp_grid_row(&grid, &rows[i], NULL);
	PRINTED(&ascii, &out, tp_grid_write(&grid, doc));
	assert_string_equal(out.s, "  ratio    words    of 1  bar       x        y\n"
				   "  1.50x  about 2   25.5%  ##        under x  under y\n"
				   "150.00x     many  200.0%  ########  under x  under y\n"
				   "      -        -       -  -         under x  under y\n");
	tp_str_release(&out);
}

static void columns_give_way(void **state)
{
	static const struct tp_grid_column columns[] = {
		{ "first", TP_LEFT, 0 },
		{ "goes second", TP_LEFT, 1 },
		{ "goes first", TP_LEFT, 2 },
		{ "last", TP_RIGHT, 0 },
	};
	char wide[71];
	struct tp_grid grid;
	struct tp_str out = { 0 };
	(void)state;
	memset(wide, 'w', 70);
	wide[70] = '\0';
	tp_grid_init(&grid, columns, TP_COUNT_OF(columns));
	tp_grid_heads(&grid);
	tp_grid_text(&grid, TP_PAINT_PLAIN, "1");
	tp_grid_text(&grid, TP_PAINT_PLAIN, "2");
	tp_grid_text(&grid, TP_PAINT_PLAIN, wide);
	tp_grid_text(&grid, TP_PAINT_PLAIN, "4");
	PRINTED(&ascii, &out, tp_grid_write(&grid, doc));
	assert_string_equal(out.s, "first  goes second  last\n"
				   "1      2               4\n");
	tp_grid_release(&grid);
	tp_str_release(&out);
}

/* --- progress --- */

static void progress_lines(void **state)
{
	struct tp_event event = { .kind = TP_EVENT_PROGRESS,
				  .n_points = 41,
				  .n_done = 12,
				  .remaining_seconds = 3.2,
				  .point = { .point = 12, .unit = "GB/s", .median = 354.31 } };
	const struct tp_point point = { .point = 12,
					.experiment = "roofline",
					.kernel = "2ld1st",
					.threads = 2,
					.row = &(struct tp_kernel_row){ .isa = "avx2",
									.precision = "double",
									.level = "L1",
									.working_set_bytes =
										16384 } };
	struct tp_str line = { 0 };
	(void)state;
	tp_progress_line(&event, &point, &ascii, 200, &line);
	assert_string_equal(line.s, "12/41, roofline avx2 double 2ld1st L1 16 KiB, 2 threads, "
				    "354.3 GB/s, 4 s left");
	for (size_t columns = 1; columns < 90; columns++) {
		const struct tp_look *look = columns % 2 ? &utf8 : &ascii;
		tp_str_clear(&line);
		tp_progress_line(&event, &point, look, columns, &line);
		assert_true(tp_text_columns(line.s) <= columns);
		/* Where there is room for little, the time is what counts. */
		if (columns >= 24)
			assert_non_null(strstr(line.s, "4 s left"));
	}
	event.elapsed_seconds = 7.9;
	tp_str_clear(&line);
	tp_progress_line(&event, &point, &ascii, 200, &line);
	assert_string_equal(line.s, "12/41, roofline avx2 double 2ld1st L1 16 KiB, 2 threads, "
				    "354.3 GB/s, 7 s elapsed, 4 s left");
	tp_str_clear(&line);
	tp_progress_line(&event, &point, &ascii, 50, &line);
	assert_string_equal(line.s, "12/41, roofline avx2 double 2ld1st L1 16, 4 s left");
	event.elapsed_seconds = 0;
	/* Before its windows, memory is touched. */
	tp_str_clear(&line);
	event.touch_bytes = UINT64_C(1920) << 20;
	event.touched_bytes = event.touch_bytes / 4;
	tp_progress_line(&event, &point, &ascii, 200, &line);
	assert_string_equal(line.s, "12/41, roofline avx2 double 2ld1st L1 16 KiB, 2 threads, "
				    "preparing 1.875 GiB, 25 %, 4 s left");
	event.touch_bytes = event.touched_bytes = 0;
	/* Before the point is known. */
	tp_str_clear(&line);
	event.point = (struct tp_point){ .point = 13 };
	event.remaining_seconds = 0;
	tp_progress_line(&event, &point, &ascii, 80, &line);
	assert_string_equal(line.s, "12/41");
	/* Before there is a plan. */
	tp_str_clear(&line);
	event.n_points = event.n_done = 0;
	event.elapsed_seconds = 3;
	tp_progress_line(&event, &point, &ascii, 80, &line);
	assert_string_equal(line.s, "planning, 3 s elapsed");
	tp_str_release(&line);
}

/* --- look --- */

static void a_pipe_is_no_terminal(void **state)
{
	const struct tp_look_wish plain = { 0 }, bright = { .colour = TP_ALWAYS, .ascii = true };
	struct tp_look look;
	int ends[2];
	(void)state;
	assert_int_equal(pipe(ends), 0);
	setenv("COLUMNS", "132", 1);
	setenv("LINES", "nonsense", 1);
	tp_look_init(&look, &plain, ends[1]);
	assert_false(look.terminal);
	assert_false(look.colour);
	assert_int_equal(look.columns, 132);
	assert_int_equal(look.rows, 24);
	unsetenv("COLUMNS");
	setenv("NO_COLOR", "1", 1);
	tp_look_init(&look, &bright, ends[1]);
	assert_true(look.colour);
	assert_false(look.utf8);
	assert_int_equal(look.columns, 80);
	close(ends[0]);
	close(ends[1]);
}

/* --- runs --- */

static void put(const char *folder, const char *run, const char *file, const char *text)
{
	char path[TP_PATH_MAX];
	struct tp_diag diag;
	snprintf(path, sizeof(path), "%s/%s", folder, run);
	mkdir(path, 0777);
	if (!file)
		return;
	snprintf(path, sizeof(path), "%s/%s/%s", folder, run, file);
	assert_int_equal(tp_file_write(TP_TYPED_FILE, path, text, strlen(text), &diag), TP_OK);
}

static void drop(const char *folder, const char *run, const char *file)
{
	char path[TP_PATH_MAX];
	if (file) {
		snprintf(path, sizeof(path), "%s/%s/%s", folder, run, file);
		assert_int_equal(unlink(path), 0);
	}
	snprintf(path, sizeof(path), "%s/%s", folder, run);
	assert_int_equal(rmdir(path), 0);
}

static void runs_are_found(void **state)
{
	static const char whole[] = "2026-11-21-115141-quick", killed[] = "2026-11-20-080000-night",
			  odd[] = "notes";
	char folder[] = "/tmp/tprof-test-runs-XXXXXX";
	struct tp_run run;
	struct tp_str json = { 0 };
	struct tp_run_entry *entries;
	struct tp_diag diag;
	size_t n;
	(void)state;
	assert_non_null(mkdtemp(folder));
	report_fill(&run);
	tp_run_json(&run, &json);
	put(folder, whole, "run.json", json.s);
	tp_str_clear(&json);
	struct tp_event end = { .kind = TP_EVENT_POINT_END, .point = run.points[0] };
	tp_event_write(&end, &json);
	tp_str_add(&json, "{\"v\":1,\"ev\":\"sam"); /* where it was killed */
	put(folder, killed, "journal.ndjson", json.s);
	put(folder, odd, NULL, NULL);

	assert_int_equal(tp_run_entries(folder, &entries, &n, &diag), TP_OK);
	assert_int_equal(n, 3);
	assert_string_equal(entries[0].directory, killed);
	assert_string_equal(entries[0].date, "2026-11-20 08:00");
	assert_string_equal(entries[0].name, "night");
	assert_string_equal(entries[0].state, "interrupted");
	assert_int_equal(entries[0].n_done, 1);
	assert_string_equal(entries[1].date, "2026-11-21 11:51");
	assert_string_equal(entries[1].name, "night run \u00b5\u03c3");
	assert_string_equal(entries[1].state, "complete");
	assert_int_equal(entries[1].n_done, run.n_points - 3);
	assert_string_equal(entries[2].state, "unreadable");
	free(entries);

	drop(folder, whole, "run.json");
	drop(folder, killed, "journal.ndjson");
	drop(folder, odd, NULL);
	assert_int_equal(rmdir(folder), 0);
	/* No folder, no runs. */
	assert_int_equal(tp_run_entries(folder, &entries, &n, &diag), TP_OK);
	assert_int_equal(n, 0);
	free(entries);
	tp_str_release(&json);
	tp_run_release(&run);
}

/* --- plan --- */

static void a_plan_is_told(void **state)
{
	struct tp_planned items[2] = {
		{ .point = { .experiment = "roofline",
			     .kernel = "2ld1st",
			     .threads = 2,
			     .cpus = "0,1",
			     .estimate_seconds = 0.25,
			     .kind = tp_point_kind_find("roofline"),
			     .row = &(struct tp_kernel_row){ .isa = "avx2",
							     .precision = "double",
							     .level = "L1",
							     .working_set_bytes = 16384 } },
		  .experiment = tp_experiment_find("roofline"),
		  .buffer_bytes = 1 << 20 },
		{ .point = { .point = 1,
			     .experiment = "mixed",
			     .kernel = "mixed-fma-2ld1st-3:2",
			     .threads = 1,
			     .cpus = "0",
			     .estimate_seconds = 1.5,
			     .kind = tp_point_kind_find("mixed"),
			     .row = &(struct tp_kernel_row){ .isa = "sse",
							     .precision = "single",
							     .level = "DRAM",
							     .working_set_bytes = 512 << 20,
							     .ai_flop_per_byte = 0.25 } },
		  .experiment = tp_experiment_find("mixed"),
		  .buffer_bytes = 512 << 20 },
	};
	const struct tp_plan plan = { .items = items, .n = 2, .estimate_seconds = 1.75 };
	struct tp_machine machine = report_machine();
	struct tp_str out = { 0 };
	(void)state;
	tp_session_plan_text(&plan, &machine, &out);
	assert_string_equal(out.s, "point  experiment  ISA   precision  threads  level  kernel     "
				   "           size/thread  FLOP/byte  estimate  CPUs\n"
				   "    0  roofline    avx2  double           2  L1     2ld1st     "
				   "                16 KiB          -    250 ms  0,1\n"
				   "    1  mixed       sse   single           1  DRAM   "
				   "mixed-fma-2ld1st-3:2      512 MiB       0.25     1.5 s  0\n"
				   "\n2 points, about 1.75 s, up to 512 MiB\nmodel: zen4\n");
	machine.model_found = TP_MODEL_LOOKS_LIKE;
	machine.cpu.family = machine.cpu.model = -1;
	tp_str_clear(&out);
	tp_session_plan_text(&plan, &machine, &out);
	assert_non_null(strstr(out.s, "\nmodel: looks like zen4 (by features and caches; "));
	machine.model = (struct tp_model){ .name = "" };
	tp_str_clear(&out);
	tp_session_plan_text(&plan, &machine, &out);
	assert_non_null(strstr(out.s, "\nmodel: none, so no theoretical roofs\n"));
	tp_str_clear(&out);
	machine.foreign = true;
	tp_copy(machine.source, sizeof(machine.source), "synthetic:core:4");
	tp_session_plan_text(&plan, &machine, &out);
	assert_non_null(strstr(out.s, "synthetic:core:4"));
	tp_str_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrapping),
		cmocka_unit_test(cleaning),
		cmocka_unit_test(hints_on_screens),
		cmocka_unit_test(sizes),
		cmocka_unit_test(tables),
		cmocka_unit_test(rows_show_members),
		cmocka_unit_test(rows_show_own_forms),
		cmocka_unit_test(columns_give_way),
		cmocka_unit_test(progress_lines),
		cmocka_unit_test(a_pipe_is_no_terminal),
		cmocka_unit_test(runs_are_found),
		cmocka_unit_test(a_plan_is_told),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
