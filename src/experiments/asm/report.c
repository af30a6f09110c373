/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/reporter.h"

const struct tp_reporter tp_reporter_asm = {
	.experiment = "asm",
	.place = 9,
};
