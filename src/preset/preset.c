/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Combines the layers and checks what concerns several options. */
#include "preset/preset.h"

#include <stdlib.h>
#include <string.h>

#include "base/command.h"
#include "base/text.h"
#include "base/memory.h"
#include "preset/reader.h"

/* The state of a load. The layers are heap memory; their values belong to the preset's arena. */
struct load {
	struct tp_preset *preset;
	const struct tp_preset_layers *layers;
	struct tp_diags *diags;
	size_t n_before; /* diagnoses that were there already */
	struct tp_sheet system, user, file;
	struct tp_faults *faults; /* of the preset file, open until all is checked */
	struct tp_layer environment, sets;
	bool experiment_told; /* an unknown experiment that several runs share is reported once */
};

static enum tp_status read_config(struct load *load, const char *path, enum tp_value_source source,
				  struct tp_sheet *sheet)
{
	struct tp_diag diag;
	struct tp_faults faults = { .name = path };
	TP_FREE char *text = NULL;
	size_t len = 0;
	if (!path)
		return TP_OK;
	enum tp_status status = tp_file_read(path, TP_YAML_MAX_BYTES, &text, &len, &diag);
	if (status == TP_NOTFOUND)
		return TP_OK;
	if (status != TP_OK) {
		tp_diags_add(load->diags, &diag);
		return status;
	}
	tp_sheet_read(text, len, false, source, &load->preset->arena, sheet, &faults);
	tp_faults_flush(&faults, load->diags);
	return TP_OK;
}

static void lay(struct load *load, struct tp_config *config, const struct tp_layer *layer)
{
	for (size_t i = 0; i < TP_OPTIONS_MAX; i++) {
		if (!layer->given[i])
			continue;
		if (!layer->collected[i])
			config->values[i] = layer->values[i];
		else
			tp_value_lay(&config->values[i], &layer->values[i], &load->preset->arena);
	}
}

/*
 * Complains about options that the run's experiment does not use. `own` holds what the run itself
 * writes.
 */
static void check_membership(struct load *load, const struct tp_layer *own,
			     const struct tp_config *config)
{
	const char *experiment = tp_config_text(config, TP_OPT_EXPERIMENT);
	const struct tp_option *option;
	char hint[256];
	for (size_t i = 0; (option = tp_option_at(i)); i++) {
		TP_STR users = { 0 };
		if (!own->given[i] || tp_option_belongs(option, experiment))
			continue;
		tp_option_users(option, " or ", &users);
		snprintf(hint, sizeof(hint),
			 "it belongs to %s; to share it between runs, write it above runs:",
			 tp_str_text(&users));
		tp_faults_add(load->faults, own->keys[i], hint, "%s is not used by %s", option->key,
			      experiment);
	}
}

static bool uses(const struct tp_preset *preset, const struct tp_option *option)
{
	for (size_t run = 0; run < preset->n_runs; run++)
		if (tp_option_belongs(option,
				      tp_config_text(&preset->runs[run], TP_OPT_EXPERIMENT)))
			return true;
	return false;
}

/* An option that no run uses would otherwise be ignored silently. */
static void check_sets(const struct tp_layer *sets, const struct tp_preset *const *presets,
		       size_t n, struct tp_diags *diags)
{
	const struct tp_option *option;
	for (size_t i = 0; (option = tp_option_at(i)); i++) {
		bool used = !sets->given[i];
		for (size_t k = 0; k < n && !used; k++)
			used = uses(presets[k], option);
		if (used)
			continue;
		TP_STR hint = { 0 };
		tp_str_add(&hint, "it belongs to ");
		tp_option_users(option, " or ", &hint);
		tp_diags_note(diags, "--set", tp_str_text(&hint), "%s is used by no run here",
			      option->key);
	}
}

void tp_preset_check_sets(const struct tp_preset *const *presets, size_t n, const char *const *sets,
			  size_t n_sets, struct tp_diags *diags)
{
	TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
	/* reported when the presets were read */
	TP_CLEANUP(tp_diags_release) struct tp_diags told = { 0 };
	struct tp_layer *layer = tp_arena_alloc(&arena, sizeof(*layer));
	tp_layer_sets(sets, n_sets, &arena, layer, &told);
	check_sets(layer, presets, n, diags);
}

static bool is_experiment(const struct load *load, const char *name)
{
	for (size_t i = 0; i < load->layers->n_experiments; i++)
		if (strcmp(load->layers->experiments[i], name) == 0)
			return true;
	return load->layers->n_experiments == 0;
}

/* False if the experiment is unknown, or its value was refused already. */
static bool check_experiment(struct load *load, const struct tp_config *config,
			     const struct tp_layer *own)
{
	const struct tp_value *value = tp_config_value(config, TP_OPT_EXPERIMENT);
	const char *name = tp_config_text(config, TP_OPT_EXPERIMENT);
	TP_STR list = { 0 };
	char hint[400];
	if (!value->n)
		return false;
	if (is_experiment(load, name))
		return true;
	tp_str_list(&list, load->layers->experiments, load->layers->n_experiments, " or ");
	const char *near = tp_nearest(name, load->layers->experiments, load->layers->n_experiments);
	snprintf(hint, sizeof(hint), "%s%s%sallowed: %s", near ? "did you mean " : "",
		 near ? near : "", near ? "? " : "", tp_str_text(&list));
	char what[160];
	snprintf(what, sizeof(what), "experiment: \"%.64s\" is not known", name);
	bool of_run = own != &load->file.shared && own->given[tp_option_index(TP_OPT_EXPERIMENT)] &&
		      value->source == TP_FROM_PRESET;
	if (!of_run && load->experiment_told)
		return false;
	load->experiment_told |= !of_run;
	if (value->source == TP_FROM_PRESET) {
		const struct tp_layer *from = of_run ? own : &load->file.shared;
		tp_faults_add(load->faults, from->keys[tp_option_index(TP_OPT_EXPERIMENT)], hint,
			      "%s", what);
	} else {
		tp_diags_note(load->diags, value->where, hint, "%s", what);
	}
	return false;
}

/* size_min above size_max: each is valid by itself */
static void check_sizes(struct load *load)
{
	struct tp_diag diag = { 0 };
	for (size_t run = 0; run < load->preset->n_runs; run++) {
		const struct tp_config *config = &load->preset->runs[run];
		const struct tp_value *low = tp_config_value(config, TP_OPT_SIZE_MIN);
		const struct tp_value *high = tp_config_value(config, TP_OPT_SIZE_MAX);
		if (!tp_option_belongs(TP_OPT_SIZE_MIN,
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

/* Nice values are whole numbers, but only the type REAL allows a sign. */
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
	struct tp_config *defaults = tp_arena_alloc(&preset->arena, sizeof(*defaults));
	struct tp_diag diag;
	size_t n = load->file.has_runs ? load->file.n_runs : 1;
	enum tp_status status = tp_config_defaults(defaults, &preset->arena, &diag);
	if (status != TP_OK)
		return status;
	preset->runs = tp_arena_alloc(&preset->arena, (n ? n : 1) * sizeof(*preset->runs));
	preset->n_runs = n;
	lay(load, defaults, &load->system.shared);
	lay(load, defaults, &load->user.shared);
	lay(load, defaults, &load->file.shared);
	for (size_t run = 0; run < n; run++) {
		struct tp_config *config = &preset->runs[run];
		/* without runs: the file is the run */
		const struct tp_layer *own =
			load->file.has_runs ? &load->file.runs[run] : &load->file.shared;
		*config = *defaults;
		lay(load, config, own);
		lay(load, config, &load->environment);
		lay(load, config, &load->sets);
		if (check_experiment(load, config, own) && load->file.whole)
			check_membership(load, own, config);
	}
	return TP_OK;
}

/* The file's own text, or the node of another file, or neither. */
struct origin {
	const char *text;
	size_t len;
	const struct tp_node *node;
};

static enum tp_status load_all(struct load *load, const struct origin *origin)
{
	struct tp_arena *arena = &load->preset->arena;
	const struct tp_preset_layers *l = load->layers;
	size_t before = tp_faults_count(load->faults);
	enum tp_status status;
	status = read_config(load, l->system_config, TP_FROM_SYSTEM, &load->system);
	if (status == TP_OK)
		status = read_config(load, l->user_config, TP_FROM_USER_CONFIG, &load->user);
	if (status == TP_OK && origin->node)
		tp_sheet_take(origin->node, true, TP_FROM_PRESET, arena, &load->file, load->faults);
	else if (status == TP_OK && origin->text)
		tp_sheet_read(origin->text, origin->len, true, TP_FROM_PRESET, arena, &load->file,
			      load->faults);
	/*
	 * These errors come after those of the file in the output, but they are found first,
	 * because the file's runs are checked against the result of all layers.
	 */
	struct tp_diags beside = { 0 };
	if (status == TP_OK) {
		tp_layer_environment(l->environ, arena, &load->environment, &beside);
		tp_layer_sets(l->sets, l->n_sets, arena, &load->sets, &beside);
		status = make_runs(load);
	}
	bool clean = tp_faults_count(load->faults) == before;
	if (!origin->node)
		tp_faults_flush(load->faults, load->diags);
	for (size_t i = 0; i < beside.n; i++)
		tp_diags_add(load->diags, &beside.items[i]);
	clean &= load->diags->n == load->n_before;
	tp_diags_release(&beside);
	if (status == TP_OK && clean) {
		const struct tp_preset *preset = load->preset;
		if (!origin->node)
			check_sets(&load->sets, &preset, 1, load->diags);
		check_sizes(load);
		check_priority(load);
	}
	return status == TP_OK && (!clean || load->diags->n > load->n_before) ? TP_USAGE : status;
}

static enum tp_status take(struct tp_preset *preset, const struct origin *origin,
			   const struct tp_preset_layers *layers, struct tp_faults *faults,
			   struct tp_diags *diags)
{
	static const struct tp_preset_layers none = { 0 };
	*preset = (struct tp_preset){ 0 };
	TP_FREE struct load *load = tp_alloc(1, sizeof(*load));
	load->preset = preset;
	load->layers = layers ? layers : &none;
	load->faults = faults;
	load->diags = diags;
	load->n_before = diags->n;
	enum tp_status status = load_all(load, origin);
	if (status != TP_OK)
		tp_preset_release(preset);
	else
		tp_copy(preset->path, sizeof(preset->path),
			origin->text || origin->node ? faults->name : "");
	return status;
}

enum tp_status tp_preset_parse(struct tp_preset *preset, const char *name, const char *text,
			       size_t len, const struct tp_preset_layers *layers,
			       struct tp_diags *diags)
{
	struct tp_faults faults = { .name = name };
	const struct origin origin = { .text = text, .len = len };
	return take(preset, &origin, layers, &faults, diags);
}

enum tp_status tp_preset_take_node(struct tp_preset *preset, const struct tp_node *node,
				   const struct tp_preset_layers *layers, struct tp_faults *faults,
				   struct tp_diags *diags)
{
	const struct origin origin = { .node = node };
	return take(preset, &origin, layers, faults, diags);
}

enum tp_status tp_preset_load(struct tp_preset *preset, const char *path,
			      const struct tp_preset_layers *layers, struct tp_diags *diags)
{
	struct tp_diag diag;
	TP_FREE char *text = NULL;
	size_t len = 0;
	*preset = (struct tp_preset){ 0 };
	if (!path)
		return tp_preset_parse(preset, "options", NULL, 0, layers, diags);
	enum tp_status status = tp_file_read(path, TP_YAML_MAX_BYTES, &text, &len, &diag);
	if (status != TP_OK) {
		tp_diags_add(diags, &diag);
		return status;
	}
	return tp_preset_parse(preset, path, text, len, layers, diags);
}

void tp_preset_release(struct tp_preset *preset)
{
	tp_arena_release(&preset->arena);
	*preset = (struct tp_preset){ 0 };
}

void tp_preset_copy(struct tp_preset *to, const struct tp_preset *from)
{
	*to = (struct tp_preset){ .n_runs = from->n_runs };
	tp_copy(to->path, sizeof(to->path), from->path);
	to->runs = tp_arena_alloc(&to->arena, (from->n_runs + 1) * sizeof(*to->runs));
	for (size_t r = 0; r < from->n_runs; r++) {
		to->runs[r] = from->runs[r];
		for (size_t i = 0; i < tp_option_count(); i++) {
			struct tp_value *value = &to->runs[r].values[i];
			struct tp_scalar *items =
				tp_arena_alloc(&to->arena, (value->n + 1) * sizeof(*items));
			for (size_t k = 0; k < value->n; k++) {
				items[k] = value->items[k];
				size_t words;
				items[k].text = tp_arena_strdup(&to->arena, value->items[k].text);
				if (items[k].words)
					tp_command_split(items[k].text, &to->arena, &items[k].words,
							 &words, NULL);
			}
			value->items = items;
		}
	}
}

/* Presets by name: the user's own before the shipped ones. */

/* The text after the '#' of the first line, or "". */
static void first_comment(const char *text, char *out, size_t size)
{
	size_t len = strcspn(text, "\n");
	if (*text != '#') {
		out[0] = '\0';
		return;
	}
	while (len && (*text == '#' || *text == ' ')) {
		text++;
		len--;
	}
	tp_shown(out, size, text, len);
}

static void read_title(const char *path, char *out, size_t size)
{
	tp_yaml_title(path, &tp_preset_yaml, "notes", first_comment, out, size);
}

static const struct tp_named_kind presets = {
	.what = "presets",
	.folders = { { tp_path_user_config, "presets" },
		     { tp_path_user_data, "presets" },
		     { tp_path_data, "presets" } },
	.name_bytes = sizeof(((struct tp_named_file *)0)->name),
	.title_bytes = sizeof(((struct tp_named_file *)0)->title),
	.read_title = read_title,
};

enum tp_status tp_preset_entries(struct tp_named_file **entries, size_t *n, struct tp_diag *diag)
{
	return tp_named_list(&presets, entries, n, diag);
}

static enum tp_status not_found(const char *typed, struct tp_diag *diag)
{
	char shown[128], hint[256], near[TP_NAME_MAX];
	tp_named_guess(&presets, typed, NULL, near, NULL);
	if (*near)
		snprintf(hint, sizeof(hint), "did you mean %s? see --list presets", near);
	else
		snprintf(hint, sizeof(hint), "give a path or a name of --list presets");
	tp_shown(shown, sizeof(shown), typed, strlen(typed));
	return tp_fail(diag, TP_NOTFOUND, shown, hint, "%s",
		       tp_is_folder(typed) ? "a directory, and no preset has that name"
					   : "no such file, and no preset has that name");
}

enum tp_status tp_preset_find(const char *typed, char out[TP_PATH_MAX], struct tp_diag *diag)
{
	size_t len = tp_named_stem(typed);
	if (!len)
		len = strlen(typed);
	if (tp_is_file(typed)) {
		if (!tp_copy(out, TP_PATH_MAX, typed))
			return tp_fail(diag, TP_USAGE, NULL, NULL, "path too long");
		return TP_OK;
	}
	/* a name must not lead out of the preset directories */
	bool name = len < presets.name_bytes && !strchr(typed, '/');
	return name && tp_named_find(&presets, typed, len, out) ? TP_OK : not_found(typed, diag);
}
