/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record/classes.h"

void tp_class_release(struct tp_class *class)
{
	tp_arena_release(&class->arena);
	*class = (struct tp_class){ 0 };
}
