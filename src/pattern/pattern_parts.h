/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to src/pattern. */
#ifndef TPROF_PATTERN_PARTS_H
#define TPROF_PATTERN_PARTS_H

#include "pattern/pattern.h"
#include "pattern/poly.h"

/* The value that the code sees: of independent data spaces, n is that of a thread. */
int64_t tp_pattern_config_value(const struct tp_pattern_config *configuration, size_t parameter);

/* True if the text names nothing that changes without another compilation. */
bool tp_pattern_is_constant(const struct tp_pattern *pattern, const char *text);

/* Fills the diagnosis with a place of the document. */
enum tp_status tp_pattern_fail(const struct tp_pattern *pattern, enum tp_status status,
			       struct tp_place place, const char *hint, struct tp_diag *diag,
			       const char *what);

/* Instances of the domain of `run`, as isl counts them. */
enum tp_status tp_pattern_count(const struct tp_pattern_config *configuration, double *instances,
				struct tp_diag *diag);

/*
 * The text with every name of a constant parameter replaced by its value: isl knows only the
 * runtime parameters.
 */
void tp_pattern_settle(const struct tp_pattern_config *configuration, const char *text,
		       struct tp_str *out);

/* The loops of a part with a domain; `first_only`: in the order of its first relation, serial. */
enum tp_status tp_pattern_part_loops(const struct tp_pattern_config *configuration,
				     const struct tp_pattern_part *part, bool first_only,
				     struct tp_str *out, struct tp_diag *diag);
/* "#pragma omp for schedule(static) nowait"; "" where threads share no loop. */
const char *tp_pattern_config_pragma(const struct tp_pattern_config *configuration);

#endif
