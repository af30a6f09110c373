/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results in JSON of Google Benchmark and hyperfine, and lists of flat objects, as CSV. */
#ifndef TPROF_MINING_JSON_TABLE_H
#define TPROF_MINING_JSON_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/str.h"

/* True of a text that begins as a JSON object, or a list of them. */
bool tp_json_table_is(const char *text, size_t len);
/*
 * The rows of the text as CSV, and in words what they are. TP_USAGE: it is not JSON, or holds no
 * list of objects.
 */
enum tp_status tp_json_table(const char *name, const char *text, size_t len, struct tp_str *csv,
			     const char **what, struct tp_diag *diag);

#endif
