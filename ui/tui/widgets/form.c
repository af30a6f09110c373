/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the form shows: rows, values, notes. form_change.c changes it. */
#include "ui/tui/widgets/form.h"
#include "preset/shared_options.h"
#include "base/text.h"
#include "base/memory.h"

#include <string.h>

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

static bool is_shown(const struct tp_form *form, const struct tp_option *option, bool main)
{
	if (form->find[0])
		return strcasestr(option->key, form->find) || strcasestr(option->help, form->find);
	return form->all || (main && tp_form_used(form, option)) || tp_form_changed(form, option);
}

/* Adds an option, and its heading before the first one. */
static void add_row(struct tp_form *form, const char **heading, const struct tp_option *option)
{
	if (*heading)
		form->rows[form->n_rows++] = (struct tp_form_row){ .heading = *heading };
	*heading = NULL;
	form->rows[form->n_rows++] = (struct tp_form_row){ .option = option };
}

/* The option of a section with the lowest place above `place`; NULL behind the last. */
static const struct tp_option *next_of(enum tp_form_section section, int place)
{
	const struct tp_option *option, *next = NULL;
	for (size_t i = 0; (option = tp_option_at(i)); i++)
		if (option->form_section == section && option->form_place > place &&
		    (!next || option->form_place < next->form_place))
			next = option;
	return next;
}

static void list_section(struct tp_form *form, enum tp_form_section section)
{
	const char *heading = sections[section];
	const struct tp_option *option = next_of(section, 0);
	for (; option; option = next_of(section, option->form_place))
		if (is_shown(form, option, option->form_main))
			add_row(form, &heading, option);
}

/* The options of a group that have no place. */
static void list_rest(struct tp_form *form, const struct tp_option_group *group,
		      const char **heading)
{
	for (size_t i = 0; group->rows[i]; i++)
		if (!group->rows[i]->form_section && is_shown(form, group->rows[i], false))
			add_row(form, heading, group->rows[i]);
}

/* The groups of experiments, or those that all share: beneath headings of their own, or one. */
static void list_groups(struct tp_form *form, bool shared, const char *heading)
{
	for (const struct tp_option_group *const *g = tp_option_groups; *g; g++) {
		const char *own = (*g)->heading;
		if (!(*g)->experiment == shared)
			list_rest(form, *g, own ? &own : &heading);
	}
}

void tp_form_list(struct tp_form *form)
{
	const struct tp_option *selected = tp_form_selected(form);
	form->n_rows = 0;
	list_section(form, TP_FORM_WHAT);
	list_section(form, TP_FORM_WHERE);
	list_section(form, TP_FORM_HOW_LONG);
	list_groups(form, false, NULL);
	list_section(form, TP_FORM_STATE);
	list_groups(form, true, "The run");
	form->selected = form->n_rows > 1 ? 1 : 0;
	for (size_t i = 0; i < form->n_rows; i++)
		if (!form->rows[i].heading && form->rows[i].option == selected)
			form->selected = i;
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
	if (means_all_threads(form, option)) {
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
	const char *last = "";
	size_t n = 0;
	out[0] = '\0';
	if (value->n != 1 || session->machine.foreign)
		return;
	bool every = strcmp(value->items[0].text, "auto") == 0;
	for (size_t i = 0; i < tp_isa_count && n < size; i++) {
		if (tp_isa_supported(tp_isa_table[i], &session->cpu, NULL) != TP_OK)
			continue;
		const char *name = tp_isa_table[i]->name;
		last = tp_isa_is_apart(tp_isa_table[i]) ? last : name;
		if (every)
			n += (size_t)snprintf(out + n, size - n, "%s%s", n ? ", " : "", name);
	}
	if (strcmp(value->items[0].text, "widest") == 0)
		tp_copy(out, size, last);
	else if (!every && tp_isa_find(value->items[0].text))
		tp_copy(out, size, tp_isa_find(value->items[0].text)->summary);
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

/* What the chosen word means. */
static void word_note(const struct tp_form *form, const struct tp_option *option, char *out,
		      size_t size)
{
	const struct tp_value *value = tp_config_value(tp_form_config(form), option);
	struct tp_words words;
	if (!option->form_tells || value->n != 1)
		return;
	long i = tp_words_make(&words, option, &form->session->machine) == TP_OK
			 ? tp_words_find(&words, value->items[0].text)
			 : -1;
	if (i >= 0)
		tp_copy(out, size, words.items[i].note);
	tp_words_release(&words);
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
	else
		word_note(form, option, out, size);
	return out;
}

const char *tp_form_note(const struct tp_form *form, const struct tp_option *option, char *out,
			 size_t size)
{
	if (!tp_form_used(form, option)) {
		snprintf(out, size, "not used by %s", tp_form_experiment(form));
		return out;
	}
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
