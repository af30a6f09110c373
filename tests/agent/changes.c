/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code that changes while the program runs, modules that come and go, and what traces or restarts
 * instructions: each case prints a line that depends on what ran. A second argument sets how often
 * modules are loaded. With -DMODULE=N this is the module that they are.
 */
#ifdef MODULE
int module_value(int n);
int module_value(int n)
{
	for (int i = 0; i < 10; i++)
		n = n * 5 + MODULE;
	return n;
}
#else
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/rseq.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "tprof_roi.h"

enum { PAGE = 4096, TIMES = 50 };

/* mov eax, value; ret */
static void write_code(unsigned char *at, int value)
{
	unsigned char bytes[6] = { 0xb8, 0, 0, 0, 0, 0xc3 };

	memcpy(bytes + 1, &value, sizeof(value));
	memcpy(at, bytes, sizeof(bytes));
}

static int call(void *at)
{
	int (*volatile function)(void);

	*(void **)&function = at;
	return function();
}

static void *must(void *at)
{
	if (at == MAP_FAILED) {
		perror("map");
		exit(9);
	}
	return at;
}

static void *map(int protection, int flags, int fd)
{
	return must(mmap(NULL, PAGE, protection, flags, fd, 0));
}

/* Written here, executed there. */
static void change(unsigned char *written, void *executed)
{
	int sum = 0;

	for (int i = 0; i < TIMES; i++) {
		write_code(written, i);
		sum = sum * 3 % 1000003 + call(executed);
	}
	printf("changed %d\n", sum);
}

static int file(void)
{
	char path[] = "changesXXXXXX";
	int fd = mkstemp(path);

	if (fd < 0 || unlink(path) || ftruncate(fd, PAGE))
		exit(9);
	return fd;
}

static void twice(int fd)
{
	if (ftruncate(fd, PAGE))
		exit(9);
	change(map(PROT_READ | PROT_WRITE, MAP_SHARED, fd),
	       map(PROT_READ | PROT_EXEC, MAP_SHARED, fd));
}

static void in_memory(void)
{
	twice(memfd_create("code", 0));
}

static void in_file(void)
{
	twice(file());
}

static void in_shared_memory(void)
{
	int fd = shm_open("/tprof-changes", O_RDWR | O_CREAT | O_TRUNC, 0600);

	shm_unlink("/tprof-changes");
	twice(fd);
}

static void in_segment(void)
{
	int id = shmget(IPC_PRIVATE, PAGE, 0700 | IPC_CREAT);
	void *written = must(shmat(id, NULL, 0)),
	     *executed = must(shmat(id, NULL, SHM_EXEC | SHM_RDONLY));

	shmctl(id, IPC_RMID, NULL);
	change(written, executed);
	shmdt(executed);
}

static void at_once(void)
{
	void *at = map(PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED, file());

	change(at, at);
}

static void allowed_later(void)
{
	int fd = memfd_create("code", 0);
	void *executed;

	if (ftruncate(fd, PAGE))
		exit(9);
	executed = map(PROT_READ, MAP_SHARED, fd);
	if (mprotect(executed, PAGE, PROT_READ | PROT_EXEC))
		exit(9);
	change(map(PROT_READ | PROT_WRITE, MAP_SHARED, fd), executed);
}

/* An old size of 0 maps the same pages again. */
static void doubled(void)
{
	unsigned char *written = map(PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1);
	void *executed = must(mremap(written, 0, PAGE, MREMAP_MAYMOVE));

	if (mprotect(executed, PAGE, PROT_READ | PROT_EXEC))
		exit(9);
	change(written, executed);
}

static void *made(int value)
{
	unsigned char *at = map(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	write_code(at, value);
	if (mprotect(at, PAGE, PROT_READ | PROT_EXEC))
		exit(9);
	return at;
}

/* Other code comes over it: by mmap, by mremap, by shmat. */
static void replaced(void)
{
	void *at = made(1), *other = made(3);
	int fd = memfd_create("code", 0), id = shmget(IPC_PRIVATE, PAGE, 0700 | IPC_CREAT);
	unsigned char *written;

	printf("made %d\n", call(at));
	if (ftruncate(fd, PAGE))
		exit(9);
	write_code(map(PROT_READ | PROT_WRITE, MAP_SHARED, fd), 2);
	must(mmap(at, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, fd, 0));
	printf("mmap %d\n", call(at));
	must(mremap(other, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, at));
	printf("mremap %d\n", call(at));
	written = must(shmat(id, NULL, 0));
	write_code(written, 4);
	must(shmat(id, at, SHM_EXEC | SHM_REMAP));
	shmctl(id, IPC_RMID, NULL);
	printf("shmat %d\n", call(at));
	change(written, at);
}

/* The page of a file shows again what the file has. */
static void forgotten(void)
{
	int fd = file();
	char path[64];
	unsigned char code[6], *at;

	write_code(code, 5);
	if (write(fd, code, sizeof(code)) != sizeof(code))
		exit(9);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	at = map(PROT_READ | PROT_WRITE, MAP_PRIVATE, open(path, O_RDONLY));
	write_code(at, 6);
	mprotect(at, PAGE, PROT_READ | PROT_EXEC);
	printf("own %d\n", call(at));
	madvise(at, PAGE, MADV_DONTNEED);
	printf("forgotten %d\n", call(at));
}

/* A block that changes its own next instruction. */
static void inside(void)
{
	/* mov [rip + 1], edi; mov eax, 0; ret */
	static const unsigned char code[] = { 0x89, 0x3d, 1, 0, 0, 0, 0xb8, 0, 0, 0, 0, 0xc3 };
	unsigned char *at =
		map(PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	int (*volatile function)(int), sum = 0;

	memcpy(at, code, sizeof(code));
	*(void **)&function = at;
	for (int i = 0; i < TIMES; i++)
		sum = sum * 3 % 1000003 + function(i);
	printf("inside %d\n", sum);
}

/* As a compiler does that makes code while the program runs, and replaces it. */
static void compiled(void)
{
	enum { FUNCTIONS = 3000, SPACE = 16, CHANGED = 7 };
	unsigned char *at = must(mmap(NULL, FUNCTIONS * SPACE, PROT_READ | PROT_WRITE | PROT_EXEC,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	unsigned sum = 0;

	for (int i = 0; i < FUNCTIONS; i++)
		write_code(at + i * SPACE + i % 8, i);
	for (int k = 0; k < 10; k++) {
		for (int i = 0; i < FUNCTIONS; i++)
			sum = sum * 3 + (unsigned)call(at + i * SPACE + i % 8);
		for (int i = k; i < FUNCTIONS; i += CHANGED)
			write_code(at + i * SPACE + i % 8, i + k);
	}
	printf("compiled %u\n", sum);
}

static void handle(int number, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	sigaction(number, &action, NULL);
}

static volatile int ticks;

static void tick(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	ticks++;
}

/* A loop of 5 * n + 3 instructions, in code that may be changed. */
static void *write_loop(void)
{
	static const unsigned char code[] = {
		0x89, 0xf9, /* mov ecx, edi */
		0xb8, 1,    0,	  0, 0, /* mov eax, 1 */
		0x0f, 0xaf, 0xc1, /* 1: imul eax, ecx */
		0x83, 0xc0, 1, /* add eax, 1 */
		0x83, 0xe9, 1, /* sub ecx, 1 */
		0xeb, 0, /* jmp 2f */
		0x75, 0xf3, /* 2: jnz 1b */
		0xc3, /* ret */
	};
	unsigned char *at =
		map(PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	memcpy(at + 1, code, sizeof(code));
	return at + 1;
}

/* Signals come while code is compared: registers and flags stay. */
static void interrupted(void)
{
	struct itimerval timer = { { 0, 500 }, { 0, 500 } };
	unsigned (*volatile function)(unsigned), wrong = 0, expected = 1;

	*(void **)&function = write_loop();
	for (unsigned i = 1000; i > 0; i--)
		expected = expected * i + 1;
	handle(SIGALRM, tick);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (ticks < 300)
		wrong += function(1000) != expected;
	memset(&timer, 0, sizeof(timer));
	setitimer(ITIMER_REAL, &timer, NULL);
	printf("wrong %u\n", wrong);
}

static void looped(void)
{
	unsigned (*volatile function)(unsigned), sum = 0;

	*(void **)&function = write_loop();
	tprof_roi_begin("looped");
	for (int i = 0; i < 100; i++)
		sum += function(1000);
	tprof_roi_end("looped");
	printf("looped %u\n", sum);
}

/* The code is at an odd address, and the CPU checks how data are aligned. */
static void alignment_checked(void)
{
	unsigned char *at =
		map(PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	unsigned sum = 0, result;

	for (int i = 0; i < TIMES; i++) {
		write_code(at + 3, i);
		__asm__ volatile("sub $128, %%rsp; pushfq; orq $0x40000, (%%rsp); popfq; call *%1;"
				 "pushfq; andq $~0x40000, (%%rsp); popfq; add $128, %%rsp"
				 : "=&a"(result)
				 : "r"(at + 3)
				 : "memory", "cc");
		sum = sum * 3 + result;
	}
	printf("aligned %u\n", sum);
}

/* --- what cannot be counted: it goes on natively --- */

static void private_file(void)
{
	int fd = file();
	unsigned char code[6];
	void *at = NULL;
	int sum = 0;

	for (int i = 0; i < TIMES; i++) {
		write_code(code, i);
		if (pwrite(fd, code, sizeof(code), 0) != sizeof(code))
			exit(9);
		if (!at)
			at = map(PROT_READ | PROT_EXEC, MAP_PRIVATE, fd);
		sum = sum * 3 % 1000003 + call(at);
	}
	printf("file %d\n", sum);
}

static void private_and_shared(void)
{
	int fd = file();
	char path[64];
	void *at;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	at = map(PROT_READ | PROT_EXEC, MAP_PRIVATE, open(path, O_RDONLY));
	change(map(PROT_READ | PROT_WRITE, MAP_SHARED, fd), at);
}

static void through_file(void)
{
	int memory = open("/proc/self/mem", O_RDWR), sum = 0;
	void *at = made(0);
	unsigned char code[6];

	for (int i = 0; i < TIMES; i++) {
		write_code(code, i);
		if (pwrite(memory, code, sizeof(code), (off_t)(intptr_t)at) != sizeof(code))
			exit(9);
		sum = sum * 3 % 1000003 + call(at);
	}
	printf("through %d\n", sum);
}

static volatile int steps, wanted_steps;

static void step(int number, siginfo_t *info, void *context)
{
	ucontext_t *u = context;

	(void)number;
	(void)info;
	if (wanted_steps)
		u->uc_mcontext.gregs[REG_EFL] |= 0x100;
	if (++steps == wanted_steps)
		u->uc_mcontext.gregs[REG_EFL] &= ~0x100;
}

static void trap_flag(void)
{
	handle(SIGTRAP, step);
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq; nop; nop; nop; nop;"
			 "pushfq; andq $~0x100, (%%rsp); popfq"
			 :
			 :
			 : "memory", "cc");
	printf("steps %d\n", steps);
}

static void trap_return(void)
{
	volatile int sum = 0;

	wanted_steps = 100;
	handle(SIGTRAP, step);
	handle(SIGUSR1, step);
	raise(SIGUSR1);
	for (int i = 0; i < 1000; i++)
		sum = sum + i;
	printf("steps %d, sum %d\n", steps, sum);
}

static void traced(void)
{
	printf("traced %ld\n", ptrace(PTRACE_TRACEME, 0, NULL, NULL));
	printf("again %ld\n", ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

/* --- what is counted --- */

/* A child attaches to its parent, as programs do against debuggers. */
static void attached(void)
{
	int ready[2], status;
	char byte = 0;
	pid_t child;

	if (pipe(ready))
		exit(9);
	child = fork();
	if (!child) {
		pid_t parent = getppid();

		if (!ptrace(PTRACE_ATTACH, parent, NULL, NULL)) {
			waitpid(parent, &status, 0);
			byte = (char)(WIFSTOPPED(status) ? WSTOPSIG(status) : 1);
			ptrace(PTRACE_CONT, parent, NULL, NULL);
		}
		if (write(ready[1], &byte, 1) != 1)
			_exit(1);
		usleep(20000);
		_exit(0);
	}
	while (read(ready[0], &byte, 1) != 1)
		;
	waitpid(child, &status, 0);
	printf("stopped by %d, child %d\n", byte, status);
}

/* A popf that sets no trap flag. */
static void flags(void)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < TIMES; i++) {
		uint64_t result;

		__asm__ volatile("pushfq; andq $~0xd5, (%%rsp); orq %1, (%%rsp); popfq; sbb %0, %0"
				 : "=r"(result)
				 : "r"(i & 0xd5)
				 : "memory", "cc");
		sum = sum * 3 + (result & 7);
	}
	printf("flags %llx\n", (unsigned long long)sum);
}

enum { CPUS = 1024, ADDERS = 4, ADDITIONS = 1000000 };
static _Alignas(64) uint64_t of_cpu[CPUS][8];

/*
 * One more for this CPU, without a lock prefix: the kernel restarts the sequence if the thread is
 * interrupted within. False: it was, or the thread is on another CPU by now.
 */
static int add_restartable(struct rseq *area, uint64_t *count, uint32_t cpu)
{
	int done = 0;

	__asm__ volatile(".pushsection .data.rel, \"aw\"\n"
			 "	.balign 32\n"
			 "9:	.long 0, 0\n"
			 "	.quad 1f, 2f - 1f, 3f\n"
			 "	.popsection\n"
			 "	lea 9b(%%rip), %%rax\n"
			 "	mov %%rax, %[sequence]\n"
			 "1:	cmp %[cpu], %[here]\n"
			 "	jne 4f\n"
			 "	mov %[count], %%rcx\n"
			 "	pause\n"
			 "	lea 1(%%rcx), %%rcx\n"
			 "	mov %%rcx, %[count]\n"
			 "2:	mov $1, %[done]\n"
			 "	jmp 4f\n"
			 "	.byte 0x0f, 0xb9, 0x3d\n"
			 "	.long 0x53053053\n"
			 "3:	xor %[done], %[done]\n"
			 "4:	movq $0, %[sequence]\n"
			 : [done] "+r"(done), [count] "+m"(*count), [sequence] "+m"(area->rseq_cs)
			 : [cpu] "r"(cpu), [here] "m"(area->cpu_id)
			 : "rax", "rcx", "memory", "cc");
	return done;
}

static void *adder(void *none)
{
	struct rseq *area = (void *)((char *)__builtin_thread_pointer() + __rseq_offset);

	for (int i = 0; i < ADDITIONS; i++) {
		int32_t cpu = __rseq_size ? (int32_t) * (volatile uint32_t *)&area->cpu_id : -1;

		if (cpu < 0)
			__atomic_fetch_add(&of_cpu[0][0], 1, __ATOMIC_RELAXED);
		else
			i -= !add_restartable(area, of_cpu[cpu % CPUS], (uint32_t)cpu);
	}
	return none;
}

static void restarts(void)
{
	pthread_t threads[ADDERS];
	uint64_t sum = 0;

	for (int i = 0; i < ADDERS; i++)
		pthread_create(&threads[i], NULL, adder, NULL);
	for (int i = 0; i < ADDERS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < CPUS; i++)
		sum += of_cpu[i][0];
	printf("sum %llu, %s\n", (unsigned long long)sum, sched_getcpu() < 0 ? "no CPU" : "a CPU");
}

__attribute__((noinline)) static int hot(int n)
{
	tprof_roi_begin("hot");
	for (int i = 0; i < 1000; i++)
		n = n * 3 % 1000003 + (i & n);
	tprof_roi_end("hot");
	return n;
}

static int times = 500;

/* Modules come and go next to code that stays. */
static void modules(void)
{
	int n = 1;

	for (int i = 0; i < times; i++) {
		char path[32];
		void *module;
		int (*value)(int);

		snprintf(path, sizeof(path), "./module%d.so", i % 3);
		module = dlopen(path, RTLD_NOW);
		if (!module) {
			puts(dlerror());
			exit(9);
		}
		*(void **)&value = dlsym(module, "module_value");
		n = hot(value(n) % 1000003);
		dlclose(module);
	}
	printf("modules %d\n", n);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "in_memory", in_memory },
	{ "in_file", in_file },
	{ "in_shared_memory", in_shared_memory },
	{ "in_segment", in_segment },
	{ "at_once", at_once },
	{ "allowed_later", allowed_later },
	{ "doubled", doubled },
	{ "replaced", replaced },
	{ "forgotten", forgotten },
	{ "inside", inside },
	{ "compiled", compiled },
	{ "interrupted", interrupted },
	{ "looped", looped },
	{ "alignment_checked", alignment_checked },
	{ "private_file", private_file },
	{ "private_and_shared", private_and_shared },
	{ "through_file", through_file },
	{ "trap_flag", trap_flag },
	{ "trap_return", trap_return },
	{ "traced", traced },
	{ "attached", attached },
	{ "flags", flags },
	{ "restarts", restarts },
	{ "modules", modules },
};

int main(int argc, char **argv)
{
	if (argc > 2)
		times = atoi(argv[2]);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (argc < 2)
			puts(cases[i].name);
		else if (!strcmp(argv[1], cases[i].name))
			cases[i].run();
	}
	return 0;
}
#endif
