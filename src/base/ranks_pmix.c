/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The relay: a process that is the PMIx client of a rank, and answers the requests of this rank's
 * tprof and its engine one after the other. It alone has the library, with its threads.
 *
 * All ranks go through the same fences: one for each thing that they share, one for each stage of a
 * point. Fences carry nothing as long as all is well. A rank that drops out says so under a key of
 * the next fence, after which all look for such keys. So all know of it after the same fence: those
 * at the same point give it up, and those that are further on repeat their fence.
 */
#include "base/ranks_parts.h"
#include "base/hash.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef HAVE_PMIX
/* Its inline functions do not stand our warnings. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include <pmix.h>
#pragma GCC diagnostic pop

#define LIBRARY "libpmix.so.2"

enum { KEY_BYTES = 96, NOBODY = -1 };

struct relay {
	__typeof__(PMIx_Init) *init;
	__typeof__(PMIx_Put) *put;
	__typeof__(PMIx_Commit) *commit;
	__typeof__(PMIx_Fence) *fence;
	__typeof__(PMIx_Get) *get;
	__typeof__(PMIx_Finalize) *finalize;
	__typeof__(PMIx_Error_string) *words;
	pmix_proc_t self;
	unsigned size;
	uint64_t launch; /* hash of what the ranks are; 0 = not known yet */
	unsigned long fences; /* that all have gone through */
	pmix_status_t failed; /* PMIx does not work any more */
	long gone; /* this rank has ended */
	unsigned left; /* others that said so at the last fence */
	/* the point under way: stages that all have come to, and who does not measure it */
	unsigned long point;
	unsigned stages;
	long out;
};

bool tp_pmix_is_here(void)
{
	return getenv("PMIX_NAMESPACE") && getenv("PMIX_RANK") &&
	       dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
}

static bool find_library(struct relay *r)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return false;
	r->init = (__typeof__(r->init))dlsym(library, "PMIx_Init");
	r->put = (__typeof__(r->put))dlsym(library, "PMIx_Put");
	r->commit = (__typeof__(r->commit))dlsym(library, "PMIx_Commit");
	r->fence = (__typeof__(r->fence))dlsym(library, "PMIx_Fence");
	r->get = (__typeof__(r->get))dlsym(library, "PMIx_Get");
	r->finalize = (__typeof__(r->finalize))dlsym(library, "PMIx_Finalize");
	r->words = (__typeof__(r->words))dlsym(library, "PMIx_Error_string");
	return r->init && r->put && r->commit && r->fence && r->get && r->finalize && r->words;
}

/* --- what PMIx does for us --- */

static void set_true(pmix_info_t *info, const char *key)
{
	*info = (pmix_info_t){ .value = { .type = PMIX_BOOL, .data.flag = true } };
	tp_copy(info->key, sizeof(info->key), key);
}

static void put(struct relay *r, const char *key, const char *text)
{
	pmix_value_t value = { .type = PMIX_STRING, .data.string = (char *)(uintptr_t)text };
	if (!r->failed)
		r->failed = r->put(PMIX_GLOBAL, key, &value);
	if (!r->failed)
		r->failed = r->commit();
}

/* What a rank has put before the last fence: heap memory; NULL = nothing. */
static char *get(struct relay *r, unsigned rank, const char *key)
{
	pmix_proc_t proc = { .rank = rank };
	pmix_value_t *value = NULL;
	pmix_info_t now;
	char *text = NULL;
	tp_copy(proc.nspace, sizeof(proc.nspace), r->self.nspace);
	set_true(&now, PMIX_IMMEDIATE);
	if (r->get(&proc, key, &now, 1, &value) != PMIX_SUCCESS || !value)
		return NULL;
	if (value->type == PMIX_STRING)
		text = value->data.string;
	free(value);
	return text;
}

static void begin(struct relay *r)
{
	pmix_proc_t all = { .rank = PMIX_RANK_WILDCARD };
	pmix_value_t *value = NULL;
	r->failed = r->init(&r->self, NULL, 0);
	if (r->failed)
		return;
	tp_copy(all.nspace, sizeof(all.nspace), r->self.nspace);
	r->failed = r->get(&all, PMIX_JOB_SIZE, NULL, 0, &value);
	if (!r->failed && value->type == PMIX_UINT32)
		r->size = value->data.uint32;
	free(value);
}

/* --- fences --- */

static void name_odd(const struct relay *r, char key[KEY_BYTES])
{
	snprintf(key, KEY_BYTES, "tprof.%016" PRIx64 ".odd.%lu", r->launch, r->fences);
}

/* Goes through one fence; true if it is to be repeated. `odd` is what this rank says of itself. */
static bool fence_once(struct relay *r, unsigned long point, const char *odd)
{
	char key[KEY_BYTES];
	pmix_info_t collect;
	bool behind = false;
	r->left = 0;
	name_odd(r, key);
	if (odd)
		put(r, key, odd);
	set_true(&collect, PMIX_COLLECT_DATA);
	if (!r->failed)
		r->failed = r->fence(NULL, 0, &collect, 1);
	for (unsigned i = 0; i < r->size && !r->failed; i++) {
		unsigned long where;
		char *other = i == r->self.rank ? NULL : get(r, i, key);
		if (!other)
			continue;
		if (sscanf(other, "out %lu", &where) != 1) {
			r->gone = i;
			r->left++;
		} else if (where < point)
			behind = true;
		else
			r->out = i;
		free(other);
	}
	r->fences++;
	return behind && r->gone == NOBODY && !r->failed;
}

static void fence(struct relay *r, unsigned long point, const char *odd)
{
	while (fence_once(r, point, odd))
		;
}

/* --- requests --- */

/* Every rank's text under that key. */
static void add_texts(struct relay *r, const char *key, struct tp_str *reply)
{
	tp_str_add(reply, "ok\n");
	for (unsigned i = 0; i < r->size; i++) {
		char *text = get(r, i, key);
		if (!text) {
			tp_str_clear(reply);
			tp_str_printf(reply, "failed rank %u has not told its part\n", i);
			return;
		}
		tp_str_printf(reply, "%zu\n%s", strlen(text), text);
		free(text);
	}
}

static void share(struct relay *r, const char *word, const char *text, struct tp_str *reply)
{
	char key[KEY_BYTES];
	snprintf(key, sizeof(key), "tprof.%016" PRIx64 ".%s", r->launch, word);
	put(r, key, text);
	fence(r, 0, NULL);
	if (r->failed || r->gone != NOBODY)
		return;
	bool first = r->launch == 0;
	add_texts(r, key, reply);
	if (first)
		r->launch = tp_hash_text(TP_HASH_START, tp_str_text(reply));
}

static void at_point(struct relay *r, unsigned long point)
{
	if (r->point == point)
		return;
	r->point = point;
	r->stages = 0;
	r->out = NOBODY;
}

static void meet(struct relay *r, unsigned long point, unsigned stage, struct tp_str *reply)
{
	at_point(r, point);
	/* All have come to it already, or have given up. */
	if (r->gone == NOBODY && r->out == NOBODY && !(r->stages & 1u << stage))
		fence(r, point, NULL);
	if (r->failed || r->gone != NOBODY)
		return;
	r->stages |= 1u << stage;
	if (r->out == NOBODY)
		tp_str_add(reply, "ok\n");
	else
		tp_str_printf(reply, "out %ld\n", r->out);
}

/* After its end, a point has no fence any more that others would wait at. */
static void drop_out(struct relay *r, unsigned long point, struct tp_str *reply)
{
	char odd[KEY_BYTES];
	at_point(r, point);
	if (r->gone == NOBODY && r->out == NOBODY && !(r->stages & 1u << TP_RANKS_END)) {
		snprintf(odd, sizeof(odd), "out %lu", point);
		fence(r, point, odd);
		r->out = r->self.rank;
	}
	tp_str_add(reply, "ok\n");
}

/* The others leave at the same fence, unless this rank leaves too early. */
static void leave(struct relay *r, const char *text, struct tp_str *reply)
{
	char key[KEY_BYTES];
	if (r->failed || r->gone != NOBODY)
		return;
	snprintf(key, sizeof(key), "tprof.%016" PRIx64 ".left", r->launch);
	put(r, key, text);
	fence(r, ULONG_MAX, "left");
	if (r->failed || r->left + 1 < r->size)
		return;
	r->gone = NOBODY;
	add_texts(r, key, reply);
}

/* Where all have left in order, they end together: a launcher kills those that are left. */
static void end(struct relay *r, struct tp_str *reply)
{
	if (!r->failed && r->gone == NOBODY)
		fence(r, ULONG_MAX, NULL);
	tp_str_add(reply, "ok\n");
}

/* True after the last one. */
static bool answer(struct relay *r, const char *request, struct tp_str *reply)
{
	const char *body = strchr(request, '\n');
	char word[16];
	unsigned long point;
	unsigned stage;
	bool last = false;
	body = body ? body + 1 : "";
	if (strncmp(request, "join\n", 5) == 0)
		tp_str_printf(reply, "ok\n%u %u\n", r->self.rank, r->size);
	else if (sscanf(request, "share %15[a-z]", word) == 1)
		share(r, word, body, reply);
	else if (sscanf(request, "meet %lu %u", &point, &stage) == 2 &&
		 stage < TP_RANKS_STAGE_COUNT)
		meet(r, point, stage, reply);
	else if (sscanf(request, "out %lu", &point) == 1)
		drop_out(r, point, reply);
	else if (strncmp(request, "leave\n", 6) == 0)
		leave(r, body, reply);
	else if ((last = strncmp(request, "end\n", 4) == 0))
		end(r, reply);
	if (r->failed) {
		tp_str_clear(reply);
		tp_str_printf(reply, "failed PMIx says %s\n", r->words(r->failed));
	} else if (!reply->len) {
		tp_str_printf(reply, "left %ld\n",
			      r->gone == NOBODY ? (long)r->self.rank : r->gone);
	}
	return last;
}

/* The socket has a name that anybody on this host may find. */
static bool is_ours(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == getuid();
}

static void hear(int fd, struct tp_str *request)
{
	char text[4096];
	ssize_t n;
	tp_str_clear(request);
	while ((n = read(fd, text, sizeof(text))) > 0)
		tp_str_add_n(request, text, (size_t)n);
}

int tp_pmix_serve(int listening)
{
	struct relay r = { .gone = NOBODY, .out = NOBODY, .point = ULONG_MAX };
	struct tp_str request = { 0 }, reply = { 0 };
	bool last = false;
	if (!find_library(&r))
		return 1;
	begin(&r);
	bool begun = !r.failed;
	while (!last) {
		int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0)
			break;
		if (!is_ours(fd)) {
			close(fd);
			continue;
		}
		hear(fd, &request);
		tp_str_clear(&reply);
		last = answer(&r, tp_str_text(&request), &reply);
		if (last && begun)
			r.finalize(NULL, 0);
		/* Whoever asked may have gone. */
		tp_write_all(fd, tp_str_text(&reply), reply.len);
		close(fd);
	}
	tp_str_release(&request);
	tp_str_release(&reply);
	return 0;
}

#else /* the header was not there */

bool tp_pmix_is_here(void)
{
	return false;
}

int tp_pmix_serve(int listening)
{
	(void)listening;
	return 1;
}

#endif
