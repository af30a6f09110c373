/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A dot of the user on a roofline, "spmv:0.17,3.2": a name, its arithmetic intensity in FLOP/byte
 * and its rate in GFLOP/s.
 */
#ifndef TPROF_BASE_OWN_DOT_H
#define TPROF_BASE_OWN_DOT_H

#include <stdbool.h>
#include <stddef.h>

enum { TP_OWN_DOT_NAME_BYTES = 32, TP_OWN_DOT_BYTES = 64, TP_OWN_DOTS_MAX = 16 };

struct tp_own_dot {
	char name[TP_OWN_DOT_NAME_BYTES];
	double ai_flop_per_byte, gflops;
};

/* The allowed form, for messages. */
#define TP_OWN_DOT_ALLOWED                                                                         \
	"NAME:AI,GFLOPS such as spmv:0.17,3.2: a name of at most 31 bytes without : and ,; then "  \
	"FLOP/byte and GFLOP/s, each from 1e-6 to 1e9"

/* NULL and the dot, or what is wrong with the text ("has no :"). */
const char *tp_own_dot_parse(const char *text, struct tp_own_dot *dot);
/* The text that reads back as the dot; returns `out`. */
const char *tp_own_dot_text(const struct tp_own_dot *dot, char out[TP_OWN_DOT_BYTES]);

#endif
