/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * C templates: regions that a source marks, what decides its key, what compilers report, whose code
 * is known; tables and pictures of runs made up.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "experiments/experiment.h"
#include "experiments/template/template.h"
#include "report/report.h"
#include "report/reporter.h"
#include "tests/unit/files.h"
#include "tests/unit/printed.h"
#include "tests/unit/rows.h"

static char top[] = "/tmp/tprof-template-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	setenv("TPROF_DATADIR", source_dir(), 1);
	return mkdtemp(top) ? 0 : -1;
}

static int drop_folder(void **state)
{
	(void)state;
	return remove_tree(top);
}

/* --- sources --- */

static enum tp_status read_source(const char *text, struct tp_template_source *source,
				  struct tp_arena *arena, struct tp_diag *diag)
{
	char path[TP_PATH_MAX];
	put_file(top, "a/b.c", text);
	snprintf(path, sizeof(path), "%s/a/b.c", top);
	return tp_template_source_read(source, path, arena, diag);
}

static void test_regions(void **state)
{
	static const char text[] = "/* TPROF_BENCH_BEGIN(comment);\n */\n"
				   "// TPROF_BENCH_BEGIN(line)\n"
				   "static const char *s = \"TPROF_BENCH_BEGIN(text)\\\"\";\n"
				   "TPROF_BENCH_BEGIN( one );\n"
				   "x\n"
				   "TPROF_BENCH_END(one);\n"
				   "NOT_TPROF_BENCH_BEGIN(other) TPROF_BENCH_BEGIN two\n"
				   "\tTPROF_BENCH_BEGIN (two_2) TPROF_BENCH_BEGIN(one)\n";
	struct tp_template_source s;
	struct tp_arena arena = { 0 };
	struct tp_diag diag;
	(void)state;
	assert_int_equal(read_source(text, &s, &arena, &diag), TP_OK);
	assert_string_equal(s.name, "b");
	assert_int_equal(s.n_regions, 2);
	assert_string_equal(s.regions[0].name, "one");
	assert_int_equal(s.regions[0].first_line, 5);
	assert_int_equal(s.regions[0].last_line, 7);
	assert_string_equal(s.regions[1].name, "two_2");
	assert_int_equal(s.regions[1].first_line, 9);
	assert_int_equal(s.regions[1].last_line, 0);
	assert_ptr_equal(tp_template_region_find(&s, "two_2"), &s.regions[1]);
	assert_null(tp_template_region_find(&s, "text"));
	tp_arena_release(&arena);
}

static void test_bad_sources(void **state)
{
	struct tp_template_source s;
	struct tp_arena arena = { 0 };
	struct tp_diag diag;
	(void)state;
	assert_int_equal(read_source("a\x01", &s, &arena, &diag), TP_USAGE);
	assert_non_null(strstr(diag.what, "control character"));
	assert_int_equal(read_source("\xff", &s, &arena, &diag), TP_USAGE);
	/* What is cut off in the middle of something. */
	assert_int_equal(read_source("/* TPROF_BENCH_BEGIN(x)", &s, &arena, &diag), TP_OK);
	assert_int_equal(s.n_regions, 0);
	assert_int_equal(read_source("TPROF_BENCH_BEGIN(\"\\", &s, &arena, &diag), TP_OK);
	assert_int_equal(s.n_regions, 0);
	assert_int_equal(read_source("", &s, &arena, &diag), TP_OK);
	assert_int_equal(tp_template_source_read(&s, "/nowhere/x.c", &arena, &diag), TP_NOTFOUND);
	assert_int_equal(tp_template_source_read(&s, "matmult", &arena, &diag), TP_NOTFOUND);
	assert_non_null(strstr(diag.hint, "matmul"));
	assert_int_equal(tp_template_source_read(&s, "matmul", &arena, &diag), TP_OK);
	assert_string_equal(s.regions[0].name, "product");
	tp_arena_release(&arena);
}

/* The key changes with what is included from the folder, also by what that includes. */
static void test_key(void **state)
{
	static const char text[] = "#include <stdio.h>\n # include \"c.h\"\n#include \"gone.h\"\n"
				   "TPROF_BENCH_BEGIN(x)\n";
	struct tp_template_source s;
	struct tp_arena arena = { 0 };
	struct tp_diag diag;
	const char *keys[4];
	(void)state;
	put_file(top, "a/c.h", "#include \"d.h\"\n#include \"c.h\"\n");
	put_file(top, "a/d.h", "1\n");
	for (int i = 0; i < 4; i++) {
		if (i == 2)
			put_file(top, "a/d.h", "2\n");
		if (i == 3)
			put_file(top, "a/gone.h", "\n");
		assert_int_equal(read_source(text, &s, &arena, &diag), TP_OK);
		keys[i] = s.key;
	}
	assert_string_equal(keys[0], keys[1]);
	assert_string_not_equal(keys[1], keys[2]);
	assert_string_not_equal(keys[2], keys[3]);
	tp_arena_release(&arena);
}

extern const struct tp_reporter tp_reporter_template;

static void test_variant(void **state)
{
	struct tp_template_source s = { .path = "/x \"y\".c", .text = "int a;", .len = 6 };
	struct tp_sweep sweep = { .n = 0 };
	struct tp_arena arena = { 0 };
	struct tp_str out = { 0 };
	const struct tp_sweep_at at = { &sweep, 1, 0 };
	(void)state;
	assert_int_equal(tp_sweep_take(&sweep, "N=8", &arena, NULL), TP_OK);
	assert_int_equal(tp_sweep_take(&sweep, "flags=-O1 \"-O2 -g\"", &arena, NULL), TP_OK);
	assert_int_equal(tp_sweep_take(&sweep, "T=\"unsigned long\"", &arena, NULL), TP_OK);
	tp_template_write(&s, &at, &out);
	assert_string_equal(tp_str_text(&out), "#define N 8\n#define T unsigned long\n"
					       "#line 1 \"/x \\\"y\\\".c\"\nint a;\n");
	assert_string_equal(tp_template_flags(&at), "-O2 -g");
	assert_string_equal(tp_template_compiler(&at), "");
	tp_str_release(&out);
	tp_arena_release(&arena);
}

static void test_report_of_compilers(void **state)
{
	static const struct tp_template_region region = { "x", 10, 20 };
	struct tp_template_row row = { .steps = 0 };
	(void)state;
	tp_template_read_report(
		"/a/b.c:9:2: optimized: loop vectorized using 64 byte vectors\n"
		"/a/b.c:10:2: optimized: loop vectorized using 16 byte vectors\n"
		"/a/b.c:20:2: optimized: loop vectorized using 32 byte vectors\n"
		"/a/b.c:21:2: warning: unused variable 'x'\n"
		"/a:7/b.c:15:9: remark: vectorized loop (vectorization width: 8, interleaved)\n"
		"/a/b.c: warning: no place\nloop vectorized using \n",
		&region, &row);
	assert_int_equal(row.vector_loops, 3);
	assert_int_equal(row.vector_bytes, 32);
	assert_int_equal(row.warnings, 2);
}

static void assert_cut(const char *assembly, const char *expected)
{
	struct tp_str out = { 0 };
	bool found = tp_template_cut(assembly, "x", &out);
	assert_int_equal(found, expected != NULL);
	if (expected)
		assert_string_equal(tp_str_text(&out), expected);
	tp_str_release(&out);
}

/* Of a nest, the longest innermost loop: here the main one, not what is left over. */
static void test_cut(void **state)
{
	(void)state;
	assert_cut("# LLVM-MCA-BEGIN xy\n\tnop\n# LLVM-MCA-BEGIN x\n\t.loc 1\n#APP\n\tadd\t%rax, "
		   "%rbx\n"
		   "\t# LLVM-MCA-END x\n\tnop\n",
		   "\tadd\t%rax, %rbx\n");
	assert_cut("# LLVM-MCA-BEGIN x\n"
		   ".L1:\n\tmovl\t$1, %ecx\n\tmovl $2, %ecx\n\tmovl $3, %ecx\n"
		   ".L2:\t# =>This Loop\n\tvaddpd\t(%rax), %ymm0, %ymm0\n\t.p2align "
		   "4\n.L9:\n\taddq\t$32, %rax\n\tjne\t.L2\n"
		   ".L3:\n\tvaddsd\t(%rax), %xmm0, %xmm0\n\tjne\t.L3\n"
		   "\tjne\t.L1\n\tjmp .L4\n.L4:\n"
		   "# LLVM-MCA-END x\n",
		   "\tvaddpd\t(%rax), %ymm0, %ymm0\n\taddq\t$32, %rax\n\tjne\t.L2\n");
	/* Other architectures jump otherwise. */
	assert_cut("\t# LLVM-MCA-BEGIN x\n.LBB0_1:\n\tfadd d0, d0, d1\n\tsubs\tx8, x8, #1\n"
		   "\tb.ne\t.LBB0_1\n\tnop\n\t# LLVM-MCA-END x\n",
		   "\tfadd d0, d0, d1\n\tsubs\tx8, x8, #1\n\tb.ne\t.LBB0_1\n");
	assert_cut("# LLVM-MCA-BEGIN x\n# LLVM-MCA-END x\n", NULL);
	assert_cut("# LLVM-MCA-END x\n\tnop\n# LLVM-MCA-BEGIN x\n", NULL);
	assert_cut("", NULL);
}

static void test_known_code(void **state)
{
	static const char *const known[] = {
		"N=1 2 3",	     "ORDER=IJK IKJ", "T=float",
		"X=-1.5e-3",	     "flags=-O2",     "flags=\"-O3 -march=native\" -Ofast",
		"compiler=gcc clang"
	};
	static const char *const foreign[] = { "N=f()",
					       "T=\"int x; f\"",
					       "N=1 a,b",
					       "flags=-fplugin=x",
					       "flags=\"-O2 -Wl,-z\"",
					       "flags=-B/tmp",
					       "flags=-I/tmp",
					       "flags=@file",
					       "compiler=./gcc" };
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(known); i++)
		assert_true(tp_template_code_is_known(TP_OPT_TEMPLATE_PARAMETERS, known[i]));
	for (size_t i = 0; i < TP_COUNT_OF(foreign); i++)
		if (tp_template_code_is_known(TP_OPT_TEMPLATE_PARAMETERS, foreign[i]))
			fail_msg("%s is not a known code", foreign[i]);
	assert_true(tp_template_code_is_known(TP_OPT_TEMPLATE_SOURCE, "matmul"));
	assert_false(tp_template_code_is_known(TP_OPT_TEMPLATE_SOURCE, "./matmul.c"));
	assert_false(tp_template_code_is_known(TP_OPT_TEMPLATE_SOURCE, "none"));
}

/* --- reports --- */

static struct tp_point *add(struct tp_run *run, const char *parameters, double ns, double flop)
{
	struct tp_point *p = add_run_point(run, "template");
	struct tp_template_row *row = p->row;
	p->threads = 1;
	p->state = ns > 0 ? TP_POINT_DONE : TP_POINT_FAILED;
	p->quality = TP_QUALITY_GOOD;
	p->kept = 9;
	p->ci_low = 0.99 * ns;
	p->ci_high = 1.01 * ns;
	row->kernel.median_ns = row->kernel.best_ns = ns;
	row->kernel.median_gflops = ns > 0 ? flop / ns : 0;
	row->cycles = 4 * ns;
	row->vector_loops = 2;
	row->vector_bytes = 32;
	tp_copy(row->source, sizeof(row->source), "m");
	tp_copy(row->region, sizeof(row->region), "r");
	tp_copy(row->parameters, sizeof(row->parameters), parameters);
	tp_kernel_time_headline(p);
	return p;
}

static void make(struct tp_run *run, double flop)
{
	add(run, "K=1 N=8 F=\"-O1 -g\"", 4000, flop);
	add(run, "K=1 N=8 F=-O2", 2000, flop);
	add(run, "K=1 N=16 F=\"-O1 -g\"", 8000, flop);
	add(run, "K=1 N=16 F=-O2", 0, flop);
	add(run, "K=1 N=32 F=\"-O1 -g\"", 1600, flop);
	add(run, "K=1 N=32 F=-O2", 3200, flop);
}

static void expect(const struct tp_str *text, const char *part)
{
	if (!strstr(tp_str_text(text), part))
		fail_msg("\"%s\" is not in:\n%s", part, tp_str_text(text));
}

static void test_page(void **state)
{
	static const struct tp_look look = { .columns = 200, .rows = 30 };
	struct tp_run run = { .n_points = 0 };
	struct tp_str text = { 0 };
	(void)state;
	make(&run, 16000);
	PRINTED(&look, &text, tp_report_text(&run, doc));
	expect(&text, "r of m, 1 thread\n");
	expect(&text, "good     N=8 F=\"-O1 -g\"     4 us  1.0    2.50x   16000        4  2 x 32 "
		      "B        9\n");
	expect(&text, "failed   N=16 F=-O2            -");
	expect(&text, "Fastest r of m: N=32 F=\"-O1 -g\", 1.6 us (10 GFLOP/s); the slowest, N=16 "
		      "F=\"-O1 -g\", takes 5 times as long.");
	tp_str_release(&text);
	tp_run_release(&run);
}

struct seen {
	size_t n;
	bool counted, bars;
};

static void look_at(void *context, struct tp_picture *picture)
{
	struct seen *seen = context;
	const struct tp_scene *scene = &picture->scene;
	seen->n++;
	if (seen->bars) {
		assert_string_equal(scene->title, "r of m: us, 1 thread");
		assert_int_equal(scene->y_names.n, 2);
		/* The first bar is on top. */
		assert_string_equal(scene->y_names.items[1], "N=8");
		assert_true(scene->series[0].x[0] == 2);
		assert_int_equal(scene->series[0].tiles[0].mark, '*');
		return;
	}
	assert_string_equal(scene->title,
			    seen->counted ? "r of m: GFLOP/s, 1 thread" : "r of m: us, 1 thread");
	assert_string_equal(scene->x.label, "F");
	assert_string_equal(scene->y.label, "N");
	assert_int_equal(scene->y_names.n, 3);
	assert_string_equal(scene->y_names.items[2], "32");
	assert_string_equal(scene->x_names.items[0], "-O1 -g");
	/* A series a row: N=16 has a failed tile. */
	assert_int_equal(scene->series[1].tiles[1].mark, 'x');
	assert_true(isnan(scene->series[1].tiles[1].share));
	assert_int_equal(scene->series[2].tiles[0].mark, '*');
	assert_string_equal(scene->series[2].tiles[0].text, seen->counted ? "10.0" : "1.60");
	assert_true(fabs(scene->series[0].tiles[1].share - 0.8) < 1e-12);
}

static void test_pictures(void **state)
{
	struct seen seen = { .counted = true };
	const struct tp_gallery gallery = {
		.context = &seen, .hang = look_at, .columns = 80, .rows = 24
	};
	struct tp_run run = { .n_points = 0 }, plain = { .n_points = 0 }, one = { .n_points = 0 };
	(void)state;
	make(&run, 16000);
	tp_reporter_template.pictures(&run, &gallery);
	assert_int_equal(seen.n, 1);
	make(&plain, 0);
	seen = (struct seen){ .counted = false };
	tp_reporter_template.pictures(&plain, &gallery);
	assert_int_equal(seen.n, 1);
	add(&one, "K=1 N=8", 2000, 0);
	seen = (struct seen){ .bars = true };
	tp_reporter_template.pictures(&one, &gallery);
	assert_int_equal(seen.n, 0); /* nothing to compare */
	add(&one, "K=1 N=16", 4000, 0);
	tp_reporter_template.pictures(&one, &gallery);
	assert_int_equal(seen.n, 1);
	tp_run_release(&run);
	tp_run_release(&plain);
	tp_run_release(&one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_regions),
		cmocka_unit_test(test_bad_sources),
		cmocka_unit_test(test_key),
		cmocka_unit_test(test_variant),
		cmocka_unit_test(test_report_of_compilers),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_known_code),
		cmocka_unit_test(test_page),
		cmocka_unit_test(test_pictures),
	};
	tp_experiments_begin();
	return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
