/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/asm/row.h"
#include "ui/tui/experiments/windows.h"
#include "ui/tui/shown.h"

static const char *finds(const struct tp_run *run)
{
	return tp_run_has_done(run, "asm") ? "the cycles of instructions" : NULL;
}

const struct tp_shown tp_shown_asm = { .screen = TP_SCREEN_CURVE, .finds = finds };
