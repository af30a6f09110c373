/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result for programs: JSON, and the rows with what is said of them as CSV. */
#include "mining/say.h"
#include "table/csv.h"
#include "table/json.h"

#include <math.h>

static json_t *text_or_null(const char *text)
{
	return text ? tp_json_text(text) : json_null();
}

static json_t *label_json(const struct tp_mining *m, size_t i)
{
	const struct tp_mine_label *label = &m->labels_of[i];
	return json_pack("{s:o, s:o, s:o, s:o, s:I}", "name", tp_json_text(label->name), "from",
			 tp_json_real(m->continuous ? label->low : NAN), "to",
			 tp_json_real(m->continuous ? label->high : NAN), "peak",
			 tp_json_real(label->peak), "rows", (json_int_t)label->rows);
}

static json_t *node_json(const struct tp_mining *m, size_t i)
{
	const struct tp_tree_node *n = &m->tree.nodes[i];
	json_t *counts = json_array(), *node = json_object();
	for (unsigned label = 0; label < m->n_labels; label++)
		tp_json_append(counts, tp_json_count((double)tp_mine_count(m, i, label)));
	tp_json_set(node, "depth", json_integer(n->depth));
	tp_json_set(node, "rows", tp_json_count(n->rows));
	tp_json_set(node, "impurity", tp_json_real(n->impurity));
	tp_json_set(node, "says", tp_json_text(m->labels_of[n->label].name));
	tp_json_set(node, "counts", counts);
	if (!n->leaf) {
		TP_STR question = { 0 };
		const struct tp_mine_feature *f = &m->features[n->feature];
		tp_mine_question(m, i, true, &question);
		tp_json_set(node, "question", tp_json_text(tp_str_text(&question)));
		tp_json_set(node, "column", tp_json_text(f->name));
		tp_json_set(node, f->words ? "word" : "threshold",
			    f->words ? tp_json_text(f->words[(size_t)n->threshold])
				     : tp_json_real(n->threshold));
		tp_json_set(node, "yes", json_integer((json_int_t)n->yes));
		tp_json_set(node, "no", json_integer((json_int_t)n->no));
	}
	return node;
}

static json_t *score_json(const struct tp_mining *m, const struct tp_mine_score *score)
{
	json_t *rows = json_array();
	for (unsigned is = 0; is < m->n_labels; is++) {
		json_t *row = json_array();
		for (unsigned said = 0; said < m->n_labels; said++)
			tp_json_append(
				row,
				json_integer((json_int_t)score
						     ->confusion[(size_t)is * m->n_labels + said]));
		tp_json_append(rows, row);
	}
	return json_pack("{s:I, s:I, s:o, s:o, s:o}", "rows", (json_int_t)score->n, "right",
			 (json_int_t)score->right, "accuracy", tp_json_real(score->accuracy),
			 "most_frequent", tp_json_real(score->baseline), "confusion", rows);
}

static json_t *missed_json(const struct tp_mining *m, size_t i)
{
	const struct tp_mine_missed *missed = &m->missed[i];
	TP_STR why = { 0 };
	tp_mine_missed_words(m, missed, &why);
	return json_pack("{s:I, s:o, s:o, s:o}", "row", (json_int_t)m->origin[missed->row] + 1,
			 "is", tp_json_text(m->labels_of[missed->label].name), "said",
			 tp_json_text(m->labels_of[missed->said].name), "why",
			 tp_json_text(tp_str_text(&why)));
}

static json_t *feature_json(const struct tp_mining *m, size_t f)
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

static json_t *term_json(const struct tp_mining *m, size_t i)
{
	const struct tp_mine_term *t = &m->terms[i];
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "name", tp_json_text(t->name), "coefficient",
			 tp_json_real(t->coefficient), "low", tp_json_real(t->low), "high",
			 tp_json_real(t->high), "effect", tp_json_real(t->effect));
}

static json_t *cluster_json(const struct tp_mining *m, size_t k)
{
	json_t *centre = json_object();
	for (size_t c = 0; c < m->n_kmeans_columns; c++)
		/* A name that was cut within a character is no key: that column is left out. */
		json_object_set_new(centre, m->kmeans_columns[c],
				    tp_json_real(m->kmeans_centres[k * m->n_kmeans_columns + c]));
	return json_pack("{s:I, s:o}", "rows", (json_int_t)m->kmeans.sizes[k], "centre", centre);
}

static json_t *note_json(const struct tp_mining *m, size_t i)
{
	return tp_json_diag(&m->notes.items[i]);
}

/* Adds a list of n things. */
typedef json_t *one_of(const struct tp_mining *m, size_t i);
static void put_list(json_t *object, const char *key, const struct tp_mining *m, size_t n,
		     one_of *make)
{
	json_t *items = json_array();
	for (size_t i = 0; i < n; i++)
		tp_json_append(items, make(m, i));
	tp_json_set(object, key, items);
}

void tp_mine_json(const struct tp_mining *m, struct tp_str *out)
{
	json_t *top = json_object();
	tp_json_set(top, "source", tp_json_text(m->source));
	tp_json_set(top, "target", text_or_null(m->target));
	tp_json_set(top, "unit", text_or_null(m->target_unit));
	tp_json_set(top, "rows", json_integer((json_int_t)m->n_rows));
	tp_json_set(top, "filtered", json_integer((json_int_t)m->n_filtered));
	tp_json_set(top, "missing", json_integer((json_int_t)m->n_missing));
	tp_json_set(top, "quality", tp_json_text(tp_quality_name(m->trust.quality)));
	tp_json_set(top, "says", tp_json_text(tp_str_text(&m->trust.verdict)));
	tp_json_set(top, "limits", tp_json_text(tp_str_text(&m->trust.limits)));
	tp_json_set(top, "next", tp_json_text(tp_str_text(&m->trust.next)));
	tp_json_set(top, "bandwidth", tp_json_real(m->density ? m->density->bandwidth : NAN));
	tp_json_set(top, "log", m->density ? json_boolean(m->density->log) : json_null());
	put_list(top, "categories", m, m->n_labels, label_json);
	put_list(top, "columns", m, m->n_features, feature_json);
	if (m->has_tree) {
		put_list(top, "tree", m, m->tree.n, node_json);
		tp_json_set(top, "held_out", score_json(m, &m->test));
		tp_json_set(top, "all_rows", score_json(m, &m->all));
		put_list(top, "missed", m, m->n_missed, missed_json);
	}
	if (m->has_forest)
		tp_json_set(top, "forest_accuracy",
			    tp_json_real(m->n_test ? m->forest.accuracy : NAN));
	if (m->has_kmeans) {
		put_list(top, "groups", m, m->kmeans.k, cluster_json);
		tp_json_set(top, "inertia", tp_json_real(m->kmeans.inertia));
	}
	if (m->has_regression) {
		put_list(top, "regression", m, m->linear.n, term_json);
		tp_json_set(top, "r2", tp_json_real(m->linear.r2));
		tp_json_set(top, "adjusted_r2", tp_json_real(m->linear.adjusted_r2));
	}
	put_list(top, "notes", m, m->notes.n, note_json);
	tp_json_add(out, top, JSON_INDENT(2));
}

/* --- rows --- */

void tp_mine_csv(const struct tp_mining *m, const struct tp_frame *frame, struct tp_str *out)
{
	char cell[512];
	for (size_t c = 0; c < frame->n_columns; c++) {
		tp_cell_text(out, frame->columns[c].name);
		tp_str_add(out, ",");
	}
	tp_str_add(out, "category,said,held_out,group\n");
	TP_FREE bool *held_out = tp_alloc(m->n_rows + 1, sizeof(*held_out));
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
}
