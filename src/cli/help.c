/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --help and --version. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/str.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/completion_text.h"
#include "doc/terminal.h"
#include "experiments/words.h"

enum { HELP_COLUMN = 31, HELP_COLUMNS_MAX = 100 };

/* The first page fits a terminal of 40 lines and 80 columns. */
static const char first_head[] =
	"Usage: tprof [COMMAND] [OPTION]...     Without a command: the screens.\n\n"
	"Measures what a machine, a loop and your program really do.\n"
	"First steps:  tprof --batch quick,  tprof --app -- ./program,  tprof doctor\n\n";

static const char exit_words[] =
	"\nExit status: 0 ok, 1 failed, 2 usage or preset wrong, 3 some points skipped,\n"
	"4 permission or resource, 5 unstable with --strict, 130 interrupted.\n";

static const char preset_options[] =
	"Preset options (--set KEY=VALUE, TPROF_KEY=VALUE, or in a preset file; see\n"
	"tprof-preset(5)), with their defaults:\n";

static const struct {
	const char *name, *summary;
} topics[] = {
	{ "run", "measure, resume; where results and messages go" },
	{ "show", "reports, plots, data and pictures of stored runs" },
	{ "app", "a program of yours: under roofs, over time" },
	{ "cluster", "the same preset on many nodes" },
	{ "compare", "several runs, or parts of one, side by side" },
	{ "classify", "what hardware events count, and metrics for PAPI" },
	{ "mine", "what decides a column of a table or a run" },
	{ "presets", "check a preset, plan it, see its options" },
	{ "machine", "lists, kernels, simulation, doctor" },
	{ "screens", "the screens, colours, replay" },
	{ "options", "every option of a preset, with its default" },
	{ "all", "everything" },
};

const char *tp_cli_help_word(size_t i)
{
	return i < TP_COUNT_OF(topics) ? topics[i].name : NULL;
}

/* A row of two columns: a name and its text. */
static void help_row(struct tp_text *doc, const char *left, const char *text)
{
	TP_STR name = { 0 };
	tp_str_printf(&name, "  %-*s ", HELP_COLUMN - 3, left);
	tp_text_run(doc, TP_PAINT_PLAIN, tp_str_text(&name));
	tp_text_wrap(doc, TP_PAINT_PLAIN, text, TP_MAX(strlen(left) + 3, (size_t)HELP_COLUMN),
		     HELP_COLUMN);
}

static void command_row(struct tp_text *doc, const struct tp_command *row, const char *help)
{
	TP_STR left = { 0 }, text = { 0 };
	/* "-b, --batch PRESET" */
	if (row->word)
		tp_str_printf(&left, "    %s", row->name);
	else if (row->letter)
		tp_str_printf(&left, "-%c, --%s", row->letter, row->name);
	else
		tp_str_printf(&left, "    --%s", row->name);
	if (row->argument)
		tp_str_printf(&left, row->optional ? "[=%s]" : " %s", row->argument);
	tp_command_text(row, help, &text);
	help_row(doc, tp_str_text(&left), tp_str_text(&text));
}

static void first_page(struct tp_text *doc, const struct tp_command *rows)
{
	tp_text_verbatim(doc, first_head);
	tp_text_verbatim(doc, "Commands:\n");
	for (const struct tp_command *row = rows; row->name; row++)
		if (row->brief)
			command_row(doc, row, row->brief);
	tp_text_verbatim(doc, "\nMore help:  tprof --help TOPIC\n");
	for (size_t i = 0; i < TP_COUNT_OF(topics); i++)
		help_row(doc, topics[i].name, topics[i].summary);
	tp_text_verbatim(doc, exit_words);
}

static void options_page(struct tp_text *doc)
{
	const struct tp_option *o;
	tp_text_verbatim(doc, preset_options);
	for (size_t i = 0; (o = tp_option_at(i)); i++) {
		TP_STR text = { 0 };
		tp_option_text(o, &text);
		if (o->fallback[0])
			tp_str_printf(&text, " [%s]", o->fallback);
		help_row(doc, o->key, tp_str_text(&text));
	}
}

/* The commands and options of a topic, or with NULL all. */
static void commands_page(struct tp_text *doc, const struct tp_command *rows, const char *topic)
{
	for (const struct tp_command *row = rows; row->name; row++)
		if (!topic || (row->topics && tp_has_word(row->topics, topic)))
			command_row(doc, row, row->help);
}

static bool is_topic(const char *word)
{
	for (size_t i = 0; tp_cli_help_word(i); i++)
		if (strcmp(tp_cli_help_word(i), word) == 0)
			return true;
	return false;
}

static int unknown_topic(const char *word)
{
	const char *names[TP_COUNT_OF(topics)];
	char shown[64];
	TP_STR hint = { 0 };
	for (size_t i = 0; i < TP_COUNT_OF(topics); i++)
		names[i] = topics[i].name;
	tp_shown(shown, sizeof(shown), word, strlen(word));
	tp_str_suggest(&hint, shown, "allowed: ", names, TP_COUNT_OF(topics), " or ");
	return tp_cli_usage(tp_str_text(&hint), "there is no help on \"%s\"", shown);
}

int tp_cli_help(const struct tp_cli *cli)
{
	struct tp_look look;
	TP_TEXT(text, &look);
	TP_STR out = { 0 };
	const char *topic = cli->topic;
	if (topic && !is_topic(topic))
		return unknown_topic(topic);
	tp_look_init(&look, &cli->look, STDOUT_FILENO);
	look.columns = TP_MIN(look.columns, (unsigned)HELP_COLUMNS_MAX);
	bool all = topic && strcmp(topic, "all") == 0;
	bool options = topic && strcmp(topic, "options") == 0;
	if (!topic)
		first_page(&text, cli->commands);
	else if (!options)
		commands_page(&text, cli->commands, all ? NULL : topic);
	if (all)
		tp_text_gap(&text);
	if (all || options)
		options_page(&text);
	if (all)
		tp_text_verbatim(&text, exit_words);
	tp_text_print(&text, &out);
	fputs(tp_str_text(&out), stdout);
	return TP_EXIT_OK;
}

int tp_cli_version(const struct tp_cli *cli)
{
	(void)cli;
	puts("tprof " PACKAGE_VERSION "\n" TP_FEATURES);
	return TP_EXIT_OK;
}

/*
 * --- completion ---
 *
 * Tables made from the rows of the command line and of the preset options, followed by the script
 * completion.bash, completion.zsh or completion.fish. A new row needs no edit here. A kind
 * describes the values. All scripts understand "words:A B" (these),
 * "files:PATTERN", "directories", "preset", "model", "run", "kernel", "assignment" and "none".
 */

/* In single quotes, for either shell. */
static void add_quoted(struct tp_str *out, const char *text)
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
static void kind_of_key(struct tp_str *kind, const struct tp_command *rows,
			const struct tp_option *option)
{
	struct tp_words words;
	for (const struct tp_command *row = rows; row->name; row++)
		if (row->key && row->kind && strcmp(row->key, option->key) == 0) {
			tp_str_add(kind, row->kind);
			return;
		}
	tp_words_make(&words, option, NULL);
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
static void key_function(struct tp_str *out, const struct tp_command *rows)
{
	tp_str_add(out, "_tprof_key() {\n\tkind=none list=\n\tcase ${1//-/_} in\n");
	const struct tp_option *o;
	for (size_t i = 0; (o = tp_option_at(i)); i++) {
		TP_STR kind = { 0 };
		kind_of_key(&kind, rows, o);
		tp_str_printf(out, "\t%s) kind=", o->key);
		add_quoted(out, tp_str_text(&kind));
		tp_str_add(out, o->list ? " list=1 ;;\n" : " ;;\n");
	}
	tp_str_add(out, "\tesac\n}\n");
}

/* NAME=(A B C): the commands that are words, or the options. */
static void array_of_names(struct tp_str *out, const struct tp_command *rows, const char *name,
			   bool words)
{
	const char *gap = "";
	tp_str_printf(out, "%s=(", name);
	for (const struct tp_command *row = rows; row->name; row++) {
		if (row->word != words)
			continue;
		tp_str_printf(out, "%s%s%s", gap, words ? "" : "--", row->name);
		gap = " ";
	}
	tp_str_add(out, ")\n");
}

static void bash_tables(struct tp_str *out, const struct tp_command *rows)
{
	array_of_names(out, rows, "_tprof_long", false);
	array_of_names(out, rows, "_tprof_words_alone", true);
	tp_str_add(out, "_tprof_keys=(");
	const struct tp_option *o;
	for (size_t i = 0; (o = tp_option_at(i)); i++)
		tp_str_printf(out, "%s%s", i ? " " : "", o->key);
	tp_str_add(out, ")\n_tprof_option() {\n\tkind=\n\tcase $1 in\n");
	for (const struct tp_command *c = rows; c->name; c++) {
		TP_STR kind = { 0 };
		if (!c->argument)
			continue;
		tp_str_add(&kind, c->optional ? "optional:" : "");
		kind_of_argument(&kind, c);
		tp_str_add(out, "\t");
		if (c->letter)
			tp_str_printf(out, "-%c | ", c->letter);
		tp_str_printf(out, "--%s) kind=", c->name);
		add_quoted(out, tp_str_text(&kind));
		tp_str_add(out, " ;;\n");
	}
	tp_str_add(out, "\tesac\n}\n");
	key_function(out, rows);
}

/* Text inside a spec of _arguments or _describe, where some characters separate its fields. */
static void add_escaped(struct tp_str *out, const char *text, const char *special)
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
	TP_STR spec = { 0 }, help = { 0 };
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
	add_escaped(&spec, tp_str_text(&help), "[]\\");
	tp_str_add(&spec, "]");
	if (c->argument) {
		TP_STR kind = { 0 };
		kind_of_argument(&kind, c);
		tp_str_add(&spec, c->optional ? "::" : ":");
		add_escaped(&spec, c->argument, ":\\");
		tp_str_add(&spec, ": _tprof_value \"");
		add_escaped(&spec, tp_str_text(&kind), ":\\");
		tp_str_add(&spec, "\"");
	}
	add_quoted(out, tp_str_text(&spec));
	tp_str_add(out, "\n");
}

static void zsh_tables(struct tp_str *out, const struct tp_command *rows)
{
	tp_str_add(out, "_tprof_specs=(\n");
	for (const struct tp_command *row = rows; row->name; row++)
		if (!row->word)
			zsh_spec(out, row);
	tp_str_add(out, ")\n");
	array_of_names(out, rows, "_tprof_words_alone", true);
	tp_str_add(out, "_tprof_keys=(\n");
	const struct tp_option *o;
	for (size_t i = 0; (o = tp_option_at(i)); i++) {
		TP_STR entry = { 0 };
		add_escaped(&entry, o->key, ":\\");
		tp_str_add(&entry, ":");
		add_escaped(&entry, o->help, "\\");
		tp_str_add(out, "\t");
		add_quoted(out, tp_str_text(&entry));
		tp_str_add(out, "\n");
	}
	tp_str_add(out, ")\n");
	key_function(out, rows);
}

/* In single quotes, for fish. */
static void add_fish_quoted(struct tp_str *out, const char *text)
{
	tp_str_add(out, "'");
	add_escaped(out, text, "'\\");
	tp_str_add(out, "'");
}

/* complete -c tprof -s b -l batch -x -a '(__tprof_value "preset")' -d 'help' */
static void fish_option(struct tp_str *out, const struct tp_command *c)
{
	TP_STR help = { 0 }, kind = { 0 }, values = { 0 };
	tp_str_add(out, "complete -c tprof");
	if (c->letter)
		tp_str_printf(out, " -s %c", c->letter);
	tp_str_printf(out, " -l %s", c->name);
	if (c->argument) {
		kind_of_argument(&kind, c);
		bool any_file = strcmp(tp_str_text(&kind), "files:*") == 0;
		tp_str_add(out, c->optional ? "" : any_file ? " -r -F" : " -x");
		if (!any_file && strcmp(tp_str_text(&kind), "none") != 0) {
			tp_str_printf(&values, "(__tprof_value \"%s\")", tp_str_text(&kind));
			tp_str_add(out, " -a ");
			add_fish_quoted(out, tp_str_text(&values));
		}
	}
	tp_str_add(out, " -d ");
	tp_command_help(c, &help);
	add_fish_quoted(out, tp_str_text(&help));
	tp_str_add(out, "\n");
}

/* The options, __tprof_keys (with their help), and __tprof_key KEY: its kind, and "list" of a list.
 */
static void fish_tables(struct tp_str *out, const struct tp_command *rows)
{
	const struct tp_option *o;
	tp_str_add(out, "complete -c tprof -f\n");
	for (const struct tp_command *row = rows; row->name; row++)
		if (row->word)
			tp_str_printf(out, "complete -c tprof -n __tprof_begins -a %s\n",
				      row->name);
		else
			fish_option(out, row);
	tp_str_add(out, "function __tprof_keys\n");
	for (size_t i = 0; (o = tp_option_at(i)); i++) {
		TP_STR help = { 0 };
		tp_option_text(o, &help);
		tp_str_printf(out, "\tprintf '%%s=\\t%%s\\n' %s ", o->key);
		add_fish_quoted(out, tp_str_text(&help));
		tp_str_add(out, "\n");
	}
	tp_str_add(out, "end\nfunction __tprof_key\n\tswitch $argv[1]\n");
	for (size_t i = 0; (o = tp_option_at(i)); i++) {
		TP_STR kind = { 0 };
		kind_of_key(&kind, rows, o);
		tp_str_printf(out, "\tcase %s\n\t\tprintf '%%s\\n' ", o->key);
		add_fish_quoted(out, tp_str_text(&kind));
		tp_str_add(out, o->list ? " list\n" : "\n");
	}
	tp_str_add(out, "\tend\nend\n");
}

static const struct shell {
	const char *name;
	void (*tables)(struct tp_str *out, const struct tp_command *rows);
	const char *script;
} shells[] = {
	{ "bash", bash_tables, tp_completion_bash },
	{ "zsh", zsh_tables, tp_completion_zsh },
	{ "fish", fish_tables, tp_completion_fish },
};

const char *tp_cli_shell_word(size_t i)
{
	return i < TP_COUNT_OF(shells) ? shells[i].name : NULL;
}

int tp_cli_completion(const struct tp_cli *cli)
{
	TP_STR out = { 0 };
	struct tp_diag diag;
	for (size_t i = 0; i < TP_COUNT_OF(shells); i++) {
		if (strcmp(tp_cli_value(cli), shells[i].name) != 0)
			continue;
		tp_str_printf(&out,
			      "# Completion of tprof(1) %s for %s, made by tprof --completion.\n",
			      PACKAGE_VERSION, shells[i].name);
		shells[i].tables(&out, cli->commands);
		tp_str_add(&out, "\n");
		tp_str_add(&out, shells[i].script);
		fputs(tp_str_text(&out), stdout);
		return TP_EXIT_OK;
	}
	return tp_cli_fail(tp_fail(&diag, TP_USAGE, "--completion", "bash, zsh or fish",
				   "there is no completion for \"%.80s\"", tp_cli_value(cli)),
			   &diag);
}
