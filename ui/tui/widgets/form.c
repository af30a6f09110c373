/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the form shows (rows, values, notes), and how it is changed. */
#include "ui/tui/widgets/form.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "preset/shared_options.h"

static const char *const sections[] = {
	[TP_FORM_WHAT] = "What to measure",
	[TP_FORM_WHERE] = "On what",
	[TP_FORM_HOW_LONG] = "How long, how sure",
	[TP_FORM_STATE] = "State of the machine during the run",
};

const struct tp_config *tp_form_config(const struct tp_form *form)
{
	return &form->session->preset.runs[form->run];
}

const char *tp_form_experiment(const struct tp_form *form)
{
	return tp_config_text(tp_form_config(form), TP_OPT_EXPERIMENT);
}

bool tp_form_used(const struct tp_form *form, const struct tp_option *option)
{
	return tp_option_belongs(option, tp_form_experiment(form));
}

static bool means_all_threads(const struct tp_form *form, const struct tp_option *option)
{
	const struct tp_experiment *e = tp_experiment_find(tp_form_experiment(form));
	return option == TP_OPT_THREADS && e && e->all_threads &&
	       tp_config_value(tp_form_config(form), option)->source == TP_FROM_DEFAULT;
}

bool tp_form_changed(const struct tp_form *form, const struct tp_option *option)
{
	const struct tp_value *value = tp_config_value(tp_form_config(form), option);
	const struct tp_value *base = tp_config_value(&form->base.runs[0], option);
	if (!tp_value_equal(value, base))
		return true;
	const struct tp_experiment *e = tp_experiment_find(tp_form_experiment(form));
	return option == TP_OPT_THREADS && e && e->all_threads && value->source != base->source;
}

/* --- rows --- */

static bool is_shown(const struct tp_form *form, const struct tp_option *option)
{
	if (form->find[0])
		return strcasestr(option->key, form->find) || strcasestr(option->help, form->find);
	return form->all || (option->form_main && tp_form_used(form, option)) ||
	       form->first[tp_option_index(option)] || tp_form_changed(form, option);
}

/* The options that stand first, or the others; and their heading before the next of them. */
struct part {
	bool first;
	const char *heading;
};

static void add_row(struct tp_form *form, struct part *part, const struct tp_option *option)
{
	if (option == TP_OPT_EXPERIMENT || form->first[tp_option_index(option)] != part->first ||
	    !is_shown(form, option))
		return;
	if (part->heading)
		form->rows[form->n_rows++] = (struct tp_form_row){ .heading = part->heading };
	part->heading = NULL;
	form->rows[form->n_rows++] = (struct tp_form_row){ .option = option };
}

/* The option of a section with the lowest place above `place`; NULL after the last. */
static const struct tp_option *next_of(enum tp_form_section section, int place)
{
	const struct tp_option *option, *next = NULL;
	for (size_t i = 0; (option = tp_option_at(i)); i++)
		if (option->form_section == section && option->form_place > place &&
		    (!next || option->form_place < next->form_place))
			next = option;
	return next;
}

static void list_section(struct tp_form *form, struct part *part, enum tp_form_section section)
{
	const struct tp_option *option = next_of(section, 0);
	if (!part->first)
		part->heading = sections[section];
	for (; option; option = next_of(section, option->form_place))
		add_row(form, part, option);
}

/* The groups of experiments, or the shared ones: below separate headings, or one. */
static void list_groups(struct tp_form *form, struct part *part, bool shared)
{
	if (!part->first && shared)
		part->heading = "The run";
	for (const struct tp_option_group *const *g = tp_option_groups(); *g; g++) {
		if (!(*g)->experiment != shared)
			continue;
		if (!part->first && !shared)
			part->heading = (*g)->heading;
		for (size_t i = 0; (*g)->rows[i]; i++)
			if (!(*g)->rows[i]->form_section)
				add_row(form, part, (*g)->rows[i]);
	}
}

static void list_part(struct tp_form *form, struct part part)
{
	list_section(form, &part, TP_FORM_WHAT);
	list_section(form, &part, TP_FORM_WHERE);
	list_section(form, &part, TP_FORM_HOW_LONG);
	list_groups(form, &part, false);
	list_section(form, &part, TP_FORM_STATE);
	list_groups(form, &part, true);
}

static void list_rows(struct tp_form *form)
{
	const struct tp_option *selected = tp_form_selected(form);
	form->n_rows = 0;
	if (is_shown(form, TP_OPT_EXPERIMENT))
		form->rows[form->n_rows++] = (struct tp_form_row){ .option = TP_OPT_EXPERIMENT };
	if (!form->find[0])
		form->rows[form->n_rows++] = (struct tp_form_row){ 0 };
	list_part(form, (struct part){ true, "Changed" });
	list_part(form, (struct part){ false, NULL });
	form->selected = form->n_rows && form->rows[0].heading;
	for (size_t i = 0; i < form->n_rows; i++)
		if (!form->rows[i].heading && form->rows[i].option == selected)
			form->selected = i;
}

void tp_form_list(struct tp_form *form)
{
	for (size_t i = 0; i < tp_option_count(); i++)
		form->first[i] = tp_form_changed(form, tp_option_at(i));
	list_rows(form);
}

const struct tp_option *tp_form_selected(const struct tp_form *form)
{
	return form->selected < form->n_rows ? form->rows[form->selected].option
					     : TP_OPT_EXPERIMENT;
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

void tp_form_select(struct tp_form *form, const struct tp_option *option)
{
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < form->n_rows; i++)
			if (!form->rows[i].heading && form->rows[i].option == option) {
				form->selected = i;
				return;
			}
		form->all = true;
		form->find[0] = '\0';
		tp_form_list(form);
	}
}

/* --- words about an option --- */

void tp_form_text(const struct tp_form *form, const struct tp_option *option, struct tp_str *out)
{
	if (means_all_threads(form, option))
		tp_str_add(out, "all");
	else
		tp_value_text(option, tp_config_value(tp_form_config(form), option), out);
}

void tp_form_value(const struct tp_form *form, const struct tp_option *option, struct tp_str *out)
{
	const struct tp_value *value = tp_config_value(tp_form_config(form), option);
	const struct tp_experiment *e = tp_experiment_find(tp_form_experiment(form));
	if (means_all_threads(form, option) || (option == TP_OPT_EXPERIMENT && e)) {
		tp_str_add(out, option == TP_OPT_EXPERIMENT ? e->question : "all");
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

const char *tp_form_source(const struct tp_form *form, const struct tp_option *option, char *out,
			   size_t size)
{
	const struct tp_value *value = tp_config_value(tp_form_config(form), option);
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

/* The ISAs that "auto" and "widest" select. */
static void isa_note(const struct tp_form *form, char *out, size_t size)
{
	const struct tp_session *session = form->session;
	const struct tp_value *value = tp_config_value(tp_form_config(form), TP_OPT_ISA);
	struct tp_isa_offer isa;
	const char *last = "";
	size_t n = 0;
	out[0] = '\0';
	if (value->n != 1)
		return;
	const char *word = value->items[0].text;
	bool every = strcmp(word, "auto") == 0;
	for (size_t i = 0; n < size && tp_machine_isa(&session->machine, i, &isa); i++) {
		if (strcmp(word, isa.name) == 0)
			tp_copy(out, size, isa.summary);
		if (!isa.offered)
			continue;
		last = isa.apart ? last : isa.name;
		if (every)
			n += (size_t)snprintf(out + n, size - n, "%s%s", n ? ", " : "", isa.name);
	}
	if (strcmp(word, "widest") == 0)
		tp_copy(out, size, last);
}

static void level_note(const struct tp_form *form, char *out, size_t size)
{
	const struct tp_value *value = tp_config_value(tp_form_config(form), TP_OPT_LEVEL);
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

const char *tp_form_meaning(const struct tp_form *form, const struct tp_option *option, char *out,
			    size_t size)
{
	const struct tp_machine *machine = &form->session->machine;
	const struct tp_experiment *e = tp_experiment_find(tp_form_experiment(form));
	out[0] = '\0';
	if (option == TP_OPT_EXPERIMENT && e)
		tp_copy(out, size, e->summary);
	else if (option == TP_OPT_ISA)
		isa_note(form, out, size);
	else if (option == TP_OPT_LEVEL)
		level_note(form, out, size);
	else if (option == TP_OPT_THREADS)
		snprintf(out, size, "%zu CPU%s can be used", machine->n_allowed,
			 machine->n_allowed == 1 ? "" : "s");
	else if (option == TP_OPT_MACHINE && machine->model.name[0])
		snprintf(out, size, "%s%s",
			 machine->model_found == TP_MODEL_LOOKS_LIKE ? "looks like " : "",
			 machine->model.title);
	else if (option == TP_OPT_MACHINE)
		tp_copy(out, size, "no model fits this CPU");
	else {
		const struct tp_value *value = tp_config_value(tp_form_config(form), option);
		struct tp_words words;

		/* What the chosen word means. */
		if (option->form_tells && value->n == 1) {
			long i = tp_words_make(&words, option, &form->session->machine) == TP_OK
					 ? tp_words_find(&words, value->items[0].text)
					 : -1;
			if (i >= 0)
				tp_copy(out, size, words.items[i].note);
			tp_words_release(&words);
		}
	}
	return out;
}

const char *tp_form_note(const struct tp_form *form, const struct tp_option *option, char *out,
			 size_t size)
{
	if (!tp_form_used(form, option)) {
		snprintf(out, size, "not used by %s", tp_form_experiment(form));
		return out;
	}
	if (option == TP_OPT_EXPERIMENT)
		tp_copy(out, size, tp_form_experiment(form));
	else
		tp_form_meaning(form, option, out, size);
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

const struct tp_diag *tp_form_problem(const struct tp_option *option,
				      const struct tp_diags *problems)
{
	const char *key = option->key;
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

/* The changes that the form makes to the preset, and the plan that follows. */

static const char changed_here[] = "changed here";

enum tp_status tp_form_init(struct tp_form *form, struct tp_session *session,
			    const struct tp_overrides *overrides, struct tp_diags *diags)
{
	*form = (struct tp_form){ .session = session, .overrides = overrides, .plan_stale = true };
	form->machine_stale = session->machine.n_pus == 0;
	enum tp_status status = tp_session_preset(&form->base, NULL, NULL, diags);
	if (status == TP_OK)
		tp_form_list(form);
	return status;
}

void tp_form_release(struct tp_form *form)
{
	tp_preset_release(&form->base);
	tp_str_release(&form->points);
}

/* --- one option --- */

/* Values are never changed in place, so runs may share them. */
static void put(struct tp_form *form, const struct tp_option *option, const struct tp_value *value)
{
	struct tp_preset *preset = &form->session->preset;
	for (size_t r = 0; r < preset->n_runs; r++)
		if (r == form->run || tp_session_shares(option))
			*tp_config_at(&preset->runs[r], option) = *value;
	form->machine_stale |= tp_session_shares(option);
	form->plan_stale = form->edited = true;
	if (option == TP_OPT_EXPERIMENT)
		tp_form_list(form);
	else
		list_rows(form);
}

enum tp_status tp_form_check(const struct tp_option *option, const char *text, struct tp_diag *diag)
{
	TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
	struct tp_value value;
	enum tp_status status = tp_option_parse(option, text, &arena, &value, diag);
	if (status == TP_OK && option == TP_OPT_EXPERIMENT &&
	    !tp_experiment_find(value.items[0].text))
		status = tp_fail(diag, TP_USAGE, option->key, "see --list experiments",
				 "there is no experiment \"%.64s\"", value.items[0].text);
	return status;
}

/* An existing value, written by others, does not count as consent only because it stays. */
static void note_typed(struct tp_value *value, const struct tp_value *before)
{
	for (size_t i = 0; i < value->n; i++) {
		struct tp_scalar *item = &value->items[i];
		item->typed = true;
		for (size_t k = 0; k < before->n; k++)
			if (strcmp(item->text, before->items[k].text) == 0)
				item->typed = before->items[k].typed;
	}
}

enum tp_status tp_form_set(struct tp_form *form, const struct tp_option *option, const char *text,
			   struct tp_diag *diag)
{
	struct tp_value value;
	enum tp_status status = tp_form_check(option, text, diag);
	if (status == TP_OK)
		status = tp_option_parse(option, text, &form->session->preset.arena, &value, diag);
	if (status != TP_OK)
		return status;
	const struct tp_experiment *e = tp_experiment_find(tp_form_experiment(form));
	bool stands_for_all = option == TP_OPT_THREADS && e && e->all_threads;
	if (tp_value_equal(&value, tp_config_value(&form->base.runs[0], option)) &&
	    !stands_for_all) {
		tp_form_reset(form, option);
		return TP_OK;
	}
	note_typed(&value, tp_config_value(tp_form_config(form), option));
	value.source = TP_FROM_PRESET;
	tp_copy(value.where, sizeof(value.where), changed_here);
	put(form, option, &value);
	return TP_OK;
}

void tp_form_reset(struct tp_form *form, const struct tp_option *option)
{
	const struct tp_value *from = tp_config_value(&form->base.runs[0], option);
	struct tp_arena *arena = &form->session->preset.arena;
	struct tp_value copy = *from;
	copy.items = tp_arena_alloc(arena, (from->n + 1) * sizeof(*copy.items));
	for (size_t i = 0; i < from->n; i++) {
		copy.items[i] = from->items[i];
		copy.items[i].text = tp_arena_strdup(arena, from->items[i].text);
	}
	put(form, option, &copy);
}

/* --- the whole --- */

void tp_form_take(struct tp_form *form, struct tp_preset *preset)
{
	tp_plan_release(&form->session->plan); /* borrows the old one */
	tp_preset_release(&form->session->preset);
	form->session->preset = *preset;
	form->run = 0;
	form->machine_stale = form->plan_stale = true;
	form->edited = false;
	tp_form_list(form);
}

enum tp_status tp_form_reset_all(struct tp_form *form)
{
	TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 };
	struct tp_preset preset;
	enum tp_status status = tp_session_preset(&preset, NULL, NULL, &diags);
	if (status == TP_OK)
		tp_form_take(form, &preset);
	return status;
}

/* A copy of the runs with room for `n`. The old ones live as long as the preset. */
static struct tp_config *copy_runs(struct tp_preset *preset, size_t n)
{
	struct tp_config *runs = tp_arena_alloc(&preset->arena, n * sizeof(*runs));
	memcpy(runs, preset->runs, TP_MIN(n, preset->n_runs) * sizeof(*runs));
	return runs;
}

enum tp_status tp_form_add_run(struct tp_form *form, struct tp_diag *diag)
{
	enum { MOST = 16 };
	struct tp_preset *preset = &form->session->preset;
	size_t after = form->run + 1;
	if (preset->n_runs >= MOST)
		return tp_fail(diag, TP_USAGE, "runs", NULL, "at most %d runs can be edited here",
			       MOST);
	struct tp_config *runs = copy_runs(preset, preset->n_runs + 1);
	memmove(&runs[after], &runs[form->run], (preset->n_runs - form->run) * sizeof(*runs));
	preset->runs = runs;
	preset->n_runs++;
	form->run = after;
	form->plan_stale = form->edited = true;
	tp_form_list(form);
	return TP_OK;
}

enum tp_status tp_form_remove_run(struct tp_form *form, struct tp_diag *diag)
{
	struct tp_preset *preset = &form->session->preset;
	if (preset->n_runs == 1)
		return tp_fail(diag, TP_USAGE, "runs", NULL, "it is the only run");
	/* A copy, because the plan borrows the configs. */
	struct tp_config *runs = copy_runs(preset, preset->n_runs);
	memmove(&runs[form->run], &runs[form->run + 1],
		(preset->n_runs - form->run - 1) * sizeof(*runs));
	preset->runs = runs;
	preset->n_runs--;
	form->run = TP_MIN(form->run, preset->n_runs - 1);
	form->plan_stale = form->edited = true;
	tp_form_list(form);
	return TP_OK;
}

/* --- the plan --- */

static void describe_plan(struct tp_form *form)
{
	const struct tp_plan *plan = &form->session->plan;
	char seconds[sizeof(form->time_text) - 8];
	uint64_t most_bytes = 0;
	for (size_t i = 0; i < plan->n; i++)
		most_bytes = TP_MAX(most_bytes, tp_planned_memory_bytes(&plan->items[i]));
	snprintf(form->points_text, sizeof(form->points_text), "%zu", plan->n);
	if (form->estimate_stale)
		tp_copy(form->time_text, sizeof(form->time_text), "estimating ...");
	else
		snprintf(form->time_text, sizeof(form->time_text), "about %s",
			 tp_format_seconds(seconds, sizeof(seconds), plan->estimate_seconds));
	tp_format_bytes(form->memory_text, sizeof(form->memory_text), most_bytes);
	/*
	 * The table of --dry-run, of a large plan only its beginning, without the lines below it.
	 */
	struct tp_plan head = *plan;
	head.n = TP_MIN(plan->n, (size_t)TP_FORM_POINTS);
	tp_str_clear(&form->points);
	tp_session_plan_text(&head, &form->session->machine, &form->points);
	char *end = form->points.s ? strstr(form->points.s, "\n\n") : NULL;
	if (end)
		end[1] = '\0';
	form->n_point_lines = 0;
	for (const char *c = tp_str_text(&form->points); *c; c++)
		form->n_point_lines += *c == '\n';
}

bool tp_form_settle(struct tp_form *form, struct tp_diags *problems)
{
	TP_CLEANUP(tp_diags_release) struct tp_diags planning = { 0 };
	struct tp_diag diag;
	if (!form->machine_stale && !form->plan_stale)
		return false;
	tp_diags_release(problems);
	if (form->machine_stale && tp_session_machine(form->session, &diag) != TP_OK)
		tp_diags_add(problems, &diag);
	/*
	 * Adds the problems that --batch would find in the saved file: some checks only the reader
	 * of presets makes.
	 */
	TP_STR text = { 0 };
	struct tp_preset again;
	TP_FREE const char **names = tp_alloc(tp_experiment_count(), sizeof(*names));
	for (size_t i = 0; i < tp_experiment_count(); i++)
		names[i] = tp_experiment_at(i)->name;
	const struct tp_preset_layers layers = { .experiments = names,
						 .n_experiments = tp_experiment_count() };
	if (tp_preset_write(&form->session->preset, false, &text) == TP_OK &&
	    tp_preset_parse(&again, "setup", tp_str_text(&text), text.len, &layers, problems) ==
		    TP_OK)
		tp_preset_release(&again);
	/* The planner refuses the same things in other words. */
	bool refused = problems->n > 0;
	form->estimate_stale = tp_session_plan(form->session, &planning) == TP_OK;
	for (size_t i = 0; i < planning.n && !refused; i++)
		tp_diags_add(problems, &planning.items[i]);
	describe_plan(form);
	form->machine_stale = form->plan_stale = false;
	return true;
}

bool tp_form_estimate(struct tp_form *form, bool (*goes_on)(void *context), void *context)
{
	struct tp_session *session = form->session;
	if (!form->estimate_stale || form->plan_stale ||
	    !tp_session_estimate(session, goes_on, context))
		return false;
	form->estimate_stale = false;
	describe_plan(form);
	return true;
}

/* --- files --- */

enum tp_status tp_form_load(struct tp_form *form, const char *typed, struct tp_diags *diags)
{
	struct tp_preset preset;
	char path[TP_PATH_MAX];
	tp_path_typed(typed, path);
	enum tp_status status = tp_session_preset(&preset, form->overrides, path, diags);
	if (status == TP_OK)
		tp_form_take(form, &preset);
	return status;
}

enum tp_status tp_form_file(const char *typed, char path[TP_PATH_MAX], struct tp_diag *diag)
{
	enum { NAME_BYTES = 64 };
	static const char suffix[] = ".yaml";
	size_t len = strlen(typed), tail = sizeof(suffix) - 1;
	bool has_suffix = len > tail && strcmp(typed + len - tail, suffix) == 0;
	bool is_path = strchr(typed, '/') != NULL;
	if (!len || typed[len - 1] == '/' || (!is_path && (*typed == '.' || len >= NAME_BYTES)))
		return tp_fail(diag, TP_USAGE, "preset",
			       "a name such as mine, or a path such as ./mine.yaml",
			       "\"%.64s\" cannot be the name of a preset", typed);
	if (!is_path) {
		char relative[NAME_BYTES + 16];
		snprintf(relative, sizeof(relative), "presets/%s%s", typed,
			 has_suffix ? "" : suffix);
		return tp_path_user_config(relative, path, diag);
	}
	if (!tp_path_typed(typed, path) || strlen(path) + tail >= TP_PATH_MAX)
		return tp_fail(diag, TP_USAGE, "preset", NULL, "path too long");
	if (!has_suffix)
		strcat(path, suffix);
	return TP_OK;
}

enum tp_status tp_form_save(struct tp_form *form, const char *path, struct tp_diag *diag)
{
	TP_STR text = { 0 };
	char directory[TP_PATH_MAX];
	tp_copy(directory, sizeof(directory), path);
	char *slash = strrchr(directory, '/');
	enum tp_status status = TP_OK;
	if (slash && slash != directory) {
		*slash = '\0';
		status = tp_dir_make(directory, diag);
	}
	if (status == TP_OK &&
	    (status = tp_preset_write(&form->session->preset, false, &text)) != TP_OK)
		tp_fail(diag, status, path, NULL, "%s", tp_status_name(status));
	if (status == TP_OK)
		status = tp_file_write(TP_TYPED_FILE, path, tp_str_text(&text), text.len, diag);
	if (status == TP_OK) {
		tp_copy(form->session->preset.path, sizeof(form->session->preset.path), path);
		form->edited = false;
	}
	return status;
}

/* Left and Right in the form: the next and the previous value of an option. */

static bool is_numeric(enum tp_option_type type)
{
	return type == TP_TYPE_COUNT || type == TP_TYPE_REAL || type == TP_TYPE_BYTES ||
	       type == TP_TYPE_SECONDS;
}

/* The index of the word with the next number after `from`, or -1. */
static long next_number(const struct tp_words *words, const struct tp_option *option, double from,
			int direction)
{
	TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
	double best = 0;
	long found = -1;
	for (size_t i = 0; i < words->n; i++) {
		const char *word = words->items[i].word;
		struct tp_scalar scalar;
		if (words->items[i].off ||
		    tp_scalar_parse(option, word, strlen(word), &arena, &scalar, NULL) != TP_OK)
			continue;
		double ahead = (scalar.real - from) * direction;
		if (ahead > 0 && (found < 0 || ahead < best)) {
			best = ahead;
			found = (long)i;
		}
	}
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

/*
 * The value after (`direction` 1) or before (-1) the present one: among the words that are not off;
 * between them by number; without words by doubling or 1-2-5 within the range. Gives the present
 * value at the end of a range, TP_UNSUPPORTED if a value cannot be stepped.
 */
static enum tp_status step(const struct tp_words *words, const struct tp_option *option,
			   const struct tp_value *value, int direction, char *out, size_t size)
{
	const struct tp_scalar *present = value->n ? &value->items[0] : NULL;
	if (words->n) {
		long at = present ? tp_words_find(words, present->text) : -1, n = (long)words->n;
		if (at < 0 && present && is_numeric(option->type)) {
			at = next_number(words, option, present->real, direction);
			tp_copy(out, size, at < 0 ? present->text : words->items[at].word);
			return TP_OK;
		}
		if (at < 0)
			at = direction > 0 ? -1 : n;
		/*
		 * Numbers stop at the end, words go round. A list is replaced by the neighbour of
		 * its first word.
		 */
		bool round = !is_numeric(option->type);
		for (long tried = 0; tried < n; tried++) {
			at += direction;
			if (round)
				at = (at + n) % n;
			if (at < 0 || at >= n)
				break;
			if (words->items[at].off)
				continue;
			tp_copy(out, size, words->items[at].word);
			return TP_OK;
		}
		tp_copy(out, size, present ? present->text : "");
		return TP_OK;
	}
	if (!present || !is_numeric(option->type) || value->n > 1)
		return TP_UNSUPPORTED;
	double to = round_step(present->real, direction, option->type == TP_TYPE_BYTES);
	if (option->type == TP_TYPE_COUNT)
		to = floor(to); /* half of 1 is 0, where 0 is allowed */
	to = fmin(fmax(to, option->min), option->max);
	if (option->type == TP_TYPE_BYTES)
		snprintf(out, size, "%" PRIu64, (uint64_t)to);
	else if (option->type == TP_TYPE_SECONDS && to < 1)
		snprintf(out, size, "%.6gus", to * 1e6);
	else
		snprintf(out, size, "%.10g", to);
	return TP_OK;
}

enum tp_status tp_form_step(struct tp_form *form, const struct tp_option *option, int direction,
			    struct tp_diag *diag)
{
	struct tp_words words;
	struct tp_value value = *tp_config_value(tp_form_config(form), option);
	TP_STR text = { 0 };
	char next[256];
	tp_form_text(form, option, &text);
	/* The shown value may not be the stored one: threads can mean all by default. */
	struct tp_scalar shown = { .text = tp_str_text(&text), .real = 0x1p64 };
	if (value.n == 1 && strcmp(shown.text, value.items[0].text) != 0)
		value.items = &shown;
	enum tp_status status = tp_words_make(&words, option, &form->session->machine);
	if (status == TP_OK)
		status = step(&words, option, &value, direction, next, sizeof(next));
	if (status == TP_UNSUPPORTED)
		tp_fail(diag, status, option->key, NULL, "press Enter to type a value");
	else if (status == TP_OK && strcmp(next, tp_str_text(&text)) != 0)
		status = tp_form_set(form, option, next, diag);
	tp_words_release(&words);
	return status;
}
