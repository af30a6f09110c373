/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events that mislead on purpose, as real event lists do: the same count in other units, sums,
 * duplicates, noisy ones, constants, and clocks. The seed alone decides which is which; their names
 * do not tell.
 */
#include "counters/emulated_events.h"
#include "base/random.h"
#include "base/str.h"
#include "base/memory.h"

#include <string.h>

enum { MAX_PARTS = 4 };

#define KINDS(X)                                                                                   \
	X(SCALED)                                                                                  \
	X(SUM)                                                                                     \
	X(DUPLICATE)                                                                               \
	X(NOISY)                                                                                   \
	X(CONSTANT)                                                                                \
	X(CYCLES)
enum kind {
#define KIND_ENUM(id) KIND_##id,
	KINDS(KIND_ENUM)
#undef KIND_ENUM
		KIND_COUNT
};

struct maker {
	struct tp_arena *arena;
	const struct tp_source_wish *wish;
	const struct tp_emulated_event *base;
	const struct tp_count_event *base_about;
	size_t n_base;
	uint64_t random;
};

uint64_t tp_emulated_mix(uint64_t value)
{
	return tp_splitmix64(&value);
}

static uint64_t draw(struct maker *m, uint64_t limit)
{
	m->random = tp_emulated_mix(m->random);
	return m->random % limit;
}

/* The weighted sum of some base events. False when out of memory. */
static bool add_up(struct maker *m, const size_t *parts, const double *factors, size_t n,
		   struct tp_emulated_event *event)
{
	double sum[TP_EMULATED_COUNT] = { 0 };
	for (size_t i = 0; i < n; i++) {
		const struct tp_emulated_event *part = &m->base[parts[i]];
		for (size_t t = 0; t < part->n_terms; t++)
			sum[part->terms[t].count] += factors[i] * part->terms[t].factor;
	}
	struct tp_habit_term *terms = tp_arena_alloc(m->arena, TP_EMULATED_COUNT * sizeof(*terms));
	if (!terms)
		return false;
	event->terms = terms;
	for (unsigned c = 0; c < TP_EMULATED_COUNT; c++)
		if (sum[c] != 0)
			terms[event->n_terms++] =
				(struct tp_habit_term){ (enum tp_emulated_count)c, sum[c] };
	return true;
}

static bool make_scaled(struct maker *m, struct tp_emulated_event *event, struct tp_str *words)
{
	static const double factors[] = { 2, 8, 64, 0.5 };
	size_t part = draw(m, m->n_base);
	double factor = factors[draw(m, TP_COUNT_OF(factors))];
	tp_str_printf(words, "%g times %s", factor, m->base_about[part].name);
	return add_up(m, &part, &factor, 1, event);
}

static bool make_sum(struct maker *m, struct tp_emulated_event *event, struct tp_str *words)
{
	static const double ones[MAX_PARTS] = { 1, 1, 1, 1 };
	size_t parts[MAX_PARTS], n = 2 + draw(m, MAX_PARTS - 1);
	for (size_t i = 0; i < n; i++) {
		parts[i] = draw(m, m->n_base);
		tp_str_printf(words, "%s%s", i ? " + " : "", m->base_about[parts[i]].name);
	}
	return add_up(m, parts, ones, n, event);
}

static bool make_duplicate(struct maker *m, struct tp_emulated_event *event, struct tp_str *words)
{
	size_t part = draw(m, m->n_base);
	const double one = 1;
	tp_str_printf(words, "the same as %s", m->base_about[part].name);
	return add_up(m, &part, &one, 1, event);
}

static bool make_noisy(struct maker *m, struct tp_emulated_event *event, struct tp_str *words)
{
	bool made = make_duplicate(m, event, words);
	event->noise = m->wish->noise;
	tp_str_printf(words, ", with noise of %g", event->noise);
	return made;
}

static bool make_constant(struct maker *m, struct tp_emulated_event *event, struct tp_str *words)
{
	event->constant = (double)(1 + draw(m, 1000)) * 1000;
	tp_str_printf(words, "always %g", event->constant);
	return true;
}

/* Everything takes some time: a weight for each exact count, and the noise of a clock. */
static bool make_cycles(struct maker *m, struct tp_emulated_event *event, struct tp_str *words)
{
	struct tp_habit_term *terms = tp_arena_alloc(m->arena, TP_EMULATED_COUNT * sizeof(*terms));
	if (!terms)
		return false;
	event->terms = terms;
	for (unsigned c = 0; c < TP_EMULATED_COUNT; c++)
		terms[event->n_terms++] =
			(struct tp_habit_term){ (enum tp_emulated_count)c,
						0.25 * (double)(1 + draw(m, 16)) };
	event->noise = m->wish->noise;
	tp_str_printf(words, "like a clock: a weighted sum of everything, with noise of %g",
		      event->noise);
	return true;
}

static bool make(struct maker *m, enum kind kind, struct tp_emulated_event *event,
		 struct tp_str *words)
{
	switch (kind) {
	case KIND_SCALED:
		return make_scaled(m, event, words);
	case KIND_SUM:
		return make_sum(m, event, words);
	case KIND_DUPLICATE:
		return make_duplicate(m, event, words);
	case KIND_NOISY:
		return make_noisy(m, event, words);
	case KIND_CONSTANT:
		return make_constant(m, event, words);
	default:
		return make_cycles(m, event, words);
	}
}

enum tp_status tp_emulated_mislead(struct tp_arena *arena, const struct tp_source_wish *wish,
				   size_t n, struct tp_emulated_event *events,
				   struct tp_count_event *about, struct tp_diag *diag)
{
	/* An odd multiplier permutes the 16-bit numbers, so no two names are alike. */
	const uint64_t odd = 40503, offset = tp_emulated_mix(wish->seed ^ 0x6e616d65u);
	struct maker m = { .arena = arena,
			   .wish = wish,
			   .base = events,
			   .base_about = about,
			   .n_base = n,
			   .random = tp_emulated_mix(wish->seed) };
	bool ok = true;
	for (size_t i = 0; i < wish->misleading && ok; i++) {
		struct tp_str name = { 0 }, words = { 0 };
		/* The first few hold one of each kind, however few there are. */
		enum kind kind = i < KIND_COUNT ? (enum kind)i : (enum kind)draw(&m, KIND_COUNT);
		struct tp_emulated_event *event = &events[n + i];
		*event = (struct tp_emulated_event){ .seed = tp_emulated_mix(wish->seed + n + i) };
		ok = make(&m, kind, event, &words);
		tp_str_printf(&name, "UNC_%04X:%02X", (unsigned)((i * odd + offset) & 0xffff),
			      (unsigned)(i >> 16));
		about[n + i].name = tp_arena_strdup(arena, tp_str_text(&name));
		about[n + i].description = tp_arena_strdup(arena, tp_str_text(&words));
		ok = ok && !name.oom && !words.oom && about[n + i].name && about[n + i].description;
		tp_str_release(&name);
		tp_str_release(&words);
	}
	return ok ? TP_OK
		  : tp_fail(diag, TP_NOMEM, "emulated", NULL, "no memory for %u misleading events",
			    wish->misleading);
}
