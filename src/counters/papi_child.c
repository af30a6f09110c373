/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "counters/papi_parts.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* How long a child that has told everything may take to end. */
#define END_SECONDS 0.25

struct task {
	void (*tell)(FILE *out, const void *context);
	const void *context;
};

/* The child is silent on the terminal. */
static int tell(int socket, const void *context)
{
	const struct task *task = context;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	FILE *out = fdopen(socket, "w");
	if (!out)
		return TP_SELF_NOT_STARTED;
	task->tell(out, task->context);
	return fflush(out) == 0 ? 0 : 1;
}

enum tp_status tp_papi_child_start(struct tp_process *child,
				   void (*telling)(FILE *out, const void *context),
				   const void *context, struct tp_diag *diag)
{
	const struct task task = { telling, context };
	const struct tp_self_child self = {
		.where = "papi", .name = "a child process", .prepare = tell, .context = &task
	};
	return tp_process_start(child, &self, diag);
}

void tp_papi_child_end(struct tp_process *child, char *words, size_t size)
{
	struct tp_process_end end = tp_process_end(child, END_SECONDS);
	if (end.signal)
		snprintf(words, size, "%s", strsignal(end.signal));
	else
		snprintf(words, size, "exit status %d", end.code);
}

void tp_papi_fields(char *line, char **fields, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		fields[i] = line;
		char *tab = strchr(line, '\t');
		if (!tab || i + 1 == n) {
			line += strlen(line);
			continue;
		}
		*tab = '\0';
		line = tab + 1;
	}
}
