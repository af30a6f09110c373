/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The section of a run whose preset names a target. */
#include "mining/mined.h"
#include "mining/say.h"

#include <stdlib.h>
#include <string.h>

/* A run that goes on is mined when it has ended; the screen Tree does it meanwhile. */
static bool is_ready(const struct tp_run *run)
{
	return tp_run_is_mined(run) && run->n_points && *run->state &&
	       strcmp(run->state, "running") != 0;
}

static void page(struct tp_page *page)
{
	struct tp_diag diag;
	if (!is_ready(page->run))
		return;
	if (page->look->quick) {
		tp_page_title(page, "Mining", NULL);
		tp_text_wrap(page->out, page->look, TP_PAINT_PLAIN,
			     "The screen Tree shows what decides the target.", 0, 2);
		return;
	}
	struct tp_mined *mined = calloc(1, sizeof(*mined));
	if (!mined) {
		page->out->oom = true;
		return;
	}
	if (tp_mine_run(mined, page->run, NULL, &diag) == TP_OK) {
		tp_mine_text(&mined->mining, page->look, page->out);
	} else {
		struct tp_str text = { 0 };
		tp_page_title(page, "Mining", NULL);
		tp_str_printf(&text, "%s: %s", diag.where, diag.what);
		if (*diag.hint)
			tp_str_printf(&text, "; %s", diag.hint);
		struct tp_str clean = { 0 };
		tp_text_clean(&clean, tp_str_text(&text), page->look);
		tp_text_wrap(page->out, page->look, TP_PAINT_WARN, tp_str_text(&clean), 0, 2);
		tp_str_release(&clean);
		tp_str_release(&text);
	}
	tp_mined_release(mined);
	free(mined);
}

static bool pictures(const struct tp_run *run, const struct tp_gallery *gallery)
{
	struct tp_diag diag;
	bool good = true;
	if (!is_ready(run))
		return true;
	struct tp_mined *mined = calloc(1, sizeof(*mined));
	if (!mined)
		return false;
	/* The page says why nothing was learned. */
	enum tp_status status = tp_mine_run(mined, run, NULL, &diag);
	if (status == TP_OK)
		good = tp_mine_pictures(&mined->mining, gallery);
	tp_mined_release(mined);
	free(mined);
	return good && status != TP_NOMEM;
}

const struct tp_reporter tp_reporter_mining = {
	.experiment = "mine",
	.place = 1000,
	.page = page,
	.pictures = pictures,
};
