/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measured memory of one thread: mapped, page policy applied, first touched by the thread that will use it. */
#ifndef TPROF_MEASURE_BUFFER_H
#define TPROF_MEASURE_BUFFER_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum tp_pages { TP_PAGES_DEFAULT, TP_PAGES_THP, TP_PAGES_HUGETLB, TP_PAGES_SMALL };

struct tp_buffer {
	void *map;
	size_t map_bytes;
	char *data; /* aligned to a huge page */
	size_t bytes; /* usable from data */
	char obtained[16]; /* "thp", "4K", "hugetlb", "mixed" (part of it in huge pages) */
};

/* Maps and touches `bytes` from the calling thread (pin it first: the touch decides the NUMA node). */
enum tp_status tp_buffer_init(struct tp_buffer *buffer, size_t bytes, enum tp_pages pages,
			      struct tp_diag *diag);
/* Writes the numbers into the first `bytes` again that a new buffer holds. */
void tp_buffer_fill(struct tp_buffer *buffer, size_t bytes);
void tp_buffer_release(struct tp_buffer *buffer);

/* default, thp, hugetlb, small; DEFAULT for anything else */
enum tp_pages tp_pages_find(const char *word);
const char *tp_pages_name(enum tp_pages pages);
/* Asks the kernel for such pages, or forbids them; what came of it shows after the first touch. */
void tp_pages_advise(void *start, size_t bytes, enum tp_pages pages);
/* TP_RESOURCE with errno: so many bytes of reserved huge pages are not to be had. */
enum tp_status tp_pages_refused(size_t bytes, struct tp_diag *diag);

#endif
