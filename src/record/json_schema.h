/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON Schema (draft 2020-12) of run.json, made from the tables that write it. */
#ifndef TPROF_RECORD_JSON_SCHEMA_H
#define TPROF_RECORD_JSON_SCHEMA_H

#include "base/str.h"

void tp_run_json_schema(struct tp_str *out);

#endif
