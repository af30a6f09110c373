/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How screens show the quality of a point: a word where there is room, else a mark. */
#ifndef TPROF_TUI_QUALITY_H
#define TPROF_TUI_QUALITY_H

#include "record/run.h"
#include "ui/tui/theme.h"

enum tp_role tp_quality_role(enum tp_quality quality);
/* "~" fair, "?" poor, "!" flags without a quality, else "". */
const char *tp_quality_mark(enum tp_quality quality, uint32_t flags);
/* What the marks of a table mean. */
#define TP_QUALITY_LEGEND "~ fair  ? poor"
/* True if any point of the run has a mark that stands for a quality. */
bool tp_quality_has_marks(const struct tp_run *run);

#endif
