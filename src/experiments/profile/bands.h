/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Regions while the program still runs: times in which any thread is in a region, from entries and
 * exits as they come.
 */
#ifndef TPROF_EXPERIMENTS_PROFILE_BANDS_H
#define TPROF_EXPERIMENTS_PROFILE_BANDS_H

#include "app/app.h"
#include "experiments/profile/row.h"

enum { TP_PROFILE_BANDS_MAX = 512 };

struct tp_profile_bands;
struct tp_profile_bands *tp_profile_bands_new(void);
void tp_profile_bands_free(struct tp_profile_bands *bands); /* may be NULL */
/* `seconds`: from the program's start, nearly in order of time. */
void tp_profile_bands_mark(struct tp_profile_bands *bands, unsigned region, unsigned thread,
			   bool is_end, double seconds);
/*
 * Reports what is new or longer than at the last call, at most TP_PROFILE_BANDS_MAX rows in all:
 * where a program enters regions more often, neighbours become one, and a row that is not needed
 * any more has no length. Rows are `live`: one of a number takes the place of an earlier one.
 */
void tp_profile_bands_tell(struct tp_profile_bands *bands, double now, char (*names)[TP_APP_NAME],
			   void (*tell)(void *context, const struct tp_profile_region *row),
			   void *context);

#endif
