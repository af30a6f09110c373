/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Environments of child processes: lists of "NAME=value" up to NULL, themselves NULL if empty. */
#ifndef TPROF_BASE_ENVIRONMENT_H
#define TPROF_BASE_ENVIRONMENT_H

#include <stddef.h>

/* The value of a variable in a list; NULL = it is not there. */
const char *tp_environment_value(char *const *list, const char *name);

/*
 * All variables of several lists; where some have the same name, the last list wins. On the heap,
 * with texts of the lists; NULL = no memory.
 */
char **tp_environment_merge(char *const *const lists[], size_t n);

#endif
