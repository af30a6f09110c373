/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Experiments: what to measure (plan), how one point is measured (run), what the points mean
 * together (reduce). Options -> plan happens in the front end and again, identically, in the
 * engine; run happens in the engine only; reduce happens wherever the points are.
 */
#ifndef TPROF_EXPERIMENT_EXPERIMENT_H
#define TPROF_EXPERIMENT_EXPERIMENT_H

#include "base/pages.h"
#include "kernels/counting.h"
#include "kernels/kernel.h"
#include "machine/machine.h"
#include "preset/options.h"
#include "record/run.h"

/* Where a working set lives. CLASS_FP: nowhere, registers only. */
enum tp_level_class { TP_CLASS_FP, TP_CLASS_L1, TP_CLASS_L2, TP_CLASS_L3, TP_CLASS_DRAM };

/* A planned point: its identity for the record and everything needed to run it. */
enum tp_again {
	TP_AGAIN_ODD = 1, /* its result contradicts others */
	TP_AGAIN_EDGE = 2, /* it decides where a level ends */
};

struct tp_planned {
	struct tp_point point; /* identity only; no samples; its row lies in the plan's arena */
	const struct tp_experiment *experiment;
	const struct tp_config *config; /* borrowed */
	unsigned *cpus; /* threads entries */
	/* The machine as its team sees it, if that differs: CPUs of one kind; NULL = as it is. */
	const struct tp_machine *view;
	/* a thread's buffer for this point only; 0 = it needs none from the bench */
	uint64_t own_bytes;
	uint64_t buffer_bytes; /* the largest of all neighbours that share its buffer */
	enum tp_pages pages;
	/* point.estimate_seconds as tp_plan_estimate found it, before earlier runs corrected it */
	double model_seconds;
	/* The points of a run are measured in rounds, the first one first. */
	unsigned round;
	/* What the experiment needs to run it: experiment->plan_bytes, in the plan's arena. */
	void *row;
};

struct tp_plan {
	struct tp_planned *items; /* ids are indexes */
	size_t n, cap;
	double estimate_seconds;
	/* Points whose estimate is learned, and the most runs that one is learned from. */
	size_t n_learned;
	unsigned learned_runs;
	struct tp_diags notes; /* things left out or adjusted, for readers */
	struct tp_arena arena; /* owns cpus */
	/* Where the team of the last point runs; see tp_kernel_row. */
	const unsigned *team_of;
	char cpu_kind[24], memory[32];
	/* While points are only counted, none is kept: the last added one is the only one. */
	bool counting;
	size_t n_counted;
	struct tp_arena counted; /* owns its rows */
};

struct tp_plan_context {
	const struct tp_machine *machine; /* as the run's affinity sees it */
	const struct tp_machine *view; /* the same, or NULL, as in tp_planned */
	const struct tp_cpu *cpu;
	struct tp_plan *plan;
	const struct tp_config *config;
	const struct tp_experiment *experiment; /* whose points are planned */
	unsigned run; /* 0-based index of the preset's run */
};

struct tp_bench;
struct tp_stop_rule;

/* Points that may be measured in several fresh processes, whose samples then add up. */
struct tp_repeated {
	/* Confidence, error and basis that decide whether another process is needed. */
	void (*rule)(const struct tp_machine *machine, const struct tp_planned *planned,
		     struct tp_stop_rule *rule);
	/* Recomputes the values of a point from all its samples. */
	enum tp_status (*summarise)(const struct tp_machine *machine,
				    const struct tp_planned *planned, struct tp_point *point,
				    struct tp_diag *diag);
	/* Recomputes its quality: after `summarise`, when the interval is known. */
	void (*judge)(const struct tp_machine *machine, const struct tp_planned *planned,
		      struct tp_point *point);
	/*
	 * After run `index` has ended: what the qualities of all its points mean for each. NULL =
	 * nothing.
	 */
	void (*judge_company)(struct tp_run *run, unsigned index);
};

/* A document that an experiment makes of a run, in addition to those of every run. */
struct tp_experiment_document {
	const char *ending; /* of its name among exports: "papi" */
	const char *file; /* its name in the run directory; NULL = not kept there */
	bool (*has)(const struct tp_run *run); /* the run holds what it is made of */
	enum tp_status (*make)(const struct tp_run *run, struct tp_str *out);
};

struct tp_named_file;
/* An option whose words are the names of a registry. */
struct tp_option_names {
	const struct tp_option *option;
	bool open; /* other words can be typed */
	const char *(*name)(size_t i, const char **note); /* NULL after the last */
	/* Or files with names, a heap array that the caller frees. */
	enum tp_status (*files)(struct tp_named_file **files, size_t *n, struct tp_diag *diag);
};

struct tp_experiment {
	const char *name, *summary;
	const char *question; /* that it answers, in the user's words */
	const struct tp_option_names *names; /* of its options; ends with a zeroed row */
	bool compares_pages; /* the option pages may be a list */
	/* Why `run` works on no simulated machine: "a simulation has no gathers"; NULL = it does.
	 */
	const char *not_simulated;
	/* Its plan estimates its points; else a simulation runs them for that. */
	bool estimates;
	bool narrow; /* it measures in precisions of less than 4 bytes, too */
	bool all_threads; /* the default of the option threads is all */
	size_t plan_bytes; /* of tp_planned.row; 0 = none */
	/* TP_OK or the reason why it cannot run here, besides that; NULL = it can everywhere. */
	enum tp_status (*supported)(const struct tp_machine *machine, struct tp_diag *diag);
	enum tp_status (*plan)(struct tp_plan_context *context, struct tp_diags *diags);
	/*
	 * What takes too long for every plan, once before a run is made: a whole file is read, code
	 * is assembled. It starts no program that only the user may start (tp_consent). With TP_OK
	 * `diags` gets notes. NULL = the plan has looked at everything.
	 */
	enum tp_status (*check)(struct tp_plan_context *context, struct tp_diags *diags);
	/*
	 * Before the first point, once for all points to run: work best done together, such as
	 * compiling. A point's `run` reports its failures. TP_CANCELLED, TP_NOMEM. NULL = nothing.
	 */
	enum tp_status (*prepare)(struct tp_bench *bench, const struct tp_planned *const *planned,
				  size_t n, struct tp_diag *diag);
	/*
	 * `point` is a copy of the planned one, with its own row, to be filled. Its state becomes
	 * TP_POINT_DONE when it is measured. A failed one gets its state and `diag` from the
	 * caller.
	 */
	enum tp_status (*run)(struct tp_bench *bench, const struct tp_planned *planned,
			      struct tp_point *point, struct tp_diag *diag);
	const struct tp_repeated *repeated; /* NULL = each point is measured by one process */
	/* Points take as long as estimated unless something disturbs them: no code of others. */
	bool is_predictable;
	/*
	 * Adds result rows of run `index` to `run` from its finished points, and leaves the points
	 * as they are: it is called again and again while the run is watched. NULL = nothing to
	 * add.
	 */
	void (*reduce)(const struct tp_machine *machine, struct tp_run *run, unsigned index);
	/* A row of this kind is reduced before its point is over, too; NULL = no kind. */
	const struct tp_row_event *reduces_early;
	/*
	 * Sets again[id], bits of enum tp_again, for points of run `index` that are to be measured
	 * once more, by what `reduce` made of them. NULL = none.
	 */
	void (*doubt)(const struct tp_run *run, unsigned index, unsigned char *again);
	/*
	 * True for a point that nothing needs, by what the finished points of its run have found,
	 * with the reason; asked after each of them. The point is then left out. NULL = all are
	 * needed.
	 */
	bool (*unneeded)(const struct tp_run *run, const struct tp_planned *planned,
			 struct tp_diag *why);
	/*
	 * In a run that is watched: what is known once a point is over, where `reduce` takes too
	 * long for each; NULL = `reduce`.
	 */
	void (*reduce_point)(struct tp_run *run, const struct tp_point *last);
	/*
	 * The run that may give the point's result, so that it is not measured: "" = a recent one
	 * of this machine, else its name; NULL = the point is measured. The hook NULL = all are.
	 */
	const char *(*reuses)(const struct tp_planned *planned);
	/* True if a point that was found earlier is the planned one; NULL = if it is equal. */
	bool (*continues)(const struct tp_point *found, const struct tp_point *planned);
	const struct tp_experiment_document *documents;
	size_t n_documents;
	/* Memory that a point takes besides the bench's buffers; NULL = none. */
	uint64_t (*memory_bytes)(const struct tp_planned *planned);
	/*
	 * For its options that may name code (tp_option.code): true for a value that names only
	 * shipped code or known libraries.
	 */
	bool (*code_is_known)(const struct tp_option *option, const char *text);
	/* Appends the source of the code that a point runs, for readers; NULL = none. */
	enum tp_status (*source)(const struct tp_planned *planned, struct tp_str *out,
				 struct tp_diag *diag);
	/* A line of a dry run below the table of points; NULL = none. */
	void (*describe)(const struct tp_planned *planned, struct tp_str *out);
};

/*
 * At the start of a program that plans, reads or reports runs: hands every registry of the
 * experiments (list.h) to the room that works on it.
 */
void tp_experiments_begin(void);
/* Every experiment, up to NULL; only tp_experiments_begin calls it. */
void tp_experiments_use(const struct tp_experiment *const *experiments);
/* The i-th in the order of --list experiments; NULL after the last. */
const struct tp_experiment *tp_experiment_at(size_t i);
size_t tp_experiment_count(void);
const struct tp_experiment *tp_experiment_find(const char *name);
/* The i-th document of all experiments; NULL after the last. */
const struct tp_experiment_document *tp_experiment_document(size_t i);

/* TP_OK or the reason why the experiment cannot run on that machine. */
enum tp_status tp_experiment_supported(const struct tp_experiment *experiment,
				       const struct tp_machine *machine, struct tp_diag *diag);

/* An ISA that a plan for a machine can name. */
struct tp_isa_offer {
	const char *name, *summary;
	const struct tp_isa *isa; /* of this program; NULL: of another architecture */
	unsigned vector_bytes; /* 0: one element */
	bool apart; /* as tp_isa_is_apart */
	bool offered; /* the machine has it: auto takes it */
	struct tp_diag why; /* why it is unavailable; empty if unknown: then it can be named */
};
/*
 * The i-th of the machine's architecture, from narrow to wide; false after the last. This host has
 * its CPU's, another machine its model's; without a model, those common to its architecture.
 */
bool tp_machine_isa(const struct tp_machine *machine, size_t i, struct tp_isa_offer *offer);
/* Whether the machine has an instruction of a narrow precision or a matrix; as above. */
bool tp_machine_has_narrow(const struct tp_machine *machine, const struct tp_narrow *row);

/* The regimes of simulations by index, with descriptions; NULL after the last. */
const char *tp_regime_word(size_t i, const char **summary);
/*
 * The machine that a config asks for: topology, model, given cache sizes, and whether it is
 * simulated. Release with tp_machine_release.
 */
enum tp_status tp_machine_for_config(struct tp_machine *machine, const struct tp_cpu *cpu,
				     const struct tp_config *config, struct tp_diag *diag);

/*
 * A new planned point with its identity, CPUs, pages and rows; NULL and a diagnosis when `bytes` a
 * thread do not fit into memory, or memory is exhausted.
 */
struct tp_planned *tp_plan_add(struct tp_plan_context *context, unsigned threads, unsigned *cpus,
			       uint64_t bytes, struct tp_diags *diags);

/* Adds a diagnosis, once: several runs, thread counts or levels may meet the same obstacle. */
void tp_planner_add_diag(struct tp_diags *diags, const struct tp_diag *diag);
/* Adds a diagnosis about an option's value and returns `status`. */
enum tp_status tp_planner_refuse(struct tp_plan_context *context, struct tp_diags *diags,
				 enum tp_status status, const struct tp_option *option,
				 const char *hint, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));
void tp_planner_note(struct tp_plan_context *context, const struct tp_option *option,
		     const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/*
 * Notes that an option has no effect because of the value of another one, if it was set and not
 * overridden on purpose: a command line may replace a preset's setting by another option.
 */
void tp_planner_idle(struct tp_plan_context *context, const struct tp_option *option,
		     const struct tp_option *because, const char *why);

/*
 * Plans every run of a preset. All problems of all runs go to `diags` (where = place of the
 * option's value); the status comes from the first. The plan borrows the configs and must be
 * released in any case.
 */
enum tp_status tp_plan_make(struct tp_plan *plan, const struct tp_machine *machine,
			    const struct tp_cpu *cpu, const struct tp_config *configs, size_t n,
			    struct tp_diags *diags);
/*
 * Calls `take` with each name that a column of the results will have: of points, parameters and
 * what is derived. True if others may come with the results.
 */
bool tp_plan_each_column(struct tp_plan *plan, const struct tp_config *configs, size_t n,
			 void (*take)(void *context, const char *name), void *context);
/* The checks of the experiments of all runs, for a plan that was made of these configs. */
enum tp_status tp_plan_check(struct tp_plan *plan, const struct tp_machine *machine,
			     const struct tp_cpu *cpu, const struct tp_config *configs, size_t n,
			     struct tp_diags *diags);
/*
 * How long the points and the whole plan will take, in estimate_seconds. Points whose experiment
 * can be simulated take as long as on a simulation of the machine; the others compute it
 * themselves. `goes_on` (may be NULL) is polled; false if it stopped the work: then the estimates
 * are incomplete, and the next call starts over.
 */
bool tp_plan_estimate(struct tp_plan *plan, const struct tp_machine *machine,
		      bool (*goes_on)(void *context), void *context);
/* Sets the points of a run that has measured none yet from the plan. */
void tp_plan_points(const struct tp_plan *plan, struct tp_run *run);
/*
 * Makes the derived rows of a run again from its points. `ended`: the points also judge each other,
 * and experiments that have reduce_point reduce, too.
 */
void tp_run_reduce(const struct tp_machine *machine, struct tp_run *run, bool ended);
/*
 * The finished points of the run that their experiments doubt, by its derived rows, which are made
 * again: again[id] is set for them.
 */
void tp_plan_doubts(const struct tp_plan *plan, const struct tp_machine *machine,
		    struct tp_run *run, unsigned char *again);
/* Sorts ids[n] of points as they are measured: run after run, round after round. */
void tp_plan_order(const struct tp_plan *plan, unsigned *ids, size_t n);
void tp_plan_release(struct tp_plan *plan);
/* The memory that measuring the point needs: its threads' buffers, or its experiment's figure. */
uint64_t tp_planned_memory_bytes(const struct tp_planned *planned);

#endif
