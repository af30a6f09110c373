/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures of cells: two scenes exactly, and the rules that hold for every scene and size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "plot_scenes.h"
#include "base/text.h"
#include "plot/canvas.h"
#include "plot/layout.h"
#include "tests/unit/plot_golden.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct plot_scenes scenes;

static const struct {
	size_t columns, rows;
} sizes[] = { { 40, 10 },  { 41, 11 },	{ 60, 15 },   { 60, 16 },  { 80, 24 }, { 97, 31 },
	      { 120, 40 }, { 200, 60 }, { 300, 100 }, { 40, 100 }, { 300, 10 } };

static char *draw(const struct tp_scene *scene, size_t columns, size_t rows,
		  enum tp_plot_glyphs glyphs, bool colour)
{
	struct tp_plot_text_options options = { columns, rows, glyphs, colour };
	struct tp_str out = { 0 };
	assert_int_equal(tp_plot_text(scene, &options, &out), TP_OK);
	return tp_str_take(&out);
}

/* Length of an SGR sequence at `p`, 0 if none is there; anything else after ESC fails. */
static size_t sgr_length(const char *p)
{
	if (*p != '\033')
		return 0;
	assert_int_equal(p[1], '[');
	size_t n = 2 + strspn(p + 2, "0123456789;");
	assert_int_equal(p[n], 'm');
	return n + 1;
}

/* Exactly `rows` lines, each at most `columns` wide, well formed, without trailing blanks. */
static void check_shape(const char *text, size_t columns, size_t rows, enum tp_plot_glyphs glyphs,
			bool colour)
{
	size_t lines = 0, width = 0;
	bool coloured = false;
	char last = 'x';
	for (const char *p = text; *p;) {
		size_t sgr = sgr_length(p);
		if (sgr) {
			assert_true(colour);
			coloured = strncmp(p, "\033[0m", sgr) != 0;
			p += sgr;
			continue;
		}
		if (*p == '\n') {
			assert_false(coloured);
			assert_true(width <= columns);
			assert_true(width == 0 || last != ' ');
			lines++;
			width = 0;
			last = 'x';
			p++;
			continue;
		}
		const char *start = p;
		last = *p;
		uint32_t c = tp_cell_next(&p);
		assert_true(c >= ' ');
		/* The decoder says '?' for malformed text: then it must be one. */
		assert_true(c != '?' || *start == '?');
		assert_true(c != 0x2800);
		if (glyphs == TP_GLYPHS_ASCII)
			assert_true(c < 0x7f);
		width++;
	}
	assert_int_equal(text[strlen(text) - 1], '\n');
	assert_int_equal(lines, rows);
}

static void claim(unsigned char *cells, const struct tp_layout *layout, double column, double row,
		  double columns)
{
	assert_true(column == floor(column) && row == floor(row) && columns == floor(columns));
	assert_true(row >= 0 && row < layout->box.height);
	assert_true(column >= 0 && column + columns <= layout->box.width);
	size_t width = (size_t)layout->box.width, first = (size_t)row * width + (size_t)column;
	for (size_t c = first; c < first + (size_t)columns; c++)
		assert_int_equal(cells[c]++, 0);
}

/* No two words share a cell or touch, none is on an axis, all are inside. */
static void check_layout(const struct tp_scene *scene, size_t columns, size_t rows)
{
	const struct tp_rect box = { 0, 0, (double)columns, (double)rows };
	struct tp_layout layout;
	tp_layout_make(scene, &tp_medium_cells, &box, &layout);
	const struct tp_rect *plot = &layout.plot;
	assert_true(plot->width >= 20 && plot->height >= 3);
	assert_true(plot->x >= 1 && plot->x + plot->width <= box.width);
	unsigned char *cells = calloc(columns, rows);
	assert_non_null(cells);
	for (double r = 0; r <= plot->height; r++)
		claim(cells, &layout, plot->x - 1, plot->y + r, 1);
	claim(cells, &layout, plot->x, plot->y + plot->height, plot->width);
	for (size_t i = 0; i < layout.n_labels; i++)
		claim(cells, &layout, layout.labels[i].x, layout.labels[i].y,
		      layout.labels[i].width);
	for (size_t i = 0; i < layout.n_keys; i++)
		claim(cells, &layout, layout.keys[i].x, layout.keys[i].y, TP_SAMPLE_COLUMNS + 1);
	for (size_t i = 0; i < layout.n_labels; i++) {
		const struct tp_label *a = &layout.labels[i];
		for (size_t k = 0; k < layout.n_labels; k++) {
			const struct tp_label *b = &layout.labels[k];
			assert_false(a->y == b->y && a->x + a->width == b->x);
		}
	}
	free(cells);
	tp_layout_release(&layout);
}

static void check_scene(const struct tp_scene *scene)
{
	for (size_t i = 0; i < TP_COUNT_OF(sizes); i++) {
		check_layout(scene, sizes[i].columns, sizes[i].rows);
		for (int variant = 0; variant < 2 * TP_GLYPHS_COUNT; variant++) {
			enum tp_plot_glyphs glyphs = (enum tp_plot_glyphs)(variant / 2);
			bool colour = variant % 2;
			char *text = draw(scene, sizes[i].columns, sizes[i].rows, glyphs, colour);
			check_shape(text, sizes[i].columns, sizes[i].rows, glyphs, colour);
			free(text);
		}
	}
}

static void check_golden(const struct tp_scene *scene, const char *name, size_t columns,
			 size_t rows, enum tp_plot_glyphs glyphs, bool colour)
{
	static const char *const kinds[] = { "braille", "block", "ascii" };
	char file[64];
	snprintf(file, sizeof(file), "plot-%s-%zux%zu-%s.txt", name, columns, rows,
		 colour ? "colour" : kinds[glyphs]);
	char *text = draw(scene, columns, rows, glyphs, colour);
	check_golden_text(file, text);
	free(text);
}

static void test_golden_roofline(void **state)
{
	(void)state;
	check_golden(&scenes.roofline, "roofline", 80, 24, TP_GLYPHS_BRAILLE, false);
	check_golden(&scenes.roofline, "roofline", 80, 24, TP_GLYPHS_ASCII, false);
	check_golden(&scenes.roofline, "roofline", 120, 40, TP_GLYPHS_BRAILLE, false);
	check_golden(&scenes.roofline, "roofline", 40, 10, TP_GLYPHS_ASCII, false);
	check_golden(&scenes.roofline, "roofline", 80, 24, TP_GLYPHS_BLOCK, false);
}

static void test_golden_curve(void **state)
{
	(void)state;
	check_golden(&scenes.curve, "curve", 80, 24, TP_GLYPHS_BRAILLE, false);
	check_golden(&scenes.curve, "curve", 80, 24, TP_GLYPHS_ASCII, false);
	check_golden(&scenes.curve, "curve", 120, 40, TP_GLYPHS_BRAILLE, false);
	check_golden(&scenes.curve, "curve", 80, 24, TP_GLYPHS_BRAILLE, true);
	check_golden(&scenes.curve, "curve", 80, 24, TP_GLYPHS_BLOCK, false);
}

/*
 * The font of the Linux console has the characters of code page 437 only, so a picture of blocks
 * must hold no others.
 */
static void test_blocks_are_plain(void **state)
{
	(void)state;
	static const uint32_t had[] = { 0xb7,	0x2500, 0x2502, 0x2514, 0x251c, 0x2534, 0x253c,
					0x2580, 0x2584, 0x2588, 0x258c, 0x2590, 0x25a0 };
	char *text = draw(&scenes.roofline, 120, 40, TP_GLYPHS_BLOCK, false);
	size_t lines = 0;
	for (const char *p = text; *p;) {
		uint32_t c = *p == '\n' ? (unsigned char)*p++ : tp_cell_next(&p);
		bool known = c < 0x7f;
		for (size_t i = 0; i < TP_COUNT_OF(had); i++)
			known |= c == had[i];
		assert_true(known);
		lines += c >= 0x2580 && c <= 0x2590;
	}
	assert_true(lines > 100);
	free(text);
}

static void test_both_at_all_sizes(void **state)
{
	(void)state;
	check_scene(&scenes.roofline);
	check_scene(&scenes.curve);
}

/*
 * Four rooflines over each other, each with a line of the legend, as the screens overlay runs. They
 * and the two scenes are laid out at many sizes.
 */
static void test_overlays_at_many_sizes(void **state)
{
	(void)state;
	enum { RUNS = 4, LINES = 14 };
	static const char *const runs[RUNS] = { "2026-11-21-151350-quick: avx2, 1 thread",
						"2026-11-21-151421-roofline: avx512, 2 threads",
						"night: avx512, 64 threads", "b" };
	static const char glyphs[RUNS] = { 'o', 'x', '+', '*' };
	static double y[RUNS][LINES][3];
	struct tp_series series[RUNS * LINES];
	size_t n = 0;
	for (size_t r = 0; r < RUNS; r++) {
		series[n++] = (struct tp_series){ .label = runs[r],
						  .style = TP_STYLE_LINE_AND_DOTS,
						  .role = (enum tp_plot_role)r,
						  .glyph = glyphs[r] };
		/*
		 * Behind the theory come the measured roofs and two sets of dots, which are left
		 * out here.
		 */
		for (size_t i = 5; i + 2 < scenes.roofline.n_series; i++) {
			const struct tp_series *from = &scenes.roofline.series[i];
			for (size_t k = 0; k < from->n; k++)
				y[r][i][k] = from->y[k] * (1 + 0.4 * (double)r);
			series[n] = *from;
			series[n].style = TP_STYLE_LINE_AND_DOTS;
			series[n].role = (enum tp_plot_role)r;
			series[n].glyph = glyphs[r];
			series[n++].y = y[r][i];
		}
	}
	struct tp_scene overlay = scenes.roofline;
	overlay.series = series;
	overlay.n_series = n;
	overlay.n_marks = 0;
	check_scene(&overlay);
	for (size_t columns = 80; columns <= 300; columns += 44)
		for (size_t rows = 24; rows <= 100; rows += 19) {
			check_layout(&overlay, columns, rows);
			check_layout(&scenes.roofline, columns, rows);
			check_layout(&scenes.curve, columns, rows);
		}
}

/* Every roof has its name on its line or in the legend. Colours change nothing else. */
static void test_names_are_there(void **state)
{
	(void)state;
	char *text = draw(&scenes.roofline, 120, 40, TP_GLYPHS_ASCII, false);
	static const char *const words[] = { "L1 347 GB/s",
					     "L2 117 GB/s",
					     "L3 100 GB/s",
					     "DRAM 32 GB/s",
					     "FMA+ADD 88.1 GFLOP/s",
					     "ADD 29.4 GFLOP/s",
					     "- - theoretical",
					     " o  mixed, L1",
					     "0.25",
					     "GFLOP/s",
					     "FLOP per byte",
					     "Cache-aware roofline",
					     "0.1",
					     "100 +" };
	for (size_t i = 0; i < TP_COUNT_OF(words); i++)
		if (!strstr(text, words[i]))
			fail_msg("no \"%s\" in the picture", words[i]);
	char *first = strstr(text, "theoretical");
	assert_null(strstr(first + 1, "theoretical"));
	char *coloured = draw(&scenes.roofline, 120, 40, TP_GLYPHS_ASCII, true);
	assert_non_null(strchr(coloured, '\033'));
	char *to = coloured;
	for (const char *p = coloured; *p;) {
		size_t sgr = sgr_length(p);
		p += sgr;
		if (!sgr)
			*to++ = *p++;
	}
	*to = '\0';
	assert_string_equal(coloured, text);
	free(coloured);
	free(text);
}

/* Screens ask a picture for the cells of a point and of a name. */
static void test_finding_in_cells(void **state)
{
	(void)state;
	struct tp_canvas canvas = { 0 };
	assert_int_equal(tp_canvas_draw(&canvas, &scenes.roofline, 120, 40, TP_GLYPHS_ASCII),
			 TP_OK);
	const struct tp_canvas_box *plot = &canvas.plot;
	size_t column, row;
	assert_true(tp_canvas_find(&canvas, canvas.x.min, canvas.y.min, &column, &row));
	assert_true(column == plot->column && row == plot->row + plot->rows - 1);
	assert_true(tp_canvas_find(&canvas, canvas.x.max, canvas.y.max, &column, &row));
	assert_true(column == plot->column + plot->columns - 1 && row == plot->row);
	assert_false(tp_canvas_find(&canvas, canvas.x.max * 2, canvas.y.max, &column, &row));
	assert_false(tp_canvas_find(&canvas, -1, canvas.y.max, &column, &row));
	/* Names are on lines or in the legend. Of series that look alike the first has the name. */
	for (size_t i = 0; i < scenes.roofline.n_series; i++) {
		const char *label = scenes.roofline.series[i].label;
		struct tp_canvas_box name = tp_canvas_name(&canvas, i);
		bool repeated = i > 0 && strcmp(label, scenes.roofline.series[i - 1].label) == 0;
		assert_int_equal(name.columns, repeated ? 0 : strlen(label));
		for (size_t c = 0; c < name.columns; c++) {
			enum tp_plot_role role;
			assert_int_equal(tp_canvas_look(&canvas, name.column + c, name.row, &role),
					 label[c]);
			assert_int_equal(role, scenes.roofline.series[i].role);
		}
	}
	/* Drawn anew without being released in between, and emptied by a size that is refused. */
	assert_int_equal(tp_canvas_draw(&canvas, &scenes.curve, 80, 24, TP_GLYPHS_ASCII), TP_OK);
	assert_true(canvas.columns == 80 && canvas.rows == 24);
	assert_int_equal(tp_canvas_draw(&canvas, &scenes.curve, 39, 24, TP_GLYPHS_ASCII), TP_USAGE);
	assert_true(canvas.columns == 0 && !canvas.cells);
}

static void test_sizes_refused(void **state)
{
	(void)state;
	static const struct {
		size_t columns, rows;
	} wrong[] = { { 39, 10 },	{ 40, 9 },     { 0, 0 }, { SIZE_MAX, SIZE_MAX },
		      { SIZE_MAX, 10 }, { 2048, 2048 } };
	for (size_t i = 0; i < TP_COUNT_OF(wrong); i++) {
		struct tp_plot_text_options options = { wrong[i].columns, wrong[i].rows,
							TP_GLYPHS_BRAILLE, false };
		struct tp_str out = { 0 };
		assert_int_equal(tp_plot_text(&scenes.curve, &options, &out), TP_USAGE);
		assert_null(out.s);
	}
}

static void test_empty_scenes(void **state)
{
	(void)state;
	static const enum tp_scale_kind kinds[] = { TP_SCALE_LINEAR, TP_SCALE_LOG10,
						    TP_SCALE_LOG2 };
	for (size_t i = 0; i < TP_COUNT_OF(kinds); i++) {
		struct tp_scene scene = { 0 };
		scene.x.kind = scene.y.kind = kinds[i];
		scene.x.unit = TP_UNIT_BYTES;
		check_scene(&scene);
		struct tp_series none = { .label = "nothing yet", .glyph = 'o' };
		scene.series = &none;
		scene.n_series = 1;
		scene.title = "";
		check_scene(&scene);
	}
}

/* Points without a place on an axis, alone and among others. */
static void test_odd_values(void **state)
{
	(void)state;
	static const double odd[] = { 0,   -1,	    NAN,      INFINITY, -INFINITY, 5e-324, DBL_MIN,
				      1e3, DBL_MAX, -DBL_MAX, 1e-300,	1e300,	   1,	   1 };
	static const enum tp_series_style styles[] = { TP_STYLE_SOLID, TP_STYLE_DASHED,
						       TP_STYLE_DOTS, TP_STYLE_LINE_AND_DOTS };
	enum { N = TP_COUNT_OF(odd) };
	double other[N];
	for (size_t shift = 0; shift < N; shift++) {
		for (size_t i = 0; i < N; i++)
			other[i] = odd[(i + shift) % N];
		struct tp_series s = { .label = "odd", .glyph = 'x', .n = N, .x = odd, .y = other };
		s.style = styles[shift % 4];
		s.low = shift % 3 ? odd : NULL;
		s.high = other;
		struct tp_plot_mark marks[] = {
			{ .x = odd[shift], .label = "edge" },
			{ .x = 1, .y = odd[shift], .at_point = true, .label = "p" }
		};
		struct tp_scene scene = {
			.series = &s, .n_series = 1, .marks = marks, .n_marks = 2
		};
		scene.x.kind = (enum tp_scale_kind)(shift % 3);
		scene.y.kind = (enum tp_scale_kind)(shift / 3 % 3);
		check_scene(&scene);
		scene.series =
			&(struct tp_series){ .n = 1, .x = odd + shift, .y = other, .glyph = 'o' };
		check_scene(&scene);
	}
}

/* Ends given by a zoom: everything outside is cut off. */
static void test_zoom(void **state)
{
	(void)state;
	struct tp_scene scene = scenes.roofline;
	static const double ends[][4] = { { 0.2, 0.3, 50, 100 },
					  { 1e-9, 1e-8, 1e8, 1e9 },
					  { 1e-5, 1e9, 1e-9, 1e9 },
					  { 0.0999, 0.1001, 1, 1.01 } };
	for (size_t i = 0; i < TP_COUNT_OF(ends); i++) {
		scene.x.min = ends[i][0];
		scene.x.max = ends[i][1];
		scene.y.min = ends[i][2];
		scene.y.max = ends[i][3];
		check_scene(&scene);
	}
}

static void test_many_points(void **state)
{
	(void)state;
	enum { N = 10000 };
	double *x = malloc(3 * N * sizeof(*x));
	assert_non_null(x);
	double *y = x + N, *low = y + N;
	for (size_t i = 0; i < N; i++) {
		x[i] = 1 + (double)i;
		y[i] = 2 + sin((double)i / 300);
		low[i] = y[i] * 0.9;
	}
	struct tp_series s = {
		.label = "many", .glyph = 'o', .n = N, .x = x, .y = y, .low = low, .high = y
	};
	struct tp_scene scene = { .series = &s, .n_series = 1, .x = { .kind = TP_SCALE_LOG10 } };
	for (int style = TP_STYLE_SOLID; style <= TP_STYLE_LINE_AND_DOTS; style++) {
		s.style = (enum tp_series_style)style;
		check_scene(&scene);
	}
	free(x);
}

/* Twenty series with long names, forty edges, foreign and broken text. */
static void test_crowds_and_foreign_text(void **state)
{
	(void)state;
	enum { SERIES = 70, EDGES = 40 };
	static double xs[SERIES][2], ys[SERIES][2];
	struct tp_series series[SERIES] = { 0 };
	struct tp_plot_mark marks[EDGES] = { 0 };
	static const char *const names[] = {
		"Bandbreite \xc3\xbc"
		"ber alles, sehr lang und l\xc3\xa4nger als vierzig Spalten",
		"\xe5\xb8\xaf\xe5\x9f\x9f",
		"broken \xff\xfe\xe2\x82",
		"\033[31mred\n\tx",
		"\xc2\xb5s \xc3\x97 2",
		"e\xcc\x81 \xe2\x80\xae rtl",
		""
	};
	char labels[SERIES][128];
	for (size_t i = 0; i < SERIES; i++) {
		/* One entry a name: all differ. */
		snprintf(labels[i], sizeof(labels[i]), "%s%.*s", names[i % TP_COUNT_OF(names)],
			 (int)(i / TP_COUNT_OF(names)), "*********");
		xs[i][0] = 1;
		xs[i][1] = 100;
		ys[i][0] = 1 + (double)i;
		ys[i][1] = 100 + 10 * (double)(i % 9);
		series[i] = (struct tp_series){ .label = labels[i],
						.style = (enum tp_series_style)(i % 4),
						.role = (enum tp_plot_role)(i % 7),
						.glyph = (char)(i * 5),
						.n = 2,
						.x = xs[i],
						.y = ys[i] };
	}
	for (size_t i = 0; i < EDGES; i++)
		marks[i] = (struct tp_plot_mark){ 1 + (double)i, 50, i % 4 == 0,
						  names[(i + 4) % TP_COUNT_OF(names)], 0 };
	struct tp_scene scene = { .title = names[0],
				  .series = series,
				  .n_series = SERIES,
				  .marks = marks,
				  .n_marks = EDGES };
	scene.x = (struct tp_scale){ .kind = TP_SCALE_LOG10, .label = names[0] };
	scene.y = (struct tp_scale){ .kind = TP_SCALE_LOG10, .label = names[0] };
	check_scene(&scene);
	char *text = draw(&scene, 120, 40, TP_GLYPHS_ASCII, false);
	assert_non_null(strstr(text, " more"));
	free(text);
}

/* A third of the data area is shaded, cut where the axis ends; a line has no band. */
static void test_bands_are_shaded(void **state)
{
	static const double xs[] = { 0, 30 }, ys[] = { 1, 1 };
	struct tp_plot_mark mark = { 10, 0, false, "cache", 20 };
	struct tp_series series = { .style = TP_STYLE_SOLID, .n = 2, .x = xs, .y = ys };
	struct tp_scene scene = { .series = &series, .n_series = 1, .marks = &mark, .n_marks = 1 };
	size_t shaded[3];
	(void)state;
	for (int i = 0; i < 3; i++) {
		const char *at;
		scene.x = (struct tp_scale){ TP_SCALE_LINEAR, TP_UNIT_PLAIN, 0, i == 1 ? 15 : 30,
					     "N" };
		mark.until = i == 2 ? 0 : 20;
		char *text = draw(&scene, 80, 20, TP_GLYPHS_BRAILLE, false);
		shaded[i] = 0;
		for (at = text; (at = strstr(at, "\xe2\x96\x91")); at++)
			shaded[i]++;
		free(text);
	}
	assert_in_range(shaded[0], 300, 450);
	assert_in_range(shaded[1], 300, 450);
	assert_int_equal(shaded[2], 0);
}

int main(void)
{
	plot_scenes_make(&scenes);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden_roofline),
		cmocka_unit_test(test_golden_curve),
		cmocka_unit_test(test_both_at_all_sizes),
		cmocka_unit_test(test_blocks_are_plain),
		cmocka_unit_test(test_overlays_at_many_sizes),
		cmocka_unit_test(test_names_are_there),
		cmocka_unit_test(test_finding_in_cells),
		cmocka_unit_test(test_sizes_refused),
		cmocka_unit_test(test_empty_scenes),
		cmocka_unit_test(test_odd_values),
		cmocka_unit_test(test_zoom),
		cmocka_unit_test(test_many_points),
		cmocka_unit_test(test_crowds_and_foreign_text),
		cmocka_unit_test(test_bands_are_shaded),
	};
	return cmocka_run_group_tests_name("plot", tests, NULL, NULL);
}
