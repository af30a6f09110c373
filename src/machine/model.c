/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine models: their keys, the reader of their files, and the theoretical roofs of one. */
#include "machine/machine.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/memory.h"
#include "kernels/isa_names.h"
#include "schema/fields.h"

enum { SHOWN_BYTES = 44 };

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

#define MODEL(key, member, kind, help_, ...)                                                       \
	TP_FIELD(struct tp_model, member, key, kind, .help = (help_), __VA_ARGS__)
#define SIZE(key, member, help)	      MODEL(key, member, size, help, .least = 1024, .most = 17179869184.0)
#define COUNT(key, member, max, help) MODEL(key, member, count, help, .least = 1, .most = (max))
static const struct tp_field cache_fields[] = {
	SIZE("L1", cache_bytes[1], NULL),
	SIZE("L2", cache_bytes[2], NULL),
	SIZE("L3", cache_bytes[3],
	     "Capacity of one instance of each level. "
	     "It is used where the machine reports none"),
	COUNT("L1_shared_by", cache_cores[1], 4096, NULL),
	COUNT("L2_shared_by", cache_cores[2], 4096, NULL),
	COUNT("L3_shared_by", cache_cores[3], 4096,
	      "Cores that share an instance. Without these, each core has its own L1 and L2, and "
	      "the cores of a socket share the L3"),
};
static const struct tp_field memory_fields[] = {
	COUNT("channels", memory_channels, 128, "Memory channels of 64 bits that a socket has"),
	MODEL("mts", memory_mts, number,
	      "Million transfers a second of one channel. "
	      "Theoretical bandwidth of a socket: mts x channels x 8 bytes",
	      .least = 100, .most = 100000),
};

/* --- numbers that identify a CPU --- */

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

/* "17" or "0x10-0x1f", with both ends in the bounds of the field. */
static bool parse_range(const struct tp_field *field, const char *text, int *first, int *last)
{
	long low, high;
	if (!take_int(&text, &low))
		return false;
	high = low;
	if (*text == '-' && (text++, !take_int(&text, &high)))
		return false;
	if (*text || low > high || low < (long)field->least || high > (long)field->most)
		return false;
	*first = (int)low;
	*last = (int)high;
	return true;
}

/* int: one number */
static bool read_id(struct tp_reader *r, const struct tp_field *field, const struct tp_node *node,
		    void *to)
{
	const char *text = tp_field_scalar(r, field, node);
	int first, last;
	if (!text)
		return false;
	if (!parse_range(field, text, &first, &last) || first != last)
		return tp_field_refuse(r, field, node, NULL);
	*(int *)to = first;
	return true;
}

/* Two int: "4" or "0-4" */
static bool read_range(struct tp_reader *r, const struct tp_field *field,
		       const struct tp_node *node, void *to)
{
	const char *text = tp_field_scalar(r, field, node);
	int *range = to;
	return text && (parse_range(field, text, &range[0], &range[1]) ||
			tp_field_refuse(r, field, node, NULL));
}

static void allow_range(const struct tp_field *field, struct tp_str *out)
{
	tp_str_printf(out, "a whole number, or a range such as 0-4, from %g to %g", field->least,
		      field->most);
}

/* struct tp_model_numbers: [0x10-0x1f, 0x61] */
static bool read_ranges(struct tp_reader *r, const struct tp_field *field,
			const struct tp_node *node, void *to)
{
	struct tp_model *model = r->document;
	char word[SHOWN_BYTES];
	TP_STR allowed = { 0 };
	(void)to;
	field->kind->allowed(field, &allowed);
	if (node->kind != TP_NODE_SEQUENCE)
		return tp_faults_add(r->faults, node->place,
				     "give a list such as [0x10-0x1f, 0x61]", "%s takes a list",
				     field->key);
	for (const struct tp_node *value = node->first; value; value = value->next) {
		int first, last;
		const char *text = tp_field_scalar(r, field, value);
		if (!text)
			continue;
		if (!parse_range(field, text, &first, &last)) {
			tp_faults_add(r->faults, value->place, tp_str_text(&allowed),
				      "\"%s\" is not a number or a range",
				      tp_shown(word, sizeof(word), text, value->len));
			continue;
		}
		for (int number = first; number <= last; number++) {
			if (model->n_match_models == TP_MODEL_MATCHES)
				return tp_faults_add(r->faults, value->place, NULL,
						     "more than %d models are listed",
						     TP_MODEL_MATCHES);
			model->match_models[model->n_match_models++] = number;
		}
	}
	return true;
}

static void allow_ranges(const struct tp_field *field, struct tp_str *out)
{
	tp_str_printf(out, "numbers from %g to %g and ranges such as 0x10-0x1f", field->least,
		      field->most);
}

/* --- words --- */

/* struct tp_model_words: [a, b], or a single word */
static bool read_words(struct tp_reader *r, const struct tp_field *field,
		       const struct tp_node *node, void *to)
{
	struct tp_model_words *words = to;
	bool list = node->kind == TP_NODE_SEQUENCE;
	for (const struct tp_node *item = list ? node->first : node; item;
	     item = list ? item->next : NULL) {
		const char *text = tp_field_scalar(r, field, item);
		if (!text)
			continue;
		if (!*text || item->len >= sizeof(*words->at))
			tp_faults_add(r->faults, item->place, NULL,
				      "a word of %s takes 1 to %zu characters", field->key,
				      sizeof(*words->at) - 1);
		else if (words->n == TP_MODEL_WORDS)
			tp_faults_add(r->faults, item->place, NULL, "%s takes at most %d words",
				      field->key, TP_MODEL_WORDS);
		else
			tp_copy(words->at[words->n++], sizeof(*words->at), text);
	}
	return true;
}

static void allow_words(const struct tp_field *field __attribute__((unused)), struct tp_str *out)
{
	tp_str_printf(out, "a word, or a list of at most %d words", TP_MODEL_WORDS);
}

static const struct tp_kind tp_kind_id = { read_id, tp_allow_count },
			    tp_kind_range = { read_range, allow_range },
			    tp_kind_ranges = { read_ranges, allow_ranges },
			    tp_kind_words = { read_words, allow_words };

static const struct tp_field match_fields[] = {
	MODEL("vendor", match_vendors, words,
	      "Who made the CPU, as machine.vendor in run.json: one name, or a list of names"),
	MODEL("family", match_family, id, "Family on x86, with the extended family", .most = 65535),
	MODEL("models", match_models, ranges,
	      "Model numbers on x86, with the extended model; part numbers on Arm. "
	      "A list of numbers and ranges such as [0x10-0x1f, 0x61]",
	      .most = 65535),
	MODEL("stepping", match_stepping, range, "A stepping or a range of them, such as 0-4",
	      .most = 255),
	MODEL("brand", match_brands, words,
	      "Text that occurs in the name of the CPU, or a list of such texts"),
	MODEL("features", look_features, words,
	      "Features that the CPU must have, as in machine.features of run.json: a list such as "
	      "[avx512_fp16, amx_tile]"),
	SIZE("L1", look_bytes[1], NULL),
	SIZE("L2", look_bytes[2], NULL),
	SIZE("L3", look_bytes[3], "Capacities that the machine must report, exactly"),
	SIZE("L3_min", look_l3_min, NULL),
	SIZE("L3_max", look_l3_max, "Least and largest L3 that it may report"),
};

/* --- instruction sets --- */

/* double: 0, or a number with which a simulation comes to an end */
static bool read_rate(struct tp_reader *r, const struct tp_field *field, const struct tp_node *node,
		      void *to)
{
	static const double least = 0.001;
	char hint[64];
	if (!tp_kind_number.read(r, field, node, to))
		return false;
	if (!(*(double *)to > 0) || *(double *)to >= least)
		return true;
	snprintf(hint, sizeof(hint), "0, or a number of at least %g", least);
	return tp_field_refuse(r, field, node, hint);
}

static const struct tp_kind tp_kind_rate = { read_rate, tp_allow_number };

static const char width_hint[] = "a power of two, such as 32 for avx2";

static bool read_width(struct tp_reader *r, const struct tp_field *field,
		       const struct tp_node *node, void *to)
{
	const unsigned *bytes = to;
	return tp_kind_count.read(r, field, node, to) &&
	       (!(*bytes & (*bytes - 1)) || tp_field_refuse(r, field, node, width_hint));
}

static const struct tp_kind tp_kind_width = { read_width, tp_allow_count };

#define ISA(member, kind, help_, ...)                                                              \
	TP_FIELD(struct tp_model_isa, member, #member, kind, .help = (help_), __VA_ARGS__)
#define RATE(member, needed, help) ISA(member, rate, help, .most = 64, .required = (needed))
#define PEAK(member, help)	   ISA(member, rate, help, .most = 65536)
static const struct tp_field isa_fields[] = {
	ISA(vector_bytes, width,
	    "Width of a register, and of one instruction's load or store. "
	    "Scalar: 8, and required for every other ISA",
	    .least = 4, .most = 2048),
	RATE(loads_per_cycle, true, NULL),
	RATE(stores_per_cycle, true,
	     "Loads of that width, and stores, that start in a cycle by themselves"),
	RATE(mem_per_cycle, false,
	     "Loads and stores together; without it, they do not limit each other"),
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
	     "Multiply-adds, additions and multiplications that start in a cycle by themselves: "
	     "the number of ports that take them"),
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

static bool is_arch(const char *word)
{
	for (size_t i = 0; i < TP_COUNT_OF(tp_isa_names); i++)
		if (tp_isa_names[i].arch && strcmp(tp_isa_names[i].arch, word) == 0)
			return true;
	return false;
}

/* NAME: {...} */
static bool begin_isa(struct tp_reader *r, const struct tp_node *key, void *out)
{
	const char *names[TP_COUNT_OF(tp_isa_names)];
	const struct tp_model *model = r->document;
	const struct tp_isa_name *name = NULL;
	struct tp_model_isa *isa = out;
	char word[SHOWN_BYTES];
	for (size_t i = 0; i < TP_COUNT_OF(names); i++) {
		names[i] = tp_isa_names[i].name;
		if (tp_node_is(key, names[i]))
			name = &tp_isa_names[i];
	}
	if (!name) {
		TP_STR hint = { 0 };
		tp_str_suggest(&hint, tp_shown(word, sizeof(word), key->text, key->len),
			       "ISAs: ", names, TP_COUNT_OF(names), " and ");
		return tp_faults_add(r->faults, key->place, tp_str_text(&hint),
				     "there is no ISA \"%s\"", word);
	}
	if (name->arch && is_arch(model->arch) && strcmp(name->arch, model->arch) != 0)
		tp_faults_add(r->faults, key->place, NULL,
			      "%s is an ISA of %s; this model's arch is %s", name->name, name->arch,
			      model->arch);
	return tp_copy(isa->name, sizeof(isa->name), name->name);
}

static void check_isa(struct tp_reader *r, const struct tp_node *node,
		      const struct tp_yaml_key *given, void *out)
{
	struct tp_model_isa *isa = out;
	if (given[0].given)
		return;
	if (strcmp(isa->name, "scalar") == 0)
		isa->vector_bytes = 8;
	else
		tp_faults_add(r->faults, node->place, width_hint, "vector_bytes of %s is missing",
			      isa->name);
}

static const struct tp_shape isa_shape = { .name = "an ISA",
					   TP_SHAPE(isa_fields),
					   .bytes = sizeof(struct tp_model_isa),
					   .begin = begin_isa,
					   .check = check_isa };

/* --- the whole file --- */

/* char[]: one of the architectures that code is generated for */
static bool read_arch(struct tp_reader *r, const struct tp_field *field, const struct tp_node *node,
		      void *to)
{
	const char *names[TP_COUNT_OF(tp_isa_names)], *text = tp_field_scalar(r, field, node);
	TP_STR hint = { 0 };
	char word[SHOWN_BYTES];
	size_t n = 0;
	if (!text || is_arch(text))
		return text && tp_copy(to, field->size, text);
	for (size_t i = 0; i < TP_COUNT_OF(tp_isa_names); i++) {
		const char *arch = tp_isa_names[i].arch;
		if (arch && (!n || strcmp(names[n - 1], arch) != 0))
			names[n++] = arch;
	}
	tp_str_list(&hint, names, n, " or ");
	return tp_faults_add(r->faults, node->place, tp_str_text(&hint), "there is no arch \"%s\"",
			     tp_shown(word, sizeof(word), text, node->len));
}

static const struct tp_kind tp_kind_arch = { read_arch, tp_allow_text };

#define TYPICAL(key, member, max, help)                                                            \
	MODEL(key, typical.member, number, help, .least = 0.01, .most = (max))
static const struct tp_field typical_fields[] = {
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

static const struct tp_shape caches_shape = { .name = "caches", TP_SHAPE(cache_fields) },
			     memory_shape = { .name = "memory", TP_SHAPE(memory_fields) },
			     match_shape = { .name = "match", TP_SHAPE(match_fields) },
			     typical_shape = { .name = "typical", TP_SHAPE(typical_fields) };

#define PART(name, help_)                                                                          \
	{                                                                                          \
		.key = #name, .kind = &tp_kind_mapping, .shape = &name##_shape, .help = (help_)    \
	}
static const struct tp_field model_fields[] = {
	MODEL("title", title, chars, "Name of the processor for readers", .required = true),
	MODEL("vendor", vendor, chars, "Its maker for readers"),
	MODEL("arch", arch, arch, "Architecture: x86_64, aarch64 or riscv64", .required = true),
	MODEL("nominal_ghz", nominal_ghz, number,
	      "Frequency of the reference system in GHz, for peaks of the whole machine",
	      .least = 0.01, .most = 20),
	MODEL("additions_per_cycle", additions_per_cycle, number,
	      "Independent integer additions of one core in a cycle. With it, tprof recognises a "
	      "core that something else uses all the time",
	      .least = 0.5, .most = 64),
	MODEL("reached_source", reached_source, chars,
	      "Where the figures of mem_reached_per_cycle and stores_reached_per_cycle come from; "
	      "reports name it"),
	MODEL("lacks", lacks, words,
	      "Features that plans would take for granted, and these CPUs do not have: clflushopt"),
	COUNT("sockets", sockets, 256, "Sockets of the reference system"),
	COUNT("cores_per_socket", cores_per_socket, 4096, "Cores of one of its sockets"),
	COUNT("threads_per_core", threads_per_core, 16, "Hardware threads of one of its cores"),
	PART(caches, "See below"),
	PART(memory, "See below"),
	PART(match, "CPUs that the model describes; see below"),
	PART(typical, "Latencies and bandwidths, for the simulated machine; see below"),
	MODEL("isas", isas, names,
	      "A mapping from instruction sets, by the names of --list isas, to what a core does "
	      "in a cycle; see below",
	      .shape = &isa_shape, .count = offsetof(struct tp_model, n_isas), .least = 1,
	      .most = TP_MODEL_ISAS, .entries = "ISAs with their figures", .required = true),
};

_Static_assert(TP_COUNT_OF(isa_fields) <= TP_YAML_KEYS_MAX, "table too long");
_Static_assert(TP_COUNT_OF(model_fields) <= TP_YAML_KEYS_MAX, "table too long");

static const struct tp_yaml_kind models = {
	.files = "machine models",
	.one = "a machine model",
	.several = "one model is one file",
	.form = "see tprof-machine(5) for the form",
	.too_long = "is this a machine model?",
	.anchors = true,
};

const struct tp_shape tp_model_shape = { .name = "a machine model",
					 TP_SHAPE(model_fields),
					 .file = &models };

const struct tp_model tp_model_unknown = { .match_family = -1, .match_stepping = { -1, -1 } };

enum tp_status tp_model_parse(struct tp_model *model, const char *name, const char *text,
			      size_t len, struct tp_diags *diags)
{
	TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
	TP_CLEANUP(tp_diags_release) struct tp_diags unseen = { 0 };
	struct tp_reader r = { .arena = &arena, .document = model };
	*model = tp_model_unknown;
	if (tp_shape_parse(&r, &tp_model_shape, name, text, len, model, diags ? diags : &unseen)) {
		*model = tp_model_unknown;
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
	*model = tp_model_unknown;
	if (status != TP_OK && diags)
		tp_diags_add(diags, &diag);
	if (status == TP_OK)
		status = tp_model_parse(model, path, text, len, diags);
	if (status == TP_OK)
		tp_copy(model->path, sizeof(model->path), path);
	return status;
}
