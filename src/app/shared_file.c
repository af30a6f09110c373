/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/shared_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

enum { HEAD_BYTES = offsetof(struct tp_agent_shared, threads), PIECE = 2048 };

/* --- made --- */

static enum tp_status fill_tree(struct tp_agent_tree *tree, enum tp_agent_mode mode,
				const struct tp_app_command *command, struct tp_diag *diag)
{
	tree->magic = TP_AGENT_MAGIC;
	tree->version = TP_AGENT_VERSION;
	tree->bytes_of_mix = sizeof(((struct tp_agent_sum *)NULL)->mix);
	tree->mode = mode;
	for (char *const *name = command->functions; name && *name; name++) {
		if (tree->n_functions == TP_AGENT_REGIONS - 1)
			return tp_fail(diag, TP_USAGE, "--region", "name fewer functions",
				       "at most %d functions can be regions", TP_AGENT_REGIONS - 1);
		if (!**name ||
		    !tp_copy(tree->functions[tree->n_functions + 1], TP_AGENT_NAME, *name))
			return tp_fail(diag, TP_USAGE, "--region",
				       "name a function as `nm PROGRAM` prints it",
				       "the name of a function has 1 to %d bytes",
				       TP_AGENT_NAME - 1);
		tree->n_functions++;
	}
	return TP_OK;
}

enum tp_status tp_app_shared_make(struct tp_app_shared *shared, enum tp_agent_mode mode,
				  const struct tp_app_command *command, struct tp_diag *diag)
{
	struct rlimit most;
	*shared = (struct tp_app_shared){ .fd = -1, .lock = -1 };
	/* Beyond that limit a signal would end this process. */
	if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY &&
	    most.rlim_cur < TP_AGENT_FILE_BYTES)
		return tp_fail(diag, TP_RESOURCE, "agent", "ulimit -f unlimited",
			       "the limit on the size of files is too low for its counters, which "
			       "take hardly any room, but have large addresses");
	/* Sealed: a program that made it shorter would end us, too. */
	shared->fd = memfd_create("tprof-agent", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (shared->fd < 0 || ftruncate(shared->fd, (off_t)TP_AGENT_FILE_BYTES) != 0 ||
	    fcntl(shared->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
		goto failed;
	shared->tree = mmap(NULL, sizeof(*shared->tree), PROT_READ | PROT_WRITE, MAP_SHARED,
			    shared->fd, 0);
	if (shared->tree == MAP_FAILED) {
		shared->tree = NULL;
		goto failed;
	}
	uint64_t number = 0;
	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number))
		number = (uint64_t)getpid();
	snprintf(shared->path, sizeof(shared->path), "/proc/%d/fd/%d", (int)getpid(), shared->fd);
	snprintf(shared->tree->file_path, sizeof(shared->tree->file_path), "%s#%llx", shared->path,
		 (unsigned long long)number);
	if (readlink("/proc/self/ns/pid", shared->tree->processes,
		     sizeof(shared->tree->processes) - 1) < 0)
		goto failed;
	enum tp_status status = fill_tree(shared->tree, mode, command, diag);
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
	if (shared->tree)
		munmap(shared->tree, sizeof(*shared->tree));
	if (shared->fd >= 0)
		close(shared->fd);
	*shared = (struct tp_app_shared){ .fd = -1, .lock = -1 };
}

void tp_app_shared_free(const struct tp_app_shared *shared, unsigned place)
{
	fallocate(shared->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		  (off_t)TP_AGENT_PLACE_AT(place), sizeof(struct tp_agent_shared));
	__atomic_store_n(&shared->tree->taken[place], 0, __ATOMIC_RELEASE);
}

/* --- read --- */

/* The file is read, never mapped: reading an unwritten page then takes no memory. */
enum tp_status tp_app_shared_get(struct tp_app_place place, void *to, size_t bytes, size_t offset,
				 struct tp_diag *diag)
{
	char *at = to;
	offset += TP_AGENT_PLACE_AT(place.index);
	while (bytes > 0) {
		ssize_t n = pread(place.fd, at, bytes, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return tp_fail(diag, TP_IO, "agent", NULL,
				       "its counters cannot be read: %s",
				       n ? strerror(errno) : "the file is too short");
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

enum tp_status tp_app_shared_head(struct tp_app_place place, struct tp_agent_shared **head,
				  struct tp_diag *diag)
{
	/* On the stack it would be a whole struct to the compiler; the heap avoids that. */
	struct tp_agent_shared *h =
		mmap(NULL, HEAD_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*head = NULL;
	if (h == MAP_FAILED)
		tp_out_of_memory();
	enum tp_status status = tp_app_shared_get(place, h, HEAD_BYTES, 0, diag);
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
	app_shared_mend(h->program, sizeof(h->program));
	/* A path stays as it is, as it is opened. Code that displays it cleans it. */
	for (unsigned i = 0; i < TP_AGENT_MODULES; i++)
		h->modules[i].path[sizeof(h->modules[i].path) - 1] = '\0';
	*head = h;
	return TP_OK;
}

void tp_app_shared_head_free(struct tp_agent_shared *head)
{
	munmap(head, HEAD_BYTES);
}

enum tp_status tp_app_shared_counters(struct tp_app_place place, unsigned thread, size_t n_counters,
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
		status = tp_app_shared_get(place, b->counts, n * sizeof(*b->counts),
					   TP_APP_FIELD_AT(thread, counts) + i * sizeof(*b->counts),
					   diag);
		for (size_t k = 0; k < n && status == TP_OK; k++)
			any |= b->counts[k];
		if (!any || status != TP_OK)
			continue;
		status = tp_app_shared_get(
			place, b->settled, n * sizeof(*b->settled),
			TP_APP_FIELD_AT(thread, settled) + i * sizeof(*b->settled), diag);
		if (status == TP_OK)
			status = tp_app_shared_get(
				place, b->units, n * sizeof(*b->units),
				TP_APP_FIELD_AT(thread, units) + i * sizeof(*b->units), diag);
		const struct tp_app_counters piece = { thread, n, b->counts, b->settled, b->units };
		if (status == TP_OK)
			each(context, &piece);
	}
	return status;
}

enum tp_status tp_app_shared_n_counters(struct tp_app_place place, unsigned thread, size_t *n,
					struct tp_diag *diag)
{
	uint32_t n_counters = 0;
	enum tp_status status = tp_app_shared_get(place, &n_counters, sizeof(n_counters),
						  TP_APP_FIELD_AT(thread, n_counters), diag);
	*n = TP_MIN(n_counters, TP_AGENT_COUNTERS);
	return status;
}

/* No program counts so much; beyond it a sum of some of them could overflow. */
static const uint64_t COUNT_MAX = 1ull << 60;

/* What has been read of one thread. */
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

/* Removes impossible values; true if there were any. */
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
	damaged |= mend_count(&sum->accesses) | mend_count(&sum->contested);
	if (sum->entries <= COUNT_MAX && sum->exits <= COUNT_MAX && sum->time_ns <= COUNT_MAX)
		return damaged;
	sum->entries = sum->exits = sum->time_ns = 0;
	return true;
}

static enum tp_status get_thread(struct tp_app_place place, unsigned index, struct thread *t,
				 struct tp_diag *diag)
{
	_Static_assert(offsetof(struct tp_agent_thread, tid) == 0 &&
			       offsetof(struct tp_agent_thread, runs) == 16,
		       "the first fields are read in one piece");
	uint32_t first[5];
	enum tp_status status =
		tp_app_shared_get(place, first, sizeof(first), TP_APP_THREAD_AT(index), diag);
	if (status == TP_OK)
		status = tp_app_shared_get(place, t->sums, sizeof(t->sums),
					   TP_APP_FIELD_AT(index, sums), diag);
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
	return tp_app_shared_counters(place, index, t->n_counters, add_pending, t, diag);
}

static struct tp_app_region region_of(const struct tp_agent_shared *head, unsigned index,
				      unsigned thread, const struct tp_agent_sum *sum,
				      uint64_t ended_ns)
{
	struct tp_app_region r = { .thread = thread,
				   .entries = sum->entries,
				   .accesses = sum->accesses,
				   .contested = sum->contested,
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

/* Adds to the region of all threads: its time is that of the thread that was in it longest. */
static bool add_region(struct tp_app_region *all, const struct tp_app_region *one)
{
	bool fits = add(&all->entries, one->entries);
	for (unsigned k = 0; k < TP_MIX_N; k++)
		fits &= add(&all->mix[k], one->mix[k]);
	for (unsigned l = 0; l < TP_APP_LEVELS; l++)
		all->level_bytes[l] += one->level_bytes[l];
	fits &= add(&all->accesses, one->accesses);
	fits &= add(&all->contested, one->contested);
	all->seconds = TP_MAX(all->seconds, one->seconds);
	all->unended |= one->unended;
	return fits;
}

/* Each thread's counts, after `n_first` places for the sums. */
static enum tp_status take_threads(struct tp_app_place place, const struct tp_agent_shared *head,
				   uint64_t ended_ns, struct tp_app_region *all,
				   struct tp_app_regions *r, struct tp_diag *diag)
{
	TP_FREE struct thread *t = tp_alloc(1, sizeof(*t));
	enum tp_status status = TP_OK;
	size_t cap = r->n;
	for (unsigned index = 0; index < head->n_threads && status == TP_OK; index++) {
		status = get_thread(place, index, t, diag);
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

enum tp_status tp_app_shared_regions(struct tp_app_place place, const struct tp_agent_shared *head,
				     uint64_t ended_ns, struct tp_app_regions *regions,
				     struct tp_diag *diag)
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
	enum tp_status status = take_threads(place, head, ended_ns, all, regions, diag);
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
		/* A thread that ended inside a region makes room for another one. */
		add_span(time, e->thread, e->region, *since, e->time_ns);
		*since = e->is_end ? 0 : e->time_ns;
		last = TP_MAX(last, e->time_ns);
	}
	time->spans_end_early = head->n_events > TP_AGENT_EVENTS;
	/* Without more events the ends are unknown. */
	for (unsigned t = 0; t < TP_AGENT_THREADS; t++)
		for (unsigned r = 0; r < TP_AGENT_REGIONS && time->n_spans < n; r++)
			add_span(time, t, r, (*open)[t][r],
				 time->spans_end_early ? last : ended_ns);
}

uint64_t tp_app_shared_untold(struct tp_app_place place, const struct tp_agent_shared *head)
{
	static const uint64_t most = 1ull << 48; /* more entries are impossible */
	uint64_t sum = 0, untold;
	for (unsigned t = 0; t < head->n_threads; t++)
		if (tp_app_shared_get(place, &untold, sizeof(untold), TP_APP_FIELD_AT(t, untold),
				      NULL) == TP_OK)
			sum += TP_MIN(untold, most);
	return sum;
}

static bool get_names(struct tp_app_place place, struct tp_app_follow *follow, uint32_t *n_regions)
{
	if (tp_app_shared_get(place, n_regions, sizeof(*n_regions),
			      offsetof(struct tp_agent_shared, n_regions), NULL) != TP_OK ||
	    tp_app_shared_get(place, follow->names, sizeof(follow->names),
			      offsetof(struct tp_agent_shared, regions), NULL) != TP_OK)
		return false;
	for (unsigned i = 0; i < TP_AGENT_REGIONS; i++)
		app_shared_mend(follow->names[i], sizeof(follow->names[i]));
	*n_regions = TP_MIN(*n_regions, TP_AGENT_REGIONS);
	return true;
}

size_t tp_app_shared_follow(struct tp_app_place place, struct tp_app_follow *follow,
			    struct tp_app_mark marks[TP_APP_FOLLOWED])
{
	struct tp_agent_event events[TP_APP_FOLLOWED];
	uint32_t n_events, n_regions;
	size_t n = 0;
	if (tp_app_shared_get(place, &n_events, sizeof(n_events),
			      offsetof(struct tp_agent_shared, n_events), NULL) != TP_OK)
		return 0;
	size_t all = TP_MIN(n_events, TP_AGENT_EVENTS);
	size_t fresh = TP_MIN(all - TP_MIN(follow->taken, all), TP_APP_FOLLOWED);
	if (!fresh ||
	    tp_app_shared_get(place, events, fresh * sizeof(*events),
			      offsetof(struct tp_agent_shared, events) +
				      follow->taken * sizeof(*events),
			      NULL) != TP_OK ||
	    !get_names(place, follow, &n_regions))
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

void tp_app_time_release(struct tp_app_time *time)
{
	free(time->regions);
	free(time->spans);
	free(time->names);
	free(time->processes);
	tp_diags_release(&time->notes);
	*time = (struct tp_app_time){ 0 };
}

void tp_app_counts_release(struct tp_app_counts *counts)
{
	free(counts->regions);
	free(counts->functions);
	free(counts->processes);
	tp_diags_release(&counts->notes);
	*counts = (struct tp_app_counts){ 0 };
}
