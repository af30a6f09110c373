/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprof --resume: what an interrupted run still lacks, and nothing else, on the same machine with the same preset. */
#include "cli/batch.h"
#include "cli/facts.h"
#include "record/load.h"

#include <string.h>

static int refuse(enum tp_status status, const char *where, const char *hint, const char *what)
{
	struct tp_diag diag;
	tp_fail(&diag, status, where, hint, "%s", what);
	tp_cli_complain(&diag);
	return (int)tp_status_exit(status);
}

/* Finds and reads the run; its directory in `path`. */
static int open_run(const struct tp_cli *cli, struct tp_run *earlier, char path[TP_PATH_MAX])
{
	struct tp_diag diag;
	if (cli->n_sets)
		return refuse(TP_USAGE, "--resume", "measure anew with --batch to change something",
			      "a run goes on with its own preset; --set has no place");
	if (cli->run_dir)
		return refuse(TP_USAGE, "--resume", "leave --run-dir out",
			      "a run goes on in its own directory");
	enum tp_status status = tp_run_find(cli->resume, path, &diag);
	if (status == TP_OK && tp_is_file(path))
		return refuse(TP_USAGE, path, "give the directory it is in", "not a run directory");
	if (status == TP_OK)
		status = tp_run_load(earlier, path, &diag);
	if (status != TP_OK) {
		tp_cli_complain(&diag);
		return (int)tp_status_exit(status);
	}
	if (strcmp(earlier->state, "running") == 0)
		return refuse(TP_RESOURCE, path, "wait for its end, or stop it first",
			      "another tprof is measuring this run");
	return TP_EXIT_OK;
}

/* Two machines do not make one measurement. */
static int check_machine(const struct tp_session *session, const struct tp_run *earlier,
			 const char *path)
{
	struct tp_run now = { 0 };
	struct tp_diags diags = { 0 };
	tp_facts_collect(&now, session);
	tp_facts_differ(earlier, &now, &diags);
	tp_run_release(&now);
	tp_cli_complain_all(&diags);
	size_t n = diags.n;
	tp_diags_release(&diags);
	if (n)
		return refuse(TP_USAGE, path, "measure anew with --batch, then --compare",
			      "was measured on another machine, or this one changed");
	return TP_EXIT_OK;
}

/* A search learns its library and its size only when it is run: "dgemm" is planned, "dgemm/openblas" found. */
static bool same_kernel(const struct tp_point *found, const struct tp_point *planned)
{
	size_t n = strlen(planned->kernel);
	return strncmp(found->kernel, planned->kernel, n) == 0 &&
	       (found->kernel[n] == '\0' || (planned->technique[0] && found->kernel[n] == '/'));
}

static bool same_point(const struct tp_point *a, const struct tp_point *b)
{
	return a->run == b->run && strcmp(a->experiment, b->experiment) == 0 &&
	       strcmp(a->isa, b->isa) == 0 && strcmp(a->precision, b->precision) == 0 &&
	       a->threads == b->threads && strcmp(a->cpus, b->cpus) == 0 &&
	       strcmp(a->level, b->level) == 0 &&
	       (b->technique[0] || a->working_set_bytes == b->working_set_bytes) &&
	       strcmp(a->fp_op, b->fp_op) == 0 && a->best_ratio == b->best_ratio &&
	       a->pause_cycles == b->pause_cycles &&
	       strcmp(a->pages_wanted, b->pages_wanted) == 0 &&
	       strcmp(a->technique, b->technique) == 0 && strcmp(a->scope, b->scope) == 0 &&
	       (a->best_ratio || same_kernel(a, b));
}

/* What was measured must be points of today's plan. A new version of tprof, or other limits of the process, may plan otherwise. */
static int check_plan(const struct tp_session *session, const struct tp_run *earlier,
		      const char *path)
{
	for (size_t i = 0; i < earlier->n_points; i++)
		if (earlier->points[i].state == TP_POINT_DONE &&
		    (i >= session->plan.n ||
		     !same_point(&earlier->points[i], &session->plan.items[i].point)))
			return refuse(TP_USAGE, path, "measure anew with --batch",
				      "its preset is planned differently now (another version of "
				      "tprof, other CPUs allowed): the points do not fit together");
	return TP_EXIT_OK;
}

static size_t count_done(const struct tp_run *run)
{
	size_t done = 0;
	for (size_t i = 0; i < run->n_points; i++)
		done += run->points[i].state == TP_POINT_DONE;
	return done;
}

int tp_cli_resume(const struct tp_cli *cli)
{
	char path[TP_PATH_MAX], preset[TP_PATH_MAX + 16];
	struct tp_run earlier = { 0 };
	struct tp_session session = { 0 };
	struct tp_keep keep = { .journal = -1 };
	struct tp_diag diag;
	int code = open_run(cli, &earlier, path);
	if (code != TP_EXIT_OK)
		goto out;
	const struct tp_fact *available = tp_run_fact(&earlier, "machine.available_bytes");
	snprintf(preset, sizeof(preset), "%s/preset.yaml", path);
	code = tp_session_reopen(&session, cli, preset, available ? available->number : 0);
	if (code == TP_EXIT_OK)
		code = check_machine(&session, &earlier, path);
	if (code == TP_EXIT_OK)
		code = check_plan(&session, &earlier, path);
	if (code == TP_EXIT_OK)
		code = tp_batch_check(cli, &session);
	if (code != TP_EXIT_OK)
		goto out;
	enum tp_status status = tp_keep_reopen(&keep, path, &diag);
	if (status != TP_OK) {
		tp_cli_complain(&diag);
		code = (int)tp_status_exit(status);
		goto out;
	}
	if (!cli->quiet)
		fprintf(stderr, "tprof: %zu of %zu points are there, %zu to measure\n",
			count_done(&earlier), session.plan.n,
			session.plan.n - count_done(&earlier));
	code = tp_batch_measure(cli, &session, &keep, &earlier);
out:
	tp_keep_close(&keep);
	tp_session_close(&session);
	tp_run_release(&earlier);
	return code;
}
