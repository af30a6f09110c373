/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The self-test's verdict, on ways of counting that are made up here: one that counts right, and
 * ones that are wrong in a single number, forget a region, or run no program to its end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/app.h"
#include "app/kernel_list.h"
#include "app/self_test.h"
#include "kernels/arch.h"

/* What is wrong with the way that counts. */
static enum {
	NOTHING,
	ONE_NUMBER,
	OVERHEAD,
	NO_REGION,
	WITHOUT_ISA,
	WITHOUT_ONE,
	CRASH,
	REFUSED,
	CANCELLED,
} fault;

/* The kernel that is counted wrong. */
enum { VICTIM = 7 };

/* Both regions of a kernel; the overhead is the same in both. */
static void fill(struct tp_app_region *regions, const struct tp_app_kernel *kernel,
		 const struct tp_cpu *cpu, bool victim)
{
	static const unsigned passes[] = { TP_APP_PASSES_FEW, TP_APP_PASSES_MANY };
	struct tp_app_expected e;

	tp_app_kernel_expect(kernel, cpu, &e);
	for (unsigned i = 0; i < 2; i++) {
		regions[i].thread = TP_APP_ALL;
		tp_app_kernel_region(kernel, passes[i], regions[i].name, sizeof(regions[i].name));
		for (unsigned m = 0; m < TP_MIX_N; m++)
			regions[i].mix[m] = passes[i] * e.mix[m] + 100;
		if (victim && fault == NO_REGION)
			regions[i].name[0] = '?';
	}
	if (victim && fault == ONE_NUMBER)
		regions[1].mix[TP_MIX_BYTES_LOADED]++;
	if (victim && fault == OVERHEAD)
		regions[1].mix[TP_MIX_LOADS] += 12345;
}

static enum tp_status count(const struct tp_app_command *command, struct tp_app_counts *counts,
			    struct tp_diag *diag)
{
	static struct tp_app_kernels list;
	struct tp_cpu cpu;

	*counts = (struct tp_app_counts){ .complete = true };
	if (fault == CANCELLED)
		return tp_fail(diag, TP_CANCELLED, "", NULL, "cancelled");
	if (fault == REFUSED)
		return tp_fail(diag, TP_RESOURCE, "", NULL, "no memory for planted reasons");
	if (fault == WITHOUT_ISA)
		counts->end.code = TP_EXIT_SKIPPED;
	if (fault == CRASH)
		counts->end.signal = 11;
	tp_arch_identify(&cpu);
	assert_true(strstr(command->words[0], "tprof-subject"));
	tp_app_kernels_list(tp_isa_find(command->words[1]), &cpu, &list);
	assert_true(list.n > VICTIM);
	counts->n_regions = 2 * list.n;
	counts->regions = calloc(counts->n_regions, sizeof(*counts->regions));
	assert_non_null(counts->regions);
	for (size_t i = 0; i < list.n; i++) {
		fill(&counts->regions[2 * i], &list.items[i], &cpu, i == VICTIM);
		if (i != VICTIM || fault != WITHOUT_ONE)
			assert_true(dprintf(command->output, "%s\n", list.items[i].name) > 0);
	}
	return TP_OK;
}

static enum tp_status supported(const char *path, const struct tp_app_formulas *formulas,
				struct tp_diag *diag)
{
	(void)path;
	(void)formulas;
	(void)diag;
	return TP_OK;
}

static const struct tp_app_source made_up = { "made-up", "", supported, count };
const struct tp_app_source *const tp_app_source_table[] = { &made_up };
const size_t tp_app_source_count = 1;

const struct tp_app_source *tp_app_source_find(const char *name)
{
	return strcmp(name, made_up.name) == 0 ? &made_up : NULL;
}

void tp_app_counts_release(struct tp_app_counts *counts)
{
	free(counts->regions);
	*counts = (struct tp_app_counts){ .n_regions = 0 };
}

static enum tp_status ask_with(int wrong, const char *source, const char *isa, struct tp_str *out)
{
	const struct tp_app_self_test ask = { .source = source, .isa = isa };
	struct tp_diag diag = { .what = "" };

	tp_str_clear(out);
	fault = wrong;
	enum tp_status status = tp_app_self_test(&ask, out, &diag);
	assert_true(status == TP_OK || diag.what[0]);
	return status;
}

/* Fails unless `text` is there. */
static void says(const struct tp_str *out, const char *text)
{
	if (!strstr(tp_str_text(out), text))
		fail_msg("no \"%s\" in:\n%s", text, tp_str_text(out));
}

static void verdicts(void **state)
{
	struct tp_str out = { 0 };

	(void)state;
	if (tp_isa_count == 0)
		skip();
	const char *isa = tp_isa_table[0]->name;
	assert_int_equal(ask_with(NOTHING, NULL, isa, &out), TP_OK);
	says(&out, "exact\n");
	assert_null(strstr(out.s, "WRONG"));
	assert_int_equal(ask_with(ONE_NUMBER, NULL, isa, &out), TP_FAILED);
	says(&out, "WRONG\n");
	says(&out, "bytes_loaded is ");
	assert_int_equal(ask_with(OVERHEAD, NULL, isa, &out), TP_FAILED);
	says(&out, "loads is ");
	assert_int_equal(ask_with(NO_REGION, NULL, isa, &out), TP_FAILED);
	says(&out, "its regions were not counted");
	assert_int_equal(ask_with(WITHOUT_ONE, NULL, isa, &out), TP_OK);
	says(&out, "       -\n");
	says(&out, "it skipped 1 whose instructions");
	assert_int_equal(ask_with(CRASH, NULL, isa, &out), TP_FAILED);
	says(&out, "signal 11");
	assert_int_equal(ask_with(REFUSED, NULL, isa, &out), TP_FAILED);
	says(&out, "for planted reasons");
	assert_int_equal(ask_with(WITHOUT_ISA, NULL, isa, &out), TP_UNSUPPORTED);
	says(&out, "runs programs on a CPU without");
	assert_int_equal(ask_with(CANCELLED, NULL, isa, &out), TP_CANCELLED);
	tp_str_release(&out);
}

static void names_are_checked(void **state)
{
	struct tp_str out = { 0 };

	(void)state;
	assert_int_equal(ask_with(NOTHING, "nobody", NULL, &out), TP_USAGE);
	assert_int_equal(ask_with(NOTHING, NULL, "mmx", &out), TP_USAGE);
	if (tp_isa_count)
		assert_int_equal(ask_with(NOTHING, "made-up", NULL, &out), TP_OK);
	tp_str_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts),
		cmocka_unit_test(names_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
