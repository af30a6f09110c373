/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tprof --resume: measures what an interrupted run lacks, on the same machine with the same preset.
 */
#include "cli/batch.h"
#include "cli/cluster.h"
#include "record/load.h"

#include <stdlib.h>
#include <string.h>

static int refuse(enum tp_status status, const char *where, const char *hint, const char *what)
{
	struct tp_diag diag;
	tp_fail(&diag, status, where, hint, "%s", what);
	tp_complain(&diag);
	return (int)tp_status_exit(status);
}

/* Finds, locks and reads the run. `path` gets its directory. */
static int open_run(const struct tp_cli *cli, struct tp_keep *keep, struct tp_run *earlier,
		    char path[TP_PATH_MAX])
{
	struct tp_diag diag;
	char name[128];
	if (cli->overrides.n)
		return refuse(TP_USAGE, "--resume",
			      "to change something, start a new run with --batch",
			      "a run goes on with its own preset, so --set cannot change it");
	if (cli->run_dir)
		return refuse(TP_USAGE, "--resume", "leave --run-dir out",
			      "a run goes on in its own directory, so --run-dir cannot change it");
	enum tp_status status = tp_run_find(tp_cli_value(cli), path, &diag);
	if (status == TP_OK && tp_example_called(path, name, sizeof(name)))
		return refuse(TP_USAGE, name, "examples are only read; measure a run of your own",
			      "nothing is missing in this run");
	if (status == TP_OK && tp_is_file(path))
		return refuse(TP_USAGE, path, "give the directory it is in", "not a run directory");
	struct tp_diag unlocked;
	enum tp_status locked = TP_OK;
	if (status == TP_OK && (locked = tp_keep_lock(keep, path, &unlocked)) == TP_RESOURCE) {
		diag = unlocked;
		status = locked;
	}
	if (status == TP_OK)
		status = tp_run_load(earlier, path, &diag);
	/* A directory without a journal may be no run at all, which says more. */
	if (status == TP_OK && locked != TP_OK) {
		diag = unlocked;
		status = locked;
	}
	if (status != TP_OK) {
		tp_complain(&diag);
		return (int)tp_status_exit(status);
	}
	return TP_EXIT_OK;
}

static size_t count_done(const struct tp_run *run)
{
	size_t done = 0;
	for (size_t i = 0; i < run->n_points; i++)
		done += run->points[i].state == TP_POINT_DONE;
	return done;
}

static int resume(const struct tp_cli *cli, struct tp_session *session)
{
	char path[TP_PATH_MAX];
	struct tp_run earlier = { 0 };
	struct tp_keep keep = { .journal = -1 };
	struct tp_diags diags = { 0 };
	struct tp_diag diag;
	tp_batch_heed_signals();
	int code = open_run(cli, &keep, &earlier, path);
	if (code != TP_EXIT_OK)
		goto out;
	enum tp_status status = tp_session_reopen(session, path, &earlier, &diags);
	if (status == TP_OK)
		status = tp_session_fits(session, path, &earlier, &diags);
	code = tp_cli_opened(session, cli, status, &diags);
	if (code == TP_EXIT_OK)
		code = tp_batch_check(cli, session);
	if (code != TP_EXIT_OK)
		goto out;
	tp_cli_estimate(session, cli);
	tp_batch_catch_signals();
	status = tp_keep_reopen(&keep, &diag);
	if (status != TP_OK) {
		tp_complain(&diag);
		code = (int)tp_status_exit(status);
		goto out;
	}
	if (!cli->quiet)
		tp_say("%zu of %zu points are measured, %zu are left", count_done(&earlier),
		       session->plan.n, session->plan.n - count_done(&earlier));
	code = tp_batch_measure(cli, session, &keep, &earlier);
out:
	tp_keep_close(&keep);
	tp_session_close(session);
	tp_run_release(&earlier);
	return code;
}

/* Whoever says "last" is told which it is. `cluster`: its directory, NULL if it is another run. */
static void say_last(const struct tp_cli *cli, const char *cluster)
{
	char path[TP_PATH_MAX];
	const char *at = cluster ? cluster : path, *slash;
	if (cli->quiet || (!cluster && tp_run_find("last", path, NULL) != TP_OK))
		return;
	slash = strrchr(at, '/');
	tp_say("the last run is %s%s", cluster ? "the cluster run " : "", slash ? slash + 1 : at);
}

int tp_cli_resume(const struct tp_cli *cli)
{
	char cluster[TP_PATH_MAX];
	bool is_cluster = tp_cli_is_cluster(tp_cli_value(cli), cluster);
	if (strcmp(tp_cli_value(cli), "last") == 0)
		say_last(cli, is_cluster ? cluster : NULL);
	if (is_cluster)
		return tp_cli_cluster_resume(cli, cluster);
	if (cli->time_limit)
		return refuse(TP_USAGE, "--time-limit", "leave it out",
			      "this is no cluster run: no scheduler has a limit for it");
	/* On the heap: measuring goes deep, and stacks may be small. */
	struct tp_session *session = calloc(1, sizeof(*session));
	struct tp_diag diag;
	if (!session) {
		tp_fail(&diag, TP_NOMEM, NULL, NULL, "out of memory");
		tp_complain(&diag);
		return (int)tp_status_exit(TP_NOMEM);
	}
	int code = resume(cli, session);
	free(session);
	return code;
}
