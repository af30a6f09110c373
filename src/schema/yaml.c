/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events of libyaml into a tree. */
#include "schema/yaml.h"
#include "base/file.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { SHOWN_BYTES = 64 };

/* A node that can be referred to. */
struct anchor {
	const char *name;
	const struct tp_node *node;
	struct anchor *next;
};

struct builder {
	struct tp_arena *arena;
	struct tp_faults *faults;
	const struct tp_yaml_kind *kind;
	struct anchor *anchors; /* the latest first */
	struct tp_node *root;
	struct tp_node *open[TP_YAML_MAX_DEPTH]; /* collections not yet closed */
	struct tp_node *key; /* key of the innermost mapping that waits for its value, or NULL */
	size_t depth;
	unsigned documents;
};

static struct tp_place place_of(const yaml_mark_t *mark)
{
	return (struct tp_place){ (unsigned)mark->line + 1, (unsigned)mark->column + 1 };
}

bool tp_node_is_null(const struct tp_node *node)
{
	return node->kind == TP_NODE_SCALAR && node->plain &&
	       (node->len == 0 || (node->len == 1 && *node->text == '~') ||
		(node->len == 4 && memcmp(node->text, "null", 4) == 0));
}

bool tp_node_is(const struct tp_node *node, const char *text)
{
	return node->kind == TP_NODE_SCALAR && node->len == strlen(text) &&
	       memcmp(node->text, text, node->len) == 0;
}

size_t tp_node_count(const struct tp_node *node)
{
	size_t n = 0;
	for (const struct tp_node *child = node->first; child; child = child->next)
		n++;
	return n;
}

bool tp_yaml_twice(struct tp_faults *faults, const struct tp_node *mapping,
		   const struct tp_node *key)
{
	char word[SHOWN_BYTES];
	const struct tp_node *other = mapping->first;
	while (other != key &&
	       (other->len != key->len || memcmp(other->text, key->text, key->len) != 0))
		other = other->next;
	if (other != key)
		tp_faults_add(faults, key->place, "keep one of them",
			      "%s is written twice; first in line %u",
			      tp_shown(word, sizeof(word), key->text, key->len), other->place.line);
	return other != key;
}

static void unknown_key(struct tp_faults *faults, const struct tp_node *key, const char *where,
			const struct tp_yaml_key *keys, size_t n)
{
	const char *names[TP_YAML_KEYS_MAX];
	struct tp_str hint = { 0 };
	char word[SHOWN_BYTES];
	for (size_t i = 0; i < n; i++)
		names[i] = keys[i].name;
	tp_shown(word, sizeof(word), key->text, key->len);
	const char *near = tp_nearest(word, names, n);
	tp_str_add(&hint, near ? "did you mean " : "allowed: ");
	if (near)
		tp_str_printf(&hint, "%s?", near);
	else
		tp_str_list(&hint, names, n, " and ");
	tp_faults_add(faults, key->place, tp_str_text(&hint), "unknown key \"%s\" in %s", word,
		      where);
	tp_str_release(&hint);
}

bool tp_yaml_keys(struct tp_faults *faults, const struct tp_node *node, const char *where,
		  struct tp_yaml_key *keys, size_t n)
{
	if (node->kind != TP_NODE_MAPPING) {
		tp_faults_add(faults, node->place, "write key: value",
			      "%s: expected keys with values", where);
		return false;
	}
	for (const struct tp_node *key = node->first; key; key = key->next) {
		size_t i = 0;
		while (i < n && !tp_node_is(key, keys[i].name))
			i++;
		if (i == n) {
			unknown_key(faults, key, where, keys, n);
			continue;
		}
		if (keys[i].given && tp_yaml_twice(faults, node, key))
			continue;
		keys[i].given = true;
		if (key->value && tp_node_is_null(key->value))
			tp_faults_add(faults, key->place, NULL, "%s has no value", keys[i].name);
		else
			keys[i].value = key->value;
	}
	for (size_t i = 0; i < n; i++)
		if (keys[i].required && !keys[i].given && node->closed)
			tp_faults_add(faults, node->place, NULL, "%s is missing in %s",
				      keys[i].name, where);
	return true;
}

static struct tp_node *new_node(struct builder *b, enum tp_node_kind kind,
				const yaml_event_t *event)
{
	struct tp_node *node = tp_arena_alloc(b->arena, sizeof(*node));
	node->kind = kind;
	node->place = place_of(&event->start_mark);
	if (kind == TP_NODE_SCALAR) {
		node->text = tp_arena_strndup(b->arena, (const char *)event->data.scalar.value,
					      event->data.scalar.length);
		node->len = event->data.scalar.length;
		node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	}
	return node;
}

/*
 * Adds a node to its parent. False if a mapping or list is used as a key: the rest of the file
 * would make no sense.
 */
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
			tp_faults_add(b->faults, node->place, "write key: value",
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
	if (b->depth == TP_YAML_MAX_DEPTH) {
		tp_faults_add(b->faults, node->place, "options are written key: value",
			      "nested too deeply");
		return false;
	}
	b->open[b->depth++] = node;
	b->key = NULL;
	return true;
}

/*
 * Notes an anchor, or complains once about an anchor or a tag that this kind of file does not
 * allow. The node is then read as if it had none.
 */
static void take_decoration(struct builder *b, const struct tp_node *node,
			    const yaml_char_t *anchor, const yaml_char_t *tag)
{
	if (anchor && b->kind->anchors) {
		struct anchor *made = tp_arena_alloc(b->arena, sizeof(*made));
		*made = (struct anchor){ tp_arena_strdup(b->arena, (const char *)anchor), node,
					 b->anchors };
		b->anchors = made;
	} else if (anchor) {
		tp_faults_add(b->faults, node->place, b->kind->share,
			      "anchors (&name) are not used in %s", b->kind->files);
	}
	if (tag && !b->kind->anchors)
		tp_faults_add(b->faults, node->place, b->kind->type,
			      "tags (!name) are not used in %s", b->kind->files);
}

/*
 * A copy of the node that the alias refers to; its children are shared. NULL after a complaint: a
 * key or value is missing then, so what follows would be misread.
 */
static struct tp_node *take_alias(struct builder *b, const yaml_event_t *event)
{
	struct tp_place place = place_of(&event->start_mark);
	const char *name = (const char *)event->data.alias.anchor;
	const struct anchor *anchor = b->anchors;
	if (!b->kind->anchors) {
		tp_faults_add(b->faults, place, b->kind->share,
			      "aliases (*name) are not used in %s", b->kind->files);
		return NULL;
	}
	while (anchor && strcmp(anchor->name, name) != 0)
		anchor = anchor->next;
	if (!anchor || (anchor->node->kind != TP_NODE_SCALAR && !anchor->node->closed)) {
		tp_faults_add(b->faults, place, NULL, "there is no &%.60s above this", name);
		return NULL;
	}
	struct tp_node *node = tp_arena_alloc(b->arena, sizeof(*node));
	*node = *anchor->node;
	node->place = place;
	node->value = node->next = NULL;
	return node;
}

/* Takes one event; false ends the reading. */
static bool take(struct builder *b, const yaml_event_t *event)
{
	struct tp_node *node = NULL;
	switch (event->type) {
	case YAML_STREAM_END_EVENT:
		return false;
	case YAML_DOCUMENT_START_EVENT:
		if (b->documents++ == 0)
			return true;
		tp_faults_add(b->faults, place_of(&event->start_mark), b->kind->several,
			      "a second YAML document; %s is one", b->kind->one);
		return false;
	case YAML_ALIAS_EVENT:
		node = take_alias(b, event);
		return node && attach(b, node);
	case YAML_SCALAR_EVENT:
		node = new_node(b, TP_NODE_SCALAR, event);
		take_decoration(b, node, event->data.scalar.anchor, event->data.scalar.tag);
		return attach(b, node);
	case YAML_SEQUENCE_START_EVENT:
		node = new_node(b, TP_NODE_SEQUENCE, event);
		take_decoration(b, node, event->data.sequence_start.anchor,
				event->data.sequence_start.tag);
		return open_collection(b, node);
	case YAML_MAPPING_START_EVENT:
		node = new_node(b, TP_NODE_MAPPING, event);
		take_decoration(b, node, event->data.mapping_start.anchor,
				event->data.mapping_start.tag);
		return open_collection(b, node);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		b->open[--b->depth]->closed = true;
		b->key = NULL; /* if the parent is a mapping, the collection was its value */
		return true;
	default:
		return true;
	}
}

/* Line and column of a byte, or of the first broken character before it: libyaml points past it. */
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
	const char *hint = b->kind->form;
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
	tp_faults_add(b->faults, place, hint, "broken YAML: %s%s", problem, context);
}

void tp_yaml_read(const char *text, size_t len, const struct tp_yaml_kind *kind,
		  struct tp_arena *arena, struct tp_node **root, struct tp_faults *faults)
{
	struct builder b = { .arena = arena, .faults = faults, .kind = kind };
	yaml_parser_t parser;
	yaml_event_t event;
	*root = NULL;
	if (len > TP_YAML_MAX_BYTES) {
		tp_faults_add(faults, (struct tp_place){ 0 }, kind->too_long,
			      "longer than the %d bytes allowed", TP_YAML_MAX_BYTES);
		return;
	}
	if (!yaml_parser_initialize(&parser))
		tp_out_of_memory();
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
	for (bool more = true; more;) {
		if (!yaml_parser_parse(&parser, &event)) {
			if (parser.error == YAML_MEMORY_ERROR)
				tp_out_of_memory();
			report_broken(&b, &parser, text, len);
			break;
		}
		more = take(&b, &event);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	*root = b.root;
}

const struct tp_node *tp_node_value(const struct tp_node *node, const char *name)
{
	const struct tp_node *key = node && node->kind == TP_NODE_MAPPING ? node->first : NULL;
	while (key && !tp_node_is(key, name))
		key = key->next;
	return key ? key->value : NULL;
}

void tp_yaml_title(const char *path, const struct tp_yaml_kind *kind, const char *name,
		   void (*without)(const char *text, char *out, size_t size), char *out,
		   size_t size)
{
	struct tp_arena arena = { 0 };
	struct tp_faults unseen = { .name = path };
	struct tp_diags ignored = { 0 };
	struct tp_node *root = NULL;
	char *text = NULL;
	size_t len = 0;
	if (tp_file_read(path, TP_YAML_MAX_BYTES, &text, &len, NULL) != TP_OK)
		return;
	tp_yaml_read(text, len, kind, &arena, &root, &unseen);
	const struct tp_node *title = tp_node_value(root, name);
	if (title && title->kind == TP_NODE_SCALAR && !tp_node_is_null(title)) {
		const char *line = title->text;
		size_t n = title->len;
		tp_trim(&line, &n);
		tp_shown(out, size, line, TP_MIN(n, strcspn(line, "\n")));
	} else if (without) {
		without(text, out, size);
	}
	tp_faults_flush(&unseen, &ignored);
	tp_diags_release(&ignored);
	tp_arena_release(&arena);
	free(text);
}
