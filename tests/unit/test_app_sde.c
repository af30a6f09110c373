/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mix of Intel SDE: a small file written by hand in its format, and a stand-in for SDE. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/app.h"
#include "app/sde_text.h"

static const char sample[] = "# Mix output version 10\n"
			     "# Intel(R) SDE version: 9.24.0 external\n"
			     "# EMIT_DYNAMIC_STATS   FOR TID 0   OS-TID 17   EMIT# 1\n"
			     "*elements_fp_double_4                          999\n"
			     "*total                                         999\n"
			     "# END_DYNAMIC_STATS\n"
			     "# EMIT_GLOBAL_DYNAMIC_STATS   EMIT# 1\n"
			     "#\n"
			     "# $global-dynamic-counts\n"
			     "#\n"
			     "#     iform                                  count\n"
			     "#\n"
			     "*isa-ext-AVX                                    70\n"
			     "*isa-ext-FMA                                   100\n"
			     "*isa-ext-BASE                                  300\n"
			     "*isa-ext-SSE2                                   30\n"
			     "*category-COND_BR                               50\n"
			     "*category-CALL                                   5\n"
			     "*category-RET                                    5\n"
			     "*mem-read                                      123\n"
			     "*mem-read-8                                     20\n"
			     "*mem-read-32                                   100\n"
			     "*mem-write-32                                   50\n"
			     "*mem-write-4                                     2\n"
			     "*elements_fp_double_1                           10\n"
			     "*elements_fp_double_4                          130\n"
			     "*elements_fp_double_8_masked                     3\n"
			     "*elements_fp_single_4                            7\n"
			     "*elements_i32_8                                 40\n"
			     "VADDPD_YMMqq_YMMqq_YMMqq                        30\n"
			     "VFMADD213PD_YMMqq_YMMqq_MEMqq                  100\n"
			     "*total                                         500\n"
			     "\n"
			     "# END_GLOBAL_DYNAMIC_STATS\n"
			     "VFMADD213PD_YMMqq_YMMqq_MEMqq                  100\n";

static void read_all(const char *text, struct tp_sde_mix *sde)
{
	*sde = (struct tp_sde_mix){ 0 };
	while (*text) {
		size_t len = strcspn(text, "\n");
		tp_sde_line(sde, text, len);
		text += len + (text[len] == '\n');
	}
	tp_sde_end(sde);
}

static void test_sample(void **state)
{
	struct tp_sde_mix sde;
	(void)state;
	read_all(sample, &sde);
	assert_true(sde.found && sde.ended && !sde.damaged);
	assert_int_equal(sde.mix[TP_MIX_INSTRUCTIONS], 500);
	assert_int_equal(sde.mix[TP_MIX_FP_DP_256], 30);
	assert_int_equal(sde.mix[TP_MIX_FMA_DP_256], 100);
	assert_int_equal(sde.mix[TP_MIX_FLOPS_DP], 10 + 4 * 130 + 4 * 100 + 8 * 3);
	assert_int_equal(sde.mix[TP_MIX_FLOPS_SP], 28);
	assert_int_equal(sde.mix[TP_MIX_FP_DP_512], 3);
	assert_int_equal(sde.mix[TP_MIX_MASKED], 3);
	assert_int_equal(sde.mix[TP_MIX_LOADS], 120);
	assert_int_equal(sde.mix[TP_MIX_BYTES_LOADED], 160 + 3200);
	assert_int_equal(sde.mix[TP_MIX_STORES], 52);
	assert_int_equal(sde.mix[TP_MIX_BYTES_STORED], 1600 + 8);
	assert_int_equal(sde.mix[TP_MIX_BRANCHES], 60);
	assert_int_equal(sde.mix[TP_MIX_ISA_AVX], 70);
	assert_int_equal(sde.mix[TP_MIX_ISA_FMA], 100);
	assert_int_equal(sde.mix[TP_MIX_ISA_OTHER], 300);
	assert_int_equal(sde.mix[TP_MIX_OTHER], 500 - 150 - 60);
}

static void test_other_files(void **state)
{
	struct tp_sde_mix sde;
	(void)state;
	read_all("", &sde);
	assert_false(sde.found);
	read_all("*total 5\n", &sde);
	assert_false(sde.found);
	assert_int_equal(sde.mix[TP_MIX_INSTRUCTIONS], 0);
	/* The last section counts, and one that is cut says so. */
	read_all("# EMIT_GLOBAL_DYNAMIC_STATS\n*total 5\n# END_GLOBAL_DYNAMIC_STATS\n"
		 "# EMIT_GLOBAL_DYNAMIC_STATS\n*total 7\n",
		 &sde);
	assert_true(sde.found && !sde.ended);
	assert_int_equal(sde.mix[TP_MIX_INSTRUCTIONS], 7);
	read_all("# EMIT_GLOBAL_DYNAMIC_STATS\n*total 99999999999999999999999\n"
		 "*mem-read-8 9007199254740992\n*elements_fp_double_0 3\n*elements_fp_double_x 3\n",
		 &sde);
	assert_true(sde.damaged);
	assert_int_equal(sde.mix[TP_MIX_INSTRUCTIONS], 0);
	assert_int_equal(sde.mix[TP_MIX_BYTES_LOADED], 0);
	assert_int_equal(sde.mix[TP_MIX_FLOPS_DP], 0);
}

/* A program that leaves the sample where SDE would, and runs what it is given. */
static void test_row(void **state)
{
	const struct tp_app_source *source = tp_app_source_find("sde");
	char folder[] = "/tmp/test_sde_XXXXXX", path[64], *words[] = { "true", "x y", NULL };
	char search[4200];
	struct tp_app_counts counts;
	struct tp_diag diag;
	const struct tp_app_command command = { .words = words,
						.input = "/dev/null",
						.output = -1,
						.errors = -1,
						.limit_seconds = 60 };
	(void)state;
	assert_non_null(source);
	if (getenv("TPROF_EMULATOR")) {
		print_message("an emulator: the programs of this machine are foreign ones\n");
		skip();
	}
	const char *before = getenv("PATH");
	assert_non_null(mkdtemp(folder));
	setenv("PATH", folder, 1);
	assert_int_equal(source->supported(NULL, NULL, &diag), TP_NOTFOUND);
	assert_non_null(strstr(diag.what, "sde64"));
	snprintf(path, sizeof(path), "%s/sde64", folder);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file,
		"#!/bin/sh\n[ \"$1 $2 $3 $5\" = '-mix -iform -omix --' ] || exit 9\n"
		"[ \"$7\" = 'x y' ] || exit 8\ncat >\"$4\" <<'X'\n%sX\nshift 5; \"$@\"; exit 3\n",
		sample);
	fclose(file);
	assert_int_equal(chmod(path, 0755), 0);
	snprintf(search, sizeof(search), "%s:%s", folder, before ? before : "/usr/bin:/bin");
	setenv("PATH", search, 1);
	assert_int_equal(source->supported(NULL, NULL, &diag), TP_OK);
	assert_int_equal(source->count(&command, &counts, &diag), TP_OK);
	assert_int_equal(counts.end.code, 3);
	assert_int_equal(counts.n_regions, 1);
	assert_int_equal(counts.regions[0].mix[TP_MIX_INSTRUCTIONS], 500);
	assert_true(counts.complete);
	assert_int_equal(counts.notes.n, 1); /* masked lanes */
	tp_app_counts_release(&counts);
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sample),
		cmocka_unit_test(test_other_files),
		cmocka_unit_test(test_row),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
