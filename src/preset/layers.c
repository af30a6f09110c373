/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options from outside the files: --set and the environment. */
#include "preset/reader.h"

#include <ctype.h>
#include <string.h>

#include "base/vec.h"
#include "base/text.h"

static const char prefix[] = "TPROF_";

/*
 * Variables with our prefix that are not options: paths of the program's files, and settings of its
 * tests. A trailing '*' stands for any ending.
 */
static const char *const not_options[] = { "TPROF_DATADIR", "TPROF_SRCDIR", "TPROF_BUILDDIR",
					   "TPROF_VERSION", "TPROF_CLI",    "TPROF_EMULATOR",
					   "TPROF_LEARNER", "TPROF_TEST_*" };

enum { NAME_BYTES = 64 };

/* "TPROF_STOP_ERROR" for "stop.error". */
static void variable_name(char out[NAME_BYTES], const struct tp_option *option)
{
	snprintf(out, NAME_BYTES, "%s%s", prefix, option->key);
	for (char *c = out; *c; c++)
		*c = *c == '.' || *c == '-' ? '_' : (char)toupper((unsigned char)*c);
}

static bool is_no_option(const char *variable, size_t len)
{
	for (size_t i = 0; i < TP_COUNT_OF(not_options); i++) {
		size_t n = strlen(not_options[i]);
		if (not_options[i][n - 1] == '*'
			    ? len >= n && !memcmp(variable, not_options[i], n - 1)
			    : len == n && !memcmp(variable, not_options[i], n))
			return true;
	}
	return false;
}

static enum tp_status store(const struct tp_option *option, const char *text,
			    enum tp_value_source source, const char *where, struct tp_arena *arena,
			    struct tp_layer *layer, struct tp_diags *diags)
{
	struct tp_diag found, diag;
	struct tp_value value;
	size_t at = tp_option_index(option);
	enum tp_status status = tp_option_parse(option, text, arena, &value, &found);
	layer->given[at] = true;
	if (status == TP_NOMEM)
		return status;
	if (status != TP_OK) {
		tp_fail(&diag, status, where, found.hint, "%s: %s", option->key, found.what);
		tp_diags_add(diags, &diag);
		return TP_OK;
	}
	value.source = source;
	tp_copy(value.where, sizeof(value.where), where);
	layer->values[at] = value;
	return TP_OK;
}

static void unknown_variable(const char *variable, size_t len, struct tp_diags *diags)
{
	char names[TP_OPTIONS_MAX][NAME_BYTES], shown[NAME_BYTES], hint[192];
	const char *words[TP_OPTIONS_MAX];
	struct tp_diag diag;
	const struct tp_option *option;
	size_t n = 0;
	for (; (option = tp_option_at(n)); n++) {
		variable_name(names[n], option);
		/* the prefix would make every name look near */
		words[n] = names[n] + strlen(prefix);
	}
	tp_shown(shown, sizeof(shown), variable, len);
	const char *near = tp_nearest(shown + strlen(prefix), words, n);
	if (near)
		snprintf(hint, sizeof(hint), "did you mean %s%s? else unset it", prefix, near);
	else
		snprintf(hint, sizeof(hint), "unset it; tprof-preset(5) lists all options");
	tp_fail(&diag, TP_USAGE, shown, hint, "no option has this environment variable");
	tp_diags_add(diags, &diag);
}

enum tp_status tp_layer_environment(char *const *environ, struct tp_arena *arena,
				    struct tp_layer *layer, struct tp_diags *diags)
{
	char name[NAME_BYTES];
	for (; environ && *environ; environ++) {
		const char *equals = strchr(*environ, '=');
		if (!equals || strncmp(*environ, prefix, strlen(prefix)) != 0)
			continue;
		size_t len = (size_t)(equals - *environ);
		const struct tp_option *option = NULL;
		bool known = is_no_option(*environ, len);
		for (size_t i = 0; !known && (option = tp_option_at(i)); i++) {
			variable_name(name, option);
			if (strlen(name) == len && memcmp(*environ, name, len) == 0)
				break;
		}
		if (!known && !option)
			unknown_variable(*environ, len, diags);
		/* an empty variable counts as unset, the usual way to switch one off */
		if (!option || !equals[1])
			continue;
		enum tp_status status =
			store(option, equals + 1, TP_FROM_ENVIRONMENT, name, arena, layer, diags);
		if (status != TP_OK)
			return status;
	}
	return TP_OK;
}

static enum tp_status collect(const struct tp_option *option, const char *name, const char *text,
			      struct tp_arena *arena, struct tp_layer *layer,
			      struct tp_diags *diags)
{
	struct tp_diag found, diag;
	size_t at = tp_option_index(option);
	enum tp_status status = tp_layer_collect(layer, option, name, text, arena, &found);
	if (status == TP_NOMEM)
		return status;
	if (status != TP_OK) {
		tp_fail(&diag, status, "--set", found.hint, "%s: %s", option->key, found.what);
		tp_diags_add(diags, &diag);
	}
	layer->collected[at] |= !layer->given[at];
	layer->given[at] = true;
	layer->values[at].source = TP_FROM_COMMAND_LINE;
	tp_copy(layer->values[at].where, sizeof(layer->values[at].where), "--set");
	return TP_OK;
}

enum tp_status tp_layer_sets(const char *const *sets, size_t n, struct tp_arena *arena,
			     struct tp_layer *layer, struct tp_diags *diags)
{
	for (size_t i = 0; i < n; i++) {
		char shown[NAME_BYTES], key[NAME_BYTES], hint[192];
		struct tp_diag diag;
		const char *equals = strchr(sets[i], '=');
		if (!equals) {
			tp_shown(shown, sizeof(shown), sets[i], strlen(sets[i]));
			tp_fail(&diag, TP_USAGE, "--set", "write --set key=value",
				"\"%s\" has no '='", shown);
			tp_diags_add(diags, &diag);
			continue;
		}
		const char *start = sets[i];
		size_t len = (size_t)(equals - start);
		tp_trim(&start, &len);
		tp_shown(key, sizeof(key), start, len);
		const struct tp_option *option = tp_option_find(key);
		const char *name;
		const struct tp_option *collector = option ? NULL : tp_option_collector(key, &name);
		if (collector) {
			enum tp_status status =
				collect(collector, name, equals + 1, arena, layer, diags);
			if (status != TP_OK)
				return status;
			continue;
		}
		if (!option) {
			const char *near = tp_option_nearest(key);
			if (strcmp(key, "runs") == 0)
				snprintf(hint, sizeof(hint), "runs are written in a preset only");
			else if (near)
				snprintf(hint, sizeof(hint), "did you mean %s?", near);
			else
				snprintf(hint, sizeof(hint), "tprof-preset(5) lists all options");
			tp_fail(&diag, TP_USAGE, "--set", hint, "unknown option \"%s\"", key);
			tp_diags_add(diags, &diag);
			continue;
		}
		enum tp_status status = store(option, equals + 1, TP_FROM_COMMAND_LINE, "--set",
					      arena, layer, diags);
		if (status != TP_OK)
			return status;
	}
	return TP_OK;
}
