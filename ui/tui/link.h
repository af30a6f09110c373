/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Limits the output in flight to the terminal. A slow line, such as ssh over a modem, accepts all
 * output and queues it out of sight, and the answer to a key waits in that queue. So a query
 * follows each output: its answer shows that everything has arrived, and the time it took shows the
 * speed of the line.
 */
#ifndef TPROF_UI_TUI_LINK_H
#define TPROF_UI_TUI_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The device status report, and what every terminal in use answers. */
#define TP_LINK_QUERY  "\033[5n"
#define TP_LINK_ANSWER "\033[0n"

/* Zero-initialise. Times are seconds as of tp_now_seconds. */
struct tp_link {
	bool asked; /* a query is under way */
	bool silent; /* the terminal has not answered: no queries, no limit */
	bool heard; /* it has answered before */
	size_t window; /* bytes that may be under way */
	size_t under_way, behind_query; /* bytes written, and those before the query among them */
	double asked_at;
	double base; /* how long the answer to few bytes takes */
};

/* Bytes that may be written now. */
size_t tp_link_room(struct tp_link *link, double now);
/* These bytes were written. True: a query has to follow. */
bool tp_link_wrote(struct tp_link *link, size_t bytes, double now);
/* The answer arrived. */
void tp_link_heard(struct tp_link *link, double now);
/* Until when the answer is awaited; INFINITY: no answer is expected. */
double tp_link_due(const struct tp_link *link);

#endif
