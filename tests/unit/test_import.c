/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of other tools, written after their documentation, and wrong ones. */
#include "session/import.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char likwid[] = "STRUCT,Info,3\n"
			     "CPU name:,Intel Xeon,\n"
			     "CPU type:,Intel Icelake,\n"
			     "CPU clock:,2.4 GHz,\n"
			     "TABLE,Region triad,Group 1 Raw,MEM_DP,2\n"
			     "Event,Counter,HWThread 0,HWThread 1\n"
			     "INSTR_RETIRED_ANY,FIXC0,1000,1000\n"
			     "TABLE,Region triad,Group 1 Metric,MEM_DP,4\n"
			     "Metric,HWThread 0,HWThread 1,\n"
			     "Runtime (RDTSC) [s],1.0,1.0,\n"
			     "DP [MFLOP/s],1000,1500,\n"
			     "AVX DP [MFLOP/s],900,1400,\n"
			     "Memory bandwidth [MBytes/s],20000,-,\n"
			     "Operational intensity,0.05,0,\n"
			     "TABLE,Region triad,Group 1 Metric STAT,MEM_DP,4\n"
			     "Metric,Sum,Min,Max,Avg\n"
			     "DP [MFLOP/s] STAT,2500,1000,1500,1250\n"
			     "Memory bandwidth [MBytes/s] STAT,20000,0,20000,10000\n"
			     "TABLE,Region a:b,Group 1 Metric,MEM_DP,2\n"
			     "Metric,HWThread 0,\n"
			     "DP [MFLOP/s],3000,\n"
			     "Operational intensity,0.25,\n";

static const char carm_programs[] =
	"Date,Method,Name,ISA,Precision,Threads,AI,Gflops,Bandwidth,Time\n"
	"2026-01-02 10:00:00,DBI,spmv,avx2,dp,4,0.166,3.25,19.5,1.5\n"
	"2026-01-02 10:05:00,PMU,idle,avx2,dp,4,0,0,0,1.5\n";

static const char carm_roofs[] =
	"Name:,node,L1 Size:,32,L2 Size:,1024,L3 "
	"Size:,0,,L1,L1,L2,L2,L3,L3,DRAM,DRAM,FP,FP,FP FMA,FP_FMA\n"
	"Date,ISA,Precision,Threads,Loads,Stores,Interleaved,DRAM Bytes,FP Inst.,GB/s,I/Cycle,GB/"
	"s,I/Cycle,GB/s,I/Cycle,GB/s,I/Cycle,Gflop/s,I/Cycle,Gflop/s,I/Cycle\n"
	"2026-01-02 10:00:00,avx,dp,1,2,1,No,524288,add,331.7,2.9,117,1,0,0,27.8,0.2,29.5,2,58.7,"
	"2\n";

static const char advisor[] =
	"sep=,\n\n"
	"\"Intel(R) Advisor Command Line Tool\n"
	"Copyright (C) 2009-2023 Intel Corporation. All rights reserved.\"\n"
	"\"Survey Data version=1.1.0\",\"delimiter=,\"\n\n"
	"\"ID\",\"Function Call Sites and Loops\",\"Self Time\",\"Self GFLOPS\",\"Self "
	"AI\",\"Type\"\n"
	"\"1\",\"[loop in main at a.c:7]\",\"0.5s\",\"12.5\",\"0.125\",\"Scalar\"\n"
	"\"2\",\"main\",\"0.1s\",\"\",\"\",\"Function\"\n"
	"\"3\",\"[loop in f at a.c:9]\",\"< 0.001s\",\"< 0.001\",\"0.25\",\"Scalar\"\n";

static struct tp_import import;
static struct tp_diag diag;

static void import_good(const char *text, const char *tool, size_t n_dots, size_t n_roofs)
{
	if (tp_import_parse(&import, "file.csv", text, strlen(text), &diag) != TP_OK)
		fail_msg("%s: %s", diag.where, diag.what);
	assert_string_equal(import.tool, tool);
	assert_int_equal(import.n_dots, n_dots);
	assert_int_equal(import.n_roofs, n_roofs);
}

static void is_dot(size_t i, const char *name, double ai, double gflops)
{
	assert_string_equal(import.dots[i].name, name);
	assert_float_equal(import.dots[i].ai_flop_per_byte, ai, 1e-9);
	assert_float_equal(import.dots[i].gflops, gflops, 1e-9);
}

static void likwid_gives_dots(void **state)
{
	(void)state;
	import_good(likwid, "LIKWID", 2, 0);
	is_dot(0, "triad", 0.125, 2.5);
	is_dot(1, "a_b", 0.25, 3);
	assert_false(tp_import_left_out(&import, "file.csv", &diag));
	tp_import_release(&import);
}

static void carm_gives_dots_and_roofs(void **state)
{
	TP_STR out = { 0 };
	(void)state;
	import_good(carm_programs, "CARM Tool", 1, 0);
	is_dot(0, "spmv", 0.166, 3.25);
	tp_import_write(&import, &out);
	assert_string_equal(tp_str_text(&out), "spmv:0.166,3.25\n");
	tp_import_release(&import);
	/* There is no L3. */
	import_good(carm_roofs, "CARM Tool", 0, 5);
	assert_string_equal(import.roofs[0].level, "L1");
	assert_string_equal(import.roofs[0].kernel, "2ld1st");
	assert_string_equal(import.roofs[0].isa, "avx2");
	assert_float_equal(import.roofs[0].gbps, 331.7, 1e-9);
	assert_string_equal(import.roofs[2].level, "DRAM");
	assert_string_equal(import.roofs[3].kernel, "add");
	assert_float_equal(import.roofs[4].gflops, 58.7, 1e-9);
	tp_import_release(&import);
}

static void advisor_gives_dots(void **state)
{
	(void)state;
	import_good(advisor, "Intel Advisor", 1, 0);
	is_dot(0, "[loop in main at a.c_7]", 0.125, 12.5);
	assert_true(tp_import_left_out(&import, "file.csv", &diag));
	assert_string_equal(diag.what, "2 entries without a rate and an intensity left out");
	tp_import_release(&import);
}

static void wrong_files_are_refused(void **state)
{
	static const struct {
		const char *text, *where, *what;
	} wrong[] = {
		{ "", "file.csv", "is not a result of a tool that can be imported" },
		{ "a,b\n1,2\n", "file.csv", "is not a result of a tool that can be imported" },
		{ "TABLE,Group 1 Metric,CLOCK,1\nMetric,HWThread 0\nClock [MHz],2400\n", "file.csv",
		  "this file of LIKWID has no rate with its intensity" },
		{ "TABLE,Group 1 Metric,MEM_DP,1\nMetric,HWThread 0\nDP [MFLOP/s],many\n",
		  "file.csv:3", "\"many\" is not a number" },
		{ "Date,Method,Name,ISA,Precision,Threads,AI,Gflops,Bandwidth,Time\n"
		  "d,DBI,x,avx2,dp,4,1 %,3.25,19.5,1.5\n",
		  "file.csv:2", "\"1 %\" is not a number" },
		{ "Name:,n,L1 Size:,32\nd,avx2,dp,0,2,1\n", "file.csv:2",
		  "threads, loads and stores are not counts" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(tp_import_parse(&import, "file.csv", wrong[i].text,
						 strlen(wrong[i].text), &diag),
				 TP_USAGE);
		assert_string_equal(diag.where, wrong[i].where);
		assert_string_equal(diag.what, wrong[i].what);
		assert_null(import.dots);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(likwid_gives_dots),
		cmocka_unit_test(carm_gives_dots_and_roofs),
		cmocka_unit_test(advisor_gives_dots),
		cmocka_unit_test(wrong_files_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
