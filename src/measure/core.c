/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What readings of a gauge say about a core: its clock, its width, and what interrupts it. */
#include "measure/gauge.h"
#include "analysis/stats.h"
#include "base/vec.h"

#include <math.h>

/*
 * Pieces this close to the fast ones differ by the noise of the clock alone: relative, or as a
 * multiple of how much the fast ones differ among themselves.
 */
#define SAME_PIECE  0.01
#define SAME_SPREAD 4
/*
 * A piece so much longer than the others was interrupted. Work on the other hardware thread makes
 * wide pieces two to three times as long.
 */
#define INTERRUPTED 4.0

static void sort_pieces(const double from[TP_GAUGE_PIECES], double sorted[TP_GAUGE_PIECES])
{
	for (int i = 0; i < TP_GAUGE_PIECES; i++)
		sorted[i] = from[i];
	tp_sort_doubles(sorted, TP_GAUGE_PIECES);
}

double tp_gauge_piece_seconds(const double seconds[TP_GAUGE_PIECES], double step_seconds)
{
	enum { FROM = 1, TO = TP_GAUGE_PIECES / 2 }; /* the faster half without the fastest */
	double sorted[TP_GAUGE_PIECES], fast = 0, sum = 0;
	int n = 0;
	sort_pieces(seconds, sorted);
	for (int i = FROM; i < TO; i++)
		fast += sorted[i] / (TO - FROM);
	double spread = SAME_SPREAD * (sorted[TO - 1] - sorted[FROM]);
	double same = fmax(SAME_PIECE * fast, spread) + step_seconds;
	for (int i = 0; i < TP_GAUGE_PIECES; i++) {
		if (fabs(sorted[i] - fast) > same)
			continue;
		sum += sorted[i];
		n++;
	}
	return n ? sum / n : fast;
}

/* Width against clock, piece by piece: a clock that steps inside the reading does no harm. */
static double width_of(const struct tp_gauge_reading *reading, const struct tp_gauge_unit *unit)
{
	double ratios[TP_GAUGE_PIECES];
	for (int i = 0; i < TP_GAUGE_PIECES; i++)
		ratios[i] = reading->width_seconds[i] > 0
				    ? reading->chain_seconds[i] / reading->width_seconds[i]
				    : 0;
	tp_sort_doubles(ratios, TP_GAUGE_PIECES);
	return tp_median_sorted(ratios, TP_GAUGE_PIECES) * unit->width_additions /
	       unit->chain_additions;
}

/* Counts the interrupted pieces, and adds up the time in which they could have been seen. */
static void count_pauses(const double seconds[TP_GAUGE_PIECES], struct tp_core_seen *seen)
{
	double sorted[TP_GAUGE_PIECES];
	sort_pieces(seconds, sorted);
	double usual = tp_median_sorted(sorted, TP_GAUGE_PIECES);
	for (int i = 0; i < TP_GAUGE_PIECES; i++)
		seen->pauses += seconds[i] > INTERRUPTED * usual;
	seen->watched_seconds += usual * TP_GAUGE_PIECES;
}

void tp_core_see(const struct tp_gauge_reading *before, const struct tp_gauge_reading *after,
		 const struct tp_gauge_unit *unit, struct tp_core_seen *seen)
{
	const struct tp_gauge_reading *readings[] = { before, after };
	*seen = (struct tp_core_seen){ .width = INFINITY };
	for (int i = 0; i < 2; i++) {
		double chain =
			tp_gauge_piece_seconds(readings[i]->chain_seconds, unit->step_seconds);
		double width = width_of(readings[i], unit);
		if (!(chain > 0) || !(width > 0)) {
			*seen = (struct tp_core_seen){ 0 };
			return;
		}
		seen->ghz += unit->chain_additions / chain * 1e-9 / 2;
		seen->width = fmin(seen->width, width);
		count_pauses(readings[i]->chain_seconds, seen);
		count_pauses(readings[i]->width_seconds, seen);
		seen->blur = fmax(seen->blur, unit->step_seconds / chain);
	}
}

/* --- how wide a core is --- */

/* Share of its width below which a core is not wholly the thread's own. */
#define OWN_CORE_WIDTH 0.95

/*
 * Bins of 1 % from the narrowest on; what a width must share: so many readings, and one of so many
 * of all.
 */
#define NARROWEST 0.5
#define BIN_STEP  0.01
enum { SHARED_LEAST = 3, SHARED_PARTS = 200, CLUSTER_BINS = 8 };

static size_t bin_of(double width)
{
	double bin = log(width / NARROWEST) / log1p(BIN_STEP);
	return bin < 0 ? 0 : bin < TP_CORE_WIDTH_BINS - 1 ? (size_t)bin : TP_CORE_WIDTH_BINS - 1;
}

/* Two neighbouring bins count together: what is shared may lie on their border. */
static unsigned together(const struct tp_core_width *core, size_t bin)
{
	return core->counts[bin] + core->counts[bin - 1];
}

/*
 * The largest width that many readings share is the upper edge of those of a whole core. The width
 * itself is where most of them are, a little below that edge.
 */
static double widest_shared(const struct tp_core_width *core)
{
	unsigned wanted = TP_MAX(core->n / SHARED_PARTS, (unsigned)SHARED_LEAST);
	size_t edge = TP_CORE_WIDTH_BINS - 1;
	while (edge > 0 && (core->counts[edge] == 0 || together(core, edge) < wanted))
		edge--;
	if (edge == 0)
		return 0;
	size_t most = edge;
	for (size_t bin = edge; bin > 1 && bin + CLUSTER_BINS > edge; bin--)
		if (together(core, bin) > together(core, most))
			most = bin;
	return (core->sums[most] + core->sums[most - 1]) / together(core, most);
}

void tp_core_width_learn(struct tp_core_width *core, double width)
{
	if (!(width > 0) || !isfinite(width))
		return;
	size_t bin = bin_of(width);
	core->n++;
	core->counts[bin]++;
	core->sums[bin] += width;
	core->widest = widest_shared(core);
}

double tp_core_width_least(const struct tp_core_width *core)
{
	return fmax(0, OWN_CORE_WIDTH - core->blur) * core->widest;
}

/* --- what interrupts it --- */

/* Old news count half after so much time watched: neighbours come and go. */
#define FORGET_SECONDS 0.01
/* Fewer are chance. */
#define PAUSES_LEAST 3

void tp_core_pauses_learn(struct tp_core_pauses *pauses, const struct tp_core_seen *seen)
{
	if (pauses->watched_seconds > FORGET_SECONDS) {
		pauses->watched_seconds /= 2;
		pauses->n /= 2;
	}
	pauses->watched_seconds += seen->watched_seconds;
	pauses->n += seen->pauses;
}

double tp_core_pauses_per_second(const struct tp_core_pauses *pauses)
{
	return pauses->n >= PAUSES_LEAST ? pauses->n / pauses->watched_seconds : 0;
}
