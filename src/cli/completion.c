/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tprof --completion: the scripts completion.bash and completion.zsh behind tables that are made from the command line options and
 * the preset options, so that a new row of either is completed without an edit here.
 *
 * What may follow is said by a kind, which both scripts understand: "words:A B" (these), "names:WHAT A B" (these and --list WHAT),
 * "files:PATTERN", "directories", "preset", "model", "run", "kernel", "assignment", or "none".
 */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/completion_text.h"
#include "base/str.h"
#include "base/vec.h"
#include "report/pairing.h"

#include <string.h>

static const struct command_row {
	const char *name, *argument, *help;
	char letter;
	bool optional;
} commands[] = {
#define COMMAND_ROW(id, name, letter, argument, optional, help)                                    \
	{ name, argument, help, letter, optional },
	TP_COMMAND_LIST(COMMAND_ROW)
#undef COMMAND_ROW
};

/* Commands that are words. */
static const char *const words_alone[] = { "doctor" };

/* Options that may be given many times. */
static const char repeated[] = "set dump-asm";

/* What an argument of the command line is, by its name in commands.h. A name that is missing here is "unknown": a test looks for it. */
static const struct {
	const char *argument, *kind;
} argument_kinds[] = {
	{ "PRESET", "preset" },	      { "RUN", "run" },
	{ "RUN RUN...", "run" },      { "KEY=VALUE", "assignment" },
	{ "FILE", "files:*" },	      { "DIR", "directories" },
	{ "MODEL", "model" },	      { "DESCRIPTION", "files:*.xml" },
	{ "ISA:KERNEL", "kernel" },   { "WHEN", "words:auto always never" },
	{ "N", "words:0 1 10 100" },  { "SHELL", "words:bash zsh" },
	{ "SIZE", "words:1% 2% 5%" }, { "PATH", "files:*" },
	{ "EVENT", "words:chosen" },
};

/* Preset options whose words are in a registry or come from the machine. */
static const struct {
	const char *key, *kind;
} key_kinds[] = {
	{ "experiment", "names:experiments" },
	{ "machine", "model" },
	{ "isa", "names:isas auto widest" },
	{ "topology", "files:*.xml" },
	{ "affinity", "words:compact scatter" },
	{ "families", "names:families" },
	{ "counters.habit", "names:habits" },
	{ "technique", "words:default single hand-time hand-accuracy confidence c+i c+i+r c+i+o "
		       "c+i+o+r racing" },
	{ "blas", "words:openblas blis mkl" },
};

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

static void kind_of_argument(struct tp_str *kind, const char *argument)
{
	if (strcmp(argument, "WHAT") == 0) {
		tp_str_add(kind, "words:");
		for (size_t i = 0; tp_cli_list_word(i); i++)
			tp_str_printf(kind, "%s%s", i ? " " : "", tp_cli_list_word(i));
		return;
	}
	if (strcmp(argument, "DIMENSION") == 0) {
		tp_str_add(kind, "words:");
		for (int i = TP_ACROSS_NONE + 1; i < TP_DIMENSION_COUNT; i++)
			tp_str_printf(kind, " %s", tp_dimension_name((enum tp_dimension)i));
		return;
	}
	for (size_t i = 0; i < TP_COUNT_OF(argument_kinds); i++)
		if (strcmp(argument, argument_kinds[i].argument) == 0) {
			tp_str_add(kind, argument_kinds[i].kind);
			return;
		}
	tp_str_add(kind, "unknown");
}

/* Its words, and its default, which shows how a value is written. */
static void kind_of_key(struct tp_str *kind, const struct tp_option *option)
{
	for (size_t i = 0; i < TP_COUNT_OF(key_kinds); i++)
		if (strcmp(option->key, key_kinds[i].key) == 0) {
			tp_str_add(kind, key_kinds[i].kind);
			return;
		}
	const char *words = option->type == TP_TYPE_BOOL    ? "true false"
			    : option->type == TP_TYPE_RATIO ? "best 1:0 0:1"
							    : option->words;
	if (!*words && (!option->fallback[0] || option->type == TP_TYPE_TEXT)) {
		tp_str_add(kind, "none");
		return;
	}
	tp_str_printf(kind, "words:%s", words);
	for (const char *at = option->fallback; *at; at += strspn(at, ",")) {
		char word[64];
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(at, ","), at);
		if (!tp_has_word(words, word))
			tp_str_printf(kind, " %s", word);
		at += strcspn(at, ",");
	}
}

/* _tprof_key KEY: sets kind and list. */
static void key_function(struct tp_str *out)
{
	tp_str_add(out, "_tprof_key() {\n\tkind=none list=\n\tcase ${1//-/_} in\n");
	for (size_t i = 0; i < TP_OPT_COUNT; i++) {
		const struct tp_option *o = &tp_option_table[i];
		struct tp_str kind = { 0 };
		kind_of_key(&kind, o);
		tp_str_printf(out, "\t%s) kind=", o->key);
		quoted(out, tp_str_text(&kind));
		tp_str_add(out, o->list ? " list=1 ;;\n" : " ;;\n");
		tp_str_release(&kind);
	}
	tp_str_add(out, "\tesac\n}\n");
}

static void array_of_words_alone(struct tp_str *out)
{
	tp_str_add(out, "_tprof_words_alone=(");
	for (size_t i = 0; i < TP_COUNT_OF(words_alone); i++)
		tp_str_printf(out, "%s%s", i ? " " : "", words_alone[i]);
	tp_str_add(out, ")\n");
}

static void bash_tables(struct tp_str *out)
{
	tp_str_add(out, "_tprof_long=(");
	for (size_t i = 0; i < TP_COUNT_OF(commands); i++)
		tp_str_printf(out, "%s--%s", i ? " " : "", commands[i].name);
	tp_str_add(out, ")\n");
	array_of_words_alone(out);
	tp_str_add(out, "_tprof_keys=(");
	for (size_t i = 0; i < TP_OPT_COUNT; i++)
		tp_str_printf(out, "%s%s", i ? " " : "", tp_option_table[i].key);
	tp_str_add(out, ")\n_tprof_option() {\n\tkind=\n\tcase $1 in\n");
	for (size_t i = 0; i < TP_COUNT_OF(commands); i++) {
		const struct command_row *c = &commands[i];
		struct tp_str kind = { 0 };
		if (!c->argument)
			continue;
		tp_str_add(&kind, c->optional ? "optional:" : "");
		kind_of_argument(&kind, c->argument);
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

/* Text inside a spec of _arguments or _describe, where some characters part its fields. */
static void escaped(struct tp_str *out, const char *text, const char *special)
{
	for (const char *p = text; *p; p++) {
		if (strchr(special, *p))
			tp_str_add(out, "\\");
		tp_str_add_n(out, p, 1);
	}
}

/* (-b --batch){-b+,--batch=}[help]:PRESET: _tprof_value "preset" */
static void zsh_spec(struct tp_str *out, const struct command_row *c)
{
	struct tp_str spec = { 0 };
	char names[64];
	const char *joint = !c->argument ? "" : c->optional ? "=-" : "=";
	if (!tp_has_word(repeated, c->name) && c->letter)
		snprintf(names, sizeof(names), "'(-%c --%s)'", c->letter, c->name);
	else
		snprintf(names, sizeof(names), tp_has_word(repeated, c->name) ? "'*'" : "");
	tp_str_printf(out, "\t%s", names);
	if (c->letter)
		tp_str_printf(out, "{-%c%s,--%s%s}", c->letter, c->argument ? "+" : "", c->name,
			      joint);
	else
		tp_str_printf(out, "--%s%s", c->name, joint);
	tp_str_add(&spec, "[");
	escaped(&spec, c->help, "[]\\");
	tp_str_add(&spec, "]");
	if (c->argument) {
		struct tp_str kind = { 0 };
		kind_of_argument(&kind, c->argument);
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
	for (size_t i = 0; i < TP_COUNT_OF(commands); i++)
		zsh_spec(out, &commands[i]);
	tp_str_add(out, ")\n");
	array_of_words_alone(out);
	tp_str_add(out, "_tprof_keys=(\n");
	for (size_t i = 0; i < TP_OPT_COUNT; i++) {
		struct tp_str entry = { 0 };
		escaped(&entry, tp_option_table[i].key, ":\\");
		tp_str_add(&entry, ":");
		escaped(&entry, tp_option_table[i].help, "\\");
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

int tp_cli_completion(const struct tp_cli *cli)
{
	struct tp_str out = { 0 };
	struct tp_diag diag;
	for (size_t i = 0; i < TP_COUNT_OF(shells); i++) {
		if (strcmp(cli->completion, shells[i].name) != 0)
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
		"there is no completion for \"%.80s\"", cli->completion);
	tp_cli_complain(&diag);
	return TP_EXIT_USAGE;
}
