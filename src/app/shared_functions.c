/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which functions the counted blocks belong to. */
#include "app/shared_file.h"
#include "app/shared_parts.h"
#include "app/symbols.h"
#include "base/file.h"
#include "base/text.h"
#include "base/memory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A function, or what has no name in a module; `module` n_modules is code of no file. */
struct found {
	uint32_t module;
	const struct tp_app_symbol *symbol; /* NULL = none */
	uint64_t mix[TP_MIX_N];
};

struct finding {
	const struct tp_agent_shared *head;
	struct tp_app_symbols symbols[TP_AGENT_MODULES];
	bool read[TP_AGENT_MODULES];
	unsigned last; /* the module of the last block: most often that of the next one */
	struct found *items;
	size_t n, cap;
	uint32_t *places; /* a hash table: index of an item + 1; 0 = free */
	size_t n_places; /* a power of two */
};

static bool holds(const struct tp_agent_module *m, uint64_t pc)
{
	return pc >= m->start && pc < m->end;
}

/* The latest that was mapped there. */
static unsigned module_of(struct finding *f, uint64_t pc)
{
	if (f->last < f->head->n_modules && holds(&f->head->modules[f->last], pc))
		return f->last;
	unsigned i = f->head->n_modules;
	while (i > 0 && !holds(&f->head->modules[i - 1], pc))
		i--;
	f->last = i ? i - 1 : f->head->n_modules;
	return f->last;
}

/* A file is mapped in several pieces, and its symbols are read once for all of them. */
static const struct tp_app_symbol *symbol_of(struct finding *f, unsigned module, uint64_t pc)
{
	const struct tp_agent_module *m = &f->head->modules[module];
	unsigned first = module;
	int fd;
	for (unsigned i = 0; i < module && first == module; i++)
		if (strcmp(f->head->modules[i].path, m->path) == 0)
			first = i;
	if (!f->read[first]) {
		f->read[first] = true;
		/* A file without symbols has functions without names. */
		if (m->path[0] == '/' &&
		    tp_file_open(AT_FDCWD, m->path, O_RDONLY, &fd, NULL) == TP_OK) {
			tp_app_symbols_read(&f->symbols[first], fd, m->path, NULL);
			close(fd);
		}
	}
	return tp_app_symbols_at(&f->symbols[first], pc - m->start + m->file_offset);
}

static size_t hash_of(uint32_t module, const struct tp_app_symbol *symbol)
{
	uint64_t x = (uint64_t)(uintptr_t)symbol ^ (uint64_t)module << 48;
	x *= 0x9e3779b97f4a7c15ull;
	return (size_t)(x ^ x >> 32);
}

static bool grow_places(struct finding *f)
{
	size_t n = f->n_places ? f->n_places * 2 : 1024;
	uint32_t *places = calloc(n, sizeof(*places));
	if (!places)
		return false;
	for (size_t i = 0; i < f->n; i++) {
		size_t at = hash_of(f->items[i].module, f->items[i].symbol) & (n - 1);
		while (places[at])
			at = (at + 1) & (n - 1);
		places[at] = (uint32_t)i + 1;
	}
	free(f->places);
	f->places = places;
	f->n_places = n;
	return true;
}

/* NULL = no memory. */
static struct found *item_of(struct finding *f, uint32_t module, const struct tp_app_symbol *symbol)
{
	if (f->n * 2 >= f->n_places && !grow_places(f))
		return NULL;
	size_t at = hash_of(module, symbol) & (f->n_places - 1);
	for (; f->places[at]; at = (at + 1) & (f->n_places - 1)) {
		struct found *one = &f->items[f->places[at] - 1];
		if (one->module == module && one->symbol == symbol)
			return one;
	}
	if (tp_vec_reserve((void **)&f->items, &f->cap, f->n + 1, sizeof(*f->items)) != TP_OK)
		return NULL;
	f->items[f->n] = (struct found){ .module = module, .symbol = symbol };
	f->places[at] = (uint32_t)f->n + 1;
	return &f->items[f->n++];
}

static enum tp_status take_blocks(void *context, const struct tp_app_counters *piece)
{
	struct finding *f = context;
	for (size_t i = 0; i < piece->n; i++) {
		const struct tp_agent_unit *unit = &piece->units[i];
		if (!piece->counts[i] || !unit->pc)
			continue;
		unsigned module = module_of(f, unit->pc);
		const struct tp_app_symbol *symbol =
			module < f->head->n_modules ? symbol_of(f, module, unit->pc) : NULL;
		struct found *one = item_of(f, module, symbol);
		if (!one)
			return TP_NOMEM;
		for (unsigned k = 0; k < TP_MIX_N; k++) {
			uint64_t part, sum;
			/* Damaged counts are told of where regions are read. */
			if (!__builtin_mul_overflow(piece->counts[i], unit->add[k], &part) &&
			    !__builtin_add_overflow(one->mix[k], part, &sum))
				one->mix[k] = sum;
		}
	}
	return TP_OK;
}

/* Of two that did the same, the order is that of their places: two runs print the same. */
static int compare_work(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	uint64_t of_x = x->mix[TP_MIX_INSTRUCTIONS], of_y = y->mix[TP_MIX_INSTRUCTIONS];
	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	uint64_t at_x = x->symbol ? x->symbol->start : 0, at_y = y->symbol ? y->symbol->start : 0;
	return (at_x > at_y) - (at_x < at_y);
}

static void tell(const struct finding *f, const struct found *one, struct tp_app_function *out)
{
	*out = (struct tp_app_function){ 0 };
	memcpy(out->mix, one->mix, sizeof(out->mix));
	if (one->symbol)
		tp_shown(out->name, sizeof(out->name), one->symbol->name,
			 strlen(one->symbol->name));
	if (one->module < f->head->n_modules) {
		const char *path = f->head->modules[one->module].path;
		const char *slash = strrchr(path, '/');
		path = slash ? slash + 1 : path;
		tp_shown(out->module, sizeof(out->module), path, strlen(path));
	}
}

enum tp_status tp_app_shared_functions(int fd, const struct tp_agent_shared *head,
				       struct tp_app_function **functions, size_t *n,
				       struct tp_diag *diag)
{
	struct finding *f = calloc(1, sizeof(*f));
	enum tp_status status = f ? TP_OK : TP_NOMEM;
	*functions = NULL;
	*n = 0;
	if (f) {
		f->head = head;
		f->last = head->n_modules;
	}
	for (unsigned i = 0; i < head->n_threads && status == TP_OK; i++) {
		uint32_t n_counters;
		status = tp_app_shared_get(fd, &n_counters, sizeof(n_counters),
					   TP_APP_FIELD_AT(i, n_counters), diag);
		if (status == TP_OK)
			status = tp_app_shared_counters(
				fd, i, TP_MIN(n_counters, TP_AGENT_COUNTERS), take_blocks, f, diag);
	}
	if (status == TP_OK && f->n) {
		qsort(f->items, f->n, sizeof(*f->items), compare_work);
		size_t most = TP_MIN(f->n, TP_APP_FUNCTIONS);
		*functions = calloc(most, sizeof(**functions));
		status = *functions ? TP_OK : TP_NOMEM;
		for (; *functions && *n < most; (*n)++)
			tell(f, &f->items[*n], &(*functions)[*n]);
	}
	for (unsigned i = 0; f && i < TP_AGENT_MODULES; i++)
		tp_app_symbols_release(&f->symbols[i]);
	if (f) {
		free(f->items);
		free(f->places);
	}
	free(f);
	return status == TP_NOMEM ? tp_fail(diag, TP_NOMEM, "agent", NULL, "out of memory")
				  : status;
}
