/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The words that an option takes, for the Setup form and the completion. They come from the row of
 * the option, from the registry of its names, and from the machine.
 */
#ifndef TPROF_EXPERIMENTS_WORDS_H
#define TPROF_EXPERIMENTS_WORDS_H

#include "machine/machine.h"
#include "preset/options.h"

struct tp_word {
	char word[96]; /* as tp_option_parse takes it */
	char note[160]; /* the meaning in a few words; may be empty */
	char why[772]; /* with `off`: why it cannot be chosen here */
	bool off;
	bool alone; /* cannot be in a list with other words (auto) */
};

/* Zero-initialise; release with tp_words_release. */
struct tp_words {
	struct tp_word *items;
	size_t n, cap;
	bool open; /* other values can be typed */
};

/*
 * The words to choose from, in the order of Left and Right; none if a value can only be typed.
 * Words that do not work on `machine` are off. NULL: words for any machine, none of them off. Fails
 * if the files of these words cannot be listed.
 */
enum tp_status tp_words_make(struct tp_words *words, const struct tp_option *option,
			     const struct tp_machine *machine);
void tp_words_release(struct tp_words *words);
/* The index of a word, or -1. */
long tp_words_find(const struct tp_words *words, const char *word);

#endif
