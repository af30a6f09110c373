/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --help and --version. */
#include "cli/commands.h"
#include "base/text.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { HELP_COLUMN = 31, HELP_COLUMNS_MAX = 100 };

/* The first page fits a terminal of 40 lines and 80 columns. */
static const char head[] =
	"Usage: tprof [COMMAND] [OPTION]...     Without a command: the screens.\n\n"
	"Measures what a machine, a loop and your program really do.\n"
	"First steps:  tprof --batch quick,  tprof --app -- ./program,  tprof doctor\n\n";
static const char tail[] =
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
static void help_row(struct tp_str *out, const struct tp_look *look, const char *left,
		     const char *text)
{
	tp_str_printf(out, "  %-*s ", HELP_COLUMN - 3, left);
	tp_text_wrap(out, look, TP_PAINT_PLAIN, text, TP_MAX(strlen(left) + 3, (size_t)HELP_COLUMN),
		     HELP_COLUMN);
}

/* "-b, --batch PRESET" */
static void command_name(struct tp_str *out, const struct tp_command *row)
{
	if (row->word)
		tp_str_printf(out, "    %s", row->name);
	else if (row->letter)
		tp_str_printf(out, "-%c, --%s", row->letter, row->name);
	else
		tp_str_printf(out, "    --%s", row->name);
	if (row->argument)
		tp_str_printf(out, row->optional ? "[=%s]" : " %s", row->argument);
}

static void command_row(struct tp_str *out, const struct tp_look *look,
			const struct tp_command *row, const char *help)
{
	struct tp_str left = { 0 }, text = { 0 };
	command_name(&left, row);
	tp_command_text(row, help, &text);
	help_row(out, look, tp_str_text(&left), tp_str_text(&text));
	tp_str_release(&left);
	tp_str_release(&text);
}

static void first_page(struct tp_str *out, const struct tp_look *look)
{
	tp_str_add(out, head);
	tp_str_add(out, "Commands:\n");
	for (const struct tp_command *row = tp_command_table; row->name; row++)
		if (row->brief)
			command_row(out, look, row, row->brief);
	tp_str_add(out, "\nMore help:  tprof --help TOPIC\n");
	for (size_t i = 0; i < TP_COUNT_OF(topics); i++)
		help_row(out, look, topics[i].name, topics[i].summary);
	tp_str_add(out, tail);
}

static void options_page(struct tp_str *out, const struct tp_look *look)
{
	const struct tp_option *o;
	tp_str_add(out, preset_options);
	for (size_t i = 0; (o = tp_option_at(i)); i++) {
		struct tp_str text = { 0 };
		tp_str_add(&text, o->help);
		if (o->fallback[0])
			tp_str_printf(&text, " [%s]", o->fallback);
		help_row(out, look, o->key, tp_str_text(&text));
		tp_str_release(&text);
	}
}

/* The commands and options of a topic, or with NULL all. */
static void commands_page(struct tp_str *out, const struct tp_look *look, const char *topic)
{
	for (const struct tp_command *row = tp_command_table; row->name; row++)
		if (!topic || (row->topics && tp_has_word(row->topics, topic)))
			command_row(out, look, row, row->help);
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
	struct tp_str hint = { 0 };
	for (size_t i = 0; i < TP_COUNT_OF(topics); i++)
		names[i] = topics[i].name;
	tp_shown(shown, sizeof(shown), word, strlen(word));
	const char *near = tp_nearest(shown, names, TP_COUNT_OF(topics));
	if (near)
		tp_str_printf(&hint, "did you mean %s? ", near);
	tp_str_add(&hint, "allowed: ");
	tp_str_list(&hint, names, TP_COUNT_OF(topics), " or ");
	int code = tp_cli_usage(tp_str_text(&hint), "there is no help on \"%s\"", shown);
	tp_str_release(&hint);
	return code;
}

int tp_cli_help(const struct tp_cli *cli)
{
	struct tp_look look;
	struct tp_str out = { 0 };
	const char *topic = cli->topic;
	if (topic && !is_topic(topic))
		return unknown_topic(topic);
	tp_look_init(&look, &cli->look, STDOUT_FILENO);
	look.columns = TP_MIN(look.columns, (unsigned)HELP_COLUMNS_MAX);
	bool all = topic && strcmp(topic, "all") == 0;
	bool options = topic && strcmp(topic, "options") == 0;
	if (!topic)
		first_page(&out, &look);
	else if (!options)
		commands_page(&out, &look, all ? NULL : topic);
	if (all)
		tp_str_add(&out, "\n");
	if (all || options)
		options_page(&out, &look);
	if (all)
		tp_str_add(&out, tail);
	fputs(tp_str_text(&out), stdout);
	tp_str_release(&out);
	return TP_EXIT_OK;
}

int tp_cli_version(const struct tp_cli *cli)
{
	(void)cli;
	puts("tprof " PACKAGE_VERSION);
	return TP_EXIT_OK;
}
