/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The lines of a job: head; "counter_hz H"; "available_bytes N"; "invocation N"; "frugal 0|1";
 * "watched 0|1"; "configs N", then N times "config BYTES" and that many bytes of flattened options;
 * "points N", then N times an id and a line with its estimated seconds; end line.
 */
#include "engine/job.h"

#include <stdlib.h>
#include <string.h>

void tp_job_write(const struct tp_job *job, struct tp_str *out)
{
	tp_str_printf(out,
		      "%s\ncounter_hz %.17g\navailable_bytes %llu\ninvocation %u\nfrugal "
		      "%d\nwatched %d\nlimit_seconds %.6g\n",
		      TP_JOB_HEAD, job->counter_hz, (unsigned long long)job->available_bytes,
		      job->invocation, job->frugal, job->watched, job->limit_seconds);
	tp_str_printf(out, "configs %zu\n", job->n_configs);
	for (size_t i = 0; i < job->n_configs; i++) {
		TP_STR flat = { 0 };
		tp_config_flatten(&job->configs[i], &flat);
		tp_str_printf(out, "config %zu\n%s", flat.len, tp_str_text(&flat));
	}
	tp_str_printf(out, "points %zu\n", job->n_ids);
	for (size_t i = 0; i < job->n_ids; i++)
		tp_str_printf(out, "%u\n%.6g\n", job->ids[i], job->seconds[i]);
	tp_str_printf(out, "%s\n", TP_JOB_END);
}

/* Reads "<word> <value>\n" at *at. */
static bool read_number(const char **at, const char *word, double *value)
{
	size_t n = strlen(word);
	if (strncmp(*at, word, n) != 0)
		return false;
	char *end;
	*value = strtod(*at + n, &end);
	if (end == *at + n || *end != '\n')
		return false;
	*at = end + 1;
	return true;
}

enum tp_status tp_job_parse(struct tp_job *job, const char *text, struct tp_diag *diag)
{
	enum { MOST = 1 << 24, CONFIGS_MOST = 4096 };
	*job = (struct tp_job){ 0 };
	const char *at = text;
	double value, hz, available, invocation, frugal = 0, watched = 0;
	size_t head = strlen(TP_JOB_HEAD "\n");
	if (strncmp(at, TP_JOB_HEAD "\n", head) != 0)
		goto broken;
	at += head;
	if (!read_number(&at, "counter_hz ", &hz) || !(hz >= 0 && hz < 1e15) ||
	    !read_number(&at, "available_bytes ", &available) ||
	    !(available >= 0 && available < 0x1p62) ||
	    !read_number(&at, "invocation ", &invocation) ||
	    !(invocation >= 0 && invocation < MOST) || !read_number(&at, "frugal ", &frugal) ||
	    !read_number(&at, "watched ", &watched) ||
	    !read_number(&at, "limit_seconds ", &job->limit_seconds) ||
	    !(job->limit_seconds >= 0) || !read_number(&at, "configs ", &value) ||
	    !(value >= 0 && value <= CONFIGS_MOST))
		goto broken;
	job->counter_hz = hz;
	job->available_bytes = (uint64_t)available;
	job->invocation = (unsigned)invocation;
	job->frugal = frugal != 0;
	job->watched = watched != 0;
	job->n_configs = (size_t)value;
	job->configs = tp_arena_alloc(&job->arena, (job->n_configs + 1) * sizeof(*job->configs));
	for (size_t i = 0; i < job->n_configs; i++) {
		if (!read_number(&at, "config ", &value) ||
		    !(value >= 0 && value <= (double)strlen(at)))
			goto broken;
		char *flat = tp_arena_strndup(&job->arena, at, (size_t)value);
		enum tp_status status =
			tp_config_unflatten(&job->configs[i], flat, &job->arena, diag);
		if (status != TP_OK)
			return status;
		at += (size_t)value;
	}
	/* An id and its seconds are two lines of two bytes at least. */
	if (!read_number(&at, "points ", &value) ||
	    !(value >= 0 && value <= (double)strlen(at) / 4))
		goto broken;
	job->n_ids = (size_t)value;
	job->ids = tp_arena_alloc(&job->arena, (job->n_ids + 1) * sizeof(*job->ids));
	job->seconds = tp_arena_alloc(&job->arena, (job->n_ids + 1) * sizeof(*job->seconds));
	for (size_t i = 0; i < job->n_ids; i++) {
		if (!read_number(&at, "", &value) || !(value >= 0 && value < MOST) ||
		    !read_number(&at, "", &job->seconds[i]) ||
		    !(job->seconds[i] >= 0 && job->seconds[i] < 1e12))
			goto broken;
		job->ids[i] = (unsigned)value;
	}
	if (strcmp(at, TP_JOB_END "\n") == 0)
		return TP_OK;
broken:
	return tp_fail(diag, TP_INTERNAL, "job", NULL, "malformed job at byte %zu",
		       (size_t)(at - text));
}
