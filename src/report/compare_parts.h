/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to this room: parts of the text of a comparison. */
#ifndef TPROF_REPORT_COMPARE_PARTS_H
#define TPROF_REPORT_COMPARE_PARTS_H

#include "report/compare.h"

/* The paragraph behind the tables. */
void tp_compare_explain(const struct tp_comparison *comparison, const struct tp_look *look,
			struct tp_str *out);

#endif
