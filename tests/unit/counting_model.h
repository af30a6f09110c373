/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counting kernels for tests, and a simple model of caches that watches them while they are
 * stepped. The model is independent of the kernels.
 */
#ifndef TPROF_TESTS_COUNTING_MODEL_H
#define TPROF_TESTS_COUNTING_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/arch.h"
#include "kernels/counting.h"
#include "kernels/step.h"

enum { KIB = 1024, MIB = 1024 * KIB, LINE = 64, PAGE = 4096 };

/* Caches that are small enough to be modelled, and those of a real machine. */
extern const struct tp_counting_machine tiny_machine, zen4_machine;

const struct tp_family *counting_family(enum tp_family_id id);
/* This machine, without one of its features unless `without` is NULL. */
struct tp_cpu counting_host(const char *without);
/*
 * Whether counting kernels can be emitted and stepped here. Tests that need it skip themselves.
 */
bool can_emit(void);
bool can_step(void);

/* --- kernels --- */

struct made {
	struct tp_counting counting;
	void *data;
};

/* Without data. */
enum tp_status made_try(struct made *made, enum tp_family_id id, unsigned row,
			const struct tp_counting_machine *machine, const char *without,
			struct tp_diag *diag);
/* Makes a row and fills its data. Fails the test if that is not possible. */
void made_new(struct made *made, enum tp_family_id id, unsigned row,
	      const struct tp_counting_machine *machine, uint64_t seed);
void made_release(struct made *made);
/* Free it with tp_stepper_free. */
struct tp_stepper *made_stepper(struct made *made);

/* Exact counts of one more pass. */
struct pass {
	uint64_t steps, loads, stores, conditionals, fp, taken;
};

struct pass made_difference(struct made *made);

/* --- a model: fully associative, least recently used; a level sees misses of the one above --- */

enum { LEVELS = 3, MODEL_LINES = 2048 };

struct level {
	uint64_t lines[MODEL_LINES];
	bool dirty[MODEL_LINES];
	size_t n, capacity;
};

struct model {
	struct level level[LEVELS + 1]; /* [1..3] */
	uint64_t data, data_bytes;
	uint64_t steps, loads, stores, conditionals, taken, fp;
	uint64_t hit[LEVELS + 1], load_misses[LEVELS + 1], store_misses[LEVELS + 1];
	uint64_t written, fetched, fetch_line;
	uint64_t stray; /* accesses outside the data */
	uint64_t *trace; /* offsets in the data, NULL: not wanted */
	size_t n_trace, cap_trace;
};

/* Heap; with the cache sizes of a machine. */
struct model *model_new(const struct made *made, const struct tp_counting_machine *machine);
/* Zero counts; the caches keep their lines. */
void model_forget(struct model *model);
/* Fails the test when the code touches anything but its data. */
void model_step(struct tp_stepper *stepper, struct made *made, uint64_t passes,
		struct model *model);

#endif
