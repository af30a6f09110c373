/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/code.h"
#include "base/file.h"
#include "experiments/experiment.h"
#include "session/session.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHOWN_BYTES = 250 };

static bool is_trusted(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && (st.st_uid == geteuid() || st.st_uid == 0) &&
	       !(st.st_mode & S_IWOTH);
}

static bool is_word_of_user(const struct tp_value *value)
{
	char config[TP_PATH_MAX];
	switch (value->source) {
	case TP_FROM_COMMAND_LINE:
	case TP_FROM_ENVIRONMENT:
		return true;
	case TP_FROM_USER_CONFIG:
		return tp_path_user_config("config.yaml", config, NULL) == TP_OK &&
		       is_trusted(config);
	case TP_FROM_SYSTEM:
		return is_trusted(TP_SYSTEM_CONFIG);
	default:
		return false;
	}
}

/* Without a word of its experiment, everything is foreign. */
static bool is_known(const struct tp_option *option, const char *text)
{
	const char *owner = tp_option_owner(option);
	const struct tp_experiment *e = owner ? tp_experiment_find(owner) : NULL;
	return e && e->code_is_known && e->code_is_known(option, text);
}

static void tell(const struct tp_option *option, const struct tp_value *value, const char *text,
		 bool is_trusted, struct tp_diags *diags)
{
	struct tp_diag diag;
	const char *more = strlen(text) > SHOWN_BYTES ? TP_CODE_CUT : "";
	tp_fail(&diag, TP_USAGE, value->where,
		is_trusted ? NULL
			   : "if you trust it, add --allow-code; what ships with tprof, usual "
			     "compilers and known libraries such as openblas need no such word",
		is_trusted ? "a run runs the code of %s: %.*s%s"
			   : "a run would run the code of %s, and you did not type that: %.*s%s",
		option->key, SHOWN_BYTES, text, more);
	for (size_t i = 0; i < diags->n; i++)
		if (strcmp(diags->items[i].where, diag.where) == 0 &&
		    strcmp(diags->items[i].what, diag.what) == 0)
			return;
	tp_diags_add(diags, &diag);
}

size_t tp_session_code(const struct tp_preset *preset, bool all, struct tp_diags *diags)
{
	size_t before = diags->n;
	for (size_t r = 0; r < preset->n_runs; r++)
		for (size_t i = 0; i < tp_option_count(); i++) {
			const struct tp_option *option = tp_option_at(i);
			const struct tp_value *value =
				option->code ? tp_config_value(&preset->runs[r], option) : NULL;
			bool trusted = value && is_word_of_user(value);
			for (size_t k = 0; value && k < value->n && (all || !trusted); k++)
				if (!is_known(option, value->items[k].text))
					tell(option, value, value->items[k].text, trusted, diags);
		}
	return diags->n - before;
}
