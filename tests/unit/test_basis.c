/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bases: what is shipped against the numbers of the literature, and what is wrong with a file, with
 * its place.
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

#include "base/str.h"
#include "base/memory.h"
#include "preset/basis.h"
#include "tests/unit/files.h"

static void load(struct tp_basis *basis, const char *name)
{
	struct tp_diags diags = { 0 };
	char path[TP_PATH_MAX];

	snprintf(path, sizeof(path), "%s/presets/bases/%s.yaml", source_dir(), name);
	if (tp_basis_load(basis, path, &diags))
		fail_msg("%s: %s", diags.items[0].where, diags.items[0].what);
	assert_int_equal(diags.n, 0);
	assert_string_equal(basis->name, name);
	assert_string_equal(basis->path, path);
}

static double expected(const struct tp_basis *b, size_t row, size_t ideal)
{
	return b->rows[row].expect[ideal];
}

static void expect_signature(const struct tp_basis *b, const char *symbol, const double *signature)
{
	for (size_t m = 0; m < b->n_metrics; m++) {
		if (strcmp(b->metrics[m].symbol, symbol) != 0)
			continue;
		for (size_t i = 0; i < b->n_ideals; i++)
			if (b->metrics[m].signature[i] != signature[i])
				fail_msg("%s: %s is %g where %g belongs", symbol, b->ideals[i].name,
					 b->metrics[m].signature[i], signature[i]);
		return;
	}
	fail_msg("no metric %s", symbol);
}

static void flops(void **state)
{
	static const struct {
		const char *symbol;
		double signature[16];
	} rows[] = {
		{ "SP_INSTRS", { 1, 1, 1, 1, 0, 0, 0, 0, 2, 2, 2, 2 } },
		{ "SP_OPS", { 1, 4, 8, 16, 0, 0, 0, 0, 2, 8, 16, 32 } },
		{ "SP_FMA_INSTRS", { 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2 } },
		{ "DP_INSTRS", { 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 2, 2, 2, 2 } },
		{ "DP_OPS", { 0, 0, 0, 0, 1, 2, 4, 8, 0, 0, 0, 0, 2, 4, 8, 16 } },
		{ "DP_FMA_INSTRS", { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2 } },
	};
	struct tp_basis b;

	(void)state;
	load(&b, "flops");
	assert_int_equal(b.n_ideals, 16);
	assert_int_equal(b.n_rows, 48);
	assert_int_equal(b.n_metrics, TP_COUNT_OF(rows));
	for (size_t row = 0; row < b.n_rows; row++) {
		double n = (row / 3 < 8 ? 24 : 12) * (1 << row % 3);
		char name[64];

		for (size_t i = 0; i < b.n_ideals; i++)
			assert_true(expected(&b, row, i) == (i == row / 3 ? n : 0));
		assert_true(b.rows[row].x == n);
		snprintf(name, sizeof(name), "%s %g", b.rows[row].group, n);
		assert_string_equal(b.rows[row].name, name);
	}
	assert_string_equal(b.rows[0].name, "sp-scalar 24");
	assert_string_equal(b.rows[44].name, "dp-256-fma 48");
	assert_string_equal(b.ideals[15].name, "DP_512_FMA");
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++)
		expect_signature(&b, rows[i].symbol, rows[i].signature);
	assert_true(b.noise == 1e-10 && b.alpha == 5e-4);
	assert_string_equal(b.per, "iteration");
	tp_basis_release(&b);
	assert_null(b.rows);
}

static void branch(void **state)
{
	static const double table[11][5] = {
		{ 2, 2, 1.5, 0, 0 },	{ 2, 2, 1, 0, 0 },	  { 2, 2, 2, 0, 0 },
		{ 2, 2, 1.5, 0, .5 },	{ 2.5, 2.5, 1.5, 0, .5 }, { 2.5, 2.5, 2, 0, .5 },
		{ 2.5, 2, 1.5, 0, .5 }, { 3, 2.5, 1.5, 0, .5 },	  { 3, 2.5, 2, 0, .5 },
		{ 2, 2, 1, 1, 0 },	{ 1, 1, 1, 0, 0 },
	};
	static const struct {
		const char *symbol;
		double signature[5];
	} rows[] = {
		{ "BR_UNCOND", { 0, 0, 0, 1, 0 } },	   { "BR_TAKEN", { 0, 0, 1, 0, 0 } },
		{ "BR_NOT_TAKEN", { 0, 1, -1, 0, 0 } },	   { "BR_MISP", { 0, 0, 0, 0, 1 } },
		{ "BR_PRED", { 0, 1, 0, 0, -1 } },	   { "BR_COND_RETIRED", { 0, 1, 0, 0, 0 } },
		{ "BR_COND_EXECUTED", { 1, 0, 0, 0, 0 } },
	};
	struct tp_basis b;

	(void)state;
	load(&b, "branch");
	assert_int_equal(b.n_ideals, 5);
	assert_int_equal(b.n_rows, 11);
	for (size_t row = 0; row < 11; row++)
		for (size_t i = 0; i < 5; i++)
			assert_true(expected(&b, row, i) == table[row][i]);
	assert_int_equal(b.n_metrics, TP_COUNT_OF(rows));
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++)
		expect_signature(&b, rows[i].symbol, rows[i].signature);
	tp_basis_release(&b);
}

static void data_caches(void **state)
{
	static const char *const names[] = { "dcache-read", "dcache-write" };
	static const double regions[4][4] = {
		{ 0, 1, 0, 0 }, { 1, 0, 1, 0 }, { 1, 0, 0, 1 }, { 1, 0, 0, 0 }
	};
	static const struct {
		const char *symbols[2];
		double signature[4];
	} rows[] = {
		{ { "L1_MISSES", "L1_WRITE_MISSES" }, { 1, 0, 0, 0 } },
		{ { "L1_HITS", "L1_WRITE_HITS" }, { 0, 1, 0, 0 } },
		{ { "L1_READS", "L1_WRITES" }, { 1, 1, 0, 0 } },
		{ { "L2_HITS", "L2_WRITE_HITS" }, { 0, 0, 1, 0 } },
		{ { "L2_MISSES", "L2_WRITE_MISSES" }, { 1, 0, -1, 0 } },
		{ { "L3_HITS", "L3_WRITE_HITS" }, { 0, 0, 0, 1 } },
	};

	(void)state;
	for (size_t f = 0; f < 2; f++) {
		struct tp_basis b;

		load(&b, names[f]);
		assert_int_equal(b.n_rows, 48);
		assert_int_equal(b.n_regions, 4);
		for (size_t row = 0; row < 48; row++) {
			assert_int_equal(b.rows[row].region, row % 8 / 2);
			for (size_t i = 0; i < 4; i++)
				assert_true(expected(&b, row, i) == regions[row % 8 / 2][i]);
		}
		assert_string_equal(b.rows[0].name, "stride64 ppb16 L1 1");
		assert_string_equal(b.rows[47].name, "stride128 ppb512 M 2");
		assert_string_equal(b.rows[47].group, "stride128 ppb512");
		assert_true(isnan(b.rows[3].x));
		assert_string_equal(b.per, "access");
		assert_true(b.noise == 0.1 && b.alpha == 0.05);
		assert_int_equal(b.n_metrics, 6);
		for (size_t i = 0; i < TP_COUNT_OF(rows); i++)
			expect_signature(&b, rows[i].symbols[f], rows[i].signature);
		tp_basis_release(&b);
	}
}

/* Whatever lies in presets/bases can be read, and its columns are not empty. */
static void every_shipped_basis_is_sound(void **state)
{
	struct tp_named_file *entries = NULL;
	struct tp_diag diag;
	size_t n = 0;

	(void)state;
	setenv("TPROF_DATADIR", source_dir(), 1);
	setenv("XDG_DATA_HOME", "/nonexistent", 1);
	assert_int_equal(tp_basis_entries(&entries, &n, &diag), TP_OK);
	assert_true(n >= 5);
	for (size_t e = 0; e < n; e++) {
		struct tp_basis b;
		struct tp_diags diags = { 0 };

		assert_true(entries[e].title[0]);
		if (tp_basis_find(&b, entries[e].name, &diags))
			fail_msg("%s: %s", diags.items[0].where, diags.items[0].what);
		if (strcmp(b.name, entries[e].name) != 0) {
			struct tp_basis other;
			assert_int_equal(tp_basis_find(&other, b.name, &diags), TP_OK);
			assert_string_equal(other.load_store, entries[e].name);
			tp_basis_release(&other);
		}
		assert_true(b.n_rows >= b.n_ideals && b.n_metrics > 0);
		for (size_t i = 0; i < b.n_ideals; i++) {
			double sum = 0;

			for (size_t row = 0; row < b.n_rows; row++)
				sum += expected(&b, row, i);
			if (!(sum > 0))
				fail_msg("%s: no row exercises %s", b.name, b.ideals[i].name);
		}
		tp_basis_release(&b);
	}
	free(entries);
}

static void names_are_found(void **state)
{
	struct tp_diags diags = { 0 };
	struct tp_basis b;
	char path[TP_PATH_MAX + 64];

	(void)state;
	assert_int_equal(tp_basis_find(&b, "flop", &diags), TP_NOTFOUND);
	assert_string_equal(diags.items[0].hint, "did you mean flops?");
	assert_int_equal(tp_basis_find(&b, "", &diags), TP_NOTFOUND);
	assert_int_equal(tp_basis_find(&b, "/nonexistent/flops.yaml", &diags), TP_NOTFOUND);
	snprintf(path, sizeof(path), "%s/presets/bases/branch.yaml", source_dir());
	assert_int_equal(tp_basis_find(&b, path, &diags), TP_OK);
	assert_string_equal(b.name, "branch");
	tp_basis_release(&b);
	tp_diags_release(&diags);
}

/* --- files of one's own --- */

#define SMALL                                                                                      \
	"title: two events\n"                                                                      \
	"ideals: [A, {name: B, title: the other}]\n"                                               \
	"regions: {near: {A: 1}, far: {A: 1, B: 2}}\n"                                             \
	"rows:\n"                                                                                  \
	"  - {name: r 1, group: r, x: 32KiB, region: far}\n"                                       \
	"  - {name: r 2, x: 1e3, expect: {B: 0.5}}\n"                                              \
	"  - {name: r 3, expect: {}}\n"                                                            \
	"metrics:\n"                                                                               \
	"  - {name: difference, symbol: D_1, signature: {A: 1, B: -1}}\n"

static void a_small_file(void **state)
{
	struct tp_diags diags = { 0 };
	struct tp_basis b;

	(void)state;
	assert_int_equal(tp_basis_parse(&b, "some/where/mine.yaml", SMALL, strlen(SMALL), &diags),
			 TP_OK);
	assert_string_equal(b.name, "mine");
	assert_string_equal(b.per, "iteration");
	assert_string_equal(b.ideals[1].title, "the other");
	assert_string_equal(b.ideals[0].title, "");
	assert_true(b.rows[0].x == 32768 && b.rows[1].x == 1000 && isnan(b.rows[2].x));
	assert_int_equal(b.rows[0].region, 1);
	assert_int_equal(b.rows[1].region, -1);
	assert_true(expected(&b, 0, 0) == 1 && expected(&b, 0, 1) == 2);
	assert_true(expected(&b, 1, 0) == 0 && expected(&b, 1, 1) == 0.5);
	assert_true(expected(&b, 2, 0) == 0 && expected(&b, 2, 1) == 0);
	assert_true(b.metrics[0].signature[0] == 1 && b.metrics[0].signature[1] == -1);
	assert_true(b.noise == 1e-10 && b.residual == 1e-3 && b.alpha == 5e-4 &&
		    b.defined == 1e-10);
	assert_string_equal(b.metrics[0].unit, "");
	tp_basis_release(&b);
}

static void rows_made_elsewhere(void **state)
{
	struct tp_diags diags = { 0 };
	struct tp_diag diag;
	struct tp_basis b;
	char name[16];
	struct tp_basis_row rows[] = { { name, NULL, 1, 0, NULL }, { "second", "g", 2, 1, NULL } };

	(void)state;
	assert_int_equal(tp_basis_parse(&b, "mine.yaml", SMALL, strlen(SMALL), &diags), TP_OK);
	snprintf(name, sizeof(name), "first");
	assert_int_equal(tp_basis_set_rows(&b, rows, 2, &diag), TP_OK);
	memset(name, 0, sizeof(name)); /* it was copied */
	assert_int_equal(b.n_rows, 2);
	assert_string_equal(b.rows[0].name, "first");
	assert_string_equal(b.rows[0].group, "");
	assert_string_equal(b.rows[1].group, "g");
	assert_true(expected(&b, 0, 0) == 1 && expected(&b, 0, 1) == 0);
	assert_true(expected(&b, 1, 0) == 1 && expected(&b, 1, 1) == 2);
	rows[1].region = 2;
	assert_int_equal(tp_basis_set_rows(&b, rows, 2, &diag), TP_USAGE);
	assert_int_equal(tp_basis_set_rows(&b, rows, 0, &diag), TP_USAGE);
	assert_int_equal(b.n_rows, 2);
	tp_basis_release(&b);
}

static void each_error_has_its_place(void **state)
{
	static const struct {
		const char *text, *where, *what;
	} rows[] = {
		{ "", "b.yaml:1:1", "the file is empty" },
		{ "- 1\n", "b.yaml:1:1", "expected keys with values" },
		{ "title: x\n", "b.yaml:1:1", "ideals is missing in a basis" },
		{ SMALL "colour: red\n", "b.yaml:10:1", "unknown key \"colour\"" },
		{ SMALL "title: again\n", "b.yaml:10:1",
		  "title is written twice; first in line 1" },
		{ SMALL "notes:\n", "b.yaml:10:1", "notes has no value" },
		{ SMALL "name: a/b\n", "b.yaml:10:7", "not a valid name of a family" },
		{ SMALL "name: [a]\n", "b.yaml:10:7", "name takes one value, not a list" },
		{ SMALL "limits: 5\n", "b.yaml:10:9", "expected keys with values" },
		{ SMALL "limits: {tau: 1}\n", "b.yaml:10:10", "unknown key \"tau\"" },
		{ SMALL "limits: {noise: many}\n", "b.yaml:10:17",
		  "\"many\" is not a value for noise" },
		{ SMALL "limits: {noise: -1}\n", "b.yaml:10:17",
		  "\"-1\" is not a value for noise" },
		{ SMALL "limits: {alpha: 0}\n", "b.yaml:10:17", "\"0\" is not a value for alpha" },
		{ SMALL "limits: {noise: nan}\n", "b.yaml:10:17",
		  "\"nan\" is not a value for noise" },
		{ SMALL "limits: {noise: [1]}\n", "b.yaml:10:17",
		  "noise takes one value, not a list" },
		{ SMALL "  - {name: d, symbol: E, signature: {C: 1}}\n", "b.yaml:10:38",
		  "there is no ideal \"C\"" },
		{ SMALL "  - {name: d, symbol: E, signature: {A: x}}\n", "b.yaml:10:41",
		  "\"x\" is not a value for A" },
		{ SMALL "  - {name: d, symbol: E, signature: {A: 1, A: 2}}\n", "b.yaml:10:44",
		  "A is written twice; first in line 10" },
		{ SMALL "  - {name: d, symbol: E, signature: 1}\n", "b.yaml:10:37",
		  "expected ideal events with numbers" },
		{ SMALL "  - {name: d, symbol: E}\n", "b.yaml:10:5",
		  "signature is missing in metrics" },
		{ SMALL "  - {name: d, symbol: e-f, signature: {A: 1}}\n", "b.yaml:10:23",
		  "not a valid name of an event" },
		{ SMALL "  - {name: difference, symbol: E, signature: {A: 1}}\n", "b.yaml:10:5",
		  "a second metric is called \"difference\"" },
		{ SMALL "  - {name: d, symbol: D_1, signature: {A: 1}}\n", "b.yaml:10:5",
		  "a second metric is called \"D_1\"" },
		{ "title: x\nideals: []\nrows: []\nmetrics: []\n", "b.yaml:2:9",
		  "ideals: expected a list of 1 to 256 ideal events" },
		{ "title: x\nideals: [A, A]\nrows: [{name: r, expect: {A: 1}}]\n"
		  "metrics: [{name: m, symbol: M, signature: {A: 1}}]\n",
		  "b.yaml:2:13", "a second ideal event is called \"A\"" },
		{ "title: x\nideals: [A]\nrows: [{name: r}]\n"
		  "metrics: [{name: m, symbol: M, signature: {A: 1}}]\n",
		  "b.yaml:3:8", "neither \"expect\" nor \"region\"" },
		{ "title: x\nideals: [A]\nregions: {R: {A: 1}}\n"
		  "rows: [{name: r, region: R, expect: {A: 1}}]\n"
		  "metrics: [{name: m, symbol: M, signature: {A: 1}}]\n",
		  "b.yaml:4:8", "both \"expect\" and \"region\"" },
		{ "title: x\nideals: [A]\nrows: [{name: r, region: R}]\n"
		  "metrics: [{name: m, symbol: M, signature: {A: 1}}]\n",
		  "b.yaml:3:26", "there is no region \"R\"" },
		{ "title: x\nideals: [A]\nrows: [{name: r, expect: {A: -1}}]\n"
		  "metrics: [{name: m, symbol: M, signature: {A: 1}}]\n",
		  "b.yaml:3:30", "\"-1\" is not a value for A" },
		{ "title: x\nideals: [A]\nrows:\n- {name: r, expect: {A: 1}}\n"
		  "- {name: r, expect: {A: 1}}\n"
		  "metrics: [{name: m, symbol: M, signature: {A: 1}}]\n",
		  "b.yaml:5:3", "a second row is called \"r\"" },
		{ "title: x\nideals: [A]\nrows: [{name: r, expect: {A: 1}, x: wide}]\n"
		  "metrics: [{name: m, symbol: M, signature: {A: 1}}]\n",
		  "b.yaml:3:37", "\"wide\" is not a value for x" },
		{ SMALL "\tx", "b.yaml:10:1", "broken YAML" },
		{ SMALL "notes: &a x\n", "b.yaml:10:8", "anchors (&name) are not used in bases" },
		{ SMALL "---\ntitle: x\n", "b.yaml:10:1", "a basis is one" },
	};

	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		struct tp_diags diags = { 0 };
		struct tp_basis b;
		bool found = false;

		assert_int_equal(
			tp_basis_parse(&b, "b.yaml", rows[i].text, strlen(rows[i].text), &diags),
			TP_USAGE);
		assert_null(b.rows);
		for (size_t d = 0; d < diags.n; d++)
			found |= strcmp(diags.items[d].where, rows[i].where) == 0 &&
				 strstr(diags.items[d].what, rows[i].what);
		if (!found)
			fail_msg("%s\n%s: %s\nis not told, but %s: %s", rows[i].text, rows[i].where,
				 rows[i].what, diags.n ? diags.items[0].where : "nothing",
				 diags.n ? diags.items[0].what : "");
		tp_diags_release(&diags);
	}
}

/*
 * The names of the limits, once everything else is right, are told one by one: nothing hides behind
 * the first error.
 */
static void all_errors_are_told(void **state)
{
	static const char text[] = "title: x\nideals: [A]\nrows:\n- {name: r, expect: {B: 1}}\n"
				   "- {nam: s, expect: {A: y}}\nmetrics:\n"
				   "- {name: m, symbol: m, signature: {C: 1}}\n";
	struct tp_diags diags = { 0 };
	struct tp_basis b;

	(void)state;
	assert_int_equal(tp_basis_parse(&b, "b.yaml", text, strlen(text), &diags), TP_USAGE);
	assert_int_equal(diags.n, 6);
	assert_string_equal(diags.items[0].where, "b.yaml:4:22");
	assert_string_equal(diags.items[2].hint, "did you mean name?");
	tp_diags_release(&diags);
}

/* --- the manual --- */

/*
 * Items of a part of the section KEYS, each with a comma and a blank behind as in a list of known
 * keys.
 */
static void keys_on_page(const char *page, const char *part, struct tp_str *out)
{
	char head[64];
	const char *at;

	snprintf(head, sizeof(head), "\n.Ss %s\n", part);
	at = strstr(page, head);
	assert_non_null(at);
	for (at += strlen(head); *at && strncmp(at, ".Ss ", 4) != 0 && strncmp(at, ".Sh ", 4) != 0;
	     at += *at == '\n') {
		size_t len = strcspn(at, "\n");

		if (strncmp(at, ".It Cm ", 7) == 0) {
			tp_str_add(out, out->len ? ", " : "");
			tp_str_add_n(out, at + 7, len - 7);
		}
		at += len;
	}
}

/* A key that nobody knows gets those that are known as an answer: in the order of the page. */
static void keys_are_those_of_the_page(void **state)
{
	static const struct {
		const char *part, *text;
	} rows[] = {
		{ "Top level", "qqqqqqqqqqqq: 1\n" },
		{ "limits", "title: x\nlimits: {qqqqqqqqqqqq: 1}\n" },
		{ "ideals", "ideals: [{qqqqqqqqqqqq: 1}]\n" },
		{ "rows", "ideals: [A]\nrows: [{qqqqqqqqqqqq: 1}]\n" },
		{ "metrics", "ideals: [A]\nmetrics: [{qqqqqqqqqqqq: 1}]\n" },
	};
	char path[TP_PATH_MAX], *page = NULL;
	struct tp_diag diag;
	size_t len;

	(void)state;
	snprintf(path, sizeof(path), "%s/man/tprof-basis.5", source_dir());
	assert_int_equal(tp_file_read(path, 1 << 20, &page, &len, &diag), TP_OK);
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		struct tp_diags diags = { 0 };
		struct tp_str on_page = { 0 };
		struct tp_basis b;
		const char *known = "", *last;
		struct tp_str told = { 0 };

		tp_basis_parse(&b, "b.yaml", rows[i].text, strlen(rows[i].text), &diags);
		for (size_t d = 0; d < diags.n; d++)
			if (strncmp(diags.items[d].hint, "allowed: ", 9) == 0)
				known = diags.items[d].hint + 9;
		last = strstr(known, " and ");
		if (!last)
			fail_msg("%s: no keys are told", rows[i].part);
		tp_str_add_n(&told, known, (size_t)(last - known));
		tp_str_printf(&told, ", %s", last + 5);
		keys_on_page(page, rows[i].part, &on_page);
		assert_string_equal(tp_str_text(&told), tp_str_text(&on_page));
		tp_str_release(&told);
		tp_str_release(&on_page);
		tp_diags_release(&diags);
	}
	free(page);
}

/* What the page shows is a basis. */
static void the_example_of_the_page_is_sound(void **state)
{
	char path[TP_PATH_MAX], *page = NULL, *from, *end;
	struct tp_diags diags = { 0 };
	struct tp_diag diag;
	struct tp_basis b;
	size_t len;

	(void)state;
	snprintf(path, sizeof(path), "%s/man/tprof-basis.5", source_dir());
	assert_int_equal(tp_file_read(path, 1 << 20, &page, &len, &diag), TP_OK);
	from = strstr(page, ".Bd -literal -offset indent\n");
	end = from ? strstr(from, ".Ed") : NULL;
	assert_non_null(end);
	from = strchr(from, '\n') + 1;
	if (tp_basis_parse(&b, "copy.yaml", from, (size_t)(end - from), &diags))
		fail_msg("%s: %s", diags.items[0].where, diags.items[0].what);
	assert_int_equal(b.n_rows, 3);
	tp_basis_release(&b);
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flops),
		cmocka_unit_test(branch),
		cmocka_unit_test(data_caches),
		cmocka_unit_test(every_shipped_basis_is_sound),
		cmocka_unit_test(names_are_found),
		cmocka_unit_test(a_small_file),
		cmocka_unit_test(rows_made_elsewhere),
		cmocka_unit_test(each_error_has_its_place),
		cmocka_unit_test(all_errors_are_told),
		cmocka_unit_test(keys_are_those_of_the_page),
		cmocka_unit_test(the_example_of_the_page_is_sound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
