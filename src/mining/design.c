/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * k-means and regression see numbers alone: a column of words becomes a column of 0 and 1 for each
 * word.
 */
#include "mining/mining_parts.h"

#include <stdio.h>
#include <string.h>

/* Columns of words with more words than this say too little for each. */
enum { WORDS_MAX = 16, STARTS = 10 };
#define ROUNDING 1e-12

struct design {
	const char **names;
	const double **values;
	/* value = shift + scale * normalised value */
	double *shift, *scale;
	size_t n;
};

static bool room(struct tp_mining *mining, struct design *design)
{
	size_t most = 0;
	for (size_t f = 0; f < mining->n_features; f++)
		most += mining->features[f].words ? mining->features[f].n_words : 1;
	*design = (struct design){
		.names = tp_mining_alloc(mining, most, sizeof(*design->names)),
		.values = tp_mining_alloc(mining, most, sizeof(*design->values)),
		.shift = tp_mining_alloc(mining, most, sizeof(*design->shift)),
		.scale = tp_mining_alloc(mining, most, sizeof(*design->scale)),
	};
	return design->names && design->values && design->shift && design->scale;
}

static bool add(struct design *design, const char *name, const double *values)
{
	if (!name || !values)
		return false;
	design->names[design->n] = name;
	design->values[design->n] = values;
	design->scale[design->n++] = 1;
	return true;
}

static bool occurs(const struct tp_mining *mining, const struct tp_mine_feature *f, size_t word)
{
	for (size_t row = 0; row < mining->n_rows; row++)
		if (f->values[row] == (double)word)
			return true;
	return false;
}

/* `spare` words that occur get no column: those of the first follow from the others. */
static bool add_words(struct tp_mining *mining, const struct tp_mine_feature *f, size_t spare,
		      struct design *design)
{
	for (size_t word = 0; word < f->n_words; word++) {
		struct tp_str name = { 0 };
		if (!occurs(mining, f, word) || (spare && spare--))
			continue;
		double *values = tp_mining_alloc(mining, mining->n_rows, sizeof(*values));
		for (size_t row = 0; values && row < mining->n_rows; row++)
			values[row] = f->values[row] == (double)word;
		tp_str_printf(&name, "%s = %s", f->name, f->words[word]);
		const char *kept = tp_arena_strdup(&mining->arena, tp_str_text(&name));
		tp_str_release(&name);
		if (!add(design, kept, values))
			return false;
	}
	return true;
}

static enum tp_status make(struct tp_mining *mining, const char *what, size_t spare,
			   struct design *design, struct tp_diag *diag)
{
	if (!room(mining, design))
		return tp_mining_no_memory(diag);
	for (size_t i = 0; i < mining->n_features; i++) {
		const struct tp_mine_feature *f = &mining->features[i];
		if (f->n_words > WORDS_MAX)
			tp_mining_note(mining, f->name,
				       "has %zu words: too many for %s, which "
				       "leaves it out",
				       f->n_words, what);
		else if (f->words ? !add_words(mining, f, spare, design)
				  : !add(design, f->name, f->values))
			return tp_mining_no_memory(diag);
	}
	return TP_OK;
}

static enum tp_status normalise(struct tp_mining *mining, struct design *design,
				struct tp_diag *diag)
{
	enum tp_mine_normalise how = mining->job.normalise;
	for (size_t c = 0; c < design->n; c++) {
		struct tp_mine_feature f = { .values = design->values[c] };
		tp_mining_describe(&f, mining->n_rows);
		double scale = how == TP_NORMALISE_MINMAX   ? f.high - f.low
			       : how == TP_NORMALISE_ZSCORE ? f.deviation
							    : 1;
		design->scale[c] = scale > 0 ? scale : 1;
		design->shift[c] = how == TP_NORMALISE_MINMAX	? f.low
				   : how == TP_NORMALISE_ZSCORE ? f.mean
								: 0;
		if (how == TP_NORMALISE_NO)
			continue;
		double *values = tp_mining_alloc(mining, mining->n_rows, sizeof(*values));
		if (!values)
			return tp_mining_no_memory(diag);
		for (size_t row = 0; row < mining->n_rows; row++)
			values[row] = (f.values[row] - design->shift[c]) / design->scale[c];
		design->values[c] = values;
	}
	return TP_OK;
}

enum tp_status tp_mining_cluster(struct tp_mining *mining, struct tp_diag *diag)
{
	struct design design;
	enum tp_status status = make(mining, "k-means", 0, &design, diag);
	if (status == TP_OK)
		status = normalise(mining, &design, diag);
	if (status != TP_OK)
		return status;
	const struct tp_dataset data = { mining->n_rows, design.n, design.values, NULL };
	status = tp_kmeans_learn(&mining->kmeans, &data, mining->job.n_clusters, STARTS,
				 mining->job.seed, diag);
	size_t n = (size_t)mining->kmeans.k * design.n;
	mining->kmeans_centres = tp_mining_alloc(mining, n, sizeof(*mining->kmeans_centres));
	if (status != TP_OK)
		return status;
	if (!mining->kmeans_centres)
		return tp_mining_no_memory(diag);
	for (size_t i = 0; i < n; i++) {
		size_t c = i % design.n;
		/* What is nothing but rounding is nothing. */
		double centre = design.shift[c] + design.scale[c] * mining->kmeans.centres[i];
		bool none = fabs(centre) < ROUNDING * design.scale[c];
		mining->kmeans_centres[i] = none ? 0 : centre;
	}
	mining->kmeans_columns = design.names;
	mining->n_kmeans_columns = design.n;
	mining->has_kmeans = true;
	return TP_OK;
}

/* What one deviation (or the range) of a column does to the target. */
static double effect(struct tp_mining *mining, const struct design *design, size_t c,
		     double coefficient)
{
	struct tp_mine_feature f = { .values = design->values[c] };
	tp_mining_describe(&f, mining->n_rows);
	return mining->job.normalise == TP_NORMALISE_MINMAX   ? coefficient * (f.high - f.low)
	       : mining->job.normalise == TP_NORMALISE_ZSCORE ? coefficient * f.deviation
							      : NAN;
}

enum tp_status tp_mining_regress(struct tp_mining *mining, struct tp_diag *diag)
{
	struct design design;
	if (!mining->target_values) {
		tp_mining_note(mining, mining->target, "is words: no regression explains it");
		return TP_OK;
	}
	enum tp_status status = make(mining, "a regression", 1, &design, diag);
	if (status != TP_OK)
		return status;
	const struct tp_dataset data = { mining->n_rows, design.n, design.values, NULL };
	status = tp_linear_fit(&mining->linear, &data, mining->target_values,
			       mining->job.confidence, diag);
	if (status != TP_OK)
		return status;
	mining->terms = tp_mining_alloc(mining, mining->linear.n, sizeof(*mining->terms));
	if (!mining->terms)
		return tp_mining_no_memory(diag);
	for (size_t i = 0; i < mining->linear.n; i++) {
		double coefficient = mining->linear.coefficients[i];
		mining->terms[i] = (struct tp_mine_term){
			.name = i ? design.names[i - 1] : "(intercept)",
			.coefficient = coefficient,
			.low = mining->linear.low[i],
			.high = mining->linear.high[i],
			.effect = i ? effect(mining, &design, i - 1, coefficient) : NAN,
		};
	}
	mining->has_regression = true;
	return TP_OK;
}
