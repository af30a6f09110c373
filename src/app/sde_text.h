/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What Intel SDE says of a program with -mix -iform, "Intel Software Development Emulator" manual,
 * as a mix. Private to src/app.
 *
 * Of the file counts the last section from EMIT_GLOBAL_DYNAMIC_STATS to END_GLOBAL_DYNAMIC_STATS;
 * its lines are a name and a number:
 *   *total, *isa-ext-NAME, *category-NAME     instructions
 *   *mem-read-BYTES, *mem-write-BYTES         accesses
 *   *elements_fp_double_LANES[_masked]        floating-point instructions, fused ones once
 *   VFMADD213PD_YMMqq_YMMqq_YMMqq             instructions of one form
 */
#ifndef TPROF_APP_SDE_TEXT_H
#define TPROF_APP_SDE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "mix/mix.h"

/* Zero-initialise. */
struct tp_sde_mix {
	uint64_t mix[TP_MIX_N];
	bool found; /* there was such a section */
	bool ended; /* and it was whole */
	bool damaged; /* numbers that cannot be were left out */
	/* --- private --- */
	bool inside;
};

/* One line, without its end; NULL: it was too long to be one of these. */
void tp_sde_line(struct tp_sde_mix *sde, const char *line, size_t len);
/* Behind the last line: what follows from all of them. */
void tp_sde_end(struct tp_sde_mix *sde);

#endif
