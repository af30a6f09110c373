/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/buffer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/process.h"
#include "base/memory.h"

static const size_t huge_bytes = (size_t)2 << 20;

static const char *const pages_names[] = {
	[TP_PAGES_DEFAULT] = "default",
	[TP_PAGES_THP] = "thp",
	[TP_PAGES_HUGETLB] = "hugetlb",
	[TP_PAGES_SMALL] = "small",
};

enum tp_pages tp_pages_find(const char *word)
{
	for (size_t i = 0; i < TP_COUNT_OF(pages_names); i++)
		if (strcmp(word, pages_names[i]) == 0)
			return (enum tp_pages)i;
	return TP_PAGES_DEFAULT;
}

const char *tp_pages_name(enum tp_pages pages)
{
	return pages_names[pages];
}

void tp_pages_advise(void *start, size_t bytes, enum tp_pages pages)
{
	if (pages == TP_PAGES_THP)
		(void)madvise(start, bytes, MADV_HUGEPAGE);
	if (pages == TP_PAGES_SMALL)
		(void)madvise(start, bytes, MADV_NOHUGEPAGE);
}

static enum tp_status refuse_pages(size_t bytes, struct tp_diag *diag)
{
	return tp_fail(diag, TP_RESOURCE, "pages: hugetlb",
		       "reserve some with: sysctl vm.nr_hugepages=N (as root), or use pages: thp",
		       "cannot get %zu huge pages of 2 MiB: %s", bytes / huge_bytes,
		       strerror(errno));
}

/*
 * Bytes of the mapping at `start` that the kernel backs with transparent huge pages
 * (/proc/self/smaps).
 */
static uint64_t huge_backed_bytes(const void *start, size_t bytes)
{
	FILE *f = fopen("/proc/self/smaps", "re");
	if (!f)
		return 0;
	uintptr_t from = (uintptr_t)start, to = from + bytes;
	uint64_t total = 0;
	bool inside = false;
	char line[512];
	while (fgets(line, sizeof(line), f)) {
		uintptr_t low, high;
		uint64_t kib;
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &low, &high) == 2)
			inside = low < to && high > from;
		else if (inside && sscanf(line, "AnonHugePages: %" SCNu64, &kib) == 1)
			total += kib << 10;
	}
	fclose(f);
	return total;
}

/*
 * Plain doubles between 1 and 2: never zero (some memory controllers shorten zeros), never
 * denormal. Written by the caller, so every page is really there: reading an untouched page would
 * only reach the kernel's one zero page, from a cache.
 */
static void touch(char *data, size_t bytes)
{
	double *x = (double *)(void *)data;
	size_t n = bytes / sizeof(*x), end;
	for (size_t i = 0; i < n && !tp_stop_asked;)
		for (end = TP_MIN(n, i + huge_bytes / sizeof(*x)); i < end; i++)
			x[i] = 1.0 + (double)(i & 1023) / 1024.0;
}

static size_t whole_pages(size_t bytes)
{
	return (bytes + huge_bytes - 1) / huge_bytes * huge_bytes;
}

enum tp_status tp_buffer_init(struct tp_buffer *buffer, size_t most_bytes, enum tp_pages pages,
			      struct tp_diag *diag)
{
	*buffer = (struct tp_buffer){ .pages = pages };
	size_t rounded = whole_pages(most_bytes);
	void *map = mmap(NULL, rounded + huge_bytes, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return tp_fail(diag, TP_RESOURCE, "buffer", "use smaller sizes or fewer threads",
			       "cannot reserve %zu bytes: %s", rounded, strerror(errno));
	uintptr_t aligned = ((uintptr_t)map + huge_bytes - 1) / huge_bytes * huge_bytes;
	buffer->map = map;
	buffer->map_bytes = rounded + huge_bytes;
	buffer->data = (char *)map + (aligned - (uintptr_t)map);
	buffer->most_bytes = rounded;
	tp_pages_advise(buffer->data, rounded, pages);
	return TP_OK;
}

/* Reserved space without memory. */
static void close_space(char *from, size_t bytes)
{
	(void)mmap(from, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
		   -1, 0);
}

/* Makes the next part of the reserved space memory. Huge pages must be mapped as such. */
static enum tp_status open_space(const struct tp_buffer *buffer, size_t bytes, struct tp_diag *diag)
{
	char *from = buffer->data + buffer->bytes;
	if (buffer->pages == TP_PAGES_HUGETLB) {
		if (mmap(from, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_FIXED, -1,
			 0) != MAP_FAILED)
			return TP_OK;
		enum tp_status status = refuse_pages(bytes, diag);
		close_space(from, bytes); /* the refused call may have left a hole */
		return status;
	}
	if (mprotect(from, bytes, PROT_READ | PROT_WRITE) == 0)
		return TP_OK;
	return tp_fail(diag, TP_RESOURCE, "buffer", "use smaller sizes or fewer threads",
		       "cannot get %zu bytes: %s", bytes, strerror(errno));
}

enum tp_status tp_buffer_open(struct tp_buffer *buffer, size_t bytes, struct tp_diag *diag)
{
	size_t rounded = whole_pages(bytes);
	if (rounded <= buffer->bytes)
		return TP_OK;
	if (rounded > buffer->most_bytes)
		return tp_fail(diag, TP_RESOURCE, "buffer", NULL,
			       "%zu bytes were reserved, not %zu", buffer->most_bytes, rounded);
	size_t more = rounded - buffer->bytes;
	enum tp_status status = open_space(buffer, more, diag);
	if (status != TP_OK)
		return status;
	buffer->bytes = rounded;
	return TP_OK;
}

enum tp_status tp_buffer_grow(struct tp_buffer *buffer, size_t bytes, struct tp_diag *diag)
{
	size_t before = buffer->bytes;
	enum tp_status status = tp_buffer_open(buffer, bytes, diag);
	if (status == TP_OK)
		touch(buffer->data + before, buffer->bytes - before);
	return status;
}

void tp_buffer_trim(struct tp_buffer *buffer, size_t bytes)
{
	size_t rounded = whole_pages(bytes);
	if (rounded >= buffer->bytes)
		return;
	close_space(buffer->data + rounded, buffer->bytes - rounded);
	tp_pages_advise(buffer->data + rounded, buffer->bytes - rounded, buffer->pages);
	buffer->bytes = rounded;
}

const char *tp_buffer_obtained(const struct tp_buffer *buffer, char *out, size_t size)
{
	uint64_t huge = 0;
	if (buffer->pages != TP_PAGES_HUGETLB)
		huge = huge_backed_bytes(buffer->data, buffer->bytes);
	if (buffer->bytes == 0)
		tp_copy(out, size, "");
	else if (buffer->pages == TP_PAGES_HUGETLB)
		tp_copy(out, size, "hugetlb");
	else if (huge >= buffer->bytes)
		tp_copy(out, size, "thp");
	else if (huge)
		tp_copy(out, size, "mixed");
	else
		snprintf(out, size, "%uK", (unsigned)sysconf(_SC_PAGESIZE) / 1024);
	return out;
}

void tp_buffer_fill(struct tp_buffer *buffer, size_t bytes)
{
	touch(buffer->data, bytes < buffer->bytes ? bytes : buffer->bytes);
}

void tp_buffer_release(struct tp_buffer *buffer)
{
	if (buffer->map)
		munmap(buffer->map, buffer->map_bytes);
	*buffer = (struct tp_buffer){ 0 };
}

enum { WAITING = 16, ANSWERS_MAX = 64 };

/* An abstract name: its first byte is 0, its length counts. */
static socklen_t name_of(unsigned cpu, unsigned place, struct sockaddr_un *address)
{
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	int n = snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1, "tprof/%u/cpu/%u/%u",
			 (unsigned)geteuid(), cpu, place);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static int new_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* Any process may bind or connect to a name. The kernel reports its user. */
static bool is_same_user(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

static void drop(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* True while the owner has not answered the call of earlier. */
static bool is_waiting(int *call)
{
	char word;
	if (*call < 0)
		return false;
	if (recv(*call, &word, sizeof(word), 0) < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	drop(call);
	return false;
}

/* Takes the first free place. */
static void settle(struct tp_claim *claim)
{
	struct sockaddr_un address;
	claim->socket = new_socket();
	for (claim->place = 0; claim->socket >= 0 && claim->place < TP_CLAIM_PLACES;
	     claim->place++) {
		socklen_t length = name_of(claim->cpu, claim->place, &address);
		if (bind(claim->socket, (struct sockaddr *)&address, length) == 0) {
			listen(claim->socket, WAITING);
			return;
		}
	}
	drop(&claim->socket);
}

/* True if another process of the same user has the place. It learns of the call. */
static bool is_taken(struct tp_claim *claim, unsigned place)
{
	struct sockaddr_un address;
	socklen_t length = name_of(claim->cpu, place, &address);
	int *call = &claim->calls[place];
	if (is_waiting(call))
		return true;
	*call = new_socket();
	if (*call >= 0 && connect(*call, (struct sockaddr *)&address, length) == 0 &&
	    is_same_user(*call))
		return true;
	drop(call);
	return false;
}

/* True if a process of the same user has connected. */
static bool was_called(int socket)
{
	bool called = false;
	for (int n = 0; n < ANSWERS_MAX; n++) {
		int fd = accept4(socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0)
			break;
		called |= is_same_user(fd);
		close(fd);
	}
	return called;
}

void tp_claims_init(struct tp_claims *claims, const unsigned *cpus, unsigned n)
{
	*claims = (struct tp_claims){ .items = tp_alloc(n, sizeof(*claims->items)) };
	for (; claims->n < n; claims->n++) {
		struct tp_claim *claim = &claims->items[claims->n];
		claim->cpu = cpus[claims->n];
		claim->socket = -1;
		for (unsigned k = 0; k < TP_CLAIM_PLACES; k++)
			claim->calls[k] = -1;
	}
}

void tp_claims_release(struct tp_claims *claims)
{
	for (unsigned i = 0; i < claims->n; i++) {
		drop(&claims->items[i].socket);
		for (unsigned k = 0; k < TP_CLAIM_PLACES; k++)
			drop(&claims->items[i].calls[k]);
	}
	free(claims->items);
	*claims = (struct tp_claims){ 0 };
}

bool tp_claims_contested(struct tp_claims *claims)
{
	bool contested = false;
	for (unsigned i = 0; i < claims->n; i++) {
		struct tp_claim *claim = &claims->items[i];
		if (claim->socket < 0)
			settle(claim);
		for (unsigned k = 0; k < TP_CLAIM_PLACES; k++)
			if (claim->socket < 0 || k != claim->place)
				contested |= is_taken(claim, k);
		if (claim->socket >= 0)
			contested |= was_called(claim->socket);
	}
	return contested;
}
