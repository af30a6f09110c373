/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the report makes of searches: figures, maps, the classic roofline, tables. On runs made up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "experiments/autotune/pictures.h"
#include "experiments/experiment.h"
#include "report/reporter.h"
#include "tests/unit/text.h"
#include "record/point.h"
#include "experiments/autotune/row.h"
#include "experiments/autotune/searches.h"
#include "record/roof.h"
#include "tests/unit/printed.h"
#include "tests/unit/rows.h"

static const struct tp_look look = { .columns = 120, .rows = 40 };

static unsigned add_search(struct tp_run *run, const char *kernel, const char *level,
			   const char *technique, unsigned threads)
{
	bool triad = strcmp(kernel, "triad") == 0;
	struct tp_point *p = add_run_point(run, "autotune");
	struct tp_search_row *row = p->row;
	p->threads = threads;
	p->state = TP_POINT_DONE;
	tp_copy(p->kernel, sizeof(p->kernel), kernel);
	tp_copy(row->kernel.isa, sizeof(row->kernel.isa), triad ? "triad" : "dgemm");
	tp_copy(row->kernel.precision, sizeof(row->kernel.precision), "double");
	tp_copy(row->kernel.level, sizeof(row->kernel.level), level);
	tp_copy(row->kernel.fp_op, sizeof(row->kernel.fp_op), triad ? "" : "fma");
	tp_copy(row->scope, sizeof(row->scope), threads > 1 ? "machine" : "core");
	tp_copy(row->technique, sizeof(row->technique), technique);
	return p->point;
}

static struct tp_trial trial(unsigned point, unsigned index, uint64_t n, uint64_t m, uint64_t k,
			     double value, const char *stopped)
{
	struct tp_trial t = { .point = point,
			      .index = index,
			      .position = index,
			      .size = { n, m, k },
			      .invocations = 2,
			      .iterations = 20,
			      .value = value,
			      .best = value * 1.01,
			      .ci_low = value * 0.99,
			      .ci_high = value * 1.01,
			      .seconds = 0.5,
			      .finished = *stopped != '\0' };
	tp_copy(t.stopped, sizeof(t.stopped), stopped);
	return t;
}

static void put(struct tp_run *run, struct tp_trial t, bool incumbent)
{
	t.incumbent = incumbent;
	assert_int_equal(tp_trials_put(run, &t), TP_OK);
}

/* The figures of a point that is done. */
static void set_value(struct tp_run *run, unsigned point, double value, double bound)
{
	struct tp_point *p = &run->points[point];
	bool triad = strcmp(tp_kernel_row(p)->isa, "triad") == 0;
	*(triad ? &tp_kernel_row_of(p)->median_gbps : &tp_kernel_row_of(p)->median_gflops) = value;
	tp_kernel_headline(p);
	p->ci_low = value * 0.995;
	p->ci_high = value * 1.005;
	p->bound = bound;
	p->seconds = 3;
	struct tp_roof *r = tp_run_add_row(run, &tp_roof_part);
	assert_non_null(r);
	*r = (struct tp_roof){ .point = point, .threads = p->threads, .median = value };
	tp_copy(r->isa, sizeof(r->isa), tp_kernel_row(p)->isa);
	tp_copy(r->precision, sizeof(r->precision), tp_kernel_row(p)->precision);
	tp_copy(r->level, sizeof(r->level), tp_kernel_row(p)->level);
	tp_copy(r->fp_op, sizeof(r->fp_op), tp_kernel_row(p)->fp_op);
}

/* n {1, 2} x m {3, 4} x k {5, 6, 7}: the best is n 2 m 3 k 6. */
static unsigned add_cube(struct tp_run *run)
{
	static const double values[12] = { 10, 20, 30, 15, 25, 35, 60, 100, 90, 40, 95, 50 };
	unsigned point = add_search(run, "dgemm/openblas", "FP", "c+i", 1), i = 0;
	for (uint64_t n = 1; n <= 2; n++)
		for (uint64_t m = 3; m <= 4; m++)
			for (uint64_t k = 5; k <= 7; k++, i++)
				put(run,
				    trial(point, i, n, m, k, values[i],
					  i == 1   ? "failed"
					  : i == 2 ? ""
					  : i < 6  ? "beaten"
						   : "confident"),
				    i == 0 || i == 6 || i == 7);
	set_value(run, point, 100, 120);
	return point;
}

static void figures_of_a_search(void **state)
{
	(void)state;
	struct tp_run run = { 0 };
	struct tp_searched s;
	struct tp_str text = { 0 };
	unsigned point = add_cube(&run);
	assert_true(tp_searched_of(&run, point, &s));
	assert_string_equal(s.routine, "dgemm");
	assert_string_equal(s.library, "openblas");
	assert_string_equal(s.where, "core");
	assert_string_equal(s.unit, "GFLOP/s");
	assert_int_equal(s.n, 12);
	assert_int_equal(s.n_finished, 11);
	assert_int_equal(s.best->index, 7);
	assert_true(fabs(s.value - 100) < 1e-9);
	assert_true(fabs(s.theory - 120) < 1e-9);
	/* The eighth of equal ones of half a second. */
	assert_true(fabs(s.found_seconds - 4) < 1e-9);
	assert_true(fabs(s.seconds - 6) < 1e-9);
	tp_searched_stops(&s, &text);
	assert_string_equal(tp_str_text(&text), "6 confident, 4 beaten, 1 failed");
	tp_str_release(&text);

	/* In a race there is no moment at which one was found. */
	struct tp_search_row *row = run.points[point].row;
	tp_copy(row->technique, sizeof(row->technique), "racing");
	assert_true(tp_searched_of(&run, point, &s));
	assert_true(isnan(s.found_seconds));
	assert_false(tp_searched_of(&run, 7, &s));
	tp_copy(run.points[point].experiment, sizeof(run.points[point].experiment), "roofline");
	assert_false(tp_searched_of(&run, point, &s));
	tp_run_release(&run);
}

static const struct tp_trial *at(const struct tp_searched *s, const struct tp_heat *heat,
				 size_t row, size_t column)
{
	long i = heat->cells[row * heat->n_columns + column];
	return i < 0 ? NULL : &s->trials[i];
}

static void a_map_shows_the_best_of_the_rest_or_a_slice(void **state)
{
	(void)state;
	struct tp_run run = { 0 };
	struct tp_searched s;
	struct tp_heat heat;
	assert_true(tp_searched_of(&run, add_cube(&run), &s));
	assert_true(tp_searched_is_map(&s));
	tp_heat_make(&heat, &s, &(struct tp_heat_view){ 0 });
	assert_int_equal(heat.pairs, 6);
	assert_int_equal(heat.x, 0);
	assert_int_equal(heat.y, 1);
	assert_int_equal(heat.z, 2);
	assert_int_equal(heat.n_columns, 2);
	assert_int_equal(heat.n_rows, 2);
	assert_int_equal(heat.n_slices, 3);
	/* The largest m is in the row above. */
	assert_int_equal(heat.rows[0], 4);
	assert_int_equal(at(&s, &heat, 0, 0)->index, 5);
	assert_int_equal(at(&s, &heat, 1, 1)->index, 7);
	assert_int_equal(tp_heat_state_of(&s, &heat, 1, 1), TP_HEAT_BEST);
	/* What failed is only shown where there is nothing else; what goes on is. */
	assert_int_equal(at(&s, &heat, 1, 0)->index, 2);
	assert_int_equal(tp_heat_state_of(&s, &heat, 1, 0), TP_HEAT_UNDER_WAY);
	tp_heat_release(&heat);

	tp_heat_make(&heat, &s, &(struct tp_heat_view){ .slice = 2 });
	assert_int_equal(heat.slice, 2);
	assert_int_equal(tp_heat_state_of(&s, &heat, 1, 0), TP_HEAT_FAILED);
	assert_true(isnan(tp_heat_share(&s, &heat, 1, 0)));
	assert_int_equal(tp_heat_state_of(&s, &heat, 0, 0), TP_HEAT_CUT);
	assert_true(fabs(tp_heat_share(&s, &heat, 0, 1) - 0.95) < 1e-9);
	tp_heat_release(&heat);

	/* k over n, and more slices than there are. */
	tp_heat_make(&heat, &s, &(struct tp_heat_view){ .pair = 1, .slice = 5 });
	assert_int_equal(heat.y, 2);
	assert_int_equal(heat.z, 1);
	assert_int_equal(heat.n_rows, 3);
	assert_int_equal(heat.slice, 2);
	assert_int_equal(at(&s, &heat, 1, 1)->index, 10);
	tp_heat_release(&heat);
	tp_run_release(&run);
}

static void dimensions_that_follow_others_are_none(void **state)
{
	(void)state;
	struct tp_run run = { 0 };
	struct tp_searched s;
	struct tp_heat heat;
	unsigned square = add_search(&run, "dgemm/blis", "FP", "racing", 1);
	for (unsigned i = 0; i < 6; i++)
		put(&run, trial(square, i, 1 + i % 2, 1 + i % 2, 8 << i / 2, 10 + i, "confident"),
		    true);
	assert_true(tp_searched_of(&run, square, &s));
	tp_heat_make(&heat, &s, &(struct tp_heat_view){ 0 });
	assert_int_equal(heat.x, 0);
	assert_int_equal(heat.y, 2);
	assert_int_equal(heat.z, -1);
	assert_int_equal(heat.pairs, 2);
	tp_heat_release(&heat);

	unsigned sizes = add_search(&run, "triad", "L3", "racing", 1);
	for (unsigned i = 0; i < 3; i++)
		put(&run, trial(sizes, i, 100000u << i, 0, 0, 80 + i, "confident"), i == 2);
	assert_true(tp_searched_of(&run, sizes, &s));
	assert_string_equal(s.where, "L3 core");
	assert_string_equal(s.unit, "GB/s");
	assert_false(tp_searched_is_map(&s));
	tp_heat_make(&heat, &s, &(struct tp_heat_view){ .pair = 3, .slice = 9 });
	assert_int_equal(heat.x, -1);
	assert_int_equal(heat.y, 0);
	assert_int_equal(heat.n_columns, 1);
	assert_int_equal(heat.rows[0], 400000);
	tp_heat_release(&heat);

	unsigned empty = add_search(&run, "triad", "L2", "racing", 1);
	assert_true(tp_searched_of(&run, empty, &s));
	assert_null(s.best);
	tp_heat_make(&heat, &s, &(struct tp_heat_view){ 0 });
	assert_int_equal(heat.n_rows, 0);
	tp_heat_release(&heat);
	tp_run_release(&run);
}

static const char *words_of(const struct tp_searched *s, const struct tp_heat *heat, size_t row,
			    size_t column, int columns, char out[TP_TILE_BYTES])
{
	const struct tp_tile tile = tp_heat_tile(s, heat, row, column);
	return tp_tile_words(&tile, columns, out);
}

static void cells_say_what_they_are_at_every_width(void **state)
{
	(void)state;
	static const struct {
		int columns;
		const char *best, *cut, *whole, *failed, *running, *none;
	} wanted[] = { { 5, "100*", " 25-", " 95 ", "  x ", " 30~", "  . " },
		       { 3, "**", "25", "95", " x", "30", " ." },
		       { 1, "*", "2", "9", "x", "3", "." } };
	struct tp_run run = { 0 };
	struct tp_searched s;
	struct tp_heat all, slice;
	char text[TP_TILE_BYTES];
	assert_true(tp_searched_of(&run, add_cube(&run), &s));
	tp_heat_make(&all, &s, &(struct tp_heat_view){ 0 });
	tp_heat_make(&slice, &s, &(struct tp_heat_view){ .slice = 2 });
	for (size_t i = 0; i < TP_COUNT_OF(wanted); i++) {
		int columns = wanted[i].columns;
		slice.cells[0 * 2 + 1] = 10;
		assert_string_equal(words_of(&s, &slice, 1, 1, columns, text), wanted[i].best);
		assert_string_equal(words_of(&s, &slice, 0, 0, columns, text), wanted[i].cut);
		assert_string_equal(words_of(&s, &slice, 0, 1, columns, text), wanted[i].whole);
		assert_string_equal(words_of(&s, &slice, 1, 0, columns, text), wanted[i].failed);
		assert_string_equal(words_of(&s, &all, 1, 0, columns, text), wanted[i].running);
		slice.cells[0 * 2 + 1] = -1;
		assert_string_equal(words_of(&s, &slice, 0, 1, columns, text), wanted[i].none);
	}
	assert_int_equal(tp_tile_shade(0.3), 0);
	assert_int_equal(tp_tile_shade(0.5), 1);
	assert_int_equal(tp_tile_shade(0.949), 3);
	assert_int_equal(tp_tile_shade(1), TP_TILE_SHADES - 1);
	tp_heat_release(&all);
	tp_heat_release(&slice);
	tp_run_release(&run);
}

static void sizes_fit_their_columns(void **state)
{
	(void)state;
	static const struct {
		uint64_t size;
		const char *text;
	} wanted[] = { { 1, "1" },	    { 9999, "9999" },
		       { 10240, "10K" },    { 12288, "12K" },
		       { 1048576, "1M" },   { 1572864, "1.5M" },
		       { 1000000, "977K" }, { UINT64_C(1) << 35, "32G" } };
	char text[16];
	for (size_t i = 0; i < TP_COUNT_OF(wanted); i++)
		assert_string_equal(tp_heat_size(wanted[i].size, text, sizeof(text)),
				    wanted[i].text);
}

/* --- the classic roofline --- */

static void add_classic(struct tp_run *run, unsigned threads, double gbps, double gflops)
{
	unsigned triad = add_search(run, "triad", "DRAM", "racing", threads);
	put(run, trial(triad, 0, 1 << 24, 0, 0, gbps, "confident"), true);
	set_value(run, triad, gbps, gbps / 0.8);
	unsigned gemm = add_search(run, "dgemm/openblas", "FP", "racing", threads);
	put(run, trial(gemm, 0, 512, 512, 256, gflops, "confident"), true);
	set_value(run, gemm, gflops, 0);
}

static void the_classic_roofline_is_the_lesser_of_both(void **state)
{
	(void)state;
	struct tp_run run = { 0 };
	struct tp_classic c;
	unsigned threads[4];
	struct tp_picture *picture = calloc(1, sizeof(*picture));
	assert_non_null(picture);
	add_classic(&run, 1, 20, 50);
	add_classic(&run, 2, 40, 100);
	/* Another technique that found less. */
	set_value(&run, add_search(&run, "dgemm/openblas", "FP", "single", 1), 45, 0);
	assert_int_equal(tp_classic_threads(&run, "double", threads, 4), 2);
	assert_int_equal(threads[0], 2);
	assert_true(tp_classic_find(&run, "double", 1, &c));
	assert_true(fabs(tp_classic_value(c.peak) - 50) < 1e-9);
	assert_true(fabs(tp_classic_value(c.level[3]) - 20) < 1e-9);
	assert_null(c.level[0]);
	assert_false(tp_classic_find(&run, "double", 3, &c));
	/* Bytes are bytes, the peak is one of double precision. */
	assert_true(tp_classic_find(&run, "single", 1, &c));
	assert_null(c.peak);

	assert_true(tp_roof_is_tuned(&run, &tp_run_roofs(&run)[0]));
	assert_false(tp_classic_is_beside(&run, "double"));
	assert_true(tp_classic_is_whole(&run, "double"));
	assert_false(tp_classic_is_whole(&run, "single"));
	assert_true(tp_picture_classic(picture, &run, "double"));
	assert_int_equal(picture->n_series, 4);
	for (size_t i = 0; i < picture->n_series; i++) {
		const struct tp_series *s = &picture->series[i];
		double gbps = i < 2 ? 40 : 20, peak = i < 2 ? 100 : 50;
		for (size_t k = 0; k < s->n && s->n == 3; k++)
			assert_true(fabs(s->y[k] - fmin(gbps * s->x[k], peak)) < 1e-9);
		assert_true(s->n < 3 || fabs(s->x[1] - 2.5) < 1e-9);
	}
	assert_string_equal(picture->series[0].label, "TRIAD DRAM 40 GB/s, 2 threads");
	tp_arena_release(&picture->arena);
	free(picture);
	tp_run_release(&run);
}

/* A roof of kernels of one thread. */
static void add_kernel_roof(struct tp_run *run, const char *level, double value)
{
	unsigned point = add_search(run, "2ld1st", level, "", 1);
	set_value(run, point, value, 0);
	tp_copy(run->points[point].experiment, sizeof(run->points[point].experiment), "roofline");
	struct tp_roof *r = &tp_run_roofs(run)[tp_run_n_roofs(run) - 1];
	tp_copy(r->isa, sizeof(r->isa), "avx2");
	tp_copy(r->fp_op, sizeof(r->fp_op), strcmp(level, "FP") == 0 ? "fma" : "");
}

static void it_is_drawn_beside_the_roofs_of_kernels(void **state)
{
	(void)state;
	struct tp_run run = { 0 };
	struct tp_str alone = { 0 }, beside = { 0 }, tables = { 0 };
	add_classic(&run, 1, 20, 50);
	PRINTED(&look, &alone, tp_report_plots(&run, doc));
	assert_non_null(strstr(tp_str_text(&alone), "Classic roofline of the fastest found"));
	assert_non_null(strstr(tp_str_text(&alone), "TRIAD DRAM 20 GB/s"));

	add_kernel_roof(&run, "L1", 300);
	add_kernel_roof(&run, "FP", 59);
	assert_true(tp_classic_is_beside(&run, "double"));
	PRINTED(&look, &beside, tp_report_plots(&run, doc));
	assert_null(strstr(tp_str_text(&beside), "Classic roofline of"));
	assert_non_null(strstr(tp_str_text(&beside), "Roofline, avx2 double, 1 thread"));
	assert_non_null(strstr(tp_str_text(&beside), "TRIAD DRAM 20 GB/s"));
	assert_non_null(strstr(tp_str_text(&beside), "dgemm 50 GFLOP/s"));

	/* What was searched for is not an ISA of the table of roofs. */
	PRINTED(&look, &tables, tp_report_text(&run, doc));
	assert_int_equal(count_of(tp_str_text(&tables), "ISA   level"), 2);
	assert_int_equal(count_of(tp_str_text(&tables), "\nRoofline"), 1);
	assert_int_equal(count_of(tp_str_text(&tables), "\navx2"), 2);
	assert_int_equal(count_of(tp_str_text(&tables), "\ntriad"), 1);
	tp_str_release(&alone);
	tp_str_release(&beside);
	tp_str_release(&tables);
	tp_run_release(&run);
}

/* --- words --- */

static void tables_tell_what_was_found(void **state)
{
	(void)state;
	struct tp_run run = { 0 };
	struct tp_str text = { 0 };
	add_cube(&run);
	unsigned leak = add_search(&run, "triad", "DRAM", "racing", 1);
	put(&run, trial(leak, 0, 1 << 20, 0, 0, 50, "confident"), true);
	set_value(&run, leak, 50, 38.4);
	PRINTED(&look, &text, tp_report_text(&run, doc));
	const char *t = tp_str_text(&text);
	assert_non_null(strstr(t, "Autotuned peaks"));
	assert_non_null(strstr(t, "n 2 m 3 k 6"));
	assert_non_null(strstr(t, "83.3%"));
	assert_non_null(strstr(t, "DRAM core is over 100 % of theory: a part of the arrays"));
	assert_non_null(strstr(t, "min(B I, F_p)"));
	for (const char *p = t; *p; p++)
		assert_true((unsigned char)*p < 128);
	tp_str_release(&text);
	tp_run_release(&run);
}

static void add_study(struct tp_run *run, unsigned point, const char *technique, double seconds,
		      double speedup, double loss)
{
	struct tp_study_row *r = tp_run_add_row(run, &tp_study_part);
	assert_non_null(r);
	*r = (struct tp_study_row){ .point = point,
				    .size = { 2, 3, 6 },
				    .best = 100,
				    .baseline_value = speedup > 0 ? 99 : 0,
				    .seconds = seconds,
				    .speedup = speedup,
				    .loss = loss,
				    .error = -loss / 2 };
	tp_copy(r->technique, sizeof(r->technique), technique);
	tp_copy(r->routine, sizeof(r->routine), "dgemm");
	tp_copy(r->scope, sizeof(r->scope), "core");
}

static void a_study_is_a_table_of_techniques(void **state)
{
	(void)state;
	struct tp_run run = { 0 };
	struct tp_str one = { 0 }, text = { 0 };
	add_study(&run, add_cube(&run), "racing", 2, 50, 0.0123);
	PRINTED(&look, &one, tp_report_text(&run, doc));
	assert_null(strstr(tp_str_text(&one), "Techniques"));
	add_study(&run, add_cube(&run), "single", 1, 0, NAN);
	PRINTED(&look, &text, tp_report_text(&run, doc));
	assert_non_null(strstr(tp_str_text(&text), "Techniques, dgemm, core"));
	assert_non_null(strstr(tp_str_text(&text), "1.23%"));
	assert_non_null(strstr(tp_str_text(&text), "-0.61%"));
	assert_non_null(strstr(tp_str_text(&text), "50x"));
	tp_str_release(&one);
	tp_str_release(&text);
	tp_run_release(&run);
}

static void take(void *context, struct tp_picture *picture)
{
	tp_str_printf(context, "%s\n", picture->scene.title);
}

static void every_picture_once(void **state)
{
	(void)state;
	struct tp_run run = { 0 };
	struct tp_str text = { 0 }, svg = { 0 };
	add_cube(&run);
	static const char *const levels[] = { "L2", "L3" };
	for (unsigned l = 0; l < 2; l++) {
		unsigned point = add_search(&run, "triad", levels[l], "racing", 1);
		for (unsigned i = 0; i < 3; i++)
			put(&run, trial(point, i, 1000u << (i + 4 * l), 0, 0, 90 + i, "confident"),
			    i == 2);
		set_value(&run, point, 92, 0);
	}
	tp_picture_each(&run, &(struct tp_gallery){
				      .context = &text, .hang = take, .columns = 100, .rows = 40 });
	assert_string_equal(tp_str_text(&text),
			    "Classic roofline of the fastest found, double, 1 thread\n"
			    "dgemm core, c+i: percent of the best\n"
			    "triad over its size, 1 thread\n");
	tp_str_clear(&text);
	/* Of a second technique the one that was measured to the end is shown. */
	unsigned again = add_search(&run, "dgemm/openblas", "FP", "default", 1);
	for (unsigned i = 0; i < 12; i++)
		put(&run, trial(again, i, 1 + i / 6, 3 + i / 3 % 2, 5 + i % 3, 50 + i, "samples"),
		    true);
	set_value(&run, again, 61, 0);
	assert_true(tp_searched_is_shown(&run, again));
	assert_false(tp_searched_is_shown(&run, 0));
	tp_picture_each(&run, &(struct tp_gallery){ .context = &text,
						    .hang = take,
						    .columns = 100,
						    .rows = 40,
						    .tables_too = true });
	assert_int_equal(count_of(tp_str_text(&text), "\n"), 3);
	tp_report_svg(&run, TP_SVG_LIGHT, &svg);
	assert_non_null(strstr(tp_str_text(&svg), "dgemm core, default: percent of the best"));
	tp_str_release(&text);
	tp_str_release(&svg);
	tp_run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_of_a_search),
		cmocka_unit_test(a_map_shows_the_best_of_the_rest_or_a_slice),
		cmocka_unit_test(dimensions_that_follow_others_are_none),
		cmocka_unit_test(cells_say_what_they_are_at_every_width),
		cmocka_unit_test(sizes_fit_their_columns),
		cmocka_unit_test(the_classic_roofline_is_the_lesser_of_both),
		cmocka_unit_test(it_is_drawn_beside_the_roofs_of_kernels),
		cmocka_unit_test(tables_tell_what_was_found),
		cmocka_unit_test(a_study_is_a_table_of_techniques),
		cmocka_unit_test(every_picture_once),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
