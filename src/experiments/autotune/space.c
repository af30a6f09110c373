/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The space of a search: configurations, their order, their limits by the model, and the time it
 * may take.
 */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/str.h"
#include "base/memory.h"
#include "experiments/autotune/autotune.h"
#include "experiments/autotune/row.h"

enum { N, M, K };

/* Bytes that TRIAD moves for an element: two loads and a store. */
#define TRIAD_ELEMENT_BYTES 24

/* Largest DRAM size of TRIAD, all three arrays. */
#define TRIAD_MAX_BYTES ((double)(768 << 20))
#define MEMORY_SHARE	0.5
/* The same for one configuration that was named. */
#define MEMORY_SHARE_MOST 0.8

/* For estimates: start of a process and its first call, and the speed of a core without a model. */
#define START_SECONDS	      0.025
#define USUAL_FLOP_PER_CYCLE  16
#define USUAL_GHZ	      3.0
#define USUAL_SHARE_OF_PEAK   0.85
#define READING_SECONDS_TRIAD 250e-6

/* --- matrix products --- */

enum { SPACE_VALUES = 16 };

struct space {
	const char *name;
	uint64_t n[SPACE_VALUES], m[SPACE_VALUES],
		k[SPACE_VALUES]; /* ascending, then 0; no m: as n */
};

static const struct space spaces[] = {
	/*
	 * Powers of two, whose leading dimensions are slow on many machines, and round decimals,
	 * whose are not.
	 */
	{ "default",
	  { 500, 512, 1000, 1024, 2000, 2048, 4000, 4096 },
	  { 0 },
	  { 64, 100, 128, 200, 256, 500, 512, 1000, 1024, 2000, 2048 } },
	{ "wide",
	  { 64, 128, 256, 512, 1024, 2048, 4096 },
	  { 0 },
	  { 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048 } },
	/*
	 * The 96 points of Torring, Meyer and Elster, "Autotuning Benchmarking Techniques: A
	 * Roofline Model Case Study" (2021): what they keep of "wide".
	 */
	{ "paper",
	  { 500, 1000, 2000, 4000 },
	  { 512, 1024, 2048, 4096 },
	  { 64, 128, 256, 512, 1024, 2048 } },
	/* As many at an eighth of the sizes: a study pays its fixed-size baseline in minutes. */
	{ "small", { 128, 250, 256, 500 }, { 0 }, { 16, 32, 64, 125, 250, 500 } },
};

static void given_or(const struct tp_config *config, const struct tp_option *option,
		     const uint64_t *fallback, struct tp_arena *arena, struct tp_axis *axis)
{
	const struct tp_value *given = tp_config_value(config, option);
	*axis = (struct tp_axis){ .of = fallback };
	if (given->n == 0) {
		while (axis->n < SPACE_VALUES && fallback[axis->n])
			axis->n++;
		return;
	}
	uint64_t *list = tp_arena_alloc(arena, given->n * sizeof(*list));
	for (size_t i = 0; i < given->n; i++)
		list[i] = given->items[i].count;
	*axis = (struct tp_axis){ .of = list, .n = given->n };
}

/* What both axes have, in the order of the first. */
static void keep_common(struct tp_axis *n, const struct tp_axis *m, struct tp_arena *arena)
{
	uint64_t *both = tp_arena_alloc(arena, TP_MAX(n->n, (size_t)1) * sizeof(*both));
	size_t found = 0;
	for (size_t a = 0; a < n->n; a++)
		for (size_t b = 0; b < m->n; b++)
			if (n->of[a] == m->of[b]) {
				both[found++] = n->of[a];
				break;
			}
	*n = (struct tp_axis){ .of = both, .n = found };
}

static void product_space(struct tp_autotune *search, const struct tp_config *config,
			  struct tp_arena *arena)
{
	const char *name = tp_config_text(config, TP_OPT_AUTOTUNE_SPACE);
	const struct space *space = &spaces[0];
	struct tp_axis *n = &search->axes[N], *m = &search->axes[M], *k = &search->axes[K];
	for (size_t i = 0; i < TP_COUNT_OF(spaces); i++)
		if (strcmp(spaces[i].name, name) == 0)
			space = &spaces[i];
	given_or(config, TP_OPT_AUTOTUNE_N, space->n, arena, n);
	given_or(config, TP_OPT_AUTOTUNE_M, space->m[0] ? space->m : space->n, arena, m);
	given_or(config, TP_OPT_AUTOTUNE_K, space->k, arena, k);
	search->square = tp_config_count(config, TP_OPT_AUTOTUNE_SQUARE);
	if (search->square) {
		keep_common(n, m, arena);
		m->n = 1;
	}
	/* At most TP_LIST_MAX values each, so the product fits. */
	search->n = n->n * m->n * k->n;
}

/* --- TRIAD --- */

/*
 * Bytes of all three arrays and all threads between which a size lies inside the level, and well
 * outside the one above.
 */
static void triad_limits(const struct tp_machine *machine, enum tp_level_class level,
			 unsigned threads, double *low, double *high)
{
	double l1 = tp_machine_likely_share(machine, 1, threads),
	       l2 = tp_machine_likely_share(machine, 2, threads),
	       l3 = tp_machine_likely_share(machine, 3, threads);
	*low = *high = 0;
	switch (level) {
	case TP_CLASS_L1:
		*low = 0.2 * l1;
		*high = 0.9 * l1;
		break;
	case TP_CLASS_L2:
		*low = 2 * l1;
		*high = 0.8 * l2;
		break;
	case TP_CLASS_L3:
		*low = 2 * l2;
		*high = 0.7 * l3;
		break;
	case TP_CLASS_DRAM:
		*low = 4 * fmax(l3, l2);
		*high = fmax(*low, TRIAD_MAX_BYTES / threads);
		*high = fmin(*high, tp_machine_room_bytes(machine, MEMORY_SHARE) / threads);
		break;
	case TP_CLASS_FP:
		break;
	}
	*low *= threads;
	*high *= threads;
}

static void triad_space(struct tp_autotune *search, const struct tp_machine *machine,
			const struct tp_config *config, enum tp_level_class level, unsigned threads,
			struct tp_arena *arena)
{
	enum { STEPS = 8, STEPS_DRAM = 3 };
	const struct tp_value *given = tp_config_value(config, TP_OPT_AUTOTUNE_ELEMENTS);
	double low, high;
	triad_limits(machine, level, threads, &low, &high);
	size_t most = given->n ? given->n : STEPS;
	uint64_t *sizes = tp_arena_alloc(arena, most * sizeof(*sizes));
	search->axes[N].of = sizes;
	for (size_t i = 0; i < given->n; i++) {
		double bytes = given->items[i].real * TRIAD_ELEMENT_BYTES;
		/* Beyond the caches, any size that fits into memory is allowed. */
		if (bytes >= low && (bytes <= high || level == TP_CLASS_DRAM))
			sizes[search->n++] = given->items[i].count;
	}
	search->axes[N].n = search->n;
	if (given->n || !(high > 0) || low > high)
		return;
	/* Large arrays take seconds to be touched, and differ little. */
	size_t steps = level == TP_CLASS_DRAM ? STEPS_DRAM : STEPS;
	for (size_t i = 0; i < steps; i++) {
		double bytes = low * pow(high / low, (double)i / (double)(steps - 1));
		/* Whole cache lines for each thread. */
		uint64_t grain = (uint64_t)8 * threads;
		uint64_t n = TP_MAX((uint64_t)(bytes / TRIAD_ELEMENT_BYTES) / grain, UINT64_C(1)) *
			     grain;
		if (search->n == 0 || sizes[search->n - 1] != n)
			sizes[search->n++] = n;
	}
	search->axes[N].n = search->n;
}

/* --- order --- */

enum tp_status tp_autotune_space(struct tp_autotune *search, const struct tp_machine *machine,
				 const struct tp_config *config, enum tp_level_class level,
				 unsigned threads, size_t room, struct tp_arena *arena)
{
	if (search->routine == TP_ROUTINE_TRIAD)
		triad_space(search, machine, config, level, threads, arena);
	else
		product_space(search, config, arena);
	if (search->n > room)
		return TP_RESOURCE;
	const char *wanted = tp_config_text(config, TP_OPT_AUTOTUNE_ORDER);
	bool reversed = strcmp(wanted, "reversed") == 0;
	if (strcmp(wanted, "as-is") != 0 && search->n != 0) {
		search->order = tp_arena_alloc(arena, search->n * sizeof(*search->order));
		for (size_t i = 0; i < search->n; i++)
			search->order[i] = reversed ? search->n - 1 - i : i;
		if (!reversed)
			tp_shuffle(search->order, search->n, sizeof(*search->order),
				   tp_config_count(config, TP_OPT_SEED));
	}
	return TP_OK;
}

/* --- words --- */

void tp_autotune_describe(const struct tp_planned *planned, struct tp_str *out)
{
	const struct tp_autotune *search = tp_autotune_of(planned);
	static const char letters[] = "nmk";
	tp_str_printf(out, "%zu configuration%s", search->n, search->n == 1 ? "" : "s");
	for (size_t d = 0; d < TP_ROUTINE_DIMENSIONS && search->n; d++) {
		const struct tp_axis *axis = &search->axes[search->square && d == M ? N : d];
		uint64_t low = UINT64_MAX, high = 0;
		for (size_t i = 0; i < axis->n; i++) {
			low = TP_MIN(low, axis->of[i]);
			high = TP_MAX(high, axis->of[i]);
		}
		if (high == 0)
			continue;
		tp_str_printf(out, "%s %c %" PRIu64, d ? "," : ":", letters[d], low);
		if (high > low)
			tp_str_printf(out, "-%" PRIu64, high);
	}
}

uint64_t tp_autotune_memory_limit_bytes(const struct tp_machine *machine)
{
	return machine->foreign || !machine->available_bytes
		       ? UINT64_MAX
		       : (uint64_t)(MEMORY_SHARE_MOST * (double)machine->available_bytes);
}

struct tp_routine_config tp_autotune_config(const struct tp_autotune *search, size_t index)
{
	struct tp_routine_config config = { .id = search->routine };
	for (size_t d = TP_ROUTINE_DIMENSIONS; d-- > 0;) {
		const struct tp_axis *axis = &search->axes[d];
		if (!axis->n)
			continue;
		config.size[d] = axis->of[index % axis->n];
		index /= axis->n;
	}
	if (search->square)
		config.size[M] = config.size[N];
	return config;
}

const char *tp_autotune_library_name(const char *path, const char *title, char *out, size_t size)
{
	const char *from = tp_path_last(path);
	size_t n = 0;
	if (strncmp(from, "lib", 3) == 0)
		from += 3;
	size_t length = strcspn(from, ".");
	/* Debian's libblas.so.3 may be any BLAS: the title has its name. */
	if (*title && strncmp(title, "lib", 3) != 0 && !strchr(title, '/')) {
		from = title;
		length = strcspn(title, " -_.");
	}
	for (; n < length && n + 1 < size; n++)
		out[n] = (char)tolower((unsigned char)from[n]);
	out[n] = '\0';
	return out;
}

/* --- theory and time --- */

double tp_autotune_per_cycle(const struct tp_machine *machine, enum tp_routine_id id,
			     const char **isa)
{
	const struct tp_model *model = &machine->model;
	unsigned element_bytes = id == TP_ROUTINE_SGEMM ? sizeof(float) : sizeof(double);
	double best = 0;
	for (size_t i = 0; i < model->n_isas; i++) {
		const char *name = model->isas[i].name;
		double rate =
			id == TP_ROUTINE_TRIAD
				? tp_model_l1_bytes_per_cycle(model, name, element_bytes, 2, 1)
				: tp_model_flop_per_cycle(model, name, element_bytes, "fma");
		if (rate > best && isa)
			*isa = name;
		best = fmax(best, rate);
	}
	return best;
}

double tp_autotune_bound(const struct tp_autotune *search, const struct tp_machine *machine,
			 enum tp_level_class level, unsigned threads, double ghz)
{
	if (search->routine != TP_ROUTINE_TRIAD || level == TP_CLASS_L1)
		return tp_autotune_per_cycle(machine, search->routine, NULL) * ghz * threads;
	if (level == TP_CLASS_DRAM)
		return tp_model_dram_gbps(&machine->model) * search->packages;
	return 0;
}

/* Work a second, of all threads, that calls may be expected to do. */
static double expected_rate(const struct tp_autotune *search, const struct tp_machine *machine,
			    enum tp_level_class level, unsigned threads)
{
	static const double bytes_per_cycle[] = { 0, 70, 30, 20, 7 };
	double ghz = machine->model.nominal_ghz > 0 ? machine->model.nominal_ghz : USUAL_GHZ;
	if (search->routine == TP_ROUTINE_TRIAD)
		return bytes_per_cycle[level] * ghz * threads * 1e9;
	double bound = tp_autotune_bound(search, machine, level, threads, ghz);
	if (!(bound > 0))
		bound = USUAL_FLOP_PER_CYCLE * ghz * threads *
			(search->routine == TP_ROUTINE_SGEMM ? 2 : 1);
	return USUAL_SHARE_OF_PEAK * bound * 1e9;
}

/* Timed calls and processes that a technique usually takes for one configuration among many. */
static void usual_counts(const struct tp_technique *t, const struct tp_config *config,
			 double *invocations, double *iterations)
{
	double most_invocations = t->invocations
					  ? t->invocations
					  : tp_config_real(config, TP_OPT_AUTOTUNE_INVOCATIONS),
	       most_iterations = t->iterations ? t->iterations
					       : tp_config_real(config, TP_OPT_AUTOTUNE_ITERATIONS),
	       count = fmax(t->min_count, 2);
	*invocations = most_invocations;
	*iterations = most_iterations;
	if (t->race) {
		*invocations = fmin(most_invocations, 1.5);
		*iterations = fmin(most_iterations, 2 * count);
	} else if (t->inner) {
		*invocations = t->outer ? fmin(most_invocations, 1.3) : most_invocations;
		*iterations = fmin(most_iterations, 1.5 * count);
	} else if (t->confidence) {
		*invocations = fmin(most_invocations, 5);
		*iterations = fmin(most_iterations, 20);
	}
}

double tp_autotune_estimate(const struct tp_autotune *search, const struct tp_machine *machine,
			    const struct tp_config *config, enum tp_level_class level,
			    unsigned threads)
{
	double rate = expected_rate(search, machine, level, threads), seconds = 0;
	double invocations, iterations;
	usual_counts(&search->technique, config, &invocations, &iterations);
	for (size_t i = 0; i < search->n; i++) {
		struct tp_routine_config c = tp_autotune_config(search, i);
		bool triad = search->routine == TP_ROUTINE_TRIAD;
		double work = triad ? tp_routine_bytes(&c) : tp_routine_flop(&c),
		       call = work / rate;
		if (triad)
			call = fmax(call, READING_SECONDS_TRIAD);
		double start = call + (search->technique.race ? START_SECONDS / 4 : START_SECONDS);
		seconds += fmin(invocations * (start + iterations * call),
				tp_config_real(config, TP_OPT_AUTOTUNE_MAX_TIME) + start);
	}
	return seconds;
}
