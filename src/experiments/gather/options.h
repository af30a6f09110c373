/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TPROF_EXPERIMENTS_GATHER_OPTIONS_H
#define TPROF_EXPERIMENTS_GATHER_OPTIONS_H

#include "preset/options.h"

#define TP_GATHER_OPTIONS(X)                                                                       \
	X(GATHER_ELEMENTS, "gather.elements", COUNT, true, 2, 16, "2,3,4,5,6,7,8", "",             \
	  "Numbers of elements that one instruction gathers.", .offers = "2 3 4 5 6 7 8 16",       \
	  TP_FORM(WHAT, 400))                                                                      \
	X(GATHER_LISTS, "gather.lists", WORD, false, 0, 0, "all", "all lines",                     \
	  "Which lists of indexes: all, where each element but the first lies beside it, half a "  \
	  "line further, or in a line of its own; lines, one list for each number of lines.",      \
	  .meanings = "all\tthree places for each element but the first\n"                         \
		      "lines\tone list for each number of lines\n",                                \
	  TP_FORM(WHAT, 410), .form_tells = true)                                                  \
	X(GATHER_WIDTH, "gather.width", WORD, true, 0, 0, "narrowest", "narrowest 128 256 512",    \
	  "Bits of the vectors; narrowest is the shortest that holds the elements.",               \
	  TP_FORM(WHAT, 420))                                                                      \
	X(GATHER_MASK, "gather.mask", WORD, true, 0, 0, "on", "on off",                            \
	  "Lanes without an element: masked off, or all lanes on, where these load the first "     \
	  "element once more.",                                                                    \
	  .meanings = "on\tlanes without an element are masked off\n"                              \
		      "off\tthey load the first element once more\n",                              \
	  TP_FORM(WHAT, 430), .form_tells = true)                                                  \
	X(GATHER_PLACES, "gather.places", COUNT, false, 4, 65536, "auto", "auto",                  \
	  "Places that a pass gathers from, each in a page of its own; auto: 2048 with cold "      \
	  "caches, 16 with hot ones.",                                                             \
	  TP_FORM_MORE(WHAT, 440))

TP_GATHER_OPTIONS(TP_OPTION_DECLARE)

#endif
