/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What experiments with parameters of a user share: reading them from options, conditions that
 * leave combinations out, and commands with values in them, which run around the points.
 */
#ifndef TPROF_EXPERIMENTS_WINDOWS_SWEEP_H
#define TPROF_EXPERIMENTS_WINDOWS_SWEEP_H

#include "base/command.h"
#include "base/expression.h"
#include "experiments/experiment.h"
#include "sweep/sweep.h"

/* The parameters that an option lists; refused where they cannot be read, or are too many. */
enum tp_status tp_planner_sweep(struct tp_plan_context *context, const struct tp_option *option,
				struct tp_sweep *sweep, struct tp_diags *diags);
/* Refuses more combinations than a run holds points. */
enum tp_status tp_planner_check_count(struct tp_plan_context *context,
				      const struct tp_option *option, double combinations,
				      struct tp_diags *diags);

/*
 * Whether a combination meets all conditions of an option. Without `known` each name in them must
 * have a value; else a condition on a name without one is ignored, and known[i] is set for those
 * whose names all have one. `hint` lists the names.
 */
enum tp_status tp_planner_meets(struct tp_plan_context *context, const struct tp_option *option,
				tp_name_value *names, void *combination, const char *hint,
				bool *known, bool *meets, struct tp_diags *diags);

/* Commands of an option that run one after the other, each as words up to NULL. */
struct tp_commands {
	const struct tp_option *option;
	char ***items;
	size_t n;
};

/* The commands of the option with the values of a combination, in the arena. */
enum tp_status tp_planner_commands(struct tp_plan_context *context, const struct tp_option *option,
				   const struct tp_sweep_at *at, struct tp_arena *arena,
				   struct tp_commands *commands, struct tp_diags *diags);
/*
 * Runs them as in `how`, without its command. TP_FAILED with a message about the first that fails:
 * tp_command_judge.
 */
enum tp_status tp_commands_run(const struct tp_commands *commands,
			       const struct tp_command_line *how, const char *where,
			       const char *hint, struct tp_diag *diag);
/*
 * TP_FAILED if a command that has run failed: "WHAT ended with exit status 3; it said: LAST LINE".
 * `hint` is for one that took too long.
 */
enum tp_status tp_command_judge(const struct tp_command_line *command,
				const struct tp_command_run *run, const char *where,
				const char *what, const char *hint, struct tp_diag *diag);

/*
 * The NAME=VALUEs of an option, up to NULL, with the values of a combination, NULL = as they are.
 * `example` is a valid one.
 */
enum tp_status tp_planner_variables(struct tp_plan_context *context, const struct tp_option *option,
				    const struct tp_sweep_at *at, const char *example,
				    struct tp_arena *arena, char ***variables,
				    struct tp_diags *diags);

/* The words of an option's command, whose program must be here; refused otherwise. */
enum tp_status tp_planner_program(struct tp_plan_context *context, const struct tp_option *option,
				  const char *example, char ***words, struct tp_diags *diags);

#endif
