/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "routines/parts.h"
#include "base/text.h"
#include "measure/buffer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_BYTES = 2 << 20, SMALL_BYTES = 4096 };

/* What the system can give without swapping; UINT64_MAX if it does not say. */
static uint64_t available_bytes(void)
{
	uint64_t kib = 0;
	char line[128];
	FILE *file = fopen("/proc/meminfo", "re");
	if (!file)
		return UINT64_MAX;
	while (!kib && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
			break;
	fclose(file);
	return kib ? kib * 1024 : UINT64_MAX;
}

enum tp_status tp_block_map(struct tp_block *block, uint64_t bytes, enum tp_pages pages,
			    const char *where, struct tp_diag *diag)
{
	char need[32], have[32];
	uint64_t available = available_bytes();
	*block = (struct tp_block){ 0 };
	tp_format_bytes(need, sizeof(need), bytes);
	if (bytes > available || bytes > SIZE_MAX / 2)
		return tp_fail(diag, TP_RESOURCE, where, "choose smaller sizes",
			       "%s of memory are needed, %s are available", need,
			       tp_format_bytes(have, sizeof(have), available));
	bool reserved = pages == TP_PAGES_HUGETLB;
	size_t align = pages == TP_PAGES_SMALL ? SMALL_BYTES : HUGE_BYTES;
	size_t size = ((size_t)bytes + align - 1) / align * align;
	block->mapped_bytes = size + (reserved ? 0 : align);
	block->mapped = mmap(NULL, block->mapped_bytes, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | (reserved ? MAP_HUGETLB : 0), -1, 0);
	if (block->mapped == MAP_FAILED) {
		block->mapped = NULL;
		if (reserved)
			return tp_pages_refused(size, diag);
		return tp_fail(diag, TP_RESOURCE, where,
			       "choose smaller sizes, or raise the limit (ulimit -v)",
			       "cannot get %s of memory: %s", need, strerror(errno));
	}
	char *mapped = block->mapped;
	block->base = mapped + (align - (uintptr_t)mapped % align) % align;
	block->bytes = size;
	tp_pages_advise(block->base, size, pages);
	return TP_OK;
}

void tp_block_release(struct tp_block *block)
{
	if (block->mapped)
		munmap(block->mapped, block->mapped_bytes);
	*block = (struct tp_block){ 0 };
}
