/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory traffic: operations whose traffic is known by their loops, on data that are in no cache,
 * and how a counter of memory traffic counts them. A batch runs on each core: the same problem
 * again and again, each time with other data.
 */
#include "experiments/traffic/traffic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/stats.h"
#include "base/memory.h"
#include "base/now.h"
#include "base/str.h"
#include "counters/crew.h"
#include "counters/source.h"
#include "counters/sources.h"
#include "experiments/bench.h"
#include "experiments/windows/planner.h"
#include "kernels/families/traffic.h"
#include "measure/sampler.h"
#include "preset/options.h"
#include "preset/shared_options.h"

#define TP_TRAFFIC_OPTIONS(X)                                                                      \
	X(TRAFFIC_KERNELS, "traffic.kernels", WORD, true, 0, 0, "gemm,capped-gemv,resort,dot", "", \
	  "Operations whose traffic with memory is known: dot, gemv, capped-gemv, gemm, resort.",  \
	  TP_FORM(WHAT, 11600))                                                                    \
	X(TRAFFIC_SIZES, "traffic.sizes", COUNT, true, 8, 1e9, "auto", "auto",                     \
	  "Sizes N, rounded to odd numbers of cache lines; auto: 12 for each operation, on both "  \
	  "sides of where the data that it uses again fill the last cache.",                       \
	  .offers = "auto 64 128 256 512 1024 2048", TP_FORM(WHAT, 11610))                         \
	X(TRAFFIC_SOURCE, "traffic.source", WORD, false, 0, 0, "emulated",                         \
	  "emulated counters none",                                                                \
	  "Who counts the traffic: emulated (the code is stepped through a model of the caches, "  \
	  "which any machine can do), counters (events of PAPI and perf), none (nothing is "       \
	  "counted, only expected).",                                                              \
	  .meanings = "emulated\tthe code is stepped through a model of the caches\n"              \
		      "counters\tevents of PAPI and perf\n"                                        \
		      "none\tnothing is counted, only expected\n",                                 \
	  TP_FORM(WHAT, 11620), .form_tells = true)                                                \
	X(TRAFFIC_READS, "traffic.reads", WORD, true, 0, 0, "", "",                                \
	  "Events that count what is read from memory: names or shell patterns, whose "            \
	  "sum is taken. By default the memory controllers of Intel and of POWER.",                \
	  .command_line = "See --list events.", TP_FORM_MORE(WHAT, 11630))                         \
	X(TRAFFIC_WRITES, "traffic.writes", WORD, true, 0, 0, "", "",                              \
	  "Events that count what is written to memory, in the same way.",                         \
	  TP_FORM_MORE(WHAT, 11640))                                                               \
	X(TRAFFIC_UNIT, "traffic.unit", BYTES, false, 1, 4096, "64", "",                           \
	  "Bytes that one count of these events stands for.", TP_FORM_MORE(WHAT, 11650))           \
	X(TRAFFIC_CACHE, "traffic.cache", BYTES, false, 8192, 1 << 20, "16KiB", "",                \
	  "Emulated: size of the model's last cache. Stepping takes time, so it is smaller than "  \
	  "the machine's, and so are the sizes.",                                                  \
	  .offers = "16KiB 32KiB 64KiB", TP_FORM_MORE(WHAT, 11660))

TP_TRAFFIC_OPTIONS(TP_OPTION_DECLARE)

/* The row of a planned point. */
struct tp_traffic_plan {
	enum tp_traffic_kernel kernel;
	uint64_t size;
	uint64_t copies; /* of a pass, each with its own data: together they exceed the cache */
};

static inline struct tp_traffic_plan *tp_traffic_plan(const struct tp_planned *planned)
{
	return planned->row;
}

enum tp_traffic_way { TP_TRAFFIC_EMULATED, TP_TRAFFIC_COUNTERS, TP_TRAFFIC_NONE };

struct tp_traffic_source {
	struct tp_source source;
	struct tp_emulated_machine emulated;
	double unit_bytes; /* of a count */
};

TP_TRAFFIC_OPTIONS(TP_OPTION_DEFINE)

const struct tp_option_group tp_options_traffic = {
	.experiment = "traffic",
	.heading = "Memory traffic",
	.uses = "threads",
	.place = 52,
	.rows = { TP_TRAFFIC_OPTIONS(TP_OPTION_ROW) NULL },
};

static bool moves(const void *row)
{
	return ((const struct tp_traffic_row *)row)->operation[0] != '\0';
}

static bool has_reads(const void *row)
{
	return ((const struct tp_traffic_row *)row)->reads_counted;
}

static bool has_writes(const void *row)
{
	return ((const struct tp_traffic_row *)row)->writes_counted;
}

enum { ID = TP_IN_IDENTITY | TP_IN_CSV | TP_IN_JSON, FOUND = TP_IN_FOUND | TP_IN_CSV | TP_IN_JSON };

/* clang-format off */
#define T(member, name, type, rule, role, where, ...) \
	TP_COLUMN(struct tp_traffic_row, member, name, type, rule, TP_ROLE_##role, where, __VA_ARGS__)

static const struct tp_column columns[] = {
	T(operation,        "operation",        TEXT, ALWAYS,  DIMENSION, ID, .applies = moves,
	  .help = "Traffic: the operation, a word of traffic.kernels."),
	T(size,             "problem_size",     U64,  NONZERO, DIMENSION, ID,
	  .help = "Traffic: its size N."),
	T(fit,              "fit",              UNSIGNED, ALWAYS, NOTE,   FOUND, .applies = moves,
	  .help = "Traffic: 1 if what it uses again fits into half of the last cache, 2 if it "
		  "exceeds "
		  "twice that cache, 0 if it lies between."),
	T(cache_bytes,      "cache_bytes",      U64,  NONZERO, NOTE,      FOUND, .unit = "B",
	  .help = "Traffic: what a core has of the last cache; of the model's, if the code was "
		  "stepped."),
	T(data_bytes,       "problem_bytes",    U64,  NONZERO, NOTE,      FOUND, .unit = "B",
	  .help = "Traffic: data of a repetition. Each has its own data."),
	T(repetitions,      "repetitions",      REAL, NONZERO, NOTE,      FOUND,
	  .help = "Traffic: repetitions of a reading. All bytes are per core and repetition."),
	T(expected_read,    "expected_read",    REAL, ALWAYS,  METRIC,    FOUND, .applies = moves, .unit = "B"),
	T(expected_written, "expected_written", REAL, ALWAYS,  METRIC,    FOUND, .applies = moves, .unit = "B",
	  .help = "Traffic: what the operation reads from memory and writes to it, by its loops; "
		  "where fit "
		  "is 0, as if its data fit."),
	T(reads_counted,    "reads_counted",    BOOL, ALWAYS,  NOTE,      FOUND, .applies = moves),
	T(writes_counted,   "writes_counted",   BOOL, ALWAYS,  NOTE,      FOUND, .applies = moves,
	  .help = "Traffic: true if there were events for what is read, and for what is written."),
	T(read,             "counted_read",     REAL, ALWAYS,  METRIC,    FOUND, .applies = has_reads, .unit = "B"),
	T(written,          "counted_written",  REAL, ALWAYS,  METRIC,    FOUND, .applies = has_writes, .unit = "B",
	  .help = "Traffic: what was counted; empty if nothing was."),
	T(source,           "counted_by",       TEXT, ALWAYS,  NOTE,      FOUND, .applies = moves,
	  .help = "Traffic: who counted: papi, perf, emulated; or none."),
	T(band_low,         "band_low",         REAL, NONZERO, NOTE,      FOUND),
	T(band_high,        "band_high",        REAL, NONZERO, NOTE,      FOUND,
	  .help = "Traffic: the sizes N where the data that are used again take half of the last "
		  "cache, "
		  "and twice as much as it has."),
};

/* clang-format on */

static const struct tp_table traffic_table = {
	TP_TABLE(struct tp_traffic_row, columns),
};

_Static_assert(sizeof(struct tp_traffic_row) <= TP_ROW_BYTES_MAX, "rows have room in events");

bool tp_point_is_traffic(const struct tp_point *point)
{
	return tp_point_has_row(point, &traffic_table);
}

const struct tp_traffic_row *tp_traffic_row(const struct tp_point *point)
{
	return tp_point_row(point, &traffic_table);
}

double tp_traffic_error(const struct tp_traffic_row *row)
{
	const double least_share = 0.1;
	double error = NAN;

	if (row->fit == TP_TRAFFIC_OPEN)
		return NAN;
	if (row->reads_counted && row->expected_read > 0)
		error = fabs(row->read / row->expected_read - 1);
	if (row->writes_counted && row->expected_written > least_share * row->expected_read)
		error = fmax(error, fabs(row->written / row->expected_written - 1));
	return error;
}

const struct tp_schema_row tp_schema_traffic = {
	.points = { "traffic", &traffic_table, NULL, NULL },
};

enum { USUAL_LINE_BYTES = 64, USUAL_WAYS = 16, SMALLEST = 4096, PATTERNS = 16 };

/*
 * Memory controllers: patterns of the events that count reads and writes, and the bytes of a count.
 * "[x]" keeps a pattern from being a plain text.
 */
static const struct {
	const char *reads, *writes;
	double unit_bytes;
} known[] = {
	{ "*unc_imc*UNC_M_CAS_COUNT:RD*", "*unc_imc*UNC_M_CAS_COUNT:WR*", 64 }, /* Intel */
	{ "*nest_mba*READ_BYTES*", "*nest_mba*WRITE_BYTES*", 1 }, /* POWER, by PCP */
};

/* Of the model: what comes from memory, for a load or for a store, and what goes there. */
static const char *const model_reads[] = { "[L]3_READ_MISS", "[L]3_WRITE_MISS", NULL };
static const char *const model_writes[] = { "[W]RITEBACKS", NULL };

static enum tp_traffic_way traffic_way(const struct tp_config *config)
{
	const char *word = tp_config_text(config, TP_OPT_TRAFFIC_SOURCE);

	return strcmp(word, "counters") == 0 ? TP_TRAFFIC_COUNTERS
	       : strcmp(word, "none") == 0   ? TP_TRAFFIC_NONE
					     : TP_TRAFFIC_EMULATED;
}

/* The smallest first cache that the emulation makes of the machine's, and one last cache. */
static void make_model(struct tp_emulated_machine *emulated, const struct tp_config *config,
		       const struct tp_machine *machine)
{
	tp_emulated_machine_from(emulated, machine, 1, SMALLEST);
	struct tp_emulated_cache *last = &emulated->data[3];
	const struct tp_emulated_cache *first = &emulated->data[1];
	*last = (struct tp_emulated_cache){
		.size_bytes = tp_config_count(config, TP_OPT_TRAFFIC_CACHE),
		.line_bytes = first->line_bytes ? first->line_bytes : USUAL_LINE_BYTES,
		.ways = USUAL_WAYS,
	};
	last->size_bytes -= last->size_bytes % ((uint64_t)last->line_bytes * last->ways);
	emulated->data[2] = (struct tp_emulated_cache){ 0 };
}

/* The last cache that a core has for itself, of the model or of the machine; 0 = not known. */
static uint64_t traffic_cache(const struct tp_config *config, const struct tp_machine *machine,
			      unsigned threads)
{
	if (traffic_way(config) == TP_TRAFFIC_EMULATED) {
		struct tp_emulated_machine emulated;
		make_model(&emulated, config, machine);
		return emulated.data[3].size_bytes;
	}
	uint64_t last = 0;
	for (int level = 1; level <= 3; level++)
		last = TP_MAX(last, tp_machine_share(machine, level, threads));
	return last;
}

/* The patterns of what is read, or written, up to NULL. */
static void patterns_of(const struct tp_config *config, bool written, const char *out[PATTERNS + 1])
{
	const struct tp_value *names =
		tp_config_value(config, written ? TP_OPT_TRAFFIC_WRITES : TP_OPT_TRAFFIC_READS);
	size_t n = 0;

	for (size_t i = 0; i < names->n && n < PATTERNS; i++)
		out[n++] = names->items[i].text;
	for (size_t i = 0; i < TP_COUNT_OF(known) && !names->n; i++)
		out[n++] = written ? known[i].writes : known[i].reads;
	out[n] = NULL;
}

static bool any_available(const struct tp_source *source)
{
	for (size_t i = 0; i < source->n_events; i++)
		if (source->events[i].available)
			return true;
	return false;
}

/* PAPI has the memory controllers; perf has the events of the core, if PAPI is missing. */
static enum tp_status open_counters(struct tp_traffic_source *traffic,
				    const struct tp_config *config, struct tp_diag *diag)
{
	static const char *const kinds[] = { "papi", "perf" };
	const char *filters[2 * PATTERNS + 1];
	struct tp_diag why = { 0 };
	size_t n = 0;

	patterns_of(config, false, filters);
	while (filters[n])
		n++;
	patterns_of(config, true, filters + n);
	for (size_t k = 0; k < TP_COUNT_OF(kinds); k++) {
		const struct tp_source_wish wish = { .filters = filters };
		struct tp_diag here = { 0 };
		if (tp_source_open(&traffic->source, tp_source_find(kinds[k]), &wish, &here) ==
		    TP_OK) {
			if (any_available(&traffic->source))
				return TP_OK;
			if (traffic->source.n_events)
				tp_fail(&here, TP_UNSUPPORTED, "traffic", NULL, "%s: %s",
					traffic->source.events[0].name,
					traffic->source.events[0].reason);
			else if (traffic->source.notes.n)
				here = traffic->source.notes.items[0];
			tp_source_close(&traffic->source);
		}
		if (!why.what[0])
			why = here;
	}
	return tp_fail(diag, TP_UNSUPPORTED, "traffic",
		       why.hint[0] ? why.hint
				   : "name events with traffic.reads and traffic.writes, or set "
				     "traffic.source=emulated",
		       "no event that counts memory traffic can be counted here%s%s",
		       why.what[0] ? ": " : "", why.what);
}

/*
 * Opens it. TP_UNSUPPORTED where no event can be counted, with the reason and what would allow it.
 * Close with tp_source_close.
 */
static enum tp_status traffic_source_open(struct tp_traffic_source *traffic,
					  const struct tp_config *config,
					  const struct tp_machine *machine, struct tp_diag *diag)
{
	static const char *const wanted[] = { "[L]3_READ_MISS", "[L]3_WRITE_MISS", "[W]RITEBACKS",
					      NULL };

	traffic->unit_bytes = (double)tp_config_count(config, TP_OPT_TRAFFIC_UNIT);
	if (traffic_way(config) == TP_TRAFFIC_COUNTERS)
		return open_counters(traffic, config, diag);
	make_model(&traffic->emulated, config, machine);
	traffic->unit_bytes = traffic->emulated.data[3].line_bytes;
	const struct tp_source_wish wish = { .machine = &traffic->emulated,
					     .habit = "exact",
					     .cpu = &machine->cpu,
					     .filters = wanted };
	return tp_source_open(&traffic->source, tp_source_find("emulated"), &wish, diag);
}

/* Counters outside the cores count for all of them. */
static bool sees_all(const struct tp_count_event *event)
{
	return strstr(event->component, "uncore") || strstr(event->component, "pcp") ||
	       strstr(event->name, "unc_");
}

static double unit_of(const struct tp_traffic_source *traffic, const struct tp_config *config,
		      const char *name, bool written)
{
	bool named =
		tp_config_value(config, written ? TP_OPT_TRAFFIC_WRITES : TP_OPT_TRAFFIC_READS)->n >
		0;

	for (size_t i = 0; i < TP_COUNT_OF(known) && !named; i++) {
		const char *pattern[] = { written ? known[i].writes : known[i].reads, NULL };
		if (tp_source_wished(pattern, name))
			return known[i].unit_bytes;
	}
	return traffic->unit_bytes;
}

/*
 * Bytes by the counts of all events, as tp_crew_count leaves them for one repetition, of one of
 * `threads` cores. False if no event counts what is read (or written).
 */
static bool traffic_bytes_of(const struct tp_traffic_source *traffic,
			     const struct tp_config *config, const double *counts, bool written,
			     unsigned threads, double *bytes)
{
	const char *own[PATTERNS + 1];
	const char *const *patterns = written ? model_writes : model_reads;
	bool any = false, counters = !traffic->source.needs_emulation;

	if (counters) {
		patterns_of(config, written, own);
		patterns = own;
	}
	*bytes = 0;
	for (size_t i = 0; i < traffic->source.n_events; i++) {
		const struct tp_count_event *event = &traffic->source.events[i];
		if (!event->available || isnan(counts[i]) ||
		    !tp_source_wished(patterns, event->name))
			continue;
		double unit = counters ? unit_of(traffic, config, event->name, written)
				       : traffic->unit_bytes;
		*bytes += counts[i] * unit / (sees_all(event) ? threads : 1);
		any = true;
	}
	return any;
}

/* Readings of hardware: the one in the middle counts. Stepped code counts the same each time. */
enum { READINGS = 3 };

struct traffic_bench {
	const struct tp_config *config; /* what the source was opened for; NULL = it is closed */
	struct tp_traffic_source traffic;
	struct tp_crew *crew;
};

static void release(void *own)
{
	struct traffic_bench *b = own;

	tp_crew_free(b->crew);
	b->crew = NULL;
	tp_source_close(&b->traffic.source);
	b->config = NULL;
}

static const struct tp_bench_kind traffic_kind = { .bytes = sizeof(struct traffic_bench),
						   .release = release };

static enum tp_status ready_crew(struct tp_bench *bench, const struct tp_planned *planned,
				 struct traffic_bench *b, struct tp_diag *diag)
{
	const unsigned threads = planned->point.threads;

	if (b->config != planned->config) {
		release(b);
		enum tp_status status =
			traffic_source_open(&b->traffic, planned->config, bench->machine, diag);
		if (status != TP_OK)
			return status;
		b->config = planned->config;
	}
	if (tp_crew_runs_on(b->crew, planned->cpus, threads))
		return TP_OK;
	tp_crew_free(b->crew);
	return tp_crew_new(&b->crew, &b->traffic.source,
			   b->traffic.source.needs_emulation ? &b->traffic.emulated : NULL,
			   planned->cpus, threads, diag);
}

/* The counts of a repetition, the middle of the readings, into the row. */
static void keep_counts(const struct traffic_bench *b, const struct tp_config *config,
			double *counts, size_t readings, double repetitions, unsigned threads,
			struct tp_traffic_row *row)
{
	for (size_t e = 0; e < b->traffic.source.n_events; e++) {
		double *all = counts + e * readings;
		tp_sort_doubles(all, readings);
		counts[e] = all[readings / 2] / repetitions;
	}
	row->repetitions = repetitions;
	row->reads_counted =
		traffic_bytes_of(&b->traffic, config, counts, false, threads, &row->read);
	row->writes_counted =
		traffic_bytes_of(&b->traffic, config, counts, true, threads, &row->written);
	tp_copy(row->source, sizeof(row->source), b->traffic.source.kind->name);
}

static enum tp_status count_traffic(struct tp_bench *bench, const struct tp_planned *planned,
				    struct tp_traffic_row *row, struct tp_diag *diag)
{
	const struct tp_traffic_plan *plan = tp_traffic_plan(planned);
	struct traffic_bench *b = tp_bench_own(bench, &traffic_kind);
	const struct tp_counting_machine machine = {
		.line_bytes = bench->machine->cache[1].line_bytes,
		.page_bytes = bench->machine->page_bytes,
		.max_bytes = bench->machine->available_bytes / 2 / planned->point.threads,
	};
	TP_CLEANUP(tp_counting_release) struct tp_counting counting = { 0 };
	double repetitions;
	enum tp_status status = ready_crew(bench, planned, b, diag);

	if (status != TP_OK)
		return status;
	bool stepping = b->traffic.source.needs_emulation;
	size_t readings = stepping ? 1 : READINGS;
	status = tp_traffic_make(plan->kernel, plan->size, plan->copies, bench->cpu, &machine,
				 &counting, diag);
	if (status != TP_OK)
		return status;
	double wished = (double)tp_traffic_repetitions((double)plan->size);
	const struct tp_crew_task task = {
		.counting = &counting,
		.repetitions = readings,
		.passes = stepping ? 1 : (uint64_t)ceil(wished / (double)plan->copies),
		.seed = tp_config_count(planned->config, TP_OPT_SEED),
		.go_on = bench->watch->go_on,
		.context = bench->watch->context,
	};
	TP_FREE double *counts =
		tp_alloc(b->traffic.source.n_events * readings + 1, sizeof(*counts));
	status = tp_crew_count(b->crew, &task, counts, NULL, &repetitions, diag);
	if (status == TP_OK)
		keep_counts(b, planned->config, counts, readings, repetitions,
			    planned->point.threads, row);
	return status;
}

/* If the cache makes no difference, nothing is uncertain. */
static void set_expected(const struct tp_traffic_plan *plan, unsigned line,
			 struct tp_traffic_row *row)
{
	const double size = (double)plan->size;
	double read, written;

	tp_traffic_expect(plan->kernel, plan->size, line, true, &row->expected_read,
			  &row->expected_written);
	tp_traffic_expect(plan->kernel, plan->size, line, false, &read, &written);
	row->fit = size <= row->band_low    ? TP_TRAFFIC_FITS
		   : size >= row->band_high ? TP_TRAFFIC_EXCEEDS
					    : TP_TRAFFIC_OPEN;
	if (row->fit == TP_TRAFFIC_OPEN && read <= row->expected_read)
		row->fit = TP_TRAFFIC_EXCEEDS;
	if (row->fit == TP_TRAFFIC_EXCEEDS) {
		row->expected_read = read;
		row->expected_written = written;
	}
}

static enum tp_status traffic_run(struct tp_bench *bench, const struct tp_planned *planned,
				  struct tp_point *point, struct tp_diag *diag)
{
	const struct tp_traffic_plan *plan = tp_traffic_plan(planned);
	const unsigned line = bench->machine->cache[1].line_bytes;
	struct tp_traffic_row *row = point->row;
	double started = tp_now_seconds();
	enum tp_status status = TP_OK;

	row->cache_bytes = traffic_cache(planned->config, bench->machine, point->threads);
	row->data_bytes = tp_traffic_bytes(plan->kernel, plan->size, line);
	tp_traffic_band(plan->kernel, row->cache_bytes, line, &row->band_low, &row->band_high);
	set_expected(plan, line, row);
	tp_copy(row->source, sizeof(row->source), "none");
	if (traffic_way(planned->config) != TP_TRAFFIC_NONE)
		status = count_traffic(bench, planned, row, diag);
	point->seconds = tp_now_seconds() - started;
	point->invocations = 1;
	point->state = status == TP_OK					    ? TP_POINT_DONE
		       : status == TP_CANCELLED || status == TP_UNSUPPORTED ? TP_POINT_SKIPPED
									    : TP_POINT_FAILED;
	if (status != TP_OK && status != TP_CANCELLED)
		point->diag = *diag;
	return status == TP_UNSUPPORTED ? TP_OK : status;
}

/* Sizes that `auto` takes: from below the band of the cache to beyond it. */
enum { AUTO_SIZES = 12 };

#define BELOW_BAND  0.2
#define BEYOND_BAND 1.2

/*
 * The data of all copies are this multiple of the last cache: a model evicts by age, a real cache
 * only roughly.
 */
#define MODEL_FACTOR 2
#define REAL_FACTOR  4

/* Elements that stepping goes through in a second, and hardware. */
#define STEPPED_PER_SECOND 2e6
#define NATIVE_PER_SECOND  2e8

/* Multiplications of a repetition, about. */
static double work_of(enum tp_traffic_kernel kernel, double n)
{
	switch (kernel) {
	case TP_TRAFFIC_GEMM:
		return n * n * n;
	case TP_TRAFFIC_GEMV:
		return n * n;
	case TP_TRAFFIC_CAPPED_GEMV:
		return 2 * n * n;
	case TP_TRAFFIC_RESORT:
		return 72 * n;
	default:
		return n;
	}
}

static enum tp_status add_point(struct tp_plan_context *context, const struct tp_choices *choices,
				size_t t, enum tp_traffic_kernel kernel, uint64_t size,
				struct tp_diags *diags)
{
	const struct tp_config *config = context->config;
	const unsigned threads = choices->threads[t];
	const unsigned line = context->machine->cache[1].line_bytes;
	const bool stepped = traffic_way(config) == TP_TRAFFIC_EMULATED;
	/* The crew has its own buffers. */
	struct tp_planned *p = tp_plan_add(context, threads, choices->cpus[t], 0, diags);
	if (!p)
		return TP_RESOURCE;
	struct tp_traffic_row *row = p->point.row;
	const double cache = (double)traffic_cache(config, context->machine, threads);
	double low, high,
		copies = ceil((stepped ? MODEL_FACTOR : REAL_FACTOR) * cache /
			      (double)tp_traffic_bytes(kernel, size, line));
	tp_traffic_band(kernel, (uint64_t)cache, line, &low, &high);
	/* The remains of one repetition in the cache must not help the next. */
	copies = fmax(copies, (double)size < high ? 2 : 1);
	*tp_traffic_plan(p) = (struct tp_traffic_plan){ .kernel = kernel,
							.size = size,
							.copies = (uint64_t)copies };
	tp_copy(row->operation, sizeof(row->operation), tp_traffic_name(kernel));
	row->size = size;
	snprintf(p->point.kernel, sizeof(p->point.kernel), "%s:%llu", tp_traffic_name(kernel),
		 (unsigned long long)size);
	if (traffic_way(config) != TP_TRAFFIC_NONE)
		p->point.estimate_seconds =
			0.01 + (stepped ? 2 / STEPPED_PER_SECOND : 514 / NATIVE_PER_SECOND) *
				       copies * work_of(kernel, (double)size);
	return TP_OK;
}

/* Sizes of one operation, each once, in ascending order. */
static enum tp_status add_sizes(struct tp_plan_context *context, const struct tp_choices *choices,
				size_t t, enum tp_traffic_kernel kernel, struct tp_diags *diags)
{
	const struct tp_value *sizes = tp_config_value(context->config, TP_OPT_TRAFFIC_SIZES);
	const unsigned line = context->machine->cache[1].line_bytes;
	const uint64_t cache =
		traffic_cache(context->config, context->machine, choices->threads[t]);
	const bool automatic = sizes->n && sizes->items[0].count == UINT64_MAX;
	const size_t n = automatic ? AUTO_SIZES : sizes->n;
	enum tp_status status = TP_OK;
	uint64_t before = 0;
	double low, high;

	if (automatic && !cache)
		return tp_planner_refuse(context, diags, TP_UNSUPPORTED, TP_OPT_TRAFFIC_SIZES,
					 "give sizes, or cache_size.L3",
					 "the caches of this machine are not known");
	tp_traffic_band(kernel, cache, line, &low, &high);
	/* x takes little of the cache, unless the matrix takes gigabytes. */
	if (kernel == TP_TRAFFIC_GEMV)
		high = (low = sqrt(low)) * 2;
	for (size_t i = 0; i < n && status == TP_OK; i++) {
		double from = BELOW_BAND * low, to = BEYOND_BAND * high;
		uint64_t size =
			automatic ? (uint64_t)(from * pow(to / from, (double)i / (AUTO_SIZES - 1)))
				  : sizes->items[i].count;
		size = tp_traffic_size(size, line);
		if (size != before)
			status = add_point(context, choices, t, kernel, size, diags);
		before = size;
	}
	return status;
}

static enum tp_status plan(struct tp_plan_context *context, struct tp_diags *diags)
{
	const struct tp_value *kernels = tp_config_value(context->config, TP_OPT_TRAFFIC_KERNELS);
	const enum tp_traffic_way way = traffic_way(context->config);
	struct tp_choices choices;
	enum tp_status status = tp_planner_choices(context, &choices, diags);

	for (size_t i = 0; i < kernels->n; i++)
		if (tp_traffic_find(kernels->items[i].text) == TP_TRAFFIC_KERNELS)
			status = tp_planner_refuse(context, diags, TP_USAGE, TP_OPT_TRAFFIC_KERNELS,
						   "dot, gemv, capped-gemv, gemm and resort",
						   "there is no operation \"%s\"",
						   kernels->items[i].text);
	if (way != TP_TRAFFIC_COUNTERS) {
		static const char *const why = "it belongs to traffic.source=counters";
		tp_planner_idle(context, TP_OPT_TRAFFIC_READS, TP_OPT_TRAFFIC_SOURCE, why);
		tp_planner_idle(context, TP_OPT_TRAFFIC_WRITES, TP_OPT_TRAFFIC_SOURCE, why);
		tp_planner_idle(context, TP_OPT_TRAFFIC_UNIT, TP_OPT_TRAFFIC_SOURCE, why);
	}
	if (way != TP_TRAFFIC_EMULATED)
		tp_planner_idle(context, TP_OPT_TRAFFIC_CACHE, TP_OPT_TRAFFIC_SOURCE,
				"it belongs to traffic.source=emulated");
	for (size_t i = 0; i < kernels->n && status == TP_OK; i++)
		for (size_t t = 0; t < choices.n_threads && status == TP_OK; t++)
			status = add_sizes(context, &choices, t,
					   tp_traffic_find(kernels->items[i].text), diags);
	return status;
}

/* The points are all there is: tables and pictures are made from them. */
static const char *kernel_word(size_t i, const char **note)
{
	if (i >= TP_TRAFFIC_KERNELS)
		return NULL;
	*note = tp_traffic_title((enum tp_traffic_kernel)i);
	return tp_traffic_name((enum tp_traffic_kernel)i);
}

static const struct tp_option_names names[] = {
	{ .option = TP_OPT_TRAFFIC_KERNELS, .open = false, .name = kernel_word },
	{ 0 },
};

/* The data of all cores. */
static uint64_t memory_bytes(const struct tp_planned *planned)
{
	const struct tp_traffic_plan *own = tp_traffic_plan(planned);

	return planned->point.threads * own->copies * tp_traffic_bytes(own->kernel, own->size, 0);
}

const struct tp_experiment tp_experiment_traffic = {
	.name = "traffic",
	.question = "Do memory counters count right?",
	.summary = "memory traffic of operations that is known by their loops, and what a counter "
		   "counts of it",
	.names = names,
	.all_threads = true,
	.not_simulated = "a simulation has no memory whose traffic could be counted",
	.supported = tp_experiment_supported_anywhere,
	.plan = plan,
	.plan_bytes = sizeof(struct tp_traffic_plan),
	.run = traffic_run,
	.memory_bytes = memory_bytes,
};
