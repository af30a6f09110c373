/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A shared file of the agent that the program wrote over, its beginning or its first place: each 16
 * bytes are an offset and 8 bytes that stand there. Whatever it holds must be read without a crash,
 * with texts that end and counts that add up. clang -fsanitize=fuzzer,address,undefined ... &&
 * ./fuzz_app_shared tests/fuzz/corpus/app_shared
 */
#include <stdint.h>
#include <string.h>

#include "app/tree.h"
#include "base/text.h"
#include "tests/app/stand_in.h"
#include "tests/fuzz/promise.h"

static const struct tp_app_command command = { .words = (char *[]){ "sh", NULL },
					       .functions = (char *[]){ "solve", NULL } };

/* A whole one, so that damage is not all there is. */
static void write_whole(int fd)
{
	const struct tp_agent_sum sum = { .mix = { 100, 5 }, .entries = 2, .exits = 2 };
	struct tp_agent_unit unit = { .add = { 7, 1 }, .bytes = 8, .pc = 0x1000 };
	PUT_HEAD(fd, state, TP_AGENT_ENDED);
	PUT_HEAD(fd, n_regions, 3);
	PUT_HEAD(fd, n_threads, 2);
	PUT_HEAD(fd, n_modules, 1);
	put_region(fd, 2, "other");
	put_module(fd, 0, 0x1000, 0x2000, 0, "/no/such/file");
	for (unsigned i = 0; i < 2; i++) {
		put_thread(fd, i, 1, 2);
		put_sum(fd, i, 2, &sum);
		put_counter(fd, i, 0, 10, 4, &unit);
		unit.pc = 0x9000;
		put_counter(fd, i, 1, 3, 3, &unit);
	}
}

static void check_text(const char *text, size_t size)
{
	must(memchr(text, '\0', size), "a text ends");
	must(!tp_text_fault(text, strlen(text), ""), "a text is clean");
}

static void check_place(int fd)
{
	const struct tp_app_place place = { fd, 0 };
	struct tp_agent_shared *head;
	struct tp_app_regions regions;
	must(tp_app_shared_head(place, &head, NULL) == TP_OK, "the head is read");
	must(tp_app_shared_regions(place, head, 1000, &regions, NULL) == TP_OK, "regions are read");
	struct tp_app_time time = { 0 };
	tp_app_shared_spans(head, 1000, &time);
	for (size_t i = 0; i < time.n_spans; i++) {
		const struct tp_app_span *span = &time.spans[i];
		must(span->thread < TP_APP_THREADS && span->region < TP_APP_REGIONS,
		     "threads and regions exist");
		must(span->seconds >= 0 && span->start + span->seconds <= 1.001e-6,
		     "a region ends after it begins, with the program at the latest");
		check_text(time.names[span->region], sizeof(time.names[0]));
	}
	tp_app_time_release(&time);
	/* The same while it runs. */
	static struct tp_app_follow follow;
	struct tp_app_mark marks[TP_APP_FOLLOWED];
	size_t n_marks, all_marks = 0;
	memset(&follow, 0, sizeof(follow));
	while ((n_marks = tp_app_shared_follow(place, &follow, marks)) > 0) {
		all_marks += n_marks;
		for (size_t i = 0; i < n_marks; i++) {
			must(marks[i].thread < TP_APP_THREADS && marks[i].region < TP_APP_REGIONS,
			     "threads and regions of marks exist");
			check_text(follow.names[marks[i].region], sizeof(follow.names[0]));
		}
	}
	must(all_marks <= TP_AGENT_EVENTS, "there are no more marks than events");
	must(tp_app_shared_untold(place, head) < UINT64_MAX, "lost marks have a number");
	uint64_t all = 0, each = 0;
	for (size_t i = 0; i < regions.n; i++) {
		const struct tp_app_region *r = &regions.items[i];
		check_text(r->name, sizeof(r->name));
		must(r->thread == TP_APP_ALL || r->thread < TP_AGENT_THREADS, "threads exist");
		must(r->seconds >= 0, "time goes on");
		*(r->thread == TP_APP_ALL ? &all : &each) += r->mix[TP_MIX_INSTRUCTIONS];
	}
	must(regions.damaged || all == each, "the sum is that of the threads");
	free(regions.items);
	tp_app_shared_head_free(head);
}

static const char *why(const char *path, struct tp_diag *diag)
{
	(void)path, (void)diag;
	return NULL;
}

static void check_processes(const struct tp_app_process *processes, size_t n)
{
	must(n <= TP_APP_PROGRAMS_MAX + 64 + TP_APP_PROCESSES_MAX, "processes have a bound");
	for (size_t i = 0; i < n; i++) {
		check_text(processes[i].program, sizeof(processes[i].program));
		must(processes[i].wall_seconds >= 0 && processes[i].cpu_seconds >= 0 &&
			     processes[i].mpi_seconds >= 0,
		     "times of processes go on");
	}
}

static void check_notes(const struct tp_diags *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		check_text(notes->items[i].what, sizeof(notes->items[i].what));
}

/* All places added up, as of a run that counts and as of one that is timed. */
static void check_tree(struct tp_app_shared *shared, bool timed)
{
	struct tp_app_counts counts = { 0 };
	struct tp_app_time time = { 0 };
	struct tp_app_tree tree;
	tp_app_tree_init(&tree, &command, shared, timed ? &time : NULL);
	must(tp_app_tree_collect(&tree, true, NULL) == TP_OK, "places are read");
	if (timed)
		tp_app_tree_times(&tree, why);
	else
		tp_app_tree_counts(&tree, &counts, why);
	tp_app_tree_release(&tree);
	for (unsigned i = 0; i < TP_AGENT_PROCESSES; i++)
		must(!shared->tree->taken[i] && !shared->tree->executed[i].pid,
		     "all places are free");
	check_processes(counts.processes, counts.n_processes);
	check_processes(time.processes, time.n_processes);
	check_notes(&counts.notes);
	check_notes(&time.notes);
	for (size_t i = 0; i < counts.n_functions; i++) {
		check_text(counts.functions[i].name, sizeof(counts.functions[i].name));
		check_text(counts.functions[i].module, sizeof(counts.functions[i].module));
	}
	for (size_t i = 0; i < time.n_spans; i++) {
		must(time.spans[i].thread < TP_APP_THREADS && time.spans[i].region < TP_APP_REGIONS,
		     "threads and regions exist");
		check_text(time.names[time.spans[i].region], sizeof(time.names[0]));
	}
	tp_app_counts_release(&counts);
	tp_app_time_release(&time);
}

static void damage(struct tp_app_shared *shared, const uint8_t *data, size_t size)
{
	write_whole(shared->fd);
	shared->tree->taken[0] = 1;
	for (; size >= 16; data += 16, size -= 16) {
		uint64_t offset;
		memcpy(&offset, data, sizeof(offset));
		if (pwrite(shared->fd, data + 8, 8, (off_t)(offset % (TP_AGENT_PLACE_AT(1) - 8))) !=
		    8)
			_exit(99);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tp_app_shared shared;
	must(tp_app_shared_make(&shared, TP_AGENT_COUNT, &command, NULL) == TP_OK, "it is made");
	damage(&shared, data, size);
	check_place(shared.fd);
	check_tree(&shared, false);
	damage(&shared, data, size);
	check_tree(&shared, true);
	tp_app_shared_release(&shared);
	return 0;
}
