/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The model of the Setup form: which options it shows, their values, how they change, and the plan
 * that follows from them. It needs no terminal.
 */
#ifndef TPROF_UI_TUI_WIDGETS_FORM_H
#define TPROF_UI_TUI_WIDGETS_FORM_H

#include "experiments/words.h"
#include "session/session.h"

enum { TP_FORM_ROWS = 2 * TP_OPTIONS_MAX };

/* A heading, or an option; neither: the place where the plan is measured. */
struct tp_form_row {
	const char *heading;
	const struct tp_option *option;
};

struct tp_form {
	struct tp_session *session; /* borrowed: preset, machine and plan are changed in place */
	const struct tp_overrides
		*overrides; /* they apply to every preset that is loaded; borrowed */
	struct tp_preset base; /* the defaults: built in, changed by the configuration files */
	size_t run; /* the run of the preset that is edited */
	bool all; /* all options are shown */
	bool first[TP_OPTIONS_MAX]; /* by index: differed from its default when the rows were listed
				     */
	bool edited; /* changed since it was loaded or saved last */
	char find[64]; /* shows only options with this text in key or help; empty: no filter */
	struct tp_form_row rows[TP_FORM_ROWS];
	size_t n_rows, selected; /* index of an option's row */
	bool machine_stale, plan_stale;
	bool estimate_stale; /* the plan is made, how long it takes is not known yet */
	/* The plan in words: "60", "about 25 s", "1 GiB". */
	char points_text[32], time_text[48], memory_text[32];
	struct tp_str points; /* the points as a table, the first TP_FORM_POINTS of them */
	size_t n_point_lines;
};
enum { TP_FORM_POINTS = 200 };

/* Begins with the preset of the session; tp_form_settle makes machine and plan. */
enum tp_status tp_form_init(struct tp_form *form, struct tp_session *session,
			    const struct tp_overrides *overrides, struct tp_diags *diags);
void tp_form_release(struct tp_form *form);

/* The edited config, and the name of its experiment. */
const struct tp_config *tp_form_config(const struct tp_form *form);
const char *tp_form_experiment(const struct tp_form *form);

/* --- rows --- */

/*
 * Lists the rows again, options that differ from their default first: call it after a change of
 * `all`, `find` or `run`. The selected row stays selected if it is still shown. A change of a value
 * moves no row.
 */
void tp_form_list(struct tp_form *form);
/* NULL: the row where the plan is measured. */
const struct tp_option *tp_form_selected(const struct tp_form *form);
/* Moves the selection by `by` options; stops at the ends. */
void tp_form_move(struct tp_form *form, int by);
/* Selects an option; if it is not shown, shows all of them. */
void tp_form_select(struct tp_form *form, const struct tp_option *option);

/* --- one option --- */
bool tp_form_used(const struct tp_form *form, const struct tp_option *option);
/* True if the value is not the default. */
bool tp_form_changed(const struct tp_form *form, const struct tp_option *option);
/*
 * The value in words: lists with blanks, "-" for none, "all" where the experiment takes all threads
 * by default, the question of the experiment.
 */
void tp_form_value(const struct tp_form *form, const struct tp_option *option, struct tp_str *out);
/* The same in the form that tp_option_parse reads. */
void tp_form_text(const struct tp_form *form, const struct tp_option *option, struct tp_str *out);
/* A few words next to the value: its meaning on this machine, or the subject of the option. */
const char *tp_form_note(const struct tp_form *form, const struct tp_option *option, char *out,
			 size_t size);
/* The meaning of the value on this machine ("scalar, sse, avx2"), or an empty text. */
const char *tp_form_meaning(const struct tp_form *form, const struct tp_option *option, char *out,
			    size_t size);
/*
 * Where the value came from: "built in", "presets/quick.yaml:3:7", "TPROF_THREADS", "changed here".
 */
const char *tp_form_source(const struct tp_form *form, const struct tp_option *option, char *out,
			   size_t size);
/* The problem of the list that is about this option, or NULL. */
const struct tp_diag *tp_form_problem(const struct tp_option *option,
				      const struct tp_diags *problems);

/* --- changes: the plan is stale afterwards --- */

/* Sets an option, in all runs if it is one of the machine. On failure nothing changes. */
enum tp_status tp_form_set(struct tp_form *form, const struct tp_option *option, const char *text,
			   struct tp_diag *diag);
enum tp_status tp_form_check(const struct tp_option *option, const char *text,
			     struct tp_diag *diag);
enum tp_status tp_form_step(struct tp_form *form, const struct tp_option *option, int direction,
			    struct tp_diag *diag);
void tp_form_reset(struct tp_form *form, const struct tp_option *option);

/* One run, with every option at its default. */
enum tp_status tp_form_reset_all(struct tp_form *form);
/* Adds a copy of the edited run after it, and edits the copy. */
enum tp_status tp_form_add_run(struct tp_form *form, struct tp_diag *diag);
enum tp_status tp_form_remove_run(struct tp_form *form, struct tp_diag *diag);

/*
 * Makes machine and plan again if they are stale, else returns false. `problems` gets the reasons
 * why the plan cannot be measured, as --batch would give them.
 */
bool tp_form_settle(struct tp_form *form, struct tp_diags *problems);
/*
 * Finds how long a new plan takes; false if that was known, or if `goes_on` (may be NULL) ended the
 * work before.
 */
bool tp_form_estimate(struct tp_form *form, bool (*goes_on)(void *context), void *context);

/* --- files --- */

/* The preset becomes the form's. */
void tp_form_take(struct tp_form *form, struct tp_preset *preset);
/* Loads a preset by name or path. On failure `diags` has all its errors and nothing changes. */
enum tp_status tp_form_load(struct tp_form *form, const char *typed, struct tp_diags *diags);
/* The file that a typed text means: a path, or the name of a preset of the user. */
enum tp_status tp_form_file(const char *typed, char path[TP_PATH_MAX], struct tp_diag *diag);
/* Writes the preset; makes directories as needed, replaces an old file. */
enum tp_status tp_form_save(struct tp_form *form, const char *path, struct tp_diag *diag);

#endif
