/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What programs of the user printed lies in two files of the run directory, where it was not lent
 * the streams of tprof. Facts of the run say how much of it.
 */
#ifndef TPROF_RECORD_PRINTED_H
#define TPROF_RECORD_PRINTED_H

#include "record/run.h"

enum { TP_PRINTED_FILES = 2 };

/* "output.txt", "errors.txt": standard output and standard error. */
const char *tp_printed_file(size_t stream);
/* Tells the run that the file holds so many bytes, and that so many others were cut off. */
enum tp_status tp_run_printed_set(struct tp_run *run, size_t stream, uint64_t bytes, uint64_t cut);
/* Bytes that were cut off. */
uint64_t tp_run_printed_cut(const struct tp_run *run, size_t stream);
/*
 * A sentence that says where it is, and how much was cut off; false and nothing if there is none.
 * `directory` NULL: it is not named.
 */
bool tp_run_printed_text(const struct tp_run *run, const char *directory, struct tp_str *out);

#endif
