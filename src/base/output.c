/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/output.h"
#include "base/vec.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Nobody can take away what a reader has mapped. */
enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };

int tp_output_make(void)
{
	int fd = memfd_create("tprof-output", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd >= 0 && ftruncate(fd, sizeof(struct tp_output)) == 0 &&
	    fcntl(fd, F_ADD_SEALS, SEALS) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

struct tp_output *tp_output_map(int fd)
{
	struct stat st;
	if (fcntl(fd, F_GET_SEALS) != SEALS || fstat(fd, &st) != 0 ||
	    st.st_size != sizeof(struct tp_output))
		return NULL;
	void *at = mmap(NULL, sizeof(struct tp_output), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return at == MAP_FAILED ? NULL : at;
}

void tp_output_unmap(struct tp_output *output)
{
	if (output)
		munmap(output, sizeof(*output));
}

void tp_output_add(struct tp_output *output, size_t stream, const char *bytes, size_t n)
{
	uint64_t there = TP_MIN(output->stream[stream].n, (uint64_t)TP_OUTPUT_BYTES);
	size_t fits = TP_MIN(n, (size_t)(TP_OUTPUT_BYTES - there));
	memcpy(output->stream[stream].text + there, bytes, fits);
	output->stream[stream].n = there + fits;
	output->stream[stream].lost += n - fits;
}
