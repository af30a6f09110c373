/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the pictures share. Private to this room. */
#ifndef TPROF_MINING_PICTURE_PARTS_H
#define TPROF_MINING_PICTURE_PARTS_H

#include "mining/say.h"

enum { TP_MINE_NAME_BYTES = 18 }; /* of a value or a category beside an axis */

/* "time, ns". */
const char *tp_mine_axis(struct tp_picture *picture, const char *name, const char *unit);
/* A name that is cut to so many bytes. */
const char *tp_mine_short(struct tp_picture *picture, const char *text, size_t bytes);
/* The features that matter most, at most `most` of them, the first first; returns how many. */
size_t tp_mine_ranked(const struct tp_mining *m, size_t *features, size_t most);
/* The scene of a picture whose series and marks are there. */
void tp_mine_scene(struct tp_picture *picture, const char *title, const struct tp_scale *x,
		   const struct tp_scale *y);

/* --- values of features that have few of them --- */

size_t tp_mine_level(const struct tp_mine_feature *f, double value); /* its number */
const char *tp_mine_level_name(struct tp_picture *picture, const struct tp_mine_feature *f,
			       size_t level);
bool tp_mine_level_names(struct tp_picture *picture, const struct tp_mine_feature *f,
			 struct tp_names *names);

/* Means of a target of numbers by the values of two features. */
struct tp_mine_means {
	double sum[TP_MINE_LEVELS_MAX][TP_MINE_LEVELS_MAX], low, high;
	size_t n[TP_MINE_LEVELS_MAX][TP_MINE_LEVELS_MAX];
};
/* `g` may be NULL: by one feature. Heap; NULL when out of memory. */
struct tp_mine_means *tp_mine_means_by(const struct tp_mining *m, const struct tp_mine_feature *f,
				       const struct tp_mine_feature *g);

#endif
