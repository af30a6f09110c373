/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals under the agent: each case prints the same as natively. signals CASE */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <poll.h>
#include <ucontext.h>
#include <unistd.h>

static volatile sig_atomic_t count, wrong;
static sigjmp_buf back;

static void handle(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };

	sigemptyset(&action.sa_mask);
	if (sigaction(number, &action, NULL))
		perror("sigaction");
}

static void tick(int number, siginfo_t *info, void *context)
{
	volatile double x = 1;

	(void)info;
	(void)context;
	for (int i = 0; i < 10; i++)
		x = x * 1.5 + number;
	count++;
}

static void every(int which, long usec)
{
	struct itimerval interval = { { 0, usec }, { 0, usec } };

	setitimer(which, &interval, NULL);
}

/* Interrupted at any instruction, the result stays what it is. */
static uint64_t mix(uint64_t seed)
{
	volatile uint64_t first = seed; /* so that each call computes it again */
	uint64_t x = first;
	double d = 1;

	for (int i = 0; i < 1000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		x += (x & 1) ? 3 : 5;
		d = d * 0.5 + (double)(x & 0xff);
	}
	return x ^ (uint64_t)d;
}

static void timer(int flags)
{
	uint64_t expected = mix(1);

	handle(SIGALRM, tick, SA_RESTART | flags);
	every(ITIMER_REAL, 1000);
	for (long i = 0; count < 300 && i < 3000000; i++)
		wrong += mix(1) != expected;
	every(ITIMER_REAL, 0);
	printf("%s, wrong %d\n", count >= 300 ? "enough" : "too few", (int)wrong);
}

static void timers(void)
{
	timer(0);
}

static void timers_own_stack(void)
{
	stack_t stack = { .ss_size = 64 * 1024 };

	stack.ss_sp = malloc(stack.ss_size);
	sigaltstack(&stack, NULL);
	timer(SA_ONSTACK);
}

/* Indirect calls, system calls and signals at once. */
static uint64_t odd(uint64_t x)
{
	return x * 3 + 1;
}

static uint64_t even(uint64_t x)
{
	return x / 2;
}

static void calls(void)
{
	uint64_t (*const way[2])(uint64_t) = { even, odd };
	uint64_t x = 27, steps = 0;

	handle(SIGALRM, tick, SA_RESTART);
	every(ITIMER_REAL, 700);
	while (count < 200) {
		for (int i = 0; i < 1000; i++) {
			x = way[x & 1](x);
			if (x == 1) {
				x = 27;
				steps++;
			}
		}
		if (getppid() <= 0)
			wrong++;
	}
	every(ITIMER_REAL, 0);
	printf("wrong %d, %s\n", (int)wrong, steps ? "turns" : "none");
}

static int here;

static void fault(int number, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;

	printf("signal %d at %s, rbx %llx, code %d\n", number,
	       info->si_addr == (void *)16 ? "16"
	       : info->si_addr == &here	   ? "here"
					   : "?",
	       uc->uc_mcontext.gregs[REG_RBX], info->si_code);
	siglongjmp(back, 1);
}

/* rip of the instruction that faults, and the registers around it. */
static void fault_address(int number, siginfo_t *info, void *context)
{
	extern char fault_here[];
	const ucontext_t *uc = context;

	(void)number;
	(void)info;
	printf("rip %s, rax %llx, r9 %llx\n",
	       uc->uc_mcontext.gregs[REG_RIP] == (greg_t)fault_here ? "right" : "wrong",
	       uc->uc_mcontext.gregs[REG_RAX], uc->uc_mcontext.gregs[REG_R9]);
	siglongjmp(back, 1);
}

static void faults(void)
{
	handle(SIGSEGV, fault, 0);
	for (int i = 0; i < 5; i++)
		if (!sigsetjmp(back, 1))
			__asm__ volatile(
				"mov $0x1234, %%rbx\n\tmov $16, %%eax\n\tmov (%%rax), %%rcx"
				:
				:
				: "rax", "rbx", "rcx", "memory");
	handle(SIGSEGV, fault_address, 0);
	if (!sigsetjmp(back, 1))
		__asm__ volatile("mov $0x77, %%r9d\n\txor %%eax, %%eax\n"
				 "fault_here:\n\tmov %%r9, (%%rax)"
				 :
				 :
				 : "rax", "r9", "memory");
	handle(SIGFPE, fault, 0);
	if (!sigsetjmp(back, 1))
		__asm__ volatile(
			"mov $5, %%ebx\n\txor %%edx, %%edx\n\txor %%ecx, %%ecx\n\tdiv %%rcx"
			:
			:
			: "rax", "rbx", "rcx", "rdx");
	handle(SIGILL, fault, 0);
	if (!sigsetjmp(back, 1))
		__asm__ volatile("mov $6, %%ebx\n\tud2" : : : "rbx");
	handle(SIGTRAP, fault, 0);
	if (!sigsetjmp(back, 1))
		__asm__ volatile("mov $7, %%ebx\n\tint3" : : : "rbx");
	handle(SIGSEGV, fault, 0);
	if (!sigsetjmp(back, 1))
		__asm__ volatile("mov $8, %%ebx\n\tmov $16, %%eax\n\tjmp *%%rax"
				 :
				 :
				 : "rax", "rbx");
}

/* The handler repairs, and the instruction runs again. */
static char *page;

static void repair(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	count++;
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

/* The handler changes where the program goes on. */
static void skip(int number, siginfo_t *info, void *context)
{
	extern char behind_here[];
	ucontext_t *uc = context;

	(void)number;
	(void)info;
	uc->uc_mcontext.gregs[REG_RIP] = (greg_t)behind_here;
	uc->uc_mcontext.gregs[REG_R8] = 99;
}

static void repairs(void)
{
	uint64_t r8 = 0;

	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	handle(SIGSEGV, repair, 0);
	for (int i = 0; i < 10; i++) {
		page[i] = (char)('a' + i);
		if (i % 3 == 0)
			mprotect(page, 4096, PROT_NONE);
	}
	printf("%d repairs, %.10s\n", (int)count, page);
	handle(SIGSEGV, skip, 0);
	__asm__ volatile("xor %%eax, %%eax\n\tmov (%%rax), %%rax\nbehind_here:\n\tmov %%r8, %0"
			 : "=r"(r8)
			 :
			 : "rax", "r8", "memory");
	printf("r8 %llu\n", (unsigned long long)r8);
}

static void inner(int number, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	printf("inner %d\n", number);
}

static void outer(int number, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	sigset_t now;

	sigprocmask(SIG_SETMASK, NULL, &now);
	printf("outer %d, value %d, own blocked %d, was %d\n", number, info->si_value.sival_int,
	       sigismember(&now, number), sigismember(&uc->uc_sigmask, number));
	raise(SIGUSR2);
	puts("outer ends");
}

static void nested(void)
{
	union sigval value = { .sival_int = 42 };
	stack_t stack = { .ss_size = 64 * 1024 }, now;

	stack.ss_sp = malloc(stack.ss_size);
	sigaltstack(&stack, NULL);
	handle(SIGUSR1, outer, SA_ONSTACK);
	handle(SIGUSR2, inner, SA_ONSTACK);
	sigqueue(getpid(), SIGUSR1, value);
	handle(SIGRTMIN, outer, 0);
	for (int i = 0; i < 3; i++) {
		value.sival_int = i;
		sigqueue(getpid(), SIGRTMIN, value);
	}
	sigaltstack(NULL, &now);
	printf("own stack %d, flags %d\n", now.ss_sp == stack.ss_sp, now.ss_flags);
}

static void busy(int number, siginfo_t *info, void *context)
{
	uint64_t expected = mix(1);
	int until = count + 20;

	(void)number;
	(void)info;
	(void)context;
	/* The timer comes while this runs on the same stack. */
	for (long i = 0; count < until && i < 1000000; i++)
		wrong += mix(1) != expected;
	puts("busy");
}

static void nested_timer(void)
{
	stack_t stack = { .ss_size = 64 * 1024 };

	stack.ss_sp = malloc(stack.ss_size);
	sigaltstack(&stack, NULL);
	handle(SIGUSR1, busy, SA_ONSTACK);
	handle(SIGALRM, tick, SA_ONSTACK | SA_RESTART);
	every(ITIMER_REAL, 500);
	for (int i = 0; i < 5; i++)
		raise(SIGUSR1);
	every(ITIMER_REAL, 0);
	printf("wrong %d, %s\n", (int)wrong, count >= 100 ? "ticks" : "none");
}

static int overflow(int n)
{
	volatile char room[4096];

	room[0] = (char)n;
	return n > 0 ? overflow(n + 1) + room[0] : 0;
}

static void overflowed(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	siglongjmp(back, 1);
}

static void overflows(void)
{
	stack_t stack = { .ss_size = 64 * 1024 };

	stack.ss_sp = malloc(stack.ss_size);
	sigaltstack(&stack, NULL);
	handle(SIGSEGV, overflowed, SA_ONSTACK);
	for (int i = 0; i < 3; i++) {
		if (!sigsetjmp(back, 1))
			overflow(1);
		else
			printf("overflow %d\n", i);
	}
}

static void *poke(void *argument)
{
	for (int i = 0; i < 3; i++) {
		usleep(20000);
		pthread_kill(*(pthread_t *)argument, SIGUSR1);
	}
	usleep(20000);
	return NULL;
}

static void quiet(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	count++;
}

static void *poke_and_write(void *argument)
{
	poke(argument);
	if (write(((int *)(void *)((pthread_t *)argument + 1))[1], "x", 1) != 1)
		perror("write");
	return NULL;
}

static void reads(void)
{
	struct {
		pthread_t self;
		int ends[2];
	} with = { .self = pthread_self() };
	pthread_t thread;
	char byte = 0;
	ssize_t got;

	if (pipe(with.ends))
		return;
	handle(SIGUSR1, quiet, SA_RESTART);
	pthread_create(&thread, NULL, poke_and_write, &with);
	got = read(with.ends[0], &byte, 1);
	pthread_join(thread, NULL);
	printf("restarted: %zd %c, %d signals\n", got, byte, (int)count);
	handle(SIGUSR1, quiet, 0);
	pthread_create(&thread, NULL, poke, &with.self);
	got = read(with.ends[0], &byte, 1);
	printf("interrupted: %zd %s\n", got, strerror(errno));
	pthread_join(thread, NULL);
}

static void suspends(void)
{
	sigset_t blocked, none;
	struct timespec wait = { 5, 0 };
	pthread_t self = pthread_self(), thread;
	int result;

	sigemptyset(&none);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	handle(SIGUSR1, quiet, 0);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	raise(SIGUSR1);
	printf("blocked %d\n", (int)count);
	sigsuspend(&none);
	printf("suspended %d %s\n", (int)count, strerror(errno));
	pthread_create(&thread, NULL, poke, &self);
	result = ppoll(NULL, 0, &wait, &none);
	printf("ppoll %d %s\n", result, strerror(errno));
	pthread_join(thread, NULL);
	sigpending(&none);
	printf("pending %d\n", sigismember(&none, SIGUSR1));
	result = sigtimedwait(&blocked, NULL, &wait);
	printf("waited %d, handled %d\n", result == SIGUSR1, (int)count);
}

static void descriptor(void)
{
	struct signalfd_siginfo info;
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	raise(SIGUSR1);
	if (read(fd, &info, sizeof(info)) == sizeof(info))
		printf("signal %u of %s\n", info.ssi_signo,
		       info.ssi_pid == (unsigned)getpid() ? "us" : "?");
}

static void once(void)
{
	struct sigaction now;

	handle(SIGUSR1, quiet, SA_RESETHAND | SA_NODEFER);
	sigaction(SIGUSR1, NULL, &now);
	printf("before %d flags %x\n", now.sa_sigaction == quiet, (unsigned)now.sa_flags);
	raise(SIGUSR1);
	sigaction(SIGUSR1, NULL, &now);
	printf("after %d, count %d\n", now.sa_handler == SIG_DFL, (int)count);
	sigaction(SIGTRAP, NULL, &now);
	printf("trap %d, bad %d, kill %d\n", now.sa_handler == SIG_DFL, sigaction(65, NULL, &now),
	       sigaction(SIGKILL, &now, NULL));
	fflush(stdout);
	raise(SIGUSR1);
	puts("never");
}

static void trapped(void)
{
	puts("trap");
	fflush(stdout);
	raise(SIGTRAP);
	puts("never");
}

static void leave(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	puts("exit from a handler");
	exit(7);
}

static void exits(void)
{
	handle(SIGALRM, leave, 0);
	every(ITIMER_REAL, 5000);
	for (;;)
		wrong += mix(1) == 0;
}

static void aborts(void)
{
	puts("abort");
	fflush(stdout);
	abort();
}

static void *spin(void *argument)
{
	uint64_t expected = mix(1);

	while (!*(volatile int *)argument)
		wrong += mix(1) != expected;
	return NULL;
}

/* A storm from another thread, while all of them work. */
static void storm(void)
{
	pthread_t threads[3];
	volatile int stop = 0;
	struct timespec pause = { 0, 100000 };

	handle(SIGUSR1, tick, SA_RESTART);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, spin, (void *)&stop);
	for (int i = 0; i < 2000 || count <= 100; i++) {
		pthread_kill(threads[i % 3], SIGUSR1);
		if (i % 8 == 0)
			nanosleep(&pause, NULL);
	}
	stop = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("wrong %d, %s\n", (int)wrong, count > 100 ? "ticks" : "none");
}

static void jump(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	count++;
	siglongjmp(back, 1);
}

static void jumps(void)
{
	volatile uint64_t turns = 0;

	handle(SIGALRM, jump, 0);
	if (!sigsetjmp(back, 1)) /* where the first jump leads */
		every(ITIMER_REAL, 1000);
	while (count < 100) {
		if (sigsetjmp(back, 1))
			continue;
		for (;;)
			turns += mix(turns) != 0;
	}
	every(ITIMER_REAL, 0);
	puts(count >= 100 ? "enough jumps" : "too few");
}

static void *short_work(void *argument)
{
	uint64_t expected = *(uint64_t *)argument;

	for (int i = 0; i < 20; i++)
		wrong += mix(1) != expected;
	return NULL;
}

/* A timer of 1 kHz for the process: threads that begin and end, and children, get it. */
static void busy_process(void)
{
	uint64_t expected = mix(1);
	int status = 0, children = 0;

	handle(SIGALRM, tick, SA_RESTART);
	every(ITIMER_REAL, 1000);
	for (int i = 0; i < 60; i++) {
		pthread_t threads[4];
		pid_t child;

		for (int t = 0; t < 4; t++)
			pthread_create(&threads[t], NULL, short_work, &expected);
		child = fork();
		if (!child)
			_exit(wrong != 0);
		for (int t = 0; t < 4; t++)
			pthread_join(threads[t], NULL);
		if (waitpid(child, &status, 0) == child && !status)
			children++;
	}
	every(ITIMER_REAL, 0);
	printf("wrong %d, %d children, %s\n", (int)wrong, children, count > 5 ? "ticks" : "none");
}

/* glibc signals all threads with its own signal. */
static void *wait_for_end(void *argument)
{
	while (!*(volatile int *)argument)
		usleep(100);
	return NULL;
}

static void users(void)
{
	volatile int stop = 0;
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, wait_for_end, (void *)&stop);
	printf("user %d\n", setuid(getuid()));
	stop = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

/* Stopped while it waits, and continued: the call waits on. */
static void stops(void)
{
	struct timespec wait = { 0, 100000000 };
	pid_t child, parent = getpid();
	int status, result;

	fflush(stdout);
	child = fork();
	if (!child) {
		for (int i = 0; i < 3; i++) {
			usleep(15000);
			kill(parent, SIGSTOP);
			usleep(5000);
			kill(parent, SIGCONT);
		}
		_exit(0);
	}
	result = nanosleep(&wait, NULL);
	printf("slept %d\n", result);
	result = poll(NULL, 0, 50);
	printf("polled %d\n", result);
	waitpid(child, &status, 0);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "timers", timers },
	{ "timers_own_stack", timers_own_stack },
	{ "calls", calls },
	{ "faults", faults },
	{ "repairs", repairs },
	{ "nested", nested },
	{ "nested_timer", nested_timer },
	{ "overflows", overflows },
	{ "reads", reads },
	{ "suspends", suspends },
	{ "descriptor", descriptor },
	{ "once", once },
	{ "trapped", trapped },
	{ "exits", exits },
	{ "aborts", aborts },
	{ "storm", storm },
	{ "jumps", jumps },
	{ "busy_process", busy_process },
	{ "users", users },
	{ "stops", stops },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (argc < 2)
			puts(cases[i].name);
		else if (!strcmp(argv[1], cases[i].name))
			cases[i].run();
	}
	return 0;
}
