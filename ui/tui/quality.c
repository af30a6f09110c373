/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/quality.h"

enum tp_role tp_quality_role(enum tp_quality quality)
{
	static const enum tp_role roles[TP_QUALITY_COUNT] = {
		[TP_QUALITY_NONE] = TP_UI_WARN,
		[TP_QUALITY_GOOD] = TP_UI_DIM,
		[TP_QUALITY_FAIR] = TP_UI_WARN,
		[TP_QUALITY_POOR] = TP_UI_BAD,
	};
	return roles[quality];
}

const char *tp_quality_mark(enum tp_quality quality, uint32_t flags)
{
	static const char *const marks[TP_QUALITY_COUNT] = {
		[TP_QUALITY_NONE] = "",
		[TP_QUALITY_GOOD] = "",
		[TP_QUALITY_FAIR] = "~",
		[TP_QUALITY_POOR] = "?",
	};
	return quality == TP_QUALITY_NONE && flags ? "!" : marks[quality];
}

bool tp_quality_has_marks(const struct tp_run *run)
{
	for (size_t i = 0; i < run->n_points; i++)
		if (run->points[i].quality == TP_QUALITY_FAIR ||
		    run->points[i].quality == TP_QUALITY_POOR)
			return true;
	return false;
}
