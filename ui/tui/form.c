/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the form shows: rows, values, notes. How it is changed: form_change.c. */
#include "ui/tui/form.h"
#include "base/units.h"
#include "base/vec.h"

#include <string.h>

/*
 * The order of the form. Not a second list of options: whatever the option table has beyond these rows stands at the end. `main`: shown
 * always (where the experiment uses it); the rest when asked for, or when it differs from what it falls back to.
 */
static const struct {
	const char *heading;
	enum tp_option_id id;
	bool main;
} order[] = {
	{ "What to measure", TP_OPT_EXPERIMENT, true },
	{ NULL, TP_OPT_FAMILIES, true },
	{ NULL, TP_OPT_SOURCE, true },
	{ NULL, TP_OPT_COUNTERS_EVENTS, true },
	{ NULL, TP_OPT_COUNTERS_REPETITIONS, true },
	{ NULL, TP_OPT_COUNTERS_HABIT, true },
	{ NULL, TP_OPT_COUNTERS_MISLEADING, true },
	{ NULL, TP_OPT_ROUTINE, true },
	{ NULL, TP_OPT_BLAS, false },
	{ NULL, TP_OPT_TECHNIQUE, true },
	{ NULL, TP_OPT_AUTOTUNE_SPACE, true },
	{ NULL, TP_OPT_AUTOTUNE_N, false },
	{ NULL, TP_OPT_AUTOTUNE_M, false },
	{ NULL, TP_OPT_AUTOTUNE_K, false },
	{ NULL, TP_OPT_AUTOTUNE_SQUARE, false },
	{ NULL, TP_OPT_AUTOTUNE_ELEMENTS, false },
	{ NULL, TP_OPT_ISA, true },
	{ NULL, TP_OPT_PRECISION, true },
	{ NULL, TP_OPT_RATIO, true },
	{ NULL, TP_OPT_FP_OP, true },
	{ NULL, TP_OPT_LEVEL, true },
	{ NULL, TP_OPT_FLOPS_PER_BYTE, true },
	{ NULL, TP_OPT_INTENSITY_POINTS, true },
	{ NULL, TP_OPT_SIZE_MIN, true },
	{ NULL, TP_OPT_SIZE_MAX, true },
	{ NULL, TP_OPT_POINTS_PER_OCTAVE, true },
	{ NULL, TP_OPT_SIZES, false },
	{ NULL, TP_OPT_THROTTLE, true },
	{ NULL, TP_OPT_STORES, false },
	{ NULL, TP_OPT_STRIDE, false },
	{ NULL, TP_OPT_CACHE_STATE, false },
	{ NULL, TP_OPT_CHASE_STRIDE, false },
	{ NULL, TP_OPT_CHASE_BLOCK, false },
	{ "On what", TP_OPT_THREADS, true },
	{ NULL, TP_OPT_SCOPE, true },
	{ NULL, TP_OPT_AFFINITY, true },
	{ NULL, TP_OPT_PAGES, true },
	{ NULL, TP_OPT_MACHINE, true },
	{ NULL, TP_OPT_TOPOLOGY, false },
	{ NULL, TP_OPT_CACHE_L1, false },
	{ NULL, TP_OPT_CACHE_L2, false },
	{ NULL, TP_OPT_CACHE_L3, false },
	{ "How long, how sure", TP_OPT_STOP_ERROR, true },
	{ NULL, TP_OPT_STOP_MAX_TIME, true },
	{ NULL, TP_OPT_AUTOTUNE_MAX_TIME, true },
	{ NULL, TP_OPT_AUTOTUNE_INVOCATIONS, true },
	{ NULL, TP_OPT_AUTOTUNE_ITERATIONS, true },
};

/* Headings of the rest by the first part of the key. */
static const struct {
	const char *prefix, *heading;
} rest[] = {
	{ "counters.", "Counters" },
	{ "autotune.", "Searching" },
	{ "stop.", "How long, how sure" },
	{ "knobs.", "State of the machine during the run" },
	{ "", "The run" },
};

const struct tp_config *tp_form_config(const struct tp_form *form)
{
	return &form->session->preset.runs[form->run];
}

const char *tp_form_experiment(const struct tp_form *form)
{
	return tp_config_text(tp_form_config(form), TP_OPT_EXPERIMENT);
}

bool tp_form_used(const struct tp_form *form, enum tp_option_id id)
{
	return tp_option_belongs(&tp_option_table[id], tp_form_experiment(form));
}

static bool means_all_threads(const struct tp_form *form, enum tp_option_id id)
{
	const struct tp_experiment *e = tp_experiment_find(tp_form_experiment(form));
	return id == TP_OPT_THREADS && e && e->all_threads &&
	       tp_form_config(form)->values[id].source == TP_FROM_DEFAULT;
}

bool tp_form_changed(const struct tp_form *form, enum tp_option_id id)
{
	const struct tp_value *value = &tp_form_config(form)->values[id];
	const struct tp_value *base = &form->base.runs[0].values[id];
	if (!tp_value_equal(value, base))
		return true;
	const struct tp_experiment *e = tp_experiment_find(tp_form_experiment(form));
	return id == TP_OPT_THREADS && e && e->all_threads && value->source != base->source;
}

/* --- rows --- */

static bool contains(const char *text, const char *words)
{
	size_t n = strlen(words);
	for (; *text; text++)
		if (strncasecmp(text, words, n) == 0)
			return true;
	return n == 0;
}

static bool is_shown(const struct tp_form *form, enum tp_option_id id, bool main)
{
	if (form->find[0])
		return contains(tp_option_table[id].key, form->find) ||
		       contains(tp_option_table[id].help, form->find);
	return form->all || (main && tp_form_used(form, id)) || tp_form_changed(form, id);
}

/* Adds an option under its heading; the headings of one group follow each other. */
static void add_row(struct tp_form *form, const char **heading, enum tp_option_id id)
{
	if (*heading)
		form->rows[form->n_rows++] = (struct tp_form_row){ .heading = *heading };
	*heading = NULL;
	form->rows[form->n_rows++] = (struct tp_form_row){ .id = id };
}

static size_t rest_of(const char *key)
{
	size_t i = 0;
	while (strncmp(key, rest[i].prefix, strlen(rest[i].prefix)) != 0)
		i++;
	return i;
}

void tp_form_list(struct tp_form *form)
{
	enum tp_option_id selected = tp_form_selected(form);
	bool placed[TP_OPT_COUNT] = { false };
	const char *heading = NULL, *group = "";
	form->n_rows = 0;
	for (size_t i = 0; i < TP_COUNT_OF(order); i++) {
		placed[order[i].id] = true;
		if (order[i].heading)
			heading = group = order[i].heading;
		if (is_shown(form, order[i].id, order[i].main))
			add_row(form, &heading, order[i].id);
	}
	for (size_t g = 0; g < TP_COUNT_OF(rest); g++) {
		if (strcmp(group, rest[g].heading) != 0)
			heading = rest[g].heading;
		for (size_t i = 0; i < TP_OPT_COUNT; i++)
			if (!placed[i] && rest_of(tp_option_table[i].key) == g &&
			    is_shown(form, (enum tp_option_id)i, false))
				add_row(form, &heading, (enum tp_option_id)i);
	}
	form->selected = form->n_rows > 1 ? 1 : 0;
	for (size_t i = 0; i < form->n_rows; i++)
		if (!form->rows[i].heading && form->rows[i].id == selected)
			form->selected = i;
}

enum tp_option_id tp_form_selected(const struct tp_form *form)
{
	return form->selected < form->n_rows ? form->rows[form->selected].id : TP_OPT_EXPERIMENT;
}

void tp_form_move(struct tp_form *form, int by)
{
	int direction = by < 0 ? -1 : 1;
	size_t at = form->selected;
	for (long left = (long)by * direction; left > 0;) {
		if ((direction < 0 && at == 0) || (direction > 0 && at + 1 >= form->n_rows))
			return;
		at = direction < 0 ? at - 1 : at + 1;
		if (form->rows[at].heading)
			continue;
		form->selected = at;
		left--;
	}
}

void tp_form_select(struct tp_form *form, enum tp_option_id id)
{
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < form->n_rows; i++)
			if (!form->rows[i].heading && form->rows[i].id == id) {
				form->selected = i;
				return;
			}
		form->all = true;
		form->find[0] = '\0';
		tp_form_list(form);
	}
}

/* --- words about an option --- */

void tp_form_text(const struct tp_form *form, enum tp_option_id id, struct tp_str *out)
{
	if (means_all_threads(form, id))
		tp_str_add(out, "all");
	else
		tp_value_text(&tp_form_config(form)->values[id], out);
}

void tp_form_value(const struct tp_form *form, enum tp_option_id id, struct tp_str *out)
{
	const struct tp_value *value = &tp_form_config(form)->values[id];
	if (means_all_threads(form, id)) {
		tp_str_add(out, "all");
		return;
	}
	for (size_t i = 0; i < value->n; i++) {
		tp_str_add(out, i ? ", " : "");
		for (const char *c = value->items[i].text; *c; c++)
			tp_str_add_n(out, *c == '\n' ? " " : c, 1);
	}
	if (!value->n)
		tp_str_add(out, "-");
}

const char *tp_form_source(const struct tp_form *form, enum tp_option_id id, char *out, size_t size)
{
	const struct tp_value *value = &tp_form_config(form)->values[id];
	const char *slash = strrchr(value->where, '/');
	switch (value->source) {
	case TP_FROM_DEFAULT:
		tp_copy(out, size, "built in");
		break;
	case TP_FROM_SYSTEM:
	case TP_FROM_USER_CONFIG:
	case TP_FROM_PRESET:
		tp_copy(out, size, slash ? slash + 1 : value->where);
		break;
	case TP_FROM_ENVIRONMENT:
	case TP_FROM_COMMAND_LINE:
		tp_copy(out, size, value->where);
		break;
	}
	return out;
}

/* The ISAs that "auto" and "widest" come to. */
static void isa_note(const struct tp_form *form, char *out, size_t size)
{
	const struct tp_session *session = form->session;
	const struct tp_value *value = &tp_form_config(form)->values[TP_OPT_ISA];
	const char *last = "";
	size_t n = 0;
	out[0] = '\0';
	if (value->n != 1 || session->machine.foreign)
		return;
	bool every = strcmp(value->items[0].text, "auto") == 0;
	for (size_t i = 0; i < tp_isa_count && n < size; i++) {
		if (tp_isa_supported(tp_isa_table[i], &session->cpu, NULL) != TP_OK)
			continue;
		last = tp_isa_table[i]->name;
		if (every)
			n += (size_t)snprintf(out + n, size - n, "%s%s", n ? ", " : "", last);
	}
	if (strcmp(value->items[0].text, "widest") == 0)
		tp_copy(out, size, last);
	else if (!every && tp_isa_find(value->items[0].text))
		tp_copy(out, size, tp_isa_find(value->items[0].text)->summary);
}

static void level_note(const struct tp_form *form, char *out, size_t size)
{
	const struct tp_value *value = &tp_form_config(form)->values[TP_OPT_LEVEL];
	size_t n = 0;
	out[0] = '\0';
	for (size_t i = 0; i < value->n && n < size; i++) {
		const char *word = value->items[i].text;
		int level = word[0] == 'L' ? word[1] - '0' : 0;
		char bytes[32];
		if (level < 1 || level >= TP_CACHE_LEVELS)
			continue;
		uint64_t size_bytes = form->session->machine.cache[level].size_bytes;
		n += (size_t)snprintf(out + n, size - n, "%s%s %s", n ? ", " : "", word,
				      size_bytes ? tp_format_bytes(bytes, sizeof(bytes), size_bytes)
						 : "is not here");
	}
}

const char *tp_form_meaning(const struct tp_form *form, enum tp_option_id id, char *out,
			    size_t size)
{
	const struct tp_config *config = tp_form_config(form);
	const struct tp_machine *machine = &form->session->machine;
	const struct tp_experiment *e;
	out[0] = '\0';
	switch (id) {
	case TP_OPT_EXPERIMENT:
		if ((e = tp_experiment_find(tp_form_experiment(form))))
			tp_copy(out, size, e->summary);
		break;
	case TP_OPT_ISA:
		isa_note(form, out, size);
		break;
	case TP_OPT_LEVEL:
		level_note(form, out, size);
		break;
	case TP_OPT_THREADS:
		snprintf(out, size, "%zu CPU%s can be used", machine->n_allowed,
			 machine->n_allowed == 1 ? "" : "s");
		break;
	case TP_OPT_MACHINE:
		tp_copy(out, size,
			machine->model.name[0] ? machine->model.title : "no model fits this CPU");
		break;
	case TP_OPT_AUTOTUNE_SPACE:
	case TP_OPT_COUNTERS_HABIT:
	case TP_OPT_FP_OP:
	case TP_OPT_RATIO:
	case TP_OPT_ROUTINE:
	case TP_OPT_SCOPE:
	case TP_OPT_SOURCE:
	case TP_OPT_TECHNIQUE: {
		struct tp_offers offers;
		const char *word = tp_config_text(config, id);
		long i = tp_offers_make(&offers, form->session, id) == TP_OK &&
					 tp_config_value(config, id)->n == 1
				 ? tp_offers_find(&offers, word)
				 : -1;
		if (i >= 0)
			tp_copy(out, size, offers.items[i].note);
		tp_offers_release(&offers);
		break;
	}
	default:
		break;
	}
	return out;
}

const char *tp_form_note(const struct tp_form *form, enum tp_option_id id, char *out, size_t size)
{
	const struct tp_option *option = &tp_option_table[id];
	if (!tp_form_used(form, id)) {
		snprintf(out, size, "not used by %s", tp_form_experiment(form));
		return out;
	}
	tp_form_meaning(form, id, out, size);
	if (!out[0]) {
		size_t n = strcspn(option->help, ";:.(");
		while (option->help[n] && option->help[n] != ';' && option->help[n + 1] != ' ' &&
		       option->help[n + 1])
			n += 1 + strcspn(option->help + n + 1, ";:.(");
		while (n && option->help[n - 1] == ' ')
			n--;
		snprintf(out, size, "%.*s", (int)n, option->help);
	}
	return out;
}

const struct tp_diag *tp_form_problem(enum tp_option_id id, const struct tp_diags *problems)
{
	const char *key = tp_option_table[id].key;
	size_t n = strlen(key);
	for (size_t i = 0; i < problems->n; i++) {
		const struct tp_diag *d = &problems->items[i];
		bool named =
			strncmp(d->what, key, n) == 0 && (d->what[n] == ':' || d->what[n] == ' ');
		if (named || strcmp(d->where, key) == 0)
			return d;
	}
	return NULL;
}
