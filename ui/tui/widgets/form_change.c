/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The changes that the form makes to the preset, and the plan that follows. */
#include "ui/tui/widgets/form.h"
#include "base/text.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

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

static enum tp_status copy_value(struct tp_arena *arena, const struct tp_value *from,
				 struct tp_value *to)
{
	struct tp_value copy = *from;
	copy.items = tp_arena_alloc(arena, (from->n + 1) * sizeof(*copy.items));
	if (!copy.items)
		return TP_NOMEM;
	for (size_t i = 0; i < from->n; i++) {
		copy.items[i] = from->items[i];
		if (!(copy.items[i].text = tp_arena_strdup(arena, from->items[i].text)))
			return TP_NOMEM;
	}
	*to = copy;
	return TP_OK;
}

/* Values are never changed in place, so runs may share them. */
static void put(struct tp_form *form, const struct tp_option *option, const struct tp_value *value)
{
	struct tp_preset *preset = &form->session->preset;
	for (size_t r = 0; r < preset->n_runs; r++)
		if (r == form->run || tp_session_shares(option))
			*tp_config_at(&preset->runs[r], option) = *value;
	form->machine_stale |= tp_session_shares(option);
	form->plan_stale = form->edited = true;
	tp_form_list(form);
}

enum tp_status tp_form_check(const struct tp_option *option, const char *text, struct tp_diag *diag)
{
	struct tp_arena arena = { 0 };
	struct tp_value value;
	enum tp_status status = tp_option_parse(option, text, &arena, &value, diag);
	if (status == TP_OK && option == TP_OPT_EXPERIMENT &&
	    !tp_experiment_find(value.items[0].text))
		status = tp_fail(diag, TP_USAGE, option->key, "see --list experiments",
				 "there is no experiment \"%.64s\"", value.items[0].text);
	tp_arena_release(&arena);
	return status;
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
	if (tp_value_equal(&value, tp_config_value(&form->base.runs[0], option)) && !stands_for_all)
		return tp_form_reset(form, option);
	value.source = TP_FROM_PRESET;
	tp_copy(value.where, sizeof(value.where), changed_here);
	put(form, option, &value);
	return TP_OK;
}

enum tp_status tp_form_reset(struct tp_form *form, const struct tp_option *option)
{
	struct tp_value value;
	enum tp_status status = copy_value(&form->session->preset.arena,
					   tp_config_value(&form->base.runs[0], option), &value);
	if (status == TP_OK)
		put(form, option, &value);
	return status;
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
	struct tp_diags diags = { 0 };
	struct tp_preset preset;
	enum tp_status status = tp_session_preset(&preset, NULL, NULL, &diags);
	if (status == TP_OK)
		tp_form_take(form, &preset);
	tp_diags_release(&diags);
	return status;
}

/* A copy of the runs with room for `n`. The old ones live as long as the preset. */
static struct tp_config *copy_runs(struct tp_preset *preset, size_t n)
{
	struct tp_config *runs = tp_arena_alloc(&preset->arena, n * sizeof(*runs));
	if (runs)
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
	if (!runs)
		return tp_fail(diag, TP_NOMEM, "runs", NULL, "out of memory");
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
	if (!runs)
		return tp_fail(diag, TP_NOMEM, "runs", NULL, "out of memory");
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

/*
 * Adds the problems that --batch would find in the saved file: some checks only the reader of
 * presets makes.
 */
static void check_as_file(const struct tp_form *form, struct tp_diags *problems)
{
	struct tp_str text = { 0 };
	struct tp_preset again;
	const char **names = calloc(tp_experiment_count, sizeof(*names));
	for (size_t i = 0; names && i < tp_experiment_count; i++)
		names[i] = tp_experiment_table[i]->name;
	if (names && tp_preset_write(&form->session->preset, false, &text) == TP_OK &&
	    tp_preset_parse(&again, "setup", tp_str_text(&text), text.len, NULL, names,
			    tp_experiment_count, problems) == TP_OK)
		tp_preset_release(&again);
	tp_str_release(&text);
	free(names);
}

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
	snprintf(form->summary, sizeof(form->summary), "%zu point%s, %s, %s of memory", plan->n,
		 plan->n == 1 ? "" : "s", form->time_text, form->memory_text);
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
	struct tp_diags planning = { 0 };
	struct tp_diag diag;
	if (!form->machine_stale && !form->plan_stale)
		return false;
	tp_diags_release(problems);
	if (form->machine_stale && tp_session_machine(form->session, &diag) != TP_OK)
		tp_diags_add(problems, &diag);
	check_as_file(form, problems);
	/* The planner refuses the same things in other words. */
	bool refused = problems->n > 0;
	form->estimate_stale = tp_session_plan(form->session, &planning) == TP_OK;
	for (size_t i = 0; i < planning.n && !refused; i++)
		tp_diags_add(problems, &planning.items[i]);
	tp_diags_release(&planning);
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
	const char *home = getenv("HOME");
	tp_copy(path, sizeof(path), typed);
	if (strncmp(typed, "~/", 2) == 0 && home)
		snprintf(path, sizeof(path), "%s%s", home, typed + 1);
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
	const char *home = getenv("HOME");
	int n;
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
	if (strncmp(typed, "~/", 2) == 0 && home)
		n = snprintf(path, TP_PATH_MAX, "%s%s%s", home, typed + 1,
			     has_suffix ? "" : suffix);
	else
		n = snprintf(path, TP_PATH_MAX, "%s%s", typed, has_suffix ? "" : suffix);
	if (n < 0 || n >= TP_PATH_MAX)
		return tp_fail(diag, TP_USAGE, "preset", NULL, "path too long");
	return TP_OK;
}

enum tp_status tp_form_save(struct tp_form *form, const char *path, struct tp_diag *diag)
{
	struct tp_str text = { 0 };
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
		status = tp_file_write(path, tp_str_text(&text), text.len, diag);
	if (status == TP_OK) {
		tp_copy(form->session->preset.path, sizeof(form->session->preset.path), path);
		form->edited = false;
	}
	tp_str_release(&text);
	return status;
}
