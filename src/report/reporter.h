/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An experiment's part of reports: its part of the page, its pictures. Each experiment has one row;
 * the program hands the list in, and reports have the experiments only from it.
 */
#ifndef TPROF_REPORT_REPORTER_H
#define TPROF_REPORT_REPORTER_H

#include "report/page.h"
#include "report/pictures.h"

/* Where pictures go: each is released after `hang`. */
struct tp_gallery {
	void *context;
	void (*hang)(void *context, struct tp_picture *picture);
	size_t columns, rows; /* cells that a picture has, or stands for */
	bool brief; /* pictures of every event of every family are too many */
	bool tables_too; /* the text has tables: what they show is not drawn again */
};

/* Hangs a picture if it was drawn, and frees it. `hang` may take what is in it, and leave zeros. */
void tp_gallery_hang(const struct tp_gallery *gallery, struct tp_picture *picture, bool drawn);

/* Reporters read the tables of the whole run, and print nothing if theirs are empty. */
struct tp_reporter {
	const char *experiment;
	unsigned place; /* order on the page and of the pictures */
	/* The most important results: before the facts of the machine. NULL = none. */
	void (*lead)(struct tp_page *page);
	/* The sections of the text; NULL = none. */
	void (*page)(struct tp_page *page);
	/*
	 * Adds what it concludes: to `limits` a sentence on its results, to `odd`
	 * contradictions, and to an empty `next` a command that makes sense for good points.
	 */
	void (*conclude)(const struct tp_run *run, struct tp_conclusion *conclusion);
	/*
	 * Its part of a comparison of runs, the first with each other one, beyond their points.
	 * NULL = nothing.
	 */
	void (*compare)(const struct tp_run *const *runs, size_t n, struct tp_text *doc);
	/*
	 * Adds what of `b`, beyond its points, has become slower than in `a`: "n3, n7". A
	 * comparison then says that something is slower. NULL = nothing.
	 */
	void (*slower)(const struct tp_run *a, const struct tp_run *b, struct tp_str *out);
	/* Pictures of one run, and of several on each other. */
	void (*pictures)(const struct tp_run *run, const struct tp_gallery *gallery);
	bool pictures_last; /* they come after those of all others, in any place */
	void (*overlays)(const struct tp_reporter *reporter, const struct tp_overlay *overlay,
			 const struct tp_gallery *gallery);
	/* Curves of a group of points, several in a picture; see tp_picture_curves. NULL = none. */
	bool (*curves)(struct tp_picture *picture, const struct tp_run *run,
		       const struct tp_group *group, size_t from);
	/* Their plateaus and measured edges, for pictures without tables; NULL = none. */
	void (*plateaus)(struct tp_picture *picture, const struct tp_run *run,
			 const struct tp_group *group, size_t from);
	bool (*has_curves)(const struct tp_run *run, const struct tp_group *group, size_t from);
	/* "Memory curve": one curve over the working set, which runs have in common; NULL = none.
	 */
	const char *curve_title;
	bool roofs; /* its points are roofs: comparisons show them side by side */
	/* The --set that makes its poor points better; NULL = invocations=3. */
	const char *again;
	/* Its points stand in the table of points, as it has no better table. */
	bool lists_points;
};

/* Before the first report, once: every reporter, up to NULL. */
void tp_report_use(const struct tp_reporter *const *reporters);

/*
 * Fills an empty picture with number n of those that a reporter has of one run; false after the
 * last one.
 */
bool tp_reporter_picture(const struct tp_reporter *reporter, const struct tp_run *run, size_t n,
			 size_t columns, size_t rows, struct tp_picture *picture);

/* The last one that shows a point, else the last one; false: no picture. */
bool tp_reporter_picture_of(const struct tp_reporter *reporter, const struct tp_run *run,
			    unsigned point, size_t columns, size_t rows,
			    struct tp_picture *picture);

/* NULL if the name is unknown. */
const struct tp_reporter *tp_reporter_find(const char *experiment);
/* The report's part of one experiment: its lead and its sections. The name is known. */
void tp_report_experiment(const struct tp_run *run, const char *experiment, struct tp_text *doc);
/* The table of its finished points, for a run whose experiments have no better one. */
void tp_report_points(const struct tp_run *run, struct tp_text *doc);
/* Every reporter once, by place; NULL after the last. */
const struct tp_reporter *tp_reporter_next(const struct tp_reporter *reporter);

#endif
