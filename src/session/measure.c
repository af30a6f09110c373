/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/measure.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/now.h"
#include "base/memory.h"
#include "machine/knobs_held.h"
#include "mining/from_run.h"
#include "record/load.h"
#include "record/rundir.h"
#include "session/document.h"
#include "session/facts.h"
#include "session/learned.h"

/*
 * The knobs of the machine around a run. Those of the system are set before the engine starts and
 * put back after it; the engine sets those of its process. All are recorded as knobs.<name>.before,
 * .wanted and .got.
 */
struct run_knobs {
	struct tp_knobs knobs;
	struct tp_held held;
	const struct tp_config *config; /* borrowed */
};

static const struct tp_option *const options[TP_KNOB_COUNT] = {
	[TP_KNOB_GOVERNOR] = TP_OPT_KNOBS_GOVERNOR,
	[TP_KNOB_FREQUENCY] = TP_OPT_KNOBS_FREQUENCY,
	[TP_KNOB_TURBO] = TP_OPT_KNOBS_TURBO,
	[TP_KNOB_THP] = TP_OPT_KNOBS_THP,
	[TP_KNOB_NUMA_BALANCING] = TP_OPT_KNOBS_NUMA_BALANCING,
	[TP_KNOB_SCHEDULER] = TP_OPT_KNOBS_SCHEDULER,
	[TP_KNOB_PRIORITY] = TP_OPT_KNOBS_PRIORITY,
};

static const char *wanted_of(const struct run_knobs *k, enum tp_knob_id id)
{
	return tp_config_text(k->config, options[id]);
}

static bool is_wanted(const struct run_knobs *k, enum tp_knob_id id)
{
	return strcmp(wanted_of(k, id), TP_KNOB_KEEP) != 0;
}

static void fact(struct tp_run *run, enum tp_knob_id id, const char *what, const char *text)
{
	char key[64];
	snprintf(key, sizeof(key), "knobs.%s.%s", tp_knob_table[id].name, what);
	if (*text)
		tp_run_fact_text(run, key, "%s", text);
}

/*
 * The state of a knob of the system, or of this process, whose child, the engine, begins with the
 * same.
 */
static void state_of(const struct run_knobs *k, enum tp_knob_id id, bool before, struct tp_str *out)
{
	if (id == TP_KNOB_SCHEDULER)
		tp_scheduler_words(k->knobs.root, out);
	else if (id == TP_KNOB_PRIORITY)
		tp_priority_words(out);
	else
		tp_knobs_words(&k->knobs, id, before, out);
}

static void record_state(const struct run_knobs *k, struct tp_run *run, bool before)
{
	for (enum tp_knob_id id = 0; id < TP_KNOB_COUNT; id++) {
		TP_STR text = { 0 };
		if (!before && (tp_knob_table[id].process || !is_wanted(k, id)))
			continue;
		state_of(k, id, before, &text);
		fact(run, id, before ? "before" : "got", tp_str_text(&text));
		if (before && is_wanted(k, id))
			fact(run, id, "wanted", wanted_of(k, id));
	}
}

static void plan_knobs(struct run_knobs *k, const struct tp_session *session,
		       struct tp_diags *diags)
{
	const struct tp_machine *machine = &session->machine;
	struct tp_diag diag;
	size_t n = 0;
	TP_FREE unsigned *cpus = tp_alloc(machine->n_pus + 1, sizeof(*cpus));
	for (size_t i = 0; i < machine->n_pus; i++)
		if (machine->pus[i].allowed)
			cpus[n++] = machine->pus[i].os_index;
	for (enum tp_knob_id id = 0; id < TP_KNOB_COUNT; id++) {
		if (tp_knob_table[id].process)
			continue;
		/* A knob that is only read may be missing. */
		if (tp_knobs_plan(&k->knobs, id, wanted_of(k, id), cpus, n, &diag) == TP_OK ||
		    !is_wanted(k, id))
			continue;
		tp_diags_add(diags, &diag);
		tp_knobs_plan(&k->knobs, id, TP_KNOB_KEEP, cpus, n, NULL);
	}
}

/*
 * Refused knobs are reported in `diags`; the run goes on without them. Call run_knobs_end in any
 * case.
 */
static void run_knobs_begin(struct run_knobs *k, const struct tp_session *session,
			    struct tp_run *run, struct tp_diags *diags)
{
	struct tp_diag diag;
	*k = (struct run_knobs){ .knobs.root = tp_knobs_sysroot(),
				 .held = { .record = -1, .line = -1, .keeper = -1 },
				 .config = &session->preset.runs[0] };
	if (*session->machine.simulated) {
		/*
		 * This machine is not measured: its knobs stay as they are, and are not facts of
		 * the run.
		 */
		for (enum tp_knob_id id = 0; id < TP_KNOB_COUNT; id++) {
			if (!is_wanted(k, id))
				continue;
			tp_fail(&diag, TP_UNSUPPORTED, options[id]->key, NULL,
				"a simulated machine has no knobs; it stays as it is");
			tp_diags_add(diags, &diag);
		}
		k->config = NULL;
		return;
	}
	plan_knobs(k, session, diags);
	if (tp_knobs_any(&k->knobs)) {
		if (tp_held_take(&k->held, &k->knobs, diags, &diag) == TP_OK)
			tp_knobs_set(&k->knobs, diags);
		else
			tp_diags_add(diags, &diag);
	}
	record_state(k, run, true);
	record_state(k, run, false);
}

/*
 * Puts everything back and completes the facts. Call it when run->diags holds the remarks of the
 * engine.
 */
static void run_knobs_end(struct run_knobs *k, struct tp_run *run, struct tp_diags *diags)
{
	if (!k->config)
		return;
	for (enum tp_knob_id id = 0; id < TP_KNOB_COUNT; id++) {
		TP_STR text = { 0 };
		char where[64];
		bool refused = false;
		if (!tp_knob_table[id].process || !is_wanted(k, id))
			continue;
		double share = tp_realtime_share(k->knobs.root);
		/* The engine has reported which of its own knobs were refused. */
		snprintf(where, sizeof(where), "knobs.%s", tp_knob_table[id].name);
		for (size_t i = 0; i < run->diags.n; i++)
			refused |= strcmp(run->diags.items[i].where, where) == 0;
		if (refused)
			state_of(k, id, true, &text);
		else
			tp_str_add(&text, wanted_of(k, id));
		if (id == TP_KNOB_SCHEDULER && strcmp(tp_str_text(&text), "fifo") == 0 && share > 0)
			tp_str_printf(&text, " 1, at most %.3g %% of the time", share * 100);
		fact(run, id, "got", tp_str_text(&text));
	}
	tp_held_give(&k->held, &k->knobs, diags);
	tp_knobs_release(&k->knobs);
}

static bool path_of(const char *directory, size_t stream, char path[TP_PATH_MAX])
{
	int n = snprintf(path, TP_PATH_MAX, "%s/%s", directory, tp_printed_file(stream));
	return n > 0 && n < TP_PATH_MAX;
}

void tp_printed_begin(struct tp_printed *printed, const char *directory,
		      const struct tp_run *earlier)
{
	printed->fd = tp_output_make();
	printed->output = printed->fd >= 0 ? tp_output_map(printed->fd) : NULL;
	if (!printed->output)
		tp_printed_release(printed);
	for (size_t i = 0; printed->output && earlier && i < TP_OUTPUT_STREAMS; i++) {
		uint64_t cut = tp_run_printed_cut(earlier, i);
		char path[TP_PATH_MAX], *text = NULL;
		size_t len = 0;
		int fd;

		/* The file of a resumed run: not through a link in a foreign run. */
		if (!path_of(directory, i, path) ||
		    tp_file_open(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW, &fd, NULL) != TP_OK)
			return;
		if (tp_stream_read(fd, path, TP_OUTPUT_BYTES, &text, &len, NULL) == TP_OK) {
			tp_output_add(printed->output, i, text, len);
			printed->output->stream[i].lost = cut;
		}
		free(text);
		close(fd);
	}
}

static uint64_t length(const struct tp_output *output, size_t stream)
{
	return TP_MIN(output->stream[stream].n, (uint64_t)TP_OUTPUT_BYTES);
}

void tp_printed_tell(const struct tp_printed *printed, struct tp_run *run)
{
	const struct tp_output *output = printed->output;
	for (size_t i = 0; output && i < TP_OUTPUT_STREAMS; i++)
		if (length(output, i))
			tp_run_printed_set(run, i, length(output, i), output->stream[i].lost);
}

enum tp_status tp_printed_write(const struct tp_printed *printed, const struct tp_keep *keep,
				struct tp_diag *diag)
{
	const struct tp_output *output = printed->output;
	enum tp_status status = TP_OK;
	for (size_t i = 0; output && i < TP_OUTPUT_STREAMS && status == TP_OK; i++) {
		char path[TP_PATH_MAX];
		if (!length(output, i))
			continue;
		if (!path_of(keep->directory, i, path))
			return tp_fail(diag, TP_USAGE, keep->directory, NULL, "path too long");
		status = tp_file_write(keep->typed, path, output->stream[i].text, length(output, i),
				       diag);
	}
	return status;
}

void tp_printed_release(struct tp_printed *printed)
{
	tp_output_unmap(printed->output);
	if (printed->fd >= 0)
		close(printed->fd);
	*printed = (struct tp_printed){ .fd = -1 };
}

struct measuring {
	const struct tp_measurement *m;
	struct tp_run *run;
	struct tp_reused reused;
	size_t told; /* remarks of the run that the listener already has */
	double engines_seconds, last_t; /* time of earlier engines, and of this one so far */
};

/* Passes new remarks to the listener. */
static void tell_new(struct measuring *s)
{
	while (s->told < s->run->diags.n)
		s->m->remark(s->m->context, &s->run->diags.items[s->told++]);
}

static void add_remark(struct measuring *s, enum tp_status status, const char *where,
		       const char *hint, const char *what)
{
	struct tp_diag diag;
	tp_fail(&diag, status, where, hint, "%s", what);
	tp_run_remark(s->run, &diag);
	tell_new(s);
}

static void add_remarks(struct measuring *s, struct tp_diags *diags)
{
	for (size_t i = 0; i < diags->n; i++)
		tp_run_remark(s->run, &diags->items[i]);
	tell_new(s);
	tp_diags_release(diags);
	*diags = (struct tp_diags){ 0 };
}

static void on_event(void *context, const struct tp_event *event, const char *line, size_t len)
{
	struct measuring *s = context;
	/* The journal has no progress: it is only for watchers. */
	if (event->kind != TP_EVENT_PROGRESS && !tp_keep_append(s->m->keep, line, len))
		add_remark(
			s, TP_RESOURCE, "journal",
			"free some space; the results are still written at the end if that works",
			strerror(errno));
	if (event->t > 0) { /* the parent's own events have no time */
		s->engines_seconds += event->t < s->last_t ? s->last_t : 0;
		s->last_t = event->t;
	}
	/* A point that was measured again no longer belongs to the other run. */
	if (event->kind == TP_EVENT_POINT_END && event->t > 0 && s->reused.points)
		s->reused.points[event->point.point].state = TP_POINT_PLANNED;
	if (event->kind == TP_EVENT_HELLO && event->counter_ghz > 0)
		tp_run_fact_number(s->run, "machine.counter_ghz", event->counter_ghz);
	s->m->event(s->m->context, event, line, len);
	tell_new(s);
}

static void on_tick(void *context)
{
	const struct measuring *s = context;
	if (s->m->tick)
		s->m->tick(s->m->context);
}

static void on_wait(void *context, int fd, int ms)
{
	const struct measuring *s = context;
	s->m->wait(s->m->context, fd, ms);
}

/* The results are already written at this point, so remarks are not among them. */
static bool write_results(struct measuring *s, const struct tp_printed *printed)
{
	struct tp_keep *keep = s->m->keep;
	char path[TP_PATH_MAX + 32];
	struct tp_diag diag;
	bool written = tp_keep_results(keep, &s->m->session->preset, s->run, &diag) == TP_OK;
	if (diag.what[0])
		s->m->remark(s->m->context, &diag);
	snprintf(path, sizeof(path), "%s/plots.svg", keep->directory);
	if (tp_document_write(TP_DOCUMENT_SVG, s->run, keep->typed, path, &diag) != TP_OK) {
		s->m->remark(s->m->context, &diag);
		written = false;
	}
	if (tp_printed_write(printed, keep, &diag) != TP_OK) {
		s->m->remark(s->m->context, &diag);
		written = false;
	}
	const struct tp_experiment_document *own;
	for (size_t i = 0; (own = tp_document_own(i)); i++) {
		if (!own->file || !own->has(s->run))
			continue;
		snprintf(path, sizeof(path), "%s/%s", keep->directory, own->file);
		if (tp_document_write_own(own->ending, s->run, keep->typed, path, &diag) == TP_OK)
			continue;
		s->m->remark(s->m->context, &diag);
		written = false;
	}
	return written;
}

/* Which points were finished before this process. Asked before the engine takes them over. */
static bool *old_points(const struct tp_measurement *m)
{
	bool *old = tp_alloc(m->session->plan.n + 1, sizeof(*old));
	for (size_t i = 0; m->earlier && i < m->earlier->n_points && i < m->session->plan.n; i++)
		old[i] = m->earlier->points[i].state == TP_POINT_DONE;
	return old;
}

/* Points taken from another run, and facts about it. A resumed run keeps what it has. */
static void find_reused(struct measuring *s)
{
	static const char *const keys[] = { TP_REUSED_RUN, TP_REUSED_STARTED, TP_REUSED_PART };
	const struct tp_run *earlier = s->m->earlier;
	struct tp_diag diag;
	for (size_t i = 0; earlier && i < TP_COUNT_OF(keys); i++)
		if (tp_run_fact(earlier, keys[i]))
			tp_run_fact_text(s->run, keys[i], "%s",
					 tp_run_fact(earlier, keys[i])->text);
	if (earlier && tp_run_fact(earlier, TP_REUSED_RUN))
		return;
	enum tp_status status = tp_reuse_find(&s->reused, s->m->session, s->run, &diag);
	if (status != TP_OK)
		add_remark(s, status, diag.where, "they are measured instead", diag.what);
	for (size_t i = 0; earlier && s->reused.points && i < earlier->n_points; i++)
		if (earlier->points[i].state == TP_POINT_DONE)
			s->reused.points[i].state = TP_POINT_PLANNED;
	tp_reuse_tell(&s->reused, s->m->session, s->run);
}

enum tp_status tp_session_measure(const struct tp_measurement *m, struct tp_run *run, bool *written)
{
	struct measuring s = { .m = m, .run = run };
	const struct tp_session *session = m->session;
	struct run_knobs knobs;
	struct tp_diags refused = { 0 }, doubts = { 0 };
	struct tp_diag diag = { 0 };
	TP_CLEANUP(tp_printed_release) struct tp_printed printed = { .fd = -1 };
	double started = tp_now_seconds(), before = m->earlier ? m->earlier->wall_seconds : 0;
	tp_facts_collect(run, session);
	tp_facts_resume(run, m->earlier);
	run_knobs_begin(&knobs, session, run, &refused);
	add_remarks(&s, &refused);
	find_reused(&s);
	enum tp_status status = tp_keep_begin(m->keep, run, &diag);
	if (status != TP_OK)
		add_remark(&s, status, diag.where, diag.hint, diag.what);
	if (m->program_output < 0)
		tp_printed_begin(&printed, m->keep->directory, m->earlier);
	struct tp_engine_sink sink = {
		.context = &s, .event = on_event, .tick = on_tick, .wait = m->wait ? on_wait : NULL
	};
	struct tp_engine_request request = { .configs = session->preset.runs,
					     .n_configs = session->preset.n_runs,
					     .plan = &session->plan,
					     .machine = &session->machine,
					     .earlier = m->earlier,
					     .known = s.reused.points,
					     .improves_known = s.reused.improves,
					     .control_fd = m->control_fd,
					     .program_output = m->program_output,
					     .program_kept = printed.fd,
					     .wishes = m->wishes,
					     .watched = m->control_fd >= 0 || m->wishes,
					     .stop = m->stop,
					     .sink = &sink };
	TP_FREE bool *old = old_points(m);
	status = tp_engine_run(&request, run, &diag);
	run_knobs_end(&knobs, run, &refused);
	add_remarks(&s, &refused);
	if (status != TP_OK && status != TP_CANCELLED)
		add_remark(&s, status, diag.where, diag.hint, diag.what);
	tp_run_reduce(&session->machine, run, true);
	tp_run_derived_doubts(run, &doubts);
	add_remarks(&s, &doubts);
	run->wall_seconds = before + (*session->machine.simulated ? s.engines_seconds + s.last_t
								  : tp_now_seconds() - started);
	tp_reuse_tell(&s.reused, session, run);
	for (size_t i = 0; s.reused.points && i < session->plan.n; i++)
		old[i] |= s.reused.points[i].state == TP_POINT_DONE;
	tp_learned_take(&session->plan, &session->machine, run, old);
	tp_copy(run->state, sizeof(run->state),
		status == TP_OK		 ? "complete"
		: status == TP_CANCELLED ? "interrupted"
					 : "failed");
	tp_printed_tell(&printed, run);
	*written = write_results(&s, &printed);
	tp_reuse_release(&s.reused);
	return status;
}

int tp_session_exit(const struct tp_run *run, enum tp_status status)
{
	const size_t done = tp_run_n_done(run);
	if (status == TP_CANCELLED)
		return TP_EXIT_INTERRUPTED;
	if (!done)
		return status != TP_OK ? (int)tp_status_exit(status) : TP_EXIT_FAILED;
	/* A run that broke off still has results. --resume measures the rest. */
	return done < tp_run_n_needed(run) || status != TP_OK ? TP_EXIT_SKIPPED : TP_EXIT_OK;
}

enum tp_status tp_session_continue(struct tp_session *session, struct tp_keep *keep,
				   struct tp_run *earlier, const char *path, struct tp_diags *diags)
{
	struct tp_diag diag, unlocked;
	/* Without a journal it may not be a run directory: that error is the better one. */
	enum tp_status locked = tp_keep_lock(keep, path, &unlocked), status = locked;
	if (locked != TP_RESOURCE)
		status = tp_run_load(earlier, path, &diag);
	if (status == TP_OK || locked == TP_RESOURCE) {
		status = locked;
		diag = unlocked;
	}
	if (status != TP_OK) {
		tp_diags_add(diags, &diag);
		return status;
	}
	status = tp_session_reopen(session, path, earlier, diags);
	return status == TP_OK ? tp_session_fits(session, path, earlier, diags) : status;
}
