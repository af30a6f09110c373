/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine in sections of text, from data that is in memory. Every function clears its document and fills it for the width. */
#ifndef TPROF_TUI_MACHINE_DOCS_H
#define TPROF_TUI_MACHINE_DOCS_H

#include "machine/health.h"
#include "machine/machine.h"
#include "record/run.h"
#include "ui/tui/doc.h"

/* --- topology --- */

/* Which nodes of the tree are folded, by level of the tree and first hardware thread of the node. */
enum tp_tree_level {
	TP_TREE_PACKAGE,
	TP_TREE_NUMA,
	TP_TREE_L3,
	TP_TREE_L2,
	TP_TREE_CORE,
	TP_TREE_LEVELS
};
struct tp_tree_folds {
	bool *folded; /* [level * n_pus + pu] */
	size_t n_pus;
};
/* Caches with their cores folded where the machine has many. False when out of memory. */
bool tp_tree_folds_init(struct tp_tree_folds *folds, const struct tp_machine *machine);
void tp_tree_folds_release(struct tp_tree_folds *folds);
/* The node that a line of the tree stands for (its item); cores do not fold. */
void tp_tree_fold(struct tp_tree_folds *folds, int item);
/* Folds all, or unfolds all if any is folded. */
void tp_tree_fold_all(struct tp_tree_folds *folds);
void tp_machine_tree(struct tp_doc *doc, const struct tp_machine *machine,
		     const struct tp_tree_folds *folds, bool utf8, int columns);

/* --- the rest --- */

/* `measured`: a run of this machine with plateaus, or NULL; `from` is its name. */
void tp_machine_caches(struct tp_doc *doc, const struct tp_machine *machine,
		       const struct tp_run *measured, const char *from, int columns);
void tp_machine_isas(struct tp_doc *doc, const struct tp_machine *machine,
		     const struct tp_cpu *host, bool utf8, int columns);
/* Per core and cycle what the model says, and what `run` (may be NULL) measured. */
void tp_machine_peaks(struct tp_doc *doc, const struct tp_model *model, const struct tp_run *run,
		      const char *from, int columns);
void tp_machine_environment(struct tp_doc *doc, const struct tp_machine *machine, int columns);

struct tp_known_model {
	char name[48], title[96];
	struct tp_model *model; /* NULL: broken, then `title` says why */
	bool matches;
};
void tp_machine_models(struct tp_doc *doc, const struct tp_known_model *models, size_t n,
		       const char *used, const char *shown, bool utf8, int columns);
void tp_machine_findings(struct tp_doc *doc, const struct tp_finding *findings, size_t n,
			 int columns);
/* "2 warnings, 1 note"; the role of the worst. */
enum tp_role tp_machine_findings_summary(const struct tp_finding *findings, size_t n, char *out,
					 size_t size);

#endif
