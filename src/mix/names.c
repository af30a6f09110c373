/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mix/mix.h"

const char *const tp_mix_names[TP_MIX_N] = {
#define X(name, text) [TP_MIX_##name] = text,
	TP_MIX_LIST(X)
#undef X
};
