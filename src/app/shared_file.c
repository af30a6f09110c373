/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/shared_file.h"
#include "app/shared_parts.h"
#include "base/text.h"
#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

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

enum tp_status tp_app_shared_get(int fd, void *to, size_t bytes, size_t offset,
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

void tp_app_shared_mend(char *text, size_t size)
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
		return tp_fail(diag, TP_NOMEM, "agent", NULL, "out of memory");
	enum tp_status status = tp_app_shared_get(fd, h, HEAD_BYTES, 0, diag);
	if (status != TP_OK) {
		tp_app_shared_head_free(h);
		return status;
	}
	h->n_threads = TP_MIN(h->n_threads, TP_AGENT_THREADS);
	h->n_regions = TP_MIN(TP_MAX(h->n_regions, 1), TP_AGENT_REGIONS);
	h->n_functions = TP_MIN(h->n_functions, h->n_regions - 1);
	h->n_modules = TP_MIN(h->n_modules, TP_AGENT_MODULES);
	for (unsigned i = 0; i < TP_AGENT_REGIONS; i++)
		tp_app_shared_mend(h->regions[i], sizeof(h->regions[i]));
	h->regions[0][0] = '\0';
	tp_app_shared_mend(h->words, sizeof(h->words));
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

enum tp_status tp_app_shared_counters(int fd, unsigned thread, size_t n_counters,
				      enum tp_status (*each)(void *context,
							     const struct tp_app_counters *piece),
				      void *context, struct tp_diag *diag)
{
	struct buffer {
		uint64_t counts[PIECE], settled[PIECE];
		struct tp_agent_unit units[PIECE];
	} *b = malloc(sizeof(*b));
	enum tp_status status = b ? TP_OK : tp_fail(diag, TP_NOMEM, "agent", NULL, "out of memory");
	for (size_t i = 0; i < n_counters && status == TP_OK; i += PIECE) {
		size_t n = TP_MIN(n_counters - i, PIECE);
		uint64_t any = 0;
		status = tp_app_shared_get(fd, b->counts, n * sizeof(*b->counts),
					   TP_APP_FIELD_AT(thread, counts) + i * sizeof(*b->counts),
					   diag);
		for (size_t k = 0; k < n && status == TP_OK; k++)
			any |= b->counts[k];
		if (!any || status != TP_OK)
			continue;
		status = tp_app_shared_get(
			fd, b->settled, n * sizeof(*b->settled),
			TP_APP_FIELD_AT(thread, settled) + i * sizeof(*b->settled), diag);
		if (status == TP_OK)
			status = tp_app_shared_get(
				fd, b->units, n * sizeof(*b->units),
				TP_APP_FIELD_AT(thread, units) + i * sizeof(*b->units), diag);
		const struct tp_app_counters piece = { thread, n, b->counts, b->settled, b->units };
		if (status == TP_OK)
			status = each(context, &piece);
	}
	free(b);
	return status;
}
