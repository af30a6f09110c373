/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/environment.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The entry of a name of that length. */
static const char *entry_of(char *const *list, const char *name, size_t len)
{
	for (; list && *list; list++)
		if (strncmp(*list, name, len) == 0 && (*list)[len] == '=')
			return *list;
	return NULL;
}

const char *tp_environment_value(char *const *list, const char *name)
{
	size_t len = strlen(name);
	const char *entry = entry_of(list, name, len);
	return entry ? entry + len + 1 : NULL;
}

char **tp_environment_merge(char *const *const lists[], size_t n)
{
	size_t count = 0, most = 1;
	for (size_t i = 0; i < n; i++)
		for (char *const *at = lists[i]; at && *at; at++)
			most++;
	char **all = malloc(most * sizeof(*all));
	for (size_t i = 0; all && i < n; i++)
		for (char *const *at = lists[i]; at && *at; at++) {
			size_t len = strcspn(*at, "=");
			bool replaced = false;
			for (size_t later = i + 1; later < n && !replaced; later++)
				replaced = entry_of(lists[later], *at, len);
			if (!replaced)
				all[count++] = *at;
		}
	if (all)
		all[count] = NULL;
	return all;
}
