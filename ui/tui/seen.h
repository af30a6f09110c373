/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a view was made from, in one number (FNV-1a): while it stays the same, the view is as it was
 * and what it borrows from the runs is valid.
 */
#ifndef TPROF_TUI_SEEN_H
#define TPROF_TUI_SEEN_H

#include "base/tally.h"
#include "ui/tui/app.h"

/* The shown run and those over it: which ones, their finished points, their results. */
uint64_t tp_seen_runs(const struct tp_app *app);

/* For views that depend on less. */
#define TP_SEEN_START TP_HASH_START
void tp_seen_mix(uint64_t *seen, uint64_t value);
void tp_seen_text(uint64_t *seen, const char *text);

#endif
