/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns: what documents say, configurations, accesses, and the C that comes out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/memory.h"
#include "pattern/pattern.h"

/* --- expressions --- */

static bool lookup(void *context, const char *name, size_t len, double *value)
{
	(void)context;
	if (len == 1 && *name == 'n')
		*value = 10;
	else if (len == 6 && memcmp(name, "tile_i", 6) == 0)
		*value = 4;
	else if (len == 7 && memcmp(name, "l1.gbps", 7) == 0)
		*value = 3;
	else
		return false;
	return true;
}

static void test_expressions(void **state)
{
	static const struct {
		const char *text;
		double value;
	} rows[] = {
		{ "1 + 2 * 3", 7 },
		{ "(1 + 2) * 3", 9 },
		{ "n*(n-2)", 80 },
		{ "-n + 3", -7 },
		{ "n % tile_i", 2 },
		{ "l1.gbps * 2 - n", -4 },
		{ "-1 % 4", 3 },
		{ "tile_i <= n", 1 },
		{ "tile_i <= n < 10", 0 },
		{ "1 < tile_i <= n", 1 },
		{ "n == 10 and tile_i == 4", 1 },
		{ "n == 9 or not tile_i == 5", 1 },
		{ "not n", 0 },
		{ "min(n, tile_i, 7)", 4 },
		{ "max(n, 3) + floor(2.7) + ceil(2.2)", 15 },
		{ "1.5e1", 15 },
		{ "log2(8)", 3 },
		{ "exp2(floor(log2(1000)))", 512 },
		{ "distinct(n, 10, tile_i, floor(n / 16), 0)", 3 },
		{ "\"avx2\" == 'avx2' and 'a' != 'b' == 'b'", 1 },
		{ "distinct('a', 'b', 'a', 1)", 3 },
	};
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		double value;
		struct tp_diag diag = { 0 };
		if (tp_expression_eval(rows[i].text, lookup, NULL, &value, &diag) != TP_OK)
			fail_msg("%s: %s", rows[i].text, diag.what);
		assert_true(value == rows[i].value);
	}
}

static void test_expressions_that_are_wrong(void **state)
{
	static const struct {
		const char *text, *what;
	} rows[] = {
		{ "", "expected a number" },
		{ "1 +", "column 4" },
		{ "m + 1", "there is no m" },
		{ "l1.gbp", "there is no l1.gbp" },
		{ "l1 .gbps", "column 4" },
		{ "n.", "column 2" },
		{ "n.5", "column 2" },
		{ "1 / 0", "division by zero" },
		{ "n % 0", "division by zero" },
		{ "(1", "expected )" },
		{ "1 2", "not understood" },
		{ "sin(1)", "no such function" },
		{ "1e308 * 1e308", "not a finite number" },
		{ "n; system(1)", "not understood" },
		{ "n == 'x'", "column 9: a word is compared with a number" },
		{ "'a' < 'b'", "only by == and !=" },
		{ "1 + 'a'", "a word where a number should be" },
		{ "max(1, 'a')", "a word where a number should be" },
		{ "'a'", "a word where a number should be" },
		{ "'a", "the quote is not closed" },
		{ "abs(1, 2)", "too many arguments" },
		{ "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1",
		  "too many brackets" },
		{ "------------------------------------------------------------1", "too many" },
	};
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		double value;
		struct tp_diag diag = { 0 };
		assert_int_equal(tp_expression_eval(rows[i].text, lookup, NULL, &value, &diag),
				 TP_USAGE);
		if (!strstr(diag.what, rows[i].what))
			fail_msg("%s: %s", rows[i].text, diag.what);
	}
}

/* --- documents --- */

static struct tp_arena memory;

static const char stencil[] =
	"summary: stencil\n"
	"parameters:\n"
	"  n: 100\n"
	"  pad: {values: [1, 8], help: doubles between threads}\n"
	"arrays:\n"
	"  a: {type: double, extents: [threads * pad, n]}\n"
	"  b: {type: float, extents: [2, n + 1], padding: 3, offset: 2}\n"
	"map:\n"
	"  a(i): [t * pad, i]\n"
	"  b(k, i): [k % 2, i]\n"
	"statements:\n"
	"  S(i): {code: \"b(0, i) = a(i - 1) + a(i + 1) + a(i-1);\", flops: 1,\n"
	"         instances: n - 2}\n"
	"init: {c: \"a(0) = 0;\"}\n"
	"run:\n"
	"  domain: \"[n] -> { S[i] : 1 <= i < n - 1 }\"\n"
	"  schedule: [\"{ S[i] -> [i] }\"]\n"
	"validate: reference\n";

static void parse(struct tp_pattern *p, const char *text)
{
	struct tp_diags diags = { 0 };
	if (tp_pattern_parse(p, &memory, "s.yaml", text, strlen(text), &diags) != TP_OK)
		fail_msg("%s: %s", diags.n ? diags.items[0].where : "?",
			 diags.n ? diags.items[0].what : "?");
	tp_diags_release(&diags);
}

static void test_document(void **state)
{
	struct tp_pattern p;
	(void)state;
	parse(&p, stencil);
	assert_string_equal(p.summary, "stencil");
	assert_int_equal(p.n_parameters, 2);
	assert_true(p.parameters[0].runtime);
	assert_false(p.parameters[1].runtime);
	assert_int_equal(p.parameters[1].n, 2);
	assert_int_equal(p.parameters[1].values[1], 8);
	assert_int_equal(p.arrays[1].type, TP_PATTERN_FLOAT);
	assert_int_equal(p.arrays[0].n_map, 2);
	assert_true(p.reference);
	assert_int_equal(p.n_templates, 1);
	tp_arena_release(&memory);
}

static void test_errors_have_places(void **state)
{
	static const struct {
		const char *from, *to; /* a change of the stencil */
		const char *where, *what;
	} rows[] = {
		{ "  n: 100\n", "  int: 100\n", "s.yaml:3:3", "has a meaning already" },
		{ "  n: 100\n", "  n: -1\n", "s.yaml:3:6", "\"-1\" is not a value for n" },
		{ "  n: 100\n", "  n: []\n", "s.yaml:3:6", "0 values" },
		{ "type: double", "type: real", "s.yaml:6:13", "no such type" },
		{ "[t * pad, i]", "[t, pad, i]", "s.yaml:9:9", "2 dimensions and 3 indices" },
		{ "  b(k, i): [k % 2, i]\n", "", "s.yaml:7:3", "b has none" },
		{ "  b(k, i)", "  c(k, i)", "s.yaml:10:3", "no array c" },
		{ "  a(i): [", "  a: [", "s.yaml:9:3", "no indices" },
		{ "code:", "cod:", "s.yaml:12:10", "cod" },
		{ "  domain:", "  c: x\n  domain:", "s.yaml:16:3", "either c or domain" },
		{ "validate: reference\n", "", "s.yaml:1:1", "validate" },
		{ "pad: {values", "a: {values", "s.yaml:4:3", "something else" },
		{ "validate: reference\n", "validate: {c: x}\nreference: {c: y}\n", "s.yaml:19:12",
		  "does not use it" },
		{ "validate: reference\n", "validate: reference\nreference: {d: y}\n",
		  "s.yaml:19:13", "d" },
		{ "  S(i):", "  S(i, i):", "s.yaml:12:3", "has an index twice" },
		{ "summary: stencil\n", "summary: stencil\nnowait: []\n", "s.yaml:2:9",
		  "1 or 2 values" },
	};
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		char text[4096];
		struct tp_pattern p;
		struct tp_diags diags = { 0 };
		const char *at = strstr(stencil, rows[i].from);
		assert_non_null(at);
		snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - stencil), stencil, rows[i].to,
			 at + strlen(rows[i].from));
		assert_int_equal(
			tp_pattern_parse(&p, &memory, "s.yaml", text, strlen(text), &diags),
			TP_USAGE);
		bool found = false;
		for (size_t d = 0; d < diags.n; d++)
			found |= strcmp(diags.items[d].where, rows[i].where) == 0 &&
				 strstr(diags.items[d].what, rows[i].what);
		if (!found)
			fail_msg("%s: %s: %s", rows[i].to, diags.items[0].where,
				 diags.items[0].what);
		tp_diags_release(&diags);
		tp_arena_release(&memory);
	}
}

/* --- configurations --- */

static struct tp_pattern_config configure(const struct tp_pattern *p, int64_t n, int64_t second)
{
	return (struct tp_pattern_config){
		.pattern = p, .template = p->templates[0], .threads = 2, .values = { n, second }
	};
}

static void test_layout_and_work(void **state)
{
	struct tp_pattern p;
	struct tp_pattern_layout layout;
	struct tp_pattern_work work;
	struct tp_diag diag = { 0 };
	uint64_t bytes;
	char name[64];
	(void)state;
	parse(&p, stencil);
	struct tp_pattern_config c = configure(&p, 100, 8);
	assert_int_equal(tp_pattern_config_layout(&c, &p.arrays[0], &layout, &diag), TP_OK);
	assert_int_equal(layout.extents[0], 16);
	assert_int_equal(layout.extents[1], 100);
	assert_int_equal(layout.bytes, 16 * 100 * 8);
	assert_int_equal(tp_pattern_config_layout(&c, &p.arrays[1], &layout, &diag), TP_OK);
	assert_int_equal(layout.extents[1], 104);
	assert_int_equal(layout.bytes, (2 * 104 + 2) * 4);
	assert_int_equal(tp_pattern_config_bytes(&c, &bytes, &diag), TP_OK);
	assert_int_equal(bytes, 16 * 100 * 8 + (2 * 104 + 2) * 4);
	/* Each thread has all of it. */
	c.template = TP_PATTERN_INDEPENDENT;
	assert_int_equal(tp_pattern_config_bytes(&c, &bytes, &diag), TP_OK);
	assert_int_equal(bytes, 2 * (16 * 50 * 8 + (2 * 54 + 2) * 4));
	c.template = TP_PATTERN_UNIFIED;
	/* Two different elements are read, one is written. */
	assert_int_equal(tp_pattern_config_work(&c, &work, &diag), TP_OK);
	assert_true(work.elements == 98);
	assert_true(work.reads == 2 * 98);
	assert_true(work.writes == 98);
	assert_true(work.bytes == 98 * (8 + 8 + 4));
	assert_true(work.flops == 98);
	assert_string_equal(tp_pattern_config_name(&c, name, sizeof(name)), "n=100 pad=8");
	/* Elements that the pattern names are divided by; the work stays as it is. */
	p.elements = (struct tp_pattern_text){ "4 * n", { 20, 1 } };
	assert_int_equal(tp_pattern_config_work(&c, &work, &diag), TP_OK);
	assert_true(work.elements == 400);
	assert_true(work.flops == 98);
	p.elements.text = "0 - n";
	assert_int_equal(tp_pattern_config_work(&c, &work, &diag), TP_USAGE);
	assert_string_equal(diag.where, "s.yaml:20:1");
	c.values[0] = INT64_C(1) << 40;
	assert_int_equal(tp_pattern_config_bytes(&c, &bytes, &diag), TP_RESOURCE);
	tp_arena_release(&memory);
}

/* What is counted is a number from 0 on; accesses that the code hides are those of the first array.
 */
static void test_counts(void **state)
{
	static const struct {
		const char *counts;
		double bytes; /* < 0: refused */
	} rows[] = {
		{ "instances: 10", 10 * (8 + 8 + 4) },
		{ "instances: 10, reads: 3, writes: 1", 10 * 4 * (8 + 8 + 4) / 3.0 },
		{ "instances: 10, reads: 0, writes: 0", 0 },
		{ "instances: -1", -1 },
		{ "instances: 10, reads: -1", -1 },
		{ "instances: 10, flops: 1e300", -1 },
		{ "instances: 1e200", -1 },
	};
	(void)state;
	for (int hidden = 0; hidden < 2; hidden++)
		for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
			struct tp_pattern p;
			struct tp_pattern_work work;
			struct tp_diag diag = { 0 };
			char text[4096];
			const char *at = strstr(stencil, "S(i): {"), *rest = strstr(at, "init:");
			snprintf(text, sizeof(text), "%.*sS(i): {code: \"%s\", %s}\n%s",
				 (int)(at - stencil), stencil,
				 hidden ? "f(i);" : "b(0, i) = a(i - 1) + a(i + 1);",
				 rows[i].counts, rest);
			parse(&p, text);
			struct tp_pattern_config c = configure(&p, 100, 8);
			enum tp_status status = tp_pattern_config_work(&c, &work, &diag);
			assert_int_equal(status, rows[i].bytes < 0 ? TP_USAGE : TP_OK);
			if (status != TP_OK)
				assert_true(strncmp(diag.where, "s.yaml:12", 9) == 0);
			else if (!hidden)
				assert_true(fabs(work.bytes - rows[i].bytes) < 1e-9);
			else
				assert_true(work.bytes == 8 * (work.reads + work.writes));
			tp_arena_release(&memory);
		}
}

static void test_repeat(void **state)
{
	static const struct {
		const char *code, *expanded;
	} rows[] = {
		{ "x REPEAT(k, 1, 3, + a(k)) y", "x + a(1) + a(2) + a(3)  y" },
		{ "REPEAT(k, 0, pad - 7, f(k, 2 * k);)", "f(0, 2 * 0); f(1, 2 * 1); " },
		{ "REPEAT(k, 1, 2, REPEAT(l, k, 2, k.l ))", "1.1  1.2   2.2   " },
		{ "REPEAT(k, 2, 1, never)", "" },
		{ "kk REPEAT(k, 1, 1, kk 0xk)", "kk kk 0xk " },
		{ "a /* don't ( REPEAT( */ b // )\nc", "a   b  \nc" },
		{ "s = \"// \\\" /*\"; /* x\n */ y", "s = \"// \\\" /*\";  \n y" },
	};
	struct tp_pattern p;
	struct tp_diag diag = { 0 };
	(void)state;
	parse(&p, stencil);
	const struct tp_pattern_config c = configure(&p, 100, 8);
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		struct tp_str out = { 0 };
		struct tp_pattern_text text = { rows[i].code, { 1, 1 } };
		if (tp_pattern_expand(&c, &text, &out, &diag) != TP_OK)
			fail_msg("%s: %s", rows[i].code, diag.what);
		assert_string_equal(tp_str_text(&out), rows[i].expanded);
		tp_str_release(&out);
	}
	static const char *const wrong[] = { "REPEAT(k, 1, 2)",
					     "REPEAT(1, 1, 2, x)",
					     "REPEAT(k, 1, m, x)",
					     "REPEAT(k, 1, n, x)",
					     "REPEAT(k, 1, threads, x)",
					     "REPEAT(k, 0, 1024, x)",
					     "REPEAT(k, 1, 1, REPEAT(l, 1, 1, REPEAT(m, 1, 1, "
					     "REPEAT(o, 1, 1, REPEAT(p, 1, 1, x)))))",
					     "REPEAT(k, 1, 1024, REPEAT(l, 1, 1024, REPEAT(m, 1, "
					     "1024, REPEAT(o, 1, 0, x))))",
					     "REPEAT(k, 1, 1e9, x)",
					     "REPEAT(k, 1, 2, x",
					     "REPEAT(k, 0, 1000, REPEAT(l, 0, "
					     "1000, aaaaaaaaaaaaaaaaaaaaaaa))" };
	for (size_t i = 0; i < TP_COUNT_OF(wrong); i++) {
		struct tp_str out = { 0 };
		struct tp_pattern_text text = { wrong[i], { 7, 2 } };
		assert_int_not_equal(tp_pattern_expand(&c, &text, &out, &diag), TP_OK);
		assert_string_equal(diag.where, "s.yaml:7:2");
		tp_str_release(&out);
	}
	tp_arena_release(&memory);
}

static void test_accesses(void **state)
{
	static const struct {
		const char *code;
		unsigned n, reads, writes;
	} rows[] = {
		{ "b(0, i) = a(i);", 2, 1, 1 },
		{ "a(i) += 2 * a(i);", 1, 1, 1 },
		{ "a(i)++;", 1, 1, 1 },
		{ "++a(i);", 1, 1, 1 },
		{ "if (a(i) == a(i + 1)) b(1, i) = 0;", 3, 2, 1 },
		{ "a(i) <<= 1;", 1, 1, 1 },
		{ "x = a(i) <= 1;", 1, 1, 0 },
		{ "a( i - 1 ) = a(i-1);", 1, 1, 1 },
		{ "b(0, b(1, i)) = 1;", 2, 1, 1 },
	};
	struct tp_pattern p;
	struct tp_diag diag = { 0 };
	(void)state;
	parse(&p, stencil);
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		struct tp_pattern_access accesses[TP_PATTERN_ACCESSES_MAX];
		struct tp_arena arena = { 0 };
		size_t n;
		unsigned reads = 0, writes = 0;
		assert_int_equal(tp_pattern_accesses(&p, &p.statements[0], rows[i].code, &arena,
						     accesses, &n, &diag),
				 TP_OK);
		for (size_t k = 0; k < n; k++) {
			reads += accesses[k].read;
			writes += accesses[k].write;
		}
		if (n != rows[i].n || reads != rows[i].reads || writes != rows[i].writes)
			fail_msg("%s: %zu, %u, %u", rows[i].code, n, reads, writes);
		tp_arena_release(&arena);
	}
	static const char *const wrong[] = { "a = 1;", "a(i, 2) = 1;", "a(i = 1;" };
	for (size_t i = 0; i < TP_COUNT_OF(wrong); i++) {
		struct tp_pattern_access accesses[TP_PATTERN_ACCESSES_MAX];
		struct tp_arena arena = { 0 };
		size_t n;
		assert_int_equal(tp_pattern_accesses(&p, &p.statements[0], wrong[i], &arena,
						     accesses, &n, &diag),
				 TP_USAGE);
		tp_arena_release(&arena);
	}
	tp_arena_release(&memory);
}

/* Two configurations share their code where only runtime parameters differ. */
static void test_keys(void **state)
{
	struct tp_pattern p;
	struct tp_str keys[4] = { 0 };
	(void)state;
	parse(&p, stencil);
	struct tp_pattern_config c[] = { configure(&p, 100, 8), configure(&p, 200, 8),
					 configure(&p, 100, 1), configure(&p, 100, 8) };
	c[3].threads = 1; /* it shares no loops */
	for (size_t i = 0; i < 4; i++)
		tp_pattern_key(&c[i], &keys[i]);
	assert_string_equal(tp_str_text(&keys[0]), tp_str_text(&keys[1]));
	assert_string_not_equal(tp_str_text(&keys[0]), tp_str_text(&keys[2]));
	assert_string_not_equal(tp_str_text(&keys[0]), tp_str_text(&keys[3]));
	for (size_t i = 0; i < 4; i++)
		tp_str_release(&keys[i]);
	tp_arena_release(&memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_expressions_that_are_wrong),
		cmocka_unit_test(test_document),
		cmocka_unit_test(test_errors_have_places),
		cmocka_unit_test(test_layout_and_work),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_repeat),
		cmocka_unit_test(test_accesses),
		cmocka_unit_test(test_keys),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
