/* SPDX-License-Identifier: GPL-3.0-or-later */
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
#include "experiments/counters/row.h"
#include "experiments/experiment.h"
#include "record/dot.h"
#include "record/point.h"
#include "record/load.h"
#include "record/roof.h"
#include "record/run.h"
#include "experiments/autotune/row.h"
#include "tests/unit/files.h"
#include "tests/unit/near.h"

static const char *const promised_columns =
	"run,point,experiment,kernel,isa,precision,threads,level,working_set_bytes,loads,stores,"
	"fp_op,ai_flop_per_byte,median_gbps,best_gbps,median_gflops,best_gflops,bytes_per_cycle,"
	"flop_per_cycle,ipc,core_ghz,ci_low,ci_high,samples,seconds,flags";

static void add_row(struct tp_run *run, const struct tp_part *part, const void *row)
{
	void *added = tp_run_add_row(run, part);

	assert_non_null(added);
	memcpy(added, row, part->table->row_bytes);
}

/* A run with one memory point, one peak, one failed point and one of every result. */
static void fill(struct tp_run *run)
{
	static struct tp_kernel_row rows[] = {
		{ .isa = "avx2",
		  .precision = "double",
		  .level = "L1",
		  .working_set_bytes = 16384,
		  .loads = 2,
		  .stores = 1,
		  .best_ratio = true,
		  .body = "u256 \"two\" streams",
		  .pages = "thp",
		  .median_gbps = 700.123456789,
		  .best_gbps = 704.25,
		  .bytes_per_cycle = 95.3,
		  .ipc = 2.98 },
		{ .isa = "avx2",
		  .precision = "double",
		  .level = "FP",
		  .fp_op = "fma",
		  .median_gflops = 59.1,
		  .best_gflops = 59.2,
		  .flop_per_cycle = 16 },
		{ .isa = "avx512", .loads = 1 },
	};
	static const struct tp_point points[] = {
		{ .run = 0,
		  .point = 0,
		  .experiment = "roofline",
		  .kernel = "2ld1st",
		  .threads = 2,
		  .cpus = "0,1",
		  .state = TP_POINT_DONE,
		  .core_ghz = 3.694,
		  .core_ghz_after = 3.695,
		  .mean = 699.5,
		  .stddev = 1.5,
		  .mad = 0.5,
		  .ci_low = 699.9,
		  .ci_high = 700.4,
		  .seconds = 0.125,
		  .bound = 709.2,
		  .flags = TP_FLAG(DISTURBED) | TP_FLAG(STEAL),
		  .kept = 2,
		  .invocations = 1,
		  .row = &rows[0] },
		{ .run = 0,
		  .point = 1,
		  .experiment = "roofline",
		  .kernel = "fma",
		  .threads = 1,
		  .state = TP_POINT_DONE,
		  .kept = 1,
		  .row = &rows[1] },
		{ .run = 0,
		  .point = 2,
		  .experiment = "roofline",
		  .kernel = "load",
		  .state = TP_POINT_FAILED,
		  .diag = { "point 2", "illegal instruction", "choose another isa" },
		  .row = &rows[2] },
	};
	static const struct tp_sample samples[] = { { 0.001, 700, 3.694, 0, 0, 0, 0 },
						    { 0.001, 700.5, 0, 0, 1, 0, 3.98 },
						    { 0.011, 64, 3.5, TP_FLAG(CTX_SWITCH), 0, 0,
						      0 } };
	static const struct tp_roof roofs[] = {
		{ .point = 0,
		  .isa = "avx2",
		  .precision = "double",
		  .level = "L1",
		  .threads = 2,
		  .loads = 2,
		  .stores = 1,
		  .nontemporal = true,
		  .median = 700.123456789,
		  .best = 704.25,
		  .ci_low = 699.9,
		  .ci_high = 700.4,
		  .per_cycle = 95.3,
		  .model = 709.2,
		  .ridge_flop_per_byte = 0.125,
		  .flags = TP_FLAG(STEAL) },
		{ .point = 1,
		  .isa = "avx2",
		  .precision = "double",
		  .level = "FP",
		  .fp_op = "fma",
		  .threads = 1,
		  .median = 59.1,
		  .best = 59.2,
		  .per_cycle = 16 },
	};
	static const struct tp_plateau plateau = { .run = 1,
						   .isa = "avx2",
						   .precision = "double",
						   .kernel = "load",
						   .level = "L2",
						   .threads = 1,
						   .gbps = 118,
						   .ci_low = 117,
						   .ci_high = 119,
						   .bytes_per_cycle = 32,
						   .from_bytes = 65536,
						   .to_bytes = 917504,
						   .capacity_bytes = 1048576,
						   .reported_bytes = 1048576,
						   .points = 12 };
	static const struct tp_dot dot = { .run = 2,
					   .point = 1,
					   .isa = "avx2",
					   .precision = "double",
					   .level = "L3",
					   .fp_op = "add",
					   .threads = 1,
					   .ai_flop_per_byte = 0.25,
					   .gflops = 24.5,
					   .roof_gflops = 25,
					   .distance_percent = -2 };
	const struct tp_diag diag = { "machine", "L3 is shared", "" };

	run->points = calloc(TP_COUNT_OF(points), sizeof(*run->points));
	assert_non_null(run->points);
	run->n_points = run->cap_points = TP_COUNT_OF(points);
	for (size_t i = 0; i < TP_COUNT_OF(points); i++) {
		tp_point_take(&run->points[i], &points[i], &run->arena);
		tp_kernel_headline(&run->points[i]);
	}
	for (size_t i = 0; i < TP_COUNT_OF(roofs); i++)
		add_row(run, &tp_roof_part, &roofs[i]);
	add_row(run, &tp_plateau_part, &plateau);
	add_row(run, &tp_dot_part, &dot);
	for (size_t i = 0; i < TP_COUNT_OF(samples); i++)
		tp_point_add_sample(&run->points[0], &samples[i]);
	tp_diags_add(&run->diags, &diag);
	tp_copy(run->state, sizeof(run->state), "complete");
	run->wall_seconds = 12.5;
	assert_int_equal(tp_run_fact_text(run, "machine.cpu", "AMD \"EPYC\" %d", 9), TP_OK);
	assert_int_equal(tp_run_fact_number(run, "machine.cores", 2), TP_OK);
	assert_int_equal(tp_run_fact_number(run, "machine.core_ghz", 3.694), TP_OK);
	assert_int_equal(tp_run_fact_text(run, "preset.name", "quick"), TP_OK);
	assert_int_equal(tp_run_fact_number(run, "seed", 42), TP_OK);
}

static void parse(struct tp_run *run, const struct tp_str *text)
{
	struct tp_diag diag;

	if (tp_run_parse(run, "run.json", tp_str_text(text), text->len, &diag))
		fail_msg("%s: %s", diag.where, diag.what);
}

static void what_is_written_is_read(void **state)
{
	struct tp_run run = { 0 }, back = { 0 };
	struct tp_str text = { 0 }, second = { 0 };

	(void)state;
	fill(&run);
	tp_run_json(&run, &text);
	parse(&back, &text);
	assert_string_equal(back.state, "complete");
	assert_near(back.wall_seconds, 12.5, 0);
	assert_int_equal(back.n_points, 3);
	for (size_t i = 0; i < 3; i++) {
		struct tp_point *a = &run.points[i], *b = &back.points[i];

		assert_int_equal(a->n_samples, b->n_samples);
		for (size_t s = 0; s < a->n_samples; s++) {
			assert_near(b->samples[s].seconds, a->samples[s].seconds, 0);
			assert_near(b->samples[s].rate, a->samples[s].rate, 0);
			assert_near(b->samples[s].core_ghz, a->samples[s].core_ghz, 0);
			assert_near(b->samples[s].core_width, a->samples[s].core_width, 0);
			assert_int_equal(b->samples[s].flags, a->samples[s].flags);
			assert_int_equal(b->samples[s].invocation, a->samples[s].invocation);
		}
		assert_near(tp_kernel_row(b)->median_gbps, tp_kernel_row(a)->median_gbps, 0);
		assert_string_equal(b->diag.what, a->diag.what);
		assert_string_equal(tp_kernel_row(b)->body, tp_kernel_row(a)->body);
		assert_string_equal(b->unit, a->unit);
		assert_near(b->median, a->median, 0);
		assert_int_equal(b->state, a->state);
		assert_int_equal(b->flags, a->flags);
		assert_int_equal(tp_kernel_row(b)->working_set_bytes,
				 tp_kernel_row(a)->working_set_bytes);
	}
	assert_int_equal(tp_run_n_roofs(&back), 2);
	for (size_t i = 0; i < 2; i++) {
		assert_string_equal(tp_run_roofs(&back)[i].level, tp_run_roofs(&run)[i].level);
		assert_near(tp_run_roofs(&back)[i].median, tp_run_roofs(&run)[i].median, 0);
		assert_near(tp_run_roofs(&back)[i].best, tp_run_roofs(&run)[i].best, 0);
		assert_near(tp_run_roofs(&back)[i].per_cycle, tp_run_roofs(&run)[i].per_cycle, 0);
		assert_near(tp_run_roofs(&back)[i].model, tp_run_roofs(&run)[i].model, 0);
	}
	assert_int_equal(tp_run_n_plateaus(&back), 1);
	assert_int_equal(tp_run_plateaus(&back)[0].capacity_bytes, 1048576);
	assert_int_equal(tp_run_n_dots(&back), 1);
	assert_near(tp_run_dots(&back)[0].distance_percent, -2, 0);
	assert_int_equal(back.diags.n, 1);
	assert_int_equal(back.n_facts, 5);
	assert_string_equal(tp_run_fact(&back, "machine.cpu")->text, "AMD \"EPYC\" 9");
	assert_true(tp_run_fact(&back, "seed")->is_number);
	assert_near(tp_run_fact(&back, "machine.core_ghz")->number, 3.694, 0);
	/* Everything that the document holds survived: writing it again gives the same bytes. */
	tp_run_json(&back, &second);
	assert_string_equal(second.s, text.s);
	tp_str_release(&text);
	tp_str_release(&second);
	tp_run_release(&run);
	tp_run_release(&back);
}

static void json_speaks_the_columns(void **state)
{
	struct tp_run run = { 0 };
	struct tp_str text = { 0 };

	(void)state;
	fill(&run);
	tp_run_json(&run, &text);
	assert_non_null(strstr(text.s, "\"machine\": {\n  \"cpu\": \"AMD \\\"EPYC\\\" 9\""));
	assert_non_null(strstr(text.s, "\"cores\": 2,"));
	assert_non_null(strstr(text.s, "\"seed\": 42"));
	assert_non_null(strstr(text.s, "\"median_gbps\": 700.123456789"));
	assert_non_null(strstr(text.s, "\"samples\": 2,"));
	assert_non_null(strstr(text.s, "\"dropped\": 1,"));
	assert_non_null(strstr(text.s, "\"flags\": \"steal|disturbed\""));
	assert_non_null(
		strstr(text.s, "{\"seconds\": 0.001, \"rate\": 700.0, \"core_ghz\": 3.694}"));
	tp_str_release(&text);
	tp_run_release(&run);
}

static size_t count(const char *text, char c)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == c;
	return n;
}

/* A run of more facts than there can be is read in part, and says so. */
static void there_is_a_limit_on_facts(void **state)
{
	struct tp_run run = { 0 };
	struct tp_str text = { 0 };

	(void)state;
	tp_str_add(&text, "{\"format\": \"tprof-run\", \"version\": 1, \"state\": \"complete\"");
	for (int i = 0; i < 60000; i++)
		tp_str_printf(&text, ", \"fact%d\": %d", i, i);
	tp_str_add(&text, "}");
	parse(&run, &text);
	assert_int_equal(run.n_facts, TP_RUN_FACTS_MAX);
	assert_int_equal(run.diags.n, TP_DIAGS_MAX + 1);
	assert_non_null(strstr(run.diags.items[0].what, "beyond the limit on facts"));
	assert_string_equal(run.diags.items[TP_DIAGS_MAX].what, "and 55854 more");
	tp_run_release(&run);
	tp_str_release(&text);
}

/* What would be too long to be read again is written without windows, and says so. */
static void a_run_too_long_to_read_loses_its_windows(void **state)
{
	struct tp_run run = { 0 }, back = { 0 };
	struct tp_str text = { 0 };

	(void)state;
	fill(&run);
	tp_run_json(&run, &text);
	size_t whole = text.len;
	tp_str_clear(&text);
	tp_run_json_within(&run, whole, &text);
	assert_int_equal(text.len, whole);
	tp_str_clear(&text);
	tp_run_json_within(&run, whole - 1, &text);
	parse(&back, &text);
	assert_int_equal(back.n_points, run.n_points);
	assert_int_equal(back.points[0].n_samples, 0);
	assert_near(back.points[0].median, run.points[0].median, 0);
	assert_int_equal(back.points[0].kept, run.points[0].kept);
	assert_true(run.points[0].n_samples > 0); /* it keeps its own */
	assert_int_equal(back.diags.n, run.diags.n + 1);
	assert_non_null(strstr(back.diags.items[run.diags.n].what, "windows"));
	tp_run_release(&run);
	tp_run_release(&back);
	tp_str_release(&text);
}

static void csv_has_the_promised_columns(void **state)
{
	struct tp_run run = { 0 };
	struct tp_str text = { 0 };
	char *line, *save;

	(void)state;
	fill(&run);
	tp_kernel_row_of(&run.points[0])->body[0] =
		'\0'; /* no quotes here, so commas can be counted */
	tp_copy(run.points[0].cpus, sizeof(run.points[0].cpus), "0");
	tp_run_csv(&run, true, &text);
	assert_int_equal(strncmp(text.s, promised_columns, strlen(promised_columns)), 0);
	assert_int_equal(text.s[strlen(promised_columns)], ',');
	line = strtok_r(text.s, "\n", &save);
	size_t commas = count(line, ',');

	line = strtok_r(NULL, "\n", &save);
	assert_int_equal(count(line, ','), commas);
	assert_int_equal(
		strncmp(line,
			"0,0,roofline,2ld1st,avx2,double,2,L1,16384,2,1,,,700.1234568,704.25,"
			",,95.3,,2.98,3.694,699.9,700.4,2,0.125,steal|disturbed,1,",
			strlen("0,0,roofline,2ld1st,avx2,double,2,L1,16384,2,1,,,"
			       "700.1234568,704.25,,,95.3,,2.98,3.694,699.9,700.4,2,"
			       "0.125,steal|disturbed,1,")),
		0);
	line = strtok_r(NULL, "\n", &save);
	assert_int_equal(count(line, ','), commas);
	assert_int_equal(
		strncmp(line,
			"0,1,roofline,fma,avx2,double,1,FP,,,,fma,,,,59.1,59.2,,16,,,,,1,0,,0,",
			strlen("0,1,roofline,fma,avx2,double,1,FP,,,,fma,,,,59.1,59.2,,"
			       "16,,,,,1,0,,0,")),
		0);
	assert_null(strtok_r(NULL, "\n", &save)); /* the failed point is not a row */
	tp_str_release(&text);
	tp_run_release(&run);
}

static void csv_quotes_what_needs_it(void **state)
{
	struct tp_run run = { 0 };
	struct tp_str text = { 0 };

	(void)state;
	fill(&run);
	tp_run_csv(&run, true, &text);
	assert_non_null(strstr(text.s, ",\"u256 \"\"two\"\" streams\",thp,\"0,1\","));
	tp_str_release(&text);
	tp_run_release(&run);
}

/* Points of every kind in one run, as text and back; one has a row and no kind. */
static void each_kind_of_point_has_its_row(void **state)
{
	struct tp_kernel_row kernel = { .isa = "avx2", .level = "L1", .body = "u256" };
	struct tp_search_row search = { .kernel = { .isa = "sse2", .median_gflops = 50 },
					.technique = "c+i+o",
					.library = "OpenBLAS",
					.configuration = "n 1024" };
	struct tp_count_row counts = { .source = "papi" };
	struct tp_point points[] = { { .experiment = "counters", .row = &counts },
				     { .experiment = "roofline", .row = &kernel },
				     { .experiment = "autotune", .row = &search },
				     { .experiment = "of another tprof", .row = &kernel } };
	struct tp_run run = { .points = points, .n_points = TP_COUNT_OF(points) }, backs[2] = { 0 };
	struct tp_str text = { 0 };
	struct tp_diag diag;

	(void)state;
	for (unsigned i = 0; i < TP_COUNT_OF(points); i++) {
		points[i].point = i;
		points[i].state = TP_POINT_DONE;
		if (i != 1)
			points[i].kind = tp_point_kind_find(points[i].experiment);
	}
	tp_run_json(&run, &text);
	assert_non_null(strstr(text.s, "\"variant\": \"n 1024\""));
	parse(&backs[0], &text);
	tp_str_clear(&text);
	tp_run_csv(&run, true, &text);
	if (tp_run_parse_csv(&backs[1], "points.csv", text.s, text.len, &diag))
		fail_msg("%s: %s", diag.where, diag.what);
	for (size_t i = 0; i < TP_COUNT_OF(backs); i++) {
		const struct tp_point *p = backs[i].points;

		assert_int_equal(backs[i].n_points, TP_COUNT_OF(points));
		assert_string_equal(tp_count_row(&p[0])->source, "papi");
		assert_string_equal(tp_point_word(&p[0], "variant"), "papi");
		assert_string_equal(tp_point_word(&p[0], "isa"), "");
		assert_string_equal(tp_kernel_row(&p[0])->isa, "");
		assert_memory_equal(p[1].row, &kernel, sizeof(kernel));
		assert_memory_equal(p[2].row, &search, sizeof(search));
		assert_string_equal(tp_search_row(&p[2])->configuration, "n 1024");
		assert_string_equal(tp_search_row(&p[1])->configuration, "");
		assert_string_equal(tp_point_word(&p[2], "isa"), "sse2");
		assert_memory_equal(p[3].row, &kernel, sizeof(kernel));
		tp_run_release(&backs[i]);
	}
	tp_str_release(&text);
}

/* NaN and infinity have no place in JSON; a reader elsewhere would refuse the whole run. */
static void nothing_infinite_is_written(void **state)
{
	struct tp_run run = { 0 }, back = { 0 };
	struct tp_str text = { 0 }, csv = { 0 };

	(void)state;
	fill(&run);
	tp_kernel_row_of(&run.points[0])->median_gbps = run.points[0].median = NAN;
	run.points[0].ci_high = INFINITY;
	run.points[0].samples[0].rate = -INFINITY;
	run.points[0].seconds = NAN;
	tp_run_roofs(&run)[0].median = INFINITY;
	tp_run_dots(&run)[0].distance_percent = NAN;
	run.wall_seconds = INFINITY;
	tp_run_fact_number(&run, "machine.core_ghz", NAN);
	tp_run_json(&run, &text);
	assert_null(strcasestr(text.s, "nan"));
	assert_null(strcasestr(text.s, "inf"));
	parse(&back, &text);
	tp_run_csv(&run, true, &csv);
	assert_null(strcasestr(csv.s, "nan"));
	assert_null(strcasestr(csv.s, "inf"));
	tp_str_release(&text);
	tp_str_release(&csv);
	tp_run_release(&run);
	tp_run_release(&back);
}

static void bytes_that_are_no_text_do_not_stop_a_run(void **state)
{
	struct tp_run run = { 0 }, back = { 0 };
	struct tp_str text = { 0 };

	(void)state;
	assert_int_equal(tp_run_fact_text(&run, "machine.cpu", "A\xff\x01\tB"), TP_OK);
	tp_run_json(&run, &text);
	parse(&back, &text);
	assert_string_equal(tp_run_fact(&back, "machine.cpu")->text, "A??\tB");
	tp_str_release(&text);
	tp_run_release(&run);
	tp_run_release(&back);
}

/* Keys that get in each other's way as nested objects; the order of adding must not matter. */
static void every_fact_comes_back(void **state)
{
	static const char *const keys[] = { "a",   "a.b",  "a.b.c", "x.y.z", "x.y", "x",
					    "d..", "e..f", ".g",    "h i.j", "k\"l" };
	struct tp_run run = { 0 }, back = { 0 };
	struct tp_str text = { 0 };

	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(keys); i++)
		assert_int_equal(tp_run_fact_number(&run, keys[i], (double)i + 0.5), TP_OK);
	assert_int_equal(tp_run_fact_number(&run, "a", 0.5), TP_OK); /* overwrites */
	tp_run_json(&run, &text);
	parse(&back, &text);
	assert_int_equal(back.n_facts, TP_COUNT_OF(keys));
	for (size_t i = 0; i < TP_COUNT_OF(keys); i++) {
		const struct tp_fact *fact = tp_run_fact(&back, keys[i]);

		if (!fact)
			fail_msg("%s is lost in %s", keys[i], text.s);
		assert_near(fact->number, (double)i + 0.5, 0);
	}
	tp_run_fact_drop(&run, "a");
	tp_run_fact_drop(&run, "a");
	for (size_t i = 0; i < TP_COUNT_OF(keys); i++)
		assert_int_equal(strcmp(keys[i], "a") != 0, tp_run_fact(&run, keys[i]) != NULL);
	assert_int_equal(tp_run_fact_text(&run, "points.n", "no"), TP_INTERNAL);
	assert_int_equal(tp_run_fact_text(&run, "", "no"), TP_INTERNAL);
	assert_int_equal(tp_run_fact_text(&run, "pointsman", "yes"), TP_OK);
	tp_str_release(&text);
	tp_run_release(&run);
	tp_run_release(&back);
}

static void malformed_runs_are_refused_with_a_place(void **state)
{
#define HEAD "{\"format\":\"tprof-run\",\"version\":1"
	static const struct {
		const char *text, *where;
		enum tp_status status;
	} rows[] = {
		{ "", "f:1:0", TP_USAGE },
		{ "{\n\"a\": ]\n}", "f:2:6", TP_USAGE },
		{ "[]", "f", TP_USAGE },
		{ "{}", "f", TP_USAGE },
		{ "{\"format\":\"tprof-run\",\"version\":2}", "f", TP_UNSUPPORTED },
		{ HEAD ",\"points\":{}}", "f: points", TP_USAGE },
		{ HEAD ",\"points\":[{}]}", "f: points[0]", TP_USAGE },
		{ HEAD ",\"points\":[{\"point\":0},7]}", "f: points[1]", TP_USAGE },
		{ HEAD ",\"points\":[{\"point\":99999999}]}", "f: points[0]", TP_USAGE },
		{ HEAD
		  ",\"points\":[{\"point\":0,\"isa\":\"a\",\"state\":\"done\"},{\"point\":0}]}",
		  "f: points[1]", TP_USAGE },
		{ HEAD ",\"points\":[{\"point\":0,\"ci_low\":\"1\"}]}", "f: points[0]", TP_USAGE },
		{ HEAD ",\"points\":[{\"point\":0,\"windows\":[1]}]}", "f: points[0]", TP_USAGE },
		{ HEAD ",\"roofs\":[{\"threads\":1.5}]}", "f: roofs[0]", TP_USAGE },
		{ HEAD ",\"dots\":[{},{\"isa\":1}]}", "f: dots[1]", TP_USAGE },
		{ HEAD "}", "", TP_OK },
		{ HEAD ",\"new\":[1,2],\"points\":[{\"point\":2,\"news\":{}}]}", "", TP_OK },
	};
#undef HEAD

	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		struct tp_run run = { .state = "before" };
		struct tp_diag diag = { 0 };
		enum tp_status status =
			tp_run_parse(&run, "f", rows[i].text, strlen(rows[i].text), &diag);

		if (status != rows[i].status || strcmp(diag.where, rows[i].where) != 0)
			fail_msg("%s: %s at %s", rows[i].text, tp_status_name(status), diag.where);
		assert_true((status == TP_OK) == (strcmp(run.state, "before") != 0));
		tp_run_release(&run);
	}
}

/* --- directories --- */

static char home[] = "/tmp/tprof-test-record-XXXXXX";

static int make_home(void **state)
{
	(void)state;
	return mkdtemp(home) ? setenv("XDG_DATA_HOME", home, 1) : -1;
}

static int remove_home(void **state)
{
	(void)state;
	return remove_tree(home);
}

static bool is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void directories_are_new_each_time(void **state)
{
	char first[TP_PATH_MAX], again[TP_PATH_MAX], prefix[128];
	struct tp_diag diag;

	(void)state;
	snprintf(prefix, sizeof(prefix), "%s/tprof/runs/", home);
	assert_int_equal(tp_rundir_create(NULL, "quick look/../at it!", first, &diag), TP_OK);
	assert_int_equal(strncmp(first, prefix, strlen(prefix)), 0);
	assert_string_equal(strchr(first + strlen(prefix) + strlen("2026-01-01-"), '-'),
			    "-quick-look-..-at-it");
	assert_null(strchr(first + strlen(prefix), '/'));
	assert_true(is_dir(first));
	for (int i = 0; i < 5; i++) {
		assert_int_equal(tp_rundir_create(NULL, "quick look/../at it!", again, &diag),
				 TP_OK);
		assert_string_not_equal(first, again);
		assert_true(is_dir(again));
	}
	assert_int_equal(tp_rundir_create(NULL, "///", again, &diag), TP_OK);
	assert_string_equal(strrchr(again, '-'), "-run");
	assert_int_equal(tp_rundir_create(NULL, NULL, again, &diag), TP_OK);
}

static void a_wanted_directory_is_new_or_empty(void **state)
{
	char wanted[TP_PATH_MAX], out[TP_PATH_MAX], file[TP_PATH_MAX + 8];
	struct tp_diag diag;

	(void)state;
	snprintf(wanted, sizeof(wanted), "%s/deep/er/run/", home);
	assert_int_equal(tp_rundir_create(wanted, "x", out, &diag), TP_OK);
	assert_true(is_dir(out));
	assert_int_equal(tp_rundir_create(wanted, "x", out, &diag), TP_OK);
	snprintf(file, sizeof(file), "%s/mine", out);
	assert_int_equal(tp_file_write(TP_TYPED_FILE, file, "x", 1, &diag), TP_OK);
	assert_int_equal(tp_rundir_create(wanted, "x", out, &diag), TP_USAGE);
	assert_non_null(strstr(diag.what, "mine"));
	assert_int_equal(tp_rundir_create(file, "x", out, &diag), TP_USAGE);
	assert_int_equal(tp_rundir_create("", "x", out, &diag), TP_USAGE);
}

static void a_run_directory_holds_both_files(void **state)
{
	char directory[TP_PATH_MAX], path[TP_PATH_MAX + 16], *text;
	struct tp_run run = { 0 }, back = { 0 };
	struct tp_diag diag;
	size_t len;

	(void)state;
	fill(&run);
	assert_int_equal(tp_rundir_create(NULL, "both", directory, &diag), TP_OK);
	assert_int_equal(tp_rundir_write(TP_TYPED_NOTHING, directory, &run, &diag), TP_OK);
	assert_int_equal(tp_rundir_write(TP_TYPED_NOTHING, directory, &run, &diag),
			 TP_OK); /* replaces */
	snprintf(path, sizeof(path), "%s/run.json", directory);
	assert_int_equal(tp_file_read(path, 1 << 20, &text, &len, &diag), TP_OK);
	assert_int_equal(tp_run_parse(&back, path, text, len, &diag), TP_OK);
	assert_int_equal(back.n_points, 3);
	free(text);
	snprintf(path, sizeof(path), "%s/points.csv", directory);
	assert_int_equal(access(path, R_OK), 0);
	assert_int_not_equal(tp_rundir_write(TP_TYPED_NOTHING, "/nonexistent", &run, &diag), TP_OK);
	assert_int_not_equal(tp_rundir_write(TP_TYPED_NOTHING, "/dev/full", &run, &diag), TP_OK);
	tp_run_release(&run);
	tp_run_release(&back);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(json_speaks_the_columns),
		cmocka_unit_test(there_is_a_limit_on_facts),
		cmocka_unit_test(a_run_too_long_to_read_loses_its_windows),
		cmocka_unit_test(csv_has_the_promised_columns),
		cmocka_unit_test(csv_quotes_what_needs_it),
		cmocka_unit_test(each_kind_of_point_has_its_row),
		cmocka_unit_test(nothing_infinite_is_written),
		cmocka_unit_test(bytes_that_are_no_text_do_not_stop_a_run),
		cmocka_unit_test(every_fact_comes_back),
		cmocka_unit_test(malformed_runs_are_refused_with_a_place),
		cmocka_unit_test(directories_are_new_each_time),
		cmocka_unit_test(a_wanted_directory_is_new_or_empty),
		cmocka_unit_test(a_run_directory_holds_both_files),
	};

	tp_experiments_begin();
	return cmocka_run_group_tests(tests, make_home, remove_home);
}
