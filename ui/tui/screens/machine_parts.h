/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tree and the boxes of a topology share. Private to machine_tree.c and machine_boxes.c.
 */
#ifndef TPROF_TUI_MACHINE_PARTS_H
#define TPROF_TUI_MACHINE_PARTS_H

#include "ui/tui/screens/machine_docs.h"

/* The node of a level that a hardware thread belongs to. */
unsigned tp_tree_key(const struct tp_pu *pu, enum tp_tree_level level);
/* Levels with nothing to show are left out. */
bool tp_tree_has_level(const struct tp_machine *machine, enum tp_tree_level level);
/* Appends "CPUs 0-7,64-71". `order` has room for a number for each. */
void tp_tree_cpu_ranges(const struct tp_machine *machine, size_t from, size_t to, unsigned *order,
			bool utf8, struct tp_str *out);

#endif
