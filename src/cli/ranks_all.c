/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run of all ranks is made and written by the first one. */
#include "cli/ranks.h"
#include "base/file.h"
#include "record/load.h"
#include "session/document.h"
#include "session/keep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELL_BYTES = 24 };

struct sums {
	const struct tp_ranks *ranks;
	struct tp_run all;
	const struct tp_run *first; /* of this rank, which is the first one */
	struct tp_run *others; /* of rank r at r - 1 */
	const struct tp_point **points; /* one a rank */
	double *values; /* of point p and rank r at p x size + r; 0 = none */
	bool all_left;
};

static const struct tp_run *run_of(const struct sums *s, unsigned rank)
{
	return rank ? &s->others[rank - 1] : s->first;
}

static void add_rank(struct sums *s, unsigned rank)
{
	const struct tp_run *run = run_of(s, rank);
	for (size_t i = 0; i < run->n_points && i < s->all.n_points; i++)
		if (run->points[i].state == TP_POINT_DONE)
			s->values[i * s->ranks->size + rank] = tp_point_median(&run->points[i]);
	if (rank > 0)
		tp_ranks_sum_add(&s->all, rank, run);
}

/* What a rank has left is its run.json; "" where it ended before it measured. */
static enum tp_status take_left(struct sums *s, unsigned rank, const char *text,
				struct tp_diag *diag)
{
	char name[CELL_BYTES];
	snprintf(name, sizeof(name), "rank %u", rank);
	enum tp_status status =
		*text ? tp_run_parse(&s->others[rank - 1], name, text, strlen(text), diag)
		      : tp_fail(diag, TP_FAILED, name, "see what it says",
				"it ended without results, so there are no sums");
	if (status == TP_OK)
		add_rank(s, rank);
	return status;
}

static enum tp_status gather(struct sums *s, struct tp_ranks *ranks, struct tp_cli_among *among,
			     struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	for (unsigned r = 1; r < ranks->size; r++) {
		struct tp_diag late;
		char *text;
		enum tp_status left = tp_ranks_left(ranks, r, tp_cli_rest, among, &text, &late);
		if (left != TP_OK) {
			*diag = late;
			return left;
		}
		if (status == TP_OK)
			status = take_left(s, r, text, diag);
		free(text);
	}
	s->all_left = true;
	return status;
}

/* Clocks of windows are those of a host. */
static bool on_one_host(const struct sums *s)
{
	const struct tp_fact *own = tp_run_fact(s->first, "machine.hostname");
	for (unsigned r = 1; r < s->ranks->size; r++) {
		const struct tp_fact *other = tp_run_fact(run_of(s, r), "machine.hostname");
		if (!own || !other || strcmp(own->text, other->text) != 0)
			return false;
	}
	return true;
}

/* Where windows tell what all did at the same time, they replace the sums. */
static enum tp_status put_together(struct sums *s, const struct tp_session *session,
				   struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	bool made;
	if (!on_one_host(s))
		return TP_OK;
	for (size_t i = 0; i < s->all.n_points && status == TP_OK; i++) {
		struct tp_point *point = &s->all.points[i];
		if (point->state != TP_POINT_DONE || point->point >= session->plan.n)
			continue;
		const struct tp_planned *planned = &session->plan.items[point->point];
		if (!planned->experiment->together)
			continue;
		for (unsigned r = 0; r < s->ranks->size; r++)
			s->points[r] = tp_run_point(run_of(s, r), point->point);
		status = planned->experiment->together(planned, &session->machine, s->points,
						       s->ranks->size, point, &made, diag);
	}
	return status;
}

static enum tp_status sum_up(struct sums *s, struct tp_ranks *ranks,
			     const struct tp_session *session, const struct tp_run *run,
			     struct tp_cli_among *among, struct tp_diag *diag)
{
	s->first = run;
	s->values = calloc(run->n_points * ranks->size + 1, sizeof(*s->values));
	s->others = calloc(ranks->size, sizeof(*s->others));
	s->points = calloc(ranks->size, sizeof(const struct tp_point *));
	enum tp_status status =
		s->values && s->others && s->points ? tp_ranks_sum_begin(&s->all, run) : TP_NOMEM;
	if (status != TP_OK)
		return tp_fail(diag, status, "ranks", NULL, "%s", tp_status_name(status));
	add_rank(s, 0);
	status = gather(s, ranks, among, diag);
	if (status != TP_OK)
		return status;
	tp_ranks_sum_end(&s->all, ranks->size);
	status = put_together(s, session, diag);
	for (size_t i = 0; i < session->preset.n_runs && status == TP_OK; i++) {
		const char *name = tp_config_text(&session->preset.runs[i], TP_OPT_EXPERIMENT);
		status = tp_experiment_find(name)->reduce(&session->machine, &s->all, (unsigned)i);
		if (status != TP_OK)
			tp_fail(diag, status, name, NULL, "%s", tp_status_name(status));
	}
	return status;
}

static void write_values(const struct sums *s, struct tp_str *csv)
{
	tp_str_add(csv, "point,kernel,unit,all");
	for (unsigned r = 0; r < s->ranks->size; r++)
		tp_str_printf(csv, ",rank_%u", r);
	tp_str_add(csv, "\n");
	for (size_t i = 0; i < s->all.n_points; i++) {
		const struct tp_point *p = &s->all.points[i];
		tp_str_printf(csv, "%u,\"%s\",%s,", p->point, p->kernel, p->unit);
		if (p->state == TP_POINT_DONE)
			tp_str_printf(csv, "%.6g", tp_point_median(p));
		for (unsigned r = 0; r < s->ranks->size; r++) {
			double value = s->values[i * s->ranks->size + r];
			tp_str_add(csv, ",");
			if (value > 0)
				tp_str_printf(csv, "%.6g", value);
		}
		tp_str_add(csv, "\n");
	}
}

/* Beside those of the ranks, or among the user's runs. */
static enum tp_status write_sums(const struct sums *s, const struct tp_cli *cli,
				 const struct tp_session *session, char directory[TP_PATH_MAX],
				 struct tp_diag *diag)
{
	char path[TP_PATH_MAX + CELL_BYTES], name[64], label[64];
	struct tp_str csv = { 0 };
	if (cli->run_dir) /* DIR/rank-0 */
		snprintf(path, sizeof(path), "%.*s/sum",
			 (int)(strrchr(cli->run_dir, '/') - cli->run_dir), cli->run_dir);
	snprintf(label, sizeof(label), "%.40s-sum",
		 tp_keep_name(&session->preset, name, sizeof(name)));
	enum tp_status status =
		tp_rundir_create(cli->run_dir ? path : NULL, label, directory, diag);
	if (status == TP_OK)
		status = tp_rundir_write(directory, &s->all, diag);
	if (status == TP_OK) {
		snprintf(path, sizeof(path), "%s/plots.svg", directory);
		status = tp_document_write(TP_DOCUMENT_SVG, &s->all, path, diag);
	}
	write_values(s, &csv);
	snprintf(path, sizeof(path), "%s/ranks.csv", directory);
	if (status == TP_OK)
		status = csv.oom ? tp_fail(diag, TP_NOMEM, "ranks", NULL, "out of memory")
				 : tp_file_write(path, tp_str_text(&csv), csv.len, diag);
	tp_str_release(&csv);
	return status;
}

char *tp_cli_ranks_end(const struct tp_cli *cli, const struct tp_session *session,
		       struct tp_run *run, tp_ranks_goes_on *goes_on)
{
	struct tp_ranks *ranks = cli->joined;
	struct tp_cli_among among = { goes_on };
	struct sums s = { .ranks = ranks };
	struct tp_str own = { 0 };
	struct tp_diag diag = { 0 };
	char sum[TP_PATH_MAX], *directory = NULL;
	enum tp_status status = tp_run_json_within(run, TP_RANKS_LEFT_BYTES, &own);
	if (status != TP_OK)
		tp_fail(&diag, status, "ranks", NULL, "%s", tp_status_name(status));
	else
		status = tp_ranks_leave(ranks, tp_str_text(&own), tp_cli_rest, &among, &diag);
	tp_str_release(&own);
	if (status == TP_OK && ranks->rank == 0) {
		status = sum_up(&s, ranks, session, run, &among, &diag);
		if (status == TP_OK)
			status = write_sums(&s, cli, session, sum, &diag);
		if (status == TP_OK) {
			tp_run_release(run);
			*run = s.all;
			s.all = (struct tp_run){ 0 };
			tp_run_call(run, sum);
			directory = strdup(sum);
			if (!cli->quiet)
				tp_say("%u ranks at once: rates are sums, times are means; those "
				       "of each rank are in ranks.csv",
				       ranks->size);
		}
	}
	if (s.all_left)
		tp_ranks_tidy(ranks);
	tp_run_release(&s.all);
	for (unsigned r = 1; s.others && r < ranks->size; r++)
		tp_run_release(&s.others[r - 1]);
	free(s.others);
	free(s.points);
	free(s.values);
	if (status != TP_OK)
		tp_complain(&diag);
	return directory;
}
