/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "qemu/plugin.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int qemu_plugin_version = TP_QEMU_API;
struct tp_qemu tp_qemu;

/* System calls of x86-64, and where their results lie. */
enum { SYSCALL_MMAP = 9, SYSCALL_MUNMAP = 11, SYSCALL_EXECVE = 59, SYSCALL_EXECVEAT = 322 };

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void *reserve(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

static void on_vcpu(qemu_plugin_id_t id, unsigned vcpu)
{
	struct tp_agent_shared *shared = tp_qemu.shared;
	(void)id;
	if (vcpu < TP_AGENT_THREADS && !tp_qemu.vcpus[vcpu])
		tp_qemu.vcpus[vcpu] = reserve(sizeof(struct tp_qemu_vcpu));
	if (!tp_qemu_vcpu(vcpu)) {
		__atomic_add_fetch(&shared->lost_threads, 1, __ATOMIC_RELAXED);
		return;
	}
	shared->threads[vcpu].runs++;
	if (vcpu >= shared->n_threads)
		shared->n_threads = vcpu + 1;
}

static void on_vcpu_end(qemu_plugin_id_t id, unsigned vcpu)
{
	(void)id;
	if (!tp_qemu_vcpu(vcpu))
		return;
	tp_qemu_settle(vcpu);
	tp_qemu_end_thread(vcpu);
}

static void on_syscall(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2,
		       uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
	(void)id, (void)vcpu;
	(void)a1, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
	/* One that succeeds never returns. */
	if (number == SYSCALL_EXECVE || number == SYSCALL_EXECVEAT)
		__atomic_add_fetch(&tp_qemu.shared->executions, 1, __ATOMIC_RELAXED);
}

static void on_syscall_end(qemu_plugin_id_t id, unsigned vcpu, int64_t number, int64_t result)
{
	(void)id, (void)vcpu, (void)result;
	if (number == SYSCALL_EXECVE || number == SYSCALL_EXECVEAT)
		__atomic_sub_fetch(&tp_qemu.shared->executions, 1, __ATOMIC_RELAXED);
	else if (number == SYSCALL_MMAP || number == SYSCALL_MUNMAP)
		__atomic_store_n(&tp_qemu.maps_changed, true, __ATOMIC_RELAXED);
}

static void on_end(qemu_plugin_id_t id, void *data)
{
	(void)id, (void)data;
	tp_qemu.shared->state = TP_AGENT_ENDED;
	tp_qemu.shared->ended_ns = now_ns();
}

static void after_fork(void)
{
	__atomic_add_fetch(&tp_qemu.shared->forks, 1, __ATOMIC_RELAXED);
}

/* A child goes on counting, but for itself: nobody reads it. */
static void in_child(void)
{
	struct tp_agent_shared *shared = tp_qemu.shared;
	uint32_t n_functions = shared->n_functions;
	if (mmap(shared, sizeof(*shared), PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
		_exit(127);
	tp_qemu.region_of_main = 0;
	shared->n_functions = n_functions;
	shared->n_regions = 1 + n_functions;
	for (unsigned i = 0; i < TP_AGENT_THREADS; i++)
		if (tp_qemu.vcpus[i])
			memset(tp_qemu.vcpus[i], 0, offsetof(struct tp_qemu_vcpu, dirty));
}

static bool map_shared(const char *path)
{
	struct stat about;
	struct tp_agent_shared *shared = MAP_FAILED;
	int fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (fstat(fd, &about) == 0 && about.st_size >= (off_t)sizeof(*shared))
		shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_NORESERVE, fd, 0);
	close(fd);
	if (shared == MAP_FAILED)
		return false;
	tp_qemu.shared = shared;
	return shared->magic == TP_AGENT_MAGIC && shared->version == TP_AGENT_VERSION &&
	       shared->bytes_of_mix == sizeof(shared->threads[0].sums[0].mix) &&
	       shared->n_functions < TP_AGENT_REGIONS && shared->n_regions <= TP_AGENT_REGIONS;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	const char *path = NULL;
	static const char option[] = "shared=";
	for (int i = 0; i < argc; i++)
		if (strncmp(argv[i], option, sizeof(option) - 1) == 0)
			path = argv[i] + sizeof(option) - 1;
	if (info->system_emulation || strcmp(info->target_name, "x86_64") != 0) {
		fprintf(stderr, "tprof: the plug-in counts programs for x86-64, not %s%s\n",
			info->target_name, info->system_emulation ? " systems" : "");
		return 1;
	}
	if (!path || !map_shared(path)) {
		fprintf(stderr, "tprof: the plug-in needs shared=FILE, a file that tprof made\n");
		return 1;
	}
	tp_qemu.units = reserve(TP_AGENT_COUNTERS * sizeof(*tp_qemu.units));
	if (!tp_qemu.units || pthread_atfork(NULL, after_fork, in_child) != 0)
		return 1;
	tp_qemu.n_counters = 1; /* counter 0 adds nothing: it is for what has no room */
	tp_qemu.units[0].pc = 1;
	tp_qemu.shared->started_ns = now_ns();
	tp_qemu.shared->state = TP_AGENT_RUNNING;
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu);
	qemu_plugin_register_vcpu_exit_cb(id, on_vcpu_end);
	qemu_plugin_register_vcpu_tb_trans_cb(id, tp_qemu_translate);
	qemu_plugin_register_vcpu_syscall_cb(id, on_syscall);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, on_syscall_end);
	qemu_plugin_register_atexit_cb(id, on_end, NULL);
	return 0;
}
