/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts about machine, preset and program that go into every record. */
#ifndef TPROF_SESSION_FACTS_H
#define TPROF_SESSION_FACTS_H

#include "session/session.h"

void tp_facts_collect(struct tp_run *run, const struct tp_session *session);
/*
 * A run that goes on keeps when and from which preset it was started, and counts how often it was
 * resumed. `earlier` may be NULL.
 */
void tp_facts_resume(struct tp_run *run, const struct tp_run *earlier);
/*
 * Adds a diagnosis (where: the fact) for each difference between two machines that matters to a
 * measurement. Facts that one of them lacks do not count.
 */
void tp_facts_differ(const struct tp_run *then, const struct tp_run *now, struct tp_diags *diags);

#endif
