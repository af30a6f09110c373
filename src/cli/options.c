/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the command line by the table of commands.h, and executes it. */
#include "cli/commands.h"
#include "base/own_dot.h"
#include "base/text.h"
#include "base/memory.h"
#include "session/doctor.h"
#include "session/document.h"
#include "session/import.h"

#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG_BASE = 0x100 }; /* above every letter that getopt can return */

struct parsing {
	struct tp_cli *cli;
	bool given[TP_COMMANDS_MAX];
	size_t room; /* no option can have more values than this */
};

static const struct tp_command *find_row(const struct tp_command *rows, const char *name)
{
	for (const struct tp_command *row = rows; row->name; row++)
		if (strcmp(row->name, name) == 0)
			return row;
	return NULL;
}

static void *field_of(struct tp_cli *cli, const struct tp_command *row)
{
	return (char *)cli + row->at;
}

/* --- taking values --- */

static void add_word(struct parsing *p, struct tp_values *words, const char *word)
{
	if (!words->items)
		words->items = tp_arena_alloc(&p->cli->arena, p->room * sizeof(*words->items));
	words->items[words->n++] = word;
}

/* "--machine MODEL" is "--set machine=MODEL". */
static void add_set(struct parsing *p, const char *key, const char *value)
{
	TP_STR set = { 0 };
	tp_str_printf(&set, "%s=%s", key, value);
	add_word(p, &p->cli->sets, tp_arena_strdup(&p->cli->arena, tp_str_text(&set)));
}

static int take_command(struct parsing *p, const struct tp_command *row, const char *value)
{
	struct tp_cli *cli = p->cli;
	if (row->answer) {
		if (!cli->answer || row > cli->answer)
			cli->answer = row;
		if (value)
			*(const char **)field_of(cli, row) = value;
		return TP_EXIT_OK;
	}
	if (cli->command && cli->command != row)
		return tp_cli_usage("give one of them", "--%s and --%s exclude each other",
				    cli->command->name, row->name);
	cli->command = row;
	if (value && !row->repeats)
		cli->values.n = 0;
	if (value)
		add_word(p, &cli->values, value);
	return TP_EXIT_OK;
}

static int take(struct parsing *p, const struct tp_command *row, const char *value)
{
	void *field = field_of(p->cli, row);
	p->given[row - p->cli->commands] = true;
	if (row->run)
		return take_command(p, row, value);
	if (row->key) {
		add_set(p, row->key, value ? value : row->bare);
	} else if (row->repeats) {
		add_word(p, field, value);
	} else if (!row->argument) {
		*(bool *)field = true;
	} else if (!row->parse) {
		*(const char **)field = value;
	} else if (!row->parse(value ? value : row->bare, field)) {
		TP_STR words = { 0 };
		if (!row->allowed)
			tp_command_words(row, &words);
		tp_cli_usage(row->allowed ? row->allowed : tp_str_text(&words), "--%s=%s %s",
			     row->name, value, row->wrong);
		return TP_EXIT_USAGE;
	}
	return TP_EXIT_OK;
}

static bool is_listed(const struct tp_command *row, const char *word)
{
	for (size_t i = 0; row->listed(i); i++)
		if (strcmp(row->listed(i), word) == 0)
			return true;
	return false;
}

/* The option that takes the word: its value may be missing, and may follow as a separate word. */
static const struct tp_command *option_of(const struct parsing *p, const char *word)
{
	for (const struct tp_command *row = p->cli->commands; row->name; row++)
		if (((row->key && row->bare) || row->answer) && row->optional &&
		    p->given[row - p->cli->commands] && is_listed(row, word))
			return row;
	return NULL;
}

/*
 * A word that does not belong anywhere: the hint shows how to write it if it resembles something.
 */
static int unexpected_word(const struct tp_command *rows, const char *word)
{
	char shown[64], value[64], hint[192] = "a preset is given as --batch PRESET";
	size_t n = strcspn(word, "=");
	tp_shown(shown, sizeof(shown), word, n);
	const struct tp_command *row = find_row(rows, shown);
	const struct tp_option *option = tp_option_find(shown);
	const char *key = option ? option->key : word[n] ? tp_option_nearest(shown) : NULL;
	if (row && !row->word)
		snprintf(hint, sizeof(hint), "did you mean --%s%s%s?", row->name,
			 row->argument ? " " : "", row->argument ? row->argument : "");
	else if (key)
		snprintf(
			hint, sizeof(hint), "did you mean --set %s=%s?", key,
			word[n] ? tp_shown(value, sizeof(value), word + n + 1, strlen(word + n + 1))
				: "VALUE");
	tp_shown(shown, sizeof(shown), word, strlen(word));
	return tp_cli_usage(hint, "unexpected argument \"%s\"", shown);
}

/* Words after the options: further values of a command, or a command that is a word. */
static int take_rest(struct parsing *p, int n, char *const *words)
{
	const struct tp_command *command = p->cli->command;
	const struct tp_command *of = option_of(p, words[0]);
	int code = TP_EXIT_OK;
	if (of && (!command || !command->takes_rest)) {
		if (of->key)
			add_set(p, of->key, words[0]);
		else
			code = take(p, of, words[0]);
		return code == TP_EXIT_OK && n > 1 ? take_rest(p, n - 1, words + 1) : code;
	}
	if (command &&
	    (command->takes_rest || (n == 1 && command->optional && !p->cli->values.n))) {
		for (int i = 0; i < n; i++)
			add_word(p, &p->cli->values, words[i]);
		return TP_EXIT_OK;
	}
	for (const struct tp_command *row = p->cli->commands; row->name && !command; row++)
		if (!row->run && row->takes_rest && p->given[row - p->cli->commands]) {
			for (int i = 0; i < n; i++)
				add_word(p, field_of(p->cli, row), words[i]);
			return TP_EXIT_OK;
		}
	const struct tp_command *row =
		n == 1 && !command ? find_row(p->cli->commands, words[0]) : NULL;
	if (row && row->word)
		return take(p, row, NULL);
	return unexpected_word(p->cli->commands, words[0]);
}

/* --- valid combinations --- */

static bool is_given(const struct parsing *p, const struct tp_command *row)
{
	return p->given[row - p->cli->commands];
}

static int check_excludes(const struct parsing *p)
{
	for (const struct tp_command *row = p->cli->commands; row->name; row++)
		if (row->excludes && is_given(p, row) &&
		    is_given(p, find_row(p->cli->commands, row->excludes)))
			return tp_cli_usage(row->advice, "--%s and --%s exclude each other",
					    row->excludes, row->name);
	return TP_EXIT_OK;
}

/* Two kinds of data on standard output could not be separated. */
static int check_output(const struct tp_cli *cli)
{
	bool results = (cli->json || cli->csv) && !cli->output;
	bool pictures = cli->svg && tp_is_stdout(cli->svg);
	bool page = cli->html && tp_is_stdout(cli->html);
	if (page && (pictures || cli->events || results))
		return tp_cli_usage("give the page a file with --html FILE",
				    "a page and %s would mix on standard output",
				    pictures ? "pictures" : "data");
	if (pictures && (cli->events || results))
		return tp_cli_usage("give the pictures a file with --svg FILE",
				    "pictures and data would mix on standard output");
	if (cli->events && results)
		return tp_cli_usage("give the results a file with -o FILE",
				    "--events and results would mix on standard output");
	return TP_EXIT_OK;
}

/* One of these options, with blanks between them. */
static bool any_given(const struct parsing *p, const char *names)
{
	char name[32];
	for (size_t n; *names; names += n + strspn(names + n, " ")) {
		n = strcspn(names, " ");
		snprintf(name, sizeof(name), "%.*s", (int)n, names);
		const struct tp_command *row = find_row(p->cli->commands, name);
		if (row && is_given(p, row))
			return true;
	}
	return false;
}

static int check_belongs(const struct parsing *p)
{
	const struct tp_command *command = p->cli->command;
	for (const struct tp_command *row = p->cli->commands; row->name; row++) {
		if (!row->with || !is_given(p, row) ||
		    (command && tp_has_word(row->with, command->name)) || any_given(p, row->with))
			continue;
		if (row->with_names)
			return tp_cli_usage(row->advice, "--%s belongs to %s", row->name,
					    row->with_names);
		return tp_cli_usage(row->advice, "--%s belongs to %s%s", row->name,
				    find_row(p->cli->commands, row->with)->word ? "" : "--",
				    row->with);
	}
	return TP_EXIT_OK;
}

/* The dots of a file that another tool has written. */
static int take_dots_of_file(struct parsing *p, const char *path, struct tp_values *dots)
{
	TP_CLEANUP(tp_import_release) struct tp_import import = { 0 };
	char text[TP_OWN_DOT_BYTES];
	struct tp_diag diag;
	enum tp_status status = tp_import_read(&import, path, &diag);
	if (status == TP_OK && !import.n_dots)
		status = tp_fail(&diag, TP_USAGE, path, "--import writes them as points.csv",
				 "holds roofs, not dots");
	if (status != TP_OK)
		return tp_cli_fail(status, &diag);
	if (tp_import_left_out(&import, path, &diag))
		tp_complain(&diag);
	for (size_t i = 0; i < import.n_dots; i++)
		add_word(p, dots,
			 tp_arena_strdup(&p->cli->arena, tp_own_dot_text(&import.dots[i], text)));
	return TP_EXIT_OK;
}

/* Dots are typed; what is not a dot may be the name of a file. */
static int collect_dots(struct parsing *p)
{
	const struct tp_values given = p->cli->dots;
	struct tp_own_dot dot;
	int code = TP_EXIT_OK;
	p->cli->dots = (struct tp_values){ 0 };
	for (size_t i = 0; i < given.n && code == TP_EXIT_OK; i++)
		if (tp_own_dot_parse(given.items[i], &dot) && access(given.items[i], F_OK) == 0)
			code = take_dots_of_file(p, given.items[i], &p->cli->dots);
		else
			add_word(p, &p->cli->dots, given.items[i]);
	return code;
}

/* A run to measure takes its dots from the option; --show adds them to a stored run. */
static int take_dots(struct parsing *p)
{
	TP_STR all = { 0 };
	struct tp_own_dot dot;
	char shown[96];
	int code = collect_dots(p);
	for (size_t i = 0; i < p->cli->dots.n && code == TP_EXIT_OK; i++) {
		const char *text = p->cli->dots.items[i];
		const char *wrong = tp_own_dot_parse(text, &dot);
		tp_str_printf(&all, "%s%s", i ? "," : "", text);
		if (wrong)
			code = tp_cli_usage("allowed: " TP_OWN_DOT_ALLOWED, "--dot \"%s\" %s",
					    tp_shown(shown, sizeof(shown), text, strlen(text)),
					    wrong);
	}
	if (code == TP_EXIT_OK && all.len && !tp_cli_does(p->cli, "show"))
		add_set(p, "dots", tp_str_text(&all));
	p->cli->overrides = (struct tp_overrides){ p->cli->sets.items, p->cli->sets.n };
	return code;
}

/* --- parsing --- */

static int unknown_option(const struct tp_command *rows, const char *typed)
{
	const char *names[TP_COMMANDS_MAX], *unknown = "there is no option %s";
	char word[64], hint[96];
	tp_copy(word, sizeof(word), typed + strspn(typed, "-"));
	word[strcspn(word, "=")] = '\0';
	const struct tp_command *row = find_row(rows, word);
	if (row && row->word) {
		snprintf(hint, sizeof(hint), "it is a command: tprof %s", row->name);
		return tp_cli_usage(hint, unknown, typed);
	}
	if (row) {
		if (!row->argument)
			return tp_cli_usage("see tprof --help", "option %s takes no value", typed);
		snprintf(hint, sizeof(hint), "it needs a value: --%s %s", row->name, row->argument);
		return tp_cli_usage(hint, "option %s has no value", typed);
	}
	size_t n = 0;
	for (row = rows; row->name; row++)
		names[n++] = row->name;
	const char *near = tp_nearest(word, names, n);
	if (!near)
		return tp_cli_usage("see tprof --help", unknown, typed);
	snprintf(hint, sizeof(hint), "did you mean --%s? See tprof --help", near);
	return tp_cli_usage(hint, unknown, typed);
}

/* The row that getopt found: a long option by its index, a short one by its letter. */
static const struct tp_command *row_of(const struct tp_command *rows, int got)
{
	for (const struct tp_command *row = rows; row->name; row++)
		if (got == LONG_BASE + (int)(row - rows) || row->letter == got)
			return row;
	return NULL;
}

static int take_options(struct parsing *p, int argc, char **argv)
{
	struct option longs[TP_COMMANDS_MAX + 1] = { { 0 } }, *next = longs;
	char shorts[3 * TP_COMMANDS_MAX + 2] = ":";
	size_t n = 1;
	for (const struct tp_command *row = p->cli->commands; row->name; row++) {
		if (row->word)
			continue;
		*next++ = (struct option){ row->name,
					   !row->argument  ? no_argument
					   : row->optional ? optional_argument
							   : required_argument,
					   NULL, LONG_BASE + (int)(row - p->cli->commands) };
		if (row->letter) {
			shorts[n++] = row->letter;
			if (row->argument)
				shorts[n++] = ':';
			if (row->optional)
				shorts[n++] = ':';
		}
	}
	shorts[n] = '\0';
	opterr = 0;
	int got, code = TP_EXIT_OK;
	while (code == TP_EXIT_OK && (got = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const struct tp_command *row = row_of(p->cli->commands, got);
		code = row ? take(p, row, optarg)
			   : unknown_option(p->cli->commands, argv[optind - 1]);
	}
	return code;
}

static int parse(struct tp_cli *cli, int argc, char **argv)
{
	struct parsing p = { .cli = cli, .room = (size_t)argc + 1 };
	int code = take_options(&p, argc, argv);
	if (code == TP_EXIT_OK && optind < argc)
		code = take_rest(&p, argc - optind, &argv[optind]);
	if (code != TP_EXIT_OK || cli->answer)
		return code;
	if ((code = check_excludes(&p)) == TP_EXIT_OK && (code = check_output(cli)) == TP_EXIT_OK)
		code = check_belongs(&p);
	return code == TP_EXIT_OK ? take_dots(&p) : code;
}

/* This many processes measure here at once; a resumed run has that already. */
static int run_bound(const struct tp_cli *cli)
{
	struct tp_cli own = *cli;
	struct tp_domain part;
	struct tp_diag diag;
	char sharers[32];
	enum tp_status status = TP_OK;
	if (tp_domain_parse(cli->bind, &part) &&
	    (status = tp_machine_keep_to(&part, &diag)) != TP_OK)
		return tp_cli_fail(status, &diag);
	snprintf(sharers, sizeof(sharers), "sharers=%u", part.of);
	TP_FREE const char **sets = tp_alloc(cli->overrides.n + 1, sizeof(*sets));
	if (tp_cli_does(cli, "batch")) {
		for (size_t i = 0; i < cli->overrides.n; i++)
			sets[i] = cli->overrides.sets[i];
		sets[cli->overrides.n] = sharers;
		own.overrides = (struct tp_overrides){ sets, cli->overrides.n + 1 };
	}
	return own.command->run(&own);
}

static int dispatch(const struct tp_cli *cli)
{
	if (cli->answer)
		return cli->answer->run(cli);
	struct tp_diag diag;
	enum tp_status status = tp_cli_does(cli, "doctor") ? TP_OK : tp_system_check(&diag);
	if (status != TP_OK)
		return tp_cli_fail(status, &diag);
	if (cli->cluster.n)
		return tp_cli_cluster(cli);
	if (cli->bind)
		return run_bound(cli);
	if (cli->command)
		return cli->command->run(cli);
	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		return cli->screens(cli);
	return tp_cli_usage("measure with tprof --batch quick, or see tprof --help",
			    "nothing to do");
}

static ssize_t write_whole(void *cookie, const char *text, size_t len)
{
	(void)cookie;
	return tp_write_all(STDOUT_FILENO, text, len) ? (ssize_t)len : 0;
}

/*
 * Another program may have made standard output non-blocking, for all processes that share it. A
 * full pipe is then not an error: the stream waits for its reader.
 */
static void wait_for_readers(void)
{
	int flags = fcntl(STDOUT_FILENO, F_GETFL);
	if (flags < 0 || !(flags & O_NONBLOCK))
		return;
	FILE *stream = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = write_whole });
	if (stream)
		stdout = stream;
}

int tp_cli_main(int argc, char **argv, const struct tp_command *commands,
		int (*screens)(const struct tp_cli *cli))
{
	struct tp_cli cli = { .commands = commands, .speed = 1, .screens = screens };
	wait_for_readers();
	setlocale(LC_CTYPE, ""); /* numbers stay in the C locale: presets and results are data */
	int code = parse(&cli, argc, argv);
	if (code == TP_EXIT_OK)
		code = dispatch(&cli);
	/* The output must be complete: a full disk behind > is a failure. */
	if (fflush(stdout) != 0 || ferror(stdout)) {
		struct tp_diag diag;
		tp_fail(&diag, TP_IO, "standard output", NULL, "cannot be written");
		tp_complain(&diag);
		code = code == TP_EXIT_OK ? TP_EXIT_RESOURCE : code;
	}
	tp_arena_release(&cli.arena);
	return code;
}
