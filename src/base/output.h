/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a program prints, up to a limit, in memory that processes share: one of them runs the
 * program and fills it, and what is there survives that process.
 */
#ifndef TPROF_BASE_OUTPUT_H
#define TPROF_BASE_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

enum { TP_OUTPUT_STREAMS = 2, TP_OUTPUT_BYTES = 1 << 20 };

struct tp_output {
	struct {
		uint64_t n; /* bytes of `text`; a reader takes no more than TP_OUTPUT_BYTES */
		uint64_t lost; /* bytes that came behind them */
		char text[TP_OUTPUT_BYTES];
	} stream[TP_OUTPUT_STREAMS]; /* standard output, standard error */
};

/* A descriptor of an empty one, closed on exec; -1 with errno. */
int tp_output_make(void);
/* NULL if that is no descriptor of one. Unmap it in the end; the descriptor may be closed. */
struct tp_output *tp_output_map(int fd);
void tp_output_unmap(struct tp_output *output);
/* Appends what fits, and counts the rest. */
void tp_output_add(struct tp_output *output, size_t stream, const char *bytes, size_t n);

#endif
