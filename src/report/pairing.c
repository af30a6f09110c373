/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/pairing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "record/point.h"

static const char *const dimension_names[] = { "",
#define DIMENSION_ROW(id, name) name,
					       TP_DIMENSION_LIST(DIMENSION_ROW)
#undef DIMENSION_ROW
};

const char *tp_dimension_name(enum tp_dimension dimension)
{
	return dimension_names[dimension];
}

bool tp_dimension_parse(const char *name, enum tp_dimension *dimension, char *hint, size_t size)
{
	struct tp_str text = { 0 };
	for (size_t i = 1; i < TP_DIMENSION_COUNT; i++)
		if (strcmp(name, dimension_names[i]) == 0) {
			*dimension = (enum tp_dimension)i;
			return true;
		}
	const char *near = tp_nearest(name, dimension_names + 1, TP_DIMENSION_COUNT - 1);
	if (near)
		tp_str_printf(&text, "did you mean %s? There are ", near);
	tp_str_list(&text, dimension_names + 1, TP_DIMENSION_COUNT - 1, " and ");
	tp_copy(hint, size, tp_str_text(&text));
	tp_str_release(&text);
	return false;
}

const char *tp_dimension_text(enum tp_dimension dimension, const struct tp_point *point, char *out,
			      size_t size)
{
	const char *text = "";
	switch (dimension) {
	case TP_ACROSS_ISA:
		text = tp_kernel_row(point)->isa;
		break;
	case TP_ACROSS_PRECISION:
		text = tp_kernel_row(point)->precision;
		break;
	case TP_ACROSS_THREADS:
		snprintf(out, size, "%u thread%s", point->threads, point->threads == 1 ? "" : "s");
		return out;
	case TP_ACROSS_LEVEL:
		text = tp_kernel_row(point)->level;
		break;
	case TP_ACROSS_KERNEL:
		text = point->kernel;
		break;
	case TP_ACROSS_FP_OP:
		text = tp_kernel_row(point)->fp_op;
		break;
	case TP_ACROSS_STORES:
		text = tp_kernel_row(point)->nontemporal ? "nontemporal" : "normal";
		break;
	case TP_ACROSS_PAGES:
		text = *tp_kernel_row(point)->pages_wanted ? tp_kernel_row(point)->pages_wanted
							   : tp_kernel_row(point)->pages;
		break;
	case TP_ACROSS_PAUSE:
		snprintf(out, size, "pause %u", tp_kernel_row(point)->pause_cycles);
		return out;
	case TP_ACROSS_NONE:
	case TP_DIMENSION_COUNT:
		break;
	}
	snprintf(out, size, "%s", text);
	return out;
}

/* --- keys: what was measured, as text --- */

/* The kernel without its kind of store: "2ld1st" for "2ld1st-nt". */
static void add_kernel(struct tp_str *key, const char *kernel, bool keep_stores)
{
	const char *nt = keep_stores ? NULL : strstr(kernel, "-nt");
	if (!nt)
		tp_str_add(key, kernel);
	else
		tp_str_printf(key, "%.*s%s", (int)(nt - kernel), kernel, nt + 3);
}

static void add_key(struct tp_str *key, const struct tp_point *p, enum tp_dimension across)
{
	bool fp = tp_point_is_fp(p);
	/*
	 * The name of an FP kernel says its operation, and mixed ones say ratio and intensity too.
	 */
	bool kernel = across != TP_ACROSS_KERNEL && !(across == TP_ACROSS_FP_OP && fp);
	bool ratio = across != TP_ACROSS_KERNEL;
	bool best = tp_kernel_row(p)->best_ratio;
	/* A level's size follows from the level and the team. */
	bool size = !(across == TP_ACROSS_LEVEL ||
		      (across == TP_ACROSS_THREADS && *tp_kernel_row(p)->level));

	tp_str_printf(key, "%s|%s|%s|%s|%u|%s|", p->experiment, p->unit,
		      across == TP_ACROSS_ISA ? "" : tp_kernel_row(p)->isa,
		      across == TP_ACROSS_PRECISION ? "" : tp_kernel_row(p)->precision,
		      across == TP_ACROSS_THREADS ? 0 : p->threads,
		      across == TP_ACROSS_LEVEL ? "" : tp_kernel_row(p)->level);
	if (kernel && !best)
		add_kernel(key, p->kernel, across != TP_ACROSS_STORES);
	if (ratio)
		tp_str_printf(key, "|%s%u:%u", best ? "best" : "",
			      best ? 0 : tp_kernel_row(p)->loads,
			      best ? 0 : tp_kernel_row(p)->stores);
	if (across != TP_ACROSS_FP_OP)
		tp_str_printf(key, "|%s", tp_kernel_row(p)->fp_op);
	if (kernel && across != TP_ACROSS_PRECISION)
		tp_str_printf(key, "|%.6g", tp_kernel_row(p)->ai_flop_per_byte);
	if (size)
		tp_str_printf(key, "|%llu",
			      (unsigned long long)tp_kernel_row(p)->working_set_bytes);
	if (across != TP_ACROSS_STORES && across != TP_ACROSS_KERNEL && !best)
		tp_str_printf(key, "|%d", tp_kernel_row(p)->nontemporal);
	if (across != TP_ACROSS_PAGES)
		tp_str_printf(key, "|%s", tp_kernel_row(p)->pages_wanted);
	if (across != TP_ACROSS_PAUSE)
		tp_str_printf(key, "|%u", tp_kernel_row(p)->pause_cycles);
}

/* A run's finished points by key, alike ones in the order of the run. */
struct entry {
	const char *key; /* into the list's text */
	size_t point;
};

struct list {
	struct entry *entries;
	size_t n;
	struct tp_str text;
};

static int by_key(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	int order = strcmp(a->key, b->key);
	return order ? order : (a->point > b->point) - (a->point < b->point);
}

/* `taken`: points to leave out; may be NULL. */
static enum tp_status make_list(struct list *list, const struct tp_run *run,
				enum tp_dimension across, const bool *taken)
{
	size_t *starts = calloc(run->n_points + 1, sizeof(*starts));
	*list = (struct list){ .entries = calloc(run->n_points + 1, sizeof(*list->entries)) };
	if (starts && list->entries)
		for (size_t i = 0; i < run->n_points; i++) {
			if (run->points[i].state != TP_POINT_DONE || (taken && taken[i]))
				continue;
			list->entries[list->n].point = i;
			starts[list->n++] = list->text.len;
			add_key(&list->text, &run->points[i], across);
			tp_str_add_n(&list->text, "", 1);
		}
	bool whole = starts && list->entries && !list->text.oom;
	/* The text may have moved while it grew. */
	for (size_t i = 0; i < list->n && whole; i++)
		list->entries[i].key = list->text.s + starts[i];
	if (whole)
		qsort(list->entries, list->n, sizeof(*list->entries), by_key);
	free(starts);
	return whole ? TP_OK : TP_NOMEM;
}

static void drop_list(struct list *list)
{
	free(list->entries);
	tp_str_release(&list->text);
}

/* --- pairs --- */

static enum tp_status add_pair(struct tp_pairing *pairing, size_t a, size_t b)
{
	enum tp_status status = tp_vec_reserve((void **)&pairing->pairs, &pairing->cap,
					       pairing->n + 1, sizeof(*pairing->pairs));
	if (status == TP_OK)
		pairing->pairs[pairing->n++] = (struct tp_pair){ a, b };
	return status;
}

/* The same work: k-th with k-th of those alike. */
static enum tp_status pair_same(struct tp_pairing *pairing, const struct list *a,
				const struct list *b, bool *taken_a, bool *taken_b)
{
	enum tp_status status = TP_OK;
	for (size_t i = 0, k = 0; i < a->n && k < b->n && status == TP_OK;) {
		int order = strcmp(a->entries[i].key, b->entries[k].key);
		if (order < 0) {
			i++;
		} else if (order > 0) {
			k++;
		} else {
			size_t pa = a->entries[i++].point, pb = b->entries[k++].point;
			taken_a[pa] = taken_b[pb] = true;
			status = add_pair(pairing, pa, pb);
		}
	}
	return status;
}

/* What is left of b with the first of a that differs in the dimension only. */
static enum tp_status pair_across(struct tp_pairing *pairing, const struct tp_run *run_a,
				  const struct tp_run *run_b, enum tp_dimension across,
				  bool *taken_a, bool *taken_b)
{
	struct list a, b = { 0 };
	enum tp_status status = make_list(&a, run_a, across, NULL);
	if (status == TP_OK)
		status = make_list(&b, run_b, across, taken_b);
	for (size_t i = 0, k = 0; i < a.n && k < b.n && status == TP_OK;) {
		int order = strcmp(a.entries[i].key, b.entries[k].key);
		if (order < 0) {
			i++;
			continue;
		}
		size_t pa = a.entries[i].point, pb = b.entries[k++].point;
		if (order > 0 || (run_a == run_b && pa == pb))
			continue;
		taken_a[pa] = taken_b[pb] = true;
		status = add_pair(pairing, pa, pb);
	}
	drop_list(&a);
	drop_list(&b);
	return status;
}

static enum tp_status leftovers(const struct tp_run *run, const bool *taken, size_t **list,
				size_t *n, size_t *cap)
{
	for (size_t i = 0; i < run->n_points; i++) {
		if (run->points[i].state != TP_POINT_DONE || taken[i])
			continue;
		if (tp_vec_reserve((void **)list, cap, *n + 1, sizeof(**list)) != TP_OK)
			return TP_NOMEM;
		(*list)[(*n)++] = i;
	}
	return TP_OK;
}

static int by_second(const void *left, const void *right)
{
	const struct tp_pair *a = left, *b = right;
	return (a->b > b->b) - (a->b < b->b);
}

enum tp_status tp_pairing_find(struct tp_pairing *pairing, const struct tp_run *a,
			       const struct tp_run *b, enum tp_dimension across)
{
	bool *taken_a = calloc(a->n_points + 1, sizeof(*taken_a));
	bool *taken_b = calloc(b->n_points + 1, sizeof(*taken_b));
	struct list list_a = { 0 }, list_b = { 0 };
	enum tp_status status = taken_a && taken_b ? TP_OK : TP_NOMEM;

	*pairing = (struct tp_pairing){ 0 };
	if (status == TP_OK && a != b) {
		status = make_list(&list_a, a, TP_ACROSS_NONE, NULL);
		if (status == TP_OK)
			status = make_list(&list_b, b, TP_ACROSS_NONE, NULL);
		if (status == TP_OK)
			status = pair_same(pairing, &list_a, &list_b, taken_a, taken_b);
	}
	if (status == TP_OK && across != TP_ACROSS_NONE)
		status = pair_across(pairing, a, b, across, taken_a, taken_b);
	if (status == TP_OK && a != b)
		status = leftovers(a, taken_a, &pairing->only_a, &pairing->n_only_a,
				   &pairing->cap_a);
	if (status == TP_OK && a != b)
		status = leftovers(b, taken_b, &pairing->only_b, &pairing->n_only_b,
				   &pairing->cap_b);
	if (status == TP_OK && pairing->n)
		qsort(pairing->pairs, pairing->n, sizeof(*pairing->pairs), by_second);
	else if (status != TP_OK)
		tp_pairing_release(pairing);
	drop_list(&list_a);
	drop_list(&list_b);
	free(taken_a);
	free(taken_b);
	return status;
}

void tp_pairing_release(struct tp_pairing *pairing)
{
	free(pairing->pairs);
	free(pairing->only_a);
	free(pairing->only_b);
	*pairing = (struct tp_pairing){ 0 };
}
