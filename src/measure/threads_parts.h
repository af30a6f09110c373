/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to src/measure: a team of real threads. */
#ifndef TPROF_MEASURE_THREADS_PARTS_H
#define TPROF_MEASURE_THREADS_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "measure/gauge.h"
#include "measure/team_parts.h"

enum { CACHE_LINE = 64 };

enum order {
	ORDER_WINDOW,
	ORDER_RESERVE,
	ORDER_TOUCH,
	ORDER_DROP_BUFFER,
	ORDER_CONTENTS,
	ORDER_QUIT
};

struct threads;

struct member {
	struct threads *team;
	unsigned index, cpu;
	pthread_t thread;
	bool started;
	struct tp_buffer buffer;
	struct tp_chase chase; /* that the buffer holds; 0 bytes: numbers only */
	size_t stream_at; /* where the next slice begins */
	enum tp_status status; /* of the last order */
	struct tp_diag diag;
	struct tp_window_reading *window;
	_Alignas(CACHE_LINE) void *cell; /* where the chase goes on */
} __attribute__((aligned(CACHE_LINE)));

struct threads {
	struct tp_team base;
	struct member *members;
	struct tp_gauge gauge;
	bool openmp; /* its threads are those of OpenMP, not our own */
	size_t looked_bytes; /* of a buffer when `obtained` was found */
	char obtained[16];

	/* The order of the day: written by thread 0, then published by `round`. */
	enum order order;
	struct tp_window_work work;
	size_t buffer_bytes;
	enum tp_pages pages;
	unsigned chasers;
	struct tp_chase chase;

	_Alignas(CACHE_LINE) atomic_uint round; /* futex: a new order */
	_Alignas(CACHE_LINE) atomic_uint arrived; /* barrier inside a window */
	_Alignas(CACHE_LINE) atomic_uint gate;
	_Alignas(CACHE_LINE) atomic_uint finished; /* threads that carried the order out */
	_Alignas(CACHE_LINE)
		atomic_bool streaming; /* until the first thread has ended its window */
};

static inline void tp_threads_relax(const struct threads *team)
{
	if (team->base.clock->arch && team->base.clock->arch->relax)
		team->base.clock->arch->relax();
}

/* A window, on the member's own thread: fills its reading. */
void tp_threads_window(struct member *m);

#endif
