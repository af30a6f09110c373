/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/model_schema.h"
#include "base/units.h"
#include "base/vec.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define IN_MODEL(member) offsetof(struct tp_model, member), sizeof(((struct tp_model *)0)->member)
#define IN_ISA(member)                                                                             \
	offsetof(struct tp_model_isa, member), sizeof(((struct tp_model_isa *)0)->member)

#define CACHE(key, level)                                                                          \
	{                                                                                          \
		key, TP_MODEL_SIZE, IN_MODEL(cache_bytes[level]), 1024, 17179869184.0, false, NULL \
	}
#define SHARED(key, level)                                                                         \
	{                                                                                          \
		key, TP_MODEL_COUNT, IN_MODEL(cache_cores[level]), 1, 4096, false, NULL            \
	}
static const struct tp_model_field cache_fields[] = {
	CACHE("L1", 1),
	CACHE("L2", 2),
	CACHE("L3", 3),
	SHARED("L1_shared_by", 1),
	SHARED("L2_shared_by", 2),
	SHARED("L3_shared_by", 3),
};
static const struct tp_model_field memory_fields[] = {
	{ "channels", TP_MODEL_COUNT, IN_MODEL(memory_channels), 1, 128, false, NULL },
	{ "mts", TP_MODEL_NUMBER, IN_MODEL(memory_mts), 100, 100000, false, NULL },
};
static const struct tp_model_field match_fields[] = {
	{ "vendor", TP_MODEL_TEXT, IN_MODEL(match_vendor), 0, 0, false, NULL },
	{ "family", TP_MODEL_INT, IN_MODEL(match_family), 0, 65535, false, NULL },
	{ "models", TP_MODEL_LIST, IN_MODEL(match_models), 0, 65535, false, NULL },
	{ "stepping", TP_MODEL_RANGE, IN_MODEL(match_stepping_min), 0, 255, false, NULL },
	{ "brand", TP_MODEL_TEXT, IN_MODEL(match_brand), 0, 0, false, NULL },
};
#define RATE(member, required)                                                                     \
	{                                                                                          \
#member, TP_MODEL_NUMBER, IN_ISA(member), 0, 64, required, NULL                    \
	}
static const struct tp_model_field isa_fields[] = {
	{ "vector_bytes", TP_MODEL_COUNT, IN_ISA(vector_bytes), 4, 2048, false, NULL },
	RATE(loads_per_cycle, true),
	RATE(stores_per_cycle, true),
	RATE(mem_per_cycle, false),
	RATE(load_cost, false),
	RATE(store_cost, false),
	RATE(fma_per_cycle, true),
	RATE(add_per_cycle, true),
	RATE(mul_per_cycle, true),
	RATE(div_per_cycle, false),
	RATE(div_single_per_cycle, false),
	RATE(fp_per_cycle, false),
};
static const struct tp_model_table cache_table = { "caches", cache_fields,
						   TP_COUNT_OF(cache_fields) };
static const struct tp_model_table memory_table = { "memory", memory_fields,
						    TP_COUNT_OF(memory_fields) };
static const struct tp_model_table match_table = { "match", match_fields,
						   TP_COUNT_OF(match_fields) };
const struct tp_model_table tp_model_isa_table = { "an ISA", isa_fields, TP_COUNT_OF(isa_fields) };

static const struct tp_model_field model_fields[] = {
	{ "title", TP_MODEL_TEXT, IN_MODEL(title), 0, 0, true, NULL },
	{ "vendor", TP_MODEL_TEXT, IN_MODEL(vendor), 0, 0, false, NULL },
	{ "arch", TP_MODEL_TEXT, IN_MODEL(arch), 0, 0, true, NULL },
	{ "nominal_ghz", TP_MODEL_NUMBER, IN_MODEL(nominal_ghz), 0.01, 20, false, NULL },
	{ "sockets", TP_MODEL_COUNT, IN_MODEL(sockets), 1, 256, false, NULL },
	{ "cores_per_socket", TP_MODEL_COUNT, IN_MODEL(cores_per_socket), 1, 4096, false, NULL },
	{ "threads_per_core", TP_MODEL_COUNT, IN_MODEL(threads_per_core), 1, 16, false, NULL },
	{ "caches", TP_MODEL_MAP, 0, 0, 0, 0, false, &cache_table },
	{ "memory", TP_MODEL_MAP, 0, 0, 0, 0, false, &memory_table },
	{ "match", TP_MODEL_MAP, 0, 0, 0, 0, false, &match_table },
	{ "isas", TP_MODEL_ISA_MAP, 0, 0, 0, 0, true, &tp_model_isa_table },
};
const struct tp_model_table tp_model_table = { "a machine model", model_fields,
					       TP_COUNT_OF(model_fields) };

const struct tp_model_isa_name tp_model_isa_names[TP_MODEL_ISA_NAMES] = {
	{ "scalar", NULL },	 { "sse", "x86_64" },	 { "avx2", "x86_64" },
	{ "avx512", "x86_64" },	 { "neon", "aarch64" },	 { "sve", "aarch64" },
	{ "rvv1.0", "riscv64" }, { "rvv0.7", "riscv64" }
};
const char *const tp_model_arch_names[TP_MODEL_ARCH_NAMES] = { "x86_64", "aarch64", "riscv64" };

_Static_assert(TP_COUNT_OF(isa_fields) <= TP_MODEL_FIELDS_MAX, "table too long");
_Static_assert(TP_COUNT_OF(model_fields) <= TP_MODEL_FIELDS_MAX, "table too long");

bool tp_model_parse_rate(const char *text, double *value)
{
	const char *slash = strchr(text, '/');
	if (!slash)
		return tp_parse_double(text, value);
	char top[32];
	double above, below;
	if ((size_t)(slash - text) >= sizeof(top))
		return false;
	memcpy(top, text, (size_t)(slash - text));
	top[slash - text] = '\0';
	if (!tp_parse_double(top, &above) || !tp_parse_double(slash + 1, &below) || !(below > 0))
		return false;
	*value = above / below;
	return true;
}

/* "17" or "0x11" at *text, moved past it. */
static bool take_int(const char **text, long *value)
{
	if (!isdigit((unsigned char)**text))
		return false;
	char *end;
	bool hex = (*text)[0] == '0' && ((*text)[1] == 'x' || (*text)[1] == 'X');
	*value = strtol(*text, &end, hex ? 16 : 10);
	if (end == *text || (hex && end < *text + 3))
		return false;
	*text = end;
	return true;
}

bool tp_model_parse_range(const char *text, double min, double max, int *first, int *last)
{
	long low, high;
	if (!take_int(&text, &low))
		return false;
	high = low;
	if (*text == '-' && (text++, !take_int(&text, &high)))
		return false;
	if (*text || low > high || low < (long)min || high > (long)max)
		return false;
	*first = (int)low;
	*last = (int)high;
	return true;
}
