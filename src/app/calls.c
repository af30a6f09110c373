/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of the system calls in which programs wait, or make the kernel work. */
#include <stddef.h>
#include <sys/syscall.h>

#include "app/app.h"
#include "base/memory.h"

static const struct {
	unsigned number;
	const char *name;
} calls[] = {
	{ SYS_read, "read" },
	{ SYS_write, "write" },
	{ SYS_pread64, "pread" },
	{ SYS_pwrite64, "pwrite" },
	{ SYS_readv, "readv" },
	{ SYS_writev, "writev" },
	{ SYS_openat, "openat" },
	{ SYS_close, "close" },
	{ SYS_fsync, "fsync" },
	{ SYS_fdatasync, "fdatasync" },
	{ SYS_sendfile, "sendfile" },
	{ SYS_getdents64, "getdents" },
	{ SYS_mmap, "mmap" },
	{ SYS_munmap, "munmap" },
	{ SYS_mprotect, "mprotect" },
	{ SYS_madvise, "madvise" },
	{ SYS_brk, "brk" },
	{ SYS_futex, "futex" },
	{ SYS_sched_yield, "sched_yield" },
	{ SYS_nanosleep, "nanosleep" },
	{ SYS_clock_nanosleep, "nanosleep" },
	{ SYS_ppoll, "poll" },
	{ SYS_pselect6, "select" },
	{ SYS_epoll_pwait, "epoll_wait" },
	{ SYS_accept4, "accept" },
	{ SYS_connect, "connect" },
	{ SYS_recvfrom, "recv" },
	{ SYS_recvmsg, "recvmsg" },
	{ SYS_sendto, "send" },
	{ SYS_sendmsg, "sendmsg" },
	{ SYS_wait4, "wait" },
	{ SYS_waitid, "wait" },
	{ SYS_clone, "clone" },
	{ SYS_clone3, "clone" },
	{ SYS_execve, "execve" },
	{ SYS_rt_sigtimedwait, "sigtimedwait" },
	{ SYS_rt_sigsuspend, "sigsuspend" },
#ifdef SYS_poll /* newer architectures never had these */
	{ SYS_poll, "poll" },
	{ SYS_select, "select" },
	{ SYS_epoll_wait, "epoll_wait" },
	{ SYS_open, "open" },
	{ SYS_stat, "stat" },
	{ SYS_fork, "fork" },
	{ SYS_vfork, "vfork" },
	{ SYS_pause, "pause" },
#endif
};

const char *tp_app_call_name(unsigned number)
{
	for (size_t i = 0; i < TP_COUNT_OF(calls); i++)
		if (calls[i].number == number)
			return calls[i].name;
	return NULL;
}
