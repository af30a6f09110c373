/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loops of patterns as layer conditions take them, and times as ECM and the roofline predict them
 * from bandwidths of the same run.
 */
#include "experiments/pattern/predict.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/memory.h"

/* Where subscripts are looked at: far from the negative, and three steps from there. */
enum { BASE = 16, STEPS = 3 };
/* Grids are no longer than this in n. */
#define N_MOST (INT64_C(1) << 32)

_Static_assert((int)TP_STENCIL_LOOPS_MAX >= TP_PATTERN_FORMALS_MAX &&
		       (int)TP_STENCIL_ARRAYS_MAX >= TP_PATTERN_ARRAYS_MAX,
	       "all of a pattern has room");

/* --- the order of the loops --- */

/* The dimensions of time by the formals of the statement, and how long their blocks are. */
struct order {
	unsigned formals[TP_PATTERN_FORMALS_MAX]; /* of each loop, the outermost first */
	double blocks[TP_PATTERN_FORMALS_MAX]; /* of each formal; INFINITY = none */
	size_t n;
};

/* The next name or expression in brackets, up to , or ]; NULL at the end. Moves past it. */
static const char *next_item(const char **at, char *item, size_t size)
{
	const char *text = *at + strspn(*at, " \t\n");
	int depth = 0;
	size_t n = 0;
	if (!*text || *text == ']')
		return NULL;
	for (; *text && (depth > 0 || (*text != ',' && *text != ']')); text++) {
		depth += (*text == '(') - (*text == ')');
		if (!isspace((unsigned char)*text) && n + 1 < size)
			item[n++] = *text;
	}
	item[n] = '\0';
	*at = text + (*text == ',');
	return item;
}

/* The names of "[i, j]" after `at`; 0 if there is anything else. */
static size_t take_names(const char **at, char names[][32], size_t most)
{
	char item[64];
	size_t n = 0;
	*at = strchr(*at, '[');
	if (!*at)
		return 0;
	(*at)++;
	while (next_item(at, item, sizeof(item))) {
		if (n == most || tp_identifier_length(item) != strlen(item) || strlen(item) > 31)
			return 0;
		tp_copy(names[n++], 32, item);
	}
	return n;
}

static bool eval_text(const struct tp_pattern_config *c, const char *text, double *value)
{
	const struct tp_pattern_text expression = { text, { 0 } };
	return tp_pattern_config_eval(c, &expression, 0, value, NULL) == TP_OK;
}

static size_t index_of(const char names[][32], size_t n, const char *name)
{
	size_t i = 0;
	while (i < n && strcmp(names[i], name) != 0)
		i++;
	return i;
}

/*
 * A relation "{ [i, j] -> [floor(i / tile), j, i] }": each input stands for one loop of `order`. It
 * keeps one loop of each, as they stand without floor; floors make blocks.
 */
static bool take_relation(const struct tp_pattern_config *c, const char *text, struct order *order)
{
	char names[TP_PATTERN_FORMALS_MAX][32], item[128];
	const char *at = strchr(text, '{');
	struct order next = *order;
	if (!at || strchr(at, ';') || strchr(at, ':'))
		return false;
	size_t n = take_names(&at, names, TP_PATTERN_FORMALS_MAX);
	if (!at || n != order->n || !(at = strstr(at, "->")) || !(at = strchr(at, '[')))
		return false;
	next.n = 0;
	for (at++; next_item(&at, item, sizeof(item));) {
		char name[32];
		double block;
		size_t i = index_of((const char(*)[32])names, n, item);
		if (i < n && next.n < n) {
			next.formals[next.n++] = order->formals[i];
			continue;
		}
		char *divisor = strchr(item, '/'), *end = item + strlen(item);
		if (strncmp(item, "floor(", 6) != 0 || !divisor || end[-1] != ')')
			return false;
		snprintf(name, sizeof(name), "%.*s", (int)TP_MIN(divisor - item - 6, (ptrdiff_t)31),
			 item + 6);
		end[-1] = '\0';
		i = index_of((const char(*)[32])names, n, name);
		if (i == n || !eval_text(c, divisor + 1, &block) || !(block >= 1))
			return false;
		unsigned formal = order->formals[i];
		next.blocks[formal] = fmin(next.blocks[formal], block);
	}
	if (next.n != n)
		return false;
	*order = next;
	return true;
}

/* False where the schedule is more than permutations and blocks. */
static bool take_order(const struct tp_pattern_config *c, struct order *order)
{
	const struct tp_pattern_part *run = &c->pattern->run;
	*order = (struct order){ .n = c->pattern->statements[0].n_formals };
	for (size_t i = 0; i < order->n; i++) {
		order->formals[i] = (unsigned)i;
		order->blocks[i] = INFINITY;
	}
	for (size_t i = 0; i < run->n_schedule; i++)
		if (!take_relation(c, run->schedule[i].text, order))
			return false;
	return run->n_schedule > 0;
}

/* --- addresses --- */

/* Values of the formals of a statement, and of a map. */
struct scope {
	const struct tp_pattern_config *configuration;
	const char *const *formals;
	const double *values;
	size_t n;
};

static bool value_of(void *context, const char *name, size_t len, double *value)
{
	const struct scope *scope = context;
	char copy[64];
	for (size_t i = 0; i < scope->n; i++)
		if (strlen(scope->formals[i]) == len && memcmp(scope->formals[i], name, len) == 0) {
			*value = scope->values[i];
			return true;
		}
	snprintf(copy, sizeof(copy), "%.*s", (int)TP_MIN(len, sizeof(copy) - 1), name);
	return eval_text(scope->configuration, copy, value);
}

/* In bytes from the first element, for an instance. False: a subscript is not a plain expression.
 */
static bool address_of(const struct tp_pattern_config *c, const struct tp_pattern_access *access,
		       const struct tp_pattern_layout *layout, const double *instance,
		       double *address)
{
	const struct tp_pattern_statement *s = &c->pattern->statements[0];
	const struct tp_pattern_array *a = access->array;
	double indices[TP_PATTERN_FORMALS_MAX], at = 0;
	struct scope of_statement = { c, s->formals, instance, s->n_formals };
	struct scope of_map = { c, a->formals, indices, a->n_formals };
	for (size_t i = 0; i < access->n_arguments; i++)
		if (tp_expression_eval(access->arguments[i], value_of, &of_statement, &indices[i],
				       NULL) != TP_OK)
			return false;
	for (size_t m = 0; m < a->n_map; m++) {
		double index;
		if (tp_expression_eval(a->map[m].text, value_of, &of_map, &index, NULL) != TP_OK ||
		    index != floor(index))
			return false;
		at = at * (m ? (double)layout->extents[m] : 1) + index;
	}
	*address = at * tp_pattern_type_bytes(a->type);
	return fabs(*address) < 0x1p52;
}

/* Where an access goes, and how far each formal moves it; false: it is not affine. */
static bool walk(const struct tp_pattern_config *c, const struct tp_pattern_access *access,
		 const struct tp_pattern_layout *layout, double *base,
		 double strides[TP_PATTERN_FORMALS_MAX])
{
	double instance[TP_PATTERN_FORMALS_MAX];
	size_t n = c->pattern->statements[0].n_formals;
	for (size_t i = 0; i < n; i++)
		instance[i] = BASE;
	if (!address_of(c, access, layout, instance, base))
		return false;
	for (size_t i = 0; i < n; i++) {
		double before = *base, now;
		for (int k = 1; k <= STEPS; k++, before = now) {
			instance[i] = BASE + k;
			if (!address_of(c, access, layout, instance, &now) ||
			    (k > 1 && now - before != strides[i]))
				return false;
			strides[i] = now - before;
		}
		instance[i] = BASE;
	}
	return true;
}

static bool add_access(const struct tp_pattern_config *c, const struct tp_pattern_access *access,
		       const struct order *order, struct tp_stencil *s)
{
	struct tp_pattern_layout layout;
	double base, strides[TP_PATTERN_FORMALS_MAX] = { 0 };
	unsigned array = (unsigned)(access->array - c->pattern->arrays);
	bool known = s->arrays[array].element_bytes > 0;
	if (s->n_accesses == TP_STENCIL_ACCESSES_MAX ||
	    tp_pattern_config_layout(c, access->array, &layout, NULL) != TP_OK ||
	    !walk(c, access, &layout, &base, strides))
		return false;
	s->arrays[array].element_bytes = tp_pattern_type_bytes(access->array->type);
	for (size_t i = 0; i < order->n; i++) {
		int64_t stride = (int64_t)strides[order->formals[i]];
		/* When accesses of one array with different strides meet is unknown. */
		if (known && s->arrays[array].strides_bytes[i] != stride)
			return false;
		s->arrays[array].strides_bytes[i] = stride;
	}
	s->accesses[s->n_accesses].array = array;
	s->accesses[s->n_accesses].offset_bytes = (int64_t)base;
	s->accesses[s->n_accesses].read = access->read;
	s->accesses[s->n_accesses++].write = access->write;
	return true;
}

/*
 * Iterations of each loop, by the array that most loops move through: as many strides as make the
 * next longer one, or the array.
 */
static void take_trips(const struct tp_pattern_config *c, const struct order *order,
		       struct tp_stencil *s)
{
	for (size_t i = 0; i < s->n_loops; i++)
		s->loops[i].whole = 1;
	for (size_t a = 0; a < s->n_arrays; a++) {
		struct tp_pattern_layout layout;
		if (!s->arrays[a].element_bytes ||
		    tp_pattern_config_layout(c, &c->pattern->arrays[a], &layout, NULL) != TP_OK)
			continue;
		for (size_t i = 0; i < s->n_loops; i++) {
			int64_t stride = llabs(s->arrays[a].strides_bytes[i]);
			double longer = (double)layout.bytes;
			for (size_t k = 0; k < s->n_loops; k++) {
				int64_t other = llabs(s->arrays[a].strides_bytes[k]);
				if (other > stride)
					longer = fmin(longer, (double)other);
			}
			if (stride)
				s->loops[i].whole =
					fmax(s->loops[i].whole, longer / (double)stride);
		}
	}
	for (size_t i = 0; i < s->n_loops; i++)
		s->loops[i].trips = fmin(s->loops[i].whole, order->blocks[order->formals[i]]);
}

bool tp_pattern_stencil(const struct tp_pattern_config *c, unsigned line_bytes,
			struct tp_stencil *s)
{
	const struct tp_pattern *p = c->pattern;
	struct tp_pattern_access accesses[TP_PATTERN_ACCESSES_MAX];
	struct tp_arena arena = { 0 };
	TP_STR code = { 0 };
	struct order order;
	size_t n = 0;
	*s = (struct tp_stencil){ .n_arrays = p->n_arrays, .line_bytes = line_bytes };
	if (p->n_statements != 1 || !p->run.domain.text || !take_order(c, &order))
		return false;
	s->n_loops = order.n;
	bool known = tp_pattern_expand(c, &p->statements[0].code, &code, NULL) == TP_OK &&
		     tp_pattern_accesses(p, &p->statements[0], tp_str_text(&code), &arena, accesses,
					 &n, NULL) == TP_OK;
	for (size_t i = 0; i < n && known; i++)
		known = add_access(c, &accesses[i], &order, s);
	tp_arena_release(&arena);
	if (known)
		take_trips(c, &order, s);
	return known && n > 0;
}

/* --- rows of results --- */

static unsigned line_bytes_of(const struct tp_machine *machine)
{
	return machine->cache[1].line_bytes ? machine->cache[1].line_bytes : 64;
}

/* 1 if all reuse of the configuration fits into a cache, 0 if not, -1 if n is too large for it. */
static int fits(const struct tp_pattern_predictor *p, const struct tp_pattern_config *c, int64_t n,
		double cache_bytes)
{
	struct tp_pattern_config tried = *c;
	struct tp_stencil stencil;
	struct tp_stencil_traffic traffic;
	tried.values[p->n_parameter] = n;
	if (!tp_pattern_stencil(&tried, line_bytes_of(p->machine), &stencil) ||
	    !tp_stencil_traffic(&stencil, cache_bytes, &traffic))
		return -1;
	return traffic.misses == traffic.fewest;
}

/* The largest n whose reuse fits; 0 = it fits for all, or for none longer than a line. */
static uint64_t edge(const struct tp_pattern_predictor *p, const struct tp_pattern_config *c,
		     double cache_bytes)
{
	int64_t low = 8 * (int64_t)c->threads, high = N_MOST;
	int at_end = -1;
	while (high > low && (at_end = fits(p, c, high, cache_bytes)) < 0)
		high /= 2;
	if (at_end != 0 || fits(p, c, low, cache_bytes) != 1)
		return 0;
	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;
		if (fits(p, c, middle, cache_bytes) == 1)
			low = middle;
		else
			high = middle;
	}
	return (uint64_t)low;
}

static bool same_but_n(const struct tp_pattern_predictor *p, const struct tp_pattern_config *a,
		       const struct tp_pattern_config *b)
{
	bool same =
		a->pattern == b->pattern && a->template == b->template && a->threads == b->threads;
	for (size_t i = 0; i < a->pattern->n_parameters && same; i++)
		same = (int)i == p->n_parameter || a->values[i] == b->values[i];
	return same;
}

static const struct tp_pattern_edges *edges_of(struct tp_pattern_predictor *p,
					       const struct tp_pattern_config *c)
{
	for (size_t i = 0; i < TP_MIN(p->n_known, TP_COUNT_OF(p->known)); i++)
		if (same_but_n(p, &p->known[i].configuration, c))
			return &p->known[i];
	struct tp_pattern_edges *e = &p->known[p->n_known++ % TP_COUNT_OF(p->known)];
	*e = (struct tp_pattern_edges){ .configuration = *c };
	for (int level = 1; level <= 3; level++) {
		uint64_t share = tp_machine_share(p->machine, level, c->threads);
		if (share && p->n_parameter >= 0)
			e->n[level - 1] = edge(p, c, (double)share);
	}
	return e;
}

void tp_pattern_predict(struct tp_pattern_predictor *p, const struct tp_pattern_config *c,
			struct tp_pattern_row *row)
{
	static const char *const names[] = { "L1", "L2", "L3" };
	struct tp_stencil stencil;
	struct tp_stencil_traffic traffic;
	double bytes[3] = { 0 };
	int last = 0;
	if (!tp_pattern_stencil(c, line_bytes_of(p->machine), &stencil) ||
	    !tp_stencil_traffic(&stencil, 1, &traffic))
		return;
	tp_copy(row->reuse_level, sizeof(row->reuse_level), "none");
	for (int level = 3; level >= 1; level--) {
		uint64_t share = tp_machine_share(p->machine, level, c->threads);
		if (!share)
			continue;
		last = last ? last : level;
		tp_stencil_traffic(&stencil, (double)share, &traffic);
		if (traffic.misses == traffic.fewest)
			tp_copy(row->reuse_level, sizeof(row->reuse_level), names[level - 1]);
		/* Data that fit in a cache as a whole come from nowhere else. */
		if (row->kernel.working_set_bytes > share)
			bytes[level == last ? 2 : level - 1] = traffic.read_bytes +
							       traffic.allocated_bytes +
							       traffic.written_bytes;
	}
	row->l2_bytes = bytes[0];
	row->l3_bytes = bytes[1];
	row->dram_bytes = bytes[2];
	const struct tp_pattern_edges *edges = edges_of(p, c);
	row->l1_n = edges->n[0];
	row->l2_n = edges->n[1];
	row->l3_n = edges->n[2];
}

const char *tp_pattern_not_simulated(const struct tp_pattern_config *c,
				     const struct tp_pattern_row *row)
{
	if (c->pattern->n_statements != 1)
		return "it has several statements";
	if (!row->reuse_level[0])
		return "layer conditions do not describe its loops";
	if (c->pattern->run.parallel == UINT_MAX && c->template != TP_PATTERN_INDEPENDENT &&
	    c->threads > 1)
		return "its threads do not share a loop, and lines that they share are unknown";
	return NULL;
}

enum tp_status tp_pattern_pass(const struct tp_pattern_config *c, const struct tp_machine *machine,
			       const struct tp_isa *isa, const double caches[TP_CACHE_LEVELS],
			       const struct tp_pattern_work *work, struct tp_window_pass *pass,
			       struct tp_diag *diag)
{
	struct tp_stencil s;
	struct tp_stencil_traffic traffic;
	unsigned loads = 0, stores = 0;
	const struct tp_model *model = &machine->model;
	unsigned element = c->pattern->arrays[0].type == TP_PATTERN_FLOAT ? 4 : 8;
	double elements = work->elements / c->threads;
	bool known = tp_pattern_stencil(c, line_bytes_of(machine), &s);
	for (size_t i = 0; i < s.n_accesses; i++) {
		loads += s.accesses[i].read;
		stores += s.accesses[i].write;
	}
	double rate = tp_model_l1_reached_bytes_per_cycle(model, isa->name, element, loads, stores);
	double flops = tp_model_flop_per_cycle(model, isa->name, element, "add");
	if (!known || !(rate > 0) || !(flops > 0))
		return tp_fail(diag, TP_UNSUPPORTED, c->pattern->name, NULL,
			       "layer conditions and the model do not describe its loops");
	pass->in[1] = work->bytes / c->threads;
	pass->slot_cycles = pass->in[1] / rate;
	pass->fp_cycles = work->flops / c->threads / flops;
	pass->vector_bytes = isa->vector_bytes;
	for (int level = 2; level <= 4; level++) {
		tp_stencil_traffic(&s, caches[level - 1], &traffic);
		pass->in[level] = elements * (traffic.read_bytes + traffic.allocated_bytes);
		pass->out[level] = elements * traffic.written_bytes;
	}
	return TP_OK;
}

static const char *const levels[TP_ECM_LEVELS + 1] = { "L1", "L2", "L3", "DRAM", "FP" };

/* Roofs of a number of threads: the best ISA of each level, and the highest peak. */
struct measured {
	double gbps[TP_ECM_LEVELS], crossing, peak_gflops;
};

static void take_roof(const struct tp_point *p, struct measured *m)
{
	const struct tp_kernel_row *k = tp_kernel_row(p);
	double value = tp_point_median(p);
	for (unsigned i = 0; i <= TP_ECM_LEVELS; i++) {
		if (strcmp(k->level, levels[i]) != 0)
			continue;
		if (i == TP_ECM_LEVELS) {
			m->peak_gflops = value > m->peak_gflops ? value : m->peak_gflops;
		} else if (!k->fp_op[0] && !k->nontemporal && k->loads + k->stores > 0 &&
			   value > m->gbps[i]) {
			m->gbps[i] = value;
			/* What is stored was loaded before, and goes back. */
			m->crossing = (k->loads + 2.0 * k->stores) / (k->loads + k->stores);
		}
	}
}

static struct measured measured_for(const struct tp_run *run, const struct tp_point *point)
{
	struct measured m = { .crossing = 1 };
	TP_EACH_POINT (p, run) {
		if (p->state == TP_POINT_DONE && strcmp(p->experiment, "roofline") == 0 &&
		    p->threads == point->threads &&
		    strcmp(tp_kernel_row(p)->precision, tp_kernel_row(point)->precision) == 0)
			take_roof(p, &m);
	}
	return m;
}

static void predict_times(struct tp_run *run, const struct tp_point *point,
			  const struct measured *m)
{
	const struct tp_pattern_row *row = tp_pattern_row(point);
	const struct tp_ecm ecm = {
		.core_ns = m->peak_gflops > 0 ? row->flop_per_element / m->peak_gflops : 0,
		.bytes = { row->bytes_per_element, row->l2_bytes, row->l3_bytes, row->dram_bytes },
		.gbps = { m->gbps[0], m->gbps[1], m->gbps[2], m->gbps[3] },
		.crossing = m->crossing,
	};
	struct tp_ecm_times times;
	if (!tp_ecm(&ecm, &times))
		return;
	struct tp_prediction *p = tp_run_add_row(run, &tp_prediction_part);
	*p = (struct tp_prediction){
		.run = point->run,
		.point = point->point,
		.roofline_ns = times.roofline_ns,
		.fp_ns = ecm.core_ns,
		.l1_ns = times.level_ns[0],
		.l2_ns = times.level_ns[1],
		.l3_ns = times.level_ns[2],
		.dram_ns = times.level_ns[3],
		.ecm_ns = times.ns,
		.element_ns = row->element_ns,
		.measured_to_ecm = row->element_ns / times.ns,
	};
	tp_copy(p->limit, sizeof(p->limit), levels[times.limit]);
}

void tp_pattern_reduce_predictions(struct tp_run *run, unsigned index)
{
	struct measured m = { 0 };
	unsigned threads = 0;
	char precision[sizeof(((struct tp_kernel_row *)0)->precision)] = "";
	TP_EACH_POINT (p, run) {
		if (p->run != index || p->state != TP_POINT_DONE ||
		    strcmp(p->experiment, "pattern") != 0 || !tp_pattern_row(p)->reuse_level[0] ||
		    !(tp_pattern_row(p)->element_ns > 0))
			continue;
		/* Neighbours have the same roofs. */
		if (p->threads != threads || strcmp(precision, tp_kernel_row(p)->precision) != 0) {
			m = measured_for(run, p);
			threads = p->threads;
			tp_copy(precision, sizeof(precision), tp_kernel_row(p)->precision);
		}
		predict_times(run, p, &m);
	}
}
