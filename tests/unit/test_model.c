/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Machine models: the published reference figures, every shipped file, and what is said of bad
 * files.
 */
#include "machine/machine.h"
#include "base/str.h"
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

/* The reference table of the specification: per core and cycle, double precision. */
static void reference_rows(void **state)
{
	(void)state;
	static const struct {
		const char *model, *widest;
		double l1_bytes;
		const char *isa[4];
		double flop[4];
	} rows[] = {
		{ "skylake-x",
		  "avx512",
		  192,
		  { "scalar", "sse", "avx2", "avx512" },
		  { 4, 8, 16, 32 } },
		{ "cascade-lake",
		  "avx512",
		  192,
		  { "scalar", "sse", "avx2", "avx512" },
		  { 4, 8, 16, 32 } },
		{ "zen3", "avx2", 96, { "scalar", "sse", "avx2" }, { 4, 8, 16 } },
		{ "thunderx2", "neon", 32, { "scalar", "neon" }, { 4, 8 } },
		{ "c920", "rvv0.7", 32, { "scalar", "rvv0.7" }, { 4, 8 } },
	};
	for (size_t i = 0; i < TP_COUNT_OF(rows); i++) {
		struct tp_model m;
		load(&m, rows[i].model);
		assert_near(tp_model_l1_best(&m, rows[i].widest, 8, NULL, NULL), rows[i].l1_bytes,
			    1e-9);
		for (size_t k = 0; k < 4 && rows[i].isa[k]; k++) {
			const char *isa = rows[i].isa[k];
			assert_near(tp_model_flop_per_cycle(&m, isa, 8, "fma"), rows[i].flop[k],
				    1e-9);
			double single = strcmp(isa, "scalar") == 0 ? 1 : 2;
			assert_near(tp_model_flop_per_cycle(&m, isa, 4, "fma"),
				    single * rows[i].flop[k], 1e-9);
		}
	}
	struct tp_model zen3, tx2;
	load(&zen3, "zen3");
	load(&tx2, "thunderx2");
	assert_null(tp_model_isa(&zen3, "avx512"));
	assert_null(tp_model_isa(&tx2, "avx2"));
	assert_near(tp_model_flop_per_cycle(&zen3, "avx512", 8, "fma"), 0, 0);
	assert_near(tp_model_l1_best(&tx2, "avx2", 8, NULL, NULL), 0, 0);
}

/* F = freq x cores x FLOP/cycle x sockets; B = MT/s x channels x 8 bytes. */
static void whole_machine(void **state)
{
	(void)state;
	struct tp_model m;
	load(&m, "skylake-x");
	assert_near(tp_model_peak_gflops(&m, "avx512", 8, "fma"), 2.5 * 28 * 2 * 32, 1e-9);
	assert_near(tp_model_dram_gbps(&m), 2666e6 * 6 * 8 / 1e9, 1e-9);
	m.memory_channels = 0;
	m.cores_per_socket = 0;
	assert_near(tp_model_dram_gbps(&m), 0, 0);
	assert_near(tp_model_peak_gflops(&m, "avx512", 8, "fma"), 0, 0);
}

static void shipped_models(void **state)
{
	(void)state;
	static const char *const expected[] = {
		"a64fx",	  "apple-m1",	    "apple-m2",	   "c920",	  "cascade-lake",
		"emerald-rapids", "granite-rapids", "graviton4",   "ice-lake",	  "neoverse-n1",
		"neoverse-n2",	  "neoverse-v1",    "neoverse-v2", "neoverse-v3", "sapphire-rapids",
		"skylake-x",	  "spacemit-k1",    "thunderx2",   "zen2",	  "zen3",
		"zen4",		  "zen5",
	};
	struct tp_named_file *entries;
	struct tp_diag diag = { 0 };
	size_t n;
	assert_int_equal(tp_model_entries(&entries, &n, &diag), TP_OK);
	for (size_t i = 0, at = 0; i < TP_COUNT_OF(expected); i++, at++) {
		while (at < n && strcmp(entries[at].name, expected[i]) != 0)
			at++;
		if (at == n)
			fail_msg("%s is not listed, or not in order", expected[i]);
	}
	for (size_t i = 0; i < n; i++) {
		struct tp_model m;
		load(&m, entries[i].name);
		assert_string_equal(entries[i].title, m.title);
		assert_true(*m.vendor && *m.arch && m.nominal_ghz > 0);
		assert_true(m.sockets && m.cores_per_socket && m.threads_per_core);
		assert_true(m.memory_channels && m.memory_mts > 0);
		assert_true(m.cache_bytes[1] < m.cache_bytes[2]);
		assert_true(m.cache_bytes[1] > 0);
		/* Those without a third level. */
		if (strcmp(m.name, "a64fx") == 0 || strcmp(m.name, "spacemit-k1") == 0 ||
		    strncmp(m.name, "apple", 5) == 0)
			assert_int_equal(m.cache_bytes[3], 0);
		else
			assert_true(m.cache_bytes[2] < m.cache_bytes[3]);
		assert_non_null(tp_model_isa(&m, "scalar"));
		assert_true(m.n_isas >= 2); /* scalar and a vector ISA */
		for (size_t k = 0; k < m.n_isas; k++) {
			const struct tp_model_isa *isa = &m.isas[k];
			assert_true(isa->vector_bytes && isa->loads_per_cycle > 0);
			assert_true(isa->stores_per_cycle > 0 && isa->fma_per_cycle > 0);
			assert_true(isa->add_per_cycle > 0 && isa->mul_per_cycle > 0);
			assert_true(isa->fp_per_cycle >= isa->fma_per_cycle);
			/* No mix may be faster than what loads and stores allow alone. */
			double alone =
				(isa->loads_per_cycle + isa->stores_per_cycle) * isa->vector_bytes;
			assert_true(tp_model_l1_best(&m, isa->name, 8, NULL, NULL) <= alone + 1e-9);
		}
	}
	free(entries);
}

#define HEAD "title: T\narch: x86_64\n"
#define RATES                                                                                      \
	"    loads_per_cycle: 2\n    stores_per_cycle: 1\n    fma_per_cycle: 2\n"                  \
	"    add_per_cycle: 2\n    mul_per_cycle: 2\n"
#define ISAS "isas:\n  avx2:\n    vector_bytes: 32\n" RATES

/* Each bad file and everything that must be said of it: "place: what (hint)", a line an error. */
static const struct {
	const char *text, *golden;
} bad[] = {
	{ "", "m.yaml:1:1: the file is empty (see tprof-machine(5) for the form)\n" },
	{ "[1, 2]", "m.yaml:1:1: a machine model: expected keys with values (write key: value)\n" },
	{ HEAD, "m.yaml:1:1: isas is missing in a machine model\n" },
	{ "arch: x86_64\n" ISAS, "m.yaml:1:1: title is missing in a machine model\n" },
	{ HEAD "nominal_gz: 2\n" ISAS, "m.yaml:3:1: unknown key \"nominal_gz\" in a machine model "
				       "(did you mean nominal_ghz?)\n" },
	{ HEAD "memory:\n  what: 2\n" ISAS,
	  "m.yaml:4:3: unknown key \"what\" in memory (allowed: channels and mts)\n" },
	{ HEAD "nominal_ghz: fast\nsockets: 1.5\nthreads_per_core: 0\n" ISAS,
	  "m.yaml:3:14: \"fast\" is not a value for nominal_ghz (a number, or a fraction such as "
	  "1/5, "
	  "from 0.01 to 20)\n"
	  "m.yaml:4:10: \"1.5\" is not a value for sockets (a whole number from 1 to 256)\n"
	  "m.yaml:5:19: \"0\" is not a value for threads_per_core (a whole number from 1 to "
	  "16)\n" },
	{ HEAD "caches:\n  L1: 32KB\n  L4: 1MiB\n  L2: [1MiB]\n" ISAS,
	  "m.yaml:4:7: \"32KB\" is not a value for L1 (a size such as 32KiB or 1MiB, from 1 KiB to "
	  "16 "
	  "GiB)\n"
	  "m.yaml:5:3: unknown key \"L4\" in caches (did you mean L1?)\n"
	  "m.yaml:6:7: L2 takes one value, not a list\n" },
	{ "title: T\narch: x86\n" ISAS,
	  "m.yaml:2:7: there is no arch \"x86\" (x86_64, aarch64 or riscv64)\n" },
	{ HEAD "isas:\n  avx3:\n    vector_bytes: 32\n",
	  "m.yaml:4:3: there is no ISA \"avx3\" (did you mean avx2? ISAs: scalar, sse, avx2, "
	  "avx512, "
	  "neon, sve, sme, rvv1.0 and rvv0.7)\n" },
	{ HEAD "isas:\n  neon:\n    vector_bytes: 16\n" RATES,
	  "m.yaml:4:3: neon is an ISA of aarch64; this model's arch is x86_64\n" },
	{ HEAD "isas:\n  avx2:\n" RATES, "m.yaml:5:5: vector_bytes of avx2 is missing (a "
					 "power of two, such as "
					 "32 for avx2)\n" },
	{ HEAD "isas:\n  avx2:\n    vector_bytes: 32\n    loads_per_cycle: 2\n"
	       "    stores_per_cycle: 1/4294967295\n    fma_per_cycle: 0\n    add_per_cycle: 1\n"
	       "    mul_per_cycle: 1/1000\n",
	  "m.yaml:7:23: \"1/4294967295\" is not a value for stores_per_cycle (0, or a number of at "
	  "least 0.001)\n" },
	{ HEAD "isas:\n  avx2:\n    vector_bytes: 32\n    loads_per_cycle: 1/0\n"
	       "    stores_per_cycle: -1\n    fma_per_cycle: nan\n    add_per_cycle: 1\n",
	  "m.yaml:5:5: mul_per_cycle is missing in an ISA\n"
	  "m.yaml:6:22: \"1/0\" is not a value for loads_per_cycle (a number, or a fraction such "
	  "as "
	  "1/5, from 0 to 64)\n"
	  "m.yaml:7:23: \"-1\" is not a value for stores_per_cycle (a number, or a fraction such "
	  "as "
	  "1/5, from 0 to 64)\n"
	  "m.yaml:8:20: \"nan\" is not a value for fma_per_cycle (a number, or a fraction such as "
	  "1/5, "
	  "from 0 to 64)\n" },
	{ HEAD ISAS "isas: {}\n",
	  "m.yaml:11:1: isas is written twice; first in line 3 (keep one of them)\n" },
	{ HEAD "isas: {}\n", "m.yaml:3:7: isas: expected 1 to 12 ISAs with their figures\n" },
	{ HEAD "match:\n  models: [1, 0x20-0x10, x, 70000]\n  family: -1\n  stepping: 5-2\n" ISAS,
	  "m.yaml:4:15: \"0x20-0x10\" is not a number or a range (numbers from 0 to 65535 and "
	  "ranges "
	  "such as 0x10-0x1f)\n"
	  "m.yaml:4:26: \"x\" is not a number or a range (numbers from 0 to 65535 and ranges such "
	  "as "
	  "0x10-0x1f)\n"
	  "m.yaml:4:29: \"70000\" is not a number or a range (numbers from 0 to 65535 and ranges "
	  "such "
	  "as 0x10-0x1f)\n"
	  "m.yaml:5:11: \"-1\" is not a value for family (a whole number from 0 to 65535)\n"
	  "m.yaml:6:13: \"5-2\" is not a value for stepping (a whole number, or a range such as "
	  "0-4, "
	  "from 0 to 255)\n" },
	{ HEAD "match:\n  features: [a, \"\", [b], 123456789012345678901234567890123]\n"
	       "  vendor: [1, 2, 3, 4, 5, 6, 7, 8, 9]\n" ISAS,
	  "m.yaml:4:17: a word of features takes 1 to 31 characters\n"
	  "m.yaml:4:21: features takes one value, not a list\n"
	  "m.yaml:4:26: a word of features takes 1 to 31 characters\n"
	  "m.yaml:5:36: vendor takes at most 8 words\n" },
	{ HEAD "match:\n  models: [0-200]\n" ISAS,
	  "m.yaml:4:12: more than 128 models are listed\n" },
	{ "title: \"a\\eb\"\narch: x86_64\n" ISAS,
	  "m.yaml:1:8: title holds a control character\n" },
	{ "title: T\narch: x86_64\n? [a]\n: b\n" ISAS,
	  "m.yaml:3:3: a key must be a word (write key: value)\n" },
	{ HEAD ISAS "---\na: b\n",
	  "m.yaml:11:1: a second YAML document; a machine model is one (one model is one file)\n" },
	{ "title: T\n\tarch: x86_64\n",
	  "m.yaml:2:1: broken YAML: found a tab character that violates indentation, while "
	  "scanning a plain scalar that began in line 1 (indent with spaces: YAML allows no tabs "
	  "there)\n" },
	{ "title: [a\n",
	  "m.yaml:1:8: title takes one value, not a list\n"
	  "m.yaml:2:1: broken YAML: did not find expected ',' or ']', while parsing a flow "
	  "sequence that began in line 1 (see tprof-machine(5) for the form)\n" },
	{ HEAD "isas: *x\n", "m.yaml:3:7: there is no &x above this\n" },
	{ HEAD "isas: &x {avx2: *x}\n", "m.yaml:3:17: there is no &x above this\n" },
};

static void bad_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < TP_COUNT_OF(bad); i++) {
		struct tp_model m;
		struct tp_diags diags = { 0 };
		struct tp_str said = { 0 };
		assert_int_equal(
			tp_model_parse(&m, "m.yaml", bad[i].text, strlen(bad[i].text), &diags),
			TP_USAGE);
		assert_string_equal(m.name, ""); /* nothing half-read is handed out */
		assert_int_equal(m.n_isas, 0);
		for (size_t k = 0; k < diags.n; k++) {
			const struct tp_diag *d = &diags.items[k];
			tp_str_printf(&said, "%s: %s", d->where, d->what);
			tp_str_printf(&said, *d->hint ? " (%s)\n" : "%s\n", d->hint);
		}
		assert_string_equal(tp_str_text(&said), bad[i].golden);
		tp_str_release(&said);
		tp_diags_release(&diags);
	}
}

static void good_file(void **state)
{
	(void)state;
	static const char text[] =
		"# comment\n"
		"isas:\n  scalar:\n" RATES
		"  sse: &same\n    vector_bytes: 16\n    div_per_cycle: 2/9\n" RATES
		"  avx2: *same\n"
		"arch: x86_64\ntitle: \"Mine: a CPU\"\n"
		"caches: {L1: 48K, L2: 1.25MiB, L2_shared_by: 2}\n"
		"match: {models: [0x10-0x12, 7], stepping: 3, brand: Name, vendor: [A, B],\n"
		"  features: avx2, L2: 1MiB, L3_min: 8MiB, L3_max: 9MiB}\n"
		"typical: {ghz: 3.5, L2_cycles: 14, memory_gbps: 12.5}\n";
	struct tp_model m;
	struct tp_diags diags = { 0 };
	enum tp_status status =
		tp_model_parse(&m, "/some/where/mine.yaml", text, strlen(text), &diags);
	if (status != TP_OK)
		fail_msg("%s: %s", diags.items[0].where, diags.items[0].what);
	assert_string_equal(m.name, "mine");
	assert_string_equal(m.title, "Mine: a CPU");
	assert_int_equal(m.cache_bytes[1], 49152);
	assert_int_equal(m.cache_bytes[2], 1310720);
	assert_int_equal(m.cache_cores[2], 2);
	assert_int_equal(m.cache_bytes[3], 0);
	assert_int_equal(m.n_isas, 3);
	assert_int_equal(m.isas[2].vector_bytes, 16); /* as the alias says */
	assert_int_equal(m.isas[0].vector_bytes, 8); /* scalar: a double unless said otherwise */
	assert_near(m.isas[1].div_per_cycle, 2 / 9.0, 1e-15);
	assert_int_equal(m.n_match_models, 4);
	assert_int_equal(m.match_models[2], 0x12);
	assert_int_equal(m.match_family, -1);
	assert_int_equal(m.match_stepping[0], 3);
	assert_int_equal(m.match_stepping[1], 3);
	assert_int_equal(m.match_vendors.n, 2);
	assert_string_equal(m.match_vendors.at[1], "B");
	assert_int_equal(m.look_features.n, 1); /* one word needs no list */
	assert_string_equal(m.look_features.at[0], "avx2");
	assert_int_equal(m.look_bytes[1], 0);
	assert_int_equal(m.look_bytes[2], 1 << 20);
	assert_int_equal(m.look_l3_min, 8 << 20);
	assert_int_equal(m.look_l3_max, 9 << 20);
	assert_near(m.typical.ghz, 3.5, 1e-15);
	assert_near(m.typical.l2_cycles, 14, 1e-15);
	assert_near(m.typical.memory_gbps, 12.5, 1e-15);
	assert_near(m.typical.l3_ns, 0, 0);
	assert_near(tp_model_dram_gbps(&m), 0, 0);
	/*
	 * Four loads of 8 bytes in two cycles; without mem_per_cycle loads and stores do not hinder
	 * each other.
	 */
	assert_near(tp_model_l1_bytes_per_cycle(&m, "scalar", 8, 2, 1), 24, 1e-9);
	/* Without fp_per_cycle additions have no ports of their own: 3:1 on two. */
	assert_near(tp_model_flop_per_cycle(&m, "scalar", 8, "fma+add"), 3.5, 1e-9);
	tp_diags_release(&diags);
}

static void unreadable_files(void **state)
{
	(void)state;
	struct tp_model m;
	struct tp_diags diags = { 0 };
	assert_int_equal(tp_model_load(&m, "/nonexistent/a.yaml", &diags), TP_NOTFOUND);
	assert_int_equal(diags.n, 1);
	assert_int_equal(tp_model_load(&m, source_dir(), &diags), TP_USAGE);
	assert_int_equal(diags.n, 2);
	tp_diags_release(&diags);

	static const char binary[] = "title: \xff\xfe\n";
	assert_int_equal(tp_model_parse(&m, "b.yaml", binary, sizeof(binary) - 1, &diags),
			 TP_USAGE);
	assert_non_null(strstr(diags.items[0].what, "broken YAML"));
	assert_string_equal(diags.items[0].where, "b.yaml:1:8");
	tp_diags_release(&diags);

	/* Of a long path the end is kept, with the place. */
	char name[600];
	memset(name, 'd', sizeof(name));
	strcpy(name + sizeof(name) - 8, "/x.yaml");
	assert_int_equal(tp_model_parse(&m, name, "", 0, &diags), TP_USAGE);
	assert_non_null(strstr(diags.items[0].where, "/x.yaml:1:1"));
	tp_diags_release(&diags);
}

int main(void)
{
	if (!getenv("TPROF_DATADIR"))
		setenv("TPROF_DATADIR", source_dir(), 1);
	setenv("XDG_DATA_HOME", "/nonexistent", 1); /* the tester's own models stay out */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reference_rows), cmocka_unit_test(whole_machine),
		cmocka_unit_test(shipped_models), cmocka_unit_test(bad_files),
		cmocka_unit_test(good_file),	  cmocka_unit_test(unreadable_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
