/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program replaces itself: what comes is still the process that is counted, so the agent is
 * preloaded again. Its children run natively, and their environment has no trace of us.
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include "agent/parts.h"
#include "agent/sys.h"

enum { MOST = 65536, TEXT = 64 * 1024 };

struct environment {
	uint64_t variables[MOST + 4];
	char preload[TEXT + 512], file[512];
};

static const char preload_name[] = "LD_PRELOAD=";

static char *append(char *to, const char *end, const char *text)
{
	while (*text && to + 1 < end)
		*to++ = *text++;
	*to = '\0';
	return to;
}

static bool is_preload(const char *text)
{
	for (unsigned i = 0; i + 1 < sizeof(preload_name); i++)
		if (text[i] != preload_name[i])
			return false;
	return true;
}

/* The program's variables and ours; false: they cannot be read, or there are too many. */
static bool build(struct environment *to, uint64_t from)
{
	const struct tp_agent_shared *shared = tp_agent_shared;
	const char *end = to->preload + sizeof(to->preload);
	char *at = append(to->preload, end, preload_name);
	char begin[sizeof(preload_name)];
	unsigned n = 0;

	at = append(at, end, shared->agent_path);
	for (uint64_t i = 0, variable; from; i++) {
		if (i == MOST || !tp_copy_in(&variable, from + 8 * i, sizeof(variable)))
			return false;
		if (!variable)
			break;
		if (tp_copy_in(begin, variable, sizeof(begin) - 1) && is_preload(begin)) {
			at = append(at, end, ":");
			if (tp_copy_text(at, variable + sizeof(begin) - 1, TEXT) < 0)
				return false;
			continue;
		}
		to->variables[n++] = variable;
	}
	to->variables[n++] = (uint64_t)to->preload;
	at = append(to->file, to->file + sizeof(to->file), TP_AGENT_ENVIRONMENT "=");
	append(at, to->file + sizeof(to->file), shared->file_path);
	to->variables[n++] = (uint64_t)to->file;
	to->variables[n] = 0;
	return true;
}

uint64_t *tp_exec_variables(uint64_t from)
{
	struct environment *ours = tp_memory_map(0, sizeof(*ours), PROT_READ | PROT_WRITE, 0);

	if (ours && tp_agent_shared->agent_path[0] && build(ours, from))
		return ours->variables;
	tp_exec_drop(ours ? ours->variables : NULL);
	return NULL;
}

void tp_exec_drop(uint64_t *variables)
{
	if (variables)
		tp_sys(SYS_munmap, (uint64_t)variables, sizeof(struct environment), 0, 0, 0, 0);
}

/* Returns only if it failed: the result of the kernel. */
int64_t tp_agent_exec(struct tp_context *context)
{
	struct tp_agent_shared *shared = tp_agent_shared;
	const uint64_t *gpr = context->gpr;
	bool at = gpr[TP_RAX] == SYS_execveat;
	uint64_t variables = at ? gpr[10] : gpr[TP_RDX], *ours = tp_exec_variables(variables);
	int64_t result;

	tp_regions_settle_all();
	if (ours)
		variables = (uint64_t)ours;
	/* If nothing takes the new image over, nobody says that it runs. */
	shared->executions++;
	shared->state = TP_AGENT_ABSENT;
	if (at)
		result = tp_sys(SYS_execveat, gpr[TP_RDI], gpr[TP_RSI], gpr[TP_RDX], variables,
				gpr[8], 0);
	else
		result = tp_sys(SYS_execve, gpr[TP_RDI], gpr[TP_RSI], variables, 0, 0, 0);
	shared->state = TP_AGENT_RUNNING;
	shared->executions--;
	tp_exec_drop(ours);
	return result;
}
