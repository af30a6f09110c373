/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to src/experiments/pattern: the screen of patterns. */
#ifndef TPROF_EXPERIMENTS_PATTERN_SCREEN_H
#define TPROF_EXPERIMENTS_PATTERN_SCREEN_H

#include "ui/tui/widgets/plotview.h"

/* Text is made in `work`, never while drawing: isl takes up to 0.1 s. */
struct tp_pattern_screen {
	struct tp_plotview view;
	bool code; /* configurations and code lie over the plots */
	struct tp_list points; /* of `numbers` */
	size_t *numbers; /* points of the run; heap */
	size_t n_numbers;
	uint64_t seen; /* what of the runs `numbers` was made from */
	struct tp_doc doc;
	struct tp_list lines;
	int columns; /* that the text wants */
	/* What the text is of: the point's identity; "" = nothing yet. */
	char told[320];
	bool with_loops;
	double moved_at; /* when the cursor came here */
};

void tp_pattern_code_open(const struct tp_app *app, struct tp_pattern_screen *screen,
			  const struct tp_point *point);
void tp_pattern_code_close(struct tp_pattern_screen *screen);
void tp_pattern_code_draw(struct tp_app *app, struct tp_pattern_screen *screen,
			  struct tp_area area);
bool tp_pattern_code_act(const struct tp_app *app, struct tp_pattern_screen *screen,
			 enum tp_action action);
void tp_pattern_code_mouse(struct tp_pattern_screen *screen, const struct tp_input *input);
double tp_pattern_code_work(struct tp_app *app, struct tp_pattern_screen *screen);

#endif
