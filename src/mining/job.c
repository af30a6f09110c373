/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mining/job.h"
#include "mining/options.h"
#include "mining/plots.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

extern const struct tp_option_group tp_options_mining;

static bool is(const struct tp_config *config, const struct tp_option *option, const char *word)
{
	return strcmp(tp_config_text(config, option), word) == 0;
}

/* The number of the option's word in the order of its row. */
static unsigned word_of(const struct tp_config *config, const struct tp_option *option)
{
	const char *wanted = tp_config_text(config, option), *at = option->words;
	unsigned i = 0;
	for (size_t n = strcspn(at, " "); n != strlen(wanted) || strncmp(at, wanted, n) != 0; i++) {
		if (!at[n])
			return 0;
		at += n + 1;
		n = strcspn(at, " ");
	}
	return i;
}

static struct tp_mine_names names_of(const struct tp_config *config, const struct tp_option *option,
				     struct tp_arena *arena)
{
	const struct tp_value *value = tp_config_value(config, option);
	const char **items = tp_arena_alloc(arena, (value->n + 1) * sizeof(*items));
	for (size_t i = 0; i < value->n; i++)
		items[i] = value->items[i].text;
	return (struct tp_mine_names){ items, value->n };
}

/* The words of mine.learn are in the order of the bits. */
static unsigned take_learn(const struct tp_config *config)
{
	static const struct {
		const char *word;
		unsigned bit;
	} rows[] = {
		{ "tree", TP_MINE_TREE },
		{ "forest", TP_MINE_FOREST },
		{ "kmeans", TP_MINE_KMEANS },
		{ "regression", TP_MINE_REGRESSION },
		{ "correlation", TP_MINE_CORRELATION },
	};
	const struct tp_value *value = tp_config_value(config, TP_OPT_MINE_LEARN);
	unsigned learn = 0;
	for (size_t i = 0; i < value->n; i++)
		for (size_t k = 0; k < TP_COUNT_OF(rows); k++)
			if (strcmp(value->items[i].text, rows[k].word) == 0)
				learn |= rows[k].bit;
	return learn;
}

enum tp_status tp_mine_job_of_config(struct tp_mine_job *job, const struct tp_config *config,
				     struct tp_arena *arena, struct tp_diag *diag)
{
	const char *bandwidth = tp_config_text(config, TP_OPT_MINE_BANDWIDTH);
	*job = (struct tp_mine_job){
		.target = tp_config_text(config, TP_OPT_MINE_TARGET),
		.features = names_of(config, TP_OPT_MINE_FEATURES, arena),
		.without = names_of(config, TP_OPT_MINE_WITHOUT, arena),
		.filters = names_of(config, TP_OPT_MINE_FILTER, arena),
		.normalise = (enum tp_mine_normalise)word_of(config, TP_OPT_MINE_NORMALISE),
		.cutting = (enum tp_mine_cutting)word_of(config, TP_OPT_MINE_CATEGORIES),
		.n_bins = (unsigned)tp_config_count(config, TP_OPT_MINE_BINS),
		.step = tp_config_real(config, TP_OPT_MINE_STEP),
		.bandwidth_rule = (enum tp_bandwidth)word_of(config, TP_OPT_MINE_BANDWIDTH),
		.bandwidth = strspn(bandwidth, "0123456789.+-") ?
				     tp_config_real(config, TP_OPT_MINE_BANDWIDTH) :
				     0,
		.scale = (enum tp_density_scale)word_of(config, TP_OPT_MINE_SCALE),
		.learn = take_learn(config),
		.rules = {
			.criterion = is(config, TP_OPT_MINE_CRITERION, "entropy") ? TP_ENTROPY :
										    TP_GINI,
			.max_depth = (unsigned)tp_config_count(config, TP_OPT_MINE_DEPTH),
			.max_leaves = tp_config_count(config, TP_OPT_MINE_LEAVES),
			.min_leaf = tp_config_count(config, TP_OPT_MINE_MIN_SAMPLES),
			.prune_alpha = tp_config_real(config, TP_OPT_MINE_PRUNE),
			.seed = tp_config_count(config, TP_OPT_SEED),
		},
		.n_trees = (unsigned)tp_config_count(config, TP_OPT_MINE_TREES),
		.n_clusters = (unsigned)tp_config_count(config, TP_OPT_MINE_CLUSTERS),
		.test_share = tp_config_real(config, TP_OPT_MINE_TEST_SHARE),
		.confidence = tp_config_real(config, TP_OPT_MINE_CONFIDENCE),
		.seed = tp_config_count(config, TP_OPT_SEED),
	};
	const struct tp_value *value = tp_config_value(config, TP_OPT_MINE_CUTS);
	double *cuts = tp_arena_alloc(arena, (value->n + 1) * sizeof(*cuts));
	if (value->n >= TP_CATEGORIES_MAX)
		return tp_fail(diag, TP_USAGE, "mine.cuts", NULL,
			       "%zu cuts are too many: at most %d", value->n,
			       TP_CATEGORIES_MAX - 1);
	for (size_t i = 0; i < value->n; i++) {
		cuts[i] = value->items[i].real;
		if (i && !(cuts[i] > cuts[i - 1]))
			return tp_fail(diag, TP_USAGE, "mine.cuts",
				       "write the cuts from the smallest to the largest",
				       "%s is not above %s", value->items[i].text,
				       value->items[i - 1].text);
	}
	job->cuts = cuts;
	job->n_cuts = value->n;
	return tp_mine_plots_read(job, tp_config_value(config, TP_OPT_MINE_PLOT), arena, diag);
}

/* --- before there are results --- */

static bool has_name(const char *const *names, size_t n, const char *name, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0)
			return true;
	return false;
}

/* A parameter with the name of a column stands in results as COLUMN_PARAMETER. */
static bool is_column(const char *const *names, size_t n, const char *name)
{
	if (has_name(names, n, name, strlen(name)))
		return true;
	for (const char *at = name; (at = strchr(at, '_')); at++)
		if (has_name(names, n, name, (size_t)(at - name)) &&
		    has_name(names, n, at + 1, strlen(at + 1)))
			return true;
	return false;
}

static enum tp_status check_column(const struct tp_value *value, const struct tp_option *option,
				   const char *const *names, size_t n, const char *name,
				   struct tp_diag *diag)
{
	TP_STR hint = { 0 };
	if (!name || !*name || is_column(names, n, name))
		return TP_OK;
	const char *nearest = tp_nearest(name, names, n);
	if (nearest)
		tp_str_printf(&hint, "did you mean %s?", nearest);
	else
		tp_str_add(&hint, "the columns are ");
	for (size_t i = 0; i < n && !nearest; i++)
		tp_str_printf(&hint, "%s%s", i ? ", " : "", names[i]);
	return tp_fail(diag, TP_USAGE, *value->where ? value->where : option->key,
		       tp_str_text(&hint), "%s: the results have no column \"%.100s\"", option->key,
		       name);
}

enum tp_status tp_mine_check(const struct tp_config *config, const char *const *names, size_t n,
			     struct tp_diag *diag)
{
	const struct tp_option *const columns[] = { TP_OPT_MINE_TARGET, TP_OPT_MINE_FEATURES,
						    TP_OPT_MINE_WITHOUT };
	TP_CLEANUP(tp_arena_release) struct tp_arena arena = { 0 };
	struct tp_mine_job job;
	if (!*tp_config_text(config, TP_OPT_MINE_TARGET))
		return TP_OK;
	enum tp_status status = tp_mine_job_of_config(&job, config, &arena, diag);
	for (size_t i = 0; i < TP_COUNT_OF(columns); i++) {
		const struct tp_value *value = tp_config_value(config, columns[i]);
		for (size_t k = 0; k < value->n && status == TP_OK && n; k++)
			status = check_column(value, columns[i], names, n, value->items[k].text,
					      diag);
	}
	for (size_t i = 0; i < job.n_plots && status == TP_OK && n; i++) {
		const char *axes[] = { job.plots[i].x, job.plots[i].y, job.plots[i].colour };
		for (size_t k = 0; k < TP_COUNT_OF(axes) && status == TP_OK; k++)
			status = check_column(tp_config_value(config, TP_OPT_MINE_PLOT),
					      TP_OPT_MINE_PLOT, names, n, axes[k], diag);
	}
	return status;
}

enum tp_status tp_mine_wish_of_config(struct tp_written_wish *wish, const struct tp_config *config,
				      struct tp_diag *diag)
{
	const struct tp_value *value = tp_config_value(config, TP_OPT_MINE_READ);
	enum tp_status status = TP_OK;
	*wish = (struct tp_written_wish){ 0 };
	for (size_t i = 0; i < value->n && status == TP_OK; i++)
		status = tp_written_wish_read(wish, value->items[i].text, diag);
	return status;
}

/* --- a run remembers --- */

enum { KEY_BYTES = 64 };

/* The fact of item i; that of an option that takes no list has no number. */
static const char *fact_key(char key[KEY_BYTES], const struct tp_option *option, size_t i)
{
	if (option->list)
		snprintf(key, KEY_BYTES, "%s.%zu", option->key, i + 1);
	else
		snprintf(key, KEY_BYTES, "%s", option->key);
	return key;
}

static void keep_option(struct tp_run *run, const struct tp_option *option,
			const struct tp_value *value)
{
	char key[KEY_BYTES];
	struct tp_diag diag;
	for (size_t i = 0; i < value->n; i++) {
		const char *text = value->items[i].text;
		if (strlen(text) < sizeof(run->facts->text)) {
			tp_run_fact_text(run, fact_key(key, option, i), "%s", text);
			continue;
		}
		tp_fail(&diag, TP_RESOURCE, option->key,
			"give it again: tprof --mine RUN --set ...",
			"is too long to be kept with the run, which is mined without it");
		tp_run_remark(run, &diag);
	}
}

void tp_mine_facts(struct tp_run *run, const struct tp_config *config)
{
	if (!*tp_config_text(config, TP_OPT_MINE_TARGET))
		return;
	for (size_t i = 0; tp_options_mining.rows[i]; i++) {
		const struct tp_option *option = tp_options_mining.rows[i];
		const struct tp_value *value = tp_config_value(config, option);
		if (value->source != TP_FROM_DEFAULT)
			keep_option(run, option, value);
	}
}

static enum tp_status recall_option(struct tp_value *value, const struct tp_option *option,
				    const struct tp_run *run, struct tp_arena *arena,
				    struct tp_diag *diag)
{
	char key[KEY_BYTES];
	size_t n = 0, most = option->list ? TP_LIST_MAX : 1;
	while (n < most && tp_run_fact(run, fact_key(key, option, n)))
		n++;
	if (!n)
		return TP_OK;
	struct tp_value found = { .source = TP_FROM_PRESET, .where = "run" };
	found.items = tp_arena_alloc(arena, n * sizeof(*found.items));
	for (; found.n < n; found.n++) {
		const struct tp_fact *f = tp_run_fact(run, fact_key(key, option, found.n));
		char number[32];
		snprintf(number, sizeof(number), "%.17g", f->number);
		const char *text = f->is_number ? number : f->text;
		enum tp_status status = tp_scalar_parse(option, text, strlen(text), arena,
							&found.items[found.n], diag);
		if (status != TP_OK)
			return status;
	}
	*value = found;
	return TP_OK;
}

enum tp_status tp_mine_config_of_run(struct tp_config *config, const struct tp_run *run,
				     struct tp_arena *arena, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	if (tp_config_value(config, TP_OPT_MINE_TARGET)->source > TP_FROM_PRESET)
		return TP_OK;
	for (size_t i = 0; tp_options_mining.rows[i] && status == TP_OK; i++) {
		struct tp_value *value = tp_config_at(config, tp_options_mining.rows[i]);
		if (value->source <= TP_FROM_PRESET)
			status = recall_option(value, tp_options_mining.rows[i], run, arena, diag);
	}
	return status;
}
