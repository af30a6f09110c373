/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Heat map of a merged run: node x roof, plateau or point. */
#ifndef TPROF_CLUSTER_HEAT_H
#define TPROF_CLUSTER_HEAT_H

#include "report/reporter.h"

void tp_node_pictures(const struct tp_run *run, const struct tp_gallery *gallery);

#endif
