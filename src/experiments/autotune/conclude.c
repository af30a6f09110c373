/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What searches say in sentences: the libraries, how near they come to the peak. */
#include "experiments/autotune/conclude.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "record/kernel_row.h"
#include "record/roof.h"
#include "report/groups.h"

#define NETLIB_HINT                                                                                \
	"It is the reference BLAS of netlib, which is slow: for the machine's peak install a "     \
	"fast "                                                                                    \
	"one (Debian package libopenblas0-pthread)."

/* The reference implementation of netlib, by its title (also as earlier versions called it). */
static bool library_is_netlib(const char *title)
{
	return strncmp(title, "netlib ", 7) == 0 || strncmp(title, "BLAS blas/", 10) == 0;
}

static bool is_gemm(const struct tp_searched *s)
{
	return strcmp(s->unit, "GFLOP/s") == 0;
}

/* The FMA peak that the run itself measured for these threads; 0 = none. */
static double measured_peak(const struct tp_run *run, const struct tp_point *p)
{
	double peak = 0;
	for (size_t i = 0; i < tp_run_n_roofs(run); i++) {
		const struct tp_roof *r = &tp_run_roofs(run)[i];
		if (tp_roof_is_peak(r) && !tp_roof_is_tuned(run, r) && r->threads == p->threads &&
		    strcmp(r->precision, tp_kernel_row(p)->precision) == 0 && r->median > peak)
			peak = r->median;
	}
	return peak;
}

/* "dgemm, 1 thread: 55.2 GFLOP/s with OpenBLAS 0.3.21, 94 % of the FMA peak of the model." */
static void say_gemm(const struct tp_run *run, const struct tp_searched *s, struct tp_str *text)
{
	char count[32], share[80] = ", no FMA peak is known to compare with";
	double measured = measured_peak(run, s->point);
	if (s->theory > 0)
		snprintf(share, sizeof(share), ", %.3g %% of the FMA peak of the model (%.4g)",
			 100 * s->value / s->theory, s->theory);
	else if (measured > 0)
		snprintf(share, sizeof(share), ", %.3g %% of the FMA peak measured here (%.4g)",
			 100 * s->value / measured, measured);
	tp_conclude_add(text, "%s, %s: %.4g GFLOP/s with %s%s.", s->routine,
			tp_text_count(count, sizeof(count), s->point->threads, "thread"), s->value,
			*s->library ? s->library : "a BLAS without a name", share);
}

/* The search that stands for its library, routine and number of threads: the one with the most. */
static bool stands_for(const struct tp_run *run, const struct tp_searched *s)
{
	for (size_t i = 0; i < run->n_points; i++) {
		struct tp_searched other;
		if (!tp_searched_of(run, (unsigned)i, &other) || other.point == s->point ||
		    other.point->threads != s->point->threads ||
		    strcmp(other.routine, s->routine) != 0 ||
		    strcmp(other.library, s->library) != 0)
			continue;
		if (other.value > s->value || (!(other.value < s->value) && other.point < s->point))
			return false;
	}
	return s->value > 0 && isfinite(s->value);
}

void tp_page_libraries(struct tp_page *page)
{
	struct tp_str text = { 0 };
	bool netlib = false;
	for (size_t i = 0; i < page->run->n_points; i++) {
		struct tp_searched s;
		if (!tp_searched_of(page->run, (unsigned)i, &s) || !is_gemm(&s) ||
		    !stands_for(page->run, &s))
			continue;
		struct tp_str clean = { 0 };
		tp_str_clear(&text);
		say_gemm(page->run, &s, &text);
		netlib |= library_is_netlib(s.library);
		tp_text_clean(&clean, tp_str_text(&text), page->look);
		tp_page_explain(page, tp_str_text(&clean));
		tp_str_release(&clean);
	}
	if (netlib)
		tp_page_explain(page, NETLIB_HINT);
	tp_str_release(&text);
}

void tp_autotune_conclude(const struct tp_run *run, struct tp_conclusion *conclusion)
{
	struct tp_searched peak = { .point = NULL }, stream = { .point = NULL };
	char count[32];
	for (size_t i = 0; i < run->n_points; i++) {
		struct tp_searched s;
		if (!tp_searched_of(run, (unsigned)i, &s) || !(s.value > 0) || !isfinite(s.value))
			continue;
		struct tp_searched *best = is_gemm(&s) ? &peak : &stream;
		/* Of a bandwidth that of memory says most. */
		bool dram = strcmp(tp_kernel_row(s.point)->level, "DRAM") == 0;
		if ((is_gemm(&s) || dram) && (!best->point || s.value > best->value))
			*best = s;
	}
	if (peak.point)
		say_gemm(run, &peak, &conclusion->limits);
	if (peak.point && library_is_netlib(peak.library)) {
		tp_conclude_add(&conclusion->odd, "%s", NETLIB_HINT);
		tp_str_add(&conclusion->next, "sudo apt-get install libopenblas0-pthread");
	}
	if (stream.point)
		tp_conclude_add(
			&conclusion->limits, "%s, %s: %.4g GB/s from DRAM%s.", stream.routine,
			tp_text_count(count, sizeof(count), stream.point->threads, "thread"),
			stream.value, peak.point ? ", which limits below its ridge" : "");
}
