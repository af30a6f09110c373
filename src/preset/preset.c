/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lays the layers over each other and checks what only the whole can tell. */
#include "preset/preset.h"

#include <stdlib.h>
#include <string.h>

#include "preset/reader.h"

/* Everything a load has in its hands; the overlays are heap memory, the values in them belong to the preset's arena. */
struct load {
	struct tp_preset *preset;
	const char *const *experiments;
	size_t n_experiments;
	struct tp_diags *diags;
	size_t n_before; /* diagnoses that were there already */
	struct tp_sheet system, user, file;
	struct tp_report report; /* of the preset file, open until all is checked */
	struct tp_overlay environment, sets;
	bool experiment_told; /* an unknown experiment that several runs share is told once */
};

static enum tp_status add_diag(struct load *load, const struct tp_diag *diag, enum tp_status status)
{
	tp_diags_add(load->diags, diag);
	return status;
}

static enum tp_status read_config(struct load *load, const char *path, enum tp_value_source source,
				  struct tp_sheet *sheet)
{
	struct tp_diag diag;
	struct tp_report report = { .name = path };
	char *text = NULL;
	size_t len = 0;
	if (!path)
		return TP_OK;
	enum tp_status status = tp_file_read(path, TP_PRESET_MAX_BYTES, &text, &len, &diag);
	if (status == TP_NOTFOUND)
		return TP_OK;
	if (status != TP_OK)
		return add_diag(load, &diag, status);
	status = tp_sheet_read(text, len, false, source, &load->preset->arena, sheet, &report);
	tp_report_flush(&report, load->diags);
	free(text);
	return status;
}

static void lay(struct tp_config *config, const struct tp_overlay *overlay)
{
	for (size_t i = 0; i < TP_OPT_COUNT; i++)
		if (overlay->given[i])
			config->values[i] = overlay->values[i];
}

/* "roofline or mixed" from the option's list. */
static void experiments_text(char *out, size_t size, const struct tp_option *option)
{
	size_t n = 0;
	out[0] = '\0';
	for (const char *c = option->experiments; *c && n + 5 < size; c++) {
		const char *put = *c == ' ' ? " or " : (char[]){ *c, '\0' };
		n += (size_t)snprintf(out + n, size - n, "%s", put);
	}
}

/* Options written for a run that has no use for them. `own` is what the run itself writes. */
static void check_membership(struct load *load, const struct tp_overlay *own,
			     const struct tp_config *config)
{
	const char *experiment = tp_config_text(config, TP_OPT_EXPERIMENT);
	char uses[128], hint[256];
	for (size_t i = 0; i < TP_OPT_COUNT; i++) {
		const struct tp_option *option = &tp_option_table[i];
		if (!own->given[i] || tp_option_belongs(option, experiment))
			continue;
		experiments_text(uses, sizeof(uses), option);
		snprintf(hint, sizeof(hint),
			 "it belongs to %s; to share it between runs, write it above runs:", uses);
		tp_report_add(&load->report, own->keys[i], hint, "%s has no use in %s", option->key,
			      experiment);
	}
}

/* --set of an option that no run uses would be lost without a word. */
static void check_sets(struct load *load)
{
	const struct tp_preset *preset = load->preset;
	for (size_t i = 0; i < TP_OPT_COUNT; i++) {
		const struct tp_option *option = &tp_option_table[i];
		bool used = !load->sets.given[i];
		for (size_t run = 0; run < preset->n_runs && !used; run++)
			used = tp_option_belongs(
				option, tp_config_text(&preset->runs[run], TP_OPT_EXPERIMENT));
		if (used)
			continue;
		char uses[128], hint[192];
		struct tp_diag diag;
		experiments_text(uses, sizeof(uses), option);
		snprintf(hint, sizeof(hint), "it belongs to %s", uses);
		tp_fail(&diag, TP_USAGE, "--set", hint, "%s is used by no run here", option->key);
		tp_diags_add(load->diags, &diag);
	}
}

static bool is_experiment(const struct load *load, const char *name)
{
	for (size_t i = 0; i < load->n_experiments; i++)
		if (strcmp(load->experiments[i], name) == 0)
			return true;
	return load->n_experiments == 0;
}

/* False if the experiment is unknown, or its value was refused already. */
static bool check_experiment(struct load *load, const struct tp_config *config,
			     const struct tp_overlay *own)
{
	const struct tp_value *value = &config->values[TP_OPT_EXPERIMENT];
	const char *name = tp_config_text(config, TP_OPT_EXPERIMENT);
	struct tp_str list = { 0 };
	char hint[400];
	if (!value->n)
		return false;
	if (is_experiment(load, name))
		return true;
	tp_str_list(&list, load->experiments, load->n_experiments, " or ");
	const char *near = tp_nearest(name, load->experiments, load->n_experiments);
	snprintf(hint, sizeof(hint), "%s%s%sallowed: %s", near ? "did you mean " : "",
		 near ? near : "", near ? "? " : "", tp_str_text(&list));
	tp_str_release(&list);
	char what[160];
	snprintf(what, sizeof(what), "experiment: \"%.64s\" is not known", name);
	bool of_run = own != &load->file.shared && own->given[TP_OPT_EXPERIMENT] &&
		      value->source == TP_FROM_PRESET;
	if (!of_run && load->experiment_told)
		return false;
	load->experiment_told |= !of_run;
	if (value->source == TP_FROM_PRESET) {
		const struct tp_overlay *from = of_run ? own : &load->file.shared;
		tp_report_add(&load->report, from->keys[TP_OPT_EXPERIMENT], hint, "%s", what);
	} else {
		struct tp_diag diag;
		tp_fail(&diag, TP_USAGE, value->where, hint, "%s", what);
		tp_diags_add(load->diags, &diag);
	}
	return false;
}

/* A curve that ends before it begins: each size is fine alone. */
static void check_sizes(struct load *load)
{
	struct tp_diag diag = { 0 };
	for (size_t run = 0; run < load->preset->n_runs; run++) {
		const struct tp_config *config = &load->preset->runs[run];
		const struct tp_value *low = tp_config_value(config, TP_OPT_SIZE_MIN);
		const struct tp_value *high = tp_config_value(config, TP_OPT_SIZE_MAX);
		if (!tp_option_belongs(&tp_option_table[TP_OPT_SIZE_MIN],
				       tp_config_text(config, TP_OPT_EXPERIMENT)) ||
		    tp_config_value(config, TP_OPT_SIZES)->n ||
		    low->items[0].count <= high->items[0].count)
			continue;
		const char *where = low->source > high->source ? low->where : high->where;
		if (strcmp(diag.where, where) == 0)
			continue; /* shared by several runs */
		tp_fail(&diag, TP_USAGE, where, "change one of them",
			"size_min (%s) is above size_max (%s)", low->items[0].text,
			high->items[0].text);
		tp_diags_add(load->diags, &diag);
	}
}

/* Nice values are whole; the type knows numbers with a sign only as real ones. */
static void check_priority(struct load *load)
{
	struct tp_diag diag = { 0 };
	for (size_t run = 0; run < load->preset->n_runs; run++) {
		const struct tp_value *value =
			tp_config_value(&load->preset->runs[run], TP_OPT_KNOBS_PRIORITY);
		double real = value->items[0].real;
		if (real == (double)(int)real || strcmp(diag.where, value->where) == 0)
			continue;
		tp_fail(&diag, TP_USAGE, value->where, "a whole number from -20 to 19, or keep",
			"knobs.priority: \"%s\" is not whole", value->items[0].text);
		tp_diags_add(load->diags, &diag);
	}
}

static enum tp_status make_runs(struct load *load)
{
	struct tp_preset *preset = load->preset;
	struct tp_config defaults;
	struct tp_diag diag;
	size_t n = load->file.has_runs ? load->file.n_runs : 1;
	enum tp_status status = tp_config_defaults(&defaults, &preset->arena, &diag);
	if (status != TP_OK)
		return status;
	preset->runs = tp_arena_alloc(&preset->arena, (n ? n : 1) * sizeof(*preset->runs));
	if (!preset->runs)
		return TP_NOMEM;
	preset->n_runs = n;
	lay(&defaults, &load->system.shared);
	lay(&defaults, &load->user.shared);
	lay(&defaults, &load->file.shared);
	for (size_t run = 0; run < n; run++) {
		struct tp_config *config = &preset->runs[run];
		/* without runs: the file is the run */
		const struct tp_overlay *own =
			load->file.has_runs ? &load->file.runs[run] : &load->file.shared;
		*config = defaults;
		lay(config, own);
		lay(config, &load->environment);
		lay(config, &load->sets);
		if (check_experiment(load, config, own) && load->file.whole)
			check_membership(load, own, config);
	}
	return TP_OK;
}

static enum tp_status load_all(struct load *load, const char *name, const char *text, size_t len,
			       const struct tp_preset_layers *layers)
{
	static const struct tp_preset_layers none = { 0 };
	struct tp_arena *arena = &load->preset->arena;
	const struct tp_preset_layers *l = layers ? layers : &none;
	enum tp_status status;
	load->report.name = name;
	status = read_config(load, l->system_config, TP_FROM_SYSTEM, &load->system);
	if (status == TP_OK)
		status = read_config(load, l->user_config, TP_FROM_USER_CONFIG, &load->user);
	if (status == TP_OK && text)
		status = tp_sheet_read(text, len, true, TP_FROM_PRESET, arena, &load->file,
				       &load->report);
	/* told after the file's errors, found before them: the file's runs are checked against the whole */
	struct tp_diags beside = { 0 };
	if (status == TP_OK)
		status = tp_overlay_environment(l->environ, arena, &load->environment, &beside);
	if (status == TP_OK)
		status = tp_overlay_sets(l->sets, l->n_sets, arena, &load->sets, &beside);
	if (status == TP_OK)
		status = make_runs(load);
	tp_report_flush(&load->report, load->diags);
	for (size_t i = 0; i < beside.n; i++)
		tp_diags_add(load->diags, &beside.items[i]);
	bool clean = load->diags->n == load->n_before;
	tp_diags_release(&beside);
	if (status == TP_OK && clean) {
		check_sets(load);
		check_sizes(load);
		check_priority(load);
	}
	return status;
}

enum tp_status tp_preset_parse(struct tp_preset *preset, const char *name, const char *text,
			       size_t len, const struct tp_preset_layers *layers,
			       const char *const *experiments, size_t n_experiments,
			       struct tp_diags *diags)
{
	*preset = (struct tp_preset){ 0 };
	struct load *load = calloc(1, sizeof(*load));
	enum tp_status status = load ? TP_OK : TP_NOMEM;
	if (load) {
		load->preset = preset;
		load->experiments = experiments;
		load->n_experiments = n_experiments;
		load->diags = diags;
		load->n_before = diags->n;
		status = load_all(load, name, text, len, layers);
		if (status == TP_OK && diags->n > load->n_before)
			status = TP_USAGE;
	}
	free(load);
	if (status == TP_NOMEM) {
		struct tp_diag diag;
		tp_fail(&diag, status, name, NULL, "out of memory");
		tp_diags_add(diags, &diag);
	}
	if (status != TP_OK)
		tp_preset_release(preset);
	else
		tp_copy(preset->path, sizeof(preset->path), text ? name : "");
	return status;
}

enum tp_status tp_preset_load(struct tp_preset *preset, const char *path,
			      const struct tp_preset_layers *layers, const char *const *experiments,
			      size_t n_experiments, struct tp_diags *diags)
{
	struct tp_diag diag;
	char *text = NULL;
	size_t len = 0;
	*preset = (struct tp_preset){ 0 };
	if (!path)
		return tp_preset_parse(preset, "options", NULL, 0, layers, experiments,
				       n_experiments, diags);
	enum tp_status status = tp_file_read(path, TP_PRESET_MAX_BYTES, &text, &len, &diag);
	if (status != TP_OK) {
		tp_diags_add(diags, &diag);
		return status;
	}
	status =
		tp_preset_parse(preset, path, text, len, layers, experiments, n_experiments, diags);
	free(text);
	return status;
}

void tp_preset_release(struct tp_preset *preset)
{
	tp_arena_release(&preset->arena);
	*preset = (struct tp_preset){ 0 };
}
