/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The screen of the experiments whose results are curves. */
#ifndef TPROF_UI_TUI_EXPERIMENTS_WINDOWS_H
#define TPROF_UI_TUI_EXPERIMENTS_WINDOWS_H

#include "record/run.h"

/* True if a point of the experiment is measured. */
bool tp_run_has_done(const struct tp_run *run, const char *experiment);

#endif
