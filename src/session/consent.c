/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/consent.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "experiments/experiment.h"
#include "session/document.h"
#include "session/session.h"

enum { SHOWN_BYTES = 1000 };

static const char hint[] =
	"       if you trust it, add --allow-code; what ships with tprof, usual compilers and "
	"known libraries such as openblas need no such word";

static bool is_same(const struct tp_act *a, const struct tp_act *b)
{
	return strcmp(a->where, b->where) == 0 && a->sum == b->sum &&
	       strcmp(tp_str_text(&a->what), tp_str_text(&b->what)) == 0;
}

struct tp_act *tp_consent_add(struct tp_consent *consent, const char *where, const char *fmt, ...)
{
	TP_STR raw = { 0 };
	va_list ap;
	if (consent->n == TP_ACTS_MAX) {
		consent->acts[TP_ACTS_MAX - 1].cut = true;
		return &consent->acts[TP_ACTS_MAX - 1];
	}
	struct tp_act *act = &consent->acts[consent->n];
	va_start(ap, fmt);
	tp_str_vprintf(&raw, fmt, ap);
	va_end(ap);
	*act = (struct tp_act){ 0 };
	tp_copy(act->where, sizeof(act->where), where);
	tp_str_add_clean(&act->what, tp_str_text(&raw), false);
	for (size_t i = 0; i < consent->n; i++)
		if (is_same(&consent->acts[i], act)) {
			tp_str_release(&act->what);
			return &consent->acts[i];
		}
	consent->n++;
	return act;
}

bool tp_consent_same(const struct tp_consent *a, const struct tp_consent *b)
{
	bool same = a->n == b->n;
	for (size_t i = 0; i < a->n && same; i++)
		same = is_same(&a->acts[i], &b->acts[i]);
	return same;
}

void tp_consent_release(struct tp_consent *consent)
{
	for (size_t i = 0; i < consent->n; i++)
		tp_str_release(&consent->acts[i].what);
	*consent = (struct tp_consent){ 0 };
}

/* --- presets --- */

static bool is_typed(const struct tp_value *value)
{
	char config[TP_PATH_MAX];
	struct stat st;
	switch (value->source) {
	case TP_FROM_COMMAND_LINE:
	case TP_FROM_ENVIRONMENT:
		return true;
	case TP_FROM_USER_CONFIG:
		return tp_path_user_config("config.yaml", config, NULL) == TP_OK &&
		       stat(config, &st) == 0 && tp_is_own(&st);
	case TP_FROM_SYSTEM:
		return stat(TP_SYSTEM_CONFIG, &st) == 0 && tp_is_own(&st);
	default:
		return false;
	}
}

/* Without an answer of its experiment, everything counts as foreign. */
static bool is_known(const struct tp_option *option, const char *text)
{
	const char *owner = tp_option_owner(option);
	const struct tp_experiment *e = owner ? tp_experiment_find(owner) : NULL;
	return e && e->code_is_known && e->code_is_known(option, text);
}

static void add_value(struct tp_consent *consent, const struct tp_option *option,
		      const struct tp_value *value, bool all)
{
	const bool all_typed = is_typed(value);
	for (size_t k = 0; k < value->n; k++) {
		const char *text = value->items[k].text;
		const bool typed = all_typed || value->items[k].typed;
		if ((typed && !all) || is_known(option, text))
			continue;
		bool cut = strlen(text) > SHOWN_BYTES;
		struct tp_act *act = tp_consent_add(
			consent, value->where,
			typed ? "a run runs the code of %s: %.*s%s"
			      : "a run would run the code of %s, and you did not type that: %.*s%s",
			option->key, SHOWN_BYTES, text, cut ? "..." : "");
		act->typed = typed;
		act->cut |= cut;
	}
}

void tp_consent_add_preset(struct tp_consent *consent, const struct tp_preset *preset, bool all)
{
	for (size_t r = 0; r < preset->n_runs; r++)
		for (size_t i = 0; i < tp_option_count(); i++)
			if (tp_option_at(i)->code)
				add_value(consent, tp_option_at(i),
					  tp_config_value(&preset->runs[r], tp_option_at(i)), all);
}

bool tp_preset_acts(const struct tp_preset *preset)
{
	TP_CLEANUP(tp_consent_release) struct tp_consent consent = { 0 };
	tp_consent_add_preset(&consent, preset, false);
	return consent.n > 0;
}

/* --- questions --- */

void tp_consent_say(const struct tp_consent *consent)
{
	bool asks = false;
	for (size_t i = 0; i < consent->n; i++) {
		tp_say("%s: %s", consent->acts[i].where, tp_str_text(&consent->acts[i].what));
		asks |= !consent->acts[i].typed;
	}
	if (asks)
		tp_say_command(hint);
}

bool tp_consent_given(const struct tp_consent *consent, bool allowed)
{
	char line[16] = "";
	bool whole = true;
	if (allowed || !consent->n)
		return true;
	tp_consent_say(consent);
	for (size_t i = 0; i < consent->n; i++)
		whole &= !consent->acts[i].cut;
	if (!whole || !tp_look_foreground(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return false;
	fputs("tprof: do it? [y/N] ", stderr);
	return fgets(line, sizeof(line), stdin) && (*line == 'y' || *line == 'Y');
}

bool tp_consent_words(const struct tp_consent *consent, struct tp_str *out)
{
	bool whole = true;
	for (size_t i = 0; i < consent->n; i++) {
		const struct tp_act *act = &consent->acts[i];
		tp_str_printf(out, "%s%s:\n%s", i ? "\n\n" : "", act->where,
			      tp_str_text(&act->what));
		whole &= !act->cut;
	}
	return whole;
}
