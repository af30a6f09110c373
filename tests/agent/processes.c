/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Children and images under the agent: each case prints the same as natively. processes CASE */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static const char *self;

static void status_of(const char *what, pid_t child)
{
	int status = 0;

	if (waitpid(child, &status, 0) != child)
		printf("%s: %s\n", what, strerror(errno));
	else if (WIFEXITED(status))
		printf("%s: exit %d\n", what, WEXITSTATUS(status));
	else
		printf("%s: signal %d\n", what, WTERMSIG(status));
	fflush(stdout);
}

static void *hello(void *argument)
{
	return (char *)argument + 1;
}

static void in_child(int number)
{
	char text[] = "handled in the child\n";

	(void)number;
	if (write(1, text, sizeof(text) - 1) < 0)
		_exit(1);
}

static void forks(void)
{
	fflush(stdout);
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();

		if (!child) {
			pthread_t thread;
			void *result = NULL;

			pthread_create(&thread, NULL, hello, NULL);
			pthread_join(thread, &result);
			_exit(i + (int)(long)result);
		}
		status_of("fork", child);
	}
	signal(SIGUSR1, in_child);
	pid_t child = fork();
	if (!child) {
		raise(SIGUSR1);
		signal(SIGUSR1, SIG_DFL);
		raise(SIGUSR1);
		_exit(0);
	}
	status_of("handler", child);
}

static void vforks(void)
{
	char *words[] = { "sh", "-c", "echo from sh; exit 4", NULL };
	pid_t child;

	for (volatile int i = 0; i < 3; i++) {
		fflush(stdout);
		child = vfork();
		if (!child) {
			execv("/bin/sh", words);
			_exit(1);
		}
		status_of("vfork", child);
	}
	if (posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ))
		puts("posix_spawn failed");
	else
		status_of("spawn", child);
	if (posix_spawn(&child, "/does/not/exist", NULL, NULL, words, environ))
		puts("no such program");
	printf("system %d\n", WEXITSTATUS(system("echo from system; exit 5")));
	fflush(stdout);
	/* Neither children nor we see anything of the agent. */
	printf("traces %d\n", WEXITSTATUS(system("env | grep -c -e TPROF_AGENT -e tprof-agent")));
	printf("%d %d\n", !getenv("TPROF_AGENT"), !getenv("LD_PRELOAD"));
}

static int on_own_stack(void *argument)
{
	return *(int *)argument + 1;
}

static void clones(void)
{
	static char stack[64 * 1024];
	int value = 10;
	pid_t child = clone(on_own_stack, stack + sizeof(stack), SIGCHLD | CLONE_VM | CLONE_VFORK,
			    &value);

	status_of("clone", child);
	child = clone(on_own_stack, stack + sizeof(stack), SIGCHLD | CLONE_VM, &value);
	status_of("clone", child);
	child = clone(on_own_stack, stack + sizeof(stack), SIGCHLD, &value);
	status_of("clone", child);
	printf("bad %d %s\n", (int)syscall(SYS_clone3, NULL, 8), strerror(errno));
}

static void images(void)
{
	char *words[] = { (char *)self, "second", "a b", NULL };

	execv("/does/not/exist", words);
	printf("%s\n", strerror(errno));
	fflush(stdout);
	setenv("TPROF_TEST_VARIABLE", "kept", 1);
	execv(self, words);
}

static void *replace(void *argument)
{
	char *words[] = { (char *)self, "second", "by a thread", NULL };

	(void)argument;
	execv(self, words);
	return NULL;
}

static void image_of_thread(void)
{
	pthread_t thread;

	setenv("TPROF_TEST_VARIABLE", "kept", 1);
	pthread_create(&thread, NULL, replace, NULL);
	pthread_join(thread, NULL);
}

static void closes(void)
{
	FILE *copy = fdopen(dup(1), "w");
	int fd = fileno(copy);

	syscall(SYS_close_range, 3, fd - 1, 0);
	syscall(SYS_close_range, fd + 1, ~0u, 0);
	close(0);
	fprintf(copy, "closed\n");
	fclose(copy);
	printf("next %d\n", dup(1));
	syscall(SYS_close_range, 0, ~0u, 0);
}

static void killed(void)
{
	puts("killed");
	fflush(stdout);
	kill(getpid(), SIGKILL);
}

/* Nothing but read, write and exit from here on. */
static void restricted(void)
{
	puts("restricted");
	fflush(stdout);
	prctl(PR_SET_SECCOMP, 1);
	if (write(1, "written\n", 8) == 8)
		syscall(SYS_exit, 6);
	syscall(SYS_exit, 1);
}

static void locked(void)
{
	printf("%d\n", mlockall(MCL_CURRENT | MCL_FUTURE));
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "forks", forks },
	{ "vforks", vforks },
	{ "clones", clones },
	{ "images", images },
	{ "image_of_thread", image_of_thread },
	{ "closes", closes },
	{ "killed", killed },
	{ "restricted", restricted },
	{ "locked", locked },
};

int main(int argc, char **argv)
{
	self = argv[0];
	if (argc == 3 && !strcmp(argv[1], "second")) {
		printf("second image: %s, %s\n", argv[2], getenv("TPROF_TEST_VARIABLE"));
		printf("%d %d\n", !getenv("TPROF_AGENT"), !getenv("LD_PRELOAD"));
		return 0;
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (argc < 2)
			puts(cases[i].name);
		else if (!strcmp(argv[1], cases[i].name))
			cases[i].run();
	}
	return 0;
}
