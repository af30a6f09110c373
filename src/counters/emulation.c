/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "counters/emulation.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/step.h"
#include "base/memory.h"

void tp_cache_model_init(struct tp_cache_model *model, const struct tp_emulated_cache *cache)
{
	*model = (struct tp_cache_model){ .line_bytes = cache->line_bytes, .ways = cache->ways };
	if (!cache->size_bytes)
		return;
	if (!model->line_bytes)
		model->line_bytes = 64;
	if (!model->ways)
		model->ways = 8;
	model->n_sets = TP_MAX(cache->size_bytes / ((uint64_t)model->line_bytes * model->ways),
			       UINT64_C(1));
	model->slots = tp_alloc(model->n_sets * model->ways, sizeof(*model->slots));
}

static void cache_model_release(struct tp_cache_model *model)
{
	free(model->slots);
	*model = (struct tp_cache_model){ 0 };
}

static void cache_model_clear(struct tp_cache_model *model)
{
	if (model->slots)
		memset(model->slots, 0, model->n_sets * model->ways * sizeof(*model->slots));
	model->now = 0;
}

static struct tp_cache_slot *set_of(const struct tp_cache_model *model, uint64_t line)
{
	return &model->slots[line % model->n_sets * model->ways];
}

static struct tp_cache_slot *find(const struct tp_cache_model *model, uint64_t line)
{
	struct tp_cache_slot *set = set_of(model, line);
	for (unsigned i = 0; i < model->ways; i++)
		if (set[i].used && set[i].line == line)
			return &set[i];
	return NULL;
}

/* The slot for `line`; its previous line goes to `victim`. */
static struct tp_cache_slot *replace(struct tp_cache_model *model, uint64_t line,
				     struct tp_cache_slot *victim)
{
	struct tp_cache_slot *set = set_of(model, line), *oldest = set;
	for (unsigned i = 1; i < model->ways; i++)
		if (set[i].used < oldest->used)
			oldest = &set[i];
	*victim = *oldest;
	*oldest = (struct tp_cache_slot){ .line = line, .used = ++model->now };
	return oldest;
}

/* A modified line leaves level - 1. */
static void write_back(struct tp_hierarchy *h, unsigned level, uint64_t address)
{
	while (level < TP_HIERARCHY_LEVELS && !h->data[level].slots)
		level++;
	if (level == TP_HIERARCHY_LEVELS) {
		h->writebacks++;
		return;
	}
	struct tp_cache_model *model = &h->data[level];
	struct tp_cache_slot victim = { 0 };
	struct tp_cache_slot *slot = find(model, address / model->line_bytes);
	if (!slot)
		slot = replace(model, address / model->line_bytes, &victim);
	slot->dirty = true;
	if (victim.used && victim.dirty)
		write_back(h, level + 1, victim.line * model->line_bytes);
}

/* Brings a line into `level` and returns where it was. */
static unsigned bring(struct tp_hierarchy *h, struct tp_cache_model *first, unsigned level,
		      uint64_t address, bool write)
{
	if (level == TP_HIERARCHY_LEVELS)
		return TP_HIERARCHY_MEMORY;
	struct tp_cache_model *model = level == 1 ? first : &h->data[level];
	if (!model->slots)
		return bring(h, first, level + 1, address, write);
	uint64_t line = address / model->line_bytes;
	struct tp_cache_slot *slot = find(model, line), victim = { 0 };
	unsigned from = level;
	if (slot) {
		slot->used = ++model->now;
	} else {
		/* Outer levels only pass the line on; it is modified in the innermost. */
		from = bring(h, first, level + 1, address, false);
		slot = replace(model, line, &victim);
	}
	slot->dirty |= write;
	if (victim.used && victim.dirty)
		write_back(h, level + 1, victim.line * model->line_bytes);
	return from;
}

unsigned tp_hierarchy_access(struct tp_hierarchy *hierarchy, uint64_t address, unsigned bytes,
			     bool write)
{
	unsigned line_bytes = hierarchy->data[1].line_bytes, farthest = 1;
	uint64_t first = address / line_bytes,
		 last = (address + (bytes ? bytes - 1 : 0)) / line_bytes;
	for (uint64_t line = first; line <= last; line++) {
		unsigned from = bring(hierarchy, &hierarchy->data[1], 1, line * line_bytes, write);
		farthest = TP_MAX(farthest, from);
	}
	return farthest;
}

void tp_hierarchy_init(struct tp_hierarchy *hierarchy, const struct tp_emulated_machine *machine)
{
	*hierarchy = (struct tp_hierarchy){ 0 };
	tp_cache_model_init(&hierarchy->code, &machine->code);
	for (unsigned level = 1; level < TP_HIERARCHY_LEVELS; level++)
		tp_cache_model_init(&hierarchy->data[level], &machine->data[level]);
	if (!hierarchy->data[1].line_bytes)
		hierarchy->data[1].line_bytes = 64;
}

void tp_hierarchy_release(struct tp_hierarchy *hierarchy)
{
	cache_model_release(&hierarchy->code);
	for (unsigned level = 1; level < TP_HIERARCHY_LEVELS; level++)
		cache_model_release(&hierarchy->data[level]);
}

void tp_hierarchy_clear(struct tp_hierarchy *hierarchy)
{
	cache_model_clear(&hierarchy->code);
	for (unsigned level = 1; level < TP_HIERARCHY_LEVELS; level++)
		cache_model_clear(&hierarchy->data[level]);
}

void tp_predictor_init(struct tp_predictor *predictor, size_t n_branches, unsigned history_bits)
{
	history_bits = TP_MIN(history_bits, (unsigned)TP_PREDICTOR_MAX_HISTORY);
	*predictor =
		(struct tp_predictor){ .history_bits = history_bits, .n_branches = n_branches };
	predictor->history = tp_alloc(n_branches, sizeof(*predictor->history));
	predictor->counters = tp_alloc(n_branches, (size_t)1 << history_bits);
}

void tp_predictor_release(struct tp_predictor *predictor)
{
	free(predictor->history);
	free(predictor->counters);
	*predictor = (struct tp_predictor){ 0 };
}

void tp_predictor_clear(struct tp_predictor *predictor)
{
	if (!predictor->history)
		return;
	memset(predictor->history, 0, predictor->n_branches * sizeof(*predictor->history));
	memset(predictor->counters, 0, predictor->n_branches << predictor->history_bits);
}

static uint8_t *counter_of(const struct tp_predictor *predictor, size_t branch)
{
	return &predictor->counters[(branch << predictor->history_bits) +
				    predictor->history[branch]];
}

bool tp_predictor_taken(const struct tp_predictor *predictor, size_t branch)
{
	return *counter_of(predictor, branch) >= 2;
}

void tp_predictor_train(struct tp_predictor *predictor, size_t branch, bool taken)
{
	uint8_t *counter = counter_of(predictor, branch);
	uint32_t mask = ((uint32_t)1 << predictor->history_bits) - 1;
	if (taken && *counter < 3)
		++*counter;
	else if (!taken && *counter > 0)
		--*counter;
	predictor->history[branch] = (predictor->history[branch] << 1 | taken) & mask;
}

enum { CALLS_KEPT = 16 };

struct tp_emulation {
	struct tp_emulated_machine machine;
	struct tp_hierarchy hierarchy;
	struct tp_predictor predictor;
	uint64_t counts[TP_EMULATED_COUNT];

	/* Of the code stepped last. */
	struct tp_code code; /* a copy: the caller's may be gone when the next one comes */
	void *bytes; /* what the code buffer held: another may lie at the same address */
	struct tp_stepper *stepper;
	uint32_t *branch_of; /* by number of the instruction: number of the conditional branch */
	uint64_t line; /* of code, fetched last */
	bool fetched; /* anything yet in this run */
};

static const char *const names[TP_EMULATED_COUNT] = {
#define TP_EMULATED_NAME(id, text) #id,
	TP_EMULATED_LIST(TP_EMULATED_NAME)
#undef TP_EMULATED_NAME
};

static const char *const titles[TP_EMULATED_COUNT] = {
#define TP_EMULATED_TITLE(id, text) text,
	TP_EMULATED_LIST(TP_EMULATED_TITLE)
#undef TP_EMULATED_TITLE
};

const char *tp_emulated_name(enum tp_emulated_count count)
{
	return count < TP_EMULATED_COUNT ? names[count] : "";
}

const char *tp_emulated_title(enum tp_emulated_count count)
{
	return count < TP_EMULATED_COUNT ? titles[count] : "";
}

/* By level and kind of access. */
static const enum tp_emulated_count level_counts[2][TP_HIERARCHY_LEVELS][2] = {
	{ { 0 },
	  { TP_EMULATED_L1D_READ_HIT, TP_EMULATED_L1D_READ_MISS },
	  { TP_EMULATED_L2_READ_HIT, TP_EMULATED_L2_READ_MISS },
	  { TP_EMULATED_L3_READ_HIT, TP_EMULATED_L3_READ_MISS } },
	{ { 0 },
	  { TP_EMULATED_L1D_WRITE_HIT, TP_EMULATED_L1D_WRITE_MISS },
	  { TP_EMULATED_L2_WRITE_HIT, TP_EMULATED_L2_WRITE_MISS },
	  { TP_EMULATED_L3_WRITE_HIT, TP_EMULATED_L3_WRITE_MISS } },
};

static void count_access(struct tp_emulation *e, uint64_t address, unsigned bytes, bool write)
{
	unsigned from = tp_hierarchy_access(&e->hierarchy, address, bytes, write);
	e->counts[write ? TP_EMULATED_STORES : TP_EMULATED_LOADS]++;
	e->counts[write ? TP_EMULATED_STORE_BYTES : TP_EMULATED_LOAD_BYTES] += bytes;
	for (unsigned level = 1; level < TP_HIERARCHY_LEVELS && level <= from; level++)
		if (e->hierarchy.data[level].slots)
			e->counts[level_counts[write][level][from > level]]++;
	e->counts[TP_EMULATED_WRITEBACKS] = e->hierarchy.writebacks;
}

static void count_fetches(struct tp_emulation *e, uint64_t address, unsigned length)
{
	unsigned line_bytes = e->hierarchy.code.line_bytes;
	if (!e->hierarchy.code.slots)
		return;
	for (uint64_t line = address / line_bytes; line <= (address + length - 1) / line_bytes;
	     line++) {
		if (e->fetched && line == e->line)
			continue;
		e->fetched = true;
		e->line = line;
		unsigned from =
			bring(&e->hierarchy, &e->hierarchy.code, 1, line * line_bytes, false);
		e->counts[from == 1 ? TP_EMULATED_L1I_HIT : TP_EMULATED_L1I_MISS]++;
		if (from > 1 && e->hierarchy.data[2].slots)
			e->counts[from == 2 ? TP_EMULATED_L2I_HIT : TP_EMULATED_L2I_MISS]++;
	}
	e->counts[TP_EMULATED_WRITEBACKS] = e->hierarchy.writebacks;
}

/*
 * The order of the list: scalar, 128, 256, 512 bits of SP, then of DP, first not fused, then fused.
 */
static void count_fp(struct tp_emulation *e, const struct tp_instruction *in)
{
	unsigned width = in->fp_vector_bytes == 64   ? 3
			 : in->fp_vector_bytes == 32 ? 2
			 : in->fp_vector_bytes == 16 ? 1
						     : 0;
	unsigned at = TP_EMULATED_SP_SCALAR + width + (in->fp_element_bytes == 8 ? 4 : 0) +
		      (in->fp == TP_FP_KIND_FMA ? 8 : 0);
	e->counts[at]++;
}

/*
 * Follows the wrong path that the core would have begun: from `at` along the predicted directions.
 * Calls on the way return to their callers; any other indirect branch ends the walk.
 */
static void walk_wrong_path(struct tp_emulation *e, size_t at)
{
	size_t returns[CALLS_KEPT];
	unsigned depth = 0;
	for (unsigned i = 0; i < e->machine.wrong_path_instructions; i++) {
		const struct tp_instruction *in = tp_stepper_at(e->stepper, at);
		if (!in || in->serialising)
			return;
		size_t next = at + in->length;
		switch (in->branch) {
		case TP_BRANCH_CONDITIONAL:
			e->counts[TP_EMULATED_COND_EXECUTED]++;
			at = tp_predictor_taken(&e->predictor, e->branch_of[in->number])
				     ? in->target
				     : next;
			break;
		case TP_BRANCH_JUMP:
			at = in->target;
			break;
		case TP_BRANCH_CALL:
			if (depth == CALLS_KEPT)
				return;
			returns[depth++] = next;
			at = in->target;
			break;
		case TP_BRANCH_RETURN:
			if (!depth)
				return;
			at = returns[--depth];
			break;
		case TP_BRANCH_INDIRECT:
			return;
		default:
			at = next;
		}
	}
}

static void count_conditional(struct tp_emulation *e, const struct tp_step *step)
{
	const struct tp_instruction *in = step->instruction;
	size_t branch = e->branch_of[in->number];
	bool predicted = tp_predictor_taken(&e->predictor, branch);
	e->counts[TP_EMULATED_COND]++;
	e->counts[TP_EMULATED_COND_EXECUTED]++;
	e->counts[TP_EMULATED_COND_TAKEN] += step->taken;
	if (predicted != step->taken) {
		e->counts[TP_EMULATED_MISPREDICTED]++;
		walk_wrong_path(e, predicted ? in->target : step->at + in->length);
	}
	tp_predictor_train(&e->predictor, branch, step->taken);
}

static void count_branch(struct tp_emulation *e, const struct tp_step *step)
{
	switch (step->instruction->branch) {
	case TP_BRANCH_CONDITIONAL:
		count_conditional(e, step);
		break;
	case TP_BRANCH_JUMP:
		e->counts[TP_EMULATED_JUMPS]++;
		break;
	case TP_BRANCH_INDIRECT:
		e->counts[TP_EMULATED_INDIRECT]++;
		break;
	case TP_BRANCH_CALL:
		e->counts[TP_EMULATED_CALLS]++;
		break;
	case TP_BRANCH_RETURN:
		e->counts[TP_EMULATED_RETURNS]++;
		break;
	default:
		break;
	}
}

/* Runs in signal context: it must not allocate or lock. */
static void watch(void *context, const struct tp_step *step)
{
	struct tp_emulation *e = context;
	const struct tp_instruction *in = step->instruction;
	e->counts[TP_EMULATED_INSTRUCTIONS]++;
	e->counts[TP_EMULATED_INTEGER] += in->integer;
	count_fetches(e, step->code_address, in->length);
	for (unsigned i = 0; i < in->n_operands; i++) {
		if (in->operand[i].load)
			count_access(e, step->address[i], in->operand[i].bytes, false);
		if (in->operand[i].store)
			count_access(e, step->address[i], in->operand[i].bytes, true);
	}
	if (in->fp != TP_FP_KIND_NONE)
		count_fp(e, in);
	if (in->branch != TP_BRANCH_NONE)
		count_branch(e, step);
}

static void forget_code(struct tp_emulation *e)
{
	tp_stepper_free(e->stepper);
	tp_predictor_release(&e->predictor);
	free(e->branch_of);
	free(e->bytes);
	e->stepper = NULL;
	e->branch_of = NULL;
	e->bytes = NULL;
	e->code = (struct tp_code){ 0 };
}

static enum tp_status learn_code(struct tp_emulation *e, const struct tp_code *code,
				 struct tp_diag *diag)
{
	size_t branches = 0;
	forget_code(e);
	e->code = *code;
	enum tp_status status = tp_stepper_new(&e->stepper, &e->code, diag);
	if (status != TP_OK)
		return status;
	e->bytes = tp_alloc(code->bytes, 1);
	e->branch_of = tp_alloc(tp_stepper_instructions(e->stepper), sizeof(*e->branch_of));
	memcpy(e->bytes, code->map, code->bytes);
	for (size_t at = 0; at < code->bytes;) {
		const struct tp_instruction *in = tp_stepper_at(e->stepper, at);
		if (in->branch == TP_BRANCH_CONDITIONAL)
			e->branch_of[in->number] = (uint32_t)branches++;
		at += in->length;
	}
	tp_predictor_init(&e->predictor, branches, e->machine.history_bits);
	return TP_OK;
}

struct tp_emulation *tp_emulation_new(const struct tp_emulated_machine *machine)
{
	struct tp_emulation *e = tp_alloc(1, sizeof(*e));
	e->machine = *machine;
	tp_hierarchy_init(&e->hierarchy, machine);
	return e;
}

void tp_emulation_free(struct tp_emulation *emulation)
{
	if (!emulation)
		return;
	forget_code(emulation);
	tp_hierarchy_release(&emulation->hierarchy);
	free(emulation);
}

void tp_emulation_reset(struct tp_emulation *emulation)
{
	tp_hierarchy_clear(&emulation->hierarchy);
	tp_predictor_clear(&emulation->predictor);
}

enum tp_status tp_emulation_run(struct tp_emulation *emulation, const struct tp_code *code,
				void *data, uint64_t passes, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	if (!(emulation->stepper && emulation->code.map == code->map &&
	      emulation->code.bytes == code->bytes &&
	      memcmp(emulation->bytes, code->map, code->bytes) == 0))
		status = learn_code(emulation, code, diag);
	if (status != TP_OK)
		return status;
	emulation->fetched = false;
	return tp_stepper_run(emulation->stepper, data, passes, watch, emulation, diag);
}

const uint64_t *tp_emulation_counts(const struct tp_emulation *emulation)
{
	return emulation->counts;
}

/* --- the machine --- */

enum { HISTORY_BITS = 8, WRONG_PATH_INSTRUCTIONS = 64, CODE_WAYS = 8, LINE_BYTES = 64 };

/* Used for unknown values; also the lower limit of scaling. */
static const struct {
	uint64_t size_bytes, least_bytes;
	unsigned ways;
} usual[TP_HIERARCHY_LEVELS] = {
	{ 0, 0, 0 }, { 32 << 10, 2 << 10, 8 }, { 512 << 10, 8 << 10, 8 }, { 4 << 20, 32 << 10, 16 }
};

void tp_emulated_machine_from(struct tp_emulated_machine *emulated,
			      const struct tp_machine *machine, size_t threads, unsigned scale)
{
	bool known = tp_machine_share(machine, 1, threads) > 0;
	*emulated =
		(struct tp_emulated_machine){ .history_bits = HISTORY_BITS,
					      .wrong_path_instructions = WRONG_PATH_INSTRUCTIONS };
	if (scale == 0)
		scale = 1;
	for (int level = 1; level < TP_HIERARCHY_LEVELS; level++) {
		struct tp_emulated_cache *cache = &emulated->data[level];
		const struct tp_cache *real = &machine->cache[level];
		cache->size_bytes =
			known ? tp_machine_share(machine, level, threads) : usual[level].size_bytes;
		if (!cache->size_bytes)
			continue;
		cache->line_bytes = real->line_bytes ? real->line_bytes : LINE_BYTES;
		cache->ways = real->ways ? real->ways : usual[level].ways;
		uint64_t least = usual[level].least_bytes;
		/*
		 * A level stays so much larger than the one before it that buffers with a stride of
		 * two lines fit in between.
		 */
		if (level > 1)
			least = TP_MAX(least, 8 * emulated->data[level - 1].size_bytes);
		if (cache->size_bytes / scale >= least)
			cache->size_bytes /= scale;
		else if (cache->size_bytes > least)
			cache->size_bytes = least;
		/*
		 * Rounds to whole sets. A few MiB shared by an odd number of threads lose less than
		 * one line a way.
		 */
		uint64_t set_bytes = (uint64_t)cache->line_bytes * cache->ways;
		cache->size_bytes = cache->size_bytes / set_bytes * set_bytes;
		if (cache->size_bytes == 0)
			cache->size_bytes = set_bytes;
	}
	emulated->code = emulated->data[1];
	emulated->code.ways = CODE_WAYS;
}
