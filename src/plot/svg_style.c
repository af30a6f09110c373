/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How SVG documents look. The colours of series were searched for: hues after Okabe and Ito, moved
 * until all of them lie as far apart as can be (25 and more in CIE Lab) for readers without red,
 * green or blue cones as for others, and can be read as words on their paper (contrast 4.5 and
 * more).
 */
#include "base/vec.h"
#include "plot/svg_parts.h"

/* name of the class, light, dark */
static const struct {
	const char *name, *light, *dark;
} roles[TP_ROLE_COUNT] = {
	[TP_ROLE_SERIES_0] = { "s0", "#2744d2", "#368efe" },
	[TP_ROLE_SERIES_1] = { "s1", "#bb580a", "#f58f35" },
	[TP_ROLE_SERIES_2] = { "s2", "#22653b", "#4bef89" },
	[TP_ROLE_SERIES_3] = { "s3", "#9f5a86", "#c48e9e" },
	[TP_ROLE_SERIES_4] = { "s4", "#2a3038", "#e3e7ec" },
	[TP_ROLE_SERIES_5] = { "s5", "#6d3e99", "#c35ab0" },
	[TP_ROLE_THEORY] = { "theory", "#7c8694", "#8b97a8" },
	[TP_ROLE_MARK] = { "mark", "#59636f", "#a6b1bf" },
	[TP_ROLE_AXIS] = { "axis", "#59636f", "#a6b1bf" },
	[TP_ROLE_GRID] = { "grid", "#dfe4ea", "#2b333e" },
	[TP_ROLE_TITLE] = { "ink", "#1a1f26", "#e8ebf0" },
	[TP_ROLE_HEAT_0] = { "h0", "#e4e8ee", "#2b323c" },
	[TP_ROLE_HEAT_1] = { "h1", "#6a4c93", "#6a4c93" },
	[TP_ROLE_HEAT_2] = { "h2", "#2f6db3", "#2f6db3" },
	[TP_ROLE_HEAT_3] = { "h3", "#157a76", "#157a76" },
	[TP_ROLE_HEAT_4] = { "h4", "#6cb552", "#6cb552" },
	[TP_ROLE_HEAT_5] = { "h5", "#b9d94b", "#b9d94b" },
	[TP_ROLE_HEAT_BEST] = { "best", "#ffd23f", "#ffd23f" },
};

/* name of the class, px, bold */
const struct tp_svg_word tp_svg_word_looks[TP_WORD_COUNT] = {
	[TP_WORD_HEADING] = { "heading", 19, true }, [TP_WORD_TITLE] = { "title", 15, true },
	[TP_WORD_BODY] = { "body", 12.5, false },    [TP_WORD_SMALL] = { "small", 11.5, false },
	[TP_WORD_UNIT] = { "unit", 12, false },	     [TP_WORD_TICK] = { "tick", 11, false },
	[TP_WORD_NAME] = { "name", 12, true },	     [TP_WORD_NOTE] = { "note", 11, false },
	[TP_WORD_KEY] = { "key", 12, false },
};

/* Everything is drawn in the `color` of its role. */
static const char shapes[] =
	".tp-paper{stroke:none}\n"
	"text{font-family:'Helvetica Neue',Helvetica,Arial,'Liberation Sans',sans-serif;"
	"fill:currentColor;stroke:none}\n"
	".tp-line{fill:none;stroke:currentColor;stroke-linejoin:round}\n"
	".tp-fill{fill:currentColor;stroke:none}\n"
	".tp-dot{fill:currentColor;stroke-width:1}\n"
	".tp-cross{fill:none;stroke:currentColor;stroke-width:1.7;stroke-linecap:round}\n"
	".tp-ring{stroke:currentColor;stroke-width:1.6}\n"
	".tp-roof{stroke-width:2.4;stroke-linecap:round}\n"
	".tp-thin{stroke-width:1.4;stroke-opacity:.7}\n"
	".tp-curve{stroke-width:1.9}\n"
	".tp-dash{stroke-width:4.2;stroke-dasharray:8 5;stroke-opacity:.5}\n"
	".tp-bar{stroke-width:1.2;stroke-opacity:.75}\n"
	".tp-band{fill:currentColor;fill-opacity:.18;stroke:none}\n"
	".tp-rule{stroke-width:1}\n"
	".tp-minor{stroke-width:1;stroke-opacity:.45}\n"
	".tp-edge{stroke-width:1.2;stroke-dasharray:2 4;stroke-opacity:.9}\n"
	".tp-drop{stroke-width:1;stroke-dasharray:1 4;stroke-opacity:.7}\n"
	".tp-tile{fill:currentColor;stroke:none}\n"
	".tp-first{stroke:#1a1f26;stroke-width:2}\n"
	".tp-on-h1,.tp-on-h2,.tp-on-h3{fill:#ffffff}\n"
	".tp-on-h4,.tp-on-h5,.tp-on-best{fill:#12161c}\n"
	".tp-leader{stroke-width:1;stroke-opacity:.6}\n";

static void colours(struct tp_str *out, bool dark)
{
	const char *paper = dark ? "#12161c" : "#ffffff";
	tp_str_printf(out,
		      ".tp-paper,.tp-ring{fill:%s}\n.tp-dot{stroke:%s}\n"
		      ".tp-on-h0{fill:%s}\n",
		      paper, paper, dark ? "#a6b1bf" : "#59636f");
	for (size_t i = 0; i < TP_COUNT_OF(roles); i++)
		tp_str_printf(out, ".tp-%s{color:%s}\n", roles[i].name,
			      dark ? roles[i].dark : roles[i].light);
	/* Lines of theory stand back; their names are read. */
	tp_str_printf(out, "text.tp-theory{color:%s}\n",
		      dark ? roles[TP_ROLE_AXIS].dark : roles[TP_ROLE_AXIS].light);
}

const char *tp_svg_role_class(enum tp_plot_role role)
{
	return (size_t)role < TP_COUNT_OF(roles) ? roles[role].name : roles[TP_ROLE_TITLE].name;
}

void tp_svg_rules(struct tp_str *out, enum tp_svg_theme theme)
{
	tp_str_add(out, shapes);
	for (size_t i = 0; i < TP_WORD_COUNT; i++) {
		const struct tp_svg_word *word = &tp_svg_word_looks[i];
		tp_str_printf(out, ".tp-%s{font-size:%gpx%s}\n", word->name, word->size,
			      word->bold ? ";font-weight:bold" : "");
	}
	colours(out, false);
	if (theme != TP_SVG_LIGHT) {
		/* Paper is no screen. */
		tp_str_add(out, theme == TP_SVG_DARK
					? "@media screen{\n"
					: "@media screen and (prefers-color-scheme:dark){\n");
		colours(out, true);
		tp_str_add(out, "}\n");
	}
}

void tp_svg_style(struct tp_str *out, enum tp_svg_theme theme)
{
	tp_str_add(out, "<style type=\"text/css\"><![CDATA[\n");
	tp_svg_rules(out, theme);
	tp_str_add(out, "]]></style>\n");
}
