/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options that collect keys of any name: pattern.tile is an item of pattern.parameters. */
#include "preset/reader.h"

#include <ctype.h>
#include <string.h>

#include "base/expression.h"
#include "base/text.h"
#include "base/memory.h"

/* The option that collects the key "GROUP.NAME"; *name is in `key`. NULL = none. */
static const struct tp_option *option_collector(const char *key, const char **name)
{
	const char *dot = strchr(key, '.');
	const struct tp_option *option;
	if (!dot || !tp_identifier_length(dot + 1) || dot[1 + tp_identifier_length(dot + 1)])
		return NULL;
	*name = dot + 1;
	for (size_t i = 0; (option = tp_option_at(i)); i++)
		if (option->collects && strncmp(option->key, key, (size_t)(dot + 1 - key)) == 0)
			return option;
	return NULL;
}

/* True if both items are of the same name. */
static bool same_name(const char *a, const char *b)
{
	size_t len = strcspn(a, "= ");
	return len == strcspn(b, "= ") && memcmp(a, b, len) == 0;
}

static void add_item(struct tp_value *value, const struct tp_scalar *item, struct tp_arena *arena)
{
	struct tp_scalar *items = tp_arena_alloc(arena, (value->n + 1) * sizeof(*items));
	if (value->n)
		memcpy(items, value->items, value->n * sizeof(*items));
	items[value->n++] = *item;
	value->items = items;
}

/* The item NAME=text, new or in the place of one with that name. */
static enum tp_status layer_collect(struct tp_layer *layer, const struct tp_option *option,
				    const char *name, const char *text, struct tp_arena *arena,
				    struct tp_diag *diag)
{
	struct tp_value *value = &layer->values[tp_option_index(option)];
	struct tp_scalar item;
	TP_STR whole = { 0 };
	tp_str_printf(&whole, "%s=%s", name, text);
	/* Values in brackets or with commas are lists, as in other options. */
	bool quoted = false;
	for (char *c = whole.s; c && *c; c++) {
		if (quoted && *c == '\\' && c[1])
			c++;
		else if (*c == '"')
			quoted = !quoted;
		else if (!quoted && (*c == ',' || *c == '[' || *c == ']'))
			*c = ' ';
	}
	enum tp_status status =
		tp_scalar_parse(option, tp_str_text(&whole), whole.len, arena, &item, diag);
	if (status != TP_OK)
		return status;
	for (size_t i = 0; i < value->n; i++)
		if (same_name(value->items[i].text, item.text)) {
			value->items[i] = item;
			return TP_OK;
		}
	add_item(value, &item, arena);
	return TP_OK;
}

void tp_value_lay(struct tp_value *value, const struct tp_value *above, struct tp_arena *arena)
{
	struct tp_value below = *value;
	*value = *above;
	for (size_t i = 0; i < below.n; i++) {
		bool again = false;
		for (size_t k = 0; k < above->n; k++)
			again |= same_name(below.items[i].text, above->items[k].text);
		if (!again)
			add_item(value, &below.items[i], arena);
	}
}

/* Turns the nodes of a file into options. */

enum { KEY_BYTES = 64 };

struct reading {
	struct tp_arena *arena;
	struct tp_faults *faults;
	enum tp_value_source source;
	bool may_run;
};

/* "stop" of "stop.error"; false for a key without a dot. */
static bool group_of(const struct tp_option *option, char group[KEY_BYTES])
{
	const char *dot = strchr(option->key, '.');
	if (dot)
		snprintf(group, KEY_BYTES, "%.*s", (int)(dot - option->key), option->key);
	return dot != NULL;
}

/* The first option of the group that `key` names, or NULL. */
static const struct tp_option *find_group(const char *key)
{
	char name[2 * KEY_BYTES];
	const struct tp_option *option;
	for (size_t i = 0; (option = tp_option_at(i)); i++) {
		const char *dot = strchr(option->key, '.');
		int n = dot ? snprintf(name, sizeof(name), "%s%s", key, dot) : 0;
		if (n > 0 && (size_t)n < sizeof(name) && tp_option_find(name) == option)
			return option;
	}
	return NULL;
}

/* The nearest key that is allowed in this mapping. `group` is "" at the top. */
static const char *nearest_key(const struct reading *r, const char *group, const char *key,
			       char out[KEY_BYTES])
{
	const char *names[2 * TP_OPTIONS_MAX + 1];
	char groups[TP_OPTIONS_MAX][KEY_BYTES];
	size_t n = 0, skip = *group ? strlen(group) + 1 : 0;
	const struct tp_option *option;
	for (size_t i = 0; (option = tp_option_at(i)); i++) {
		bool grouped = group_of(option, groups[i]);
		if (!*group && grouped)
			names[n++] = groups[i];
		if (!*group || (grouped && strcmp(groups[i], group) == 0))
			names[n++] = option->key + skip;
	}
	if (!*group && r->may_run)
		names[n++] = "runs";
	const char *near = tp_nearest(key, names, n);
	return near && tp_copy(out, KEY_BYTES, near) ? out : NULL;
}

static void unknown_key(struct reading *r, const char *group, const struct tp_node *key)
{
	char shown[KEY_BYTES], near[KEY_BYTES], hint[160];
	tp_shown(shown, sizeof(shown), key->text, key->len);
	const char *in = *group ? " in " : "";
	/* the key may be valid elsewhere */
	const struct tp_option *elsewhere = *group ? tp_option_find(key->text) : NULL;
	if (strcmp(key->text, "<<") == 0)
		snprintf(hint, sizeof(hint), "write shared values above runs:");
	else if (elsewhere)
		snprintf(hint, sizeof(hint),
			 "%s is a separate option: write it outside %s:", elsewhere->key, group);
	else if (nearest_key(r, group, key->text, near))
		snprintf(hint, sizeof(hint), "did you mean %s? see tprof-preset(5)", near);
	else
		snprintf(hint, sizeof(hint), "tprof-preset(5) lists all options");
	tp_faults_add(r->faults, key->place, hint, "unknown option \"%s\"%s%s", shown, in, group);
}

/* A value of a list option that is written as a YAML list. */
static bool read_items(struct reading *r, const struct tp_option *option,
		       const struct tp_node *list, struct tp_value *value)
{
	struct tp_diag diag;
	bool good = true;
	size_t n = tp_node_count(list);
	if (n > TP_LIST_MAX)
		return tp_faults_add(r->faults, list->place, NULL,
				     "%s: a list of more than %d values", option->key, TP_LIST_MAX);
	if (n == 0 && *option->fallback)
		return tp_faults_add(r->faults, list->place, NULL, "%s: the list is empty",
				     option->key);
	value->items = tp_arena_alloc(r->arena, n * sizeof(*value->items));
	for (const struct tp_node *item = list->first; item; item = item->next) {
		if (item->kind != TP_NODE_SCALAR) {
			good = tp_faults_add(
				r->faults, item->place, NULL, "%s: %s inside a list", option->key,
				item->kind == TP_NODE_SEQUENCE ? "a list" : "a mapping");
			continue;
		}
		size_t len = tp_node_is_null(item) ? 0 : item->len;
		enum tp_status status = tp_scalar_parse(option, item->text, len, r->arena,
							&value->items[value->n], &diag);
		if (status == TP_OK)
			status = tp_list_check(option, value->items, value->n + 1, &diag);
		if (status == TP_OK)
			value->n++;
		else
			good = tp_faults_add(r->faults, item->place, diag.hint, "%s: %s",
					     option->key, diag.what);
	}
	return good;
}

static bool read_text(struct reading *r, const struct tp_option *option, const struct tp_node *node,
		      const char *text, struct tp_value *value)
{
	struct tp_diag diag;
	return tp_option_parse(option, text, r->arena, value, &diag) == TP_OK ||
	       tp_faults_add(r->faults, node->place, diag.hint, "%s: %s", option->key, diag.what);
}

static bool read_scalar(struct reading *r, const struct tp_option *option,
			const struct tp_node *node, struct tp_value *value)
{
	if (node->len != strlen(node->text))
		return tp_faults_add(r->faults, node->place, NULL, "%s: holds a NUL character",
				     option->key);
	return read_text(r, option, node, tp_node_is_null(node) ? "" : node->text, value);
}

/* A list that stands for one text: its items, one after another. */
static bool read_joined(struct reading *r, const struct tp_option *option,
			const struct tp_node *list, struct tp_value *value)
{
	TP_STR text = { 0 };
	for (const struct tp_node *item = list->first; item; item = item->next) {
		if (item->kind != TP_NODE_SCALAR || tp_node_is_null(item) ||
		    item->len != strlen(item->text))
			return tp_faults_add(r->faults, item->place, NULL,
					     "%s: an item is not a plain text", option->key);
		tp_str_printf(&text, "%s%s", text.len ? "; " : "", item->text);
	}
	return read_text(r, option, list, tp_str_text(&text), value);
}

static void read_option(struct reading *r, const struct tp_option *option,
			const struct tp_node *key, struct tp_layer *layer)
{
	char hint[400];
	const struct tp_node *node = key->value;
	struct tp_value value = { 0 };
	size_t at = tp_option_index(option);
	bool good = false;
	if (layer->given[at]) {
		tp_faults_add(r->faults, key->place, "keep one of them",
			      "%s is written twice; first in line %u", option->key,
			      layer->keys[at].line);
		return;
	}
	layer->given[at] = true;
	layer->keys[at] = key->place;
	if (node->kind != TP_NODE_SCALAR && !node->closed)
		return;
	if (node->kind == TP_NODE_SCALAR) {
		good = read_scalar(r, option, node, &value);
	} else if (node->kind == TP_NODE_SEQUENCE && option->list) {
		good = read_items(r, option, node, &value);
	} else if (node->kind == TP_NODE_SEQUENCE && option->joins) {
		good = read_joined(r, option, node, &value);
	} else if (option == TP_OPT_EXPERIMENT) {
		tp_faults_add(r->faults, node->place,
			      "several experiments go under runs:", "experiment: takes one name");
	} else {
		char allowed[320];
		snprintf(hint, sizeof(hint), "allowed: %s",
			 tp_option_allowed(option, allowed, sizeof(allowed)));
		tp_faults_add(r->faults, node->place, hint, "%s: takes %s, not a %s", option->key,
			      option->list ? "a value or a list" : "one value",
			      node->kind == TP_NODE_SEQUENCE ? "list" : "mapping");
	}
	if (good) {
		value.source = r->source;
		tp_place_text(value.where, sizeof(value.where), r->faults->name, node->place);
		layer->values[at] = value;
	}
}

/* An item of a list is one value: in quotes where it would fall into several. */
static void add_collected(struct tp_str *text, const char *item)
{
	if (text->len)
		tp_str_add(text, " ");
	if (*item && *item != '"' && !strpbrk(item, " ,[]"))
		tp_str_add(text, item);
	else
		tp_str_add_quoted(text, item);
}

/* A key of any name, which is an item of an option: pattern.tile. */
static void read_collected(struct reading *r, const struct tp_option *option, const char *name,
			   const struct tp_node *key, struct tp_layer *layer)
{
	const struct tp_node *node = key->value;
	const struct tp_node *item = node->kind == TP_NODE_SEQUENCE ? node->first : NULL;
	size_t at = tp_option_index(option);
	TP_STR text = { 0 };
	struct tp_diag diag;
	if (node->kind == TP_NODE_MAPPING) {
		tp_faults_add(r->faults, node->place, "one value or a list", "%s: not a mapping",
			      name);
		return;
	}
	if (node->kind == TP_NODE_SCALAR)
		tp_str_add(&text, node->text);
	for (; item; item = item->next)
		if (item->kind == TP_NODE_SCALAR)
			add_collected(&text, item->text);
	enum tp_status status =
		layer_collect(layer, option, name, tp_str_text(&text), r->arena, &diag);
	if (status != TP_OK)
		tp_faults_add(r->faults, node->place, diag.hint, "%s: %s", option->key, diag.what);
	if (!layer->given[at]) {
		layer->collected[at] = layer->given[at] = true;
		layer->keys[at] = key->place;
		layer->values[at].source = r->source;
		tp_place_text(layer->values[at].where, sizeof(layer->values[at].where),
			      r->faults->name, node->place);
	}
}

/* The children of `stop:` and similar keys. */
static void read_group(struct reading *r, const struct tp_node *group, struct tp_layer *layer)
{
	char name[2 * KEY_BYTES];
	const struct tp_node *mapping = group->value;
	if (mapping->kind != TP_NODE_MAPPING) {
		const char *first = strchr(find_group(group->text)->key, '.') + 1;
		snprintf(name, sizeof(name), "write %s: {%s: ...}", group->text, first);
		tp_faults_add(r->faults, mapping->place, name, "%s: takes options, not a value",
			      group->text);
		return;
	}
	for (const struct tp_node *key = mapping->first; key && key->value; key = key->next) {
		const struct tp_option *option = NULL;
		int n = snprintf(name, sizeof(name), "%s.%s", group->text, key->text);
		if (n > 0 && (size_t)n < sizeof(name) && !strchr(key->text, '.'))
			option = tp_option_find(name);
		const char *item;
		const struct tp_option *collector =
			n > 0 && (size_t)n < sizeof(name) ? option_collector(name, &item) : NULL;
		if (option)
			read_option(r, option, key, layer);
		else if (collector)
			read_collected(r, collector, item, key, layer);
		else
			unknown_key(r, group->text, key);
	}
}

static void read_mapping(struct reading *r, const struct tp_node *mapping, struct tp_layer *layer,
			 const struct tp_node **runs)
{
	for (const struct tp_node *key = mapping->first; key; key = key->next) {
		const struct tp_option *option = tp_option_find(key->text);
		bool group = !option && find_group(key->text), run = strcmp(key->text, "runs") == 0;
		const char *item;
		const struct tp_option *collector =
			option || key->len != strlen(key->text) || !key->value
				? NULL
				: option_collector(key->text, &item);
		if (collector)
			read_collected(r, collector, item, key, layer);
		else if (key->len != strlen(key->text) || (!option && !group && !run)) {
			unknown_key(r, "", key);
		} else if (!key->value) {
			break; /* the file breaks off here, which is reported already */
		} else if (option) {
			read_option(r, option, key, layer);
		} else if (tp_yaml_twice(r->faults, mapping, key)) {
			continue;
		} else if (group) {
			read_group(r, key, layer);
		} else if (runs) {
			*runs = key;
		} else {
			tp_faults_add(r->faults, key->place,
				      r->may_run ? "write it once, at the left edge of the file"
						 : "only presets have runs",
				      "runs: cannot stand here");
		}
	}
}

static void read_runs(struct reading *r, const struct tp_node *key, struct tp_sheet *sheet)
{
	static const char form[] = "write each run as \"- experiment: NAME\" and its options below";
	const struct tp_node *list = key->value;
	size_t n = tp_node_count(list);
	sheet->has_runs = true;
	if (list->kind != TP_NODE_SEQUENCE || (n == 0 && list->closed)) {
		tp_faults_add(r->faults, list->place, form, "runs: takes a list of runs");
		return;
	}
	if (n > TP_PRESET_MAX_RUNS) {
		tp_faults_add(r->faults, list->place, "use lists of values, or several presets",
			      "%zu runs are more than the %d allowed", n, TP_PRESET_MAX_RUNS);
		return;
	}
	sheet->runs = tp_arena_alloc(r->arena, n * sizeof(*sheet->runs));
	for (const struct tp_node *item = list->first; item; item = item->next) {
		if (item->kind != TP_NODE_MAPPING)
			tp_faults_add(r->faults, item->place, form, "a run is a set of options");
		else
			read_mapping(r, item, &sheet->runs[sheet->n_runs++], NULL);
	}
}

void tp_sheet_take(const struct tp_node *root, bool may_run, enum tp_value_source source,
		   struct tp_arena *arena, struct tp_sheet *sheet, struct tp_faults *faults)
{
	struct reading r = { arena, faults, source, may_run };
	const struct tp_node *runs = NULL;
	*sheet = (struct tp_sheet){ 0 };
	if (root->kind != TP_NODE_MAPPING) {
		tp_faults_add(faults, root->place, "write options as key: value, one a line",
			      "options expected, found %s",
			      root->kind == TP_NODE_SEQUENCE ? "a list" : "plain text");
		return;
	}
	sheet->whole = root->closed;
	read_mapping(&r, root, &sheet->shared, may_run ? &runs : NULL);
	if (runs)
		read_runs(&r, runs, sheet);
}

const struct tp_yaml_kind tp_preset_yaml = {
	.files = "presets",
	.one = "a preset",
	.share = "write shared values above runs:",
	.type = "leave it out: the type follows from the option",
	.several = "several experiments go under runs:",
	.form = "see the section FILES of tprof-preset(5) for the form of a preset",
	.too_long = "is this a preset?",
};

void tp_sheet_read(const char *text, size_t len, bool may_run, enum tp_value_source source,
		   struct tp_arena *arena, struct tp_sheet *sheet, struct tp_faults *faults)
{
	struct tp_node *root;
	*sheet = (struct tp_sheet){ 0 };
	tp_yaml_read(text, len, &tp_preset_yaml, arena, &root, faults);
	bool empty =
		!root || tp_node_is_null(root) || (root->kind == TP_NODE_MAPPING && !root->first);
	if (empty && may_run && faults->n == 0)
		tp_faults_add(faults, (struct tp_place){ 1, 1 },
			      "write at least experiment: NAME; see --list presets for examples",
			      "the preset is empty");
	if (!empty)
		tp_sheet_take(root, may_run, source, arena, sheet, faults);
}

/* Options from outside the files: --set and the environment. */

static const char prefix[] = "TPROF_";

/*
 * Variables with our prefix that are not options: paths of the program's files, and settings of its
 * tests. A trailing '*' stands for any ending.
 */
static const char *const not_options[] = { "TPROF_DATADIR", "TPROF_SRCDIR", "TPROF_BUILDDIR",
					   "TPROF_VERSION", "TPROF_CLI",    "TPROF_EMULATOR",
					   "TPROF_LEARNER", "TPROF_TEST_*" };

enum { NAME_BYTES = 64 };

/* "TPROF_STOP_ERROR" for "stop.error". */
static void variable_name(char out[NAME_BYTES], const struct tp_option *option)
{
	snprintf(out, NAME_BYTES, "%s%s", prefix, option->key);
	for (char *c = out; *c; c++)
		*c = *c == '.' || *c == '-' ? '_' : (char)toupper((unsigned char)*c);
}

static bool is_no_option(const char *variable, size_t len)
{
	for (size_t i = 0; i < TP_COUNT_OF(not_options); i++) {
		size_t n = strlen(not_options[i]);
		if (not_options[i][n - 1] == '*'
			    ? len >= n && !memcmp(variable, not_options[i], n - 1)
			    : len == n && !memcmp(variable, not_options[i], n))
			return true;
	}
	return false;
}

static void store(const struct tp_option *option, const char *text, enum tp_value_source source,
		  const char *where, struct tp_arena *arena, struct tp_layer *layer,
		  struct tp_diags *diags)
{
	struct tp_diag found;
	struct tp_value value;
	size_t at = tp_option_index(option);
	enum tp_status status = tp_option_parse(option, text, arena, &value, &found);
	layer->given[at] = true;
	if (status != TP_OK) {
		tp_diags_note(diags, where, found.hint, "%s: %s", option->key, found.what);
		return;
	}
	value.source = source;
	tp_copy(value.where, sizeof(value.where), where);
	layer->values[at] = value;
}

/* The option of a variable of `len` bytes, NULL: none. */
static const struct tp_option *option_of_variable(const char *variable, size_t len)
{
	const struct tp_option *option;
	char name[NAME_BYTES];
	for (size_t i = 0; (option = tp_option_at(i)); i++) {
		variable_name(name, option);
		if (strlen(name) == len && memcmp(variable, name, len) == 0)
			break;
	}
	return option;
}

/* The length of the name of a variable with our prefix that is not the program's own, else 0. */
static size_t variable_len(const char *variable)
{
	const char *equals = strchr(variable, '=');
	if (!equals || strncmp(variable, prefix, strlen(prefix)) != 0)
		return 0;
	size_t len = (size_t)(equals - variable);
	return is_no_option(variable, len) ? 0 : len;
}

/* Variables of modulefiles for the places of a package: not misspelt options. */
static bool is_of_module(const char *name)
{
	static const char *const endings[] = { "ROOT", "DIR", "HOME", "BASE",	 "PREFIX", "PATH",
					       "BIN",  "LIB", "INC",  "INCLUDE", "MAN",	   "VER" };
	for (size_t i = 0; i < TP_COUNT_OF(endings); i++)
		if (strcmp(name, endings[i]) == 0)
			return true;
	return false;
}

static void note_stranger(const char *variable, size_t len, struct tp_diags *diags)
{
	char names[TP_OPTIONS_MAX][NAME_BYTES], shown[NAME_BYTES], hint[192] = "";
	const char *words[TP_OPTIONS_MAX];
	const struct tp_option *option;
	size_t n = 0;
	for (; (option = tp_option_at(n)); n++) {
		variable_name(names[n], option);
		/* the prefix would make every name look near */
		words[n] = names[n] + strlen(prefix);
	}
	tp_shown(shown, sizeof(shown), variable, len);
	const char *name = shown + strlen(prefix);
	const char *near = is_of_module(name) ? NULL : tp_nearest(name, words, n);
	if (near)
		snprintf(hint, sizeof(hint), "did you mean %s%s?", prefix, near);
	tp_diags_note(diags, shown, hint, "ignored: no option has this environment variable");
}

void tp_environment_strangers(char *const *environ, struct tp_diags *diags)
{
	for (; environ && *environ; environ++) {
		size_t len = variable_len(*environ);
		if (len && !option_of_variable(*environ, len))
			note_stranger(*environ, len, diags);
	}
}

void tp_layer_environment(char *const *environ, struct tp_arena *arena, struct tp_layer *layer,
			  struct tp_diags *diags)
{
	char name[NAME_BYTES];
	for (; environ && *environ; environ++) {
		size_t len = variable_len(*environ);
		const struct tp_option *option = len ? option_of_variable(*environ, len) : NULL;
		/* an empty variable counts as unset, the usual way to switch one off */
		if (!option || !(*environ)[len + 1])
			continue;
		variable_name(name, option);
		store(option, *environ + len + 1, TP_FROM_ENVIRONMENT, name, arena, layer, diags);
	}
}

static void collect(const struct tp_option *option, const char *name, const char *text,
		    struct tp_arena *arena, struct tp_layer *layer, struct tp_diags *diags)
{
	struct tp_diag found;
	size_t at = tp_option_index(option);
	if (layer_collect(layer, option, name, text, arena, &found) != TP_OK)
		tp_diags_note(diags, "--set", found.hint, "%s: %s", option->key, found.what);
	layer->collected[at] |= !layer->given[at];
	layer->given[at] = true;
	layer->values[at].source = TP_FROM_COMMAND_LINE;
	tp_copy(layer->values[at].where, sizeof(layer->values[at].where), "--set");
}

void tp_layer_sets(const char *const *sets, size_t n, struct tp_arena *arena,
		   struct tp_layer *layer, struct tp_diags *diags)
{
	for (size_t i = 0; i < n; i++) {
		char shown[NAME_BYTES], key[NAME_BYTES], hint[192];
		const char *equals = strchr(sets[i], '=');
		if (!equals) {
			tp_shown(shown, sizeof(shown), sets[i], strlen(sets[i]));
			tp_diags_note(diags, "--set", "write --set key=value", "\"%s\" has no '='",
				      shown);
			continue;
		}
		const char *start = sets[i];
		size_t len = (size_t)(equals - start);
		tp_trim(&start, &len);
		tp_shown(key, sizeof(key), start, len);
		const struct tp_option *option = tp_option_find(key);
		const char *name;
		const struct tp_option *collector = option ? NULL : option_collector(key, &name);
		if (collector) {
			collect(collector, name, equals + 1, arena, layer, diags);
			continue;
		}
		if (!option) {
			const char *near = tp_option_nearest(key);
			if (strcmp(key, "runs") == 0)
				snprintf(hint, sizeof(hint), "runs are written in a preset only");
			else if (near)
				snprintf(hint, sizeof(hint), "did you mean %s?", near);
			else
				snprintf(hint, sizeof(hint), "tprof-preset(5) lists all options");
			tp_diags_note(diags, "--set", hint, "unknown option \"%s\"", key);
			continue;
		}
		store(option, equals + 1, TP_FROM_COMMAND_LINE, "--set", arena, layer, diags);
	}
}
