/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables of places, screens and keys. Tabs, keymap, footer, help and manual are made from them.
 * A screen handles actions, not keys; only text fields see characters.
 */
#ifndef TPROF_TUI_KEYS_H
#define TPROF_TUI_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "experiments/list.h"

/* The places from left to right: id, key, title. */
#define TP_PLACE_LIST(X)                                                                           \
	X(HOME, "1", "Home")                                                                       \
	X(SETUP, "2", "Setup")                                                                     \
	X(RESULT, "3", "Result")                                                                   \
	X(RUNS, "4", "Runs")                                                                       \
	X(LEARN, "5", "Learn")

enum tp_place_id {
#define TP_PLACE_ENUM(id, key, title) TP_PLACE_##id,
	TP_PLACE_LIST(TP_PLACE_ENUM)
#undef TP_PLACE_ENUM
		TP_PLACE_COUNT
};

struct tp_place_row {
	const char *key, *title;
};
extern const struct tp_place_row tp_place_rows[TP_PLACE_COUNT];

/* The screens, by place: id, name of the struct tp_screen, place, title, kind. */
#define TP_SCREEN_LIST(X)                                                                          \
	X(HOME, home, HOME, "Home", OWN)                                                           \
	X(MACHINE, machine, HOME, "Machine", OWN)                                                  \
	X(SETUP, setup, SETUP, "Setup", OWN)                                                       \
	X(RUN, run, RESULT, "Points", OWN)                                                         \
	TP_EXPERIMENT_TAB_LIST(X)                                                                  \
	X(TREE, tree, RESULT, "Tree", OWN)                                                         \
	X(RUNS, runs, RUNS, "Runs", OWN)                                                           \
	X(CLUSTER, cluster, RUNS, "Nodes", OWN)                                                    \
	X(LESSONS, lessons, LEARN, "Lessons", OWN)                                                 \
	X(HELP, help, LEARN, "Help", OWN)

enum tp_screen_id {
#define TP_SCREEN_ENUM(id, ...) TP_SCREEN_##id,
	TP_SCREEN_LIST(TP_SCREEN_ENUM)
#undef TP_SCREEN_ENUM
		TP_SCREEN_COUNT
};

struct tp_screen_row {
	enum tp_place_id place;
	const char *title;
};
extern const struct tp_screen_row tp_screen_rows[TP_SCREEN_COUNT];

/* The screens where a key has its meaning: all, or bits of 1 << enum tp_screen_id. */
#define TP_EVERYWHERE (~0u)
#define TP_ON(screen) (1u << TP_SCREEN_##screen)

/* Keys of experiments: all, those with pictures, those that are plots. */
#define TP_TAB_BIT(id, ...)	     | TP_ON(id)
#define TP_PICTURES_BIT_PLOTS(id)    | TP_ON(id)
#define TP_PICTURES_BIT_PICTURES(id) | TP_ON(id)
#define TP_PICTURES_BIT_OWN(id)
#define TP_PLOTS_BIT_PLOTS(id) | TP_ON(id)
#define TP_PLOTS_BIT_PICTURES(id)
#define TP_PLOTS_BIT_OWN(id)
#define TP_PICTURES_BIT(id, name, place, title, kind) TP_PICTURES_BIT_##kind(id)
#define TP_PLOTS_BIT(id, name, place, title, kind)    TP_PLOTS_BIT_##kind(id)
enum {
	TP_ON_EXPERIMENTS = 0 TP_EXPERIMENT_TAB_LIST(TP_TAB_BIT),
	TP_ON_PICTURES = 0 TP_EXPERIMENT_TAB_LIST(TP_PICTURES_BIT),
	TP_ON_PLOTS = 0 TP_EXPERIMENT_TAB_LIST(TP_PLOTS_BIT)
};

/*
 * The actions in the order of the help: first TP_WORK_ACTION_LIST, then one GO_... for each place,
 * then TP_COMMON_ACTION_LIST. Columns: id, keys (names separated by blanks), screens, word in the
 * footer ("" = not in the footer), help.
 */
#define TP_WORK_ACTION_LIST(X)                                                                     \
	X(UP, "Up k", TP_EVERYWHERE, "", "up; on a plot the next roof or series")                  \
	X(DOWN, "Down j", TP_EVERYWHERE, "", "down; on a plot the previous roof or series")        \
	X(LEFT, "Left h", TP_EVERYWHERE, "",                                                       \
	  "left: the previous value; on a plot the cursor to the left")                            \
	X(RIGHT, "Right l", TP_EVERYWHERE, "",                                                     \
	  "right: the next value; on a plot the cursor to the right")                              \
	X(PAGE_UP, "PgUp", TP_EVERYWHERE, "",                                                      \
	  "a page up; on a plot the cursor ten steps to the left")                                 \
	X(PAGE_DOWN, "PgDn", TP_EVERYWHERE, "",                                                    \
	  "a page down; on a plot the cursor ten steps to the right")                              \
	X(FIRST, "Home g", TP_EVERYWHERE, "", "to the beginning")                                  \
	X(LAST, "End G", TP_EVERYWHERE, "", "to the end")                                          \
	X(NEXT_SCREEN, "]", TP_EVERYWHERE, "next", "the next screen of the place")                 \
	X(PREVIOUS_SCREEN, "[", TP_EVERYWHERE, "", "the screen before")                            \
	X(NEXT_PART, "Tab", TP_EVERYWHERE, "next part",                                            \
	  "the next part of the screen, if they do not all fit; then the next screen")             \
	X(PREVIOUS_PART, "S-Tab", TP_EVERYWHERE, "", "the previous part or screen")                \
	X(LESSON_GO, "Enter Space", TP_ON(LESSONS), "go on",                                       \
	  "opens the lesson; on a page what comes next: hand in the answer, measure, turn the "    \
	  "page; left and right turn pages, too")                                                  \
	X(LESSON_MEASURE, "r F5", TP_ON(LESSONS), "measure",                                       \
	  "measure again what the page suggests")                                                  \
	X(TERMS, "e", TP_ON(LESSONS), "terms", "the terms that lessons have explained so far")     \
	X(LESSON_ANEW, "Backspace Del", TP_ON(LESSONS), "",                                        \
	  "restart the lesson: its answers are forgotten")                                         \
	X(CHANGE, "Enter Space", TP_ON(SETUP), "change",                                           \
	  "change the value: choose from a list or type it")                                       \
	X(DO, "Enter Space", TP_ON(HOME), "do",                                                    \
	  "on the program: type it, and run it; on other rows: do or open what they name")         \
	X(START, "r F5", TP_ON(SETUP) | TP_ON(MACHINE) | TP_ON(RUN), "run",                        \
	  "measure what is set up")                                                                \
	X(SAVE, "w", TP_ON(SETUP), "save",                                                         \
	  "save as a preset, a file that runs to the same result without screens")                 \
	X(LOAD, "o", TP_ON(SETUP), "load", "load a preset")                                        \
	X(RESET, "Backspace Del", TP_ON(SETUP), "default", "the value back to its default")        \
	X(RESET_ALL, "R", TP_ON(SETUP), "", "every value back to its default")                     \
	X(ALL_OPTIONS, "a", TP_ON(SETUP), "more",                                                  \
	  "show all options, or only those that matter most")                                      \
	X(ADOPT, "u", TP_ON(HOME) | TP_ON(SETUP) | TP_ON(MACHINE), "use found",                    \
	  "use the cache sizes that were measured, and the model the CPU looks like")              \
	X(RUN_NEXT, "}", TP_ON(SETUP), "", "the next run of the preset")                           \
	X(RUN_PREVIOUS, "{", TP_ON(SETUP), "", "the previous run of the preset")                   \
	X(RUN_ADD, "+ =", TP_ON(SETUP), "", "another run in the preset, a copy of this one")       \
	X(RUN_REMOVE, "-", TP_ON(SETUP), "", "take this run out of the preset")                    \
	X(TAKE, "Enter", TP_ON(MACHINE), "take", "runs take the model (option machine)")           \
	X(FOLD, "Space", TP_ON(MACHINE), "", "show the figures of the model")                      \
	X(EXAMINE, "e", TP_ON(MACHINE), "doctor", "examine the machine again for noise sources")   \
	X(PAUSE, "p", TP_EVERYWHERE, "pause", "pause after this point, and go on")                 \
	X(SKIP, "n", TP_ON(RUN), "skip", "skip this point")                                        \
	X(STOP, "s", TP_EVERYWHERE, "stop", "stop the run; what was measured is saved")            \
	X(FASTER, "+ =", TP_ON(RUN), "", "replay: twice as fast")                                  \
	X(SLOWER, "-", TP_ON(RUN), "", "replay: half as fast")                                     \
	X(RESULTS, "Enter", TP_ON(RUN), "results",                                                 \
	  "the screen that shows the results of the point")                                        \
	X(OPEN, "Enter", TP_ON(RUNS), "open", "open the run: its plots and its report")            \
	X(OVERLAY, "Space", TP_ON(RUNS), "mark",                                                   \
	  "mark the run: drawn over the open one, and compared with it")                           \
	X(COMPARE, "c", TP_ON(RUNS), "compare",                                                    \
	  "compare the marked runs, or this one with the open one, or with the previous run of "   \
	  "its name")                                                                              \
	X(ACROSS, "a", TP_ON(RUNS), "across",                                                      \
	  "in a comparison: pair points across ISA, threads, kernel ... that they differ in")      \
	X(CLUSTER_OPEN, "Enter", TP_ON(CLUSTER), "open",                                           \
	  "on a run: its nodes; on a node: its messages and results, and then its run")            \
	X(CLUSTER_START, "r F5", TP_ON(CLUSTER), "new",                                            \
	  "measure what is set up on many nodes: asks where, and shows first what would run")      \
	X(CLUSTER_MERGED, "m", TP_ON(CLUSTER), "merged",                                           \
	  "the nodes as one run: its report, heat map and roofline with bands")                    \
	X(CLUSTER_COLLECT, "f", TP_ON(CLUSTER), "fetch",                                           \
	  "fetch what has not come back, and merge what the nodes have so far")                    \
	X(CLUSTER_CANCEL, "Del Backspace", TP_ON(CLUSTER), "cancel",                               \
	  "cancel the nodes that have not ended, after a question")                                \
	X(RESUME, "e", TP_ON(RUNS) | TP_ON(RUN) | TP_ON(CLUSTER), "resume",                        \
	  "measure what an interrupted run lacks")                                                 \
	X(FAMILY_NEXT, "> .", TP_ON(COUNTERS), "family",                                           \
	  "the next family of kernels; right where there is no plot")                              \
	X(FAMILY_PREVIOUS, "< ,", TP_ON(COUNTERS), "",                                             \
	  "the previous family; left where there is no plot")                                      \
	X(SHOW, "Enter", TP_ON(COUNTERS), "show",                                                  \
	  "on an event: its curve; on a metric: its formula and error in full")                    \
	X(MARK, "Space", TP_ON(COUNTERS), "mark",                                                  \
	  "mark the event: its curve is drawn with the others")                                    \
	X(FATE, "a", TP_ON(COUNTERS), "fate",                                                      \
	  "all events, or only the chosen, dependent, noisy ... ones")                             \
	X(AXES, "a", TP_ON(AUTOTUNE), "axes", "other sizes on the axes of the map")                \
	X(SLICE_NEXT, "}", TP_ON(AUTOTUNE), "slice",                                               \
	  "the next value of the third size; first the best of all of them")                       \
	X(SLICE_PREVIOUS, "{", TP_ON(AUTOTUNE), "", "the previous value of the third size")        \
	X(BEST, "b", TP_ON(AUTOTUNE), "best", "the cursor onto the best, and along with it")       \
	X(NODE_TURN, "Enter Space", TP_ON(TREE), "fold", "fold or unfold the question")            \
	X(NODE_OPEN_ALL, "+ =", TP_ON(TREE), "", "unfold the whole tree")                          \
	X(NODE_FOLD_ALL, "-", TP_ON(TREE), "", "fold all questions except the first")              \
	X(TARGET, "y", TP_ON(TREE), "what", "choose the column that is to be explained")           \
	X(FEATURES, "f", TP_ON(TREE), "by", "choose the columns that it is explained by")          \
	X(CUT_NEXT, "}", TP_ON(TREE), "cut", "the next cut between categories")                    \
	X(CUT_PREVIOUS, "{", TP_ON(TREE), "", "the cut before")                                    \
	X(CUT_RIGHT, "> .", TP_ON(TREE), "move",                                                   \
	  "move the cut up; so do the arrows in the part Categories, and a drag with the mouse")   \
	X(CUT_LEFT, "< ,", TP_ON(TREE), "", "move the cut down")                                   \
	X(CUT_ADD, "a", TP_ON(TREE), "add",                                                        \
	  "add a cut: halves the category above the chosen cut; so does a double click there")     \
	X(CUT_REMOVE, "Backspace Del", TP_ON(TREE), "delete", "delete the cut")                    \
	X(CUT_RESET, "0", TP_ON(TREE), "", "the cuts as the density has them")                     \
	X(DEPTH_MORE, ")", TP_ON(TREE), "deeper", "one more question in a row")                    \
	X(DEPTH_LESS, "(", TP_ON(TREE), "", "one question less in a row")                          \
	X(CRITERION, "e", TP_ON(TREE), "", "what questions lower: Gini impurity or entropy")       \
	X(PLOT, "w", TP_ON(TREE), "plot",                                                          \
	  "in the part Categories the next plot of mine.plot, and back to the density")            \
	X(PLOT_CHOOSE, "W", TP_ON(TREE), "", "choose what is plotted: kind, columns, axes")        \
	X(SORT, "o", TP_ON(RUNS) | TP_ON(COUNTERS) | TP_ON(CLUSTER), "sort",                       \
	  "sort by the next column")                                                               \
	X(DELETE, "Del Backspace", TP_ON(RUNS), "delete", "delete the run, after a question")      \
	X(EXPORT, "x", TP_ON(RUNS) | TP_ON_PICTURES | TP_ON(TREE), "export",                       \
	  "write the pictures and tables of the run to files")                                     \
	X(FILTER, "/",                                                                             \
	  TP_ON(RUNS) | TP_ON(HELP) | TP_ON(SETUP) | TP_ON(COUNTERS) | TP_ON(CLUSTER), "find",     \
	  "find: only rows with the typed words")                                                  \
	X(SERIES, "v", TP_ON_PLOTS, "series", "which series are shown: ISA, precision, threads")   \
	X(REPORT, "t", TP_ON(RUN) | TP_ON_PLOTS | TP_ON(TREE) | TP_ON(RUNS), "table",              \
	  "the numbers as tables, and back")                                                       \
	X(ZOOM_IN, "+ =", TP_ON_PLOTS, "zoom", "zoom in around the cursor")                        \
	X(ZOOM_OUT, "-", TP_ON_PLOTS, "", "zoom out")                                              \
	X(ZOOM_ALL, "0", TP_ON_PLOTS, "", "show everything again")                                 \
	X(SCALE_X, "X", TP_ON_PLOTS, "", "x axis logarithmic or linear")                           \
	X(SCALE_Y, "Y", TP_ON_PICTURES, "", "y axis logarithmic or linear")                        \
	X(GLYPHS, "b",                                                                             \
	  (TP_ON_PICTURES & ~TP_ON(AUTOTUNE)) | TP_ON(TREE) | TP_ON(LESSONS) | TP_ON(RUNS), "",    \
	  "draw with Braille dots, blocks or ASCII")                                               \
	X(NEXT_PICTURE, "> .", TP_ON_PLOTS | TP_ON(LESSONS) | TP_ON(RUNS), "picture",              \
	  "the next picture of the run")                                                           \
	X(PREVIOUS_PICTURE, "< ,", TP_ON_PLOTS | TP_ON(LESSONS) | TP_ON(RUNS), "",                 \
	  "the picture before")                                                                    \
	X(CODE, "Enter", TP_ON(PATTERN), "code",                                                   \
	  "the configurations, with the loops and the document of the pattern; and back")          \
	X(DOT, "d", TP_ON(ROOFLINE), "dot",                                                        \
	  "puts your own dot on the roofline: asks for NAME:AI,GFLOPS")                            \
	X(COMPARE_RESULT, "c", TP_ON(RUN) | TP_ON_EXPERIMENTS | TP_ON(TREE), "compare",            \
	  "compare the result with the previous run of its name")                                  \
	X(WHAT_IF, "w", TP_ON(ROOFLINE) | TP_ON(APPLICATION), "what if",                           \
	  "where the dot would be: vectorised, with all threads, blocked to L2, as far as "        \
	  "numbers are known")

#define TP_COMMON_ACTION_LIST(X)                                                                   \
	X(WHOLE, "i", TP_EVERYWHERE, "full",                                                       \
	  "texts that were cut off, in full: first those of the row under the cursor")             \
	X(PALETTE, ":", TP_EVERYWHERE, "",                                                         \
	  "find anything: screens, actions, options, presets, runs, lessons, help")                \
	X(MOUSE, "M", TP_EVERYWHERE, "",                                                           \
	  "take the mouse, or leave it to the terminal (to mark text)")                            \
	X(REPAINT, "^L", TP_EVERYWHERE, "", "redraw the whole screen")                             \
	X(HELP, "? F1", TP_EVERYWHERE, "help", "this help, and back")                              \
	X(BACK, "Esc", TP_EVERYWHERE, "back",                                                      \
	  "leave a field, a list, a question, tables, a report, a comparison or the help")         \
	X(CLOSE, "q", TP_EVERYWHERE, "quit",                                                       \
	  "back from tables, a report, a comparison or the help; on a screen itself quit")         \
	X(QUIT, "^C", TP_EVERYWHERE, "", "quit; asks while a run is under way")

enum tp_action {
	TP_ACTION_NONE,
#define TP_ACTION_ENUM(id, ...) TP_ACTION_##id,
#define TP_GO_ENUM(id, ...)	TP_ACTION_GO_##id,
	TP_WORK_ACTION_LIST(TP_ACTION_ENUM) TP_PLACE_LIST(TP_GO_ENUM)
		TP_COMMON_ACTION_LIST(TP_ACTION_ENUM)
#undef TP_ACTION_ENUM
#undef TP_GO_ENUM
			TP_ACTION_COUNT
};

struct tp_action_row {
	enum tp_action id;
	const char *keys;
	unsigned screens;
	const char *label, *help;
	enum tp_place_id go; /* the place that the action opens; TP_PLACE_COUNT: none */
};
extern const struct tp_action_row tp_action_table[TP_ACTION_COUNT]; /* [0] is empty */

/*
 * The action of a key on a screen, NONE if it has none. TP_SCREEN_COUNT: only actions that every
 * screen has.
 */
enum tp_action tp_keys_action(enum tp_screen_id screen, uint32_t code);
/* Rows of the head: one, and one with the screens of the place if it has several. */
int tp_keys_head_rows(enum tp_screen_id screen);
/* The name of the first key of an action: "Enter", "^C". */
const char *tp_keys_name(enum tp_action action, char *out, size_t size);

#endif
