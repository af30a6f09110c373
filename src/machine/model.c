/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine models: their keys, the reader of their files, and the theoretical roofs of one. */
#include "machine/model.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "kernels/isa_names.h"

const struct tp_model_isa *tp_model_isa(const struct tp_model *model, const char *isa)
{
	for (size_t i = 0; i < model->n_isas; i++)
		if (strcmp(model->isas[i].name, isa) == 0)
			return &model->isas[i];
	return NULL;
}

/* Scalar instructions move one element; vector registers are as wide for floats as for doubles. */
static double operand_bytes(const struct tp_model_isa *isa, unsigned element_bytes)
{
	return strcmp(isa->name, "scalar") == 0 ? element_bytes : isa->vector_bytes;
}

static double l1_bytes_per_cycle(const struct tp_model *model, const char *name,
				 unsigned element_bytes, unsigned loads, unsigned stores,
				 bool reached)
{
	const struct tp_model_isa *isa = tp_model_isa(model, name);
	if (!isa || loads + stores == 0 || (loads && !(isa->loads_per_cycle > 0)) ||
	    (stores && !(isa->stores_per_cycle > 0)))
		return 0;
	double cycles = 0;
	if (loads)
		cycles = loads / isa->loads_per_cycle;
	if (stores)
		cycles = TP_MAX(cycles, stores / isa->stores_per_cycle);
	if (isa->mem_per_cycle > 0)
		cycles = TP_MAX(cycles, (loads + stores) / isa->mem_per_cycle);
	cycles = TP_MAX(cycles, loads * isa->load_cost + stores * isa->store_cost);
	if (reached && loads && stores && isa->mem_reached_per_cycle > 0)
		cycles = TP_MAX(cycles, (loads + stores) / isa->mem_reached_per_cycle);
	if (reached && isa->stores_reached_per_cycle > 0)
		cycles = TP_MAX(cycles, stores / isa->stores_reached_per_cycle);
	return (loads + stores) * operand_bytes(isa, element_bytes) / cycles;
}

double tp_model_l1_bytes_per_cycle(const struct tp_model *model, const char *isa,
				   unsigned element_bytes, unsigned loads, unsigned stores)
{
	return l1_bytes_per_cycle(model, isa, element_bytes, loads, stores, false);
}

double tp_model_l1_reached_bytes_per_cycle(const struct tp_model *model, const char *isa,
					   unsigned element_bytes, unsigned loads, unsigned stores)
{
	return l1_bytes_per_cycle(model, isa, element_bytes, loads, stores, true);
}

double tp_model_l1_best(const struct tp_model *model, const char *isa, unsigned element_bytes,
			unsigned *loads, unsigned *stores)
{
	static const unsigned mixes[][2] = { { 1, 0 }, { 2, 1 }, { 1, 1 }, { 0, 1 } };
	double best = 0;
	size_t at = 0;
	for (size_t i = 0; i < TP_COUNT_OF(mixes); i++) {
		double rate = tp_model_l1_bytes_per_cycle(model, isa, element_bytes, mixes[i][0],
							  mixes[i][1]);
		if (rate > best) {
			best = rate;
			at = i;
		}
	}
	if (loads)
		*loads = mixes[at][0];
	if (stores)
		*stores = mixes[at][1];
	return best;
}

double tp_model_mix_flop_per_cycle(const struct tp_model *model, const char *name,
				   unsigned element_bytes, unsigned fmas, unsigned adds)
{
	const struct tp_model_isa *isa = tp_model_isa(model, name);
	if (!isa || (element_bytes != 4 && element_bytes != 8) || fmas + adds == 0 ||
	    (fmas && !(isa->fma_per_cycle > 0)) || (adds && !(isa->add_per_cycle > 0)))
		return 0;
	double lanes = operand_bytes(isa, element_bytes) / element_bytes;
	double ports = isa->fp_per_cycle > 0 ? isa->fp_per_cycle
					     : TP_MAX(isa->fma_per_cycle, isa->add_per_cycle);
	double cycles = (fmas + adds) / ports;
	if (fmas)
		cycles = TP_MAX(cycles, fmas / isa->fma_per_cycle);
	if (adds)
		cycles = TP_MAX(cycles, adds / isa->add_per_cycle);
	return lanes * (2 * fmas + adds) / cycles;
}

double tp_model_flop_per_cycle(const struct tp_model *model, const char *name,
			       unsigned element_bytes, const char *fp_op)
{
	const struct tp_model_isa *isa = tp_model_isa(model, name);
	if (!isa || (element_bytes != 4 && element_bytes != 8))
		return 0;
	double lanes = operand_bytes(isa, element_bytes) / element_bytes;
	if (strcmp(fp_op, "add") == 0)
		return lanes * isa->add_per_cycle;
	if (strcmp(fp_op, "mul") == 0)
		return lanes * isa->mul_per_cycle;
	if (strcmp(fp_op, "div") == 0)
		return lanes *
		       (element_bytes == 8 ? isa->div_per_cycle : isa->div_single_per_cycle);
	if (strcmp(fp_op, "fma") == 0)
		return lanes * 2 * isa->fma_per_cycle;
	if (strcmp(fp_op, "fma+add") != 0)
		return 0;
	double best = 0;
	for (unsigned fmas = 1; fmas <= TP_MODEL_FMAS_MAX; fmas++)
		best = TP_MAX(best,
			      tp_model_mix_flop_per_cycle(model, name, element_bytes, fmas, 1));
	return best;
}

double tp_model_narrow_flop_per_cycle(const struct tp_model *model, const char *name,
				      const char *precision, const char *fp_op)
{
	const struct tp_model_isa *isa = tp_model_isa(model, name);
	const struct {
		const char *precision, *op;
		double flop_per_cycle;
	} peaks[] = {
		{ "double", "tile", isa ? isa->double_tile_flop_per_cycle : 0 },
		{ "single", "tile", isa ? isa->single_tile_flop_per_cycle : 0 },
		{ "half", "fma", isa ? isa->half_fma_flop_per_cycle : 0 },
		{ "half", "tile", isa ? isa->half_tile_flop_per_cycle : 0 },
		{ "bf16", "dot", isa ? isa->bf16_dot_flop_per_cycle : 0 },
		{ "bf16", "tile", isa ? isa->bf16_tile_flop_per_cycle : 0 },
		{ "int8", "dot", isa ? isa->int8_dot_flop_per_cycle : 0 },
		{ "int8", "tile", isa ? isa->int8_tile_flop_per_cycle : 0 },
	};
	for (size_t i = 0; i < TP_COUNT_OF(peaks); i++)
		if (strcmp(peaks[i].precision, precision) == 0 && strcmp(peaks[i].op, fp_op) == 0)
			return peaks[i].flop_per_cycle;
	return 0;
}

double tp_model_peak_flop_per_cycle(const struct tp_model *model, const char *isa,
				    const char *precision, const char *fp_op)
{
	bool usual = strcmp(precision, "double") == 0 || strcmp(precision, "single") == 0;
	if (usual && strcmp(fp_op, "tile") != 0)
		return tp_model_flop_per_cycle(model, isa, precision[0] == 'd' ? 8 : 4, fp_op);
	return tp_model_narrow_flop_per_cycle(model, isa, precision, fp_op);
}

double tp_model_peak_gflops(const struct tp_model *model, const char *isa, unsigned element_bytes,
			    const char *fp_op)
{
	return model->nominal_ghz * model->cores_per_socket * model->sockets *
	       tp_model_flop_per_cycle(model, isa, element_bytes, fp_op);
}

double tp_model_dram_gbps(const struct tp_model *model)
{
	return model->memory_mts * 1e6 * model->memory_channels * 8 / 1e9;
}

#define IN_MODEL(member) offsetof(struct tp_model, member), sizeof(((struct tp_model *)0)->member)
#define IN_ISA(member)                                                                             \
	offsetof(struct tp_model_isa, member), sizeof(((struct tp_model_isa *)0)->member)

#define FIELD(key, kind, in, min, max, required, help)                                             \
	{                                                                                          \
		key, TP_MODEL_##kind, in, min, max, required, NULL, help                           \
	}
#define SIZE(key, member, help)	      FIELD(key, SIZE, IN_MODEL(member), 1024, 17179869184.0, false, help)
#define COUNT(key, member, max, help) FIELD(key, COUNT, IN_MODEL(member), 1, max, false, help)
static const struct tp_model_field cache_fields[] = {
	SIZE("L1", cache_bytes[1], NULL),
	SIZE("L2", cache_bytes[2], NULL),
	SIZE("L3", cache_bytes[3],
	     "Capacity of one instance of each level. "
	     "It is used where the machine reports none"),
	COUNT("L1_shared_by", cache_cores[1], 4096, NULL),
	COUNT("L2_shared_by", cache_cores[2], 4096, NULL),
	COUNT("L3_shared_by", cache_cores[3], 4096,
	      "Cores that share an instance. Without these, a core has an L1 and an L2 of its "
	      "own, and the cores of a socket share the L3"),
};
static const struct tp_model_field memory_fields[] = {
	COUNT("channels", memory_channels, 128, "Memory channels of 64 bits that a socket has"),
	{ "mts", TP_MODEL_NUMBER, IN_MODEL(memory_mts), 100, 100000, false, NULL,
	  "Million transfers a second of one channel. "
	  "Theoretical bandwidth of a socket: mts x channels x 8 bytes" },
};
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
	{ "brand", TP_MODEL_WORD_LIST, IN_MODEL(match_brands), 0, 0, false, NULL,
	  "Text that occurs in the name of the CPU, or a list of such texts" },
	{ "features", TP_MODEL_WORD_LIST, IN_MODEL(look_features), 0, 0, false, NULL,
	  "Features that the CPU must have, as in machine.features of run.json: a list such as "
	  "[avx512_fp16, amx_tile]" },
	SIZE("L1", look_bytes[1], NULL),
	SIZE("L2", look_bytes[2], NULL),
	SIZE("L3", look_bytes[3], "Capacities that the machine must report, exactly"),
	SIZE("L3_min", look_l3_min, NULL),
	SIZE("L3_max", look_l3_max, "Least and largest L3 that it may report"),
};
#define RATE(member, required, help) FIELD(#member, NUMBER, IN_ISA(member), 0, 64, required, help)
#define PEAK(member, help)	     FIELD(#member, NUMBER, IN_ISA(member), 0, 65536, false, help)
static const struct tp_model_field isa_fields[] = {
	{ "vector_bytes", TP_MODEL_COUNT, IN_ISA(vector_bytes), 4, 2048, false, NULL,
	  "Width of a register, and of what one instruction loads or stores. "
	  "Scalar: 8, and required for every other ISA" },
	RATE(loads_per_cycle, true, NULL),
	RATE(stores_per_cycle, true,
	     "Loads of that width, and stores, that start in a cycle when nothing else does"),
	RATE(mem_per_cycle, false,
	     "Loads and stores together; without it, neither hinders the other"),
	RATE(mem_reached_per_cycle, false, NULL),
	RATE(stores_reached_per_cycle, false,
	     "Loads and stores that mix, and stores, as far as any code was seen to come: on many "
	     "cores the ports add up to more. The simulated machine uses them"),
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
	FIELD(key, NUMBER, IN_MODEL(typical.member), 0.01, max, false, help)
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

/* one ISA */
static const struct tp_model_table model_isa_table = { "an ISA", isa_fields,
						       TP_COUNT_OF(isa_fields) };

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
	{ "reached_source", TP_MODEL_TEXT, IN_MODEL(reached_source), 0, 0, false, NULL,
	  "Where the figures of mem_reached_per_cycle and stores_reached_per_cycle come from; "
	  "reports name it" },
	{ "lacks", TP_MODEL_WORD_LIST, IN_MODEL(lacks), 0, 0, false, NULL,
	  "Features that plans would take for granted, and these CPUs do not have: clflushopt" },
	COUNT("sockets", sockets, 256, "Sockets of the reference system"),
	COUNT("cores_per_socket", cores_per_socket, 4096, "Cores of one of its sockets"),
	COUNT("threads_per_core", threads_per_core, 16, "Hardware threads of one of its cores"),
	{ "caches", TP_MODEL_MAP, 0, 0, 0, 0, false, &cache_table, "See below" },
	{ "memory", TP_MODEL_MAP, 0, 0, 0, 0, false, &memory_table, "See below" },
	{ "match", TP_MODEL_MAP, 0, 0, 0, 0, false, &match_table,
	  "CPUs that the model describes; see below" },
	{ "typical", TP_MODEL_MAP, 0, 0, 0, 0, false, &typical_table,
	  "Latencies and bandwidths, for the simulated machine; see below" },
	{ "isas", TP_MODEL_ISA_MAP, 0, 0, 0, 0, true, &model_isa_table,
	  "A mapping from instruction sets, by the names of --list isas, to what a core does in a "
	  "cycle; see below" },
};
const struct tp_model_table tp_model_table = { "a machine model", model_fields,
					       TP_COUNT_OF(model_fields) };

_Static_assert(TP_COUNT_OF(isa_fields) <= TP_MODEL_FIELDS_MAX, "table too long");
_Static_assert(TP_COUNT_OF(model_fields) <= TP_MODEL_FIELDS_MAX, "table too long");

/*
 * Whole-text parsers: "2", "0.5" or a fraction "1/5"; "17" or "0x10-0x1f" with both ends in [min,
 * max].
 */
static bool model_parse_rate(const char *text, double *value)
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

static bool model_parse_range(const char *text, double min, double max, int *first, int *last)
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

/*
 * Reads a machine model by the tables above. All errors of a file are collected, each
 * with its place, what was found and what is allowed.
 */

/* No machine is slower; a simulation of one would not come to an end. */
#define LEAST_NUMBER 0.001

enum { VALUE_MAX = 256, SHOWN_BYTES = 44 };

static const struct tp_yaml_kind models = {
	.files = "machine models",
	.one = "a machine model",
	.several = "one model is one file",
	.form = "see tprof-machine(5) for the form",
	.too_long = "is this a machine model?",
	.anchors = true,
};

struct reader {
	struct tp_model *model;
	struct tp_faults *faults;
};

/* A word of the file as it can be shown: printable and short. */
static const char *shown(const struct tp_node *node, char out[SHOWN_BYTES])
{
	return tp_shown(out, SHOWN_BYTES, node->text, node->len);
}

/* Scalar text without control characters, or NULL after a complaint. */
static const char *scalar(struct reader *reader, const struct tp_node *node, const char *key,
			  char out[VALUE_MAX])
{
	if (node->kind != TP_NODE_SCALAR) {
		tp_faults_add(reader->faults, node->place, NULL, "%s takes one value, not a %s",
			      key, node->kind == TP_NODE_MAPPING ? "mapping" : "list");
		return NULL;
	}
	const char *fault =
		node->len < VALUE_MAX ? tp_text_fault(node->text, node->len, "") : "is too long";
	if (fault) {
		tp_faults_add(reader->faults, node->place, NULL, "the value of %s %s", key, fault);
		return NULL;
	}
	memcpy(out, node->text, node->len + 1);
	return out;
}

static void read_list(struct reader *reader, const struct tp_model_field *field,
		      const struct tp_node *node)
{
	struct tp_model *model = reader->model;
	char text[VALUE_MAX], word[SHOWN_BYTES];
	if (node->kind != TP_NODE_SEQUENCE) {
		tp_faults_add(reader->faults, node->place, "give a list such as [0x10-0x1f, 0x61]",
			      "%s takes a list", field->key);
		return;
	}
	for (const struct tp_node *value = node->first; value; value = value->next) {
		int first, last;
		if (!scalar(reader, value, field->key, text))
			continue;
		if (!model_parse_range(text, field->min, field->max, &first, &last)) {
			tp_faults_add(reader->faults, value->place,
				      "numbers from 0 to 65535 and ranges such as 0x10-0x1f",
				      "\"%s\" is not a number or a range", shown(value, word));
			continue;
		}
		for (int number = first; number <= last; number++) {
			if (model->n_match_models == TP_MODEL_MATCHES) {
				tp_faults_add(reader->faults, value->place, NULL,
					      "more than %d models are listed", TP_MODEL_MATCHES);
				return;
			}
			model->match_models[model->n_match_models++] = number;
		}
	}
}

static void add_word(struct reader *reader, const struct tp_model_field *field,
		     struct tp_model_words *words, const struct tp_node *node)
{
	char text[VALUE_MAX];
	if (!scalar(reader, node, field->key, text))
		return;
	if (!*text || strlen(text) >= sizeof(*words->at))
		tp_faults_add(reader->faults, node->place, NULL,
			      "a word of %s takes 1 to %zu characters", field->key,
			      sizeof(*words->at) - 1);
	else if (words->n == TP_MODEL_WORDS)
		tp_faults_add(reader->faults, node->place, NULL, "%s takes at most %d words",
			      field->key, TP_MODEL_WORDS);
	else
		tp_copy(words->at[words->n++], sizeof(*words->at), text);
}

/* [a, b], or one word alone. */
static void read_words(struct reader *reader, const struct tp_model_field *field,
		       struct tp_model_words *words, const struct tp_node *node)
{
	if (node->kind != TP_NODE_SEQUENCE) {
		add_word(reader, field, words, node);
		return;
	}
	for (const struct tp_node *value = node->first; value; value = value->next)
		add_word(reader, field, words, value);
}

static void read_value(struct reader *reader, const struct tp_model_field *field, void *base,
		       const struct tp_node *node)
{
	char text[VALUE_MAX], word[SHOWN_BYTES], hint[128], low[32], high[32];
	void *to = (char *)base + field->offset;
	double number = 0;
	int first = 0, last = 0;
	uint64_t bytes = 0;
	bool good;
	if (field->kind == TP_MODEL_LIST) {
		read_list(reader, field, node);
		return;
	}
	if (field->kind == TP_MODEL_WORD_LIST) {
		read_words(reader, field, to, node);
		return;
	}
	if (!scalar(reader, node, field->key, text))
		return;
	switch (field->kind) {
	case TP_MODEL_TEXT:
		if (!*text || strlen(text) >= field->size)
			tp_faults_add(reader->faults, node->place, NULL,
				      "%s takes a text of 1 to %zu characters", field->key,
				      field->size - 1);
		else
			tp_copy(to, field->size, text);
		return;
	case TP_MODEL_SIZE:
		good = tp_parse_bytes(text, &bytes) && (double)bytes >= field->min &&
		       (double)bytes <= field->max;
		snprintf(hint, sizeof(hint), "a size such as 32KiB or 1MiB, from %s to %s",
			 tp_format_bytes(low, sizeof(low), (uint64_t)field->min),
			 tp_format_bytes(high, sizeof(high), (uint64_t)field->max));
		if (good)
			*(uint64_t *)to = bytes;
		break;
	case TP_MODEL_INT:
	case TP_MODEL_RANGE:
		good = model_parse_range(text, field->min, field->max, &first, &last) &&
		       (field->kind == TP_MODEL_RANGE || first == last);
		snprintf(hint, sizeof(hint), "a whole number%s from %g to %g",
			 field->kind == TP_MODEL_RANGE ? ", or a range such as 0-4," : "",
			 field->min, field->max);
		if (good) {
			((int *)to)[0] = first;
			if (field->kind == TP_MODEL_RANGE)
				reader->model->match_stepping_max = last;
		}
		break;
	default:
		good = model_parse_rate(text, &number) && number >= field->min &&
		       number <= field->max;
		if (field->kind == TP_MODEL_COUNT)
			good = good && number == (double)(unsigned)number;
		snprintf(hint, sizeof(hint), "%s from %g to %g",
			 field->kind == TP_MODEL_COUNT ? "a whole number"
						       : "a number, or a fraction such as 1/5,",
			 field->min, field->max);
		if (good && field->kind == TP_MODEL_NUMBER && number > 0 && number < LEAST_NUMBER) {
			good = false;
			snprintf(hint, sizeof(hint), "0, or a number of at least %g", LEAST_NUMBER);
		}
		if (good && field->kind == TP_MODEL_COUNT)
			*(unsigned *)to = (unsigned)number;
		else if (good)
			*(double *)to = number;
		break;
	}
	if (!good)
		tp_faults_add(reader->faults, node->place, hint, "\"%s\" is not a value for %s",
			      shown(node, word), field->key);
}

static void read_map(struct reader *reader, const struct tp_model_table *table, void *base,
		     const struct tp_node *node);

static bool is_arch(const char *word)
{
	for (size_t i = 0; i < TP_COUNT_OF(tp_isa_names); i++)
		if (tp_isa_names[i].arch && strcmp(tp_isa_names[i].arch, word) == 0)
			return true;
	return false;
}

static void read_isa(struct reader *reader, const struct tp_node *key)
{
	const char *names[TP_COUNT_OF(tp_isa_names)];
	struct tp_model *model = reader->model;
	const struct tp_isa_name *name = NULL;
	char word[SHOWN_BYTES];
	for (size_t i = 0; i < TP_COUNT_OF(names); i++) {
		names[i] = tp_isa_names[i].name;
		if (tp_node_is(key, names[i]))
			name = &tp_isa_names[i];
	}
	if (!name) {
		TP_STR hint = { 0 };
		tp_str_suggest(&hint, shown(key, word), "ISAs: ", names, TP_COUNT_OF(names),
			       " and ");
		tp_faults_add(reader->faults, key->place, tp_str_text(&hint),
			      "there is no ISA \"%s\"", word);
		return;
	}
	if (name->arch && is_arch(model->arch) && strcmp(name->arch, model->arch) != 0)
		tp_faults_add(reader->faults, key->place, NULL,
			      "%s is an ISA of %s; this model's arch is %s", name->name, name->arch,
			      model->arch);
	if (model->n_isas == TP_MODEL_ISAS)
		return; /* cannot happen: there are fewer names, and none may be repeated */
	struct tp_model_isa *isa = &model->isas[model->n_isas++];
	tp_copy(isa->name, sizeof(isa->name), name->name);
	size_t errors = tp_faults_count(reader->faults);
	read_map(reader, &model_isa_table, isa, key->value);
	if (tp_faults_count(reader->faults) != errors || !key->value->closed)
		return;
	if (strcmp(isa->name, "scalar") == 0 && !isa->vector_bytes)
		isa->vector_bytes = 8;
	if (!isa->vector_bytes || (isa->vector_bytes & (isa->vector_bytes - 1)))
		tp_faults_add(reader->faults, key->value->place,
			      "a power of two, such as 32 for avx2",
			      "vector_bytes of %s is missing or not a power of two", isa->name);
}

static void read_isas(struct reader *reader, const struct tp_node *node)
{
	if (node->kind != TP_NODE_MAPPING) {
		tp_faults_add(reader->faults, node->place, NULL,
			      "isas takes a mapping from ISA to figures");
		return;
	}
	for (const struct tp_node *key = node->first; key; key = key->next)
		if (!tp_yaml_twice(reader->faults, node, key) && key->value)
			read_isa(reader, key);
	if (!node->first && node->closed)
		tp_faults_add(reader->faults, node->place, NULL, "isas names no ISA");
}

static void read_map(struct reader *reader, const struct tp_model_table *table, void *base,
		     const struct tp_node *node)
{
	struct tp_yaml_key keys[TP_YAML_KEYS_MAX] = { 0 };
	for (size_t i = 0; i < table->n; i++) {
		keys[i].name = table->fields[i].key;
		keys[i].required = table->fields[i].required;
	}
	if (!tp_yaml_keys(reader->faults, node, table->name, keys, table->n))
		return;
	for (size_t i = 0; i < table->n; i++) {
		const struct tp_model_field *field = &table->fields[i];
		if (!keys[i].value)
			continue;
		if (field->kind == TP_MODEL_MAP)
			read_map(reader, field->map, base, keys[i].value);
		else if (field->kind == TP_MODEL_ISA_MAP)
			read_isas(reader, keys[i].value);
		else
			read_value(reader, field, base, keys[i].value);
	}
}

/* arch is needed while the ISAs are read, wherever in the file it stands. */
static void read_arch_first(struct reader *reader, const struct tp_node *root)
{
	const char *names[TP_COUNT_OF(tp_isa_names)];
	TP_STR hint = { 0 };
	const struct tp_node *value = NULL;
	char word[SHOWN_BYTES];
	size_t n = 0;
	for (const struct tp_node *key = root->first; key && !value; key = key->next)
		if (tp_node_is(key, "arch"))
			value = key->value;
	if (root->kind != TP_NODE_MAPPING || !value || value->kind != TP_NODE_SCALAR)
		return;
	for (size_t i = 0; i < TP_COUNT_OF(tp_isa_names); i++) {
		const char *arch = tp_isa_names[i].arch;
		if (arch && (!n || strcmp(names[n - 1], arch) != 0))
			names[n++] = arch;
	}
	if (is_arch(value->text)) {
		tp_copy(reader->model->arch, sizeof(reader->model->arch), value->text);
		return;
	}
	tp_str_list(&hint, names, n, " or ");
	tp_faults_add(reader->faults, value->place, tp_str_text(&hint), "there is no arch \"%s\"",
		      shown(value, word));
}

static const struct tp_model empty = { .match_family = -1,
				       .match_stepping_min = -1,
				       .match_stepping_max = -1 };

enum tp_status tp_model_parse(struct tp_model *model, const char *name, const char *text,
			      size_t len, struct tp_diags *diags)
{
	struct tp_faults faults = { .name = name };
	struct reader reader = { .model = model, .faults = &faults };
	TP_CLEANUP(tp_arena_release) struct tp_arena nodes = { 0 };
	struct tp_node *root;
	TP_CLEANUP(tp_diags_release) struct tp_diags unseen = { 0 };
	*model = empty;
	tp_yaml_read(text, len, &models, &nodes, &root, &faults);
	if (root) {
		read_arch_first(&reader, root);
		read_map(&reader, &tp_model_table, model, root);
	} else if (!faults.n) {
		tp_faults_add(&faults, (struct tp_place){ 1, 1 }, models.form, "the file is empty");
	}
	if (tp_faults_flush(&faults, diags ? diags : &unseen)) {
		*model = empty;
		return TP_USAGE;
	}
	tp_copy(model->name, sizeof(model->name), tp_path_last(name));
	char *suffix = strstr(model->name, ".yaml");
	if (suffix && !suffix[strlen(".yaml")])
		*suffix = '\0';
	return TP_OK;
}

enum tp_status tp_model_load(struct tp_model *model, const char *path, struct tp_diags *diags)
{
	TP_FREE char *text = NULL;
	size_t len = 0;
	struct tp_diag diag = { 0 };
	enum tp_status status = tp_file_read(path, TP_YAML_MAX_BYTES, &text, &len, &diag);
	*model = empty;
	if (status != TP_OK && diags)
		tp_diags_add(diags, &diag);
	if (status == TP_OK)
		status = tp_model_parse(model, path, text, len, diags);
	if (status == TP_OK)
		tp_copy(model->path, sizeof(model->path), path);
	return status;
}
