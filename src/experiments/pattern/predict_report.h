/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to src/experiments/pattern: predictions on the page. */
#ifndef TPROF_EXPERIMENTS_PATTERN_PREDICT_REPORT_H
#define TPROF_EXPERIMENTS_PATTERN_PREDICT_REPORT_H

#include "report/reporter.h"

/* A table of the predictions for the points of a pattern, if there are some, and their edges. */
void tp_pattern_report_predictions(struct tp_page *page, const struct tp_point *first);

#endif
