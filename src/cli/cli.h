/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line. Data go to standard output, messages to standard error. */
#ifndef TPROF_CLI_CLI_H
#define TPROF_CLI_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "base/file.h"
#include "base/memory.h"
#include "kernels/kernel.h"
#include "record/event.h"
#include "report/report.h"
#include "session/document.h"
#include "session/session.h"

struct tp_values {
	const char **items;
	size_t n;
};

struct tp_command; /* a row of the table of commands.h */

/* From which quality on a point makes the exit status 5; see judge() in measure.c. */
enum tp_strict { TP_STRICT_NOT, TP_STRICT_POOR, TP_STRICT_FAIR };
enum tp_csv { TP_CSV_NOT, TP_CSV_FILLED, TP_CSV_ALL };

/* The typed command line. */
struct tp_cli {
	const struct tp_command *commands; /* the table, up to a row without a name */
	const struct tp_command *command; /* the action, NULL = open the screens */
	const struct tp_command *answer; /* --help or --version: nothing else runs */
	const char *topic; /* of --help; NULL = the first page */
	struct tp_values values; /* of the command: PRESET, RUN, ... */
	struct tp_values sets; /* --set, --machine and --topology as "key=value" */
	struct tp_overrides overrides; /* the same */
	struct tp_look_wish look;
	const char *across, *tolerance; /* of a comparison; NULL = not given */
	struct tp_values regions; /* of --app: "function=NAME" */
	struct tp_values bases; /* files of bases to classify by */
	const char
		*explain; /* events whose decision path is printed: "chosen", or a shell pattern */
	const char *papi_file; /* derived events for PAPI, "-" = stdout; NULL = none */
	struct tp_values cluster; /* --cluster: where to, or what to do with which earlier one */
	const char *nodes, *partition, *time_limit, *node_program; /* of it; NULL = not given */
	const char *per; /* of it: one tprof for each part of a node; NULL = one a node */
	bool no_shared; /* of it: the nodes do not see the run directory */
	struct tp_values dots; /* own dots of rooflines: "name:AI,GFLOPS" */
	const char *output; /* -o, NULL = stdout */
	const char *svg; /* file of the pictures, "-" = stdout, NULL = none */
	const char *html; /* file of the page, "-" = stdout, NULL = none */
	const char *bind; /* "socket:0/2": the part of the machine to keep to; NULL = all */
	const char *run_dir; /* NULL = a new one in the user's data directory */
	enum tp_when report;
	double speed; /* of a replay; 1 when not given */
	bool control, no_mouse, restore, self_test, blank;
	bool json, names, events, quiet, allow_code;
	bool part; /* this run is one of several: its results are handled at their end */
	enum tp_strict strict;
	enum tp_csv csv;
	/* A program of the user reads our standard input and prints to our standard output. */
	bool lends;
	/* The exit code of a run, including that of earlier ones; NULL = only its own. */
	int (*judge)(const struct tp_run *run, int code);
	int (*screens)(const struct tp_cli *cli); /* opens the other face */
	struct tp_arena arena;
};

/* The value of the command, the last one where it was given several times; NULL = none. */
static inline const char *tp_cli_value(const struct tp_cli *cli)
{
	return cli->values.n ? cli->values.items[cli->values.n - 1] : NULL;
}

/* Executes the command line by this table; `screens` opens the screens. Returns the exit code. */
int tp_cli_main(int argc, char **argv, const struct tp_command *commands,
		int (*screens)(const struct tp_cli *cli));

/* Complains of the command line; returns TP_EXIT_USAGE. */
int tp_cli_usage(const char *hint, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Complains; returns the exit code of the status. */
int tp_cli_fail(enum tp_status status, const struct tp_diag *diag);
/* True if this is the command. */
bool tp_cli_does(const struct tp_cli *cli, const char *command);

/* "a, b or c": the words that `listed` lists. */
void tp_command_words(const struct tp_command *command, struct tp_str *out);
/* A text of the table with the words in place of %s; its help. */
void tp_command_text(const struct tp_command *command, const char *text, struct tp_str *out);
void tp_command_help(const struct tp_command *command, struct tp_str *out);

/* Commands; each returns the exit code. */
int tp_cli_batch(const struct tp_cli *cli);
int tp_cli_lesson_report(const struct tp_cli *cli);
int tp_cli_asm(const struct tp_cli *cli);
int tp_cli_profile(const struct tp_cli *cli);
int tp_cli_app(const struct tp_cli *cli);
int tp_cli_resume(const struct tp_cli *cli);
int tp_cli_show(const struct tp_cli *cli);
int tp_cli_import(const struct tp_cli *cli);
int tp_cli_compare(const struct tp_cli *cli);
int tp_cli_classify(const struct tp_cli *cli);
int tp_cli_mine(const struct tp_cli *cli);
int tp_cli_doctor(const struct tp_cli *cli);
int tp_cli_hardware(const struct tp_cli *cli);
int tp_cli_completion(const struct tp_cli *cli);
int tp_cli_check(const struct tp_cli *cli);
int tp_cli_dry_run(const struct tp_cli *cli);
int tp_cli_show_code(const struct tp_cli *cli);
int tp_cli_print_config(const struct tp_cli *cli);
int tp_cli_list(const struct tp_cli *cli);
int tp_cli_dump_asm(const struct tp_cli *cli);
int tp_cli_dump_schema(const struct tp_cli *cli);
int tp_cli_help(const struct tp_cli *cli);
int tp_cli_version(const struct tp_cli *cli);
/* Handles --cluster: submits, or looks after an earlier run. */
int tp_cli_cluster(const struct tp_cli *cli);

/* Words of the registries by index; NULL after the last. */
const char *tp_cli_list_word(size_t i);
const char *tp_cli_shell_word(size_t i);
const char *tp_cli_help_word(size_t i);

/* True if --resume names a cluster run; `directory` is that run then. */
bool tp_cli_is_cluster(const char *typed, char directory[TP_PATH_MAX]);
/* Submits what is missing of one. */
int tp_cli_cluster_resume(const struct tp_cli *cli, const char *directory);

/*
 * True for a file that is a lesson, and for a name ("lessons/03-roofline"): `path` is where it
 * lies. Presets of the same name come first.
 */
bool tp_cli_is_lesson(const char *typed, char path[TP_PATH_MAX]);
/* True after complaining about an unknown name of a lesson ("lessons/..."). */
bool tp_cli_no_lesson(const char *typed);
/* --batch: measures every measurement and prints the lesson. Returns the exit code. */
int tp_cli_lesson(const struct tp_cli *cli, const char *path);
/* --dry-run: the points of every measurement. */
int tp_cli_lesson_plan(const struct tp_cli *cli, const char *path);

/*
 * Reads ISA:KERNEL[/single|/double][:SIZE] into a kernel with its default body. KERNEL is what
 * tp_kernel_name writes: load, store, 2ld1st, 2ld1st-nt, load-stride4, fma, mixed-fma-2ld1st-3:2,
 * chain. TP_USAGE with what is allowed and the nearest name.
 */
enum tp_status tp_dump_parse(const char *text, struct tp_kernel *kernel, struct tp_diag *diag);
/* Header and assembly text of a kernel, whether this CPU (`cpu`) could run it or not. */
enum tp_status tp_dump_kernel(const struct tp_kernel *kernel, const struct tp_cpu *cpu,
			      struct tp_str *out, struct tp_diag *diag);

/* Opens a session and prints its problems; TP_EXIT_OK or the exit code, with the session closed. */
int tp_cli_open(struct tp_session *session, const struct tp_cli *cli, const char *preset,
		bool plan);
/* The end of that: prints and releases `diags`, closes the session unless `status` is TP_OK. */
int tp_cli_opened(struct tp_session *session, const struct tp_cli *cli, enum tp_status status,
		  struct tp_diags *diags);

/* Checks an open session as tp_session_check, and complains; TP_EXIT_OK or the exit code. */
int tp_cli_check_session(struct tp_session *session, const struct tp_cli *cli);

/* The progress line on stderr, if that is a terminal. */
struct tp_progress {
	struct tp_look look;
	bool shown;
	bool held; /* others use the terminal: events are counted, nothing is drawn */
	double started, last; /* tp_now_seconds(): when it began, when it was last drawn */
	double heard; /* when `state` arrived */
	struct tp_event state; /* the last progress event */
	struct tp_point point; /* the identity of the one being measured */
	union tp_row_room room; /* of `point` */
};
void tp_progress_start(struct tp_progress *progress, const struct tp_look *look);
/* Its clocks go on while no event comes. Call it some times a second. */
void tp_progress_tick(struct tp_progress *progress);
void tp_progress_event(struct tp_progress *progress, const struct tp_event *event);
/* Words of work without events; they stand until others do, or the line is cleared. */
void tp_progress_say(struct tp_progress *progress, const char *text);
void tp_progress_clear(struct tp_progress *progress);
/* How long the plan will take; a terminal shows that this is being found out. */
void tp_cli_estimate(struct tp_session *session, const struct tp_cli *cli);
/*
 * The text of a progress event in at most `columns` columns; `point` is the one that began last.
 * Without points: "planning".
 */
void tp_progress_line(const struct tp_event *event, const struct tp_point *point,
		      const struct tp_look *look, size_t columns, struct tp_str *line);

#endif
