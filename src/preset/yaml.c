/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events of libyaml into a small tree of nodes that know their place; whatever a preset has no use for is refused here. */
#include "preset/reader.h"

#include <string.h>
#include <yaml.h>

#include "preset/text.h"

/* How the files are called that hold what is refused, and what helps. */
struct words {
	const char *files, *one, *share, *type, *several, *form, *long_hint;
};
static const struct words words_of[] = {
	{ "presets", "a preset", "write shared values above runs:",
	  "leave it out: the option knows its type", "several experiments go under runs:",
	  "see the section FILES of tprof-preset(5) for the form of a preset",
	  "is this a preset?" },
	{ "bases", "a basis", "write the values out", "leave it out: the key knows its type",
	  "several families are several files", "see tprof-basis(5) for the form of a basis",
	  "is this a basis?" },
};

static const struct words *words(const struct tp_report *report)
{
	return &words_of[report->of_basis];
}

struct builder {
	struct tp_arena *arena;
	struct tp_report *report;
	struct tp_node *root;
	struct tp_node *open[TP_PRESET_MAX_DEPTH]; /* collections not yet closed */
	struct tp_node *key; /* key of the innermost mapping that waits for its value, or NULL */
	size_t depth;
	bool out_of_memory;
};

static struct tp_place place_of(const yaml_mark_t *mark)
{
	return (struct tp_place){ (unsigned)mark->line + 1, (unsigned)mark->column + 1 };
}

static bool is_null(const char *text, size_t len)
{
	return len == 0 || (len == 1 && *text == '~') || (len == 4 && memcmp(text, "null", 4) == 0);
}

bool tp_node_is_null(const struct tp_node *node)
{
	return node->kind == TP_NODE_SCALAR && node->plain && is_null(node->text, node->len);
}

static struct tp_node *new_node(struct builder *b, enum tp_node_kind kind,
				const yaml_event_t *event)
{
	struct tp_node *node = tp_arena_alloc(b->arena, sizeof(*node));
	if (!node) {
		b->out_of_memory = true;
		return NULL;
	}
	node->kind = kind;
	node->place = place_of(&event->start_mark);
	if (kind == TP_NODE_SCALAR) {
		node->text = tp_arena_strndup(b->arena, (const char *)event->data.scalar.value,
					      event->data.scalar.length);
		node->len = event->data.scalar.length;
		node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
		b->out_of_memory = !node->text;
	}
	return b->out_of_memory ? NULL : node;
}

/* Hangs a node where it stands. False if a mapping or list is used as a key: the rest of the file would make no sense. */
static bool attach(struct builder *b, struct tp_node *node)
{
	if (!b->depth) {
		b->root = node;
		return true;
	}
	struct tp_node *parent = b->open[b->depth - 1];
	if (parent->kind == TP_NODE_MAPPING && b->key) {
		b->key->value = node;
		b->key = NULL;
		return true;
	}
	if (parent->kind == TP_NODE_MAPPING) {
		if (node->kind != TP_NODE_SCALAR) {
			tp_report_add(b->report, node->place, "write key: value",
				      "a key must be a word");
			return false;
		}
		b->key = node;
	}
	if (parent->last)
		parent->last->next = node;
	else
		parent->first = node;
	parent->last = node;
	return true;
}

static bool open_collection(struct builder *b, struct tp_node *node)
{
	if (!attach(b, node))
		return false;
	if (b->depth == TP_PRESET_MAX_DEPTH) {
		tp_report_add(b->report, node->place, "options are written key: value",
			      "nested too deeply");
		return false;
	}
	b->open[b->depth++] = node;
	b->key = NULL;
	return true;
}

/* Anchors and tags are told once each, and then the node is taken as if it had none. */
static void refuse_decoration(struct builder *b, const yaml_event_t *event, const void *anchor,
			      const void *tag)
{
	struct tp_place place = place_of(&event->start_mark);
	if (anchor)
		tp_report_add(b->report, place, words(b->report)->share,
			      "anchors (&name) are not used in %s", words(b->report)->files);
	if (tag)
		tp_report_add(b->report, place, words(b->report)->type,
			      "tags (!name) are not used in %s", words(b->report)->files);
}

/* Takes one event; false ends the reading. */
static bool take(struct builder *b, const yaml_event_t *event, unsigned *documents)
{
	struct tp_node *node = NULL;
	switch (event->type) {
	case YAML_STREAM_END_EVENT:
		return false;
	case YAML_DOCUMENT_START_EVENT:
		if ((*documents)++) {
			tp_report_add(b->report, place_of(&event->start_mark),
				      words(b->report)->several,
				      "a second YAML document; %s is one", words(b->report)->one);
			return false;
		}
		return true;
	case YAML_ALIAS_EVENT:
		tp_report_add(b->report, place_of(&event->start_mark), words(b->report)->share,
			      "aliases (*name) are not used in %s", words(b->report)->files);
		/* a key or value is missing now, so what follows would be misread */
		return false;
	case YAML_SCALAR_EVENT:
		refuse_decoration(b, event, event->data.scalar.anchor, event->data.scalar.tag);
		node = new_node(b, TP_NODE_SCALAR, event);
		return node && attach(b, node);
	case YAML_SEQUENCE_START_EVENT:
		refuse_decoration(b, event, event->data.sequence_start.anchor,
				  event->data.sequence_start.tag);
		node = new_node(b, TP_NODE_SEQUENCE, event);
		return node && open_collection(b, node);
	case YAML_MAPPING_START_EVENT:
		refuse_decoration(b, event, event->data.mapping_start.anchor,
				  event->data.mapping_start.tag);
		node = new_node(b, TP_NODE_MAPPING, event);
		return node && open_collection(b, node);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		b->open[--b->depth]->closed = true;
		b->key = NULL; /* the collection was the value, if its parent is a mapping */
		return true;
	default:
		return true;
	}
}

/* Line and column of a byte, or of the first broken character before it: libyaml points behind that. */
static struct tp_place place_at(const char *text, size_t len, size_t offset)
{
	struct tp_place place = { 1, 1 };
	uint32_t character;
	for (size_t i = 0, n; i < offset && i < len; i += n) {
		n = tp_utf8_decode(text + i, len - i, &character);
		if (n == 0)
			break;
		place.column = character == '\n' ? 1 : place.column + 1;
		place.line += character == '\n';
	}
	return place;
}

static void report_broken(const struct builder *b, const yaml_parser_t *parser, const char *text,
			  size_t len)
{
	struct tp_place place = place_of(&parser->problem_mark);
	const char *hint = words(b->report)->form;
	const char *problem = parser->problem ? parser->problem : "cannot be read";
	char context[128] = "";
	if (parser->error == YAML_READER_ERROR) {
		place = place_at(text, len, parser->problem_offset);
		hint = "save the file as UTF-8 text";
	} else {
		size_t at = parser->problem_mark.index;
		if (at < len && text[at] == '\t')
			hint = "indent with spaces: YAML allows no tabs there";
	}
	if (parser->context)
		snprintf(context, sizeof(context), ", %s that began in line %zu", parser->context,
			 parser->context_mark.line + 1);
	tp_report_add(b->report, place, hint, "broken YAML: %s%s", problem, context);
}

enum tp_status tp_yaml_read(const char *text, size_t len, struct tp_arena *arena,
			    struct tp_node **root, struct tp_report *report)
{
	struct builder b = { .arena = arena, .report = report };
	yaml_parser_t parser;
	yaml_event_t event;
	unsigned documents = 0;
	*root = NULL;
	if (len > TP_PRESET_MAX_BYTES) {
		tp_report_add(report, (struct tp_place){ 0 }, words(report)->long_hint,
			      "longer than the %d bytes allowed", TP_PRESET_MAX_BYTES);
		return TP_OK;
	}
	if (!yaml_parser_initialize(&parser))
		return TP_NOMEM;
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
	for (bool more = true; more;) {
		if (!yaml_parser_parse(&parser, &event)) {
			b.out_of_memory = parser.error == YAML_MEMORY_ERROR;
			if (!b.out_of_memory)
				report_broken(&b, &parser, text, len);
			break;
		}
		more = take(&b, &event, &documents);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	*root = b.root;
	return b.out_of_memory ? TP_NOMEM : TP_OK;
}
