/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session is what is going to be measured: a preset with its machine and its plan. The command
 * line and the screens both begin here. Problems go to the caller's list of diagnoses.
 */
#ifndef TPROF_SESSION_SESSION_H
#define TPROF_SESSION_SESSION_H

#include "experiments/experiment.h"
#include "preset/preset.h"
#include "record/run.h"

struct tp_session {
	struct tp_preset preset;
	struct tp_cpu cpu;
	struct tp_machine machine;
	struct tp_plan plan;
};

/* Options given in addition to a preset's file, as "key=value"; later ones win. Borrowed. */
struct tp_overrides {
	const char *const *sets;
	size_t n;
};

/*
 * Estimates the time of the plan: tp_plan_estimate with its callback, then corrections from earlier
 * runs. An opened session has a plan without estimates.
 */
bool tp_session_estimate(struct tp_session *session, bool (*goes_on)(void *context), void *context);

/*
 * A preset by name or path (NULL: no file, the defaults) with its machine and its plan. Options
 * come from the configuration files, the file, the environment and `overrides`. `plan` false: only
 * the preset is loaded. Close the session in any case.
 */
enum tp_status tp_session_open(struct tp_session *session, const struct tp_overrides *overrides,
			       const char *typed, bool plan, struct tp_diags *diags);
void tp_session_close(struct tp_session *session);
/* A second copy, with its estimates: `from` is measured while `to` is changed. */
enum tp_status tp_session_copy(struct tp_session *to, const struct tp_session *from,
			       struct tp_diags *diags);

/*
 * The session of a stored run, to go on with it: made only from its own preset.yaml, for the memory
 * that it was planned for. `stored` is the run that was loaded from the directory.
 */
enum tp_status tp_session_reopen(struct tp_session *session, const char *directory,
				 const struct tp_run *stored, struct tp_diags *diags);

/*
 * Checks that the run can go on here. TP_USAGE if this is another machine (each difference is a
 * diagnosis), or if its points are not those of the plan.
 */
enum tp_status tp_session_fits(const struct tp_session *session, const char *directory,
			       const struct tp_run *stored, struct tp_diags *diags);

/*
 * The steps of tp_session_open, to change a session while it is open. Preset: without `overrides`,
 * the environment does not count. On failure `preset` is empty. Machine: the first run's; on
 * failure the old one stays. Plan: replaces the old one in any case. It borrows preset and machine,
 * so make it again after each change of either.
 */
enum tp_status tp_session_preset(struct tp_preset *preset, const struct tp_overrides *overrides,
				 const char *typed, struct tp_diags *diags);

/*
 * The same of a preset that stands inside another file (tp_preset_take_node): errors of it go to
 * the `faults` of that file.
 */
struct tp_node;
struct tp_faults;

enum tp_status tp_session_preset_inside(struct tp_preset *preset,
					const struct tp_overrides *overrides,
					const struct tp_node *node, struct tp_faults *faults,
					struct tp_diags *diags);
enum tp_status tp_session_machine(struct tp_session *session, struct tp_diag *diag);
enum tp_status tp_session_plan(struct tp_session *session, struct tp_diags *diags);

/*
 * Once before the run of a planned session is made: whole files and code that is assembled
 * (tp_experiment.check). With TP_OK `diags` gets notes.
 */
enum tp_status tp_session_check(struct tp_session *session, struct tp_diags *diags);

/* True for options of the machine and its knobs, which all runs of a preset have in common. */
bool tp_session_shares(const struct tp_option *option);

/* Every point of a plan with sizes and estimated time, one line each, and the total. */
void tp_session_plan_text(const struct tp_plan *plan, const struct tp_machine *machine,
			  struct tp_str *out);

/*
 * Points whose results an earlier run of this machine may give, such as the roofs for a program:
 * measuring them again takes seconds for the same result.
 *
 * One run gives all that it has. If the user names none, it is the newest of those below
 * TP_REUSE_DAYS old that the same version of tprof measured to its end on this machine, with the
 * same kernel, knobs and page policy. It has two thirds of the points that are measured first, good
 * or fair; if no run has, of any quality. It may not have taken them from another run itself, so
 * they are never older than they look. Missing points are measured; poor ones are measured again,
 * after all others.
 */

enum { TP_REUSE_DAYS = 30 };

struct tp_reused {
	struct tp_run run; /* that gives them; its name is run.called */
	struct tp_point *points; /* the plan's: the run gives those that are DONE; NULL = none */
	bool improves; /* poor ones are measured again, but not those of a named run */
};

/*
 * Finds them for a plan. `now`: facts of the machine and, if known, of its knobs. TP_OK, also
 * without one; TP_NOTFOUND, TP_USAGE and others: why a named run cannot give them. Release it in
 * any case.
 */
enum tp_status tp_reuse_find(struct tp_reused *reused, const struct tp_session *session,
			     const struct tp_run *now, struct tp_diag *diag);
/* Writes the facts of a run about it; for the planned points, until they are measured. */
void tp_reuse_tell(const struct tp_reused *reused, const struct tp_session *session,
		   struct tp_run *run);
void tp_reuse_release(struct tp_reused *reused);

#endif
