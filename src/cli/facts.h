/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts about machine, preset and program that go into every record. */
#ifndef TPROF_CLI_FACTS_H
#define TPROF_CLI_FACTS_H

#include "cli/cli.h"

void tp_facts_collect(struct tp_run *run, const struct tp_session *session);
/* A run that goes on keeps when and from what it was started, and counts how often it was resumed. `earlier` may be NULL. */
void tp_facts_resume(struct tp_run *run, const struct tp_run *earlier);
/*
 * What makes two machines differ for a measurement: each difference is a diagnosis (where: the fact). Facts that one of them lacks do not
 * count.
 */
void tp_facts_differ(const struct tp_run *then, const struct tp_run *now, struct tp_diags *diags);

#endif
