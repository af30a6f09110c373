/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/model_schema.h"
#include "base/text.h"
#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define IN_MODEL(member) offsetof(struct tp_model, member), sizeof(((struct tp_model *)0)->member)
#define IN_ISA(member)                                                                             \
	offsetof(struct tp_model_isa, member), sizeof(((struct tp_model_isa *)0)->member)

#define CACHE(key, level, help)                                                                    \
	{                                                                                          \
		key, TP_MODEL_SIZE, IN_MODEL(cache_bytes[level]), 1024, 17179869184.0, false,      \
			NULL, help                                                                 \
	}
#define SHARED(key, level)                                                                         \
	{                                                                                          \
		key, TP_MODEL_COUNT, IN_MODEL(cache_cores[level]), 1, 4096, false, NULL, NULL      \
	}
static const struct tp_model_field cache_fields[] = {
	CACHE("L1", 1, NULL),
	CACHE("L2", 2, NULL),
	CACHE("L3", 3,
	      "Capacity of one instance of each level. "
	      "It is used where the machine reports none"),
	SHARED("L1_shared_by", 1),
	SHARED("L2_shared_by", 2),
	{ "L3_shared_by", TP_MODEL_COUNT, IN_MODEL(cache_cores[3]), 1, 4096, false, NULL,
	  "Cores that share an instance. Without these, a core has an L1 and an L2 of its own, and "
	  "the cores of a socket share the L3" },
};
static const struct tp_model_field memory_fields[] = {
	{ "channels", TP_MODEL_COUNT, IN_MODEL(memory_channels), 1, 128, false, NULL,
	  "Memory channels of 64 bits that a socket has" },
	{ "mts", TP_MODEL_NUMBER, IN_MODEL(memory_mts), 100, 100000, false, NULL,
	  "Million transfers a second of one channel. "
	  "Theoretical bandwidth of a socket: mts x channels x 8 bytes" },
};
#define LOOK(key, level, help)                                                                     \
	{                                                                                          \
		key, TP_MODEL_SIZE, IN_MODEL(look_bytes[level]), 1024, 17179869184.0, false, NULL, \
			help                                                                       \
	}
static const struct tp_model_field match_fields[] = {
	{ "vendor", TP_MODEL_WORD_LIST, IN_MODEL(match_vendors), 0, 0, false, NULL,
	  "Who made the CPU, as machine.vendor in run.json: one name, or a list of names" },
	{ "family", TP_MODEL_INT, IN_MODEL(match_family), 0, 65535, false, NULL,
	  "Family on x86, with the extended family" },
	{ "models", TP_MODEL_LIST, IN_MODEL(match_models), 0, 65535, false, NULL,
	  "Model numbers on x86, with the extended model; part numbers on Arm. "
	  "A list of numbers and ranges such as [0x10-0x1f, 0x61]" },
	{ "stepping", TP_MODEL_RANGE, IN_MODEL(match_stepping_min), 0, 255, false, NULL,
	  "A stepping or a range of them, such as 0-4" },
	{ "brand", TP_MODEL_TEXT, IN_MODEL(match_brand), 0, 0, false, NULL,
	  "Text that occurs in the name of the CPU" },
	{ "features", TP_MODEL_WORD_LIST, IN_MODEL(look_features), 0, 0, false, NULL,
	  "Features that the CPU must have, as in machine.features of run.json: a list such as "
	  "[avx512_fp16, amx_tile]" },
	LOOK("L1", 1, NULL),
	LOOK("L2", 2, NULL),
	LOOK("L3", 3, "Capacities that the machine must report, exactly"),
	{ "L3_min", TP_MODEL_SIZE, IN_MODEL(look_l3_min), 1024, 17179869184.0, false, NULL, NULL },
	{ "L3_max", TP_MODEL_SIZE, IN_MODEL(look_l3_max), 1024, 17179869184.0, false, NULL,
	  "Least and largest L3 that it may report" },
};
#define RATE(member, required, help)                                                               \
	{                                                                                          \
#member, TP_MODEL_NUMBER, IN_ISA(member), 0, 64, required, NULL, help              \
	}
#define PEAK(member, help)                                                                         \
	{                                                                                          \
#member, TP_MODEL_NUMBER, IN_ISA(member), 0, 65536, false, NULL, help              \
	}
static const struct tp_model_field isa_fields[] = {
	{ "vector_bytes", TP_MODEL_COUNT, IN_ISA(vector_bytes), 4, 2048, false, NULL,
	  "Width of a register, and of what one instruction loads or stores. "
	  "Scalar: 8, and required for every other ISA" },
	RATE(loads_per_cycle, true, NULL),
	RATE(stores_per_cycle, true,
	     "Loads of that width, and stores, that start in a cycle when nothing else does"),
	RATE(mem_per_cycle, false,
	     "Loads and stores together; without it, neither hinders the other"),
	RATE(load_cost, false, NULL),
	RATE(store_cost, false,
	     "Cycles that a load and a store take of what they share: n loads and m stores need at "
	     "least n x load_cost + m x store_cost cycles"),
	RATE(fma_per_cycle, true, NULL),
	RATE(add_per_cycle, true, NULL),
	RATE(mul_per_cycle, true,
	     "Multiply-adds, additions and multiplications that start in a cycle when nothing else "
	     "does: the number of ports that take them"),
	RATE(div_per_cycle, false, NULL),
	RATE(div_single_per_cycle, false,
	     "Divisions in double and in single precision, such as 1/8"),
	RATE(fp_per_cycle, false,
	     "FP instructions of all kinds that start in a cycle: the number of ports that take "
	     "multiply-adds or additions. Where both use the same ports, it is the larger of the "
	     "two rates, which is the default"),
	PEAK(double_tile_flop_per_cycle, NULL),
	PEAK(single_tile_flop_per_cycle, NULL),
	PEAK(half_fma_flop_per_cycle, NULL),
	PEAK(half_tile_flop_per_cycle, NULL),
	PEAK(bf16_dot_flop_per_cycle, NULL),
	PEAK(bf16_tile_flop_per_cycle, NULL),
	PEAK(int8_dot_flop_per_cycle, NULL),
	PEAK(int8_tile_flop_per_cycle,
	     "Peaks in narrow precisions and of matrix products, by precision and fp_op: "
	     "operations of one core in a "
	     "cycle, "
	     "of which a multiply-add is two. Without one, the model does not have the "
	     "instruction"),
};
#define TYPICAL(key, member, max, help)                                                            \
	{                                                                                          \
		key, TP_MODEL_NUMBER, IN_MODEL(typical.member), 0.01, max, false, NULL, help       \
	}
static const struct tp_model_field typical_fields[] = {
	TYPICAL("ghz", ghz, 20, "Frequency of one busy core in GHz"),
	TYPICAL("L1_cycles", l1_cycles, 1000, NULL),
	TYPICAL("L2_cycles", l2_cycles, 1000, "Cycles of a load that depends on the one before"),
	TYPICAL("L3_ns", l3_ns, 10000, NULL),
	TYPICAL("memory_ns", memory_ns, 10000, "The same in nanoseconds"),
	TYPICAL("L2_bytes_per_cycle", l2_bytes_per_cycle, 1024,
		"Bytes that a core loads from its L2 in a cycle"),
	TYPICAL("L3_gbps", l3_gbps, 10000, NULL),
	TYPICAL("memory_gbps", memory_gbps, 10000,
		"Gigabytes (10^9) that one core loads in a second"),
};
static const struct tp_model_table typical_table = { "typical", typical_fields,
						     TP_COUNT_OF(typical_fields) };
static const struct tp_model_table cache_table = { "caches", cache_fields,
						   TP_COUNT_OF(cache_fields) };
static const struct tp_model_table memory_table = { "memory", memory_fields,
						    TP_COUNT_OF(memory_fields) };
static const struct tp_model_table match_table = { "match", match_fields,
						   TP_COUNT_OF(match_fields) };
const struct tp_model_table tp_model_isa_table = { "an ISA", isa_fields, TP_COUNT_OF(isa_fields) };

static const struct tp_model_field model_fields[] = {
	{ "title", TP_MODEL_TEXT, IN_MODEL(title), 0, 0, true, NULL,
	  "Name of the processor, for people" },
	{ "vendor", TP_MODEL_TEXT, IN_MODEL(vendor), 0, 0, false, NULL, "Who made it, for people" },
	{ "arch", TP_MODEL_TEXT, IN_MODEL(arch), 0, 0, true, NULL,
	  "Architecture: x86_64, aarch64 or riscv64" },
	{ "nominal_ghz", TP_MODEL_NUMBER, IN_MODEL(nominal_ghz), 0.01, 20, false, NULL,
	  "Frequency of the reference system in GHz, for peaks of the whole machine" },
	{ "additions_per_cycle", TP_MODEL_NUMBER, IN_MODEL(additions_per_cycle), 0.5, 64, false,
	  NULL,
	  "Independent integer additions of one core in a cycle. With it, tprof recognises a core "
	  "that something else uses all the time" },
	{ "sockets", TP_MODEL_COUNT, IN_MODEL(sockets), 1, 256, false, NULL,
	  "Sockets of the reference system" },
	{ "cores_per_socket", TP_MODEL_COUNT, IN_MODEL(cores_per_socket), 1, 4096, false, NULL,
	  "Cores of one of its sockets" },
	{ "threads_per_core", TP_MODEL_COUNT, IN_MODEL(threads_per_core), 1, 16, false, NULL,
	  "Hardware threads of one of its cores" },
	{ "caches", TP_MODEL_MAP, 0, 0, 0, 0, false, &cache_table, "See below" },
	{ "memory", TP_MODEL_MAP, 0, 0, 0, 0, false, &memory_table, "See below" },
	{ "match", TP_MODEL_MAP, 0, 0, 0, 0, false, &match_table,
	  "CPUs that the model describes; see below" },
	{ "typical", TP_MODEL_MAP, 0, 0, 0, 0, false, &typical_table,
	  "Latencies and bandwidths, for the simulated machine; see below" },
	{ "isas", TP_MODEL_ISA_MAP, 0, 0, 0, 0, true, &tp_model_isa_table,
	  "A mapping from instruction sets, by the names of --list isas, to what a core does in a "
	  "cycle; see below" },
};
const struct tp_model_table tp_model_table = { "a machine model", model_fields,
					       TP_COUNT_OF(model_fields) };

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
