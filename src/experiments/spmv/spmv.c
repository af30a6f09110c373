/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sparse matrix times a vector, in each of five formats. Roofs are planned as well, so that the
 * formats are dots below them. The matrix is read or generated once for all its formats; each is
 * made, laid out in memory that its threads touch first, checked against a reference, and run by
 * the fastest of its loops.
 */
#include <errno.h>
#include "base/str.h"
#include "base/text.h"
#include "experiments/windows/planner.h"
#include "experiments/spmv/row.h"
#include "experiments/windows/bench.h"
#include "experiments/windows/roofs.h"
#include "matrix/source.h"
#include "measure/buffer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "analysis/stats.h"
#include "base/now.h"
#include "base/process.h"
#include "record/dot.h"
#include "matrix/facts.h"
#include "matrix/loops.h"
#include "matrix/market.h"
#include "matrix/matrix.h"
#include "matrix/sparse.h"
#include "preset/shared_options.h"

struct tp_spmv_plan {
	struct tp_window_plan window; /* first: of a roof, all there is */
	bool multiplies;
	const char *matrix; /* in the plan's arena */
	uint64_t seed;
	bool reorders; /* rcm */
	enum tp_sparse_format format;
	double padding;
	uint64_t memory_bytes; /* while it is made ready */
};
static inline struct tp_spmv_plan *tp_spmv_plan(const struct tp_planned *planned)
{
	return planned->row;
}

/* A trial of a loop lasts this long at least, and all trials together not much longer than that. */
#define TRIAL_SECONDS 200e-6
#define RACE_SECONDS  0.5
enum { ROUNDS = 7 };
/* A loop that is slower than the fastest by this much after a round has lost. */
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

static void drop_kept(void *own)
{
	struct kept *k = own;
	free(k->name);
	free(k->x);
	free(k->expected);
	free(k->magnitude);
	tp_matrix_release(&k->matrix);
	*k = (struct kept){ 0 };
}

static const struct tp_bench_kind kept_kind = { .bytes = sizeof(struct kept),
						.release = drop_kept,
						.rest = drop_kept };

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
	const struct tp_model *model; /* of a simulated machine */
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

static void make_vectors(struct kept *k)
{
	const size_t rows = k->matrix.n_rows, columns = k->matrix.n_columns;
	k->x = tp_alloc(columns + TP_VECTOR_SLACK, sizeof(*k->x));
	k->expected = tp_alloc(rows, sizeof(*k->expected));
	k->magnitude = tp_alloc(rows, sizeof(*k->magnitude));
	for (uint32_t j = 0; j < columns; j++)
		/* Numbers of both signs that no power of two divides: sums round. */
		k->x[j] = (j % 2 ? -1.0 : 1.0) * (0.5 + (double)(j * 2654435761u >> 8) * 0x1p-24) /
			  1.1;
	tp_matrix_multiply(&k->matrix, k->x, k->expected, k->magnitude);
}

static enum tp_status reorder_matrix(struct kept *k, struct tp_diag *diag)
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

static enum tp_status ready_matrix(struct tp_bench *bench, const struct tp_spmv_plan *plan,
				   struct kept *k, struct tp_diag *diag)
{
	struct tp_matrix_source source;
	size_t summed = 0;
	if (k->name && strcmp(k->name, plan->matrix) == 0 && k->seed == plan->seed &&
	    k->reordered == plan->reorders)
		return TP_OK;
	drop_kept(k);
	enum tp_status status = tp_matrix_source_parse(&source, plan->matrix, diag);
	if (status == TP_OK)
		status = tp_matrix_load(&source, plan->seed, &k->matrix, &summed, diag);
	if (status == TP_OK && tp_matrix_entries(&k->matrix) == 0)
		status = tp_fail(diag, TP_UNSUPPORTED, plan->matrix, NULL,
				 "the matrix has no non-zeros, so there is nothing to measure");
	if (status == TP_OK && summed)
		tp_watch_say(bench->watch, plan->matrix, NULL,
			     "%zu entries stand at a place that has one already: they were added "
			     "to it",
			     summed);
	if (status == TP_OK && plan->reorders)
		status = reorder_matrix(k, diag);
	if (status == TP_OK) {
		tp_matrix_look(&k->matrix, &k->facts);
		make_vectors(k);
	}
	k->name = tp_strdup(plan->matrix);
	k->seed = plan->seed;
	k->reordered = plan->reorders;
	if (status != TP_OK)
		drop_kept(k);
	return status;
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
	struct tp_spmv_facts *f = &told.facts;
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
	/* Checks once more whether to go on before the first window. */
	(void)tp_watch_row(bench->watch, &tp_matrix_event, &told);
}

/* --- its place in memory --- */

static enum tp_status reserve_region(struct region *r, size_t bytes, enum tp_pages pages,
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

static enum tp_status place_format(struct spmv *s, struct tp_team *team, struct tp_diag *diag)
{
	const size_t sparse_bytes = tp_sparse_memory(&s->made);
	const size_t x_bytes = vector_bytes(s->made.n_columns),
		     y_bytes = vector_bytes(s->made.n_rows);
	s->n = tp_team_size(team);
	s->parts = tp_alloc(s->n, sizeof(*s->parts));
	s->data = tp_alloc(s->n, sizeof(*s->data));
	s->border = tp_alloc((size_t)s->n + 1, sizeof(*s->border));
	enum tp_status status =
		reserve_region(&s->region, sparse_bytes + x_bytes + y_bytes, s->pages, diag);
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
static double time_trial(struct spmv *s, struct tp_team *team, tp_spmv_fn *loop, uint64_t passes)
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
static enum tp_status check_loop(struct spmv *s, struct tp_team *team,
				 const struct tp_spmv_loop *loop, double *seconds,
				 struct tp_diag *diag)
{
	const struct kept *k = s->kept;
	char where[64];
	snprintf(where, sizeof(where), "%s (%s)", tp_format_name(s->placed.format), loop->name);
	for (uint32_t i = 0; i < k->matrix.n_rows; i++)
		s->y[i] = NAN; /* a row that is not written is wrong, too */
	*seconds = time_trial(s, team, loop->run, 1);
	return tp_matrix_check(&k->matrix, s->y, k->expected, k->magnitude, where, diag);
}

static enum tp_status choose_loop(struct spmv *s, struct tp_team *team, struct tp_spmv_loop *winner,
				  struct tp_diag *diag)
{
	struct tp_spmv_loop loops[TP_SPMV_LOOPS_MAX];
	double best[TP_SPMV_LOOPS_MAX], once = INFINITY, started = tp_now_seconds();
	unsigned n = tp_spmv_loops(&s->placed, loops), won = 0;
	for (unsigned i = 0; i < n; i++) {
		enum tp_status status = check_loop(s, team, &loops[i], &best[i], diag);
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
			double seconds = time_trial(s, team, loops[i].run, passes) / (double)passes;
			/* The first touch of its data was in what the check took. */
			best[i] = round > 0 ? fmin(best[i], seconds) : seconds;
		}
		for (unsigned i = 0; i < n; i++)
			won = best[i] < best[won] ? i : won;
	}
	*winner = loops[won];
	return TP_OK;
}

static enum tp_status prepare_windows(void *context, struct tp_team *team,
				      struct tp_compiled *compiled, struct tp_diag *diag)
{
	struct spmv *s = context;
	struct tp_spmv_loop loop = { 0 };
	enum tp_status status = place_format(s, team, diag);
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

/*
 * x is loaded element by element, unless a format keeps them in runs; a cache that does not hold
 * two of it fetches a line for each entry that is far from the others.
 */
static enum tp_status describe_windows(void *context, const double caches[TP_CACHE_LEVELS],
				       struct tp_window_pass *pass, struct tp_compiled *compiled,
				       struct tp_diag *diag)
{
	const struct spmv *s = context;
	const struct tp_matrix_facts *f = &s->kept->facts;
	const struct tp_model_isa *isa = tp_model_isa(s->model, s->row->isa),
				  *one = tp_model_isa(s->model, "scalar");
	if (!isa || !one)
		return tp_fail(diag, TP_UNSUPPORTED, "spmv", NULL,
			       "the machine model has no rate of its loads");
	bool runs = s->made.format == TP_SPARSE_DIA || s->made.format == TP_SPARSE_BCSR;
	double rows = 8.0 * f->n_rows, columns = 8.0 * f->n_columns, n = s->n;
	double matrix = (double)s->made.bytes, values = (double)s->made.stored;
	double far = fmax(columns, LINE_BYTES * f->scatter * f->n_entries);
	double vectors = isa->vector_bytes * isa->loads_per_cycle;
	pass->slot_cycles = (matrix / vectors +
			     values / (runs ? vectors / sizeof(double) : one->loads_per_cycle)) /
			    n;
	pass->vector_bytes = isa->vector_bytes;
	pass->in[1] = (matrix + 8 * values + rows) / n;
	for (int i = 2; i <= 4; i++) {
		bool fits = 2 * columns <= n * caches[i - 1];
		pass->in[i] = (matrix + rows +
			       (fits || s->made.format == TP_SPARSE_DIA ? columns : far)) /
			      n;
		pass->out[i] = rows / n;
	}
	compiled->work_per_pass = 2.0 * f->n_entries;
	return TP_OK;
}

static void finish_windows(void *context, const struct tp_team *team)
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

/* Formats that do not suit the matrix may be many times its size. */
static enum tp_status check_memory(const struct tp_machine *machine, const struct kept *k,
				   enum tp_sparse_format format, struct tp_diag *diag)
{
	const double need = 2.0 * (double)tp_sparse_size(&k->facts, format).bytes;
	const double limit = tp_machine_room_bytes(machine, MEMORY_SHARE);
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
static void describe_format(const struct tp_machine *machine, const struct spmv *s,
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
	enum tp_status status = ready_matrix(bench, plan, k, diag);
	if (status != TP_OK)
		return status;
	/* Without what a virtual machine shares with its host. */
	uint64_t cache = tp_machine_share(bench->machine, 2, point->threads);
	if (!cache)
		cache = tp_machine_share(bench->machine, 1, point->threads);
	tp_matrix_advise(&k->facts, plan->padding, point->threads * cache, point->threads, &advice);
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

/* As tp_experiment.run. */
static enum tp_status spmv_run(struct tp_bench *bench, const struct tp_planned *asked,
			       struct tp_point *point, struct tp_diag *diag)
{
	const double started = tp_bench_now(bench);
	struct tp_spmv_plan plan = *tp_spmv_plan(asked);
	struct tp_planned planned = *asked;
	struct spmv s = { .pages = asked->pages,
			  .model = &bench->machine->model,
			  .n = point->threads };
	const struct tp_window_code code = { .prepare = prepare_windows,
					     .describe = describe_windows,
					     .finish = finish_windows,
					     .context = &s };
	planned.row = &plan;
	enum tp_status status = make_format(bench, &plan, &s, point, diag);
	const double ready = tp_bench_now(bench) - started;
	if (status == TP_OK) {
		describe_format(bench->machine, &s, &plan.window, point);
		status = tp_window_run_code(bench, &planned, &code, point, diag);
		tp_sparse_release(&s.made); /* if a team was not available */
		point->touch_seconds += ready;
		return status;
	}
	point->invocations = 1;
	point->touch_seconds = ready;
	/* A format that does not suit the matrix is not a failure. */
	if (status == TP_UNSUPPORTED || status == TP_CANCELLED) {
		point->state = TP_POINT_SKIPPED;
		point->diag = *diag;
		return status == TP_UNSUPPORTED ? TP_OK : status;
	}
	/* Pages show what happened; where it did, such as the line of a file, goes before it. */
	const struct tp_diag why = *diag;
	snprintf(diag->what, sizeof(diag->what), "%.180s: %.200s", why.where, why.what);
	return status;
}

/* The bandwidth measured for the level of a multiplication; 0 = none. */
static double bandwidth_of(const struct tp_run *run, const struct tp_point *p)
{
	TP_EACH_POINT (roof, run) {
		if (roof->state == TP_POINT_DONE && !tp_kernel_row(roof)->fp_op[0] &&
		    tp_reduce_same_series(roof, p) &&
		    strcmp(tp_kernel_row(roof)->level, tp_kernel_row(p)->level) == 0)
			return tp_point_median(roof);
	}
	return 0;
}

static void add_dot(struct tp_run *run, const struct tp_point *p)
{
	const struct tp_spmv_row *row = tp_spmv_row(p);
	double peak = tp_reduce_peak(run, p, NULL), bandwidth = bandwidth_of(run, p);
	char way[48];
	snprintf(way, sizeof(way), "%.5s%s", row->format,
		 strcmp(row->reorder, "rcm") == 0 ? " rcm" : "");
	struct tp_dot *dot = tp_dot_add(run, p, way);
	if (peak > 0 && bandwidth > 0)
		tp_dot_set_roof(dot, tp_roof_attainable(peak, bandwidth, dot->ai_flop_per_byte));
}

/* The verdict on the advice, by the points of a matrix. */
static void judge_advice(const struct tp_run *run, struct tp_matrix_row *m)
{
	m->fastest[0] = '\0';
	m->fastest_gflops = m->advised_gflops = 0;
	TP_EACH_POINT (p, run) {
		const double gflops = tp_point_median(p);
		if (!tp_spmv_belongs(p, m))
			continue;
		if (gflops > m->fastest_gflops) {
			m->fastest_gflops = gflops;
			tp_copy(m->fastest, sizeof(m->fastest), tp_spmv_row(p)->format);
		}
		if (strcmp(tp_spmv_row(p)->format, m->facts.advice) == 0)
			m->advised_gflops = gflops;
	}
	m->agrees = m->advised_gflops > 0 &&
		    m->advised_gflops >= (1 - TP_SPMV_EQUAL) * m->fastest_gflops;
}

/* As tp_experiment.reduce: roofs, dots below them, and matrices with their verdicts. */
static void spmv_reduce(const struct tp_machine *machine, struct tp_run *run, unsigned index)
{
	tp_reduce_roofs(machine, run, index);
	for (size_t i = 0; i < run->n_points; i++)
		if (run->points[i].run == index && tp_spmv_is_done(&run->points[i]))
			add_dot(run, &run->points[i]);
	for (size_t i = 0; i < tp_run_n_matrices(run); i++)
		if (tp_run_matrices(run)[i].run == index)
			judge_advice(run, &tp_run_matrices(run)[i]);
}

/*
 * Bytes of an entry while it is made ready: read (16), compressed rows (12), a format without
 * padding (16) and its copy (16); and of a row: both vectors and what they are compared with.
 */
enum { ENTRY_BYTES = 60, ROW_BYTES = 56 };
/*
 * Seconds for an entry and for a row: to read or generate it and look at it, to reorder it, and to
 * make a format of it; and bytes a second of a multiplication. Guesses, but not too low: an engine
 * that is silent for much longer than its point's estimate counts as hung.
 */
#define LOAD_ENTRY	   200e-9
#define LOAD_ROW	   200e-9
#define REORDER_ENTRY	   900e-9
#define REORDER_ROW	   400e-9
#define MAKE_ENTRY	   100e-9
#define MAKE_ROW	   50e-9
#define FAR_BYTES_A_SECOND 5e9

/* A roof takes its race and its windows. */
#define ROOF_TIMES 1.6

static double limit_seconds(const struct tp_plan_context *context)
{
	return tp_config_real(context->config, TP_OPT_STOP_MAX_TIME);
}

/* Only loads, as a multiplication hardly stores, and the peak of its instruction. */
static enum tp_status plan_roofs(struct tp_plan_context *context, const struct tp_choices *c,
				 const struct tp_combination *combination, struct tp_diags *diags)
{
	const struct tp_ratio loads = { .loads = 1 };
	struct tp_planned *p = tp_planner_fp(context, combination, TP_FP_FMA, diags);
	if (!p)
		return TP_RESOURCE;
	p->point.estimate_seconds = ROOF_TIMES * limit_seconds(context);
	for (size_t l = 0; l < c->n_levels; l++) {
		p = tp_planner_memory(context, combination, loads, false, 0, c->levels[l], diags);
		if (!p)
			return TP_RESOURCE;
		p->point.estimate_seconds = ROOF_TIMES * limit_seconds(context);
	}
	return TP_OK;
}

static enum tp_status plan_format(struct tp_plan_context *context,
				  const struct tp_combination *combination,
				  const struct tp_matrix_source *source, bool reorders,
				  enum tp_sparse_format format, bool first, struct tp_diags *diags)
{
	const double entries = (double)source->entries;
	const double rows = (double)source->n_rows + source->n_columns;
	const uint64_t vectors = 8 * ((uint64_t)source->n_rows + source->n_columns);
	const uint64_t bytes = (12 * source->entries + vectors) / combination->threads;
	struct tp_planned *p =
		tp_plan_add(context, combination->threads, combination->cpus, 0, diags);
	if (!p)
		return TP_RESOURCE;
	struct tp_spmv_plan *plan = tp_spmv_plan(p);
	plan->multiplies = true;
	plan->matrix = tp_config_text(context->config, TP_OPT_MATRIX);
	plan->seed = tp_config_count(context->config, TP_OPT_SEED);
	plan->reorders = reorders;
	plan->format = format;
	plan->padding = tp_config_real(context->config, TP_OPT_PADDING);
	plan->memory_bytes = ENTRY_BYTES * source->entries +
			     ROW_BYTES * ((uint64_t)source->n_rows + source->n_columns);
	/* As compressed rows; the exact size is known when the format is made. */
	plan->window.kernel.working_set_bytes = bytes;
	plan->window.level = tp_planner_class(context->machine, bytes, combination->threads);
	snprintf(p->point.kernel, sizeof(p->point.kernel), "spmv-%s%s", tp_format_name(format),
		 reorders ? "-rcm" : "");
	struct tp_spmv_row *row = p->point.row;
	tp_copy(row->matrix, sizeof(row->matrix), plan->matrix);
	tp_copy(row->reorder, sizeof(row->reorder), reorders ? "rcm" : "none");
	tp_copy(row->format, sizeof(row->format), tp_format_name(format));
	tp_copy(row->kernel.isa, sizeof(row->kernel.isa), combination->isa->name);
	tp_copy(row->kernel.precision, sizeof(row->kernel.precision), combination->precision->name);
	tp_copy(row->kernel.level, sizeof(row->kernel.level),
		tp_planner_level_name(plan->window.level));
	tp_copy(row->kernel.fp_op, sizeof(row->kernel.fp_op), tp_fp_op_name(TP_FP_FMA));
	row->kernel.working_set_bytes = bytes;
	p->point.estimate_seconds = limit_seconds(context) + MAKE_ENTRY * entries + MAKE_ROW * rows;
	/* The formats that follow find the matrix there. */
	if (first)
		p->point.estimate_seconds += LOAD_ENTRY * entries + LOAD_ROW * rows;
	if (first && reorders)
		p->point.estimate_seconds += REORDER_ENTRY * entries + REORDER_ROW * rows;
	return TP_OK;
}

/* What is known of the matrix before it is there: where the file is wrong, and what it takes. */
static enum tp_status check_source(struct tp_plan_context *context, struct tp_matrix_source *source,
				   struct tp_diags *diags)
{
	const char *text = tp_config_text(context->config, TP_OPT_MATRIX);
	struct tp_diag why = { 0 };
	enum tp_status status = tp_matrix_source_parse(source, text, &why);
	if (status != TP_OK)
		return tp_planner_refuse(context, diags, status, TP_OPT_MATRIX, why.hint,
					 "%.180s: %s", why.where, why.what);
	const double need = ENTRY_BYTES * (double)source->entries +
			    ROW_BYTES * ((double)source->n_rows + source->n_columns);
	const double limit = tp_machine_room_bytes(context->machine, MEMORY_SHARE);
	char a[32], b[32];
	if (need > limit)
		return tp_planner_refuse(
			context, diags, TP_RESOURCE, TP_OPT_MATRIX, "choose a smaller matrix",
			"making the matrix ready needs %s, and only %s of this machine's memory "
			"may be used",
			tp_format_bytes(a, sizeof(a), (uint64_t)need),
			tp_format_bytes(b, sizeof(b), (uint64_t)limit));
	const double pass = 12.0 * (double)source->entries / FAR_BYTES_A_SECOND;
	const double windows = (double)tp_config_count(context->config, TP_OPT_STOP_MIN_COUNT);
	if (pass * windows > limit_seconds(context))
		tp_planner_note(context, TP_OPT_STOP_MAX_TIME,
				"a multiplication may take %.2g s, so %g s are too short for %g "
				"windows: set stop.max_time to %.2g s",
				pass, limit_seconds(context), windows, ceil(2 * pass * windows));
	return TP_OK;
}

/* Files up to this many bytes are read once before anything is measured. */
#define CHECK_BYTES ((uint64_t)1 << 30)

/* An earlier run of the preset has the same matrix. */
static bool is_checked(const struct tp_plan_context *context)
{
	const char *matrix = tp_config_text(context->config, TP_OPT_MATRIX);
	for (unsigned i = 1; i <= context->run; i++) {
		const struct tp_config *earlier = context->config - i;
		if (strcmp(tp_config_text(earlier, TP_OPT_EXPERIMENT), "spmv") == 0 &&
		    strcmp(tp_config_text(earlier, TP_OPT_MATRIX), matrix) == 0)
			return true;
	}
	return false;
}

/* As tp_experiment.check: every line of the file. */
static enum tp_status check_file(struct tp_plan_context *context, struct tp_diags *diags)
{
	const char *text = tp_config_text(context->config, TP_OPT_MATRIX);
	struct tp_matrix_source source;
	struct tp_market market;
	struct tp_diag why = { 0 };
	struct stat st;
	enum tp_status status = tp_matrix_source_parse(&source, text, &why);
	if (status == TP_OK && (source.kind != TP_MATRIX_FILE || is_checked(context)))
		return TP_OK;
	if (status == TP_OK && stat(text, &st) == 0 && (uint64_t)st.st_size > CHECK_BYTES) {
		char a[32];
		tp_diags_note(diags, text, NULL,
			      "the file has more than %s: its entries are checked when they are "
			      "read",
			      tp_format_bytes(a, sizeof(a), CHECK_BYTES));
		return TP_OK;
	}
	if (status == TP_OK)
		status = tp_market_read(text, TP_MARKET_CHECK, &market, NULL, &why);
	return status == TP_OK ? TP_OK
			       : tp_planner_refuse(context, diags, status, TP_OPT_MATRIX, why.hint,
						   "%.180s: %s", why.where, why.what);
}

static enum tp_status plan_team(struct tp_plan_context *context, const struct tp_choices *c,
				const struct tp_combination *combination,
				const struct tp_matrix_source *source, struct tp_diags *diags)
{
	const struct tp_value *reorders = tp_config_value(context->config, TP_OPT_REORDER);
	const struct tp_value *formats = tp_config_value(context->config, TP_OPT_FORMAT);
	enum tp_status status = TP_OK;
	if (tp_config_count(context->config, TP_OPT_ROOFS))
		status = plan_roofs(context, c, combination, diags);
	for (size_t r = 0; r < reorders->n && status == TP_OK; r++)
		for (size_t f = 0; f < formats->n && status == TP_OK; f++)
			status = plan_format(context, combination, source,
					     strcmp(reorders->items[r].text, "rcm") == 0,
					     tp_format_find(formats->items[f].text), f == 0, diags);
	return status;
}

static enum tp_status plan(struct tp_plan_context *context, struct tp_diags *diags)
{
	struct tp_choices c;
	struct tp_matrix_source source;
	enum tp_status status = tp_planner_choices(context, &c, diags);
	enum tp_status found = check_source(context, &source, diags);
	if (found != TP_OK)
		return found;
	if (tp_pages_find(tp_config_text(context->config, TP_OPT_PAGES)) == TP_PAGES_HUGETLB)
		return tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_PAGES,
					 "default, thp or small",
					 "spmv takes no pages that were set aside before");
	if (source.n_rows != source.n_columns) {
		const struct tp_value *reorders = tp_config_value(context->config, TP_OPT_REORDER);
		for (size_t r = 0; r < reorders->n; r++)
			if (strcmp(reorders->items[r].text, "rcm") == 0)
				return tp_planner_refuse(
					context, diags, TP_USAGE, TP_OPT_REORDER,
					"choose reorder: none",
					"rcm orders rows and columns alike, and the matrix has %u "
					"rows and %u columns",
					source.n_rows, source.n_columns);
	}
	for (size_t t = 0; t < c.n_threads && status == TP_OK; t++) {
		/* The widest: loops for all of them are tried. */
		const struct tp_combination combination = { c.isas[c.n_isas - 1],
							    tp_precision_find("double"),
							    c.threads[t], c.cpus[t] };
		status = plan_team(context, &c, &combination, &source, diags);
	}
	return status;
}

/* Where a working set lies is known when the format is made; the plan only guesses. */
static bool continues(const struct tp_point *found, const struct tp_point *planned)
{
	const struct tp_spmv_row *a = tp_spmv_row(found), *b = tp_spmv_row(planned);
	return strcmp(found->kernel, planned->kernel) == 0 &&
	       strcmp(a->kernel.isa, b->kernel.isa) == 0 && strcmp(a->matrix, b->matrix) == 0 &&
	       strcmp(a->reorder, b->reorder) == 0 && strcmp(a->format, b->format) == 0 &&
	       (a->format[0] || strcmp(a->kernel.level, b->kernel.level) == 0);
}

static uint64_t memory_bytes(const struct tp_planned *planned)
{
	return tp_spmv_plan(planned)->memory_bytes;
}

static enum tp_status run(struct tp_bench *bench, const struct tp_planned *planned,
			  struct tp_point *point, struct tp_diag *diag)
{
	return (tp_spmv_plan(planned)->multiplies ? spmv_run : tp_window_run)(bench, planned, point,
									      diag);
}

const struct tp_experiment tp_experiment_spmv = {
	.name = "spmv",
	.question = "Which sparse format is fastest?",
	.summary =
		"sparse matrix times vector in five formats: speeds as dots below the roofs, and "
		"the format that suits the matrix",
	.estimates = true,
	.supported = tp_experiment_supported_anywhere,
	.plan = plan,
	.check = check_file,
	.plan_bytes = sizeof(struct tp_spmv_plan),
	.run = run,
	.repeated = &tp_window_repeated,
	.reduce = spmv_reduce,
	.doubt = tp_doubt_roofs,
	.continues = continues,
	.memory_bytes = memory_bytes,
};
