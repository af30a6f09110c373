/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/pairs.h"

#include <string.h>

#include "base/expression.h"

void tp_pairs_add(struct tp_str *out, const char *name, const char *value)
{
	tp_str_printf(out, "%s%s=", out->len ? " " : "", name);
	if (*value && !strpbrk(value, " \"\\"))
		tp_str_add(out, value);
	else
		tp_str_add_quoted(out, value);
}

static void put(char *out, size_t size, size_t *len, char c)
{
	if (*len + 1 < size)
		out[(*len)++] = c;
	out[*len] = '\0';
}

bool tp_pairs_next(const char **at, char *name, size_t name_size, char *value, size_t value_size)
{
	const char *c = *at + strspn(*at, " ");
	size_t len = tp_identifier_length(c), n = 0;
	if (!len || c[len] != '=' || !name_size || !value_size)
		return false;
	for (size_t i = 0; i < len; i++)
		put(name, name_size, &n, c[i]);
	c += len + 1;
	bool quoted = *c == '"';
	c += quoted;
	value[n = 0] = '\0';
	for (; *c && *c != (quoted ? '"' : ' '); c++) {
		if (quoted && *c == '\\' && c[1])
			c++;
		put(value, value_size, &n, *c);
	}
	if (quoted && *c != '"')
		return false;
	*at = c + quoted;
	return true;
}

bool tp_pairs_find(const char *pairs, const char *name, char *value, size_t value_size)
{
	char own[256];
	while (tp_pairs_next(&pairs, own, sizeof(own), value, value_size))
		if (strcmp(own, name) == 0)
			return true;
	return false;
}
