/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/shared_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/run.h"
#include "app/symbols.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/now.h"
#include "base/text.h"

enum { HEAD_BYTES = offsetof(struct tp_agent_shared, threads), PIECE = 2048 };

/* --- made --- */

static enum tp_status fill_head(struct tp_agent_shared *head, enum tp_agent_mode mode,
				const struct tp_app_command *command, struct tp_diag *diag)
{
	head->magic = TP_AGENT_MAGIC;
	head->version = TP_AGENT_VERSION;
	head->bytes_of_mix = sizeof(head->threads[0].sums[0].mix);
	head->mode = mode;
	head->n_regions = 1;
	for (char *const *name = command->functions; name && *name; name++) {
		if (head->n_regions == TP_AGENT_REGIONS)
			return tp_fail(diag, TP_USAGE, "--region", "name fewer functions",
				       "at most %d functions can be regions", TP_AGENT_REGIONS - 1);
		if (!**name || !tp_copy(head->regions[head->n_regions], TP_AGENT_NAME, *name))
			return tp_fail(diag, TP_USAGE, "--region",
				       "name a function as `nm PROGRAM` prints it",
				       "the name of a function has 1 to %d bytes",
				       TP_AGENT_NAME - 1);
		head->n_regions++;
		head->n_functions++;
	}
	return TP_OK;
}

enum tp_status tp_app_shared_make(struct tp_app_shared *shared, enum tp_agent_mode mode,
				  const struct tp_app_command *command, struct tp_diag *diag)
{
	struct rlimit most;
	*shared = (struct tp_app_shared){ .fd = -1 };
	/* Beyond that limit a signal would end this process. */
	if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY &&
	    most.rlim_cur < sizeof(struct tp_agent_shared))
		return tp_fail(diag, TP_RESOURCE, "agent", "ulimit -f unlimited",
			       "the limit on the size of files is too low for its counters, which "
			       "take hardly any room, but have large addresses");
	shared->fd = memfd_create("tprof-agent", MFD_CLOEXEC);
	if (shared->fd < 0 || ftruncate(shared->fd, sizeof(struct tp_agent_shared)) != 0)
		goto failed;
	shared->head = mmap(NULL, HEAD_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, shared->fd, 0);
	if (shared->head == MAP_FAILED) {
		shared->head = NULL;
		goto failed;
	}
	snprintf(shared->path, sizeof(shared->path), "/proc/%d/fd/%d", (int)getpid(), shared->fd);
	enum tp_status status = fill_head(shared->head, mode, command, diag);
	if (status != TP_OK)
		tp_app_shared_release(shared);
	return status;
failed:
	tp_fail(diag, TP_RESOURCE, "agent", NULL,
		"there is no memory to share with the program: %s", strerror(errno));
	tp_app_shared_release(shared);
	return TP_RESOURCE;
}

void tp_app_shared_release(struct tp_app_shared *shared)
{
	if (shared->head)
		munmap(shared->head, HEAD_BYTES);
	if (shared->fd >= 0)
		close(shared->fd);
	*shared = (struct tp_app_shared){ .fd = -1 };
}

/* --- read --- */

/* The file is read, never mapped: to read a page of it that nobody wrote takes no memory then. */
static enum tp_status app_shared_get(int fd, void *to, size_t bytes, size_t offset,
				     struct tp_diag *diag)
{
	char *at = to;
	while (bytes > 0) {
		ssize_t n = pread(fd, at, bytes, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return tp_fail(diag, TP_IO, "agent", NULL,
				       "its counters cannot be read: %s", strerror(errno));
		if (n == 0) {
			/* Somebody made the file shorter: whatever is gone is 0. */
			memset(at, 0, bytes);
			return TP_OK;
		}
		at += n;
		bytes -= (size_t)n;
		offset += (size_t)n;
	}
	return TP_OK;
}

/* Ends within `size` bytes, with nothing that acts on a terminal. */
static void app_shared_mend(char *text, size_t size)
{
	text[size - 1] = '\0';
	tp_clean(text, "");
}

enum tp_status tp_app_shared_head(int fd, struct tp_agent_shared **head, struct tp_diag *diag)
{
	/* Not from the heap: the compiler knows that this is no whole struct. */
	struct tp_agent_shared *h =
		mmap(NULL, HEAD_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*head = NULL;
	if (h == MAP_FAILED)
		tp_out_of_memory();
	enum tp_status status = app_shared_get(fd, h, HEAD_BYTES, 0, diag);
	if (status != TP_OK) {
		tp_app_shared_head_free(h);
		return status;
	}
	h->n_threads = TP_MIN(h->n_threads, TP_AGENT_THREADS);
	h->n_regions = TP_MIN(TP_MAX(h->n_regions, 1), TP_AGENT_REGIONS);
	h->n_functions = TP_MIN(h->n_functions, h->n_regions - 1);
	h->n_modules = TP_MIN(h->n_modules, TP_AGENT_MODULES);
	for (unsigned i = 0; i < TP_AGENT_REGIONS; i++)
		app_shared_mend(h->regions[i], sizeof(h->regions[i]));
	h->regions[0][0] = '\0';
	app_shared_mend(h->words, sizeof(h->words));
	/* A path stays as it is: it is opened. Who shows it cleans it. */
	for (unsigned i = 0; i < TP_AGENT_MODULES; i++)
		h->modules[i].path[sizeof(h->modules[i].path) - 1] = '\0';
	*head = h;
	return TP_OK;
}

void tp_app_shared_head_free(struct tp_agent_shared *head)
{
	munmap(head, HEAD_BYTES);
}

static enum tp_status app_shared_counters(int fd, unsigned thread, size_t n_counters,
					  void (*each)(void *context,
						       const struct tp_app_counters *piece),
					  void *context, struct tp_diag *diag)
{
	struct buffer {
		uint64_t counts[PIECE], settled[PIECE];
		struct tp_agent_unit units[PIECE];
	};
	TP_FREE struct buffer *b = tp_alloc(1, sizeof(*b));
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < n_counters && status == TP_OK; i += PIECE) {
		size_t n = TP_MIN(n_counters - i, PIECE);
		uint64_t any = 0;
		status = app_shared_get(fd, b->counts, n * sizeof(*b->counts),
					TP_APP_FIELD_AT(thread, counts) + i * sizeof(*b->counts),
					diag);
		for (size_t k = 0; k < n && status == TP_OK; k++)
			any |= b->counts[k];
		if (!any || status != TP_OK)
			continue;
		status = app_shared_get(fd, b->settled, n * sizeof(*b->settled),
					TP_APP_FIELD_AT(thread, settled) + i * sizeof(*b->settled),
					diag);
		if (status == TP_OK)
			status = app_shared_get(
				fd, b->units, n * sizeof(*b->units),
				TP_APP_FIELD_AT(thread, units) + i * sizeof(*b->units), diag);
		const struct tp_app_counters piece = { thread, n, b->counts, b->settled, b->units };
		if (status == TP_OK)
			each(context, &piece);
	}
	return status;
}

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

static void grow_places(struct finding *f)
{
	size_t n = f->n_places ? f->n_places * 2 : 1024;
	uint32_t *places = tp_alloc(n, sizeof(*places));
	for (size_t i = 0; i < f->n; i++) {
		size_t at = hash_of(f->items[i].module, f->items[i].symbol) & (n - 1);
		while (places[at])
			at = (at + 1) & (n - 1);
		places[at] = (uint32_t)i + 1;
	}
	free(f->places);
	f->places = places;
	f->n_places = n;
}

static struct found *item_of(struct finding *f, uint32_t module, const struct tp_app_symbol *symbol)
{
	if (f->n * 2 >= f->n_places)
		grow_places(f);
	size_t at = hash_of(module, symbol) & (f->n_places - 1);
	for (; f->places[at]; at = (at + 1) & (f->n_places - 1)) {
		struct found *one = &f->items[f->places[at] - 1];
		if (one->module == module && one->symbol == symbol)
			return one;
	}
	TP_RESERVE(f->items, f->cap, f->n + 1);
	f->items[f->n] = (struct found){ .module = module, .symbol = symbol };
	f->places[at] = (uint32_t)f->n + 1;
	return &f->items[f->n++];
}

static void take_blocks(void *context, const struct tp_app_counters *piece)
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
		for (unsigned k = 0; k < TP_MIX_N; k++) {
			uint64_t part, sum;
			/* Damaged counts are told of where regions are read. */
			if (!__builtin_mul_overflow(piece->counts[i], unit->add[k], &part) &&
			    !__builtin_add_overflow(one->mix[k], part, &sum))
				one->mix[k] = sum;
		}
	}
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

/* What tprof brings into the program is not the program's. */
static bool is_ours(const struct tp_app_function *function)
{
	static const char *const ours[] = { "libtprof-agent.so", "libZydis.so", "libZycore.so" };
	for (size_t i = 0; i < TP_COUNT_OF(ours); i++)
		if (strncmp(function->module, ours[i], strlen(ours[i])) == 0)
			return true;
	return false;
}

enum tp_status tp_app_shared_functions(int fd, const struct tp_agent_shared *head,
				       struct tp_app_function **functions, size_t *n,
				       struct tp_diag *diag)
{
	TP_FREE struct finding *f = tp_alloc(1, sizeof(*f));
	enum tp_status status = TP_OK;
	*functions = NULL;
	*n = 0;
	f->head = head;
	f->last = head->n_modules;
	for (unsigned i = 0; i < head->n_threads && status == TP_OK; i++) {
		uint32_t n_counters;
		status = app_shared_get(fd, &n_counters, sizeof(n_counters),
					TP_APP_FIELD_AT(i, n_counters), diag);
		if (status == TP_OK)
			status = app_shared_counters(fd, i, TP_MIN(n_counters, TP_AGENT_COUNTERS),
						     take_blocks, f, diag);
	}
	if (status == TP_OK && f->n) {
		qsort(f->items, f->n, sizeof(*f->items), compare_work);
		size_t most = TP_MIN(f->n, TP_APP_FUNCTIONS);
		*functions = tp_alloc(most, sizeof(**functions));
		for (size_t i = 0; i < most; i++) {
			tell(f, &f->items[i], &(*functions)[*n]);
			*n += !is_ours(&(*functions)[*n]);
		}
	}
	for (unsigned i = 0; i < TP_AGENT_MODULES; i++)
		tp_app_symbols_release(&f->symbols[i]);
	free(f->items);
	free(f->places);
	return status;
}

/* More names are not compared: it would take longer than a look with nm. */
enum { NEIGHBOURS = 20000 };

struct notes {
	struct tp_diags *list;
	const char *where;
};

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* --- functions that are regions --- */

/* A mangled name has that of the source in it. What a compiler split off has a dot in its name. */
static const char *name_with(const struct tp_app_symbols *symbols, const char *name)
{
	const char *best = NULL;
	for (size_t i = 0; i < symbols->n; i++) {
		const char *one = symbols->items[i].name;
		if (strstr(one, name) && !strchr(one, '.') && (!best || strlen(one) < strlen(best)))
			best = one;
	}
	return best;
}

static const char *name_near(const struct tp_app_symbols *symbols, const char *name)
{
	size_t n = TP_MIN(symbols->n, NEIGHBOURS);
	TP_FREE const char **names = tp_alloc(n, sizeof(*names));
	for (size_t i = 0; i < n; i++)
		names[i] = symbols->items[i].name;
	return tp_nearest(name, names, n);
}

static void note_missing(const struct notes *n, const char *program, const char *name)
{
	struct tp_app_symbols symbols = { 0 };
	char shown[TP_APP_NAME], hint[384], near_shown[TP_APP_NAME];
	int fd;
	const char *near = NULL;
	if (tp_file_open(AT_FDCWD, program, O_RDONLY, &fd, NULL) == TP_OK) {
		if (tp_app_symbols_read(&symbols, fd, program, NULL) == TP_OK)
			near = name_with(&symbols, name);
		if (!near && symbols.n)
			near = name_near(&symbols, name);
		close(fd);
	}
	tp_shown(shown, sizeof(shown), name, strlen(name));
	if (near)
		snprintf(hint, sizeof(hint), "do you mean %s? (`nm PROGRAM` lists all)",
			 tp_shown(near_shown, sizeof(near_shown), near, strlen(near)));
	else
		snprintf(hint, sizeof(hint),
			 "`nm PROGRAM` lists its functions; one that the compiler inlined has no "
			 "code of its own: __attribute__((noinline)), or tprof_roi.h");
	tp_diags_note(n->list, n->where, hint,
		      "no function %s: it is neither in the program nor in its libraries", shown);
	tp_app_symbols_release(&symbols);
}

static bool was_entered(const struct tp_app_regions *regions, const char *name)
{
	for (size_t i = 0; i < regions->n; i++)
		if (regions->items[i].thread == TP_APP_ALL && regions->items[i].entries &&
		    strcmp(regions->items[i].name, name) == 0)
			return true;
	return false;
}

static void note_functions(const struct notes *n, const struct tp_agent_shared *head,
			   const struct tp_app_command *command,
			   const struct tp_app_regions *regions)
{
	char program[TP_PATH_MAX];
	bool found = tp_app_program(command->words[0], program, NULL) == TP_OK, untimed = false;
	for (unsigned i = 0; i < head->n_functions; i++) {
		const char *name = head->regions[i + 1];
		if (!head->function_found[i + 1])
			note_missing(n, found ? program : command->words[0], name);
		else if (head->function_found[i + 1] == TP_AGENT_NOT_TIMED)
			untimed = true;
		else if (!was_entered(regions, name))
			tp_diags_note(n->list, n->where, NULL, "the function %s was never called",
				      name);
	}
	if (untimed)
		tp_diags_note(n->list, n->where,
			      "mark the region with tprof_roi.h; its counts do not need that",
			      "functions that are not timed: %s", head->words);
}

/* --- everything --- */

static void note_regions(const struct notes *n, const struct tp_agent_shared *head,
			 const struct tp_app_regions *regions)
{
	for (size_t i = 0; i < regions->n; i++)
		if (regions->items[i].thread == TP_APP_ALL && regions->items[i].unended)
			tp_diags_note(n->list, n->where,
				      "a region ends on the thread that it began on: tprof_roi_end",
				      "the region %s was entered and never left",
				      regions->items[i].name);
	if (head->unbalanced)
		tp_diags_note(n->list, n->where,
			      "begin and end belong on the same thread, each once",
			      "regions ended %u time%s without having begun on that thread",
			      head->unbalanced, plural(head->unbalanced));
	if (head->unended)
		tp_diags_note(
			n->list, n->where,
			"a region ends on the thread that it began on: tprof_roi_end",
			"%u region%s began on a thread and had not ended when the thread ended",
			head->unended, plural(head->unended));
	if (head->lost_regions)
		tp_diags_note(n->list, n->where, "use fewer names",
			      "there were more than %d names of regions: what belongs "
			      "to the others counts as outside of regions",
			      TP_AGENT_REGIONS - 1);
}

static bool note_state(const struct notes *n, const struct tp_agent_shared *head, const char *never)
{
	switch (head->state) {
	case TP_AGENT_ABSENT:
		if (head->executions)
			tp_diags_note(n->list, n->where, "--app-source qemu counts without it",
				      "it executed another program in its place, into which the "
				      "agent was not loaded: what ran before counts alone");
		else if (head->mode == TP_AGENT_TIME)
			tp_diags_note(n->list, n->where, NULL,
				      "regions are not timed: the agent was not loaded%s%s",
				      never ? "; the program " : "", never ? never : "");
		else
			tp_diags_note(n->list, n->where, "--app-source qemu counts without it",
				      "nothing was counted: the agent was not loaded%s%s",
				      never ? "; the program " : "", never ? never : "");
		return false;
	case TP_AGENT_REFUSED:
		tp_diags_note(
			n->list, n->where, "ulimit -v unlimited",
			"%s: the limit on addresses (ulimit -v) is below the %.0f GB in which the "
			"agent's counters lie; they use little memory of them",
			head->mode == TP_AGENT_TIME ? "regions are not timed"
			: head->executions	    ? "it executed another program in its place, "
						      "which was not counted"
						    : "nothing was counted",
			1e-9 * (double)sizeof(*head));
		return false;
	case TP_AGENT_DETACHED:
		tp_diags_note(
			n->list, n->where, "--app-source qemu counts all of it, slower",
			"the agent gave up and the program went on by itself: %s; the counts are "
			"those up to there",
			head->words[0] ? head->words : "it did not say why");
		return false;
	default:
		return true;
	}
}

bool tp_app_shared_notes(const struct tp_agent_shared *head, const struct tp_app_command *command,
			 const struct tp_app_regions *regions, const char *never,
			 struct tp_diags *notes)
{
	const struct notes n = { notes, command->words[0] };
	bool complete = note_state(&n, head, never);
	bool here = head->state != TP_AGENT_ABSENT && head->state != TP_AGENT_REFUSED;
	if (!here && !head->executions)
		return false;
	if (head->lost_threads) {
		tp_diags_note(n.list, n.where, "use fewer threads at a time",
			      "%u thread%s ran without being counted: at most %d at a time are",
			      head->lost_threads, plural(head->lost_threads), TP_AGENT_THREADS);
		complete = false;
	}
	if (head->forks) {
		tp_diags_note(n.list, n.where,
			      "tprof counts one process: give it the command of that process",
			      "%u child process%s not counted", head->forks,
			      head->forks == 1 ? " was" : "es were");
		complete = false;
	}
	if (head->executions && here)
		tp_diags_note(n.list, n.where, NULL,
			      "it executed another program in its place %u time%s: all of them are "
			      "counted together",
			      head->executions, plural(head->executions));
	if (regions->damaged) {
		tp_diags_note(n.list, n.where,
			      "look for writes behind the end of an array: gcc -fsanitize=address",
			      "the program wrote over the agent's counters: some are lost");
		complete = false;
	}
	note_regions(&n, head, regions);
	note_functions(&n, head, command, regions);
	return complete;
}

/* No program counts so much; beyond it a sum of some of them could overflow. */
static const uint64_t COUNT_MAX = 1ull << 60;

/* Of one thread, as it is read. */
struct thread {
	uint32_t tid, region, n_counters, runs;
	struct tp_agent_sum sums[TP_AGENT_REGIONS];
	struct tp_agent_sum *open; /* the region that counts */
	bool damaged;
};

static bool add(uint64_t *sum, uint64_t what)
{
	if (what > COUNT_MAX || *sum > COUNT_MAX - what)
		return false;
	*sum += what;
	return true;
}

static void add_pending(void *context, const struct tp_app_counters *piece)
{
	struct thread *t = context;
	for (size_t i = 0; i < piece->n; i++) {
		uint64_t pending = piece->counts[i] - piece->settled[i], part;
		if (piece->counts[i] < piece->settled[i]) {
			t->damaged = true;
			continue;
		}
		for (unsigned k = 0; k < TP_MIX_N && pending; k++)
			if (__builtin_mul_overflow(pending, piece->units[i].add[k], &part) ||
			    !add(&t->open->mix[k], part))
				t->damaged = true;
	}
}

/* What cannot be goes; true if it had to. */
static bool mend_count(uint64_t *count)
{
	bool damaged = *count > COUNT_MAX;
	*count = damaged ? 0 : *count;
	return damaged;
}

static bool mend_sum(struct tp_agent_sum *sum)
{
	bool damaged = false;
	for (unsigned k = 0; k < TP_MIX_N; k++)
		damaged |= mend_count(&sum->mix[k]);
	for (unsigned l = 0; l < TP_AGENT_LEVELS; l++)
		damaged |= mend_count(&sum->level_bytes[l]);
	if (sum->entries <= COUNT_MAX && sum->exits <= COUNT_MAX && sum->time_ns <= COUNT_MAX)
		return damaged;
	sum->entries = sum->exits = sum->time_ns = 0;
	return true;
}

static enum tp_status get_thread(int fd, unsigned index, struct thread *t, struct tp_diag *diag)
{
	_Static_assert(offsetof(struct tp_agent_thread, tid) == 0 &&
			       offsetof(struct tp_agent_thread, runs) == 16,
		       "the first fields are read in one piece");
	uint32_t first[5];
	enum tp_status status =
		app_shared_get(fd, first, sizeof(first), TP_APP_THREAD_AT(index), diag);
	if (status == TP_OK)
		status = app_shared_get(fd, t->sums, sizeof(t->sums), TP_APP_FIELD_AT(index, sums),
					diag);
	if (status != TP_OK)
		return status;
	t->tid = first[0];
	t->damaged = first[1] >= TP_AGENT_REGIONS || first[2] > TP_AGENT_COUNTERS;
	t->region = TP_MIN(first[1], TP_AGENT_REGIONS - 1);
	t->n_counters = TP_MIN(first[2], TP_AGENT_COUNTERS);
	t->runs = TP_MIN(first[4], 1u << 24);
	for (unsigned i = 0; i < TP_AGENT_REGIONS; i++)
		t->damaged |= mend_sum(&t->sums[i]);
	t->open = &t->sums[t->region];
	return app_shared_counters(fd, index, t->n_counters, add_pending, t, diag);
}

static struct tp_app_region region_of(const struct tp_agent_shared *head, unsigned index,
				      unsigned thread, const struct tp_agent_sum *sum,
				      uint64_t ended_ns)
{
	struct tp_app_region r = { .thread = thread,
				   .entries = sum->entries,
				   .unended = index > 0 && sum->open != 0 };
	uint64_t time_ns = sum->time_ns;
	if (sum->entered_ns && ended_ns > sum->entered_ns)
		time_ns += ended_ns - sum->entered_ns;
	r.seconds = 1e-9 * (double)time_ns;
	memcpy(r.name, head->regions[index], sizeof(r.name));
	memcpy(r.mix, sum->mix, sizeof(r.mix));
	for (unsigned l = 0; l < TP_APP_LEVELS; l++)
		r.level_bytes[l] = (double)sum->level_bytes[l];
	return r;
}

/* To the region of all threads: the time is that of the thread that was in it for longest. */
static bool add_region(struct tp_app_region *all, const struct tp_app_region *one)
{
	bool fits = add(&all->entries, one->entries);
	for (unsigned k = 0; k < TP_MIX_N; k++)
		fits &= add(&all->mix[k], one->mix[k]);
	for (unsigned l = 0; l < TP_APP_LEVELS; l++)
		all->level_bytes[l] += one->level_bytes[l];
	all->seconds = TP_MAX(all->seconds, one->seconds);
	all->unended |= one->unended;
	return fits;
}

/* What each thread did, behind `n_first` places for their sums. */
static enum tp_status take_threads(int fd, const struct tp_agent_shared *head, uint64_t ended_ns,
				   struct tp_app_region *all, struct tp_app_regions *r,
				   struct tp_diag *diag)
{
	TP_FREE struct thread *t = tp_alloc(1, sizeof(*t));
	enum tp_status status = TP_OK;
	size_t cap = r->n;
	for (unsigned index = 0; index < head->n_threads && status == TP_OK; index++) {
		status = get_thread(fd, index, t, diag);
		if (status != TP_OK)
			break;
		r->n_threads += t->runs;
		r->damaged |= t->damaged;
		for (unsigned i = 0; i < head->n_regions; i++) {
			uint64_t any = t->sums[i].entries;

			for (unsigned k = 0; k < TP_MIX_N; k++)
				any |= t->sums[i].mix[k];
			if (!any)
				continue;
			struct tp_app_region one = region_of(head, i, index, &t->sums[i], ended_ns);
			r->damaged |= !add_region(&all[i], &one);
			TP_RESERVE(r->items, cap, r->n + 1);
			r->items[r->n++] = one;
		}
	}
	return status;
}

enum tp_status tp_app_shared_regions(int fd, const struct tp_agent_shared *head, uint64_t ended_ns,
				     struct tp_app_regions *regions, struct tp_diag *diag)
{
	TP_FREE struct tp_app_region *all = tp_alloc(TP_AGENT_REGIONS, sizeof(*all));
	*regions = (struct tp_app_regions){ 0 };
	regions->items = tp_alloc(TP_AGENT_REGIONS, sizeof(*regions->items));
	for (unsigned i = 0; i < head->n_regions; i++) {
		all[i].thread = TP_APP_ALL;
		memcpy(all[i].name, head->regions[i], sizeof(all[i].name));
	}
	/* Room for the sums first; the list is closed up when they are known. */
	regions->n = head->n_regions;
	enum tp_status status = take_threads(fd, head, ended_ns, all, regions, diag);
	if (status != TP_OK) {
		free(regions->items);
		*regions = (struct tp_app_regions){ 0 };
		return status;
	}
	size_t kept = 0;
	for (unsigned i = 0; i < head->n_regions; i++) {
		bool counts = all[i].entries || all[i].mix[TP_MIX_INSTRUCTIONS] || i == 0;
		if (counts && head->n_threads)
			regions->items[kept++] = all[i];
	}
	memmove(regions->items + kept, regions->items + head->n_regions,
		(regions->n - head->n_regions) * sizeof(*regions->items));
	regions->n -= head->n_regions - kept;
	return TP_OK;
}

_Static_assert((int)TP_APP_REGIONS == (int)TP_AGENT_REGIONS, "each region has a name");

_Static_assert((int)TP_APP_THREADS == (int)TP_AGENT_THREADS, "each thread has an index");

_Static_assert((int)TP_APP_NAME == (int)TP_AGENT_NAME, "names fit");

/* Of each thread and region: when it was entered; 0 = it is not in it. */
typedef uint64_t open_times[TP_AGENT_THREADS][TP_AGENT_REGIONS];

static void add_span(struct tp_app_time *time, unsigned thread, unsigned region, uint64_t from,
		     uint64_t to)
{
	if (!from || to < from)
		return;
	time->spans[time->n_spans++] =
		(struct tp_app_span){ .region = region,
				      .thread = thread,
				      .start = 1e-9 * (double)from,
				      .seconds = 1e-9 * (double)(to - from) };
}

void tp_app_shared_spans(const struct tp_agent_shared *head, uint64_t ended_ns,
			 struct tp_app_time *time)
{
	size_t n = TP_MIN(head->n_events, TP_AGENT_EVENTS);
	uint64_t last = 0;
	if (!n)
		return;
	TP_FREE open_times *open = tp_alloc(1, sizeof(*open));
	/* Each event begins one span or ends one. */
	time->spans = tp_alloc(n, sizeof(*time->spans));
	time->names = tp_alloc(TP_AGENT_REGIONS, sizeof(*time->names));
	memcpy(time->names, head->regions, TP_AGENT_REGIONS * sizeof(*time->names));
	for (size_t i = 0; i < n; i++) {
		const struct tp_agent_event *e = &head->events[i];
		if (!e->time_ns || e->time_ns > ended_ns || e->thread >= TP_AGENT_THREADS ||
		    e->region >= head->n_regions)
			continue;
		uint64_t *since = &(*open)[e->thread][e->region];
		/* A thread that ended inside of a region makes room for another one. */
		add_span(time, e->thread, e->region, *since, e->time_ns);
		*since = e->is_end ? 0 : e->time_ns;
		last = TP_MAX(last, e->time_ns);
	}
	time->spans_end_early = head->n_events > TP_AGENT_EVENTS;
	/* Without more events nobody knows when they ended. */
	for (unsigned t = 0; t < TP_AGENT_THREADS; t++)
		for (unsigned r = 0; r < TP_AGENT_REGIONS && time->n_spans < n; r++)
			add_span(time, t, r, (*open)[t][r],
				 time->spans_end_early ? last : ended_ns);
}

uint64_t tp_app_shared_untold(int fd, const struct tp_agent_shared *head)
{
	static const uint64_t most = 1ull << 48; /* nobody enters more often */
	uint64_t sum = 0, untold;
	for (unsigned t = 0; t < head->n_threads; t++)
		if (app_shared_get(fd, &untold, sizeof(untold), TP_APP_FIELD_AT(t, untold), NULL) ==
		    TP_OK)
			sum += TP_MIN(untold, most);
	return sum;
}

static bool get_names(int fd, struct tp_app_follow *follow, uint32_t *n_regions)
{
	if (app_shared_get(fd, n_regions, sizeof(*n_regions),
			   offsetof(struct tp_agent_shared, n_regions), NULL) != TP_OK ||
	    app_shared_get(fd, follow->names, sizeof(follow->names),
			   offsetof(struct tp_agent_shared, regions), NULL) != TP_OK)
		return false;
	for (unsigned i = 0; i < TP_AGENT_REGIONS; i++)
		app_shared_mend(follow->names[i], sizeof(follow->names[i]));
	*n_regions = TP_MIN(*n_regions, TP_AGENT_REGIONS);
	return true;
}

size_t tp_app_shared_follow(int fd, struct tp_app_follow *follow,
			    struct tp_app_mark marks[TP_APP_FOLLOWED])
{
	struct tp_agent_event events[TP_APP_FOLLOWED];
	uint32_t n_events, n_regions;
	size_t n = 0;
	if (app_shared_get(fd, &n_events, sizeof(n_events),
			   offsetof(struct tp_agent_shared, n_events), NULL) != TP_OK)
		return 0;
	size_t all = TP_MIN(n_events, TP_AGENT_EVENTS);
	size_t fresh = TP_MIN(all - TP_MIN(follow->taken, all), TP_APP_FOLLOWED);
	if (!fresh ||
	    app_shared_get(fd, events, fresh * sizeof(*events),
			   offsetof(struct tp_agent_shared, events) +
				   follow->taken * sizeof(*events),
			   NULL) != TP_OK ||
	    !get_names(fd, follow, &n_regions))
		return 0;
	for (size_t i = 0; i < fresh; i++) {
		const struct tp_agent_event *e = &events[i];
		/* Its thread is about to write it, or was killed before it could. */
		bool waits = !e->time_ns && !follow->waited;
		follow->waited = waits;
		if (waits)
			break;
		follow->taken++;
		if (e->time_ns && e->thread < TP_AGENT_THREADS && e->region < n_regions)
			marks[n++] = (struct tp_app_mark){ e->region, e->thread, e->is_end != 0,
							   1e-9 * (double)e->time_ns };
	}
	return n;
}

void tp_app_counts_release(struct tp_app_counts *counts)
{
	free(counts->regions);
	free(counts->functions);
	tp_diags_release(&counts->notes);
	*counts = (struct tp_app_counts){ 0 };
}

enum tp_status tp_app_shared_counts(int fd, const struct tp_agent_shared *head,
				    const struct tp_app_command *command, const char *never,
				    struct tp_app_counts *counts, struct tp_diag *diag)
{
	struct tp_app_regions regions = { 0 };
	uint64_t now_ns = (uint64_t)(1e9 * tp_now_seconds());
	enum tp_status status = tp_app_shared_regions(fd, head, now_ns, &regions, diag);
	if (status == TP_OK)
		status = tp_app_shared_functions(fd, head, &counts->functions, &counts->n_functions,
						 diag);
	if (status != TP_OK) {
		free(regions.items);
		return status;
	}
	counts->regions = regions.items;
	counts->n_regions = regions.n;
	counts->n_threads = regions.n_threads;
	counts->complete = tp_app_shared_notes(head, command, &regions, never, &counts->notes);
	return TP_OK;
}

void tp_app_time_release(struct tp_app_time *time)
{
	free(time->regions);
	free(time->spans);
	free(time->names);
	tp_diags_release(&time->notes);
	*time = (struct tp_app_time){ 0 };
}
