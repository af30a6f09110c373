/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/ranks.h"
#include "base/file.h"
#include "base/vec.h"
#include "record/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { REST_NS = 2000000, CELL_BYTES = 24 };

struct among {
	tp_ranks_goes_on *goes_on;
};

static bool rest(void *context)
{
	const struct among *among = context;
	const struct timespec pause = { .tv_nsec = REST_NS };
	nanosleep(&pause, NULL);
	return among->goes_on(NULL);
}

/* Where they meet, and who this one is. */
static enum tp_status find(const struct tp_cli *cli, struct tp_ranks *ranks, struct tp_diag *diag)
{
	char launch[128] = "", path[160];
	enum tp_status status = TP_OK;
	ranks->seconds = TP_RANKS_SECONDS;
	if (strcmp(cli->ranks, "auto") == 0)
		status = tp_ranks_environment(ranks, launch, sizeof(launch), diag);
	else
		tp_ranks_parse(cli->ranks, &ranks->rank, &ranks->size);
	if (status != TP_OK)
		return status;
	if (cli->ranks_dir) {
		if (strchr(cli->ranks_dir, '\n') ||
		    !tp_copy(ranks->directory, sizeof(ranks->directory), cli->ranks_dir))
			return tp_fail(diag, TP_USAGE, "--ranks-dir", NULL,
				       "its path is too long, or holds a line break");
		return TP_OK;
	}
	if (!*launch)
		return tp_fail(diag, TP_USAGE, "--ranks",
			       "give all ranks a new directory that they see: --ranks-dir DIR",
			       "nothing names this launch, so the ranks do not know where to meet");
	snprintf(path, sizeof(path), "ranks/%s", launch);
	return tp_path_user_data(path, ranks->directory, diag);
}

/* Each rank has a directory of its own below the one that all were given. */
static enum tp_status run_directory(const struct tp_cli *cli, const struct tp_ranks *ranks,
				    char path[TP_PATH_MAX], struct tp_diag *diag)
{
	int n = snprintf(path, TP_PATH_MAX, "%s/rank-%u", cli->run_dir, ranks->rank);
	if (n < 0 || n >= TP_PATH_MAX)
		return tp_fail(diag, TP_USAGE, "--run-dir", NULL, "its path is too long");
	return tp_dir_make(cli->run_dir, diag);
}

int tp_cli_among_ranks(const struct tp_cli *cli, int (*measure)(const struct tp_cli *cli),
		       tp_ranks_goes_on *goes_on)
{
	struct tp_ranks ranks = { 0 };
	struct among among = { goes_on };
	struct tp_cli own = *cli;
	struct tp_diag diag = { 0 };
	char path[TP_PATH_MAX];
	/* Ranks stay in step: none of them decides alone that a point is worth a second look. */
	static const char *const in_step[] = { "invocations=1", "measure_again=false" };
	char sharers[CELL_BYTES];
	const char **sets = calloc(cli->overrides.n + TP_COUNT_OF(in_step) + 1, sizeof(*sets));
	enum tp_status status = sets ? find(cli, &ranks, &diag)
				     : tp_fail(&diag, TP_NOMEM, "ranks", NULL, "out of memory");
	if (status == TP_OK)
		status = tp_ranks_join(&ranks, rest, &among, &diag);
	if (status == TP_OK)
		status = tp_ranks_take_share(&ranks, &diag);
	if (status == TP_OK && cli->run_dir)
		status = run_directory(cli, &ranks, path, &diag);
	if (status != TP_OK) {
		tp_complain(&diag);
		if (*ranks.launch)
			tp_ranks_leave(&ranks, "", &diag);
		free(sets);
		return (int)tp_status_exit(status);
	}
	for (size_t i = 0; i < cli->overrides.n; i++)
		sets[i] = cli->overrides.sets[i];
	memcpy(sets + cli->overrides.n, in_step, sizeof(in_step));
	snprintf(sharers, sizeof(sharers), "sharers=%u", ranks.host_size);
	sets[cli->overrides.n + TP_COUNT_OF(in_step)] = sharers;
	own.overrides = (struct tp_overrides){ sets, cli->overrides.n + TP_COUNT_OF(in_step) + 1 };
	own.joined = &ranks;
	own.run_dir = cli->run_dir ? path : NULL;
	if (ranks.rank > 0) { /* what all would print to one place is printed by the first */
		own.quiet = true;
		own.json = own.csv = own.events = false;
		own.output = own.svg = own.html = own.papi_file = NULL;
		own.report = TP_NEVER;
	}
	int code = measure(&own);
	/* A rank that ended before it measured leaves, too. */
	if (own.joined && *ranks.launch && !ranks.left)
		tp_ranks_leave(&ranks, "", &diag);
	free(sets);
	return code;
}

/* --- sums --- */

struct sums {
	const struct tp_ranks *ranks;
	const struct tp_run *run;
	double *values; /* of point p and rank r at p x size + r; 0 = none */
	struct tp_str csv;
};

/* What a rank leaves to the first: a line a point, its number and its value. */
static void write_values(const struct tp_run *run, struct tp_str *out)
{
	for (size_t i = 0; i < run->n_points; i++)
		if (run->points[i].state == TP_POINT_DONE)
			tp_str_printf(out, "%zu %.9g\n", i, tp_point_median(&run->points[i]));
}

static void read_values(struct sums *s, unsigned rank, const char *text)
{
	for (const char *line = text; *line;) {
		unsigned long point;
		double value;
		if (sscanf(line, "%lu %lf", &point, &value) == 2 && point < s->run->n_points &&
		    value > 0 && value < 1e18)
			s->values[point * s->ranks->size + rank] = value;
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
}

/* A rate of all is the sum of theirs, a time their mean. False: not all have measured the point. */
static bool whole(const struct sums *s, size_t point, double *value)
{
	const double *values = s->values + point * s->ranks->size;
	*value = 0;
	for (unsigned r = 0; r < s->ranks->size; r++) {
		if (!(values[r] > 0))
			return false;
		*value += values[r];
	}
	if (s->run->points[point].less_is_better)
		*value /= s->ranks->size;
	return true;
}

static void tell(struct sums *s, bool quiet)
{
	tp_str_add(&s->csv, "point,kernel,unit,all");
	for (unsigned r = 0; r < s->ranks->size; r++)
		tp_str_printf(&s->csv, ",rank_%u", r);
	tp_str_add(&s->csv, "\n");
	if (!quiet)
		tp_say("%u ranks at once; rates are sums, times are means:", s->ranks->size);
	for (size_t i = 0; i < s->run->n_points; i++) {
		const struct tp_point *p = &s->run->points[i];
		const double *values = s->values + i * s->ranks->size;
		double all, least = values[0], most = values[0];
		bool complete = whole(s, i, &all);
		tp_str_printf(&s->csv, "%u,\"%s\",%s,", p->point, p->kernel, p->unit);
		if (complete)
			tp_str_printf(&s->csv, "%.6g", all);
		for (unsigned r = 0; r < s->ranks->size; r++) {
			tp_str_add(&s->csv, ",");
			if (values[r] > 0)
				tp_str_printf(&s->csv, "%.6g", values[r]);
			least = TP_MIN(least, values[r]);
			most = TP_MAX(most, values[r]);
		}
		tp_str_add(&s->csv, "\n");
		if (quiet)
			continue;
		if (complete)
			tp_say("  point %u %s: %.4g %s (a rank %.4g to %.4g)", p->point, p->kernel,
			       all, p->unit, least, most);
		else
			tp_say("  point %u %s: not measured by every rank", p->point, p->kernel);
	}
}

static enum tp_status gather(struct sums *s, struct tp_ranks *ranks, struct among *among,
			     struct tp_diag *diag)
{
	for (unsigned r = 0; r < ranks->size; r++) {
		char *text;
		enum tp_status status = tp_ranks_left(ranks, r, rest, among, &text, diag);
		if (status != TP_OK)
			return status;
		read_values(s, r, text);
		free(text);
	}
	return TP_OK;
}

void tp_cli_ranks_end(const struct tp_cli *cli, const struct tp_run *run, const char *directory,
		      tp_ranks_goes_on *goes_on)
{
	struct tp_ranks *ranks = cli->joined;
	struct among among = { goes_on };
	struct sums s = { .ranks = ranks, .run = run };
	struct tp_str own = { 0 };
	struct tp_diag diag = { 0 };
	char path[TP_PATH_MAX + CELL_BYTES];
	write_values(run, &own);
	enum tp_status status = tp_ranks_leave(ranks, tp_str_text(&own), &diag);
	tp_str_release(&own);
	if (status == TP_OK && ranks->rank == 0) {
		s.values = calloc(run->n_points * ranks->size + 1, sizeof(*s.values));
		status = s.values ? gather(&s, ranks, &among, &diag)
				  : tp_fail(&diag, TP_NOMEM, "ranks", NULL, "out of memory");
		if (status == TP_OK) {
			tell(&s, cli->quiet);
			snprintf(path, sizeof(path), "%s/ranks.csv", directory);
			tp_file_make_way(path);
			status = s.csv.oom
					 ? tp_fail(&diag, TP_NOMEM, "ranks", NULL, "out of memory")
					 : tp_file_write(path, tp_str_text(&s.csv), s.csv.len,
							 &diag);
			tp_ranks_tidy(ranks);
		}
		free(s.values);
		tp_str_release(&s.csv);
	}
	if (status != TP_OK)
		tp_complain(&diag);
}
