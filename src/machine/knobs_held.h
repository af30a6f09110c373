/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who holds the machine's knobs: a record of what was changed, written before the change, and a process that puts it back whatever
 * becomes of the program. Only one program at a time holds them.
 *
 * The record is <root>/run/tprof/knobs, or where that cannot be written $XDG_STATE_HOME/tprof/knobs-<host> (~/.local/state). It is locked
 * as long as the program or its keeper lives, and removed when all is back; one that is there without a lock is what a killed program
 * left. One of another boot says nothing: the kernel began anew.
 */
#ifndef TPROF_MACHINE_KNOBS_HELD_H
#define TPROF_MACHINE_KNOBS_HELD_H

#include <stdbool.h>
#include <sys/types.h>

#include "machine/knobs.h"

struct tp_held {
	char path[TP_PATH_MAX]; /* of the record */
	int record; /* locked; -1 = none */
	int line; /* the keeper's: it acts when this end closes; -1 = none */
	pid_t keeper;
};

/*
 * Takes hold of the knobs: first puts back what a killed program left (told in `diags`), reads `knobs` again if so, then writes the record of
 * what is planned, and starts the keeper. Call it before there are threads, and before tp_knobs_set. TP_RESOURCE while another
 * program holds them, or if no record can be written: then nothing may be set.
 */
enum tp_status tp_held_take(struct tp_held *held, struct tp_knobs *knobs, struct tp_diags *diags,
			    struct tp_diag *diag);
/* Has the keeper put everything back and waits for it. TP_PERM with words if something stayed (the record then stays too). */
enum tp_status tp_held_give(struct tp_held *held, struct tp_knobs *knobs, struct tp_diags *diags);

/* What the records say. */
enum tp_leftover_state {
	TP_LEFTOVER_NONE, /* nothing is changed */
	TP_LEFTOVER_HELD, /* a program that lives holds them */
	TP_LEFTOVER_THERE, /* a killed program left them changed; `knobs` has what */
	TP_LEFTOVER_DOUBTFUL, /* a record that is not to be trusted: somebody else's, or broken */
};
struct tp_leftover {
	enum tp_leftover_state state;
	char path[TP_PATH_MAX];
	struct tp_knobs knobs; /* released by the caller */
};
/* Looks at the n-th place of a record (0, 1); false beyond the last. */
bool tp_leftover_look(struct tp_leftover *left, unsigned n, const char *root);
/* Puts back what is left (state THERE) and removes the record. */
enum tp_status tp_leftover_restore(struct tp_leftover *left, struct tp_diags *diags);

#endif
