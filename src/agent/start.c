/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The agent is preloaded, and its constructor is the first to run (-z initfirst). It removes its
 * variables from the environment, maps the file shared with tprof, and returns into the cache:
 * everything after it runs translated.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "agent/cache.h"
#include "agent/native.h"
#include "agent/process.h"
#include "agent/sys.h"

void tp_take_over(struct tp_context *context);

static bool begins(const char *text, const char *with)
{
	while (*with)
		if (*text++ != *with++)
			return false;
	return true;
}

/* Value of NAME= in env; *at becomes its index, -1 if there is none. */
static char *variable(char **env, const char *name_and_equals, int *at)
{
	for (*at = 0; env[*at]; (*at)++) {
		if (begins(env[*at], name_and_equals)) {
			char *value = env[*at];

			while (*name_and_equals++)
				value++;
			return value;
		}
	}
	*at = -1;
	return NULL;
}

static void remove_variable(char **env, int at)
{
	for (; env[at]; at++)
		env[at] = env[at + 1];
}

static bool is_agent(const char *entry, const char *end)
{
	static const char name[] = "libtprof-agent.so";
	const char *from = end - (sizeof(name) - 1);

	return from >= entry && begins(from, name);
}

/* Takes the agent's own entry out of LD_PRELOAD, and leaves those of the user. */
static void clean_preload(char **env)
{
	int at;
	char *value = variable(env, "LD_PRELOAD=", &at), *to = value;

	if (!value)
		return;
	for (const char *from = value; *from;) {
		const char *end = from;

		while (*end && *end != ':' && *end != ' ')
			end++;
		if (!is_agent(from, end)) {
			if (to > value)
				*to++ = ':';
			while (from < end)
				*to++ = *from++;
		}
		from = *end ? end + 1 : end;
	}
	*to = '\0';
	if (to == value)
		remove_variable(env, at);
}

static void find_program(char **env)
{
	const Elf64_auxv_t *aux;

	while (*env)
		env++;
	for (aux = (const Elf64_auxv_t *)(env + 1); aux->a_type != AT_NULL; aux++)
		if (aux->a_type == AT_PHDR)
			tp_program_base = aux->a_un.a_val & ~4095ull;
}

static void give_up(const char *why)
{
	struct tp_agent_shared *shared = tp_agent_shared;

	for (unsigned i = 0; i + 1 < sizeof(shared->words) && why[i]; i++)
		shared->words[i] = why[i];
	shared->state = TP_AGENT_DETACHED;
	tp_agent_detached = 1;
}

static bool has_xsave(void)
{
	uint32_t a = 1, b, c = 0, d;

	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	return c & 1u << 27; /* OSXSAVE */
}

/*
 * Whether the kernel checks return addresses against a shadow stack: the cache does not maintain
 * it.
 */
static bool has_shadow_stack(void)
{
	uint64_t features = 0;

	return !tp_sys_failed(tp_sys(SYS_arch_prctl, 0x5005 /* ARCH_SHSTK_STATUS */,
				     (uint64_t)&features, 0, 0, 0, 0)) &&
	       features & 1;
}

/*
 * Makes the dynamic linker resolve what Zydis calls now: later the program may be holding its lock.
 */
static void bind_zydis(void)
{
	static const uint8_t code[] = { 0x62, 0xf1, 0x7c, 0x49, 0x58, 0x05, 0, 0, 0, 0, 0 };
	ZydisDecoder decoder;
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	ZydisDecoderDecodeFull(&decoder, code, sizeof(code), &in, operands);
}

/*
 * The kernel restarts a sequence (rseq) by the addresses of the program's instructions, but the
 * thread runs those of the cache. So the registration is removed: glibc and others manage without
 * it, as on older kernels.
 */
extern const unsigned __rseq_size __attribute__((weak));
extern const ptrdiff_t __rseq_offset __attribute__((weak));

static void end_restartable(void)
{
	enum { UNREGISTER = 1, SIGNATURE = 0x53053053, FAILED = -2, CPU_ID = 4 };
	static const unsigned none;
	uint8_t *area;
	int64_t memory;

	if (!&__rseq_size || !&__rseq_offset || !__rseq_size)
		return;
	area = (uint8_t *)__builtin_thread_pointer() + __rseq_offset;
	for (uint64_t bytes = 32; bytes <= 256; bytes += 32)
		if (!tp_sys_failed(
			    tp_sys(SYS_rseq, (uint64_t)area, bytes, UNREGISTER, SIGNATURE, 0, 0)))
			*(int32_t *)(void *)(area + CPU_ID) = FAILED;
	/* The size, which programs read as well, is not writable. */
	memory = tp_sys(SYS_openat, (uint64_t)AT_FDCWD, (uint64_t) "/proc/self/mem",
			O_WRONLY | O_CLOEXEC, 0, 0, 0);
	if (tp_sys_failed(memory))
		return;
	tp_sys(SYS_pwrite64, (uint64_t)memory, (uint64_t)&none, sizeof(none),
	       (uint64_t)&__rseq_size, 0, 0);
	tp_sys(SYS_close, (uint64_t)memory, 0, 0, 0, 0, 0);
}

static void take_over(void)
{
	static const struct tp_calls calls = { tp_agent_enter, tp_signals_requeue };
	struct tp_context *context;

	if (!has_xsave() || has_shadow_stack()) {
		give_up(has_xsave() ? "the program runs with a shadow stack"
				    : "this CPU has no XSAVE");
		return;
	}
	bind_zydis();
	context = tp_context_new(&calls);
	if (!context) {
		give_up("no memory may be both written and executed");
		return;
	}
	context->tid = (uint32_t)tp_sys(SYS_gettid, 0, 0, 0, 0, 0, 0);
	context->shared->tid = context->tid;
	context->shared->runs = 1;
	tp_modules_start();
	tp_signals_start();
	end_restartable();
	tp_agent_shared->state = TP_AGENT_RUNNING;
	tp_take_over(context);
}

/*
 * MPI launchers send their environment to other hosts, and Slurm's daemon starts all tasks with
 * that of srun.
 */
static bool sends_environment(const char *program)
{
	static const char *const names[] = { "srun",	"orterun", "prterun",	   "mpirun",
					     "mpiexec", "aprun",   "mpiexec.hydra" };
	const char *last = program;

	for (const char *c = program; *c; c++)
		if (*c == '/')
			last = c + 1;
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *c = last, *name = names[i];

		while (*c && *c == *name)
			c++, name++;
		if (!*c && !*name)
			return true;
	}
	return false;
}

static void clean(char **env)
{
	int at;

	if (variable(env, TP_AGENT_ENVIRONMENT "=", &at))
		remove_variable(env, at);
	if (variable(env, TP_AGENT_SENT, &at))
		remove_variable(env, at);
	clean_preload(env);
}

__attribute__((constructor)) static void start(int argc __attribute__((unused)),
					       char **argv __attribute__((unused)), char **env)
{
	int at;
	char *name = variable(env, TP_AGENT_ENVIRONMENT "=", &at);

	if (!name)
		return;
	bool counted = tp_process_begin(name, env);
	/* All places are in use now: the variables stay for the images it executes later. */
	if (!counted && tp_agent_tree && tp_agent_tree->lost)
		return;
	if (!counted || !sends_environment(tp_agent_shared->program))
		clean(env);
	if (!counted)
		return;
	if (tp_agent_shared->mode == TP_AGENT_TIME) {
		tp_agent_shared->state = TP_AGENT_RUNNING;
		tp_native_start();
		return;
	}
	find_program(env);
	take_over();
}

/* The caller continues in the cache, with callee-saved registers intact. */
void tp_take_over_from(struct tp_context *context, const uint64_t *kept);
void tp_take_over_from(struct tp_context *context, const uint64_t *kept)
{
	context->gpr[TP_RBX] = kept[5];
	context->gpr[TP_RBP] = kept[4];
	for (unsigned i = 0; i < 4; i++)
		context->gpr[12 + i] = kept[3 - i];
	context->pc = kept[6];
	context->gpr[TP_RSP] = (uint64_t)(kept + 7);
	context->flags = 0x202;
	tp_dispatch(context);
}

__asm__(".text\n"
	".type tp_take_over, @function\n"
	"tp_take_over:\n"
	"	push %rbx\n"
	"	push %rbp\n"
	"	push %r12\n"
	"	push %r13\n"
	"	push %r14\n"
	"	push %r15\n"
	"	mov %rsp, %rsi\n"
	"	sub $8, %rsp\n"
	"	call tp_take_over_from\n"
	".size tp_take_over, . - tp_take_over\n");
