/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a run means, for people: record -> tables and pictures. Used by the command line and by the screens; measures nothing, reads
 * and writes no file.
 */
#ifndef TPROF_REPORT_REPORT_H
#define TPROF_REPORT_REPORT_H

#include "machine/machine.h"
#include "record/run.h"
#include "report/text.h"

/* The report of a finished run, as text: head, tables, flags in words. */
void tp_report_text(const struct tp_run *run, const struct tp_machine *machine,
		    const struct tp_look *look, struct tp_str *out);
/* The plots of a finished run: a roofline per precision (widest ISA, most threads), memory curves, mixed dots. */
void tp_report_plots(const struct tp_run *run, const struct tp_machine *machine,
		     const struct tp_look *look, struct tp_str *out);

#endif
