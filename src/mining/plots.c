/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mining/plots.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/pairs.h"
#include "base/text.h"
#include "mining/prepare.h"

enum { X = 1, Y = 2, COLOUR = 4, LOG_X = 8, LOG_Y = 16 };

/*
 * What a kind takes, which of its columns must be numbers, and which may have but few different
 * values. Without y, and without x of a density, the target is drawn; without the colour of a heat
 * map, too.
 */
static const struct kind {
	const char *word, *takes_words;
	unsigned takes, needs, numbers, few;
} kinds[TP_MINE_PLOT_KINDS] = {
	[TP_MINE_SCATTER] = { "scatter", "x, y, colour and log", X | Y | COLOUR | LOG_X | LOG_Y, X,
			      X | Y, 0 },
	[TP_MINE_LINE] = { "line", "x, y, colour and log", X | Y | COLOUR | LOG_X | LOG_Y, X, X | Y,
			   0 },
	[TP_MINE_DENSITY] = { "density", "x, colour and log=x", X | COLOUR | LOG_X, 0, X, 0 },
	[TP_MINE_BOX] = { "box", "x, y and log=y", X | Y | LOG_Y, X, Y, X },
	[TP_MINE_HEAT] = { "heat", "x, y and colour", X | Y | COLOUR, X | Y, COLOUR, X | Y },
};

static const char kind_words[] = "scatter, line, density, box or heat";

static enum tp_status __attribute__((format(printf, 4, 5)))
refuse(const struct tp_mine_plot *plot, const char *hint, struct tp_diag *diag, const char *fmt,
       ...)
{
	char what[sizeof(diag->what)];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return tp_fail(diag, TP_USAGE, plot->where, hint, "mine.plot \"%.100s\": %s", plot->text,
		       what);
}

/* --- reading --- */

static enum tp_status take_kind(struct tp_mine_plot *plot, size_t len, struct tp_diag *diag)
{
	TP_STR hint = { 0 };
	for (unsigned i = 0; i < TP_MINE_PLOT_KINDS; i++)
		if (strlen(kinds[i].word) == len && strncmp(plot->text, kinds[i].word, len) == 0) {
			plot->kind = (enum tp_mine_plot_kind)i;
			return TP_OK;
		}
	tp_str_printf(&hint, "begin with %s", kind_words);
	return refuse(plot, tp_str_text(&hint), diag, "\"%.*s\" is not a kind of picture",
		      (int)TP_MIN(len, (size_t)40), plot->text);
}

static enum tp_status take_log(struct tp_mine_plot *plot, const char *value, struct tp_diag *diag)
{
	bool both = strcmp(value, "xy") == 0;
	plot->log_x = both || strcmp(value, "x") == 0;
	plot->log_y = both || strcmp(value, "y") == 0;
	plot->log_asked = true;
	if (plot->log_x || plot->log_y || strcmp(value, "no") == 0)
		return TP_OK;
	return refuse(plot, "log=x, log=y, log=xy or log=no", diag,
		      "\"%.40s\" is not an axis that can be logarithmic", value);
}

/* Whether the kind takes what was written. */
static enum tp_status check_taken(const struct tp_mine_plot *plot, struct tp_diag *diag)
{
	const struct kind *kind = &kinds[plot->kind];
	const struct {
		unsigned what;
		const char *word;
		bool given;
	} parts[] = {
		{ X, "x", plot->x },
		{ Y, "y", plot->y },
		{ COLOUR, "colour", plot->colour },
		{ LOG_X, "log=x", plot->log_x },
		{ LOG_Y, "log=y", plot->log_y },
	};
	TP_STR hint = { 0 };
	tp_str_printf(&hint, "%s takes %s", kind->word, kind->takes_words);
	for (size_t i = 0; i < TP_COUNT_OF(parts); i++) {
		if (parts[i].given && !(kind->takes & parts[i].what))
			return refuse(plot, tp_str_text(&hint), diag, "%s does not take %s",
				      kind->word, parts[i].word);
		if (!parts[i].given && (kind->needs & parts[i].what))
			return refuse(plot, tp_str_text(&hint), diag, "%s needs %s=COLUMN",
				      kind->word, parts[i].word);
	}
	return TP_OK;
}

static enum tp_status read_plot(struct tp_mine_plot *plot, struct tp_arena *arena,
				struct tp_diag *diag)
{
	char name[32], value[TP_FRAME_NAME_MAX_BYTES + 1];
	size_t len = strcspn(plot->text, " ");
	const char *at = plot->text + len;
	enum tp_status status = take_kind(plot, len, diag);
	while (status == TP_OK && tp_pairs_next(&at, name, sizeof(name), value, sizeof(value))) {
		const char **column = strcmp(name, "x") == 0	    ? &plot->x
				      : strcmp(name, "y") == 0	    ? &plot->y
				      : strcmp(name, "colour") == 0 ? &plot->colour
								    : NULL;
		if (column)
			*column = tp_arena_strdup(arena, value);
		else if (strcmp(name, "log") == 0)
			status = take_log(plot, value, diag);
		else
			status = refuse(plot, "x, y, colour and log are", diag,
					"\"%s\" is not allowed", name);
	}
	at += strspn(at, " ");
	if (status == TP_OK && *at)
		status = refuse(plot,
				"write x=COLUMN y=COLUMN colour=COLUMN log=xy; a name with "
				"blanks stands in double quotes",
				diag, "\"%.60s\" is not NAME=VALUE", at);
	return status == TP_OK ? check_taken(plot, diag) : status;
}

enum tp_status tp_mine_plots_read(struct tp_mine_job *job, const struct tp_value *value,
				  struct tp_arena *arena, struct tp_diag *diag)
{
	struct tp_mine_plot *plots = tp_arena_alloc(arena, (value->n + 1) * sizeof(*plots));
	enum tp_status status = TP_OK;
	for (size_t i = 0; i < value->n && status == TP_OK; i++) {
		plots[i].text = value->items[i].text;
		plots[i].where = tp_arena_strdup(arena, *value->where ? value->where : "mine.plot");
		status = read_plot(&plots[i], arena, diag);
	}
	job->plots = plots;
	job->n_plots = value->n;
	return status;
}

/* --- columns --- */

/* One of the columns of a plot. */
struct axis {
	unsigned what; /* X, Y or COLOUR */
	const char *word, *name; /* "x", and the column; NULL: none is drawn */
	bool log;
	struct tp_mine_feature *column;
};

static enum tp_status check_axis(const struct tp_mine_plot *plot, const struct axis *axis,
				 struct tp_diag *diag)
{
	const struct kind *kind = &kinds[plot->kind];
	const struct tp_mine_feature *column = axis->column;
	char number[32];
	TP_STR hint = { 0 };
	if (column->words && (kind->numbers & axis->what))
		return refuse(plot,
			      axis->what == X ? "box and heat take words on x"
					      : "choose a column of numbers",
			      diag, "%s is words, and %s of %s must be numbers", column->name,
			      axis->word, kind->word);
	/* Words have no ranges. */
	bool few = (kind->few & axis->what) || (axis->what == COLOUR && column->words);
	if (few && !column->n_levels)
		return refuse(plot, "line and scatter take more", diag,
			      "%s has more than %d different values, too many for %s of %s",
			      column->name, TP_MINE_LEVELS_MAX, axis->word, kind->word);
	if (!column->words && !(column->low <= column->high))
		return refuse(plot, "choose another column", diag, "%s has no value in any row",
			      column->name);
	if (!axis->log || column->low > 0)
		return TP_OK;
	tp_str_printf(&hint, "leave such rows out: mine.filter=%s > 0", column->name);
	return refuse(plot, tp_str_text(&hint), diag,
		      "the smallest %s is %s, which a log axis has no place for", column->name,
		      tp_mine_number(number, sizeof(number), column->low));
}

static enum tp_status find_axis(struct tp_mining *mining, const struct tp_frame *frame,
				const struct tp_mine_plot *plot, const struct axis *axis,
				struct tp_diag *diag)
{
	const struct tp_frame_column *column;
	struct tp_diag unknown;
	const char *name = axis->name ? axis->name : mining->target;
	if (!name)
		return refuse(plot, "name the column, or a target", diag, "%s=COLUMN is missing",
			      axis->word);
	if (tp_mining_find(frame, plot->where, name, &column, &unknown) != TP_OK)
		return refuse(plot, unknown.hint, diag, "%s", unknown.what);
	*axis->column = tp_mining_column(mining, frame, column);
	return check_axis(plot, axis, diag);
}

enum tp_status tp_mining_plot_columns(struct tp_mining *mining, const struct tp_frame *frame,
				      struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	size_t n = mining->job.n_plots;
	mining->plotted = tp_mining_alloc(mining, n, sizeof(*mining->plotted));
	for (size_t i = 0; i < n && status == TP_OK; i++) {
		const struct tp_mine_plot *plot = &mining->job.plots[i];
		struct tp_mine_plotted *to = &mining->plotted[i];
		const struct axis axes[] = {
			{ X, "x", plot->x, plot->log_x, &to->x },
			{ Y, "y", plot->y, plot->log_y, &to->y },
			{ COLOUR, "colour", plot->colour, false, &to->colour },
		};
		for (size_t k = 0; k < TP_COUNT_OF(axes) && status == TP_OK; k++) {
			/* Only a heat map has a colour in any case. */
			bool drawn = (kinds[plot->kind].takes & axes[k].what) &&
				     (axes[k].what != COLOUR || plot->colour ||
				      plot->kind == TP_MINE_HEAT);
			if (drawn)
				status = find_axis(mining, frame, plot, &axes[k], diag);
		}
	}
	return status;
}
