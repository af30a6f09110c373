/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small things that several files of the agent need. Private to src/agent. */
#ifndef TPROF_AGENT_PARTS_H
#define TPROF_AGENT_PARTS_H

#include "agent/context.h"

enum { TP_EPERM = 1, TP_EAGAIN = 11, TP_EFAULT = 14, TP_EINVAL = 22, TP_ESRCH = 3 };

/* --- user.c: memory of the program, which may not be there; false = it is not --- */
bool tp_copy_in(void *to, uint64_t from, size_t bytes);
bool tp_copy_out(uint64_t to, const void *from, size_t bytes);
/* A text with its 0 of less than `bytes`; its length, or -1. */
int64_t tp_copy_text(char *to, uint64_t from, size_t bytes);
/* Of CLOCK_MONOTONIC. */
uint64_t tp_now_ns(void);
/* Nobody that takes one may be interrupted by a handler that takes it, too. */
void tp_spin_lock(uint32_t *lock);
void tp_spin_unlock(uint32_t *lock);
/* True if `address` lies in the agent's own object. */
bool tp_agent_code(uint64_t address);

/* --- threads.c --- */
struct tp_context *tp_context_here(void); /* of the calling thread; NULL = it has none */
void tp_thread_end(struct tp_context *context); /* before its last syscall, maybe several times */

/* --- exec.c --- */
int64_t tp_agent_exec(struct tp_context *context);
/* These variables (an array up to NULL) with those that load the agent; NULL = they cannot be. */
uint64_t *tp_exec_variables(uint64_t from);
void tp_exec_drop(uint64_t *variables);

/* --- regions.c --- */
void tp_regions_thread(struct tp_context *context); /* a thread begins */
void tp_regions_end(struct tp_context *context); /* it ends: whatever is open ends, too */
void tp_regions_settle_all(void);
/* The hook that programs call by include/tprof_roi.h. */
void tp_region_hook(int what, const char *name); /* 1 = begins, 2 = ends */

/* --- functions.c, modules.c --- */
/* Functions that are regions: the region that begins at pc; 0 = none. */
unsigned tp_function_at(uint64_t pc);
/* A file was mapped to be executed at [start, end), from file_offset on. */
void tp_module_mapped(struct tp_context *context, int fd, uint64_t start, uint64_t end,
		      uint64_t file_offset);
void tp_module_closed(int fd);
/* All that are there already. */
void tp_modules_start(struct tp_context *context);

#endif
