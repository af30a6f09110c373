/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/experiments/windows.h"
#include "ui/tui/shown.h"

static const char *finds(const struct tp_run *run)
{
	return tp_run_has_done(run, "template") ? "the times of templates" : NULL;
}

const struct tp_shown tp_shown_template = { .screen = TP_SCREEN_CURVE, .finds = finds };
