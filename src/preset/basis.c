/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a basis from its YAML file. Mappings are read by tables of their keys. Names of ideal
 * events and regions are looked up after the whole file is known, so sections may come in any
 * order.
 */
#include "preset/basis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/text.h"
#include "base/memory.h"
#include "base/yaml.h"
#include "preset/reader.h"

enum { TP_BASIS_NAME_BYTES = 96, TP_BASIS_TEXT_BYTES = 4096, TP_BASIS_SHOWN_BYTES = 64 };

struct tp_basis_reader {
	struct tp_basis *basis;
	struct tp_faults *faults;
};

static const struct tp_yaml_kind basis_yaml;

/* Zeroed memory of the basis for `n` items. */
static void *basis_room(struct tp_basis_reader *r, size_t n, size_t size_bytes)
{
	return tp_arena_alloc(&r->basis->arena, n * size_bytes);
}

/*
 * A trimmed text without control characters (`lines` allows line feeds), shorter than `max_bytes`;
 * NULL after a complaint.
 */
static const char *basis_text(struct tp_basis_reader *r, const struct tp_node *node,
			      const char *what, size_t max_bytes, bool lines)
{
	const char *text = node->text;
	size_t len = node->len;

	tp_trim(&text, &len);
	const char *fault = tp_text_fault(text, len, lines ? "\n" : "");
	if (node->kind != TP_NODE_SCALAR)
		tp_faults_add(r->faults, node->place, NULL, "%s: expected a text", what);
	else if (len == 0 || len >= max_bytes)
		tp_faults_add(r->faults, node->place, NULL, "%s: %s", what,
			      len ? "the text is too long" : "no text is given");
	else if (fault)
		tp_faults_add(r->faults, node->place, NULL, "%s: the text %s", what, fault);
	else
		return tp_arena_strndup(&r->basis->arena, text, len);
	return NULL;
}

/*
 * A number from `least` to `most`; `bytes` also allows sizes like 32KiB. False after a complaint.
 */
static bool basis_number(struct tp_basis_reader *r, const struct tp_node *node, const char *what,
			 bool bytes, double least, double most, double *value)
{
	char text[64], shown[TP_BASIS_SHOWN_BYTES], hint[128];
	const char *from = node->text;
	size_t len = node->len;
	uint64_t size;

	if (node->kind == TP_NODE_SCALAR) {
		tp_trim(&from, &len);
		snprintf(text, sizeof(text), "%.*s", (int)TP_MIN(len, sizeof(text) - 1), from);
		if (len < sizeof(text) && strlen(text) == len) {
			bool found = strspn(text, "0123456789+-.eE") == len &&
				     tp_parse_double(text, value);

			if (!found && bytes && tp_parse_bytes(text, &size)) {
				*value = (double)size;
				found = true;
			}
			if (found && *value >= least && *value <= most)
				return true;
		}
	}
	if (most < HUGE_VAL)
		snprintf(hint, sizeof(hint), "a number from %g to %g", least, most);
	else
		snprintf(hint, sizeof(hint), "a number%s%s", least == 0 ? " from 0 on" : "",
			 bytes ? ", or a size such as 32KiB" : "");
	if (node->kind != TP_NODE_SCALAR)
		return tp_faults_add(r->faults, node->place, hint, "%s: expected a number", what);
	return tp_faults_add(r->faults, node->place, hint, "%s: \"%s\" is not an allowed number",
			     what, tp_shown(shown, sizeof(shown), node->text, node->len));
}

/*
 * The number of items of a list. Complains and returns 0 if the node is no list, is empty, or has
 * more than `most` items.
 */
static size_t basis_list(struct tp_basis_reader *r, const struct tp_node *node, const char *what,
			 size_t most)
{
	size_t n = tp_node_count(node);

	if (node->kind != TP_NODE_SEQUENCE)
		return tp_faults_add(r->faults, node->place, "each entry begins with \"- \"",
				     "%s: expected a list", what);
	if (n > most)
		return tp_faults_add(r->faults, node->place, NULL,
				     "%s: %zu entries, at most %zu are allowed", what, n, most);
	if (n == 0 && node->closed)
		tp_faults_add(r->faults, node->place, NULL, "%s: the list is empty", what);
	return n;
}

/* The text of a key, or "" where it is not given. */
static const char *basis_text_at(struct tp_basis_reader *r, const struct tp_yaml_key *key,
				 size_t max_bytes, bool lines)
{
	const char *text =
		key->value ? basis_text(r, key->value, key->name, max_bytes, lines) : NULL;

	return text ? text : "";
}

/* --- names --- */

static size_t find_ideal(const struct tp_basis *basis, const char *name)
{
	size_t i = 0;

	while (i < basis->n_ideals && strcmp(basis->ideals[i].name, name) != 0)
		i++;
	return i;
}

static void no_such_name(struct tp_basis_reader *r, const struct tp_node *node, const char *what,
			 const char *const *names, size_t n)
{
	const char *near = tp_nearest(node->text, names, n);
	char shown[TP_BASIS_SHOWN_BYTES], hint[TP_BASIS_NAME_BYTES + 32];

	snprintf(hint, sizeof(hint), near ? "did you mean %s?" : "see the list %ss of this file",
		 near ? near : what);
	tp_faults_add(r->faults, node->place, hint, "there is no %s \"%s\"", what,
		      tp_shown(shown, sizeof(shown), node->text, node->len));
}

static void no_such_ideal(struct tp_basis_reader *r, const struct tp_node *node)
{
	const char *names[TP_BASIS_MAX_IDEALS];

	for (size_t i = 0; i < r->basis->n_ideals; i++)
		names[i] = r->basis->ideals[i].name;
	no_such_name(r, node, "ideal", names, r->basis->n_ideals);
}

static void twice(struct tp_basis_reader *r, const struct tp_node *node, const char *what,
		  const char *name)
{
	tp_faults_add(r->faults, node->place, "each has a name of its own",
		      "a second %s is called \"%s\"", what, name);
}

/* {IDEAL: number} into one row of a matrix. */
static void read_weights(struct tp_basis_reader *r, const struct tp_node *node, const char *what,
			 double least, double *weights)
{
	if (node->kind != TP_NODE_MAPPING) {
		tp_faults_add(r->faults, node->place, "write {IDEAL: number}",
			      "%s: expected ideal events with numbers", what);
		return;
	}
	for (const struct tp_node *key = node->first; key; key = key->next) {
		size_t i = find_ideal(r->basis, key->text);

		if (i == r->basis->n_ideals)
			no_such_ideal(r, key);
		else if (!tp_yaml_twice(r->faults, node, key) && key->value)
			basis_number(r, key->value, key->text, false, least, HUGE_VAL, &weights[i]);
	}
}

/* --- sections --- */

static void read_ideals(struct tp_basis_reader *r, const struct tp_node *node)
{
	struct tp_basis *b = r->basis;
	size_t n = basis_list(r, node, "ideals", TP_BASIS_MAX_IDEALS);

	b->ideals = basis_room(r, n, sizeof(*b->ideals));
	if (n == 0)
		return;
	for (const struct tp_node *item = node->first; item; item = item->next) {
		struct tp_yaml_key keys[] = { { .name = "name", .required = true },
					      { .name = "title" },
					      { .name = "called" } };
		struct tp_basis_ideal ideal = { "", "", "" };

		if (item->kind == TP_NODE_SCALAR) {
			const char *name =
				basis_text(r, item, "ideals", TP_BASIS_NAME_BYTES, false);

			ideal.name = name ? name : "";
		} else if (tp_yaml_keys(r->faults, item, "ideals", keys, TP_COUNT_OF(keys))) {
			ideal.name = basis_text_at(r, &keys[0], TP_BASIS_NAME_BYTES, false);
			ideal.title = basis_text_at(r, &keys[1], TP_BASIS_TEXT_BYTES, false);
			ideal.called = basis_text_at(r, &keys[2], TP_BASIS_TEXT_BYTES, false);
		}
		if (!*ideal.name)
			continue;
		if (find_ideal(b, ideal.name) < b->n_ideals)
			twice(r, item, "ideal event", ideal.name);
		else
			b->ideals[b->n_ideals++] = ideal;
	}
}

static void read_limits(struct tp_basis_reader *r, const struct tp_node *node)
{
	struct tp_basis *b = r->basis;
	struct tp_yaml_key keys[] = { { .name = "noise" },
				      { .name = "residual" },
				      { .name = "alpha" },
				      { .name = "defined" } };
	double *const values[] = { &b->noise, &b->residual, &b->alpha, &b->defined };

	if (!tp_yaml_keys(r->faults, node, "limits", keys, TP_COUNT_OF(keys)))
		return;
	for (size_t i = 0; i < TP_COUNT_OF(keys); i++)
		if (keys[i].value)
			basis_number(r, keys[i].value, keys[i].name, false, i == 2 ? 1e-12 : 0, 1,
				     values[i]);
}

static void read_regions(struct tp_basis_reader *r, const struct tp_node *node)
{
	struct tp_basis *b = r->basis;
	size_t n = tp_node_count(node);

	if (node->kind != TP_NODE_MAPPING || n > TP_BASIS_MAX_IDEALS) {
		tp_faults_add(r->faults, node->place, "write NAME: {IDEAL: number}",
			      "regions: expected at most %d names with expectations",
			      TP_BASIS_MAX_IDEALS);
		return;
	}
	b->regions = basis_room(r, n, sizeof(*b->regions));
	b->region_expectations = basis_room(r, n * b->n_ideals, sizeof(double));
	for (const struct tp_node *key = node->first; key; key = key->next) {
		const char *name = basis_text(r, key, "regions", TP_BASIS_NAME_BYTES, false);
		bool known = false;

		for (size_t i = 0; i < b->n_regions && name; i++)
			known |= strcmp(b->regions[i].name, name) == 0;
		if (known)
			twice(r, key, "region", name);
		if (!name || known || !key->value)
			continue;
		read_weights(r, key->value, name, 0,
			     &b->region_expectations[b->n_regions * b->n_ideals]);
		b->regions[b->n_regions++].name = name;
	}
}

static int find_region(struct tp_basis_reader *r, const struct tp_node *node)
{
	const char *names[TP_BASIS_MAX_IDEALS];
	const struct tp_basis *b = r->basis;

	for (size_t i = 0; i < b->n_regions; i++) {
		names[i] = b->regions[i].name;
		if (node->kind == TP_NODE_SCALAR && strcmp(names[i], node->text) == 0)
			return (int)i;
	}
	if (node->kind == TP_NODE_SCALAR)
		no_such_name(r, node, "region", names, b->n_regions);
	else
		tp_faults_add(r->faults, node->place, NULL, "region: expected a name");
	return -1;
}

static void read_row(struct tp_basis_reader *r, const struct tp_node *item)
{
	enum { NAME, GROUP, X, EXPECT, REGION, KEYS };
	struct tp_yaml_key keys[KEYS] = { [NAME] = { .name = "name", .required = true },
					  [GROUP] = { .name = "group" },
					  [X] = { .name = "x" },
					  [EXPECT] = { .name = "expect" },
					  [REGION] = { .name = "region" } };
	struct tp_basis *b = r->basis;
	struct tp_basis_row *row = &b->rows[b->n_rows];
	double *expectation = &b->expectations[b->n_rows * b->n_ideals];

	*row = (struct tp_basis_row){ .name = "", .group = "", .x = NAN, .region = -1 };
	if (!tp_yaml_keys(r->faults, item, "rows", keys, KEYS))
		return;
	row->name = basis_text_at(r, &keys[NAME], TP_BASIS_NAME_BYTES, false);
	row->group = basis_text_at(r, &keys[GROUP], TP_BASIS_NAME_BYTES, false);
	if (keys[X].value)
		basis_number(r, keys[X].value, "x", true, -HUGE_VAL, HUGE_VAL, &row->x);
	if (keys[EXPECT].given && keys[REGION].given)
		tp_faults_add(r->faults, item->place, "leave one of them out",
			      "rows: both \"expect\" and \"region\" are given");
	else if (!keys[EXPECT].given && !keys[REGION].given && item->closed)
		tp_faults_add(r->faults, item->place, "expect: {} if nothing counts there",
			      "rows: neither \"expect\" nor \"region\" is given");
	if (keys[EXPECT].value)
		read_weights(r, keys[EXPECT].value, "expect", 0, expectation);
	else if (keys[REGION].value)
		row->region = find_region(r, keys[REGION].value);
	if (row->region >= 0)
		memcpy(expectation, &b->region_expectations[(size_t)row->region * b->n_ideals],
		       b->n_ideals * sizeof(double));
	for (size_t i = 0; i < b->n_rows && *row->name; i++)
		if (strcmp(b->rows[i].name, row->name) == 0) {
			twice(r, item, "row", row->name);
			break;
		}
	b->n_rows++;
}

static void read_rows(struct tp_basis_reader *r, const struct tp_node *node)
{
	struct tp_basis *b = r->basis;
	size_t n = basis_list(r, node, "rows", TP_BASIS_MAX_ROWS);

	b->rows = basis_room(r, n, sizeof(*b->rows));
	b->expectations = basis_room(r, n * b->n_ideals, sizeof(double));
	if (n == 0)
		return;
	for (const struct tp_node *item = node->first; item; item = item->next)
		read_row(r, item);
}

/* A name that PAPI accepts for an event: "DP_OPS". */
static bool is_symbol(const char *text)
{
	return text[0] >= 'A' && text[0] <= 'Z' &&
	       strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(text);
}

static void read_metric(struct tp_basis_reader *r, const struct tp_node *item)
{
	enum { NAME, SYMBOL, UNIT, SIGNATURE, KEYS };
	struct tp_yaml_key keys[KEYS] = { [NAME] = { .name = "name", .required = true },
					  [SYMBOL] = { .name = "symbol", .required = true },
					  [UNIT] = { .name = "unit" },
					  [SIGNATURE] = { .name = "signature", .required = true } };
	struct tp_basis *b = r->basis;
	struct tp_basis_metric *metric = &b->metrics[b->n_metrics];

	*metric = (struct tp_basis_metric){ "", "", "" };
	if (!tp_yaml_keys(r->faults, item, "metrics", keys, KEYS))
		return;
	metric->name = basis_text_at(r, &keys[NAME], TP_BASIS_NAME_BYTES, false);
	metric->symbol = basis_text_at(r, &keys[SYMBOL], TP_BASIS_NAME_BYTES, false);
	metric->unit = basis_text_at(r, &keys[UNIT], TP_BASIS_NAME_BYTES, false);
	if (*metric->symbol && !is_symbol(metric->symbol))
		tp_faults_add(r->faults, keys[SYMBOL].value->place,
			      "upper case letters, digits, underscores, a letter first",
			      "symbol: \"%.60s\" is not a valid name of an event", metric->symbol);
	if (keys[SIGNATURE].value)
		read_weights(r, keys[SIGNATURE].value, "signature", -HUGE_VAL,
			     &b->signatures[b->n_metrics * b->n_ideals]);
	for (size_t i = 0; i < b->n_metrics; i++) {
		if (*metric->name && strcmp(b->metrics[i].name, metric->name) == 0)
			twice(r, item, "metric", metric->name);
		if (*metric->symbol && strcmp(b->metrics[i].symbol, metric->symbol) == 0)
			twice(r, item, "metric", metric->symbol);
	}
	b->n_metrics++;
}

static void read_metrics(struct tp_basis_reader *r, const struct tp_node *node)
{
	struct tp_basis *b = r->basis;
	size_t n = basis_list(r, node, "metrics", TP_BASIS_MAX_METRICS);

	b->metrics = basis_room(r, n, sizeof(*b->metrics));
	b->signatures = basis_room(r, n * b->n_ideals, sizeof(double));
	if (n == 0)
		return;
	for (const struct tp_node *item = node->first; item; item = item->next)
		read_metric(r, item);
}

/* --- the file --- */

/* Letters, digits and "-_." inside: the name is used for a file and as a key in JSON. */
static bool is_family(const char *text, size_t len)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

	return len > 0 && len < sizeof(((struct tp_basis *)0)->name) && text[0] != '.' &&
	       text[0] != '-' && strspn(text, letters) >= len;
}

/* The name in the file, or else the file's own name without folder and ending. */
static void take_name(struct tp_basis_reader *r, const struct tp_yaml_key *key, const char *path)
{
	static const char hint[] = "at most 31 letters, digits, \"-\", \"_\" and \".\"";
	const char *name = tp_path_last(path);
	size_t len = strlen(name);
	char shown[TP_BASIS_SHOWN_BYTES];
	struct tp_place place = { 0 };

	if (len > 5 && strcmp(name + len - 5, ".yaml") == 0)
		len -= 5;
	if (key->given) {
		name = basis_text_at(r, key, TP_BASIS_NAME_BYTES, false);
		len = strlen(name);
		if (len == 0)
			return;
		place = key->value->place;
	}
	if (is_family(name, len))
		memcpy(r->basis->name, name, len);
	else
		tp_faults_add(r->faults, place, hint,
			      "name: \"%s\" is not a valid name of a family",
			      tp_shown(shown, sizeof(shown), name, len));
}

static void read_root(struct tp_basis_reader *r, const struct tp_node *root, const char *path)
{
	enum { NAME, TITLE, NOTES, PER, LIMITS, IDEALS, REGIONS, ROWS, METRICS, KEYS };
	struct tp_yaml_key keys[KEYS] = { [NAME] = { .name = "name" },
					  [TITLE] = { .name = "title", .required = true },
					  [NOTES] = { .name = "notes" },
					  [PER] = { .name = "per" },
					  [LIMITS] = { .name = "limits" },
					  [IDEALS] = { .name = "ideals", .required = true },
					  [REGIONS] = { .name = "regions" },
					  [ROWS] = { .name = "rows", .required = true },
					  [METRICS] = { .name = "metrics", .required = true } };
	struct tp_basis *b = r->basis;

	if (!tp_yaml_keys(r->faults, root, "a basis", keys, KEYS))
		return;
	take_name(r, &keys[NAME], path);
	b->title = basis_text_at(r, &keys[TITLE], TP_BASIS_NAME_BYTES, false);
	b->notes = basis_text_at(r, &keys[NOTES], TP_BASIS_TEXT_BYTES, true);
	b->per = keys[PER].given ? basis_text_at(r, &keys[PER], TP_BASIS_NAME_BYTES, false)
				 : "iteration";
	if (keys[LIMITS].value)
		read_limits(r, keys[LIMITS].value);
	if (keys[IDEALS].value)
		read_ideals(r, keys[IDEALS].value);
	if (b->n_ideals == 0)
		return; /* without ideal events every other name would be an error too */
	if (keys[REGIONS].value)
		read_regions(r, keys[REGIONS].value);
	if (keys[ROWS].value)
		read_rows(r, keys[ROWS].value);
	if (keys[METRICS].value)
		read_metrics(r, keys[METRICS].value);
}

enum tp_status tp_basis_parse(struct tp_basis *basis, const char *name, const char *text,
			      size_t len, struct tp_diags *diags)
{
	TP_CLEANUP(tp_arena_release) struct tp_arena nodes = { 0 };
	struct tp_faults faults = { .name = name };
	struct tp_basis_reader r = { .basis = basis, .faults = &faults };
	struct tp_node *root = NULL;

	*basis = (struct tp_basis){
		.noise = 1e-10, .residual = 1e-3, .alpha = 5e-4, .defined = 1e-10
	};
	tp_yaml_read(text, len, &basis_yaml, &nodes, &root, &faults);
	if (root)
		read_root(&r, root, name);
	else if (faults.n == 0)
		tp_faults_add(&faults, (struct tp_place){ 0 }, "see tprof-basis(5)",
			      "the file holds no basis");
	if (tp_faults_flush(&faults, diags) > 0) {
		tp_basis_release(basis);
		return TP_USAGE;
	}
	tp_copy(basis->path, sizeof(basis->path), name);
	return TP_OK;
}

void tp_basis_release(struct tp_basis *basis)
{
	tp_arena_release(&basis->arena);
	*basis = (struct tp_basis){ 0 };
}

enum tp_status tp_basis_set_rows(struct tp_basis *basis, const struct tp_basis_row *rows, size_t n,
				 struct tp_diag *diag)
{
	struct tp_basis_row *fresh;
	double *expectations;

	if (n == 0 || n > TP_BASIS_MAX_ROWS)
		return tp_fail(diag, TP_USAGE, basis->name, NULL, "%zu rows; 1 to %d are allowed",
			       n, TP_BASIS_MAX_ROWS);
	for (size_t i = 0; i < n; i++)
		if (rows[i].region < 0 || (size_t)rows[i].region >= basis->n_regions)
			return tp_fail(diag, TP_USAGE, basis->name, NULL,
				       "row \"%.80s\" is of no region of the basis", rows[i].name);
	fresh = tp_arena_alloc(&basis->arena, n * sizeof(*fresh));
	expectations = tp_arena_alloc(&basis->arena, n * basis->n_ideals * sizeof(*expectations));
	for (size_t i = 0; i < n; i++) {
		const char *group = rows[i].group ? rows[i].group : "";

		fresh[i] = rows[i];
		fresh[i].name = tp_arena_strdup(&basis->arena, rows[i].name);
		fresh[i].group = tp_arena_strdup(&basis->arena, group);
		memcpy(&expectations[i * basis->n_ideals],
		       &basis->region_expectations[(size_t)rows[i].region * basis->n_ideals],
		       basis->n_ideals * sizeof(*expectations));
	}
	basis->rows = fresh;
	basis->expectations = expectations;
	basis->n_rows = n;
	return TP_OK;
}

/* Bases by name: the user's own before the shipped ones. */

static const struct tp_yaml_kind basis_yaml = {
	.files = "bases",
	.one = "a basis",
	.share = "write the values out",
	.type = "leave it out: the key knows its type",
	.several = "several families are several files",
	.form = "see tprof-basis(5) for the form of a basis",
	.too_long = "is this a basis?",
};

enum tp_status tp_basis_load(struct tp_basis *basis, const char *path, struct tp_diags *diags)
{
	struct tp_diag diag;
	TP_FREE char *text = NULL;
	size_t len = 0;
	enum tp_status status = tp_file_read(path, TP_YAML_MAX_BYTES, &text, &len, &diag);

	*basis = (struct tp_basis){ 0 };
	if (status)
		tp_diags_add(diags, &diag);
	else
		status = tp_basis_parse(basis, path, text, len, diags);
	return status;
}

static void take_title(const char *text __attribute__((unused)), const struct tp_node *root,
		       char *out, size_t size)
{
	for (const struct tp_node *key = root ? root->first : NULL; key; key = key->next)
		if (strcmp(key->text, "title") == 0 && key->value &&
		    key->value->kind == TP_NODE_SCALAR)
			tp_shown(out, size, key->value->text, key->value->len);
}

static void read_title(const char *path, char *out, size_t size)
{
	tp_yaml_title(path, &basis_yaml, out, size, take_title);
}

static const struct tp_named_kind bases = {
	.what = "bases",
	.one = "basis",
	.folders = { { tp_path_user_data, "bases" }, { tp_path_data, "presets/bases" } },
	.name_bytes = sizeof(((struct tp_basis *)0)->name),
	.title_bytes = 96, /* of a line in a list */
	.read_title = read_title,
};

enum tp_status tp_basis_entries(struct tp_named_file **entries, size_t *n, struct tp_diag *diag)
{
	return tp_named_list(&bases, entries, n, diag);
}

enum tp_status tp_basis_find(struct tp_basis *basis, const char *name, struct tp_diags *diags)
{
	char path[TP_PATH_MAX];
	struct tp_diag diag;
	*basis = (struct tp_basis){ 0 };
	enum tp_status status = tp_named_locate(&bases, name, path, &diag);
	if (status == TP_OK)
		return tp_basis_load(basis, path, diags);
	tp_diags_add(diags, &diag);
	return status;
}
