/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tprof --completion: tables made from the rows of the command line and of the preset options, and
 * behind them the script completion.bash or completion.zsh. A new row needs no edit here. A kind
 * says what can stand for a value. Both scripts understand "words:A B" (these), "files:PATTERN",
 * "directories", "preset", "model", "run", "kernel", "assignment" and "none".
 */
#include "cli/commands.h"
#include "cli/completion_text.h"
#include "base/str.h"
#include "base/memory.h"
#include "experiments/words.h"

#include <string.h>

/* In single quotes, for either shell. */
static void quoted(struct tp_str *out, const char *text)
{
	tp_str_add(out, "'");
	for (const char *p = text; *p; p++)
		if (*p == '\'')
			tp_str_add(out, "'\\''");
		else
			tp_str_add_n(out, p, 1);
	tp_str_add(out, "'");
}

/* The kind of a row's value; "unknown" where the row has none: a test looks for that. */
static void kind_of_argument(struct tp_str *kind, const struct tp_command *row)
{
	if (!row->listed) {
		tp_str_add(kind, row->kind ? row->kind : "unknown");
		return;
	}
	for (size_t i = 0; row->listed(i); i++)
		tp_str_printf(kind, "%s%s", i ? " " : "words:", row->listed(i));
}

static bool is_offered(const struct tp_words *words, const char *at, size_t n)
{
	for (size_t i = 0; i < words->n; i++)
		if (strlen(words->items[i].word) == n && strncmp(words->items[i].word, at, n) == 0)
			return true;
	return false;
}

/*
 * The kind of the command line option that sets this one, else its words and its default, which
 * shows how a value is written.
 */
static void kind_of_key(struct tp_str *kind, const struct tp_option *option)
{
	struct tp_words words;
	for (const struct tp_command *row = tp_command_table; row->name; row++)
		if (row->key && row->kind && strcmp(row->key, option->key) == 0) {
			tp_str_add(kind, row->kind);
			return;
		}
	kind->oom |= tp_words_make(&words, option, NULL) != TP_OK;
	const char *gap = "words:";
	for (size_t i = 0; i < words.n; i++, gap = " ")
		tp_str_printf(kind, "%s%s", gap, words.items[i].word);
	const char *at = words.n || option->type != TP_TYPE_TEXT ? option->fallback : "";
	for (size_t n; *at; at += n + strspn(at + n, ",")) {
		n = strcspn(at, ",");
		if (is_offered(&words, at, n))
			continue;
		tp_str_printf(kind, "%s%.*s", gap, (int)n, at);
		gap = " ";
	}
	if (!kind->len)
		tp_str_add(kind, "none");
	tp_words_release(&words);
}

/* The function _tprof_key KEY, which sets kind and list. */
static void key_function(struct tp_str *out)
{
	tp_str_add(out, "_tprof_key() {\n\tkind=none list=\n\tcase ${1//-/_} in\n");
	const struct tp_option *o;
	for (size_t i = 0; (o = tp_option_at(i)); i++) {
		struct tp_str kind = { 0 };
		kind_of_key(&kind, o);
		tp_str_printf(out, "\t%s) kind=", o->key);
		quoted(out, tp_str_text(&kind));
		tp_str_add(out, o->list ? " list=1 ;;\n" : " ;;\n");
		tp_str_release(&kind);
	}
	tp_str_add(out, "\tesac\n}\n");
}

/* NAME=(A B C): the commands that are words, or the options. */
static void array_of_names(struct tp_str *out, const char *name, bool words)
{
	const char *gap = "";
	tp_str_printf(out, "%s=(", name);
	for (const struct tp_command *row = tp_command_table; row->name; row++) {
		if (row->word != words)
			continue;
		tp_str_printf(out, "%s%s%s", gap, words ? "" : "--", row->name);
		gap = " ";
	}
	tp_str_add(out, ")\n");
}

static void bash_tables(struct tp_str *out)
{
	array_of_names(out, "_tprof_long", false);
	array_of_names(out, "_tprof_words_alone", true);
	tp_str_add(out, "_tprof_keys=(");
	const struct tp_option *o;
	for (size_t i = 0; (o = tp_option_at(i)); i++)
		tp_str_printf(out, "%s%s", i ? " " : "", o->key);
	tp_str_add(out, ")\n_tprof_option() {\n\tkind=\n\tcase $1 in\n");
	for (const struct tp_command *c = tp_command_table; c->name; c++) {
		struct tp_str kind = { 0 };
		if (!c->argument)
			continue;
		tp_str_add(&kind, c->optional ? "optional:" : "");
		kind_of_argument(&kind, c);
		tp_str_add(out, "\t");
		if (c->letter)
			tp_str_printf(out, "-%c | ", c->letter);
		tp_str_printf(out, "--%s) kind=", c->name);
		quoted(out, tp_str_text(&kind));
		tp_str_add(out, " ;;\n");
		tp_str_release(&kind);
	}
	tp_str_add(out, "\tesac\n}\n");
	key_function(out);
}

/* Text inside a spec of _arguments or _describe, where some characters separate its fields. */
static void escaped(struct tp_str *out, const char *text, const char *special)
{
	for (const char *p = text; *p; p++) {
		if (strchr(special, *p))
			tp_str_add(out, "\\");
		tp_str_add_n(out, p, 1);
	}
}

/* (-b --batch){-b+,--batch=}[help]:PRESET: _tprof_value "preset" */
static void zsh_spec(struct tp_str *out, const struct tp_command *c)
{
	struct tp_str spec = { 0 }, help = { 0 };
	char names[64];
	const char *joint = !c->argument ? "" : c->optional ? "=-" : "=";
	if (!c->repeats && c->letter)
		snprintf(names, sizeof(names), "'(-%c --%s)'", c->letter, c->name);
	else
		snprintf(names, sizeof(names), c->repeats ? "'*'" : "");
	tp_str_printf(out, "\t%s", names);
	if (c->letter)
		tp_str_printf(out, "{-%c%s,--%s%s}", c->letter, c->argument ? "+" : "", c->name,
			      joint);
	else
		tp_str_printf(out, "--%s%s", c->name, joint);
	tp_str_add(&spec, "[");
	tp_command_help(c, &help);
	escaped(&spec, tp_str_text(&help), "[]\\");
	tp_str_release(&help);
	tp_str_add(&spec, "]");
	if (c->argument) {
		struct tp_str kind = { 0 };
		kind_of_argument(&kind, c);
		tp_str_add(&spec, c->optional ? "::" : ":");
		escaped(&spec, c->argument, ":\\");
		tp_str_add(&spec, ": _tprof_value \"");
		escaped(&spec, tp_str_text(&kind), ":\\");
		tp_str_add(&spec, "\"");
		tp_str_release(&kind);
	}
	quoted(out, tp_str_text(&spec));
	tp_str_add(out, "\n");
	out->oom |= spec.oom;
	tp_str_release(&spec);
}

static void zsh_tables(struct tp_str *out)
{
	tp_str_add(out, "_tprof_specs=(\n");
	for (const struct tp_command *row = tp_command_table; row->name; row++)
		if (!row->word)
			zsh_spec(out, row);
	tp_str_add(out, ")\n");
	array_of_names(out, "_tprof_words_alone", true);
	tp_str_add(out, "_tprof_keys=(\n");
	const struct tp_option *o;
	for (size_t i = 0; (o = tp_option_at(i)); i++) {
		struct tp_str entry = { 0 };
		escaped(&entry, o->key, ":\\");
		tp_str_add(&entry, ":");
		escaped(&entry, o->help, "\\");
		tp_str_add(out, "\t");
		quoted(out, tp_str_text(&entry));
		tp_str_add(out, "\n");
		tp_str_release(&entry);
	}
	tp_str_add(out, ")\n");
	key_function(out);
}

static const struct shell {
	const char *name;
	void (*tables)(struct tp_str *out);
	const char *script;
} shells[] = {
	{ "bash", bash_tables, tp_completion_bash },
	{ "zsh", zsh_tables, tp_completion_zsh },
};

const char *tp_cli_shell_word(size_t i)
{
	return i < TP_COUNT_OF(shells) ? shells[i].name : NULL;
}

int tp_cli_completion(const struct tp_cli *cli)
{
	struct tp_str out = { 0 };
	struct tp_diag diag;
	for (size_t i = 0; i < TP_COUNT_OF(shells); i++) {
		if (strcmp(tp_cli_value(cli), shells[i].name) != 0)
			continue;
		tp_str_printf(&out,
			      "# Completion of tprof(1) %s for %s, made by tprof --completion.\n",
			      PACKAGE_VERSION, shells[i].name);
		shells[i].tables(&out);
		tp_str_add(&out, "\n");
		tp_str_add(&out, shells[i].script);
		bool whole = !out.oom;
		if (whole)
			fputs(tp_str_text(&out), stdout);
		tp_str_release(&out);
		return whole ? TP_EXIT_OK : TP_EXIT_RESOURCE;
	}
	tp_fail(&diag, TP_USAGE, "--completion", "bash or zsh",
		"there is no completion for \"%.80s\"", tp_cli_value(cli));
	tp_complain(&diag);
	return TP_EXIT_USAGE;
}
