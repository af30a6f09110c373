/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the ports of the shipped models allow, held to figures that were measured or published. */
#include "machine/machine.h"
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/files.h"
#include "tests/unit/near.h"

static void load(struct tp_model *model, const char *name)
{
	char path[TP_PATH_MAX];
	struct tp_diags diags = { 0 };
	snprintf(path, sizeof(path), "%s/presets/machines/%s.yaml", source_dir(), name);
	if (tp_model_load(model, path, &diags) != TP_OK)
		fail_msg("%s: %s", diags.items[0].where, diags.items[0].what);
	assert_string_equal(model->name, name);
	assert_string_equal(model->path, path);
	tp_diags_release(&diags);
}

/* Port limits measured by hand on this core, in bytes per cycle. */
static void zen4_l1(void **state)
{
	(void)state;
	static const struct {
		const char *isa;
		unsigned loads, stores;
		double bytes;
	} rows[] = {
		{ "avx512", 1, 0, 64 },
		{ "avx2", 1, 0, 64 },
		{ "sse", 1, 0, 32 },
		{ "scalar", 1, 0, 16 },
		{ "avx512", 0, 1, 32 },
		{ "avx2", 0, 1, 32 },
		{ "sse", 0, 1, 16 },
		{ "scalar", 0, 1, 8 },
		{ "avx512", 2, 1, 76.8 },
		{ "avx2", 2, 1, 96 },
		{ "sse", 2, 1, 48 },
		{ "scalar", 2, 1, 24 },
		{ "avx512", 1, 1, 64 },
		{ "avx2", 1, 1, 64 },
		{ "avx512", 3, 1, 256 / 3.25 },
		{ "avx512", 4, 1, 80 },
		{ "avx512", 6, 1, 448 / 6.0 },
		{ "avx2", 0, 0, 0 },
		{ "neon", 1, 0, 0 },
	};
	struct tp_model m;
	unsigned loads, stores;
	load(&m, "zen4");
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++)
		assert_near(tp_model_l1_bytes_per_cycle(&m, rows[i].isa, 8, rows[i].loads,
							rows[i].stores),
			    rows[i].bytes, 1e-9);
	/* Only scalar operands get narrower in single precision. */
	assert_near(tp_model_l1_bytes_per_cycle(&m, "scalar", 4, 2, 1), 12, 1e-9);
	assert_near(tp_model_l1_bytes_per_cycle(&m, "avx2", 4, 2, 1), 96, 1e-9);
	assert_near(tp_model_l1_best(&m, "avx2", 8, &loads, &stores), 96, 1e-9);
	assert_int_equal(loads, 2);
	assert_int_equal(stores, 1);
}

static void zen4_flop(void **state)
{
	(void)state;
	static const struct {
		const char *isa, *op;
		double flop;
		double measured; /* 0: not measured; the bound must not be below it */
	} rows[] = {
		{ "avx512", "fma", 16, 16 },
		{ "avx2", "fma", 16, 16 },
		{ "sse", "fma", 8, 8 },
		{ "scalar", "fma", 4, 4 },
		{ "avx512", "fma+add", 24, 24.0 },
		{ "avx2", "fma+add", 24, 21.3 },
		{ "sse", "fma+add", 12, 10.5 },
		{ "scalar", "fma+add", 6, 5.25 },
		{ "avx512", "add", 8, 0 },
		{ "avx2", "add", 8, 0 },
		{ "avx2", "mul", 8, 0 },
		{ "scalar", "mul", 2, 0 },
		{ "avx2", "div", 0.8, 0 },
		{ "avx512", "div", 8 / 9.0, 0 },
		{ "scalar", "div", 0.2, 0 },
		{ "avx2", "sqrt", 0, 0 },
	};
	struct tp_model m;
	load(&m, "zen4");
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		double bound = tp_model_flop_per_cycle(&m, rows[i].isa, 8, rows[i].op);
		assert_near(bound, rows[i].flop, 1e-9);
		assert_true(bound >= rows[i].measured);
	}
	assert_near(tp_model_flop_per_cycle(&m, "avx512", 4, "fma"), 32, 1e-9);
	assert_near(tp_model_flop_per_cycle(&m, "avx2", 4, "fma+add"), 48, 1e-9);
	assert_near(tp_model_flop_per_cycle(&m, "scalar", 4, "fma"), 4, 1e-9);
	assert_near(tp_model_flop_per_cycle(&m, "avx2", 4, "div"), 8 / 3.0, 1e-9);
	assert_near(tp_model_flop_per_cycle(&m, "avx2", 2, "fma"), 0, 0);
}

/* Instructions a cycle times operations of one (tests/unit/test_narrow.c says these again). */
static void narrow_precisions(void **state)
{
	static const struct {
		const char *model, *isa, *precision, *op;
		double flop;
	} rows[] = {
		{ "sapphire-rapids", "avx2", "int8", "dot", 2 * 64 },
		{ "emerald-rapids", "avx512", "half", "fma", 2 * 64 },
		{ "emerald-rapids", "avx512", "bf16", "tile", 16384 / 16 },
		{ "granite-rapids", "avx512", "int8", "tile", 32768 / 16 },
		{ "granite-rapids", "avx512", "half", "tile", 16384 / 16 },
		{ "granite-rapids", "avx512", "bf16", "dot", 64 / 2 },
		{ "granite-rapids", "avx512", "int8", "dot", 2 * 128 },
		{ "zen4", "avx512", "int8", "dot", 128 },
		{ "zen5", "avx512", "int8", "dot", 2 * 128 },
		{ "neoverse-v1", "neon", "bf16", "tile", 4 * 32 },
		{ "neoverse-v1", "sve", "bf16", "tile", 2 * 64 },
		{ "neoverse-v2", "sve", "int8", "tile", 4 * 64 },
		{ "neoverse-n2", "neon", "half", "fma", 2 * 16 },
		{ "neoverse-n2", "sve", "bf16", "dot", 2 * 16 },
		{ "graviton4", "neon", "int8", "dot", 4 * 32 },
		/* what they lack */
		{ "zen4", "avx512", "half", "fma", 0 },
		{ "emerald-rapids", "avx512", "half", "tile", 0 },
		{ "zen4", "avx2", "int8", "dot", 0 },
		{ "zen4", "avx512", "int8", "tile", 0 },
		{ "zen3", "avx2", "bf16", "dot", 0 },
		{ "neoverse-n1", "neon", "bf16", "dot", 0 },
		{ "zen4", "none", "int8", "dot", 0 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tp_model m;
		load(&m, rows[i].model);
		assert_near(tp_model_peak_flop_per_cycle(&m, rows[i].isa, rows[i].precision,
							 rows[i].op),
			    rows[i].flop, 1e-9);
	}
	struct tp_model m;
	load(&m, "zen4");
	assert_near(tp_model_peak_flop_per_cycle(&m, "avx512", "double", "fma"), 16, 1e-9);
	assert_near(tp_model_peak_flop_per_cycle(&m, "avx512", "single", "fma"), 32, 1e-9);
}

/* The ports of Golden Cove: bytes and FLOP a cycle, measured by hand in a virtual machine. */
static void golden_cove(void **state)
{
	static const char *const models[] = { "sapphire-rapids", "emerald-rapids",
					      "granite-rapids" };
	static const struct {
		const char *isa;
		unsigned loads, stores;
		double bytes;
	} memory[] = {
		{ "avx512", 1, 0, 128 }, { "avx2", 1, 0, 96 },	 { "sse", 1, 0, 48 },
		{ "scalar", 1, 0, 24 },	 { "avx512", 0, 1, 64 }, { "avx2", 0, 1, 64 },
		{ "avx512", 2, 1, 192 }, { "avx2", 2, 1, 144 },	 { "sse", 2, 1, 72 },
	};
	static const struct {
		const char *isa;
		unsigned fmas, adds;
		double flop;
	} fp[] = {
		{ "avx512", 1, 0, 32 }, { "avx2", 1, 0, 16 },	      { "avx512", 3, 1, 28 },
		{ "avx2", 2, 1, 20 },	{ "avx512", 2, 1, 80 / 3.0 }, { "avx512", 1, 1, 24 },
		{ "avx2", 1, 1, 18 },	{ "avx2", 3, 1, 56 / 3.0 },   { "avx2", 0, 1, 8 },
		{ "avx2", 1, 2, 16 },	{ "avx2", 0, 0, 0 },	      { "neon", 1, 1, 0 },
	};
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(models); i++) {
		struct tp_model m;
		load(&m, models[i]);
		for (size_t k = 0; k < TP_COUNT_OF(memory); k++)
			assert_near(tp_model_l1_bytes_per_cycle(&m, memory[k].isa, 8,
								memory[k].loads, memory[k].stores),
				    memory[k].bytes, 1e-9);
		for (size_t k = 0; k < TP_COUNT_OF(fp); k++)
			assert_near(tp_model_mix_flop_per_cycle(&m, fp[k].isa, 8, fp[k].fmas,
								fp[k].adds),
				    fp[k].flop, 1e-9);
		/* The best of the mixes that the kernel fma+add has. */
		assert_near(tp_model_flop_per_cycle(&m, "avx512", 8, "fma+add"), 28, 1e-9);
		assert_near(tp_model_flop_per_cycle(&m, "avx2", 8, "fma+add"), 20, 1e-9);
	}
}

static void other_cores(void **state)
{
	(void)state;
	struct tp_model m;
	load(&m, "sapphire-rapids");
	assert_near(tp_model_l1_best(&m, "avx512", 8, NULL, NULL), 192, 1e-9);
	assert_near(tp_model_l1_bytes_per_cycle(&m, "avx2", 8, 1, 0), 96, 1e-9);
	assert_near(tp_model_flop_per_cycle(&m, "avx2", 8, "fma+add"), 20, 1e-9);
	assert_near(tp_model_flop_per_cycle(&m, "avx512", 8, "fma+add"), 28, 1e-9);
	load(&m, "ice-lake");
	assert_near(tp_model_l1_best(&m, "avx512", 8, NULL, NULL), 192, 1e-9);
	assert_near(tp_model_flop_per_cycle(&m, "avx512", 8, "fma"), 32, 1e-9);
	assert_near(tp_model_flop_per_cycle(&m, "avx2", 8, "fma+add"), 14, 1e-9);
	load(&m, "zen5");
	assert_near(tp_model_l1_best(&m, "avx512", 8, NULL, NULL), 192, 1e-9);
	assert_near(tp_model_flop_per_cycle(&m, "avx512", 8, "fma"), 32, 1e-9);
	assert_near(tp_model_flop_per_cycle(&m, "avx512", 8, "fma+add"), 48, 1e-9);
	load(&m, "apple-m1");
	assert_near(tp_model_flop_per_cycle(&m, "neon", 8, "fma"), 16, 1e-9);
	assert_near(tp_model_l1_bytes_per_cycle(&m, "neon", 8, 1, 0), 48, 1e-9);
	/* Four pipes: of three loads a cycle one can be a store. */
	assert_near(tp_model_l1_bytes_per_cycle(&m, "neon", 8, 2, 1), 64, 1e-9);
	load(&m, "neoverse-v3");
	assert_near(tp_model_flop_per_cycle(&m, "sve", 8, "fma"), 16, 1e-9);
	assert_near(tp_model_l1_best(&m, "sve", 8, NULL, NULL), 64, 1e-9);
	assert_near(tp_model_dram_gbps(&m), 273.056, 1e-9);
	load(&m, "neoverse-n2");
	assert_near(tp_model_flop_per_cycle(&m, "sve", 8, "fma"), 8, 1e-9);
	assert_near(tp_model_l1_best(&m, "sve", 8, NULL, NULL), 48, 1e-9);
	load(&m, "graviton4");
	assert_near(tp_model_dram_gbps(&m), 537.6, 1e-9);
	load(&m, "neoverse-n1");
	assert_near(tp_model_l1_best(&m, "neon", 8, NULL, NULL), 32, 1e-9);
	assert_near(tp_model_l1_bytes_per_cycle(&m, "neon", 8, 2, 1), 24, 1e-9);
	load(&m, "neoverse-v1");
	assert_near(tp_model_flop_per_cycle(&m, "neon", 8, "fma"), 16, 1e-9);
	assert_near(tp_model_flop_per_cycle(&m, "sve", 8, "fma"), 16, 1e-9);
	assert_near(tp_model_l1_best(&m, "sve", 8, NULL, NULL), 64, 1e-9);
	/* As on the companies' data sheets: 3.38 TFLOP/s and 1024 GB/s; 7.1 TFLOP/s for two. */
	load(&m, "a64fx");
	assert_near(tp_model_l1_best(&m, "sve", 8, NULL, NULL), 128, 1e-9);
	assert_near(tp_model_peak_gflops(&m, "sve", 8, "fma"), 3379.2, 1e-9);
	assert_near(tp_model_dram_gbps(&m), 1024, 1e-9);
	load(&m, "spacemit-k1");
	assert_near(tp_model_l1_best(&m, "rvv1.0", 8, NULL, NULL), 16, 1e-9);
	assert_near(tp_model_flop_per_cycle(&m, "rvv1.0", 8, "fma"), 8, 1e-9);
	assert_near(tp_model_dram_gbps(&m), 10.664, 1e-9);
	load(&m, "neoverse-v2");
	assert_near(tp_model_peak_gflops(&m, "sve", 8, "fma"), 7142.4 / 2, 1e-9);
	assert_near(tp_model_dram_gbps(&m), 512, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zen4_l1),	     cmocka_unit_test(zen4_flop),
		cmocka_unit_test(narrow_precisions), cmocka_unit_test(golden_cove),
		cmocka_unit_test(other_cores),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
