/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of tp_app_source_table. Private to src/app. */
#ifndef TPROF_APP_SOURCES_H
#define TPROF_APP_SOURCES_H

#include "app/app.h"

extern const struct tp_app_source tp_app_agent; /* agent.c */
extern const struct tp_app_source tp_app_qemu; /* qemu.c */
extern const struct tp_app_source tp_app_pmu; /* pmu.c */

#endif
