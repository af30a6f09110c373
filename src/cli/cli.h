/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The command line face. Knows the engine only by its events and what they leave in a tp_run. Data go to stdout, words for people
 * to stderr. Private to this room.
 */
#ifndef TPROF_CLI_CLI_H
#define TPROF_CLI_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "experiment/experiment.h"
#include "preset/preset.h"
#include "record/event.h"
#include "record/run.h"
#include "report/report.h"

enum tp_when { TP_AUTO, TP_ALWAYS, TP_NEVER };

struct tp_cli {
	/* what to do: one of these */
	const char *batch, *resume, *show, *compare, *check, *dry_run, *list, *completion;
	const char *const *more_runs; /* further runs to compare */
	size_t n_more_runs;
	const char *across, *tolerance; /* of a comparison; NULL = not given */
	const char *classify; /* readings to analyse */
	const char **bases; /* files of bases for it */
	size_t n_bases;
	const char *explain; /* whose decision path is wanted: "chosen", or a shell pattern */
	const char *papi_file; /* derived events for PAPI, "-" = stdout; NULL = none */
	bool doctor;
	bool restore; /* doctor puts back what was left changed */
	bool print_config, help, version;
	const char *print_config_of; /* preset, or NULL for the defaults */
	const char **dump_asm; /* ISA:KERNEL[:SIZE] */
	size_t n_dump_asm;
	/* how */
	const char **sets; /* key=value; --machine and --topology become sets too */
	size_t n_sets;
	const char *replay; /* a run for the screens, NULL = none */
	double speed; /* of the replay; 1 when not given */
	bool control, no_mouse;
	bool json, csv, names, events, strict, ascii, quiet;
	const char *output; /* -o, NULL = stdout */
	const char *svg; /* file of the pictures, "-" = stdout, NULL = none */
	const char *run_dir; /* NULL = a new one in the user's data directory */
	enum tp_when report, colour;
};

void tp_look_init(struct tp_look *look, const struct tp_cli *cli, int fd);

/* One diagnosis for people: "tprof: where: what" and the hint on its own line, to stderr. */
void tp_cli_complain(const struct tp_diag *diag);
void tp_cli_complain_all(const struct tp_diags *diags);

/* Commands; each returns the exit code. */
int tp_cli_batch(const struct tp_cli *cli);
int tp_cli_resume(const struct tp_cli *cli);
int tp_cli_show(const struct tp_cli *cli);
int tp_cli_compare(const struct tp_cli *cli);
int tp_cli_classify(const struct tp_cli *cli);
int tp_cli_doctor(const struct tp_cli *cli);
int tp_cli_completion(const struct tp_cli *cli);
int tp_cli_check(const struct tp_cli *cli);
int tp_cli_dry_run(const struct tp_cli *cli);
int tp_cli_print_config(const struct tp_cli *cli);
int tp_cli_list(const struct tp_cli *cli);
/* The words that --list takes, by index; NULL behind the last. */
const char *tp_cli_list_word(size_t i);
int tp_cli_dump_asm(const struct tp_cli *cli);

/* A preset with everything that hangs on it: machine and plan. */
struct tp_session {
	struct tp_preset preset;
	struct tp_cpu cpu;
	struct tp_machine machine;
	struct tp_plan plan;
};
/* Loads, detects, plans; complains on stderr itself. TP_EXIT_OK or the exit code. `plan` false: only load the preset. */
int tp_session_open(struct tp_session *session, const struct tp_cli *cli, const char *preset,
		    bool plan);
/*
 * The same from the preset.yaml of a run: config files, environment and command line do not count. `available_bytes`: the memory that the
 * run was planned for, 0 = unknown.
 */
int tp_session_reopen(struct tp_session *session, const struct tp_cli *cli, const char *preset,
		      double available_bytes);
void tp_session_close(struct tp_session *session);

/*
 * The steps of that, for whoever changes a session while it is open. All problems go to `diags`.
 * Preset: what was typed (NULL: no file) with config files, environment and --set around it; without `cli` the config files alone. On failure
 * `preset` is empty. Machine: the one that the first run asks for; on failure the old one stays. Plan: replaces the old one
 * in any case; it borrows preset and machine, so it is made again after each of their changes.
 */
enum tp_status tp_session_preset(struct tp_preset *preset, const struct tp_cli *cli,
				 const char *typed, struct tp_diags *diags);
enum tp_status tp_session_machine(struct tp_session *session, struct tp_diag *diag);
enum tp_status tp_session_plan(struct tp_session *session, struct tp_diags *diags);
/* True for options of the machine and its knobs, which all runs of a preset have in common. */
bool tp_session_shares(enum tp_option_id id);

/* Every point of a plan with sizes and estimated time, one line each, and the total. */
void tp_report_plan(const struct tp_plan *plan, const struct tp_machine *machine,
		    struct tp_str *out);

/* The progress line on stderr. */
struct tp_progress {
	struct tp_look look;
	bool shown;
	double last;
	struct tp_point point; /* being measured: its identity */
};
void tp_progress_event(struct tp_progress *progress, const struct tp_event *event);
void tp_progress_clear(struct tp_progress *progress);

#endif
