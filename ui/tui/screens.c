/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/tui/screen.h"

const struct tp_screen *const tp_screen_table[TP_SCREEN_COUNT] = {
#define SCREEN_ROW(id, name) [TP_SCREEN_##id] = &tp_screen_##name,
	TP_SCREEN_LIST(SCREEN_ROW)
#undef SCREEN_ROW
};
