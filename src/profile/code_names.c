/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of sampled places, by the symbols of their files. */
#include "app/symbols.h"
#include "base/str.h"
#include "base/text.h"
#include "base/memory.h"
#include "profile/code_parts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Places without a symbol count by pages: a function of some size is one, mostly. */
enum { PAGE_BITS = 12 };

static uint32_t function_of(struct tp_code_samples *code, const char *name, const char *file)
{
	for (size_t i = 0; i < code->n_named; i++)
		if (strcmp(code->named[i].name, name) == 0 &&
		    strcmp(code->named[i].file, file) == 0)
			return (uint32_t)i;
	if (tp_vec_reserve((void **)&code->named, &code->cap_named, code->n_named + 1,
			   sizeof(*code->named)) != TP_OK)
		return TP_CODE_NOWHERE;
	struct tp_code_function *f = &code->named[code->n_named];
	*f = (struct tp_code_function){ 0 };
	tp_copy(f->name, sizeof(f->name), name);
	tp_copy(f->file, sizeof(f->file), file);
	return (uint32_t)code->n_named++;
}

/* Names and paths are those of a stranger. */
static void name_places(struct tp_code_samples *code, uint32_t module)
{
	const char *path = code->modules[module].path, *slash = strrchr(path, '/');
	struct tp_app_symbols symbols = { 0 };
	struct tp_diag unused;
	char file[TP_CODE_NAME], name[TP_CODE_NAME];
	const char *base = slash && slash[1] ? slash + 1 : path;
	tp_shown(file, sizeof(file), base, strlen(base));
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || tp_app_symbols_read(&symbols, fd, path, &unused) != TP_OK)
		symbols.n = 0;
	for (size_t i = 0; i < code->n_places; i++) {
		struct tp_code_place *p = &code->places[i];
		if (p->module != module)
			continue;
		const struct tp_app_symbol *symbol =
			symbols.n ? tp_app_symbols_at(&symbols, p->offset) : NULL;
		if (symbol)
			tp_shown(name, sizeof(name), symbol->name, strlen(symbol->name));
		else
			snprintf(name, sizeof(name), "%.60s+0x%llx", file,
				 (unsigned long long)(p->offset >> PAGE_BITS << PAGE_BITS));
		p->function = function_of(code, name, file);
	}
	tp_app_symbols_release(&symbols);
	if (fd >= 0)
		close(fd);
}

static int by_samples(const void *a, const void *b)
{
	const struct tp_code_function *p = a, *q = b;
	return p->samples != q->samples ? (p->samples < q->samples) - (p->samples > q->samples)
					: strcmp(p->name, q->name);
}

size_t tp_code_functions(struct tp_code_samples *code, struct tp_code_function *functions,
			 size_t max)
{
	for (size_t i = 0; i < code->n_modules; i++)
		name_places(code, (uint32_t)i);
	for (size_t i = 0; i < code->n_samples; i++) {
		uint32_t f = code->places[code->samples[i].place].function;
		if (f != TP_CODE_NOWHERE)
			code->named[f].samples++;
	}
	/* Sorted copies: places go on to name functions by their old numbers. */
	struct tp_code_function *sorted = malloc((code->n_named + 1) * sizeof(*sorted));
	uint32_t *numbers = malloc((code->n_named + 1) * sizeof(*numbers));
	size_t n = 0;
	if (sorted && numbers && code->n_named) {
		memcpy(sorted, code->named, code->n_named * sizeof(*sorted));
		qsort(sorted, code->n_named, sizeof(*sorted), by_samples);
		for (size_t i = 0; i < code->n_named; i++)
			for (size_t k = 0; k < code->n_named; k++)
				if (strcmp(sorted[k].name, code->named[i].name) == 0 &&
				    strcmp(sorted[k].file, code->named[i].file) == 0) {
					numbers[i] = (uint32_t)k;
					break;
				}
		for (size_t i = 0; i < code->n_places; i++)
			if (code->places[i].function != TP_CODE_NOWHERE)
				code->places[i].function = numbers[code->places[i].function];
		memcpy(code->named, sorted, code->n_named * sizeof(*sorted));
		n = TP_MIN(max, code->n_named);
		memcpy(functions, sorted, n * sizeof(*functions));
	}
	free(sorted);
	free(numbers);
	return n;
}

void tp_code_series(const struct tp_code_samples *code, size_t function, double *counts,
		    size_t n_ticks)
{
	for (size_t i = 0; i < code->n_samples; i++) {
		const struct tp_code_sample *s = &code->samples[i];
		if (s->tick < n_ticks && code->places[s->place].function == function)
			counts[s->tick]++;
	}
}
