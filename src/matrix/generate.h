/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to this room: matrices made from the words of a source. */
#ifndef TPROF_MATRIX_GENERATE_H
#define TPROF_MATRIX_GENERATE_H

#include "matrix/source.h"

/* Of any kind but a file. TP_NOMEM, TP_CANCELLED. */
enum tp_status tp_matrix_generate(const struct tp_matrix_source *source, uint64_t seed,
				  struct tp_matrix *matrix, struct tp_diag *diag);

#endif
