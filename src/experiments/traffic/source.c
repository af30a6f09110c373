/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/traffic/source.h"
#include "experiments/traffic/options.h"
#include "base/memory.h"
#include "counters/sources.h"

#include <math.h>
#include <string.h>

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

enum tp_traffic_way tp_traffic_way(const struct tp_config *config)
{
	const char *word = tp_config_text(config, TP_OPT_TRAFFIC_SOURCE);

	return strcmp(word, "counters") == 0 ? TP_TRAFFIC_COUNTERS
	       : strcmp(word, "none") == 0   ? TP_TRAFFIC_NONE
					     : TP_TRAFFIC_EMULATED;
}

/* The smallest first cache that the emulation makes of the machine's, and one last cache. */
static void model(struct tp_emulated_machine *emulated, const struct tp_config *config,
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

uint64_t tp_traffic_cache(const struct tp_config *config, const struct tp_machine *machine,
			  unsigned threads)
{
	if (tp_traffic_way(config) == TP_TRAFFIC_EMULATED) {
		struct tp_emulated_machine emulated;
		model(&emulated, config, machine);
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

/* PAPI knows the memory controllers; perf has the events of the core, where PAPI is not there. */
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

enum tp_status tp_traffic_source_open(struct tp_traffic_source *traffic,
				      const struct tp_config *config,
				      const struct tp_machine *machine, struct tp_diag *diag)
{
	static const char *const wanted[] = { "[L]3_READ_MISS", "[L]3_WRITE_MISS", "[W]RITEBACKS",
					      NULL };

	traffic->unit_bytes = (double)tp_config_count(config, TP_OPT_TRAFFIC_UNIT);
	if (tp_traffic_way(config) == TP_TRAFFIC_COUNTERS)
		return open_counters(traffic, config, diag);
	model(&traffic->emulated, config, machine);
	traffic->unit_bytes = traffic->emulated.data[3].line_bytes;
	const struct tp_source_wish wish = { .machine = &traffic->emulated,
					     .habit = "exact",
					     .cpu = &machine->cpu,
					     .filters = wanted };
	return tp_source_open(&traffic->source, tp_source_find("emulated"), &wish, diag);
}

/* Counters outside of the cores see what all of them do. */
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

bool tp_traffic_bytes_of(const struct tp_traffic_source *traffic, const struct tp_config *config,
			 const double *counts, bool written, unsigned threads, double *bytes)
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
