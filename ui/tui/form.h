/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The model of the Setup form: which options are shown, what they are, how they are changed, and what follows for the plan. No curses: it
 * can be tested, and used, without a terminal.
 */
#ifndef TPROF_TUI_FORM_H
#define TPROF_TUI_FORM_H

#include "cli/cli.h"
#include "ui/tui/offers.h"

enum { TP_FORM_ROWS = 2 * TP_OPT_COUNT };

/* A heading, or an option. */
struct tp_form_row {
	const char *heading; /* NULL: an option */
	enum tp_option_id id;
};

struct tp_form {
	struct tp_session *session; /* borrowed: preset, machine and plan are changed in place */
	const struct tp_cli *cli; /* borrowed */
	struct tp_preset
		base; /* what options fall back to: built in, under the configuration files */
	size_t run; /* the run of the preset that is edited */
	bool all; /* every option is shown */
	bool edited; /* something differs from what was loaded or saved last */
	char find[64]; /* only options that hold this are shown; empty: no filter */
	struct tp_form_row rows[TP_FORM_ROWS];
	size_t n_rows, selected; /* index of an option's row */
	bool machine_stale, plan_stale;
	/* Of the plan, for people: "60 points, about 25 s, buffers of up to 1 GiB". */
	char summary[160];
	char points_text[32], time_text[48], memory_text[32];
	struct tp_str points; /* the points as a table, the first TP_FORM_POINTS of them */
	size_t n_point_lines;
};
enum { TP_FORM_POINTS = 200 };

/* Begins with the session's preset as it is; settle makes machine and plan. */
enum tp_status tp_form_init(struct tp_form *form, struct tp_session *session,
			    const struct tp_cli *cli, struct tp_diags *diags);
void tp_form_release(struct tp_form *form);

/* The config that is edited, and its experiment's name. */
const struct tp_config *tp_form_config(const struct tp_form *form);
const char *tp_form_experiment(const struct tp_form *form);

/* --- rows --- */
/* After a change of `all` or `find`; the selected option stays selected if it is still there. */
void tp_form_list(struct tp_form *form);
enum tp_option_id tp_form_selected(const struct tp_form *form);
/* Moves over `by` option rows, headings left out; stops at the ends. */
void tp_form_move(struct tp_form *form, int by);
/* Selects an option, shown or not (then everything is shown). */
void tp_form_select(struct tp_form *form, enum tp_option_id id);

/* --- one option --- */
bool tp_form_used(const struct tp_form *form, enum tp_option_id id);
/* True if the value is not the one it falls back to. */
bool tp_form_changed(const struct tp_form *form, enum tp_option_id id);
/* The value as people read it: lists with blanks, "-" for none; the thread count that an experiment means by its default. */
void tp_form_value(const struct tp_form *form, enum tp_option_id id, struct tp_str *out);
/* The same as tp_option_parse takes it. */
void tp_form_text(const struct tp_form *form, enum tp_option_id id, struct tp_str *out);
/* A few words beside the value: where it came from, what it comes to on this machine, or what it is about. */
const char *tp_form_note(const struct tp_form *form, enum tp_option_id id, char *out, size_t size);
/* What the value comes to on this machine ("scalar, sse, avx2"); empty if there is nothing to say. */
const char *tp_form_meaning(const struct tp_form *form, enum tp_option_id id, char *out,
			    size_t size);
/* Where the value came from: "built in", "presets/quick.yaml:3:7", "TPROF_THREADS", "changed here". */
const char *tp_form_source(const struct tp_form *form, enum tp_option_id id, char *out,
			   size_t size);
/* The problem of the list that is about this option, or NULL. */
const struct tp_diag *tp_form_problem(enum tp_option_id id, const struct tp_diags *problems);

/* --- changes: the plan is stale afterwards --- */
/* On failure nothing has changed. Options of the machine are set in all runs. */
enum tp_status tp_form_set(struct tp_form *form, enum tp_option_id id, const char *text,
			   struct tp_diag *diag);
enum tp_status tp_form_check(enum tp_option_id id, const char *text, struct tp_diag *diag);
enum tp_status tp_form_step(struct tp_form *form, enum tp_option_id id, int direction,
			    struct tp_diag *diag);
enum tp_status tp_form_reset(struct tp_form *form, enum tp_option_id id);
/* One run, every option at what it falls back to. */
enum tp_status tp_form_reset_all(struct tp_form *form);
/* Another run of the preset, a copy of the edited one behind it; it becomes the edited one. */
enum tp_status tp_form_add_run(struct tp_form *form, struct tp_diag *diag);
enum tp_status tp_form_remove_run(struct tp_form *form, struct tp_diag *diag);

/*
 * Makes machine and plan fit what is set up, if they do not. `problems` is emptied and filled anew: why it cannot be measured, also what
 * --batch would say of it. False when nothing was stale.
 */
bool tp_form_settle(struct tp_form *form, struct tp_diags *problems);

/* --- files --- */
/* Takes a preset by name or path; on failure all its errors are in `diags` and nothing has changed. */
enum tp_status tp_form_load(struct tp_form *form, const char *typed, struct tp_diags *diags);
/* The file that a typed name means: a path, or a name among the user's presets. */
enum tp_status tp_form_file(const char *typed, char path[TP_PATH_MAX], struct tp_diag *diag);
/* Writes what is set up; directories are made as needed, an old file is replaced. */
enum tp_status tp_form_save(struct tp_form *form, const char *path, struct tp_diag *diag);

#endif
