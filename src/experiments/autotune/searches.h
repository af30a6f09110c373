/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Searches for the fastest configuration, for readers: the result of each, and its space as a grid
 * over two dimensions. Everything is borrowed from the run and lasts as long as its points and
 * trials do.
 */
#ifndef TPROF_EXPERIMENTS_AUTOTUNE_SEARCHES_H
#define TPROF_EXPERIMENTS_AUTOTUNE_SEARCHES_H

#include "plot/plot.h"
#include "base/str.h"
#include "experiments/autotune/row.h"
#include "record/run.h"

/* Losses and errors of a study beyond it stand out; published ones are below. */
#define TP_STUDY_LIMIT 0.02
/* A small excess is the noise of two measurements. */
#define TP_OVER_THEORY 1.01

/*
 * Why a configuration was not tried any further. X(id, word of the record, words for readers, was
 * it cut off: its value is a rough estimate)
 */
#define TP_STOP_WORD_LIST(X)                                                                       \
	X(SAMPLES, "samples", "all its samples", false)                                            \
	X(TIME, "time", "its time was over", false)                                                \
	X(CONFIDENT, "confident", "interval narrow enough", false)                                 \
	X(BEATEN, "beaten", "beaten by the best so far", true)                                     \
	X(DROPPED, "dropped", "dropped out of the race", true)                                     \
	X(FAILED, "failed", "failed", true)

enum tp_stop_word {
#define TP_STOP_WORD_ENUM(id, word, words, cut) TP_STOP_WORD_##id,
	TP_STOP_WORD_LIST(TP_STOP_WORD_ENUM)
#undef TP_STOP_WORD_ENUM
		TP_STOP_WORD_COUNT /* none of them: in progress */
};
enum tp_stop_word tp_stop_word_of(const struct tp_trial *trial);
const char *tp_stop_word_help(enum tp_stop_word word);
bool tp_stop_word_is_cut(enum tp_stop_word word);

struct tp_searched {
	const struct tp_point *point;
	const struct tp_trial
		*trials; /* NULL and 0: nothing was tried yet, or the record has none */
	size_t n;
	const struct tp_trial *best; /* so far; NULL = none */
	char routine[48], library[96]; /* "dgemm", "OpenBLAS 0.3.21" */
	char where[32]; /* "core", "L3 core" */
	const char *unit; /* "GFLOP/s", "GB/s" */
	double value; /* of the best, in `unit`; 0 = none yet */
	double ci_low, ci_high; /* 0 = none */
	double theory; /* of the machine model for these threads, in `unit`; 0 = unknown */
	double seconds; /* spent on the search so far */
	/* how far into it the best was finished; NaN if unknown */
	double found_seconds;
	size_t n_all; /* configurations that it goes through, n of them were tried */
	size_t n_finished, stopped[TP_STOP_WORD_COUNT + 1];
};

/* GFLOP/s or GB/s; 0 for NULL */
double tp_classic_value(const struct tp_point *point);
bool tp_point_is_search(const struct tp_point *point);
/* False if the point is not one of the run's searches. */
bool tp_searched_of(const struct tp_run *run, unsigned point, struct tp_searched *search);
/* True if the searches differ in their technique at most. */
bool tp_searched_is_alike(const struct tp_searched *a, const struct tp_searched *b);
/*
 * Techniques search the same space: for one routine, library and scope, the search that completed
 * most represents all.
 */
bool tp_searched_is_shown(const struct tp_run *run, size_t point);
/* True if more than one dimension varies: configurations make a map, not a curve. */
bool tp_searched_is_map(const struct tp_searched *search);
/* "61 beaten, 30 confident, 5 samples": the most frequent first. */
void tp_searched_stops(const struct tp_searched *search, struct tp_str *out);

/*
 * Which dimensions lie on the axes, and which part of the rest is looked at. All 0: the first pair,
 * the best over the rest.
 */
struct tp_heat_view {
	unsigned pair; /* of the pairs of dimensions that vary, modulo their number */
	unsigned slice; /* 0: of all values of the third dimension the best; i: its i-th value */
};

enum { TP_HEAT_AXIS_MAX = 256 };

enum tp_heat_state {
	TP_HEAT_NONE, /* not in the space, or not tried yet */
	TP_HEAT_FAILED,
	TP_HEAT_UNDER_WAY,
	TP_HEAT_CUT, /* stopped early */
	TP_HEAT_WHOLE,
	TP_HEAT_BEST
};

/* Cells by row, the largest value of the y dimension in row 0. Zero-initialise; release. */
struct tp_heat {
	int x, y, z; /* dimensions: 0 n, 1 m, 2 k; -1 = no dimension varies. z: the sliced one */
	uint64_t *columns, *rows, *slices; /* values, columns and slices rising, rows falling */
	size_t n_columns, n_rows, n_slices;
	/* how many pairs of dimensions there are to choose from, in either order; at least 1 */
	unsigned pairs;
	unsigned slice; /* as in the view, made to fit */
	long *cells; /* index into the search's trials, -1 = none */
	double best; /* of the whole search */
};

/* A search without trials gives no rows. */
void tp_heat_make(struct tp_heat *heat, const struct tp_searched *search,
		  const struct tp_heat_view *view);
void tp_heat_release(struct tp_heat *heat);
char tp_heat_letter(int dimension); /* n, m, k */
enum tp_heat_state tp_heat_state_of(const struct tp_searched *search, const struct tp_heat *heat,
				    size_t row, size_t column);
/* Share of the best, 0..1; NaN without a value. */
double tp_heat_share(const struct tp_searched *search, const struct tp_heat *heat, size_t row,
		     size_t column);
/* Share and state as a tile; it borrows nothing. */
struct tp_tile tp_heat_tile(const struct tp_searched *search, const struct tp_heat *heat,
			    size_t row, size_t column);
/*
 * "1024", "24K", "1.5M": sizes in decimal thousands if round, else in binary ones; at most 5
 * columns.
 */
const char *tp_heat_size(uint64_t size, char *out, size_t room);

/* The reference implementation of netlib, by its title (also as earlier versions called it). */
bool tp_library_is_netlib(const char *title);

#endif
