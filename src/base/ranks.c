/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks go through points in step, and end. */
#include "base/now.h"
#include "base/ranks_parts.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Looks at the directory are so far apart, while whoever waits may do something between them. */
#define LOOK_SECONDS 2e-3
/* The first rank has so long to add up what the others have left. */
#define CLOSE_SECONDS 10.0

static const char *const stage_names[TP_RANKS_STAGE_COUNT] = { "begin", "load", "end", "out" };

/* --- files --- */

enum tp_status tp_ranks_write_file(const struct tp_ranks *ranks, const char *name, const char *text,
				   struct tp_diag *diag)
{
	char path[TP_PATH_MAX + 2 * TP_RANKS_WORD_BYTES];
	snprintf(path, sizeof(path), "%s/%s", ranks->directory, name);
	return tp_file_write(path, text, strlen(text), diag);
}

void tp_ranks_remove_file(const struct tp_ranks *ranks, const char *name)
{
	char path[TP_PATH_MAX + 2 * TP_RANKS_WORD_BYTES];
	snprintf(path, sizeof(path), "%s/%s", ranks->directory, name);
	unlink(path);
}

char *tp_ranks_read_file(const struct tp_ranks *ranks, const char *name, size_t most)
{
	char path[TP_PATH_MAX + 2 * TP_RANKS_WORD_BYTES], *text = NULL;
	struct tp_diag diag;
	size_t len;
	snprintf(path, sizeof(path), "%s/%s", ranks->directory, name);
	return tp_file_read(path, most, &text, &len, &diag) == TP_OK ? text : NULL;
}

void tp_ranks_look(const struct tp_ranks *ranks, const char *word, struct tp_ranks_present *present)
{
	char prefix[2 * TP_RANKS_WORD_BYTES];
	size_t n = (size_t)snprintf(prefix, sizeof(prefix), "%s.%s.", ranks->launch, word);
	DIR *folder = opendir(ranks->directory);
	memset(present->here, 0, ranks->size);
	present->n = 0;
	for (const struct dirent *entry; folder && (entry = readdir(folder));) {
		char *end;
		if (strncmp(entry->d_name, prefix, n) != 0)
			continue;
		unsigned long rank = strtoul(entry->d_name + n, &end, 10);
		if (*end || end == entry->d_name + n || rank >= ranks->size || present->here[rank])
			continue;
		present->here[rank] = 1;
		present->n++;
	}
	if (folder)
		closedir(folder);
}

static unsigned first_of(const struct tp_ranks *ranks, const struct tp_ranks_present *present,
			 bool here)
{
	unsigned i = 0;
	while (i < ranks->size && present->here[i] != here)
		i++;
	return i;
}

enum tp_status tp_ranks_say_word(const struct tp_ranks *ranks, const char *word, const char *text,
				 struct tp_diag *diag)
{
	char name[2 * TP_RANKS_WORD_BYTES];
	snprintf(name, sizeof(name), "%s.%s.%u", ranks->launch, word, ranks->rank);
	return tp_ranks_write_file(ranks, name, text, diag);
}

static void stage_word(char word[TP_RANKS_WORD_BYTES], unsigned long point,
		       enum tp_ranks_stage stage)
{
	snprintf(word, TP_RANKS_WORD_BYTES, "%lu-%s", point, stage_names[stage]);
}

/* --- waiting --- */

bool tp_ranks_wait_on(struct tp_ranks_wait *w, enum tp_status *status, struct tp_diag *diag)
{
	const struct timespec pause = { .tv_nsec = (long)(LOOK_SECONDS * 1e9 / 2) };
	w->looked = tp_now_seconds();
	do {
		if (w->goes_on && !w->goes_on(w->context)) {
			*status = tp_fail(diag, TP_CANCELLED, "ranks", NULL, "cancelled");
			return false;
		}
		if (!w->goes_on)
			nanosleep(&pause, NULL);
	} while (tp_now_seconds() - w->looked < LOOK_SECONDS);
	if (tp_now_seconds() < w->until)
		return true;
	*status = TP_RESOURCE;
	return false;
}

static enum tp_status missing(const struct tp_ranks *ranks, const struct tp_ranks_present *present,
			      const char *where, struct tp_diag *diag)
{
	return tp_fail(diag, TP_RESOURCE, "ranks",
		       "start all ranks with the same preset and options, and with a directory "
		       "that all of them see (--ranks-dir)",
		       "rank %u of %u has not come to %s within %.0f s; %u of them are there",
		       first_of(ranks, present, false), ranks->size, where, ranks->seconds,
		       present->n);
}

enum tp_status tp_ranks_are_lost(struct tp_diag *diag)
{
	return tp_fail(diag, TP_FAILED, "ranks", "see what the other ranks say",
		       "another rank did not come in time to an earlier point");
}

/* --- points --- */

/* When a point begins, everybody has ended the one before, and has seen all of the one before that.
 */
static void forget_old(struct tp_ranks *ranks, unsigned long point)
{
	char word[TP_RANKS_WORD_BYTES], name[2 * TP_RANKS_WORD_BYTES];
	if (ranks->points[0] == point + 1)
		return;
	for (int i = 0; ranks->points[1] && i < TP_RANKS_STAGE_COUNT; i++) {
		stage_word(word, ranks->points[1] - 1, (enum tp_ranks_stage)i);
		snprintf(name, sizeof(name), "%s.%s.%u", ranks->launch, word, ranks->rank);
		tp_ranks_remove_file(ranks, name);
	}
	ranks->points[1] = ranks->points[0];
	ranks->points[0] = point + 1;
}

enum tp_status tp_ranks_say(struct tp_ranks *ranks, unsigned long point, enum tp_ranks_stage stage,
			    struct tp_diag *diag)
{
	char word[TP_RANKS_WORD_BYTES];
	if (tp_relay_is(ranks)) /* the relay of a rank that has come to a stage waits there */
		return stage == TP_RANKS_OUT ? tp_relay_meet(ranks, point, stage, NULL, NULL, diag)
					     : TP_OK;
	forget_old(ranks, point);
	stage_word(word, point, stage);
	return tp_ranks_say_word(ranks, word, "", diag);
}

/* Somebody who will not come. */
static enum tp_status find_lost(const struct tp_ranks *ranks, unsigned long point,
				struct tp_ranks_present *present, struct tp_diag *diag)
{
	char word[TP_RANKS_WORD_BYTES];
	unsigned char *here = calloc(ranks->size, 1);
	struct tp_ranks_present others = { .here = here };
	enum tp_status status = TP_OK;
	if (!here)
		return tp_fail(diag, TP_NOMEM, "ranks", NULL, "out of memory");
	stage_word(word, point, TP_RANKS_OUT);
	tp_ranks_look(ranks, word, &others);
	if (others.n)
		status = tp_fail(diag, TP_FAILED, "ranks", "see what that rank says of the point",
				 "rank %u does not measure this point",
				 first_of(ranks, &others, true));
	tp_ranks_look(ranks, "left", &others);
	for (unsigned i = 0; status == TP_OK && others.n && i < ranks->size; i++)
		if (others.here[i] && !present->here[i])
			status = tp_fail(diag, TP_FAILED, "ranks", NULL,
					 "rank %u ended before this point", i);
	free(here);
	return status;
}

/*
 * Waits until all have said the word, or one will not. Whoever is too late once is not waited for
 * again: a rank that has died would cost this time at every point.
 */
static enum tp_status await(struct tp_ranks *ranks, const char *word, unsigned long point,
			    const char *where, tp_ranks_goes_on *goes_on, void *context,
			    struct tp_diag *diag)
{
	struct tp_ranks_wait w = { tp_now_seconds() + ranks->seconds, 0, goes_on, context };
	struct tp_ranks_present present = { .here = calloc(ranks->size, 1) };
	enum tp_status status = TP_OK;
	if (!present.here)
		return tp_fail(diag, TP_NOMEM, "ranks", NULL, "out of memory");
	while (status == TP_OK) {
		tp_ranks_look(ranks, word, &present);
		if (present.n == ranks->size)
			break;
		status = find_lost(ranks, point, &present, diag);
		if (status == TP_OK && !tp_ranks_wait_on(&w, &status, diag) &&
		    status == TP_RESOURCE) {
			ranks->lost = true;
			missing(ranks, &present, where, diag);
		}
	}
	free(present.here);
	return status;
}

enum tp_status tp_ranks_meet(struct tp_ranks *ranks, unsigned long point, enum tp_ranks_stage stage,
			     tp_ranks_goes_on *goes_on, void *context, struct tp_diag *diag)
{
	char word[TP_RANKS_WORD_BYTES], where[TP_RANKS_WORD_BYTES + 32];
	if (tp_relay_is(ranks))
		return tp_relay_meet(ranks, point, stage, goes_on, context, diag);
	if (ranks->lost)
		return tp_ranks_are_lost(diag);
	enum tp_status status = tp_ranks_say(ranks, point, stage, diag);
	stage_word(word, point, stage);
	snprintf(where, sizeof(where), "the %s of point %lu", stage_names[stage], point);
	return status == TP_OK ? await(ranks, word, point, where, goes_on, context, diag) : status;
}

/* --- plans --- */

enum { PLAN_BYTES = 256 };

enum tp_status tp_ranks_plan_parse(struct tp_ranks_plan *plan, const char *text,
				   struct tp_diag *diag)
{
	int end = -1;
	*plan = (struct tp_ranks_plan){ 0 };
	int n = sscanf(text,
		       "tprof-plan 1\nversion %31[a-zA-Z0-9.+~-]\noptions %16" SCNx64
		       "\npoints %9u %16" SCNx64 "\n%n",
		       plan->version, &plan->options, &plan->n_points, &plan->points, &end);
	if (n == 4 && end > 0 && !text[end] && text[end - 1] == '\n')
		return TP_OK;
	return tp_fail(diag, TP_USAGE, "ranks", NULL, "the plan of a rank is not whole");
}

/* How the plan of a rank differs from that of rank 0. */
static enum tp_status compare_plans(const struct tp_ranks_plan *first,
				    const struct tp_ranks_plan *plan, unsigned rank,
				    struct tp_diag *diag)
{
	if (strcmp(first->version, plan->version) != 0)
		return tp_fail(diag, TP_USAGE, "ranks", "start the same tprof everywhere",
			       "rank %u is tprof %s, and rank 0 is tprof %s", rank, plan->version,
			       first->version);
	if (first->options != plan->options)
		return tp_fail(diag, TP_USAGE, "ranks",
			       "give all ranks the same preset and options; look for a "
			       "config.yaml that only some of them have",
			       "rank %u has another preset or other options than rank 0", rank);
	if (first->n_points != plan->n_points || first->points != plan->points)
		return tp_fail(diag, TP_USAGE, "ranks",
			       "name what is to be measured (isa, level, threads) instead of "
			       "leaving it to each machine",
			       "rank %u plans other points than rank 0, %u and %u of them: "
			       "their CPUs differ",
			       rank, plan->n_points, first->n_points);
	return TP_OK;
}

/* Every rank tells its plan: *texts are those of all, in the order of the ranks. */
static enum tp_status share_plans(struct tp_ranks *ranks, const char *text,
				  tp_ranks_goes_on *goes_on, void *context, char **texts,
				  struct tp_diag *diag)
{
	char name[2 * TP_RANKS_WORD_BYTES];
	struct tp_str reply = { 0 };
	const char *at = "";
	bool relay = tp_relay_is(ranks);
	enum tp_status status =
		relay ? tp_relay_share(ranks, "plan", text, goes_on, context, &reply, &at, diag)
		      : tp_ranks_say_word(ranks, "plan", text, diag);
	if (status == TP_OK && !relay)
		status = await(ranks, "plan", ULONG_MAX, "their plan", goes_on, context, diag);
	for (unsigned r = 0; r < ranks->size && status == TP_OK; r++) {
		snprintf(name, sizeof(name), "%s.plan.%u", ranks->launch, r);
		texts[r] = relay ? tp_relay_text(&at) : tp_ranks_read_file(ranks, name, PLAN_BYTES);
		if (!texts[r])
			status = tp_fail(diag, TP_IO, "ranks", NULL,
					 "the plan of rank %u cannot be read", r);
	}
	tp_str_release(&reply);
	return status;
}

enum tp_status tp_ranks_agree(struct tp_ranks *ranks, const struct tp_ranks_plan *plan,
			      tp_ranks_goes_on *goes_on, void *context, struct tp_diag *diag)
{
	char text[PLAN_BYTES];
	struct tp_ranks_plan first = { 0 }, other;
	char **texts = calloc(ranks->size, sizeof(*texts));
	snprintf(text, sizeof(text),
		 "tprof-plan 1\nversion %s\noptions %016" PRIx64 "\npoints %u %016" PRIx64 "\n",
		 plan->version, plan->options, plan->n_points, plan->points);
	enum tp_status status = texts ? share_plans(ranks, text, goes_on, context, texts, diag)
				      : tp_fail(diag, TP_NOMEM, "ranks", NULL, "out of memory");
	for (unsigned r = 0; r < ranks->size && status == TP_OK; r++) {
		status = tp_ranks_plan_parse(&other, texts[r], diag);
		if (status == TP_OK && r == 0)
			first = other;
		if (status == TP_OK)
			status = compare_plans(&first, &other, r, diag);
	}
	for (unsigned r = 0; r < ranks->size && texts; r++)
		free(texts[r]);
	free(texts);
	return status;
}

/* --- the end --- */

enum tp_status tp_ranks_leave(struct tp_ranks *ranks, const char *text, tp_ranks_goes_on *goes_on,
			      void *context, struct tp_diag *diag)
{
	ranks->left = true;
	if (tp_relay_is(ranks))
		return tp_relay_leave(ranks, text, goes_on, context, diag);
	return tp_ranks_say_word(ranks, "left", text, diag);
}

enum tp_status tp_ranks_left(struct tp_ranks *ranks, unsigned rank, tp_ranks_goes_on *goes_on,
			     void *context, char **text, struct tp_diag *diag)
{
	char name[2 * TP_RANKS_WORD_BYTES];
	struct tp_ranks_wait w = { tp_now_seconds() + ranks->seconds, 0, goes_on, context };
	enum tp_status status = TP_OK;
	if (tp_relay_is(ranks))
		return tp_relay_left(ranks, rank, text, diag);
	snprintf(name, sizeof(name), "%s.left.%u", ranks->launch, rank);
	while (!(*text = tp_ranks_read_file(ranks, name, TP_RANKS_LEFT_BYTES)))
		if (!tp_ranks_wait_on(&w, &status, diag))
			return status == TP_CANCELLED
				       ? status
				       : tp_fail(diag, TP_RESOURCE, "ranks", NULL,
						 "rank %u of %u has not ended within %.0f s", rank,
						 ranks->size, ranks->seconds);
	return TP_OK;
}

void tp_ranks_tidy(const struct tp_ranks *ranks)
{
	char name[TP_RANKS_WORD_BYTES];
	size_t n = strlen(ranks->launch);
	if (tp_relay_is(ranks))
		return;
	DIR *folder = opendir(ranks->directory);
	/* Also those of launches that were killed: one at a time has the directory. */
	for (const struct dirent *entry; folder && n && (entry = readdir(folder));)
		if (strspn(entry->d_name, "0123456789abcdef") == n && entry->d_name[n] == '.')
			unlinkat(dirfd(folder), entry->d_name, 0);
	if (folder)
		closedir(folder);
	for (unsigned i = 0; i < ranks->size; i++) {
		snprintf(name, sizeof(name), "hello-%u", i);
		tp_ranks_remove_file(ranks, name);
	}
	tp_ranks_remove_file(ranks, "roster");
	rmdir(ranks->directory);
}

void tp_ranks_close(struct tp_ranks *ranks, tp_ranks_goes_on *goes_on, void *context)
{
	struct tp_ranks_wait w = { tp_now_seconds() + CLOSE_SECONDS, 0, goes_on, context };
	char path[TP_PATH_MAX + 2 * TP_RANKS_WORD_BYTES];
	enum tp_status status = TP_OK;
	struct tp_diag unsaid;
	if (*ranks->launch && !tp_relay_is(ranks) && ranks->left && ranks->rank > 0) {
		snprintf(path, sizeof(path), "%s/%s.left.%u", ranks->directory, ranks->launch,
			 ranks->rank);
		while (access(path, F_OK) == 0 && tp_ranks_wait_on(&w, &status, &unsaid))
			;
	}
	tp_relay_close(ranks, goes_on, context);
}
