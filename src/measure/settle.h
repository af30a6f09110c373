/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Brings a chase to its steady state before its windows count. Private to this room.
 *
 * Building a chase leaves a part of it in the caches, more than the chase itself would keep there
 * where others use the last level too: the first laps are then too fast, by up to a factor of
 * three, and it may take many laps until that has gone. Out of empty caches the steady state comes
 * sooner: what misses at first either misses for ever, or is found again a lap or two later.
 *
 *     1. Some windows right after the building, then the whole chase is evicted, then some windows
 *        more. If a long chase was no faster at first, nothing in the caches helps it, and it is
 *        steady at once.
 *     2. Else whole laps, until a stretch of the chase takes as long as it took a lap before. Where
 *        a long lap changed it, the stretch behind that one may tell as well.
 *
 * Where nothing can be evicted there are only laps.
 */
#ifndef TPROF_MEASURE_SETTLE_H
#define TPROF_MEASURE_SETTLE_H

#include "measure/runner.h"

/*
 * Walks until the chase is steady, or for some seconds; `*steady` says which. The windows are
 * added to `point` with TP_FLAG(WARMING). Afterwards a window of the runner takes about
 * `window_seconds`. TP_CANCELLED when the watch said so.
 */
enum tp_status tp_settle_chase(struct tp_runner *runner, double window_seconds,
			       const struct tp_watch *watch, unsigned invocation,
			       struct tp_point *point, bool *steady, struct tp_diag *diag);

#endif
