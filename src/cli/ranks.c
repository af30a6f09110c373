/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/ranks.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/vec.h"
#include "record/kernel_row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { REST_NS = 2000000, CELL_BYTES = 24, SOON_SECONDS = 2 };

bool tp_cli_rest(void *context)
{
	const struct tp_cli_among *among = context;
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
static void leave_early(struct tp_ranks *ranks, struct tp_cli_among *among)
{
	struct tp_diag unsaid;
	char *text;
	if (!*ranks->launch || tp_ranks_leave(ranks, "", tp_cli_rest, among, &unsaid) != TP_OK ||
	    ranks->rank > 0)
		return;
	ranks->seconds = SOON_SECONDS;
	for (unsigned r = 1; r < ranks->size; r++) {
		if (tp_ranks_left(ranks, r, tp_cli_rest, among, &text, &unsaid) != TP_OK)
			return;
		free(text);
	}
	tp_ranks_tidy(ranks);
}

int tp_cli_among_ranks(const struct tp_cli *cli, int (*measure)(const struct tp_cli *cli),
		       tp_ranks_goes_on *goes_on)
{
	struct tp_ranks ranks = { 0 };
	struct tp_cli_among among = { goes_on };
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
		status = tp_ranks_join(&ranks, tp_cli_rest, &among, &diag);
	if (status == TP_OK)
		status = tp_ranks_take_share(&ranks, &diag);
	if (status == TP_OK && cli->run_dir)
		status = run_directory(cli, &ranks, path, &diag);
	if (status != TP_OK) {
		tp_complain(&diag);
		leave_early(&ranks, &among);
		tp_ranks_close(&ranks, tp_cli_rest, &among);
		free(sets);
		return (int)tp_status_exit(status);
	}
	for (size_t i = 0; i < cli->overrides.n; i++)
		sets[i] = cli->overrides.sets[i];
	memcpy(sets + cli->overrides.n, in_step, sizeof(in_step));
	snprintf(sharers, sizeof(sharers), "sharers=%u", ranks.on_host);
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
	tp_ranks_close(&ranks, tp_cli_rest, &among);
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
	struct tp_cli_among among = { goes_on };
	struct tp_ranks_plan plan = { .version = PACKAGE_VERSION,
				      .points = hash_points(&session->plan),
				      .n_points = (unsigned)session->plan.n };
	struct tp_diag diag;
	enum tp_status status = hash_options(&session->preset, &plan.options);
	if (status != TP_OK)
		tp_fail(&diag, status, "ranks", NULL, "%s", tp_status_name(status));
	else
		status = tp_ranks_agree(cli->joined, &plan, tp_cli_rest, &among, &diag);
	if (status != TP_OK)
		tp_complain(&diag);
	return (int)tp_status_exit(status);
}
