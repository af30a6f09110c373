/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The model that a machine gets: by what its CPU calls itself, or else, where that is hidden or
 * unknown, by features and caches.
 */
#include "machine/detect.h"
#include "base/str.h"
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/files.h"

static const uint64_t KIB = 1024;

#define SPR_FEATURES                                                                               \
	"sse2 avx avx2 fma avx512f avx512dq avx512bw avx512vl clwb rdpid gfni vaes avx_vnni "      \
	"avx512_vnni avx512vbmi avx512_bf16 avx512_fp16"
#define ICX_FEATURES                                                                               \
	"sse2 avx avx2 fma avx512f avx512dq avx512bw avx512vl clwb rdpid gfni vaes avx512_vnni "   \
	"avx512vbmi"
#define ARM_V9 "fp asimd atomics asimddp sve sve2 svei8mm svebf16 i8mm bf16 sve-128"

static void matching(void **state)
{
	(void)state;
	static const struct {
		const char *arch, *vendor, *brand;
		int family, model, stepping;
		const char *expected;
	} rows[] = {
		{ "x86_64", "AuthenticAMD", "AMD EPYC", 25, 0x11, 1, "zen4" },
		{ "x86_64", "AuthenticAMD", "", 25, 0x61, 2, "zen4" },
		{ "x86_64", "AuthenticAMD", "", 25, 0x7f, 2, "zen4" },
		{ "x86_64", "AuthenticAMD", "", 25, 0xa0, 2, "zen4" },
		{ "x86_64", "AuthenticAMD", "", 25, 0x01, 1, "zen3" },
		{ "x86_64", "AuthenticAMD", "", 25, 0x50, 0, "zen3" },
		{ "x86_64", "AuthenticAMD", "", 23, 0x31, 0, "zen2" },
		{ "x86_64", "AuthenticAMD", "", 23, 0x01, 2, "" }, /* Zen 1 */
		{ "x86_64", "AuthenticAMD", "", 26, 0x02, 1, "zen5" },
		{ "x86_64", "AuthenticAMD", "", 26, 0x11, 0, "zen5" },
		{ "x86_64", "AuthenticAMD", "", 26, 0x44, 0, "zen5" },
		{ "x86_64", "AuthenticAMD", "", 26, 0x24, 0, "" }, /* Strix Point: 256 bits */
		{ "x86_64", "GenuineIntel", "", 6, 0x55, 4, "skylake-x" },
		{ "x86_64", "GenuineIntel", "", 6, 0x55, 7, "cascade-lake" },
		{ "x86_64", "GenuineIntel", "", 6, 0x55, 11, "" }, /* Cooper Lake */
		{ "x86_64", "GenuineIntel", "", 6, 0x8f, 8, "sapphire-rapids" },
		{ "x86_64", "GenuineIntel", "", 6, 0x6a, 6, "ice-lake" },
		{ "x86_64", "GenuineIntel", "", 6, 0xcf, 2, "emerald-rapids" },
		{ "x86_64", "GenuineIntel", "", 6, 0xad, 1, "granite-rapids" },
		{ "x86_64", "GenuineIntel", "", 6, 167, 1, "" }, /* Rocket Lake, or a mask */
		{ "x86_64", "HygonGenuine", "", 25, 0x11, 1, "" },
		{ "aarch64", "Cavium", "", -1, 0xaf, -1, "thunderx2" },
		{ "aarch64", "ARM", "", -1, 0xd0c, -1, "neoverse-n1" },
		{ "aarch64", "ARM", "", -1, 0xd40, -1, "neoverse-v1" },
		{ "aarch64", "ARM", "", -1, 0xd4f, -1, "neoverse-v2" },
		{ "aarch64", "ARM", "", -1, 0xd49, -1, "neoverse-n2" },
		{ "aarch64", "Microsoft", "", -1, 0xd49, -1, "neoverse-n2" },
		{ "aarch64", "ARM", "", -1, 0xd83, -1, "neoverse-v3" },
		{ "aarch64", "ARM", "", -1, 0xd84, -1, "neoverse-v3" },
		{ "aarch64", "ARM", "", -1, 0xd8e, -1, "" }, /* Neoverse N3 */
		{ "aarch64", "Apple", "", -1, 0x023, -1, "apple-m1" },
		{ "aarch64", "Apple", "", -1, 0x022, -1, "" }, /* a slow core of M1 */
		{ "aarch64", "Apple", "", -1, 0x039, -1, "apple-m2" },
		{ "aarch64", "FUJITSU", "", -1, 0x001, -1, "a64fx" },
		{ "aarch64", "AuthenticAMD", "", 25, 0x11, 1, "" },
		{ "riscv64", "", "thead,c920", -1, -1, -1, "c920" },
		{ "riscv64", "SpacemiT", "spacemit,x60", -1, -1, -1, "spacemit-k1" },
	};
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		struct tp_cpu cpu = { .family = rows[i].family,
				      .model = rows[i].model,
				      .stepping = rows[i].stepping };
		struct tp_machine m;
		tp_copy(cpu.arch, sizeof(cpu.arch), rows[i].arch);
		tp_copy(cpu.vendor, sizeof(cpu.vendor), rows[i].vendor);
		tp_copy(cpu.brand, sizeof(cpu.brand), rows[i].brand);
		assert_int_equal(tp_machine_init(&m, &cpu, NULL, "detected", NULL, NULL), TP_OK);
		if (strcmp(m.model.name, rows[i].expected) != 0)
			fail_msg("row %zu: %s", i, m.model.name);
		assert_int_equal(m.model_found,
				 *rows[i].expected ? TP_MODEL_MATCHED : TP_MODEL_NONE);
		assert_int_equal(tp_model_matches(&m.model, &cpu), *rows[i].expected != 0);
		tp_machine_release(&m);
	}
}

/* A CPU, the caches that it reports in KiB, and the model that it gets. */
static const struct {
	const char *arch, *vendor;
	int family, model;
	const char *features;
	unsigned l1, l2, l3;
	const char *expected;
	enum tp_model_found found;
} looks[] = {
	/* A virtual machine that masks its model: 167 is that of Rocket Lake. */
	{ "x86_64", "GenuineIntel", 6, 167, SPR_FEATURES " amx_tile amx_bf16 amx_int8", 48, 2048,
	  480 * 1024, "granite-rapids", TP_MODEL_LOOKS_LIKE },
	{ "x86_64", "GenuineIntel", 6, 167, SPR_FEATURES, 48, 2048, 480 * 1024, "granite-rapids",
	  TP_MODEL_LOOKS_LIKE },
	{ "x86_64", "GenuineIntel", 6, 167, SPR_FEATURES, 48, 2048, 336 * 1024, "granite-rapids",
	  TP_MODEL_LOOKS_LIKE },
	{ "x86_64", "GenuineIntel", 6, 167, SPR_FEATURES, 48, 2048, 320 * 1024, "emerald-rapids",
	  TP_MODEL_LOOKS_LIKE },
	{ "x86_64", "GenuineIntel", 6, 167, SPR_FEATURES, 48, 2048, 260 * 1024, "emerald-rapids",
	  TP_MODEL_LOOKS_LIKE },
	{ "x86_64", "GenuineIntel", 6, 167, SPR_FEATURES, 48, 2048, 105 * 1024, "sapphire-rapids",
	  TP_MODEL_LOOKS_LIKE },
	{ "x86_64", "GenuineIntel", 6, 167, SPR_FEATURES, 48, 2048, 0, "sapphire-rapids",
	  TP_MODEL_LOOKS_LIKE },
	/* What the CPU calls itself goes before what it looks like. */
	{ "x86_64", "GenuineIntel", 6, 0xcf, SPR_FEATURES, 48, 2048, 480 * 1024, "emerald-rapids",
	  TP_MODEL_MATCHED },
	{ "x86_64", "GenuineIntel", 6, 0xad, SPR_FEATURES, 48, 2048, 144 * 1024, "granite-rapids",
	  TP_MODEL_MATCHED },
	/* Each part has to fit: no wide vectors, other caches, another vendor. */
	{ "x86_64", "GenuineIntel", 6, 183, "sse2 avx avx2 fma clwb rdpid gfni vaes avx_vnni", 48,
	  2048, 36 * 1024, "", TP_MODEL_NONE },
	{ "x86_64", "GenuineIntel", 6, 167, ICX_FEATURES, 48, 512, 16 * 1024, "", TP_MODEL_NONE },
	{ "x86_64", "AuthenticAMD", 25, 200, SPR_FEATURES, 48, 2048, 480 * 1024, "",
	  TP_MODEL_NONE },
	{ "x86_64", "GenuineIntel", 6, 167, ICX_FEATURES, 48, 1280, 54 * 1024, "ice-lake",
	  TP_MODEL_LOOKS_LIKE },
	/* Cooper Lake, and an unknown one without the instructions that came later. */
	{ "x86_64", "GenuineIntel", 6, 0x55, "avx2 fma avx512f avx512bw avx512_vnni", 32, 1024,
	  38 * 1024, "cascade-lake", TP_MODEL_LOOKS_LIKE },
	{ "x86_64", "GenuineIntel", 6, 1, "avx2 fma avx512f avx512bw", 32, 1024, 38 * 1024,
	  "skylake-x", TP_MODEL_LOOKS_LIKE },
	/* AMD CPUs of unknown models. */
	{ "x86_64", "AuthenticAMD", 25, 200, "avx2 fma avx512f clwb rdpid vaes", 32, 1024,
	  32 * 1024, "zen4", TP_MODEL_LOOKS_LIKE },
	{ "x86_64", "AuthenticAMD", 25, 200, "avx2 fma clwb rdpid vaes", 32, 512, 32 * 1024, "zen3",
	  TP_MODEL_LOOKS_LIKE },
	{ "x86_64", "AuthenticAMD", 23, 200, "avx2 fma clwb rdpid", 32, 512, 16 * 1024, "zen2",
	  TP_MODEL_LOOKS_LIKE },
	{ "x86_64", "AuthenticAMD", 23, 1, "avx2 fma", 32, 512, 8 * 1024, "", TP_MODEL_NONE },
	{ "x86_64", "AuthenticAMD", 26, 200, "avx2 fma avx512f clwb rdpid vaes avx_vnni", 48, 1024,
	  32 * 1024, "zen5", TP_MODEL_LOOKS_LIKE },
	/* Strix Point: half the data path, and less L3. */
	{ "x86_64", "AuthenticAMD", 26, 0x24, "avx2 fma avx512f clwb rdpid vaes avx_vnni", 48, 1024,
	  16 * 1024, "", TP_MODEL_NONE },
	/* Arm: the kernel hides the ID register, or the part number is a new one. */
	{ "aarch64", "", -1, -1, "fp asimd sve sve-256", 64, 1024, 32 * 1024, "neoverse-v1",
	  TP_MODEL_LOOKS_LIKE },
	{ "aarch64", "", -1, -1, "fp asimd sve sve-512", 64, 8192, 0, "a64fx",
	  TP_MODEL_LOOKS_LIKE },
	{ "aarch64", "ARM", -1, 0xfff, ARM_V9, 64, 1024, 64 * 1024, "neoverse-n2",
	  TP_MODEL_LOOKS_LIKE },
	{ "aarch64", "ARM", -1, 0xfff, ARM_V9 " wfxt", 64, 3072, 64 * 1024, "neoverse-v3",
	  TP_MODEL_LOOKS_LIKE },
	{ "aarch64", "Qualcomm", -1, 0xfff, ARM_V9, 64, 1024, 64 * 1024, "", TP_MODEL_NONE },
	/* One core in two systems: the caches decide, and without them the core's own model. */
	{ "aarch64", "ARM", -1, 0xd4f, ARM_V9, 64, 2048, 36 * 1024, "graviton4", TP_MODEL_MATCHED },
	{ "aarch64", "ARM", -1, 0xd4f, ARM_V9, 64, 2048, 80 * 1024, "neoverse-v2",
	  TP_MODEL_MATCHED },
	{ "aarch64", "ARM", -1, 0xd4f, ARM_V9, 64, 1024, 114 * 1024, "neoverse-v2",
	  TP_MODEL_MATCHED },
	{ "aarch64", "ARM", -1, 0xd4f, "fp asimd", 0, 0, 0, "neoverse-v2", TP_MODEL_MATCHED },
};

static void fill(struct tp_machine *m, size_t i)
{
	/* Of stepping 11, as Cooper Lake, which shares its model number with Cascade Lake. */
	*m = (struct tp_machine){
		.cpu = { .family = looks[i].family, .model = looks[i].model, .stepping = 11 }
	};
	tp_copy(m->cpu.arch, sizeof(m->cpu.arch), looks[i].arch);
	tp_copy(m->cpu.vendor, sizeof(m->cpu.vendor), looks[i].vendor);
	tp_copy(m->cpu.features, sizeof(m->cpu.features), looks[i].features);
	m->cache[1].reported_bytes = looks[i].l1 * KIB;
	m->cache[2].reported_bytes = looks[i].l2 * KIB;
	m->cache[3].reported_bytes = looks[i].l3 * KIB;
}

static void made_up_machines(void **state)
{
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(looks); i++) {
		struct tp_machine m;
		fill(&m, i);
		assert_int_equal(tp_model_choose(&m, "detected", NULL), TP_OK);
		if (strcmp(m.model.name, looks[i].expected) != 0 || m.model_found != looks[i].found)
			fail_msg("row %zu: %s %s, expected %s", i,
				 tp_model_found_word(m.model_found), m.model.name,
				 looks[i].expected);
		assert_int_equal(tp_model_looks_like(&m.model, &m),
				 looks[i].found == TP_MODEL_LOOKS_LIKE ||
					 strcmp(m.model.name, "graviton4") == 0);
	}
}

static void words(void **state)
{
	struct tp_machine m;
	struct tp_str said = { 0 };
	(void)state;
	fill(&m, 0);
	assert_int_equal(tp_model_choose(&m, NULL, NULL), TP_OK);
	tp_model_named(&m, &said);
	assert_string_equal(tp_str_text(&said),
			    "looks like granite-rapids (by features and caches; CPUID has family "
			    "6 model 167)");
	tp_str_clear(&said);
	tp_copy(m.cpu.arch, sizeof(m.cpu.arch), "aarch64");
	tp_copy(m.cpu.vendor, sizeof(m.cpu.vendor), "ARM");
	m.cpu.family = -1;
	tp_model_found_by(&m, &said);
	assert_string_equal(tp_str_text(&said),
			    "by features and caches; its ID register has part 0x0a7 of ARM");
	tp_str_clear(&said);
	m.cpu.model = -1;
	tp_model_found_by(&m, &said);
	assert_string_equal(tp_str_text(&said),
			    "by features and caches; the CPU does not give its number");
	tp_str_clear(&said);

	/* A choice is not a guess, even if it is the same model. */
	fill(&m, 0);
	assert_int_equal(tp_model_choose(&m, "granite-rapids", NULL), TP_OK);
	assert_int_equal(m.model_found, TP_MODEL_CHOSEN);
	tp_model_named(&m, &said);
	assert_string_equal(tp_str_text(&said), "granite-rapids");
	tp_str_clear(&said);
	tp_model_found_by(&m, &said);
	assert_string_equal(tp_str_text(&said), "");
	assert_int_equal(tp_model_choose(&m, "no-such-model", NULL), TP_NOTFOUND);
	assert_int_equal(m.model_found, TP_MODEL_NONE);
	tp_model_named(&m, &said);
	assert_string_equal(tp_str_text(&said), "");
	tp_str_release(&said);
}

/* A vendor alone matches, as ever; beside looks it only limits them. */
static void a_vendor_is_no_identification(void **state)
{
	static const char
		head[] = "title: T\narch: x86_64\nmatch:\n  vendor: GenuineIntel\n",
		features[] = "  features: [avx2, fma]\n",
		isas[] = "isas:\n  scalar:\n    loads_per_cycle: 2\n    stores_per_cycle: 1\n"
			 "    fma_per_cycle: 2\n    add_per_cycle: 2\n    mul_per_cycle: 2\n";
	char text[512];
	struct tp_machine m;
	struct tp_model model;
	(void)state;
	fill(&m, 0);
	snprintf(text, sizeof(text), "%s%s", head, isas);
	assert_int_equal(tp_model_parse(&model, "m.yaml", text, strlen(text), NULL), TP_OK);
	assert_true(tp_model_matches(&model, &m.cpu));
	assert_false(tp_model_looks_like(&model, &m));
	snprintf(text, sizeof(text), "%s%s%s", head, features, isas);
	assert_int_equal(tp_model_parse(&model, "m.yaml", text, strlen(text), NULL), TP_OK);
	assert_int_equal(model.look_features.n, 2);
	assert_false(tp_model_matches(&model, &m.cpu));
	assert_true(tp_model_looks_like(&model, &m));
	tp_copy(m.cpu.features, sizeof(m.cpu.features), "avx avx512f fma4");
	assert_false(tp_model_looks_like(&model, &m));
}

int main(void)
{
	if (!getenv("TPROF_DATADIR"))
		setenv("TPROF_DATADIR", source_dir(), 1);
	setenv("XDG_DATA_HOME", "/nonexistent", 1); /* the tester's own models stay out */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matching),
		cmocka_unit_test(made_up_machines),
		cmocka_unit_test(words),
		cmocka_unit_test(a_vendor_is_no_identification),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
