/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures and the PAPI file to where the user wants them. Private to this room. */
#ifndef TPROF_CLI_PICTURES_H
#define TPROF_CLI_PICTURES_H

#include "record/run.h"

/* The name in every run directory. */
#define TP_PICTURES_FILE "plots.svg"
/* And in those of runs that classified events. */
#define TP_METRICS_FILE "metrics.papi"

/* The pictures of a run as SVG to a file; "-" is standard output, whose errors show when it is flushed. */
enum tp_status tp_cli_write_svg(const struct tp_run *run, const char *path, struct tp_diag *diag);
/* The same to plots.svg in a run directory. */
enum tp_status tp_cli_write_plots(const struct tp_run *run, const char *directory,
				  struct tp_diag *diag);
/* The metrics of a run's classes as a PAPI derived-event file, likewise. */
enum tp_status tp_cli_write_papi(const struct tp_run *run, const char *path, struct tp_diag *diag);
/* The same to metrics.papi; nothing where there are no classes. */
enum tp_status tp_cli_write_metrics(const struct tp_run *run, const char *directory,
				    struct tp_diag *diag);

#endif
