/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regions of the shared file: what is settled, and what was counted since. */
#include "app/shared_file.h"
#include "app/shared_parts.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

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

static enum tp_status add_pending(void *context, const struct tp_app_counters *piece)
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
	return TP_OK;
}

/* What cannot be goes; true if something had to. */
static bool mend_sum(struct tp_agent_sum *sum)
{
	bool damaged = false;
	for (unsigned k = 0; k < TP_MIX_N; k++)
		if (sum->mix[k] > COUNT_MAX) {
			sum->mix[k] = 0;
			damaged = true;
		}
	for (unsigned l = 0; l < TP_AGENT_LEVELS; l++)
		if (sum->level_bytes[l] > COUNT_MAX) {
			sum->level_bytes[l] = 0;
			damaged = true;
		}
	if (sum->entries > COUNT_MAX || sum->exits > COUNT_MAX || sum->time_ns > COUNT_MAX) {
		sum->entries = sum->exits = sum->time_ns = 0;
		damaged = true;
	}
	return damaged;
}

static enum tp_status get_thread(int fd, unsigned index, struct thread *t, struct tp_diag *diag)
{
	_Static_assert(offsetof(struct tp_agent_thread, tid) == 0 &&
			       offsetof(struct tp_agent_thread, runs) == 16,
		       "the first fields are read in one piece");
	uint32_t first[5];
	enum tp_status status =
		tp_app_shared_get(fd, first, sizeof(first), TP_APP_THREAD_AT(index), diag);
	if (status == TP_OK)
		status = tp_app_shared_get(fd, t->sums, sizeof(t->sums),
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
	return tp_app_shared_counters(fd, index, t->n_counters, add_pending, t, diag);
}

static bool did_something(const struct tp_agent_sum *sum)
{
	uint64_t any = sum->entries;
	for (unsigned k = 0; k < TP_MIX_N; k++)
		any |= sum->mix[k];
	return any;
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
	struct thread *t = calloc(1, sizeof(*t));
	enum tp_status status = t ? TP_OK : tp_fail(diag, TP_NOMEM, "agent", NULL, "out of memory");
	size_t cap = r->n;
	for (unsigned index = 0; index < head->n_threads && status == TP_OK; index++) {
		status = get_thread(fd, index, t, diag);
		if (status != TP_OK)
			break;
		r->n_threads += t->runs;
		r->damaged |= t->damaged;
		for (unsigned i = 0; i < head->n_regions && status == TP_OK; i++) {
			if (!did_something(&t->sums[i]))
				continue;
			struct tp_app_region one = region_of(head, i, index, &t->sums[i], ended_ns);
			r->damaged |= !add_region(&all[i], &one);
			status = tp_vec_reserve((void **)&r->items, &cap, r->n + 1,
						sizeof(*r->items));
			if (status == TP_OK)
				r->items[r->n++] = one;
			else
				tp_fail(diag, status, "agent", NULL, "out of memory");
		}
	}
	free(t);
	return status;
}

enum tp_status tp_app_shared_regions(int fd, const struct tp_agent_shared *head, uint64_t ended_ns,
				     struct tp_app_regions *regions, struct tp_diag *diag)
{
	struct tp_app_region *all = calloc(TP_AGENT_REGIONS, sizeof(*all));
	*regions = (struct tp_app_regions){ 0 };
	regions->items = calloc(TP_AGENT_REGIONS, sizeof(*regions->items));
	enum tp_status status = TP_OK;
	if (!all || !regions->items) {
		status = tp_fail(diag, TP_NOMEM, "agent", NULL, "out of memory");
		goto out;
	}
	for (unsigned i = 0; i < head->n_regions; i++) {
		all[i].thread = TP_APP_ALL;
		memcpy(all[i].name, head->regions[i], sizeof(all[i].name));
	}
	/* Room for the sums first; the list is closed up when they are known. */
	regions->n = head->n_regions;
	status = take_threads(fd, head, ended_ns, all, regions, diag);
	if (status != TP_OK)
		goto out;
	size_t kept = 0;
	for (unsigned i = 0; i < head->n_regions; i++) {
		bool counts = all[i].entries || all[i].mix[TP_MIX_INSTRUCTIONS] || i == 0;
		if (counts && head->n_threads)
			regions->items[kept++] = all[i];
	}
	memmove(regions->items + kept, regions->items + head->n_regions,
		(regions->n - head->n_regions) * sizeof(*regions->items));
	regions->n -= head->n_regions - kept;
out:
	free(all);
	if (status != TP_OK) {
		free(regions->items);
		*regions = (struct tp_app_regions){ 0 };
	}
	return status;
}
