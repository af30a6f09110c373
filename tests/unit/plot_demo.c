/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Draws the test scenes to look at. usage: plot_demo roofline|curve COLUMNS ROWS
 * braille|block|ascii colour|mono
 */
#include "plot_scenes.h"

#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	if (argc != 6) {
		fprintf(stderr,
			"usage: %s roofline|curve COLUMNS ROWS braille|block|ascii colour|mono\n",
			argv[0]);
		return 2;
	}
	static struct plot_scenes scenes;
	plot_scenes_make(&scenes);
	struct tp_plot_text_options options = {
		.columns = strtoul(argv[2], NULL, 10),
		.rows = strtoul(argv[3], NULL, 10),
		.glyphs = strcmp(argv[4], "ascii") == 0	  ? TP_GLYPHS_ASCII
			  : strcmp(argv[4], "block") == 0 ? TP_GLYPHS_BLOCK
							  : TP_GLYPHS_BRAILLE,
		.colour = strcmp(argv[5], "mono") != 0,
	};
	struct tp_str out = { 0 };
	enum tp_status status = tp_plot_text(
		strcmp(argv[1], "curve") ? &scenes.roofline : &scenes.curve, &options, &out);
	if (status != TP_OK)
		fprintf(stderr, "%s: %s\n", argv[0], tp_status_name(status));
	fputs(tp_str_text(&out), stdout);
	tp_str_release(&out);
	return (int)tp_status_exit(status);
}
