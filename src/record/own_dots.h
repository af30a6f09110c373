/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The user's own dots of a run: facts own_dots.1, own_dots.2, ..., each as base/own_dot.h reads it.
 */
#ifndef TPROF_RECORD_OWN_DOTS_H
#define TPROF_RECORD_OWN_DOTS_H

#include "base/own_dot.h"
#include "record/run.h"

/* Reads them; what is no dot is left out. Returns how many. */
size_t tp_run_own_dots(const struct tp_run *run, struct tp_own_dot dots[TP_OWN_DOTS_MAX]);
/*
 * Adds a dot, in the place of one with the same name. TP_USAGE with what is allowed; TP_RESOURCE
 * where there are as many as can be told apart.
 */
enum tp_status tp_run_add_own_dot(struct tp_run *run, const char *text, struct tp_diag *diag);

#endif
