/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/offers.h"
#include "base/units.h"
#include "base/vec.h"
#include "counters/source.h"
#include "experiment/tuning.h"
#include "kernels/counting.h"
#include "routines/routine.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Useful values where the option table names none, or not all; anything else in the range can be typed. */
static const struct {
	enum tp_option_id id;
	const char *words;
} suggested[] = {
	{ TP_OPT_RATIO, "1:0 2:1 1:1 0:1 best" },
	{ TP_OPT_AFFINITY, "compact scatter" },
	{ TP_OPT_POINTS_PER_OCTAVE, "1 2 3 4 6 8 12 16" },
	{ TP_OPT_INTENSITY_POINTS, "3 5 7 9 13 17 25" },
	{ TP_OPT_STOP_CONFIDENCE, "90% 95% 99% 99.9%" },
	{ TP_OPT_STOP_ERROR, "0.2% 0.5% 1% 2% 5% 10%" },
	{ TP_OPT_STOP_ERROR_DRAM, "0.2% 0.5% 1% 2% 5% 10%" },
	{ TP_OPT_STOP_MAX_TIME, "50ms 100ms 200ms 300ms 500ms 1s 2s 5s 10s" },
	{ TP_OPT_BLAS, "openblas blis mkl" },
	{ TP_OPT_AUTOTUNE_MAX_TIME, "500ms 1s 2s 5s 10s 30s" },
	{ TP_OPT_AUTOTUNE_INVOCATIONS, "1 3 5 10" },
	{ TP_OPT_AUTOTUNE_ITERATIONS, "10 50 100 200 500" },
	{ TP_OPT_WINDOW, "50us 100us 200us 500us 1ms 2ms 5ms" },
	{ TP_OPT_KNOBS_GOVERNOR, "keep performance powersave schedutil ondemand" },
	{ TP_OPT_KNOBS_PRIORITY, "keep -20 -10 -5 0 5 10 19" },
};

static const struct {
	enum tp_option_id id;
	const char *word, *note;
} notes[] = {
	{ TP_OPT_SOURCE, "auto", "hardware events where they start, else emulated" },
	{ TP_OPT_SOURCE, "papi", "the events of the hardware" },
	{ TP_OPT_SOURCE, "emulated", "the kernels are stepped and drive a model of the core" },
	{ TP_OPT_SCOPE, "core", "one core" },
	{ TP_OPT_SCOPE, "socket", "the cores of one package" },
	{ TP_OPT_SCOPE, "machine", "all cores" },
	{ TP_OPT_AUTOTUNE_SPACE, "default",
	  "n and m from 500 to 4096, k from 64 to 2048: minutes" },
	{ TP_OPT_AUTOTUNE_SPACE, "wide", "n and m from 64 to 4096, k from 2 to 2048" },
	{ TP_OPT_AUTOTUNE_SPACE, "small", "n and m from 128 to 500, k from 16 to 500: seconds" },
	{ TP_OPT_PRECISION, "double", "8 bytes an element" },
	{ TP_OPT_PRECISION, "single", "4 bytes an element" },
	{ TP_OPT_RATIO, "1:0", "loads only" },
	{ TP_OPT_RATIO, "2:1", "two loads for each store, as in a triad" },
	{ TP_OPT_RATIO, "1:1", "a load for each store, as in a copy" },
	{ TP_OPT_RATIO, "0:1", "stores only" },
	{ TP_OPT_RATIO, "best", "the fastest ratio of each level is searched (roofline)" },
	{ TP_OPT_AFFINITY, "compact", "neighbouring cores first" },
	{ TP_OPT_AFFINITY, "scatter", "round robin over sockets and memory nodes" },
	{ TP_OPT_PAGES, "default", "what the kernel gives" },
	{ TP_OPT_PAGES, "thp", "asks for transparent huge pages" },
	{ TP_OPT_PAGES, "hugetlb", "huge pages that were set aside before" },
	{ TP_OPT_PAGES, "small", "no huge pages" },
	{ TP_OPT_STORES, "normal", "through the caches" },
	{ TP_OPT_STORES, "nontemporal", "past the caches" },
	{ TP_OPT_STOP_BASIS, "median", "order statistics: holds for any distribution" },
	{ TP_OPT_STOP_BASIS, "mean", "Student's t" },
	{ TP_OPT_STOP_BASIS, "trimmed", "groups of samples without their extremes" },
	{ TP_OPT_CACHE_STATE, "hot", "walked before timing" },
	{ TP_OPT_CACHE_STATE, "cold", "evicted before every window" },
	{ TP_OPT_KNOBS_SCHEDULER, "fifo", "real-time, of priority 1" },
};

void tp_offers_release(struct tp_offers *offers)
{
	free(offers->items);
	*offers = (struct tp_offers){ 0 };
}

long tp_offers_find(const struct tp_offers *offers, const char *word)
{
	for (size_t i = 0; i < offers->n; i++)
		if (strcmp(offers->items[i].word, word) == 0)
			return (long)i;
	return -1;
}

static struct tp_offer *offer(struct tp_offers *offers, const char *word, size_t len,
			      const char *note)
{
	if (tp_vec_reserve((void **)&offers->items, &offers->cap, offers->n + 1,
			   sizeof(*offers->items)) != TP_OK)
		return NULL;
	struct tp_offer *o = &offers->items[offers->n++];
	*o = (struct tp_offer){ 0 };
	snprintf(o->word, sizeof(o->word), "%.*s", (int)len, word);
	tp_copy(o->note, sizeof(o->note), note);
	return o;
}

static void switch_off(struct tp_offer *o, const struct tp_diag *why)
{
	o->off = true;
	snprintf(o->why, sizeof(o->why), "%s%s%s", why->what, why->hint[0] ? "; " : "", why->hint);
}

static const char *note_of(enum tp_option_id id, const char *word)
{
	if (id == TP_OPT_FP_OP)
		return tp_fp_op_summary(tp_fp_op_find(word));
	for (size_t i = 0; i < TP_COUNT_OF(notes); i++)
		if (notes[i].id == id && strcmp(notes[i].word, word) == 0)
			return notes[i].note;
	return "";
}

static enum tp_status offer_words(struct tp_offers *offers, enum tp_option_id id, const char *words)
{
	while (*words) {
		char word[sizeof(offers->items->word)];
		size_t n = strcspn(words, " ");
		snprintf(word, sizeof(word), "%.*s", (int)n, words);
		if (!offer(offers, word, n, note_of(id, word)))
			return TP_NOMEM;
		words += n;
		words += strspn(words, " ");
	}
	return TP_OK;
}

static enum tp_status offer_experiments(struct tp_offers *offers, const struct tp_session *session)
{
	for (size_t i = 0; i < tp_experiment_count; i++) {
		const struct tp_experiment *e = tp_experiment_table[i];
		struct tp_offer *o = offer(offers, e->name, strlen(e->name), e->summary);
		struct tp_diag why = { 0 };
		if (!o)
			return TP_NOMEM;
		if (e->supported(&session->machine, &why) != TP_OK)
			switch_off(o, &why);
	}
	return TP_OK;
}

static enum tp_status offer_families(struct tp_offers *offers)
{
	for (size_t i = 0; i < TP_FAMILY_COUNT; i++) {
		const struct tp_family *f = tp_family_table[i];
		if (!offer(offers, f->name, strlen(f->name), f->title))
			return TP_NOMEM;
	}
	return TP_OK;
}

static enum tp_status offer_habits(struct tp_offers *offers)
{
	const char *title, *name;
	for (size_t i = 0; (name = tp_emulated_habit(i, &title)); i++)
		if (!offer(offers, name, strlen(name), title))
			return TP_NOMEM;
	return TP_OK;
}

static enum tp_status offer_routines(struct tp_offers *offers)
{
	for (unsigned i = 0; i < TP_ROUTINE_COUNT; i++) {
		const char *name = tp_routine_name((enum tp_routine_id)i);
		if (!offer(offers, name, strlen(name), tp_routine_summary((enum tp_routine_id)i)))
			return TP_NOMEM;
	}
	return TP_OK;
}

static enum tp_status offer_techniques(struct tp_offers *offers)
{
	for (size_t i = 0; i < tp_technique_count; i++) {
		const struct tp_technique *t = &tp_technique_table[i];
		if (!offer(offers, t->name, strlen(t->name), t->summary))
			return TP_NOMEM;
	}
	return TP_OK;
}

static enum tp_status offer_isas(struct tp_offers *offers, const struct tp_session *session)
{
	const struct tp_machine *machine = &session->machine;
	struct tp_offer *o = offer(offers, "auto", 4, "every one that works here");
	if (!o)
		return TP_NOMEM;
	o->alone = true;
	if (!(o = offer(offers, "widest", 6, "the one with the longest vectors")))
		return TP_NOMEM;
	o->alone = true;
	for (size_t i = 0; i < tp_isa_count; i++) {
		const struct tp_isa *isa = tp_isa_table[i];
		struct tp_diag why = { 0 };
		if (!(o = offer(offers, isa->name, strlen(isa->name), isa->summary)))
			return TP_NOMEM;
		if (!machine->foreign) {
			if (tp_isa_supported(isa, &session->cpu, &why) != TP_OK)
				switch_off(o, &why);
		} else if (machine->model.n_isas && !tp_model_isa(&machine->model, isa->name)) {
			tp_fail(&why, TP_UNSUPPORTED, NULL, NULL, "the model %s has no %s",
				machine->model.name, isa->name);
			switch_off(o, &why);
		}
	}
	return TP_OK;
}

static enum tp_status offer_threads(struct tp_offers *offers, const struct tp_session *session)
{
	size_t most = session->machine.n_allowed;
	char word[24], note[64];
	for (size_t n = 1; n < most; n *= 2) {
		snprintf(word, sizeof(word), "%zu", n);
		if (!offer(offers, word, strlen(word), n == 1 ? "one thread" : ""))
			return TP_NOMEM;
	}
	if (most > 1) {
		snprintf(word, sizeof(word), "%zu", most);
		if (!offer(offers, word, strlen(word), ""))
			return TP_NOMEM;
	}
	snprintf(note, sizeof(note), "one on every CPU: %zu here", most);
	return offer(offers, "all", 3, note) ? TP_OK : TP_NOMEM;
}

static enum tp_status offer_levels(struct tp_offers *offers, const struct tp_session *session)
{
	enum tp_status status =
		offer_words(offers, TP_OPT_LEVEL, tp_option_table[TP_OPT_LEVEL].words);
	for (size_t i = 0; i < offers->n; i++) {
		struct tp_offer *o = &offers->items[i];
		int level = o->word[0] == 'L' ? o->word[1] - '0' : 0;
		char bytes[32];
		struct tp_diag why;
		if (level < 1 || level >= TP_CACHE_LEVELS) {
			tp_copy(o->note, sizeof(o->note), "beyond the last cache");
			continue;
		}
		const struct tp_cache *cache = &session->machine.cache[level];
		if (cache->size_bytes) {
			snprintf(o->note, sizeof(o->note), "%s, shared by %u core%s",
				 tp_format_bytes(bytes, sizeof(bytes), cache->size_bytes),
				 cache->sharing_cores, cache->sharing_cores == 1 ? "" : "s");
			continue;
		}
		tp_fail(&why, TP_UNSUPPORTED, NULL, NULL,
			"this machine reports no such cache; give its capacity with cache_size.%s",
			o->word);
		switch_off(o, &why);
	}
	return status;
}

static enum tp_status offer_pages(struct tp_offers *offers, const struct tp_session *session)
{
	enum tp_status status =
		offer_words(offers, TP_OPT_PAGES, tp_option_table[TP_OPT_PAGES].words);
	long i = tp_offers_find(offers, "hugetlb");
	if (i < 0 || session->machine.foreign || session->machine.hugetlb_free)
		return status;
	struct tp_diag why;
	tp_fail(&why, TP_UNSUPPORTED, NULL, "as root: sysctl vm.nr_hugepages=512",
		"no huge pages are set aside and free");
	switch_off(&offers->items[i], &why);
	return status;
}

static enum tp_status offer_machines(struct tp_offers *offers)
{
	struct tp_named_file *entries = NULL;
	size_t n = 0;
	enum tp_status status = tp_model_entries(&entries, &n, NULL);
	if (!offer(offers, "detected", 8, "the model that fits this machine"))
		status = TP_NOMEM;
	for (size_t i = 0; i < n && status == TP_OK; i++)
		if (!offer(offers, entries[i].name, strlen(entries[i].name), entries[i].title))
			status = TP_NOMEM;
	free(entries);
	return status;
}

enum tp_status tp_offers_make(struct tp_offers *offers, const struct tp_session *session,
			      enum tp_option_id id)
{
	const struct tp_option *option = &tp_option_table[id];
	*offers = (struct tp_offers){ .open = true };
	switch (id) {
	case TP_OPT_EXPERIMENT:
		offers->open = false;
		return offer_experiments(offers, session);
	case TP_OPT_ISA:
		offers->open = false;
		return offer_isas(offers, session);
	case TP_OPT_FAMILIES:
		offers->open = false;
		return offer_families(offers);
	case TP_OPT_COUNTERS_HABIT:
		offers->open = false;
		return offer_habits(offers);
	case TP_OPT_ROUTINE:
		offers->open = false;
		return offer_routines(offers);
	case TP_OPT_TECHNIQUE:
		return offer_techniques(offers);
	case TP_OPT_THREADS:
		return offer_threads(offers, session);
	case TP_OPT_LEVEL:
		offers->open = false;
		return offer_levels(offers, session);
	case TP_OPT_PAGES:
		offers->open = false;
		return offer_pages(offers, session);
	case TP_OPT_MACHINE:
		return offer_machines(offers);
	default:
		break;
	}
	for (size_t i = 0; i < TP_COUNT_OF(suggested); i++)
		if (suggested[i].id == id)
			return offer_words(offers, id, suggested[i].words);
	if (option->type == TP_TYPE_BOOL) {
		offers->open = false;
		return offer_words(offers, id, "false true");
	}
	offers->open = option->type != TP_TYPE_WORD;
	return offer_words(offers, id, option->words);
}

/* --- stepping --- */

static bool is_numeric(enum tp_option_type type)
{
	return type == TP_TYPE_COUNT || type == TP_TYPE_REAL || type == TP_TYPE_BYTES ||
	       type == TP_TYPE_SECONDS;
}

/* The offer whose number is the next one beyond `from`. */
static long next_number(const struct tp_offers *offers, const struct tp_option *option, double from,
			int direction)
{
	struct tp_arena arena = { 0 };
	double best = 0;
	long found = -1;
	for (size_t i = 0; i < offers->n; i++) {
		const char *word = offers->items[i].word;
		struct tp_scalar scalar;
		if (offers->items[i].off ||
		    tp_scalar_parse(option, word, strlen(word), &arena, &scalar, NULL) != TP_OK)
			continue;
		double ahead = (scalar.real - from) * direction;
		if (ahead > 0 && (found < 0 || ahead < best)) {
			best = ahead;
			found = (long)i;
		}
	}
	tp_arena_release(&arena);
	return found;
}

/* The next of 1, 2, 5, 10, ... or of the powers of two. */
static double round_step(double from, int direction, bool binary)
{
	static const double decade[] = { 0.5, 1, 2, 5, 10, 20 };
	const double little = 1e-9;
	if (from <= 0)
		return direction > 0 ? binary ? 4096 : 1 : from;
	if (binary)
		return direction > 0 ? exp2(floor(log2(from) + little) + 1)
				     : exp2(ceil(log2(from) - little) - 1);
	double unit = pow(10, floor(log10(from) + little));
	for (int i = direction > 0 ? 0 : (int)TP_COUNT_OF(decade) - 1;
	     i >= 0 && i < (int)TP_COUNT_OF(decade); i += direction)
		if ((decade[i] * unit - from) * direction > little * from)
			return decade[i] * unit;
	return from;
}

static void number_text(enum tp_option_type type, double value, char *out, size_t size)
{
	if (type == TP_TYPE_BYTES)
		snprintf(out, size, "%" PRIu64, (uint64_t)value);
	else if (type == TP_TYPE_SECONDS && value < 1)
		snprintf(out, size, "%.6gus", value * 1e6);
	else
		snprintf(out, size, "%.10g", value);
}

enum tp_status tp_offers_step(const struct tp_offers *offers, enum tp_option_id id,
			      const struct tp_value *value, int direction, char *out, size_t size)
{
	const struct tp_option *option = &tp_option_table[id];
	const struct tp_scalar *present = value->n ? &value->items[0] : NULL;
	if (offers->n) {
		long at = present ? tp_offers_find(offers, present->text) : -1, n = (long)offers->n;
		if (at < 0 && present && is_numeric(option->type)) {
			at = next_number(offers, option, present->real, direction);
			tp_copy(out, size, at < 0 ? present->text : offers->items[at].word);
			return TP_OK;
		}
		if (at < 0)
			at = direction > 0 ? -1 : n;
		/* Numbers end, words go round. A list of several becomes its neighbour. */
		bool round = !is_numeric(option->type);
		for (long tried = 0; tried < n; tried++) {
			at += direction;
			if (round)
				at = (at + n) % n;
			if (at < 0 || at >= n)
				break;
			if (offers->items[at].off)
				continue;
			tp_copy(out, size, offers->items[at].word);
			return TP_OK;
		}
		tp_copy(out, size, present ? present->text : "");
		return TP_OK;
	}
	if (!present || !is_numeric(option->type) || value->n > 1)
		return TP_UNSUPPORTED;
	double to = round_step(present->real, direction, option->type == TP_TYPE_BYTES);
	if (option->type == TP_TYPE_COUNT)
		to = floor(to); /* below 1 there is 0, where that is allowed */
	number_text(option->type, fmin(fmax(to, option->min), option->max), out, size);
	return TP_OK;
}
