/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/cli.h"
#include "cli/commands.h"
#include "report/text.h"
#include "engine/engine.h"
#include "routines/worker.h"
#include "ui/tui/app.h"
#include "base/str.h"
#include "base/vec.h"

#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum command {
	COMMAND_BASE = 0x100, /* above every letter that getopt can return */
#define COMMAND_ENUM(id, ...) COMMAND_##id,
	TP_COMMAND_LIST(COMMAND_ENUM)
#undef COMMAND_ENUM
};

static const struct command_row {
	enum command id;
	const char *name, *argument, *help;
	char letter;
	bool optional;
} commands[] = {
#define COMMAND_ROW(id, name, letter, argument, optional, help)                                    \
	{ COMMAND_##id, name, argument, help, letter, optional },
	TP_COMMAND_LIST(COMMAND_ROW)
#undef COMMAND_ROW
};

enum { N_COMMANDS = TP_COUNT_OF(commands), HELP_COLUMN = 31, HELP_COLUMNS_MAX = 100 };

/* A name and what it is, in two columns. */
static void help_row(struct tp_str *out, const struct tp_look *look, const char *left,
		     const char *text)
{
	tp_str_printf(out, "  %-*s ", HELP_COLUMN - 3, left);
	tp_text_wrap(out, look, TP_PAINT_PLAIN, text, TP_MAX(strlen(left) + 3, (size_t)HELP_COLUMN),
		     HELP_COLUMN);
}

static void print_help(const struct tp_cli *cli)
{
	struct tp_look look;
	struct tp_str out = { 0 };
	tp_look_init(&look, cli, STDOUT_FILENO);
	look.columns = TP_MIN(look.columns, (unsigned)HELP_COLUMNS_MAX);
	tp_str_add(&out,
		   "Usage: tprof --batch PRESET [--set KEY=VALUE]... [--json|--csv] [-o FILE]\n"
		   "       tprof --resume RUN | --show RUN | --compare RUN RUN... | doctor\n"
		   "       tprof --classify READINGS [--basis FILE]... [--papi-file FILE]\n"
		   "       tprof --list machines|isas|kernels|experiments|presets|runs\n"
		   "       tprof --check FILE | --dry-run PRESET | --print-config[=PRESET]\n"
		   "       tprof --dump-asm ISA:KERNEL\n\n"
		   "Measures what a machine and a loop can really do: the cache-aware roofline,\n"
		   "memory curves, mixed kernels. First steps:  tprof --batch quick\n\nOptions:\n");
	for (size_t i = 0; i < N_COMMANDS; i++) {
		const struct command_row *c = &commands[i];
		char left[64];
		char letter[8] = "    ";
		if (c->letter)
			snprintf(letter, sizeof(letter), "-%c, ", c->letter);
		snprintf(left, sizeof(left), "%s--%s%s%s%s", letter, c->name,
			 c->argument ? (c->optional ? "[=" : " ") : "",
			 c->argument ? c->argument : "", c->argument && c->optional ? "]" : "");
		help_row(&out, &look, left, c->help);
	}
	tp_str_add(&out, "\nPreset options (--set KEY=VALUE, TPROF_KEY=VALUE, or in a preset file; "
			 "see\ntprof-preset(5)), with their defaults:\n");
	for (size_t i = 0; i < TP_OPT_COUNT; i++) {
		const struct tp_option *o = &tp_option_table[i];
		struct tp_str text = { 0 };
		tp_str_add(&text, o->help);
		if (o->fallback[0])
			tp_str_printf(&text, " [%s]", o->fallback);
		help_row(&out, &look, o->key, tp_str_text(&text));
		tp_str_release(&text);
	}
	tp_str_add(
		&out,
		"\nExit status: 0 ok, 1 failed, 2 usage or preset wrong, 3 some points skipped,\n"
		"4 permission or resource, 5 unstable with --strict, 130 interrupted (what was\n"
		"measured is saved).\n");
	fputs(tp_str_text(&out), stdout);
	tp_str_release(&out);
}

static int usage(const char *fmt, const char *what, const char *hint)
{
	struct tp_diag diag;
	tp_fail(&diag, TP_USAGE, "", hint, fmt, what);
	tp_cli_complain(&diag);
	return TP_EXIT_USAGE;
}

static bool parse_when(const char *text, enum tp_when *when)
{
	static const char *const words[] = { "auto", "always", "never" };
	for (size_t i = 0; i < TP_COUNT_OF(words); i++)
		if (strcmp(text, words[i]) == 0) {
			*when = (enum tp_when)i;
			return true;
		}
	return false;
}

static int parse_speed(const char *text, double *speed)
{
	char *end;
	*speed = strtod(text, &end);
	if (end == text || *end || !(*speed >= 0 && *speed <= 1e6))
		return usage("--speed=%s is no speed", text,
			     "a number from 0 (at once) on, such as 10");
	return TP_EXIT_OK;
}

/* "key=value" on the heap; freed with the list. */
static char *assignment(const char *key, const char *value)
{
	struct tp_str s = { 0 };
	tp_str_printf(&s, "%s=%s", key, value);
	return tp_str_take(&s);
}

struct arguments {
	struct tp_cli cli;
	char **owned; /* assignments made of --machine and --topology */
	size_t n_owned;
	const char *action; /* the option that says what to do */
};

static int set_action(struct arguments *a, const char *name)
{
	if (a->action && strcmp(a->action, name) != 0) {
		char both[96];
		snprintf(both, sizeof(both), "--%s and --%s", a->action, name);
		return usage("%s exclude each other", both, "give one of them");
	}
	a->action = name;
	return TP_EXIT_OK;
}

static int add_assignment(struct arguments *a, const char *key, const char *value)
{
	char *made = assignment(key, value);
	if (!made)
		return TP_EXIT_RESOURCE;
	a->owned[a->n_owned++] = made;
	a->cli.sets[a->cli.n_sets++] = made;
	return TP_EXIT_OK;
}

/* One parsed option; the exit code is TP_EXIT_OK when it was taken. */
static int take(struct arguments *a, enum command id, const char *value)
{
	struct tp_cli *cli = &a->cli;
	const char *name = commands[id - COMMAND_BASE - 1].name;
	switch (id) {
	case COMMAND_BATCH:
		cli->batch = value;
		return set_action(a, name);
	case COMMAND_RESUME:
		cli->resume = value;
		return set_action(a, name);
	case COMMAND_SHOW:
		cli->show = value;
		return set_action(a, name);
	case COMMAND_COMPARE:
		cli->compare = value;
		return set_action(a, name);
	case COMMAND_ACROSS:
		cli->across = value;
		return TP_EXIT_OK;
	case COMMAND_TOLERANCE:
		cli->tolerance = value;
		return TP_EXIT_OK;
	case COMMAND_CLASSIFY:
		cli->classify = value;
		return set_action(a, name);
	case COMMAND_BASIS:
		cli->bases[cli->n_bases++] = value;
		return TP_EXIT_OK;
	case COMMAND_EXPLAIN:
		cli->explain = value;
		return TP_EXIT_OK;
	case COMMAND_PAPI_FILE:
		cli->papi_file = value;
		return TP_EXIT_OK;
	case COMMAND_COMPLETION:
		cli->completion = value;
		return set_action(a, name);
	case COMMAND_DRY_RUN:
		cli->dry_run = value;
		return set_action(a, name);
	case COMMAND_CHECK:
		cli->check = value;
		return set_action(a, name);
	case COMMAND_PRINT_CONFIG:
		cli->print_config = true;
		cli->print_config_of = value;
		return set_action(a, name);
	case COMMAND_LIST:
		cli->list = value;
		return set_action(a, name);
	case COMMAND_DUMP_ASM:
		cli->dump_asm[cli->n_dump_asm++] = value;
		return set_action(a, name);
	case COMMAND_SET:
		cli->sets[cli->n_sets++] = value;
		return TP_EXIT_OK;
	case COMMAND_MACHINE:
		return add_assignment(a, "machine", value);
	case COMMAND_TOPOLOGY:
		return add_assignment(a, "topology", value);
	case COMMAND_OUTPUT:
		cli->output = value;
		return TP_EXIT_OK;
	case COMMAND_RUN_DIR:
		cli->run_dir = value;
		return TP_EXIT_OK;
	case COMMAND_REPORT:
		if (!parse_when(value, &cli->report))
			return usage("--report=%s is unknown", value, "auto, always or never");
		return TP_EXIT_OK;
	case COMMAND_COLOR:
		if (!parse_when(value, &cli->colour))
			return usage("--color=%s is unknown", value, "auto, always or never");
		return TP_EXIT_OK;
	case COMMAND_JSON:
		cli->json = true;
		return TP_EXIT_OK;
	case COMMAND_CSV:
		cli->csv = true;
		return TP_EXIT_OK;
	case COMMAND_NAMES:
		cli->names = true;
		return TP_EXIT_OK;
	case COMMAND_RESTORE:
		cli->restore = true;
		return TP_EXIT_OK;
	case COMMAND_SVG:
		cli->svg = value;
		return TP_EXIT_OK;
	case COMMAND_CONTROL:
		cli->control = true;
		return TP_EXIT_OK;
	case COMMAND_REPLAY:
		cli->replay = value;
		return set_action(a, name);
	case COMMAND_SPEED:
		return parse_speed(value, &cli->speed);
	case COMMAND_NO_MOUSE:
		cli->no_mouse = true;
		return TP_EXIT_OK;
	case COMMAND_EVENTS:
		cli->events = true;
		return TP_EXIT_OK;
	case COMMAND_STRICT:
		cli->strict = true;
		return TP_EXIT_OK;
	case COMMAND_ASCII:
		cli->ascii = true;
		return TP_EXIT_OK;
	case COMMAND_QUIET:
		cli->quiet = true;
		return TP_EXIT_OK;
	case COMMAND_VERSION:
		cli->version = true;
		return TP_EXIT_OK;
	case COMMAND_HELP:
		cli->help = true;
		return TP_EXIT_OK;
	case COMMAND_BASE:
		break;
	}
	return TP_EXIT_FAILED;
}

static int unknown_option(char *const *argv, int index)
{
	const char *names[N_COMMANDS], *typed = argv[index - 1];
	for (size_t i = 0; i < N_COMMANDS; i++)
		names[i] = commands[i].name;
	char word[64];
	tp_copy(word, sizeof(word), typed + strspn(typed, "-"));
	word[strcspn(word, "=")] = '\0';
	const char *near = tp_nearest(word, names, N_COMMANDS);
	char hint[96] = "see tprof --help";
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (strcmp(word, names[i]) == 0 && commands[i].argument) {
			snprintf(hint, sizeof(hint), "it needs a value: --%s %s", names[i],
				 commands[i].argument);
			return usage("option %s has no value", typed, hint);
		} else if (strcmp(word, names[i]) == 0) {
			return usage("option %s takes no value", typed, hint);
		}
	if (near)
		snprintf(hint, sizeof(hint), "did you mean --%s? See tprof --help", near);
	return usage("there is no option %s", typed, hint);
}

static int parse(struct arguments *a, int argc, char **argv)
{
	struct option longs[N_COMMANDS + 1];
	char shorts[3 * N_COMMANDS + 2] = ":";
	size_t n = 1;
	for (size_t i = 0; i < N_COMMANDS; i++) {
		const struct command_row *c = &commands[i];
		longs[i] = (struct option){ c->name,
					    !c->argument  ? no_argument
					    : c->optional ? optional_argument
							  : required_argument,
					    NULL, (int)c->id };
		if (c->letter) {
			shorts[n++] = c->letter;
			if (c->argument)
				shorts[n++] = ':';
		}
	}
	shorts[n] = '\0';
	longs[N_COMMANDS] = (struct option){ 0 };
	opterr = 0;
	int got, code = TP_EXIT_OK;
	while (code == TP_EXIT_OK && (got = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (got == '?' || got == ':')
			return unknown_option(argv, optind);
		for (size_t i = 0; i < N_COMMANDS; i++)
			if (got < COMMAND_BASE && commands[i].letter == got)
				got = (int)commands[i].id;
		code = take(a, (enum command)got, optarg);
	}
	if (code == TP_EXIT_OK && optind < argc) {
		if (a->cli.compare) {
			a->cli.more_runs = (const char *const *)&argv[optind];
			a->cli.n_more_runs = (size_t)(argc - optind);
		} else if (!a->action && optind + 1 == argc &&
			   strcmp(argv[optind], "doctor") == 0) {
			a->cli.doctor = true;
		} else if (a->cli.print_config && !a->cli.print_config_of && optind + 1 == argc) {
			/* --print-config PRESET reads better than --print-config=PRESET; both are taken. */
			a->cli.print_config_of = argv[optind];
		} else {
			return usage("what is \"%s\" for?", argv[optind],
				     "a preset is given as --batch PRESET");
		}
	}
	return code;
}

static int run(const struct tp_cli *cli)
{
	if (cli->help) {
		print_help(cli);
		return TP_EXIT_OK;
	}
	if (cli->version) {
		puts("tprof " PACKAGE_VERSION);
		return TP_EXIT_OK;
	}
	if (cli->json && cli->csv)
		return usage("--json and --csv exclude each other%s", "",
			     "run.json and points.csv are both in the run's directory");
	if (cli->json && cli->names)
		return usage("--json and --names exclude each other%s", "",
			     "--list WHAT --json holds the names, too");
	bool svg_out = cli->svg && strcmp(cli->svg, "-") == 0;
	if (svg_out && (cli->events || ((cli->json || cli->csv) && !cli->output)))
		return usage("pictures and data would mix on standard output%s", "",
			     "give the pictures a file with --svg FILE");
	if (cli->events && (cli->json || cli->csv) && !cli->output)
		return usage("--events and results would mix on standard output%s", "",
			     "give the results a file with -o FILE");
	if (cli->restore && !cli->doctor)
		return usage("--restore belongs to doctor%s", "", "tprof doctor --restore");
	if ((cli->across || cli->tolerance) && !cli->compare)
		return usage("%s belongs to --compare", cli->across ? "--across" : "--tolerance",
			     "tprof --compare RUN RUN --across isa");
	if ((cli->n_bases || cli->explain) && !cli->classify)
		return usage("%s belongs to --classify", cli->n_bases ? "--basis" : "--explain",
			     "tprof --classify readings.csv --explain chosen");
	if (cli->papi_file && !cli->classify && !cli->batch && !cli->resume)
		return usage("--papi-file belongs to --classify or a run%s", "",
			     "tprof --classify readings.csv --papi-file metrics.csv");
	if (cli->batch)
		return tp_cli_batch(cli);
	if (cli->resume)
		return tp_cli_resume(cli);
	if (cli->show)
		return tp_cli_show(cli);
	if (cli->compare)
		return tp_cli_compare(cli);
	if (cli->classify)
		return tp_cli_classify(cli);
	if (cli->doctor)
		return tp_cli_doctor(cli);
	if (cli->completion)
		return tp_cli_completion(cli);
	if (cli->check)
		return tp_cli_check(cli);
	if (cli->dry_run)
		return tp_cli_dry_run(cli);
	if (cli->print_config)
		return tp_cli_print_config(cli);
	if (cli->list)
		return tp_cli_list(cli);
	if (cli->n_dump_asm)
		return tp_cli_dump_asm(cli);
	if (cli->replay || (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))
		return tp_tui_main(cli);
	return usage("nothing to do%s", "",
		     "measure with tprof --batch quick, or see tprof --help");
}

/*
 * A standard stream that was closed before the start (>&-) would be the next file that is opened, and the journal would get what
 * is meant for standard output. Opened for reading only, so that writing is an error.
 */
static void keep_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd)
			return;
}

int main(int argc, char **argv)
{
	keep_standard_streams();
	if (argc == 2 && strcmp(argv[1], "--engine") == 0)
		return tp_engine_main();
	if (argc == 2 && strcmp(argv[1], "--worker") == 0)
		return tp_worker_main();
	setlocale(LC_CTYPE, ""); /* numbers stay in the C locale: presets and results are data */

	struct arguments a = { .cli.speed = 1 };
	size_t most = (size_t)argc + 1;
	a.cli.sets = calloc(most, sizeof(*a.cli.sets));
	a.cli.dump_asm = calloc(most, sizeof(*a.cli.dump_asm));
	a.cli.bases = calloc(most, sizeof(*a.cli.bases));
	a.owned = calloc(most, sizeof(*a.owned));
	int code = TP_EXIT_RESOURCE;
	if (a.cli.sets && a.cli.dump_asm && a.cli.bases && a.owned)
		code = parse(&a, argc, argv);
	if (code == TP_EXIT_OK)
		code = run(&a.cli);
	/* What was printed must have arrived: a full disk behind > is a failure. */
	if (fflush(stdout) != 0 || ferror(stdout)) {
		struct tp_diag diag;
		tp_fail(&diag, TP_IO, "standard output", NULL, "cannot be written");
		tp_cli_complain(&diag);
		code = code == TP_EXIT_OK ? TP_EXIT_RESOURCE : code;
	}
	for (size_t i = 0; i < a.n_owned; i++)
		free(a.owned[i]);
	free(a.owned);
	free(a.cli.sets);
	free(a.cli.dump_asm);
	free(a.cli.bases);
	return code;
}
