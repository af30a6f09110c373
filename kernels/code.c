/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/code.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum tp_status tp_code_init(struct tp_code *code, size_t capacity_bytes, struct tp_diag *diag)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	*code = (struct tp_code){ 0 };
	size_t bytes = (capacity_bytes + page - 1) / page * page;
	void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return tp_fail(diag, TP_NOMEM, "code buffer", NULL, "cannot map %zu bytes: %s",
			       bytes, strerror(errno));
	code->map = map;
	code->map_bytes = bytes;
	return TP_OK;
}

enum tp_status tp_code_seal(struct tp_code *code, size_t bytes, struct tp_diag *diag)
{
	if (mprotect(code->map, code->map_bytes, PROT_READ | PROT_EXEC) != 0)
		return tp_fail(diag, TP_PERM, "code buffer",
			       "a security policy forbids making memory executable (SELinux "
			       "execmem, seccomp)",
			       "cannot make emitted code executable: %s", strerror(errno));
	/* New code becomes visible to instruction fetch; nothing where that is automatic. */
	__builtin___clear_cache((char *)code->map, (char *)code->map + bytes);
	code->bytes = bytes;
	return TP_OK;
}

tp_kernel_function tp_code_function(const struct tp_code *code)
{
	/*
	 * ISO C cannot cast an object pointer to a function pointer. POSIX guarantees that a copy
	 * works.
	 */
	tp_kernel_function function;
	memcpy(&function, &code->map, sizeof(function));
	return function;
}

void tp_code_release(struct tp_code *code)
{
	if (code->map)
		munmap(code->map, code->map_bytes);
	*code = (struct tp_code){ 0 };
}
