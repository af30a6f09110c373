/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Holding the machine's knobs: a record of the changes, written before the first one, and a process
 * that restores them however the program ends. Only one program at a time holds them.
 *
 * The record is <root>/run/tprof/knobs, or where that cannot be written
 * $XDG_STATE_HOME/tprof/knobs-<host> (~/.local/state). It is locked while the program or its keeper
 * lives, and removed when everything is restored. A record without a lock was left by a killed
 * program. A record from before the last boot is void, because the kernel started with its
 * defaults.
 */
#ifndef TPROF_MACHINE_KNOBS_HELD_H
#define TPROF_MACHINE_KNOBS_HELD_H

#include <stdbool.h>
#include <sys/types.h>

#include "machine/knobs.h"

struct tp_held {
	char path[TP_PATH_MAX]; /* of the record */
	int record; /* locked; -1 = none */
	int line; /* when this end closes, the keeper acts; -1 = none */
	pid_t keeper;
};

/*
 * Takes the knobs. First it restores what a killed program left (noted in `diags`) and reads
 * `knobs` again if so. Then it writes the record of the plan and starts the keeper. Call it before
 * there are threads, and before tp_knobs_set. TP_RESOURCE while another program holds the knobs, or
 * if no record can be written: then nothing may be set.
 */
enum tp_status tp_held_take(struct tp_held *held, struct tp_knobs *knobs, struct tp_diags *diags,
			    struct tp_diag *diag);
/*
 * Lets the keeper restore everything and waits for it. TP_PERM if something could not be restored;
 * the record then stays.
 */
enum tp_status tp_held_give(struct tp_held *held, struct tp_knobs *knobs, struct tp_diags *diags);

/* Contents of the records. */
enum tp_leftover_state {
	TP_LEFTOVER_NONE, /* nothing was changed */
	TP_LEFTOVER_HELD, /* a running program holds them */
	TP_LEFTOVER_THERE, /* a killed program left them changed; `knobs` has what */
	TP_LEFTOVER_DOUBTFUL, /* an untrusted record: of another user, or broken */
};
struct tp_leftover {
	enum tp_leftover_state state;
	char path[TP_PATH_MAX];
	struct tp_knobs knobs; /* released by the caller */
};
/* Looks at the n-th place of a record (0, 1); false beyond the last. */
bool tp_leftover_look(struct tp_leftover *left, unsigned n, const char *root);
/* Restores what is left (state THERE) and removes the record. */
enum tp_status tp_leftover_restore(struct tp_leftover *left, struct tp_diags *diags);

#endif
