/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What functions write that add to a struct tp_text. */
#ifndef TPROF_TESTS_PRINTED_H
#define TPROF_TESTS_PRINTED_H

#include "doc/terminal.h"

/* PRINTED(&look, &out, tp_report_text(&run, doc)): calls it and adds the lines to `out`. */
#define PRINTED(of, out, call)                                                                     \
	do {                                                                                       \
		TP_TEXT(text_of_call, of);                                                         \
		struct tp_text *doc = &text_of_call;                                               \
		call;                                                                              \
		tp_text_print(doc, out);                                                           \
	} while (0)

#endif
