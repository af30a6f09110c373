/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --batch: plan, engine, journal, results, report. */
#include "cli/cli.h"
#include "cli/batch.h"
#include "cli/facts.h"
#include "cli/knobs.h"
#include "cli/pictures.h"
#include "engine/engine.h"
#include "base/now.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
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

static void catch_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_stop }, old;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < TP_COUNT_OF(numbers); i++) {
		/* nohup: the run outlives its terminal. SIGINT is ignored for every job that a script starts with &: that is no wish. */
		if (numbers[i] == SIGHUP && sigaction(SIGHUP, NULL, &old) == 0 &&
		    old.sa_handler == SIG_IGN)
			continue;
		sigaction(numbers[i], &action, NULL);
	}
	/* A reader that left and a file that may not grow are errors of one write, not the end of the run. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

struct batch {
	const struct tp_cli *cli;
	struct tp_run run;
	struct tp_keep *keep;
	bool events_failed;
	struct tp_progress progress;
	struct tp_look look;
};

static void warn(struct batch *b, enum tp_status status, const char *where, const char *hint,
		 const char *what)
{
	struct tp_diag diag;
	tp_fail(&diag, status, where, hint, "%s", what);
	tp_diags_add(&b->run.diags, &diag);
	tp_progress_clear(&b->progress);
	tp_cli_complain(&diag);
}

/* What the engine could not have and goes on without; each engine of the run says it. */
static void remark(struct batch *b, const struct tp_diag *diag)
{
	for (size_t i = 0; i < b->run.diags.n; i++)
		if (strcmp(b->run.diags.items[i].where, diag->where) == 0 &&
		    strcmp(b->run.diags.items[i].what, diag->what) == 0)
			return;
	tp_diags_add(&b->run.diags, diag);
	tp_progress_clear(&b->progress);
	tp_cli_complain(diag);
}

static void remark_all(struct batch *b, struct tp_diags *diags)
{
	for (size_t i = 0; i < diags->n; i++)
		remark(b, &diags->items[i]);
	tp_diags_release(diags);
	*diags = (struct tp_diags){ 0 };
}

static void on_event(void *context, const struct tp_event *event, const char *line, size_t len)
{
	struct batch *b = context;
	/* Progress is for those who watch, not for the record. */
	if (event->kind != TP_EVENT_PROGRESS && !tp_keep_append(b->keep, line, len))
		warn(b, TP_RESOURCE, "journal",
		     "free some space; the results are still written at the end if that works",
		     strerror(errno));
	if (b->cli->events && !b->events_failed && !tp_write_all(STDOUT_FILENO, line, len)) {
		b->events_failed = true;
		stop_requested = 1; /* nobody listens: end in good order */
	}
	if (event->kind == TP_EVENT_DIAG && event->status == TP_OK)
		remark(b, &event->diag);
	if (event->kind == TP_EVENT_HELLO && event->counter_ghz > 0)
		tp_run_fact_number(&b->run, "machine.counter_ghz", event->counter_ghz);
	if (!b->cli->quiet)
		tp_progress_event(&b->progress, event);
}

/* What -o and --svg name can be written, as far as that can be told before the run. */
static enum tp_status check_output(const char *output, struct tp_diag *diag)
{
	static const char hint[] = "choose another file; nothing was measured";
	char directory[TP_PATH_MAX];
	struct stat st;
	if (!output || strcmp(output, "-") == 0)
		return TP_OK;
	bool there = stat(output, &st) == 0;
	if (there && S_ISDIR(st.st_mode))
		return tp_fail(diag, TP_USAGE, output, hint, "is a directory");
	if (there && !S_ISREG(st.st_mode))
		return TP_OK; /* a device or a pipe */
	if (!tp_copy(directory, sizeof(directory), output))
		return tp_fail(diag, TP_USAGE, output, hint, "path too long");
	char *slash = strrchr(directory, '/');
	if (!slash)
		tp_copy(directory, sizeof(directory), ".");
	else
		slash[slash == directory] = '\0';
	if (access(directory, W_OK | X_OK) == 0)
		return TP_OK;
	return tp_fail(diag, errno == ENOENT || errno == ENOTDIR ? TP_NOTFOUND : TP_PERM, output,
		       hint, "cannot write into %s: %s", directory, strerror(errno));
}

static void reduce(struct batch *b, const struct tp_session *session)
{
	for (size_t i = 0; i < session->preset.n_runs; i++) {
		const char *name = tp_config_text(&session->preset.runs[i], TP_OPT_EXPERIMENT);
		const struct tp_experiment *e = tp_experiment_find(name);
		enum tp_status status = e->reduce(&session->machine, &b->run, (unsigned)i);
		if (status != TP_OK)
			warn(b, status, name, NULL, tp_status_name(status));
	}
}

/* Beside the results, and where the user asked for them. */
static enum tp_status write_pictures(struct batch *b)
{
	struct tp_diag diag;
	enum tp_status status = tp_cli_write_plots(&b->run, b->keep->directory, &diag);
	if (status == TP_OK)
		status = tp_cli_write_metrics(&b->run, b->keep->directory, &diag);
	if (status == TP_OK && b->cli->papi_file)
		status = tp_cli_write_papi(&b->run, b->cli->papi_file, &diag);
	if (status == TP_OK && b->cli->svg)
		status = tp_cli_write_svg(&b->run, b->cli->svg, &diag);
	if (status != TP_OK) {
		tp_progress_clear(&b->progress);
		tp_cli_complain(&diag);
	}
	return status;
}

/* Results go to the run's directory and to where the user asked for them. */
static int write_results(struct batch *b, const struct tp_session *session)
{
	struct tp_diag diag;
	int code = TP_EXIT_OK;
	enum tp_status status = tp_keep_results(b->keep, &session->preset, &b->run, &diag);
	if (diag.what[0]) {
		tp_progress_clear(&b->progress);
		tp_cli_complain(&diag);
	}
	if (status != TP_OK)
		code = TP_EXIT_RESOURCE;
	if (write_pictures(b) != TP_OK)
		code = TP_EXIT_RESOURCE;
	if (!b->cli->json && !b->cli->csv && !b->cli->output)
		return code;
	struct tp_str out = { 0 };
	bool json = b->cli->json || (b->cli->output && !b->cli->csv);
	status = json ? tp_run_json(&b->run, &out) : tp_run_csv(&b->run, &out);
	if (status != TP_OK)
		tp_fail(&diag, status, "results", NULL, "%s", tp_status_name(status));
	else if (b->cli->output && strcmp(b->cli->output, "-") != 0)
		status = tp_file_write(b->cli->output, tp_str_text(&out), out.len, &diag);
	else if (!tp_write_all(STDOUT_FILENO, tp_str_text(&out), out.len))
		status =
			tp_fail(&diag, TP_RESOURCE, "standard output", NULL, "%s", strerror(errno));
	tp_str_release(&out);
	if (status != TP_OK) {
		tp_cli_complain(&diag);
		code = TP_EXIT_RESOURCE;
	}
	return code;
}

/* Why points failed, each reason once; the report has it too. */
static void tell_failures(const struct tp_run *run)
{
	for (size_t i = 0; i < run->n_points; i++) {
		const struct tp_point *p = &run->points[i];
		size_t same = 0;
		bool told = false;
		for (size_t k = 0; k < run->n_points; k++) {
			const struct tp_point *q = &run->points[k];
			if (q->state != TP_POINT_FAILED || strcmp(p->diag.what, q->diag.what) != 0)
				continue;
			told |= k < i;
			same++;
		}
		if (p->state != TP_POINT_FAILED || told)
			continue;
		char where[sizeof(p->diag.where)], more[48] = "";
		struct tp_diag diag;
		if (same > 1)
			snprintf(more, sizeof(more), " and %zu more", same - 1);
		snprintf(where, sizeof(where), "point %u (%s %s %s)%s", p->point, p->isa,
			 p->precision, p->kernel, more);
		tp_fail(&diag, TP_FAILED, where, p->diag.hint, "%s", p->diag.what);
		tp_cli_complain(&diag);
	}
}

static void report(struct batch *b)
{
	bool wanted =
		b->cli->report == TP_ALWAYS || (b->cli->report == TP_AUTO && b->look.terminal);
	struct tp_str out = { 0 };
	if (!wanted || b->cli->quiet)
		tell_failures(&b->run);
	if (b->cli->quiet)
		return;
	if (wanted) {
		tp_report_plots(&b->run, &b->look, &out);
		tp_report_text(&b->run, &b->look, &out);
		fputs(tp_str_text(&out), stderr);
		tp_str_release(&out);
	}
	size_t done = 0;
	for (size_t i = 0; i < b->run.n_points; i++)
		done += b->run.points[i].state == TP_POINT_DONE;
	fprintf(stderr, "tprof: %zu of %zu points in %.2f s, saved in %s%s\n", done,
		b->run.n_points, b->run.wall_seconds, b->keep->directory,
		wanted || b->cli->json || b->cli->csv
			? ""
			: " (--report=always, --csv or --json print them)");
}

static int judge(const struct batch *b, enum tp_status status)
{
	bool skipped = false, flagged = false, any = false;
	if (status == TP_CANCELLED)
		return TP_EXIT_INTERRUPTED;
	for (size_t i = 0; i < b->run.n_points; i++) {
		const struct tp_point *p = &b->run.points[i];
		any |= p->state == TP_POINT_DONE;
		skipped |= p->state != TP_POINT_DONE;
		flagged |= p->state == TP_POINT_DONE && p->flags;
	}
	if (!any)
		return status != TP_OK ? (int)tp_status_exit(status) : TP_EXIT_FAILED;
	/* A run that broke off has results all the same; what it lacks is said, and --resume measures it. */
	if (skipped || status != TP_OK)
		return TP_EXIT_SKIPPED;
	return b->cli->strict && flagged ? TP_EXIT_UNSTABLE : TP_EXIT_OK;
}

int tp_batch_measure(const struct tp_cli *cli, struct tp_session *session, struct tp_keep *keep,
		     struct tp_run *earlier)
{
	struct batch b = { .cli = cli, .keep = keep };
	struct tp_diag diag = { 0 };
	double started = tp_now_seconds(), before = earlier ? earlier->wall_seconds : 0;
	tp_look_init(&b.look, cli, STDERR_FILENO);
	b.progress.look = b.look;
	catch_signals();
	tp_facts_collect(&b.run, session);
	tp_facts_resume(&b.run, earlier);
	struct tp_cli_knobs knobs;
	struct tp_diags refused = { 0 };
	tp_cli_knobs_begin(&knobs, session, &b.run, &refused);
	remark_all(&b, &refused);
	enum tp_status status = tp_keep_begin(keep, &b.run, &diag);
	if (status != TP_OK)
		warn(&b, status, diag.where, diag.hint, diag.what);
	struct tp_engine_sink sink = { .context = &b, .event = on_event };
	struct tp_engine_request request = { .configs = session->preset.runs,
					     .n_configs = session->preset.n_runs,
					     .plan = &session->plan,
					     .machine = &session->machine,
					     .earlier = earlier,
					     .control_fd = cli->control ? STDIN_FILENO : -1,
					     .watched = cli->control,
					     .stop = &stop_requested,
					     .sink = &sink };
	status = tp_engine_run(&request, &b.run, &diag);
	tp_cli_knobs_end(&knobs, &b.run, &refused);
	remark_all(&b, &refused);
	tp_progress_clear(&b.progress);
	if (status != TP_OK && status != TP_CANCELLED) {
		tp_diags_add(&b.run.diags, &diag);
		tp_cli_complain(&diag);
	}
	reduce(&b, session);
	b.run.wall_seconds = before + tp_now_seconds() - started;
	tp_copy(b.run.state, sizeof(b.run.state),
		status == TP_OK		 ? "complete"
		: status == TP_CANCELLED ? "interrupted"
					 : "failed");
	int code = write_results(&b, session);
	report(&b);
	int judged = judge(&b, status);
	if (code == TP_EXIT_OK || judged == TP_EXIT_INTERRUPTED)
		code = judged;
	tp_run_release(&b.run);
	return code;
}

static bool classifies(const struct tp_session *session)
{
	for (size_t i = 0; i < session->preset.n_runs; i++)
		if (strcmp(tp_config_text(&session->preset.runs[i], TP_OPT_EXPERIMENT),
			   "counters") == 0)
			return true;
	return false;
}

int tp_batch_check(const struct tp_cli *cli, const struct tp_session *session)
{
	struct tp_diag diag = { 0 };
	enum tp_status status = TP_OK;
	if (session->machine.foreign)
		status = tp_fail(&diag, TP_USAGE, "topology",
				 "plan for it with --dry-run, or leave topology out",
				 "%s is another machine: it can be planned for, not measured",
				 session->machine.source);
	if (status == TP_OK)
		status = check_output(cli->output, &diag);
	if (status == TP_OK)
		status = check_output(cli->svg, &diag);
	if (status == TP_OK && cli->papi_file && !classifies(session))
		status = tp_fail(&diag, TP_USAGE, "--papi-file",
				 "it belongs to --classify and to the experiment counters",
				 "this run has no metrics of events");
	if (status == TP_OK)
		status = check_output(cli->papi_file, &diag);
	if (status != TP_OK)
		tp_cli_complain(&diag);
	return (int)tp_status_exit(status);
}

int tp_cli_batch(const struct tp_cli *cli)
{
	struct tp_session session;
	struct tp_keep keep = { .journal = -1 };
	struct tp_diag diag = { 0 };
	char name[64];
	int code = tp_session_open(&session, cli, cli->batch, true);
	if (code != TP_EXIT_OK)
		return code;
	code = tp_batch_check(cli, &session);
	if (code != TP_EXIT_OK)
		goto out;
	enum tp_status status = tp_keep_create(&keep, cli->run_dir,
					       tp_keep_name(&session.preset, name, sizeof(name)),
					       &session.preset, &diag);
	if (status != TP_OK) {
		if (!diag.hint[0])
			tp_copy(diag.hint, sizeof(diag.hint),
				"choose another place with --run-dir DIR");
		tp_cli_complain(&diag);
		code = status == TP_USAGE ? TP_EXIT_USAGE : TP_EXIT_RESOURCE;
		goto out;
	}
	code = tp_batch_measure(cli, &session, &keep, NULL);
out:
	tp_keep_close(&keep);
	tp_session_close(&session);
	return code;
}
