/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/reporter.h"

const struct tp_reporter tp_reporter_template = {
	.experiment = "template",
	.place = 9,
	.lists_points = true,
};
