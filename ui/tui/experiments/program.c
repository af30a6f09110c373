/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs on the screens: their results. */
#include "base/memory.h"
#include "experiments/program/report.h"
#include "ui/tui/app.h"
#include "ui/tui/shown.h"

#include <stdio.h>
#include <string.h>

/* "36.8 ms", with the unit where the results of other points have theirs. */
static const char *write_result(const struct tp_run *run, const struct tp_point *point, char *out,
				size_t size)
{
	char text[48];
	(void)run;
	tp_program_text(point, point->median, text, sizeof(text));
	size_t number = strcspn(text, " ");
	snprintf(out, size, "%.*s %-7s", (int)number, text,
		 text[number] ? text + number + 1 : point->unit);
	return out;
}

const struct tp_shown tp_shown_program = {
	.screen = TP_SCREEN_CURVE,
	.words = "what programs take",
	.result = write_result,
};
