/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can be chosen for an option: from its words, the registries of ISAs, experiments and models, and the machine. No curses. */
#ifndef TPROF_TUI_OFFERS_H
#define TPROF_TUI_OFFERS_H

#include "cli/cli.h"

struct tp_offer {
	char word[96]; /* as tp_option_parse takes it */
	char note[160]; /* what it means, for people; may be empty */
	char why[772]; /* with `off`: why it cannot be chosen here */
	bool off;
	bool alone; /* stands for a choice of its own, never beside others (auto) */
};

/* Zero-initialise; release with tp_offers_release. */
struct tp_offers {
	struct tp_offer *items;
	size_t n, cap;
	bool open; /* other values than these can be typed */
};

/* The values to choose from, in the order of Left and Right; none for options whose values are only typed. TP_NOMEM at worst. */
enum tp_status tp_offers_make(struct tp_offers *offers, const struct tp_session *session,
			      enum tp_option_id id);
void tp_offers_release(struct tp_offers *offers);
/* The index of a word, or -1. */
long tp_offers_find(const struct tp_offers *offers, const char *word);

/*
 * The value after (`direction` 1) or before (-1) the present one, as text into `out`: of the offers that are not off; beside them by number;
 * without any by doubling or 1-2-5 within the range. TP_UNSUPPORTED when a value cannot be stepped; at the end of a range TP_OK and
 * the present value.
 */
enum tp_status tp_offers_step(const struct tp_offers *offers, enum tp_option_id id,
			      const struct tp_value *value, int direction, char *out, size_t size);

#endif
