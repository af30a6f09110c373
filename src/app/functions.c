/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/functions.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/symbols.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

/* A file whose code ran, in one process or several. */
struct code_file {
	char *path;
	struct tp_app_symbols symbols;
	bool read; /* its symbols, once for all pieces and processes */
};

/* A function, or the unnamed code of a file; file NULL: code outside all files. */
struct found {
	struct code_file *file;
	const struct tp_app_symbol *symbol; /* NULL = none */
	unsigned thread; /* as of struct tp_app_function */
	uint64_t mix[TP_MIX_N];
};

struct tp_app_functions {
	struct code_file files[TP_APP_FILES];
	size_t n_files;
	struct found *items;
	size_t n, cap;
	uint32_t *places; /* a hash table: index of an item + 1; 0 = free */
	size_t n_places; /* a power of two */
	/* The place that is read. */
	const struct tp_agent_shared *head;
	struct code_file *of_module[TP_AGENT_MODULES];
	unsigned last; /* the module of the last block: usually also the next one's */
	unsigned n_processes;
};

struct tp_app_functions *tp_app_functions_new(void)
{
	return tp_alloc(1, sizeof(struct tp_app_functions));
}

void tp_app_functions_free(struct tp_app_functions *f)
{
	for (size_t i = 0; i < f->n_files; i++) {
		tp_app_symbols_release(&f->files[i].symbols);
		free(f->files[i].path);
	}
	free(f->items);
	free(f->places);
	free(f);
}

/* NULL = there are too many. */
static struct code_file *file_of(struct tp_app_functions *f, const char *path)
{
	for (size_t i = 0; i < f->n_files; i++)
		if (strcmp(f->files[i].path, path) == 0)
			return &f->files[i];
	if (f->n_files == TP_APP_FILES)
		return NULL;
	f->files[f->n_files].path = tp_strdup(path);
	return &f->files[f->n_files++];
}

static bool holds(const struct tp_agent_module *m, uint64_t pc)
{
	return pc >= m->start && pc < m->end;
}

/* The latest that was mapped there; n_modules = none. */
static unsigned module_of(struct tp_app_functions *f, uint64_t pc)
{
	if (f->last < f->head->n_modules && holds(&f->head->modules[f->last], pc))
		return f->last;
	unsigned i = f->head->n_modules;
	while (i > 0 && !holds(&f->head->modules[i - 1], pc))
		i--;
	f->last = i ? i - 1 : f->head->n_modules;
	return f->last;
}

static const struct tp_app_symbol *symbol_of(struct code_file *file,
					     const struct tp_agent_module *m, uint64_t pc)
{
	int fd;
	if (!file->read) {
		file->read = true;
		/* A file without symbols has functions without names. */
		if (file->path[0] == '/' &&
		    tp_file_open(AT_FDCWD, file->path, O_RDONLY, &fd, NULL) == TP_OK) {
			tp_app_symbols_read(&file->symbols, fd, file->path, NULL);
			close(fd);
		}
	}
	return tp_app_symbols_at(&file->symbols, pc - m->start + m->file_offset);
}

static size_t hash_of(const struct code_file *file, const struct tp_app_symbol *symbol)
{
	uint64_t x = (uint64_t)(uintptr_t)symbol ^ (uint64_t)(uintptr_t)file << 20;
	x *= 0x9e3779b97f4a7c15ull;
	return (size_t)(x ^ x >> 32);
}

static void grow_places(struct tp_app_functions *f)
{
	size_t n = f->n_places ? f->n_places * 2 : 1024;
	uint32_t *places = tp_alloc(n, sizeof(*places));
	for (size_t i = 0; i < f->n; i++) {
		size_t at = hash_of(f->items[i].file, f->items[i].symbol) & (n - 1);
		while (places[at])
			at = (at + 1) & (n - 1);
		places[at] = (uint32_t)i + 1;
	}
	free(f->places);
	f->places = places;
	f->n_places = n;
}

static struct found *item_of(struct tp_app_functions *f, struct code_file *file,
			     const struct tp_app_symbol *symbol, unsigned thread)
{
	if (f->n * 2 >= f->n_places)
		grow_places(f);
	size_t at = hash_of(file, symbol) & (f->n_places - 1);
	for (; f->places[at]; at = (at + 1) & (f->n_places - 1)) {
		struct found *one = &f->items[f->places[at] - 1];
		if (one->file == file && one->symbol == symbol)
			return one;
	}
	TP_RESERVE(f->items, f->cap, f->n + 1);
	f->items[f->n] = (struct found){ .file = file, .symbol = symbol, .thread = thread };
	f->places[at] = (uint32_t)f->n + 1;
	return &f->items[f->n++];
}

static void take_blocks(void *context, const struct tp_app_counters *piece)
{
	struct tp_app_functions *f = context;
	for (size_t i = 0; i < piece->n; i++) {
		const struct tp_agent_unit *unit = &piece->units[i];
		if (!piece->counts[i] || !unit->pc)
			continue;
		unsigned module = module_of(f, unit->pc);
		struct code_file *file = NULL;
		if (module < f->head->n_modules) {
			if (!f->of_module[module])
				f->of_module[module] = file_of(f, f->head->modules[module].path);
			file = f->of_module[module];
		}
		struct found *one = item_of(
			f, file, file ? symbol_of(file, &f->head->modules[module], unit->pc) : NULL,
			piece->thread);
		if (one->thread != piece->thread)
			one->thread = TP_APP_ALL;
		for (unsigned k = 0; k < TP_MIX_N; k++) {
			uint64_t part, sum;
			/* Where regions are read, damaged counts get a note. */
			if (!__builtin_mul_overflow(piece->counts[i], unit->add[k], &part) &&
			    !__builtin_add_overflow(one->mix[k], part, &sum))
				one->mix[k] = sum;
		}
	}
}

enum tp_status tp_app_functions_add(struct tp_app_functions *f, struct tp_app_place place,
				    const struct tp_agent_shared *head, struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	f->head = head;
	f->last = head->n_modules;
	f->n_processes++;
	memset(f->of_module, 0, sizeof(f->of_module));
	for (unsigned i = 0; i < head->n_threads && status == TP_OK; i++) {
		size_t n_counters;
		status = tp_app_shared_n_counters(place, i, &n_counters, diag);
		if (status == TP_OK)
			status = tp_app_shared_counters(place, i, n_counters, take_blocks, f, diag);
	}
	return status;
}

/* Items with equal counts are ordered by place, so that two runs print the same. */
static int compare_work(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	uint64_t of_x = x->mix[TP_MIX_INSTRUCTIONS], of_y = y->mix[TP_MIX_INSTRUCTIONS];
	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	if (x->file != y->file)
		return strcmp(x->file ? x->file->path : "", y->file ? y->file->path : "");
	uint64_t at_x = x->symbol ? x->symbol->start : 0, at_y = y->symbol ? y->symbol->start : 0;
	return (at_x > at_y) - (at_x < at_y);
}

static void put_function(const struct found *one, struct tp_app_function *out)
{
	*out = (struct tp_app_function){ .thread = one->thread };
	memcpy(out->mix, one->mix, sizeof(out->mix));
	if (one->symbol)
		tp_shown(out->name, sizeof(out->name), one->symbol->name,
			 strlen(one->symbol->name));
	if (one->file) {
		const char *name = tp_path_last(one->file->path);
		tp_shown(out->module, sizeof(out->module), name, strlen(name));
	}
}

/* tprof's own code in the program does not count. */
static bool is_ours(const struct tp_app_function *function)
{
	static const char *const ours[] = { "libtprof-agent.so", "libZydis.so", "libZycore.so" };
	for (size_t i = 0; i < TP_COUNT_OF(ours); i++)
		if (strncmp(function->module, ours[i], strlen(ours[i])) == 0)
			return true;
	return false;
}

struct tp_app_function *tp_app_functions_list(struct tp_app_functions *f, size_t *n)
{
	*n = 0;
	if (!f->n)
		return NULL;
	qsort(f->items, f->n, sizeof(*f->items), compare_work);
	/* Places in the table no longer match the items. */
	f->n_places = 0;
	free(f->places);
	f->places = NULL;
	size_t most = TP_MIN(f->n, TP_APP_FUNCTIONS);
	struct tp_app_function *functions = tp_alloc(most, sizeof(*functions));
	for (size_t i = 0; i < most; i++) {
		put_function(&f->items[i], &functions[*n]);
		/* Threads of different processes may have the same index. */
		if (f->n_processes > 1)
			functions[*n].thread = TP_APP_ALL;
		*n += !is_ours(&functions[*n]);
	}
	return functions;
}
