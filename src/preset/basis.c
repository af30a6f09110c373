/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bases from their YAML files. Sections are read in the order of the table, not of the file: rows
 * and metrics look up ideal events and regions.
 */
#include "preset/basis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/text.h"
#include "base/memory.h"
#include "kernels/isa_names.h"
#include "schema/fields.h"

enum { NAME_BYTES = 95, TEXT_BYTES = 4095, SHOWN_BYTES = 64 };

/* --- names --- */

static bool no_such_name(struct tp_reader *r, const struct tp_node *node, const char *what,
			 const char *const *names, size_t n)
{
	const char *near = tp_nearest(node->text, names, n);
	char shown[SHOWN_BYTES], hint[NAME_BYTES + 32];
	snprintf(hint, sizeof(hint), near ? "did you mean %s?" : "see the list %ss of this file",
		 near ? near : what);
	return tp_faults_add(r->faults, node->place, hint, "there is no %s \"%s\"", what,
			     tp_shown(shown, sizeof(shown), node->text, node->len));
}

/* Complains where one of `n` entries of a list has the name, which is a member of each. */
static void check_new(struct tp_reader *r, const struct tp_node *node, const char *what,
		      const char *name, const char *const *first, size_t n, size_t entry_bytes)
{
	for (size_t i = 0; i < n && *name; i++) {
		const char *other = *(const char *const *)((const char *)first + i * entry_bytes);
		if (strcmp(other, name) == 0)
			tp_faults_add(r->faults, node->place, "give it another name",
				      "a second %s is called \"%s\"", what, name);
	}
}

/* --- kinds of values --- */

/* const double *: {IDEAL: number}, a number of each ideal event, at least `least` */
static bool read_weights(struct tp_reader *r, const struct tp_field *field,
			 const struct tp_node *node, void *to)
{
	const struct tp_basis *b = r->document;
	const char *names[TP_BASIS_MAX_IDEALS];
	double *weights = tp_arena_alloc(r->arena, b->n_ideals * sizeof(*weights));
	*(const double **)to = weights;
	if (node->kind != TP_NODE_MAPPING)
		return tp_faults_add(r->faults, node->place, "write {IDEAL: number}",
				     "%s: expected ideal events with numbers", field->key);
	for (size_t i = 0; i < b->n_ideals; i++)
		names[i] = b->ideals[i].name;
	/* Without ideal events every name would be an error. */
	for (const struct tp_node *key = b->n_ideals ? node->first : NULL; key; key = key->next) {
		const struct tp_field number = { .key = key->text,
						 .kind = &tp_kind_number,
						 .least = field->least,
						 .most = HUGE_VAL };
		size_t i = 0;
		while (i < b->n_ideals && strcmp(names[i], key->text) != 0)
			i++;
		if (i == b->n_ideals)
			no_such_name(r, key, "ideal", names, b->n_ideals);
		else if (!tp_yaml_twice(r->faults, node, key) && key->value)
			tp_kind_number.read(r, &number, key->value, &weights[i]);
	}
	return true;
}

/* int: the index of a region by its name */
static bool read_region(struct tp_reader *r, const struct tp_field *field,
			const struct tp_node *node, void *to)
{
	const struct tp_basis *b = r->document;
	const char *names[TP_BASIS_MAX_IDEALS];
	if (!tp_field_scalar(r, field, node))
		return false;
	for (size_t i = 0; i < b->n_regions; i++) {
		names[i] = b->regions[i].name;
		if (strcmp(names[i], node->text) == 0) {
			*(int *)to = (int)i;
			return true;
		}
	}
	return no_such_name(r, node, "region", names, b->n_regions);
}

/* double: a number, or a size like 32KiB */
static bool read_position(struct tp_reader *r, const struct tp_field *field,
			  const struct tp_node *node, void *to)
{
	const char *text = tp_field_scalar(r, field, node);
	uint64_t bytes;
	if (text && !tp_parse_double(text, to) && tp_parse_bytes(text, &bytes))
		*(double *)to = (double)bytes;
	return text && (!isnan(*(double *)to) ||
			tp_field_refuse(r, field, node, "a number, or a size such as 32KiB"));
}

/* A name that PAPI accepts for an event: "DP_OPS". */
static bool is_symbol(const char *text)
{
	return text[0] >= 'A' && text[0] <= 'Z' &&
	       strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(text);
}

static bool read_symbol(struct tp_reader *r, const struct tp_field *field,
			const struct tp_node *node, void *to)
{
	return tp_kind_text.read(r, field, node, to) &&
	       (is_symbol(*(const char **)to) ||
		tp_faults_add(r->faults, node->place,
			      "upper case letters, digits, underscores, a letter first",
			      "symbol: \"%.60s\" is not a valid name of an event",
			      *(const char **)to));
}

/* Letters, digits and "-_." inside: the name is used for a file and as a key in JSON. */
static bool is_family(const char *text, size_t len)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

	return len > 0 && len < sizeof(((struct tp_basis *)0)->name) && text[0] != '.' &&
	       text[0] != '-' && strspn(text, letters) >= len;
}

static bool take_name(struct tp_reader *r, struct tp_place place, const char *name, size_t len)
{
	struct tp_basis *b = r->document;
	char shown[SHOWN_BYTES];
	if (!is_family(name, len))
		return tp_faults_add(r->faults, place,
				     "at most 31 letters, digits, \"-\", \"_\" and \".\"",
				     "name: \"%s\" is not a valid name of a family",
				     tp_shown(shown, sizeof(shown), name, len));
	memcpy(b->name, name, len);
	return true;
}

/* char[] */
static bool read_family(struct tp_reader *r, const struct tp_field *field,
			const struct tp_node *node, void *to __attribute__((unused)))
{
	const char *name = "";
	return tp_kind_text.read(r, field, node, &name) &&
	       take_name(r, node->place, name, strlen(name));
}

static const struct tp_kind tp_kind_weights = { .read = read_weights },
			    tp_kind_region = { .read = read_region },
			    tp_kind_position = { .read = read_position },
			    tp_kind_symbol = { .read = read_symbol },
			    tp_kind_family = { .read = read_family };

/* --- entries --- */

#define NAME(type, member, ...)                                                                    \
	TP_FIELD(struct type, member, #member, text, .most = NAME_BYTES, __VA_ARGS__)
#define TEXT(type, member, ...)                                                                    \
	TP_FIELD(struct type, member, #member, text, .most = TEXT_BYTES, __VA_ARGS__)

static const struct tp_field ideal_fields[] = {
	NAME(tp_basis_ideal, name, .required = true),
	TEXT(tp_basis_ideal, title),
	TEXT(tp_basis_ideal, called),
};

static void check_ideal(struct tp_reader *r, const struct tp_node *node,
			const struct tp_yaml_key *given __attribute__((unused)), void *out)
{
	const struct tp_basis *b = r->document;
	check_new(r, node, "ideal event", ((struct tp_basis_ideal *)out)->name, &b->ideals->name,
		  b->n_ideals, sizeof(*b->ideals));
}

static const struct tp_shape ideal_shape = { .name = "ideals",
					     TP_SHAPE(ideal_fields),
					     .bytes = sizeof(struct tp_basis_ideal),
					     .blank = &(const struct tp_basis_ideal){ "", "", "" },
					     .alone = &ideal_fields[0],
					     .check = check_ideal };

static bool begin_region(struct tp_reader *r, const struct tp_node *node, void *out)
{
	static const struct tp_field name = NAME(tp_basis_region, name);
	const struct tp_basis *b = r->document;
	struct tp_basis_region *region = out;
	if (!tp_kind_text.read(r, &name, node, &region->name))
		return false;
	check_new(r, node, "region", region->name, &b->regions->name, b->n_regions,
		  sizeof(*b->regions));
	return true;
}

static const struct tp_field region_expect =
	TP_FIELD(struct tp_basis_region, expect, "regions", weights);
static const struct tp_shape region_shape = { .alone = &region_expect,
					      .bytes = sizeof(struct tp_basis_region),
					      .begin = begin_region };

enum { EXPECT = 3, REGION };
static const struct tp_field row_fields[] = {
	NAME(tp_basis_row, name, .required = true),
	NAME(tp_basis_row, group),
	TP_FIELD(struct tp_basis_row, x, "x", position),
	[EXPECT] = TP_FIELD(struct tp_basis_row, expect, "expect", weights),
	[REGION] = TP_FIELD(struct tp_basis_row, region, "region", region),
};

static void check_row(struct tp_reader *r, const struct tp_node *node,
		      const struct tp_yaml_key *given, void *out)
{
	const struct tp_basis *b = r->document;
	struct tp_basis_row *row = out;
	if (given[EXPECT].given && given[REGION].given)
		tp_faults_add(r->faults, node->place, "leave one of them out",
			      "rows: both \"expect\" and \"region\" are given");
	else if (!given[EXPECT].given && !given[REGION].given)
		tp_faults_add(r->faults, node->place, "expect: {} if nothing counts there",
			      "rows: neither \"expect\" nor \"region\" is given");
	if (row->region >= 0)
		row->expect = b->regions[row->region].expect;
	check_new(r, node, "row", row->name, &b->rows->name, b->n_rows, sizeof(*b->rows));
}

static const struct tp_shape row_shape = {
	.name = "rows",
	TP_SHAPE(row_fields),
	.bytes = sizeof(struct tp_basis_row),
	.blank = &(const struct tp_basis_row){ .name = "", .group = "", .x = NAN, .region = -1 },
	.check = check_row,
};

static const struct tp_field metric_fields[] = {
	NAME(tp_basis_metric, name, .required = true),
	TP_FIELD(struct tp_basis_metric, symbol, "symbol", symbol, .most = NAME_BYTES,
		 .required = true),
	NAME(tp_basis_metric, unit),
	TP_FIELD(struct tp_basis_metric, signature, "signature", weights, .least = -HUGE_VAL,
		 .required = true),
};

static void check_metric(struct tp_reader *r, const struct tp_node *node,
			 const struct tp_yaml_key *given __attribute__((unused)), void *out)
{
	const struct tp_basis *b = r->document;
	const struct tp_basis_metric *metric = out;
	check_new(r, node, "metric", metric->name, &b->metrics->name, b->n_metrics,
		  sizeof(*b->metrics));
	check_new(r, node, "metric", metric->symbol, &b->metrics->symbol, b->n_metrics,
		  sizeof(*b->metrics));
}

static const struct tp_shape metric_shape = { .name = "metrics",
					      TP_SHAPE(metric_fields),
					      .bytes = sizeof(struct tp_basis_metric),
					      .blank = &(const struct tp_basis_metric){ "", "", "",
											NULL },
					      .check = check_metric };

/* --- the file --- */

#define LIMIT(member, lowest)                                                                      \
	TP_FIELD(struct tp_basis, member, #member, number, .least = (lowest), .most = 1)
static const struct tp_field limit_fields[] = { LIMIT(noise, 0), LIMIT(residual, 0),
						LIMIT(alpha, 1e-12), LIMIT(defined, 0) };
static const struct tp_shape limits_shape = { .name = "limits", TP_SHAPE(limit_fields) };

#define LIST(member, how, of, max, words, ...)                                                     \
	TP_FIELD(struct tp_basis, member, #member, how, .shape = &of,                              \
		 .count = offsetof(struct tp_basis, n_##member), .most = (max),                    \
		 .entries = (words), __VA_ARGS__)
static const char list_hint[] = "each entry begins with \"- \"";
static const struct tp_field basis_fields[] = {
	TP_FIELD(struct tp_basis, name, "name", family, .most = NAME_BYTES),
	NAME(tp_basis, title, .required = true),
	TEXT(tp_basis, notes, .lines = true),
	NAME(tp_basis, per),
	NAME(tp_basis, load_store),
	{ .key = "limits", .kind = &tp_kind_mapping, .shape = &limits_shape },
	LIST(ideals, list, ideal_shape, TP_BASIS_MAX_IDEALS, "ideal events", .least = 1,
	     .hint = list_hint, .required = true),
	LIST(regions, names, region_shape, TP_BASIS_MAX_IDEALS, "names with expectations",
	     .hint = "write NAME: {IDEAL: number}"),
	LIST(rows, list, row_shape, TP_BASIS_MAX_ROWS, "rows", .least = 1, .hint = list_hint,
	     .required = true),
	LIST(metrics, list, metric_shape, TP_BASIS_MAX_METRICS, "metrics", .least = 1,
	     .hint = list_hint, .required = true),
};

static const struct tp_yaml_kind basis_yaml = {
	.files = "bases",
	.one = "a basis",
	.share = "write the values out",
	.type = "leave it out: the type follows from the key",
	.several = "several families are several files",
	.form = "see tprof-basis(5) for the form of a basis",
	.too_long = "is this a basis?",
};

/* Without a name in it, a file is called by its own, without folder and ending. */
static void check_basis(struct tp_reader *r, const struct tp_node *node __attribute__((unused)),
			const struct tp_yaml_key *given, void *out __attribute__((unused)))
{
	const char *path = r->faults->name, *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t stem = tp_named_stem(name);
	if (!given[0].given)
		take_name(r, (struct tp_place){ 0 }, name, stem ? stem : strlen(name));
}

static const struct tp_shape basis_shape = {
	.name = "a basis", TP_SHAPE(basis_fields), .file = &basis_yaml, .check = check_basis
};

enum tp_status tp_basis_parse(struct tp_basis *basis, const char *path, const char *text,
			      size_t len, struct tp_diags *diags)
{
	struct tp_reader r = { .arena = &basis->arena, .document = basis };
	*basis = (struct tp_basis){ .title = "",
				    .notes = "",
				    .per = "iteration",
				    .load_store = "",
				    .noise = 1e-10,
				    .residual = 1e-3,
				    .alpha = 5e-4,
				    .defined = 1e-10 };
	if (tp_shape_parse(&r, &basis_shape, path, text, len, basis, diags) != TP_OK) {
		tp_basis_release(basis);
		return TP_USAGE;
	}
	tp_copy(basis->path, sizeof(basis->path), path);
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

	if (n == 0 || n > TP_BASIS_MAX_ROWS)
		return tp_fail(diag, TP_USAGE, basis->name, NULL, "%zu rows; 1 to %d are allowed",
			       n, TP_BASIS_MAX_ROWS);
	for (size_t i = 0; i < n; i++)
		if (rows[i].region < 0 || (size_t)rows[i].region >= basis->n_regions)
			return tp_fail(diag, TP_USAGE, basis->name, NULL,
				       "row \"%.80s\" is not in a region of the basis",
				       rows[i].name);
	fresh = tp_arena_alloc(&basis->arena, n * sizeof(*fresh));
	for (size_t i = 0; i < n; i++) {
		const char *group = rows[i].group ? rows[i].group : "";

		fresh[i] = rows[i];
		fresh[i].name = tp_arena_strdup(&basis->arena, rows[i].name);
		fresh[i].group = tp_arena_strdup(&basis->arena, group);
		fresh[i].expect = basis->regions[rows[i].region].expect;
	}
	basis->rows = fresh;
	basis->n_rows = n;
	return TP_OK;
}

/* Bases by name: the user's own before the shipped ones. */

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

static void read_title(const char *path, char *out, size_t size)
{
	tp_yaml_title(path, &basis_yaml, "title", NULL, out, size);
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

enum tp_status tp_basis_find_for(struct tp_basis *basis, const char *family, const char *arch,
				 struct tp_diags *diags)
{
	enum tp_status status = tp_basis_find(basis, family, diags);
	if (status || !*basis->load_store || !tp_isa_load_store(arch))
		return status;
	struct tp_basis general = *basis;
	status = tp_basis_find(basis, general.load_store, diags);
	tp_basis_release(&general);
	return status;
}
