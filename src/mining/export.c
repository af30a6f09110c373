/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result for programs: JSON, and the rows with what is said of them as CSV. */
#include "mining/say.h"
#include "table/csv.h"
#include "table/json.h"

#include <jansson.h>
#include <math.h>

/* Takes `value` over; false when out of memory. */
static bool set(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new(object, key, value) == 0;
}

static json_t *text_or_null(const char *text)
{
	return text ? tp_json_text(text) : json_null();
}

static json_t *of_label(const struct tp_mining *m, unsigned i)
{
	const struct tp_mine_label *label = &m->labels_of[i];
	return json_pack("{s:o, s:o, s:o, s:o, s:I}", "name", tp_json_text(label->name), "from",
			 tp_json_real(m->continuous ? label->low : NAN), "to",
			 tp_json_real(m->continuous ? label->high : NAN), "peak",
			 tp_json_real(label->peak), "rows", (json_int_t)label->rows);
}

static json_t *of_node(const struct tp_mining *m, size_t i)
{
	const struct tp_tree_node *n = &m->tree.nodes[i];
	json_t *counts = json_array(), *node = json_object();
	bool good = counts && node;
	for (unsigned label = 0; label < m->n_labels && good; label++)
		good = json_array_append_new(
			       counts, tp_json_count((double)tp_mine_count(m, i, label))) == 0;
	good = good && set(node, "depth", json_integer(n->depth)) &&
	       set(node, "rows", tp_json_count(n->rows)) &&
	       set(node, "impurity", tp_json_real(n->impurity)) &&
	       set(node, "says", tp_json_text(m->labels_of[n->label].name)) &&
	       json_object_set(node, "counts", counts) == 0;
	if (good && !n->leaf) {
		struct tp_str question = { 0 };
		const struct tp_mine_feature *f = &m->features[n->feature];
		tp_mine_question(m, i, true, &question);
		good = set(node, "question", tp_json_text(tp_str_text(&question))) &&
		       set(node, "column", tp_json_text(f->name)) &&
		       set(node, f->words ? "word" : "threshold",
			   f->words ? tp_json_text(f->words[(size_t)n->threshold])
				    : tp_json_real(n->threshold)) &&
		       set(node, "yes", json_integer((json_int_t)n->yes)) &&
		       set(node, "no", json_integer((json_int_t)n->no));
		tp_str_release(&question);
	}
	json_decref(counts);
	if (good)
		return node;
	json_decref(node);
	return NULL;
}

static json_t *of_score(const struct tp_mining *m, const struct tp_mine_score *score)
{
	json_t *rows = json_array();
	for (unsigned is = 0; rows && is < m->n_labels; is++) {
		json_t *row = json_array();
		for (unsigned said = 0; row && said < m->n_labels; said++)
			json_array_append_new(
				row,
				json_integer((json_int_t)score
						     ->confusion[(size_t)is * m->n_labels + said]));
		json_array_append_new(rows, row);
	}
	return json_pack("{s:I, s:I, s:o, s:o, s:o}", "rows", (json_int_t)score->n, "right",
			 (json_int_t)score->right, "accuracy", tp_json_real(score->accuracy),
			 "most_frequent", tp_json_real(score->baseline), "confusion", rows);
}

static json_t *of_missed(const struct tp_mining *m, const struct tp_mine_missed *missed)
{
	struct tp_str why = { 0 };
	tp_mine_missed_words(m, missed, &why);
	json_t *row =
		json_pack("{s:I, s:o, s:o, s:o}", "row", (json_int_t)m->origin[missed->row] + 1,
			  "is", tp_json_text(m->labels_of[missed->label].name), "said",
			  tp_json_text(m->labels_of[missed->said].name), "why",
			  tp_json_text(tp_str_text(&why)));
	tp_str_release(&why);
	return row;
}

static json_t *of_feature(const struct tp_mining *m, size_t f)
{
	const double none = NAN;
	const double *forest = m->has_forest ? &m->forest.impurity_importance[f] : &none;
	const double *spread = m->has_forest ? &m->forest.impurity_deviation[f] : &none;
	const double *shuffled =
		m->has_forest && m->n_test ? &m->forest.permutation_importance[f] : &none;
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
			 tp_json_text(m->features[f].name), "unit",
			 text_or_null(m->features[f].unit), "tree",
			 tp_json_real(m->has_tree ? m->tree.importance[f] : NAN), "forest",
			 tp_json_real(*forest), "forest_deviation", tp_json_real(*spread),
			 "shuffled", tp_json_real(*shuffled), "pearson",
			 tp_json_real(m->has_correlation ? m->correlation[f] : NAN), "spearman",
			 tp_json_real(m->has_correlation ? m->rank_correlation[f] : NAN));
}

static json_t *of_term(const struct tp_mining *m, size_t i)
{
	const struct tp_mine_term *t = &m->terms[i];
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "name", tp_json_text(t->name), "coefficient",
			 tp_json_real(t->coefficient), "low", tp_json_real(t->low), "high",
			 tp_json_real(t->high), "effect", tp_json_real(t->effect));
}

static json_t *of_cluster(const struct tp_mining *m, size_t k)
{
	json_t *centre = json_object();
	for (size_t c = 0; centre && c < m->n_kmeans_columns; c++)
		set(centre, m->kmeans_columns[c],
		    tp_json_real(m->kmeans_centres[k * m->n_kmeans_columns + c]));
	return json_pack("{s:I, s:o}", "rows", (json_int_t)m->kmeans.sizes[k], "centre", centre);
}

/* A list of n things; NULL when out of memory. */
typedef json_t *one_of(const struct tp_mining *m, size_t i);
static json_t *list(const struct tp_mining *m, size_t n, one_of *make)
{
	json_t *items = json_array();
	for (size_t i = 0; items && i < n; i++)
		if (json_array_append_new(items, make(m, i)) != 0) {
			json_decref(items);
			return NULL;
		}
	return items;
}

static json_t *label_at(const struct tp_mining *m, size_t i)
{
	return of_label(m, (unsigned)i);
}

static json_t *missed_at(const struct tp_mining *m, size_t i)
{
	return of_missed(m, &m->missed[i]);
}

static json_t *note_at(const struct tp_mining *m, size_t i)
{
	return tp_json_diag(&m->notes.items[i]);
}

static bool add_learned(const struct tp_mining *m, json_t *top)
{
	bool good = true;
	if (m->has_tree)
		good = set(top, "tree", list(m, m->tree.n, of_node)) &&
		       set(top, "held_out", of_score(m, &m->test)) &&
		       set(top, "all_rows", of_score(m, &m->all)) &&
		       set(top, "missed", list(m, m->n_missed, missed_at));
	if (m->has_forest && good)
		good = set(top, "forest_accuracy",
			   tp_json_real(m->n_test ? m->forest.accuracy : NAN));
	if (m->has_kmeans && good)
		good = set(top, "groups", list(m, m->kmeans.k, of_cluster)) &&
		       set(top, "inertia", tp_json_real(m->kmeans.inertia));
	if (m->has_regression && good)
		good = set(top, "regression", list(m, m->linear.n, of_term)) &&
		       set(top, "r2", tp_json_real(m->linear.r2)) &&
		       set(top, "adjusted_r2", tp_json_real(m->linear.adjusted_r2));
	return good;
}

enum tp_status tp_mine_json(const struct tp_mining *m, struct tp_str *out)
{
	json_t *top = json_object();
	bool good = top && set(top, "source", tp_json_text(m->source)) &&
		    set(top, "target", text_or_null(m->target)) &&
		    set(top, "unit", text_or_null(m->target_unit)) &&
		    set(top, "rows", json_integer((json_int_t)m->n_rows)) &&
		    set(top, "filtered", json_integer((json_int_t)m->n_filtered)) &&
		    set(top, "missing", json_integer((json_int_t)m->n_missing)) &&
		    set(top, "quality", tp_json_text(tp_quality_name(m->trust.quality))) &&
		    set(top, "says", tp_json_text(tp_str_text(&m->trust.verdict))) &&
		    set(top, "limits", tp_json_text(tp_str_text(&m->trust.limits))) &&
		    set(top, "next", tp_json_text(tp_str_text(&m->trust.next))) &&
		    set(top, "bandwidth", tp_json_real(m->density ? m->density->bandwidth : NAN)) &&
		    set(top, "log", m->density ? json_boolean(m->density->log) : json_null()) &&
		    set(top, "categories", list(m, m->n_labels, label_at)) &&
		    set(top, "columns", list(m, m->n_features, of_feature)) &&
		    add_learned(m, top) && set(top, "notes", list(m, m->notes.n, note_at));
	if (!good) {
		json_decref(top);
		top = NULL;
	}
	return tp_json_add(out, top, JSON_INDENT(2));
}

/* --- rows --- */

enum tp_status tp_mine_csv(const struct tp_mining *m, const struct tp_frame *frame,
			   struct tp_str *out)
{
	char cell[512];
	for (size_t c = 0; c < frame->n_columns; c++) {
		tp_cell_text(out, frame->columns[c].name);
		tp_str_add(out, ",");
	}
	tp_str_add(out, "category,said,held_out,group\n");
	bool *held_out = calloc(m->n_rows + 1, sizeof(*held_out));
	if (!held_out)
		return TP_NOMEM;
	for (size_t i = m->n_rows - m->n_test; i < m->n_rows && m->split; i++)
		held_out[m->split[i]] = true;
	for (size_t row = 0; row < m->n_rows; row++) {
		for (size_t c = 0; c < frame->n_columns; c++) {
			tp_cell_text(out, tp_frame_cell(&frame->columns[c], m->origin[row], cell,
							sizeof(cell)));
			tp_str_add(out, ",");
		}
		if (m->n_labels)
			tp_cell_text(out, m->labels_of[m->labels[row]].name);
		tp_str_add(out, ",");
		if (m->has_tree)
			tp_cell_text(
				out,
				m->labels_of[m->tree.nodes[tp_tree_leaf(&m->tree, &m->data, row)]
						     .label]
					.name);
		tp_str_printf(out, ",%s,", m->n_labels ? held_out[row] ? "1" : "0" : "");
		if (m->has_kmeans)
			tp_str_printf(out, "%u", m->kmeans.clusters[row] + 1);
		tp_str_add(out, "\n");
	}
	free(held_out);
	return out->oom ? TP_NOMEM : TP_OK;
}
