/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A multiplication is measured: the matrix is read or generated once for all its formats, each
 * format is made, laid out in memory that its threads touch first, checked against a reference, and
 * run by the fastest of its loops.
 */
#include "base/now.h"
#include "base/process.h"
#include "base/str.h"
#include "base/text.h"
#include "experiments/spmv/spmv.h"
#include "experiments/spmv/spmv_row.h"
#include "experiments/windows/bench.h"
#include "matrix/facts.h"
#include "matrix/loops.h"
#include "matrix/matrix.h"
#include "matrix/source.h"
#include "measure/buffer.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A trial of a loop lasts this long at least, and all trials together not much longer than that. */
#define TRIAL_SECONDS 200e-6
#define RACE_SECONDS  0.5
enum { ROUNDS = 7 };
/* Slower than the fastest by so much after a round: it has lost. */
#define LOST	     1.5
#define MEMORY_SHARE 0.8
enum { HUGE_BYTES = 2 << 20, LINE_BYTES = 64 };

/* The matrix of the last point: formats of one matrix follow each other. */
struct kept {
	char *name; /* NULL: none */
	uint64_t seed;
	bool reordered;
	struct tp_matrix matrix;
	struct tp_matrix_facts facts;
	double *x, *expected, *magnitude;
};

static void drop(void *own)
{
	struct kept *k = own;
	free(k->name);
	free(k->x);
	free(k->expected);
	free(k->magnitude);
	tp_matrix_release(&k->matrix);
	*k = (struct kept){ 0 };
}

static const struct tp_bench_kind kept_kind = { sizeof(struct kept), drop, drop };

/* Memory of all threads: the matrix in its format, x and y. */
struct region {
	void *map;
	size_t map_bytes, bytes;
	char *at; /* at a huge page */
};

/* The part of a thread; loops take it for a struct tp_spmv_share. */
struct part {
	struct tp_spmv_share share;
	struct spmv *whole;
	unsigned number;
	tp_spmv_fn *loop; /* of the race */
	uint64_t passes;
};

struct spmv {
	const struct kept *kept;
	enum tp_pages pages;
	struct tp_kernel_row *row;
	struct tp_sparse made, placed; /* made: until it is placed */
	struct region region;
	double *x, *y;
	unsigned n;
	struct part *parts;
	void **data;
	uint32_t *border;
};

/* --- the matrix --- */

/* Numbers of both signs that no power of two divides: sums round. */
static double element(uint32_t j)
{
	return (j % 2 ? -1.0 : 1.0) * (0.5 + (double)(j * 2654435761u >> 8) * 0x1p-24) / 1.1;
}

static enum tp_status make_vectors(struct kept *k, struct tp_diag *diag)
{
	const size_t rows = k->matrix.n_rows, columns = k->matrix.n_columns;
	k->x = calloc(columns + TP_VECTOR_SLACK, sizeof(*k->x));
	k->expected = malloc(rows * sizeof(*k->expected));
	k->magnitude = malloc(rows * sizeof(*k->magnitude));
	if (!k->x || !k->expected || !k->magnitude)
		return tp_fail(diag, TP_NOMEM, "matrix", "choose a smaller matrix",
			       "there is no memory for its vectors");
	for (uint32_t j = 0; j < columns; j++)
		k->x[j] = element(j);
	tp_matrix_multiply(&k->matrix, k->x, k->expected, k->magnitude);
	return TP_OK;
}

static enum tp_status reorder(struct kept *k, struct tp_diag *diag)
{
	uint32_t *order;
	struct tp_matrix permuted = { 0 };
	enum tp_status status = tp_matrix_rcm(&k->matrix, &order, diag);
	if (status == TP_OK)
		status = tp_matrix_permute(&k->matrix, order, &permuted, diag);
	free(order);
	if (status != TP_OK)
		return status;
	tp_matrix_release(&k->matrix);
	k->matrix = permuted;
	return TP_OK;
}

static void tell_summed(const struct tp_bench *bench, const char *name, size_t summed)
{
	struct tp_diag remark;
	if (!summed || !bench->watch || !bench->watch->note)
		return;
	tp_fail(&remark, TP_OK, name, NULL,
		"%zu entries stand at a place that has one already: they were added to it", summed);
	bench->watch->note(bench->watch->context, &remark);
}

static enum tp_status ready_matrix(struct tp_bench *bench, const struct tp_spmv_plan *plan,
				   struct kept *k, struct tp_diag *diag)
{
	struct tp_matrix_source source;
	size_t summed = 0;
	if (k->name && strcmp(k->name, plan->matrix) == 0 && k->seed == plan->seed &&
	    k->reordered == plan->reorders)
		return TP_OK;
	drop(k);
	enum tp_status status = tp_matrix_source_parse(&source, plan->matrix, diag);
	if (status == TP_OK)
		status = tp_matrix_load(&source, plan->seed, &k->matrix, &summed, diag);
	if (status == TP_OK && tp_matrix_entries(&k->matrix) == 0)
		status = tp_fail(diag, TP_UNSUPPORTED, plan->matrix, NULL,
				 "the matrix has no non-zeros, so there is nothing to measure");
	if (status == TP_OK)
		tell_summed(bench, plan->matrix, summed);
	if (status == TP_OK && plan->reorders)
		status = reorder(k, diag);
	if (status == TP_OK)
		status = tp_matrix_look(&k->matrix, &k->facts, diag);
	if (status == TP_OK)
		status = make_vectors(k, diag);
	if (status == TP_OK && !(k->name = strdup(plan->matrix)))
		status = tp_fail(diag, TP_NOMEM, "matrix", NULL, "out of memory");
	k->seed = plan->seed;
	k->reordered = plan->reorders;
	if (status != TP_OK)
		drop(k);
	return status;
}

static void tell_facts(const struct kept *k, const struct tp_matrix_advice *advice,
		       struct tp_spmv_facts *f)
{
	const struct tp_matrix_facts *m = &k->facts;
	*f = (struct tp_spmv_facts){
		.n_rows = m->n_rows,
		.n_columns = m->n_columns,
		.nonzeros = m->n_entries,
		.row_min = m->row_min,
		.row_max = m->row_max,
		.empty_rows = m->empty_rows,
		.bandwidth = m->bandwidth,
		.diagonals = m->n_diagonals,
		.row_mean = m->row_mean,
		.row_spread = m->row_spread,
		.ell_fill = m->ell_fill,
		.dia_fill = m->dia_fill,
		.block_fill = m->block_fill,
		.scatter = m->scatter,
		.symmetric = m->symmetric,
	};
	snprintf(f->block, sizeof(f->block), "%ux%u", m->block.rows % 100, m->block.columns % 100);
	tp_copy(f->advice, sizeof(f->advice), tp_format_name(advice->format));
	tp_copy(f->why, sizeof(f->why), advice->why);
}

static void tell_matrix(const struct tp_bench *bench, const struct tp_point *point,
			const struct kept *k, const struct tp_matrix_advice *advice)
{
	const struct tp_spmv_row *row = tp_spmv_row(point);
	struct tp_matrix_row told = { .run = point->run,
				      .point = point->point,
				      .threads = point->threads };
	tp_copy(told.matrix, sizeof(told.matrix), row->matrix);
	tp_copy(told.reorder, sizeof(told.reorder), row->reorder);
	tell_facts(k, advice, &told.facts);
	/* Whether to go on is asked again before the first window. */
	if (bench->watch && bench->watch->row)
		(void)bench->watch->row(bench->watch->context, &tp_matrix_event, &told);
}

/* --- its place in memory --- */

static enum tp_status reserve(struct region *r, size_t bytes, enum tp_pages pages,
			      struct tp_diag *diag)
{
	r->bytes = (bytes + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
	r->map_bytes = r->bytes + HUGE_BYTES;
	r->map = mmap(NULL, r->map_bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (r->map == MAP_FAILED) {
		r->map = NULL;
		return tp_fail(diag, TP_RESOURCE, "matrix", "choose a smaller matrix",
			       "there is no memory for %zu bytes: %s", r->bytes, strerror(errno));
	}
	r->at = (char *)(((uintptr_t)r->map + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES);
	tp_pages_advise(r->at, r->bytes, pages);
	return TP_OK;
}

static size_t vector_bytes(size_t n)
{
	return ((n + TP_VECTOR_SLACK) * sizeof(double) + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
}

/* A thread touches its rows, and its part of x, which all of them read. */
static void place_part(void *data, uint64_t passes)
{
	const struct part *p = data;
	const struct spmv *s = p->whole;
	const size_t columns = s->kept->matrix.n_columns;
	const size_t from = columns * p->number / s->n, to = columns * (p->number + 1) / s->n;
	(void)passes;
	tp_sparse_copy_rows(&s->made, (struct tp_sparse *)&s->placed, p->share.first,
			    p->share.last);
	memcpy(s->x + from, s->kept->x + from, (to - from) * sizeof(*s->x));
	memset(s->y + p->share.first, 0, (p->share.last - p->share.first) * sizeof(*s->y));
}

static enum tp_status place(struct spmv *s, struct tp_team *team, struct tp_diag *diag)
{
	const size_t sparse_bytes = tp_sparse_memory(&s->made);
	const size_t x_bytes = vector_bytes(s->made.n_columns),
		     y_bytes = vector_bytes(s->made.n_rows);
	s->n = tp_team_size(team);
	s->parts = calloc(s->n, sizeof(*s->parts));
	s->data = calloc(s->n, sizeof(*s->data));
	s->border = calloc((size_t)s->n + 1, sizeof(*s->border));
	if (!s->parts || !s->data || !s->border)
		return tp_fail(diag, TP_NOMEM, "team", NULL, "out of memory");
	enum tp_status status =
		reserve(&s->region, sparse_bytes + x_bytes + y_bytes, s->pages, diag);
	if (status != TP_OK)
		return status;
	tp_sparse_place(&s->made, s->region.at, &s->placed);
	s->x = (double *)(void *)(s->region.at + sparse_bytes);
	s->y = (double *)(void *)(s->region.at + sparse_bytes + x_bytes);
	tp_sparse_split(&s->made, s->n, s->border);
	for (unsigned i = 0; i < s->n; i++) {
		s->parts[i] = (struct part){
			.share = { &s->placed, s->x, s->y, s->border[i], s->border[i + 1] },
			.whole = s,
			.number = i,
		};
		s->data[i] = &s->parts[i];
	}
	tp_team_run(team, place_part, s->data);
	tp_sparse_release(&s->made);
	const struct tp_buffer touched = { .data = s->region.at,
					   .bytes = sparse_bytes + x_bytes + y_bytes,
					   .pages = s->pages };
	tp_buffer_obtained(&touched, s->row->pages, sizeof(s->row->pages));
	return TP_OK;
}

/* --- the race of its loops --- */

static void run_trial(void *data, uint64_t passes)
{
	struct part *p = data;
	(void)passes;
	p->loop(&p->share, p->passes);
}

/* Seconds of the slowest thread. */
static double trial(struct spmv *s, struct tp_team *team, tp_spmv_fn *loop, uint64_t passes)
{
	double seconds = 0;
	for (unsigned i = 0; i < s->n; i++) {
		s->parts[i].loop = loop;
		s->parts[i].passes = passes;
	}
	tp_team_run(team, run_trial, s->data);
	for (unsigned i = 0; i < s->n; i++)
		seconds = fmax(seconds, tp_team_thread_seconds(team, i));
	return seconds;
}

/* Every loop must give the right result before any of them is timed. */
static enum tp_status check(struct spmv *s, struct tp_team *team, const struct tp_spmv_loop *loop,
			    double *seconds, struct tp_diag *diag)
{
	const struct kept *k = s->kept;
	char where[64];
	snprintf(where, sizeof(where), "%s (%s)", tp_format_name(s->placed.format), loop->name);
	for (uint32_t i = 0; i < k->matrix.n_rows; i++)
		s->y[i] = NAN; /* a row that is not written is wrong, too */
	*seconds = trial(s, team, loop->run, 1);
	return tp_matrix_check(&k->matrix, s->y, k->expected, k->magnitude, where, diag);
}

static enum tp_status choose_loop(struct spmv *s, struct tp_team *team, struct tp_spmv_loop *winner,
				  struct tp_diag *diag)
{
	struct tp_spmv_loop loops[TP_SPMV_LOOPS_MAX];
	double best[TP_SPMV_LOOPS_MAX], once = INFINITY, started = tp_now_seconds();
	unsigned n = tp_spmv_loops(&s->placed, loops), won = 0;
	for (unsigned i = 0; i < n; i++) {
		enum tp_status status = check(s, team, &loops[i], &best[i], diag);
		if (status != TP_OK)
			return status;
		once = fmin(once, best[i]);
	}
	uint64_t passes = once > 0 ? (uint64_t)fmin(1e6, ceil(TRIAL_SECONDS / once)) : 1000;
	for (int round = 0; round < ROUNDS && !tp_stop_asked; round++) {
		if (round > 1 && tp_now_seconds() - started > RACE_SECONDS)
			break;
		for (unsigned i = 0; i < n; i++) {
			if (round > 0 && best[i] > LOST * best[won])
				continue;
			double seconds = trial(s, team, loops[i].run, passes) / (double)passes;
			/* The first touch of its data was in what the check took. */
			best[i] = round > 0 ? fmin(best[i], seconds) : seconds;
		}
		for (unsigned i = 0; i < n; i++)
			won = best[i] < best[won] ? i : won;
	}
	*winner = loops[won];
	return TP_OK;
}

static enum tp_status prepare(void *context, struct tp_team *team, struct tp_compiled *compiled,
			      struct tp_diag *diag)
{
	struct spmv *s = context;
	struct tp_spmv_loop loop = { 0 };
	enum tp_status status = place(s, team, diag);
	if (status == TP_OK)
		status = choose_loop(s, team, &loop, diag);
	if (status != TP_OK)
		return status;
	tp_copy(s->row->body, sizeof(s->row->body), loop.name);
	*compiled = (struct tp_compiled){ .function = loop.run,
					  .data = s->data,
					  .work_per_pass = 2.0 * s->kept->facts.n_entries };
	return TP_OK;
}

static void finish(void *context, const struct tp_team *team)
{
	struct spmv *s = context;
	(void)team;
	tp_sparse_release(&s->made);
	if (s->region.map)
		munmap(s->region.map, s->region.map_bytes);
	free(s->parts);
	free(s->data);
	free(s->border);
}

/* --- a point --- */

/* Caches of the cores that work, without what a virtual machine shares with its host. */
static uint64_t cache_bytes(const struct tp_machine *machine, unsigned threads)
{
	uint64_t bytes = tp_machine_share(machine, 2, threads);
	return threads * (bytes ? bytes : tp_machine_share(machine, 1, threads));
}

/* Formats that do not suit the matrix may be many times its size. */
static enum tp_status check_memory(const struct tp_machine *machine, const struct kept *k,
				   enum tp_sparse_format format, struct tp_diag *diag)
{
	const double need = 2.0 * (double)tp_sparse_size(&k->facts, format).bytes;
	const double limit = MEMORY_SHARE * (double)machine->available_bytes;
	char a[32], b[32];
	if (need <= limit)
		return TP_OK;
	return tp_fail(diag, TP_UNSUPPORTED, "format", "choose a smaller matrix",
		       "%s is left out: with its padding it would need %s, and only %s of this "
		       "machine's memory may be used",
		       tp_format_name(format), tp_format_bytes(a, sizeof(a), (uint64_t)need),
		       tp_format_bytes(b, sizeof(b), (uint64_t)limit));
}

/* What the format makes of the point: its bytes, its level, its intensity. */
static void describe(const struct tp_machine *machine, const struct spmv *s,
		     struct tp_window_plan *window, struct tp_point *point)
{
	struct tp_spmv_row *row = point->row;
	const double entries = s->kept->facts.n_entries;
	const uint64_t bytes = s->made.bytes + 8 * ((uint64_t)s->made.n_rows + s->made.n_columns);
	row->format_bytes = s->made.bytes;
	row->nonzeros = s->made.n_entries;
	row->padding = (double)s->made.stored / entries;
	row->kernel.ai_flop_per_byte = 2 * entries / (double)bytes;
	row->kernel.working_set_bytes = bytes / point->threads;
	window->kernel.working_set_bytes = row->kernel.working_set_bytes;
	window->level = tp_planner_class(machine, row->kernel.working_set_bytes, point->threads);
	tp_copy(row->kernel.level, sizeof(row->kernel.level), tp_planner_level_name(window->level));
}

static enum tp_status make_format(struct tp_bench *bench, const struct tp_spmv_plan *plan,
				  struct spmv *s, struct tp_point *point, struct tp_diag *diag)
{
	struct tp_spmv_row *row = point->row;
	struct kept *k = tp_bench_own(bench, &kept_kind);
	struct tp_matrix_advice advice;
	if (!k)
		return tp_fail(diag, TP_NOMEM, "bench", NULL, "out of memory");
	enum tp_status status = ready_matrix(bench, plan, k, diag);
	if (status != TP_OK)
		return status;
	tp_matrix_advise(&k->facts, plan->padding, cache_bytes(bench->machine, point->threads),
			 point->threads, &advice);
	s->kept = k;
	s->row = &row->kernel;
	status = check_memory(bench->machine, k, plan->format, diag);
	if (status == TP_OK)
		status = tp_sparse_make(&k->matrix, &k->facts, plan->format, plan->padding,
					&s->made, diag);
	if (status == TP_OK)
		tell_matrix(bench, point, k, &advice);
	return status;
}

enum tp_status tp_spmv_run(struct tp_bench *bench, const struct tp_planned *asked,
			   struct tp_point *point, struct tp_diag *diag)
{
	const double started = tp_bench_now(bench);
	struct tp_spmv_plan plan = *tp_spmv_plan(asked);
	struct tp_planned planned = *asked;
	struct spmv s = { .pages = asked->pages };
	const struct tp_window_code code = { .prepare = prepare, .finish = finish, .context = &s };
	planned.row = &plan;
	enum tp_status status = make_format(bench, &plan, &s, point, diag);
	const double ready = tp_bench_now(bench) - started;
	if (status == TP_OK) {
		describe(bench->machine, &s, &plan.window, point);
		status = tp_window_run_code(bench, &planned, &code, point, diag);
		tp_sparse_release(&s.made); /* where no team was to be had */
		point->touch_seconds += ready;
		return status;
	}
	point->invocations = 1;
	point->touch_seconds = ready;
	point->diag = *diag;
	/* Pages show what happened; where it did, such as the line of a file, goes before it. */
	if (status != TP_UNSUPPORTED)
		snprintf(point->diag.what, sizeof(point->diag.what), "%.180s: %.200s", diag->where,
			 diag->what);
	point->state = TP_POINT_FAILED;
	if (status != TP_UNSUPPORTED && status != TP_CANCELLED)
		return status;
	/* A format that does not suit the matrix is no failure. */
	point->state = TP_POINT_SKIPPED;
	return status == TP_UNSUPPORTED ? TP_OK : status;
}
