/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts about machine, preset and program that go into every record. */
#ifndef TPROF_CLI_FACTS_H
#define TPROF_CLI_FACTS_H

#include "cli/cli.h"

void tp_facts_collect(struct tp_run *run, const struct tp_session *session);

#endif
