/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/own_dots.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { KEY_BYTES = 24 };

static const struct tp_fact *fact_at(const struct tp_run *run, size_t i, char key[KEY_BYTES])
{
	snprintf(key, KEY_BYTES, "own_dots.%zu", i + 1);
	const struct tp_fact *fact = tp_run_fact(run, key);
	return fact && !fact->is_number ? fact : NULL;
}

size_t tp_run_own_dots(const struct tp_run *run, struct tp_own_dot dots[TP_OWN_DOTS_MAX])
{
	char key[KEY_BYTES];
	size_t n = 0;
	for (size_t i = 0; i < TP_OWN_DOTS_MAX; i++) {
		const struct tp_fact *fact = fact_at(run, i, key);
		n += fact && !tp_own_dot_parse(fact->text, &dots[n]);
	}
	return n;
}

enum tp_status tp_run_add_own_dot(struct tp_run *run, const char *text, struct tp_diag *diag)
{
	struct tp_own_dot dot, other;
	char key[KEY_BYTES], clean[TP_OWN_DOT_BYTES], shown[96];
	const char *wrong = tp_own_dot_parse(text, &dot);
	size_t i = 0;
	if (wrong)
		return tp_fail(diag, TP_USAGE, "dot", "allowed: " TP_OWN_DOT_ALLOWED, "\"%s\" %s",
			       tp_shown(shown, sizeof(shown), text, strlen(text)), wrong);
	for (; i < TP_OWN_DOTS_MAX; i++) {
		const struct tp_fact *fact = fact_at(run, i, key);
		if (!fact || tp_own_dot_parse(fact->text, &other) ||
		    strcmp(other.name, dot.name) == 0)
			break;
	}
	if (i == TP_OWN_DOTS_MAX)
		return tp_fail(diag, TP_RESOURCE, "dot", NULL,
			       "a roofline shows at most %d of them", TP_OWN_DOTS_MAX);
	return tp_run_fact_text(run, key, "%s", tp_own_dot_text(&dot, clean));
}
