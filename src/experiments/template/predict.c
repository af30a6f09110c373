/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The static view: what llvm-mca says of the innermost loop of each region. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "experiments/template/options.h"
#include "experiments/template/plan_row.h"

enum { BATCH = 256, ASSEMBLY_MAX = 16 << 20 };

struct prediction {
	struct tp_bench *bench;
	const struct tp_planned *const *planned;
	size_t n;
	struct tp_mca mca;
	char *cpu; /* in the arena of the plan */
};

static enum tp_status list_all(struct prediction *p, struct tp_diag *diag)
{
	struct tp_compiled_code **codes = calloc(p->n + 1, sizeof(*codes));
	size_t wanted = 0;
	if (!codes)
		return tp_fail(diag, TP_NOMEM, "template", NULL, "out of memory");
	for (size_t i = 0; i < p->n; i++) {
		struct tp_template_variant *v = tp_template_plan(p->planned[i])->variant;
		if (v->code.status == TP_OK)
			codes[wanted++] = &v->listing;
	}
	enum tp_status status = tp_compiled_prepare(p->bench, codes, wanted, diag);
	free(codes);
	return status;
}

/* Appends the piece of a point's region. */
static bool cut(const struct tp_planned *planned, struct tp_str *out)
{
	const struct tp_template_plan *plan = tp_template_plan(planned);
	const struct tp_template_row *row = planned->point.row;
	const struct tp_compiled_code *listing = &plan->variant->listing;
	char *text = NULL;
	size_t len;
	bool good = listing->tried && listing->status == TP_OK && listing->path &&
		    tp_file_read(listing->path, ASSEMBLY_MAX, &text, &len, NULL) == TP_OK &&
		    tp_template_cut(text, row->region, out);
	free(text);
	return good;
}

/* Points from `from` on, at most BATCH of them; *to is where the next ones begin. */
static enum tp_status predict_some(struct prediction *p, size_t from, size_t *to,
				   struct tp_diag *diag)
{
	struct tp_str sources[BATCH] = { 0 };
	const char *texts[BATCH];
	struct tp_template_plan *plans[BATCH];
	struct tp_mca_result *results = NULL;
	size_t n = 0;
	for (*to = from; *to < p->n && n < BATCH; ++*to)
		if (cut(p->planned[*to], &sources[n])) {
			plans[n] = tp_template_plan(p->planned[*to]);
			texts[n] = tp_str_text(&sources[n]);
			n++;
		} else {
			tp_str_clear(&sources[n]);
		}
	if (n)
		results = tp_arena_alloc(plans[0]->variant->code.arena, n * sizeof(*results));
	enum tp_status status = results ? tp_mca_predict(&p->mca, texts, n, results, diag) : TP_OK;
	for (size_t i = 0; i < n && results && status == TP_OK; i++) {
		plans[i]->mca = &results[i];
		plans[i]->mca_cpu = p->cpu;
	}
	for (size_t i = 0; i < BATCH; i++)
		tp_str_release(&sources[i]);
	return status == TP_CANCELLED ? status : TP_OK;
}

enum tp_status tp_template_predict(struct tp_bench *bench, const struct tp_planned *const *planned,
				   size_t n, struct tp_diag *diag)
{
	struct prediction p = { .bench = bench, .planned = planned, .n = n };
	if (n == 0)
		return TP_OK;
	const char *cpu = tp_config_text(planned[0]->config, TP_OPT_TEMPLATE_MCA);
	enum tp_status status = tp_mca_find(&p.mca, strcmp(cpu, "auto") == 0 ? "" : cpu, diag);
	/* Without it the columns stay empty. */
	if (status != TP_OK)
		return status == TP_CANCELLED ? status : TP_OK;
	p.cpu = tp_arena_strdup(tp_template_plan(planned[0])->variant->code.arena, p.mca.cpu);
	if (!p.cpu)
		return tp_fail(diag, TP_NOMEM, "template", NULL, "out of memory");
	status = list_all(&p, diag);
	for (size_t i = 0; i < n && status == TP_OK;)
		status = predict_some(&p, i, &i, diag);
	return status;
}
