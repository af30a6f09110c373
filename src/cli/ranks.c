/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/ranks.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/vec.h"
#include "record/kernel_row.h"
#include "record/load.h"
#include "session/document.h"
#include "session/keep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { REST_NS = 2000000, CELL_BYTES = 24, SOON_SECONDS = 2 };

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
	if (strcmp(cli->ranks, "auto") == 0 && !cli->ranks_dir && tp_pmix_is_here())
		return TP_OK; /* it tells who is who */
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

/* The first one tidies up where the others leave soon, too. */
static void leave_early(struct tp_ranks *ranks, struct among *among)
{
	struct tp_diag unsaid;
	char *text;
	if (!*ranks->launch || tp_ranks_leave(ranks, "", rest, among, &unsaid) != TP_OK ||
	    ranks->rank > 0)
		return;
	ranks->seconds = SOON_SECONDS;
	for (unsigned r = 1; r < ranks->size; r++) {
		if (tp_ranks_left(ranks, r, rest, among, &text, &unsaid) != TP_OK)
			return;
		free(text);
	}
	tp_ranks_tidy(ranks);
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
		leave_early(&ranks, &among);
		tp_ranks_close(&ranks, rest, &among);
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
	if (!ranks.left)
		leave_early(&ranks, &among);
	tp_ranks_close(&ranks, rest, &among);
	free(sets);
	return code;
}

/* --- the same plan --- */

/* What ranks may be given differently: on which CPUs they are, and with how many others. */
static bool is_own(const char *line, size_t n)
{
	static const char *const keys[] = { "affinity:", "sharers:" };
	while (n && (*line == ' ' || *line == '-')) {
		line++;
		n--;
	}
	for (size_t i = 0; i < TP_COUNT_OF(keys); i++)
		if (n >= strlen(keys[i]) && strncmp(line, keys[i], strlen(keys[i])) == 0)
			return true;
	return false;
}

static enum tp_status hash_options(const struct tp_preset *preset, uint64_t *hash)
{
	struct tp_str yaml = { 0 };
	enum tp_status status = tp_preset_write(preset, false, &yaml);
	*hash = TP_HASH_START;
	for (const char *line = tp_str_text(&yaml); *line;) {
		size_t n = strcspn(line, "\n");
		for (size_t i = 0; !is_own(line, n) && i < n; i++)
			*hash = tp_hash_step(*hash, (unsigned char)line[i]);
		line += n + (line[n] == '\n');
	}
	tp_str_release(&yaml);
	return status;
}

/* Threads and sizes may follow from the CPUs that a rank has. */
static uint64_t hash_points(const struct tp_plan *plan)
{
	uint64_t hash = TP_HASH_START;
	for (size_t i = 0; i < plan->n; i++) {
		const struct tp_point *p = &plan->items[i].point;
		hash = tp_hash_text(tp_hash_step(hash, p->run), p->experiment);
		hash = tp_hash_text(tp_hash_text(hash, p->kernel), tp_kernel_row(p)->isa);
		hash = tp_hash_text(hash, tp_kernel_row(p)->level);
	}
	return hash;
}

int tp_cli_ranks_agree(const struct tp_cli *cli, const struct tp_session *session,
		       tp_ranks_goes_on *goes_on)
{
	struct among among = { goes_on };
	struct tp_ranks_plan plan = { .version = PACKAGE_VERSION,
				      .points = hash_points(&session->plan),
				      .n_points = (unsigned)session->plan.n };
	struct tp_diag diag;
	enum tp_status status = hash_options(&session->preset, &plan.options);
	if (status != TP_OK)
		tp_fail(&diag, status, "ranks", NULL, "%s", tp_status_name(status));
	else
		status = tp_ranks_agree(cli->joined, &plan, rest, &among, &diag);
	if (status != TP_OK)
		tp_complain(&diag);
	return (int)tp_status_exit(status);
}

/* --- the run of all ranks --- */

struct sums {
	const struct tp_ranks *ranks;
	struct tp_run all;
	double *values; /* of point p and rank r at p x size + r; 0 = none */
	bool all_left;
};

static void add_rank(struct sums *s, unsigned rank, const struct tp_run *run)
{
	for (size_t i = 0; i < run->n_points && i < s->all.n_points; i++)
		if (run->points[i].state == TP_POINT_DONE)
			s->values[i * s->ranks->size + rank] = tp_point_median(&run->points[i]);
	if (rank > 0)
		tp_ranks_sum_add(&s->all, rank, run);
}

/* What a rank has left is its points.csv; "" where it ended before it measured. */
static enum tp_status take_left(struct sums *s, unsigned rank, const char *text,
				struct tp_diag *diag)
{
	struct tp_run other = { 0 };
	char name[CELL_BYTES];
	snprintf(name, sizeof(name), "rank %u", rank);
	enum tp_status status = *text ? tp_run_parse_csv(&other, name, text, strlen(text), diag)
				      : tp_fail(diag, TP_FAILED, name, "see what it says",
						"it ended without results, so there are no sums");
	if (status == TP_OK)
		add_rank(s, rank, &other);
	tp_run_release(&other);
	return status;
}

static enum tp_status gather(struct sums *s, struct tp_ranks *ranks, struct among *among,
			     struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	for (unsigned r = 1; r < ranks->size; r++) {
		struct tp_diag late;
		char *text;
		enum tp_status left = tp_ranks_left(ranks, r, rest, among, &text, &late);
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

static enum tp_status sum_up(struct sums *s, struct tp_ranks *ranks,
			     const struct tp_session *session, const struct tp_run *run,
			     struct among *among, struct tp_diag *diag)
{
	s->values = calloc(run->n_points * ranks->size + 1, sizeof(*s->values));
	enum tp_status status = s->values ? tp_ranks_sum_begin(&s->all, run) : TP_NOMEM;
	if (status != TP_OK)
		return tp_fail(diag, status, "ranks", NULL, "%s", tp_status_name(status));
	add_rank(s, 0, run);
	status = gather(s, ranks, among, diag);
	if (status != TP_OK)
		return status;
	tp_ranks_sum_end(&s->all, ranks->size);
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

void tp_cli_ranks_end(const struct tp_cli *cli, const struct tp_session *session,
		      struct tp_run *run, char directory[TP_PATH_MAX], tp_ranks_goes_on *goes_on)
{
	struct tp_ranks *ranks = cli->joined;
	struct among among = { goes_on };
	struct sums s = { .ranks = ranks };
	struct tp_str own = { 0 };
	struct tp_diag diag = { 0 };
	char sum[TP_PATH_MAX];
	enum tp_status status = tp_run_csv(run, &own);
	if (status != TP_OK)
		tp_fail(&diag, status, "ranks", NULL, "%s", tp_status_name(status));
	else
		status = tp_ranks_leave(ranks, tp_str_text(&own), rest, &among, &diag);
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
			tp_copy(directory, TP_PATH_MAX, sum);
			if (!cli->quiet)
				tp_say("%u ranks at once: rates are sums, times are means; those "
				       "of each rank are in ranks.csv",
				       ranks->size);
		}
	}
	if (s.all_left)
		tp_ranks_tidy(ranks);
	tp_run_release(&s.all);
	free(s.values);
	if (status != TP_OK)
		tp_complain(&diag);
}
