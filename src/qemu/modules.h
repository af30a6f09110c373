/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that a program's code lies in, and where regions begin in them. */
#ifndef TPROF_QEMU_MODULES_H
#define TPROF_QEMU_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/shared.h"

/* Finds the file that holds the code at pc, which lies at `host` in this process; NULL = unknown.
 */
void tp_qemu_module(struct tp_agent_shared *shared, uint64_t pc, const void *host);
/* The program maps or unmaps memory. */
void tp_qemu_maps_changed(void);
uint64_t tp_qemu_host(uint64_t address); /* where it lies in this process */
uint32_t tp_qemu_region_at(uint64_t pc); /* 0 = none begins there */
bool tp_qemu_is_hook(uint64_t pc);

#endif
