/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measuring without screens, for --batch, --resume and lessons. */
#include "cli/measure.h"
#include "session/consent.h"
#include "session/session.h"
#include "session/document.h"
#include "session/measure.h"
#include "base/tally.h"
#include "base/memory.h"
#include "record/point.h"
#include "record/load.h"
#include "report/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Set by handlers: the engine stops after the window under way. */
static volatile sig_atomic_t stop_requested;

static void on_stop(int number)
{
	(void)number;
	stop_requested = 1;
}

void tp_batch_heed_signals(void)
{
	struct sigaction old;
	if (sigaction(SIGINT, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
		signal(SIGINT, SIG_DFL);
}

void tp_batch_catch_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_stop }, old;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < TP_COUNT_OF(numbers); i++) {
		/* With nohup the run outlives its terminal. */
		if (numbers[i] == SIGHUP && sigaction(SIGHUP, NULL, &old) == 0 &&
		    old.sa_handler == SIG_IGN)
			continue;
		sigaction(numbers[i], &action, NULL);
	}
	/* If a reader has gone, that one write fails and the run goes on. */
	signal(SIGPIPE, SIG_IGN);
}

struct batch {
	const struct tp_cli *cli;
	struct tp_run run;
	bool events_failed;
	bool events_lost; /* by an error, not by a reader that has gone */
	bool lent; /* a user's program may print: tprof prints nothing */
	bool greeted; /* by the engine: earlier events are not news of a program */
	struct tp_progress progress;
	struct tp_look look;
};

static void complain(struct batch *b, const struct tp_diag *diag)
{
	tp_progress_clear(&b->progress);
	tp_complain(diag);
}

static void on_remark(void *context, const struct tp_diag *diag)
{
	complain(context, diag);
}

static bool goes_on(void)
{
	return !stop_requested;
}

/* The reader of the events has gone: the run ends in good order. */
static void events_fail(struct batch *b)
{
	struct tp_diag diag;
	b->events_failed = true;
	b->events_lost = errno != EPIPE && errno != ECANCELED;
	if (errno == ECANCELED)
		tp_fail(&diag, TP_IO, "--events", NULL,
			"their reader does not read; the last ones are only in the run's journal");
	else
		tp_fail(&diag, TP_IO, "--events", "tprof --resume last goes on with the run",
			"cannot be written any more, so the run stops: %s", strerror(errno));
	complain(b, &diag);
	stop_requested = 1;
}

static void on_event(void *context, const struct tp_event *event, const char *line, size_t len)
{
	struct batch *b = context;
	if (b->cli->events && !b->events_failed &&
	    !tp_write_while(STDOUT_FILENO, line, len, goes_on))
		events_fail(b);
	/* Its first run is over when its next one is timed, or the point has ended. */
	b->greeted |= event->kind == TP_EVENT_HELLO;
	if (b->greeted && (event->kind == TP_EVENT_SAMPLE || event->kind == TP_EVENT_POINT_END))
		b->lent = false;
	b->progress.held = b->lent;
	if (!b->cli->quiet)
		tp_progress_event(&b->progress, event);
}

static void on_tick(void *context)
{
	struct batch *b = context;
	if (!b->cli->quiet)
		tp_progress_tick(&b->progress);
}

/* Checks before the run whether a file can be written. */
static enum tp_status check_output(const char *output, struct tp_diag *diag)
{
	enum tp_status status =
		tp_is_stdout(output) ? TP_OK : tp_file_can_write(TP_TYPED_FILE, output, diag);
	size_t n = strlen(diag->hint);
	if (status != TP_OK)
		snprintf(diag->hint + n, sizeof(diag->hint) - n, "; nothing was measured");
	return status;
}

/* The results that the user requested in addition to the run directory. */
static bool write_outputs(struct batch *b)
{
	const struct tp_cli *cli = b->cli;
	bool json = cli->json || (cli->output && !cli->csv);
	const struct {
		bool wanted;
		enum tp_document kind;
		const char *path;
	} outputs[] = {
		{ cli->svg, TP_DOCUMENT_SVG, cli->svg },
		{ cli->html, TP_DOCUMENT_HTML, cli->html },
		{ cli->json || cli->csv || cli->output,
		  json			   ? TP_DOCUMENT_JSON
		  : cli->csv == TP_CSV_ALL ? TP_DOCUMENT_CSV_ALL
					   : TP_DOCUMENT_CSV,
		  cli->output },
	};
	bool written = true;
	struct tp_diag diag;
	if (cli->papi_file &&
	    tp_document_write_own("papi", &b->run, TP_TYPED_FILE, cli->papi_file, &diag) != TP_OK) {
		complain(b, &diag);
		written = false;
	}
	for (size_t i = 0; i < TP_COUNT_OF(outputs); i++) {
		if (!outputs[i].wanted || tp_document_write(outputs[i].kind, &b->run, TP_TYPED_FILE,
							    outputs[i].path, &diag) == TP_OK)
			continue;
		complain(b, &diag);
		written = false;
	}
	return written;
}

/* Reports why points failed, each reason once. The report has them, too. */
static void tell_failures(const struct tp_run *run)
{
	TP_CLEANUP(tp_tally_release) struct tp_tally reasons = { 0 };
	TP_FREE const struct tp_point **failed = tp_alloc(run->n_points + 1, sizeof(*failed));
	for (size_t i = 0; i < run->n_points; i++)
		if (run->points[i].state == TP_POINT_FAILED) {
			failed[reasons.n_items] = &run->points[i];
			tp_tally_add(&reasons, run->points[i].diag.what);
		}
	for (size_t i = 0; i < reasons.n; i++) {
		const struct tp_tally_group *reason = &reasons.groups[i];
		const struct tp_point *p = failed[reason->first];
		char where[sizeof(p->diag.where)], more[48] = "";
		struct tp_diag diag;
		if (reason->n > 1)
			snprintf(more, sizeof(more), " and %zu more", reason->n - 1);
		snprintf(where, sizeof(where), "point %u (%s%s%s %s)%s", p->point,
			 tp_kernel_row(p)->isa, *tp_kernel_row(p)->precision ? " " : "",
			 tp_kernel_row(p)->precision, p->kernel, more);
		tp_fail(&diag, TP_FAILED, where, p->diag.hint, "%s", p->diag.what);
		tp_complain(&diag);
	}
}

static void report(struct batch *b, const char *directory)
{
	bool wanted = b->cli->report == TP_ALWAYS || b->look.full ||
		      (b->cli->report == TP_AUTO && b->look.terminal);
	TP_STR out = { 0 };
	char simulated[TP_SIMULATED_BYTES + 16];
	if (!wanted || b->cli->quiet)
		tell_failures(&b->run);
	if (b->cli->quiet)
		return;
	if (wanted) {
		tp_document_make(TP_DOCUMENT_REPORT, &b->run, &b->look, &out);
		/*
		 * A program's output does not go where tprof's data go, unless a person reads both.
		 */
		fputs(tp_str_text(&out), b->cli->lends && isatty(STDOUT_FILENO) ? stdout : stderr);
		fflush(stdout);
	}
	tp_fact_simulated(&b->run, simulated, sizeof(simulated));
	tp_say("%zu of %zu points in %.2f s%s%s, saved in %s%s", tp_run_n_done(&b->run),
	       tp_run_n_needed(&b->run), b->run.wall_seconds, *simulated ? ", " : "", simulated,
	       directory,
	       wanted || b->cli->json || b->cli->csv || b->cli->part
		       ? ""
		       : " (--report=always, --csv or --json print them)");
}

/* Data of ours on standard output must not be mixed with what a program prints. */
static int program_output(const struct tp_cli *cli)
{
	bool data = cli->events || (cli->svg && tp_is_stdout(cli->svg)) ||
		    (cli->html && tp_is_stdout(cli->html)) ||
		    ((cli->json || cli->csv) && tp_is_stdout(cli->output));
	return !cli->lends ? -1 : data ? STDERR_FILENO : STDOUT_FILENO;
}

/* Points without a quality (counts, searches) are never poor; their flags make them fair. */
static bool fails(const struct tp_point *p, enum tp_strict strict)
{
	if (p->state != TP_POINT_DONE || strict == TP_STRICT_NOT)
		return false;
	if (p->quality == TP_QUALITY_NONE)
		return strict == TP_STRICT_FAIR && p->flags;
	return p->quality == TP_QUALITY_POOR ||
	       (strict == TP_STRICT_FAIR && p->quality == TP_QUALITY_FAIR);
}

static int judge(const struct batch *b, enum tp_status status)
{
	const int code = tp_session_exit(&b->run, status);
	for (size_t i = 0; i < b->run.n_points && code == TP_EXIT_OK; i++)
		if (fails(&b->run.points[i], b->cli->strict))
			return TP_EXIT_UNSTABLE;
	return code;
}

int tp_batch_measure(const struct tp_cli *cli, struct tp_session *session, struct tp_keep *keep,
		     struct tp_run *earlier)
{
	struct batch b = { .cli = cli, .lent = cli->lends };
	struct tp_measurement measurement = { .session = session,
					      .keep = keep,
					      .earlier = earlier,
					      .control_fd = cli->control ? STDIN_FILENO : -1,
					      .program_output = program_output(cli),
					      .stop = &stop_requested,
					      .context = &b,
					      .event = on_event,
					      .tick = on_tick,
					      .remark = on_remark };
	TP_STR command = { 0 };
	bool written;
	tp_look_init(&b.look, &cli->look, STDERR_FILENO);
	b.look.full = cli->report == TP_FULL;
	tp_progress_start(&b.progress, &b.look);
	b.progress.held = b.lent;
	enum tp_status status = tp_session_measure(&measurement, &b.run, &written);
	tp_progress_clear(&b.progress);
	tp_run_call(&b.run, keep->directory);
	written &= write_outputs(&b);
	report(&b, keep->directory);
	/* How to resume; a program that controls the run prints its own hint. */
	if (status == TP_CANCELLED && !cli->quiet && !cli->control) {
		tp_keep_resume_command(keep->directory, &command);
		tp_say_command(tp_str_text(&command));
	}
	int code = judge(&b, status);
	if (cli->judge && status != TP_CANCELLED)
		code = cli->judge(&b.run, code);
	if (b.events_lost || (!written && code != TP_EXIT_INTERRUPTED))
		code = TP_EXIT_RESOURCE;
	tp_run_release(&b.run);
	return code;
}

/* True if an experiment of the preset makes documents of that ending. */
static bool makes(const struct tp_session *session, const char *ending)
{
	for (size_t i = 0; i < session->preset.n_runs; i++) {
		const struct tp_experiment *e = tp_experiment_find(
			tp_config_text(&session->preset.runs[i], TP_OPT_EXPERIMENT));
		for (size_t k = 0; e && k < e->n_documents; k++)
			if (strcmp(e->documents[k].ending, ending) == 0)
				return true;
	}
	return false;
}

int tp_batch_check(const struct tp_cli *cli, struct tp_session *session)
{
	struct tp_diag diag = { 0 };
	TP_CLEANUP(tp_consent_release) struct tp_consent code = { 0 };
	enum tp_status status = TP_OK;
	tp_consent_add_preset(&code, &session->preset, false);
	if (!tp_consent_given(&code, cli->allow_code))
		return TP_EXIT_USAGE;
	if (session->machine.foreign && !*session->machine.simulated)
		status = tp_fail(&diag, TP_USAGE, "topology",
				 "plan for it with --dry-run, simulate it with --simulate, or "
				 "leave topology out",
				 "%s is another machine: it can be planned for, not measured",
				 session->machine.source);
	const char *const outputs[] = { cli->output, cli->svg, cli->html };
	for (size_t i = 0; i < TP_COUNT_OF(outputs) && status == TP_OK; i++)
		status = check_output(outputs[i], &diag);
	if (status == TP_OK && cli->papi_file && !makes(session, "papi"))
		status = tp_fail(&diag, TP_USAGE, "--papi-file",
				 "it belongs to --classify and to the experiment counters",
				 "this run has no metrics of events");
	if (status == TP_OK)
		status = check_output(cli->papi_file, &diag);
	return status == TP_OK ? tp_cli_check_session(session, cli) : tp_cli_fail(status, &diag);
}
