/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parent of the child process that asks isl. */
#include "pattern/poly_here.h"

#include "base/now.h"
#include "base/process.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* The time that passes is limited, too, for a child that shares its CPU. */
enum { CHILD_CPU_SECONDS = 10, CHILD_BYTES = 400 << 20, CHILD_WORDS_BYTES = 1 << 20 };
#define CHILD_SECONDS 30.0
#define END_SECONDS   0.5
#define LOOK_SECONDS  0.02

struct task {
	struct tp_poly_asked asked;
	struct tp_poly_found *found;
};

/* isl writes messages of syntax errors to standard error and keeps no other record of them. */
static int work_in_child(int socket __attribute__((unused)), const void *context)
{
	const struct rlimit most = { CHILD_WORDS_BYTES, CHILD_WORDS_BYTES };
	const struct task *task = context;
	struct tp_poly_asked asked = task->asked;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), words = memfd_create("isl", MFD_CLOEXEC);
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	asked.words_fd = words >= 0 && dup2(words, STDERR_FILENO) >= 0 ? words : -1;
	tp_process_limit(CHILD_CPU_SECONDS, CHILD_BYTES);
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &most);
	tp_poly_here(&asked, task->found);
	return 0;
}

static enum tp_status ask_child(const struct task *task, struct tp_diag *diag)
{
	const struct tp_self_child self = {
		.where = "isl", .name = "a child process", .prepare = work_in_child, .context = task
	};
	struct tp_process child;
	TP_STR how = { 0 };
	char *line;
	enum tp_status status = tp_process_start(&child, &self, diag);
	if (status != TP_OK)
		return status;
	double until = tp_now_seconds() + CHILD_SECONDS;
	bool late = true; /* it is silent, and closes its end when done */
	while (late && !tp_stop_asked && tp_now_seconds() < until)
		late = tp_process_line(&child, LOOK_SECONDS, &line, NULL) == TP_PROCESS_QUIET;
	struct tp_process_end end = tp_process_end(&child, late ? 0 : END_SECONDS);
	if (!end.signal && end.code == 0) {
		if (diag)
			*diag = task->found->diag;
		return task->found->status;
	}
	if (late && tp_stop_asked)
		return tp_fail(diag, TP_CANCELLED, "isl", NULL, "cancelled");
	if (late || end.signal == SIGXCPU)
		return tp_fail(diag, TP_RESOURCE, "isl", "make domain and schedule simpler",
			       "isl did not come to an end in %d s", CHILD_CPU_SECONDS);
	tp_process_end_text(end, &how);
	return tp_fail(diag, TP_CRASHED, "isl", "make domain and schedule simpler",
		       "isl %.200s over this domain and schedule", tp_str_text(&how));
}

/* Leaves what was found in new shared memory; the caller unmaps it. */
static enum tp_status ask(const struct tp_poly_asked *asked, struct tp_poly_found **found,
			  struct tp_poly_place *place, struct tp_diag *diag)
{
	struct task task = { .asked = *asked };
	if (place)
		*place = (struct tp_poly_place){ 0 };
	task.found = mmap(NULL, sizeof(*task.found), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (task.found == MAP_FAILED)
		tp_out_of_memory();
	*found = task.found;
	struct tp_poly poly = { .asked = asked, .found = task.found };
	enum tp_status status = tp_poly_check_input(&poly);
	if (status != TP_OK && diag)
		*diag = task.found->diag;
	if (status == TP_OK)
		status = ask_child(&task, diag);
	if (place)
		*place = task.found->place;
	return status;
}

enum tp_status tp_poly_examine(const struct tp_poly_input *input, unsigned questions,
			       struct tp_poly_answers *answers, struct tp_poly_place *place,
			       struct tp_diag *diag)
{
	const struct tp_poly_asked asked = { .input = input, .questions = questions };
	struct tp_poly_found *found;
	if (!questions)
		return TP_OK;
	enum tp_status status = ask(&asked, &found, place, diag);
	if (status == TP_OK) {
		answers->legal = found->legal;
		answers->parallel = found->parallel;
		answers->depth = found->depth;
		tp_str_add_n(&answers->loops, found->loops, found->loops_len);
		tp_str_add(&answers->why_illegal, found->why_illegal);
		tp_str_add(&answers->why_serial, found->why_serial);
	}
	munmap(found, sizeof(*found));
	return status;
}

enum tp_status tp_poly_count(const struct tp_poly_input *input, const struct tp_poly_value *values,
			     size_t n_values, uint64_t *instances, uint64_t *runs,
			     struct tp_poly_place *place, struct tp_diag *diag)
{
	const struct tp_poly_asked asked = { .input = input,
					     .values = values,
					     .n_values = n_values };
	struct tp_poly_found *found;
	enum tp_status status = ask(&asked, &found, place, diag);
	*instances = *runs = 0;
	if (status == TP_OK) {
		*instances = found->instances;
		*runs = found->runs;
	}
	munmap(found, sizeof(*found));
	return status;
}

void tp_poly_answers_release(struct tp_poly_answers *answers)
{
	tp_str_release(&answers->loops);
	tp_str_release(&answers->why_illegal);
	tp_str_release(&answers->why_serial);
	*answers = (struct tp_poly_answers){ 0 };
}
