/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/pattern/sweep.h"

#include <string.h>

#include "base/expression.h"
#include "base/text.h"
#include "base/memory.h"
#include "sweep/sweep.h"

static const char form[] = "write NAME=VALUES: n=1000, \"tile=16 32 64\", tile=16..256*2, k=3..20";

static enum tp_status refuse(const char *wish, const char *hint, const char *what,
			     struct tp_diag *diag)
{
	char shown[80];
	return tp_fail(diag, TP_USAGE, NULL, hint, "\"%s\": %s",
		       tp_shown(shown, sizeof(shown), wish, strlen(wish)), what);
}

static enum tp_status take_numbers(struct tp_pattern_sweep *sweep, size_t parameter,
				   const char *wish, const char *at, struct tp_arena *arena,
				   struct tp_diag *diag)
{
	int64_t values[TP_PATTERN_VALUES_MAX];
	size_t n = 0;
	for (at += strspn(at, " "); *at; at += strspn(at, " ")) {
		const char *wrong = tp_sweep_numbers(&at, values, TP_COUNT_OF(values), &n);
		if (!wrong && *at && *at != ' ')
			wrong = "this is not understood";
		if (wrong)
			return refuse(wish, form, wrong, diag);
	}
	if (n == 0)
		return refuse(wish, form, "there are no values", diag);
	int64_t *kept = tp_arena_alloc(arena, n * sizeof(*kept));
	if (!kept)
		return tp_fail(diag, TP_NOMEM, NULL, NULL, "out of memory");
	memcpy(kept, values, n * sizeof(*kept));
	sweep->parameters[parameter].values = kept;
	sweep->parameters[parameter].n = n;
	return TP_OK;
}

/* The next word; its length, 0 at the end. */
static size_t next_word(const char **at)
{
	*at += strspn(*at, " ");
	return strcspn(*at, " ");
}

static enum tp_status take_templates(struct tp_pattern_sweep *sweep, const char *wish,
				     const char *at, struct tp_diag *diag)
{
	sweep->n_templates = 0;
	for (size_t len; (len = next_word(&at)); at += len) {
		enum tp_pattern_template template;
		if (!tp_pattern_template_find(at, len, &template) || sweep->n_templates == 3)
			return refuse(wish, "unified, independent or nonaffine",
				      "there is no such template", diag);
		sweep->templates[sweep->n_templates++] = template;
	}
	return sweep->n_templates ? TP_OK : refuse(wish, form, "there are no values", diag);
}

static enum tp_status take_nowaits(struct tp_pattern_sweep *sweep, const char *wish, const char *at,
				   struct tp_diag *diag)
{
	sweep->n_nowaits = 0;
	for (size_t len; (len = next_word(&at)); at += len) {
		bool yes = len == 4 && strncmp(at, "true", 4) == 0;
		if ((!yes && (len != 5 || strncmp(at, "false", 5) != 0)) || sweep->n_nowaits == 2)
			return refuse(wish, "true, false, or both", "expected true or false", diag);
		sweep->nowaits[sweep->n_nowaits++] = yes;
	}
	return sweep->n_nowaits ? TP_OK : refuse(wish, form, "there are no values", diag);
}

static enum tp_status take_wish(struct tp_pattern_sweep *sweep, const struct tp_pattern *p,
				const char *wish, bool *used, struct tp_arena *arena,
				struct tp_diag *diag)
{
	size_t len = tp_identifier_length(wish);
	const char *at = wish + len + strspn(wish + len, " ");
	if (len == 0 || *at != '=')
		return refuse(wish, form, "it is no NAME=VALUES", diag);
	at++;
	if (len == 8 && strncmp(wish, "template", len) == 0) {
		*used = true;
		return take_templates(sweep, wish, at, diag);
	}
	if (len == 6 && strncmp(wish, "nowait", len) == 0) {
		*used = true;
		return take_nowaits(sweep, wish, at, diag);
	}
	int parameter = tp_pattern_find_parameter(p, wish, len);
	if (parameter < 0)
		return TP_OK;
	*used = true;
	sweep->n_wished |= parameter == sweep->n_parameter;
	return take_numbers(sweep, (size_t)parameter, wish, at, arena, diag);
}

enum tp_status tp_pattern_sweep_make(struct tp_pattern_sweep *sweep, const struct tp_pattern *p,
				     const struct tp_value *wishes, bool *used,
				     struct tp_arena *arena, struct tp_diag *diag)
{
	*sweep = (struct tp_pattern_sweep){ .n_templates = p->n_templates,
					    .n_nowaits = p->n_nowaits,
					    .n_parameter = tp_pattern_find_parameter(p, "n", 1) };
	memcpy(sweep->templates, p->templates, sizeof(sweep->templates));
	memcpy(sweep->nowaits, p->nowaits, sizeof(sweep->nowaits));
	for (size_t i = 0; i < p->n_parameters; i++) {
		sweep->parameters[i].values = p->parameters[i].values;
		sweep->parameters[i].n = p->parameters[i].n;
	}
	enum tp_status status = TP_OK;
	for (size_t w = 0; w < wishes->n && status == TP_OK; w++)
		status = take_wish(sweep, p, wishes->items[w].text, &used[w], arena, diag);
	return status;
}

double tp_pattern_sweep_count(const struct tp_pattern_sweep *sweep, bool sized)
{
	double n = (double)(sweep->n_templates * sweep->n_nowaits);
	for (int i = 0; i < TP_PATTERN_PARAMETERS_MAX; i++)
		if (sweep->parameters[i].n && !(sized && i == sweep->n_parameter))
			n *= (double)sweep->parameters[i].n;
	return n;
}

void tp_pattern_sweep_take(const struct tp_pattern_sweep *sweep, size_t i, bool sized,
			   struct tp_pattern_config *c)
{
	/* The last parameter changes fastest, as loops that are written one in the other. */
	for (int p = TP_PATTERN_PARAMETERS_MAX - 1; p >= 0; p--) {
		size_t n = sweep->parameters[p].n;
		if (!n || (sized && p == sweep->n_parameter))
			continue;
		c->values[p] = sweep->parameters[p].values[i % n];
		i /= n;
	}
	c->nowait = sweep->nowaits[i % sweep->n_nowaits];
	c->template = sweep->templates[i / sweep->n_nowaits % sweep->n_templates];
}
