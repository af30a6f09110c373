/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiments/pattern/memory.h"

#include <stdlib.h>

#include "base/memory.h"

enum { PAGE_BYTES = 4096, LINE_BYTES = 64 };

/* Places of the shared arrays, or of those of a thread; returns the bytes of all. */
static uint64_t place_arrays(struct tp_pattern_memory *m, bool shared)
{
	const struct tp_pattern *p = m->configuration->pattern;
	uint64_t at = 0, n = 0, spread = PAGE_BYTES / (p->n_arrays + 1) / LINE_BYTES * LINE_BYTES;
	for (size_t i = 0; i < p->n_arrays; i++) {
		const struct tp_pattern_array *a = &p->arrays[i];
		if (tp_pattern_config_shares(m->configuration, a) != shared)
			continue;
		uint64_t grain = TP_MAX(a->alignment, (unsigned)LINE_BYTES);
		at = (at + grain - 1) / grain * grain;
		if (grain == LINE_BYTES && m->layouts[i].bytes >= PAGE_BYTES)
			at += (n * spread + PAGE_BYTES - at % PAGE_BYTES) % PAGE_BYTES;
		m->places[i] = at + (uint64_t)m->layouts[i].offset * tp_pattern_type_bytes(a->type);
		at += m->layouts[i].bytes;
		n++;
	}
	return at;
}

static enum tp_status open_buffer(struct tp_buffer *buffer, uint64_t bytes, enum tp_pages pages,
				  struct tp_diag *diag)
{
	enum tp_status status = tp_buffer_init(buffer, bytes, pages, diag);
	return status == TP_OK ? tp_buffer_open(buffer, bytes, diag) : status;
}

enum tp_status tp_pattern_memory_init(struct tp_pattern_memory *m,
				      const struct tp_pattern_config *c, enum tp_pages pages,
				      struct tp_diag *diag)
{
	enum tp_status status = TP_OK;
	*m = (struct tp_pattern_memory){ .configuration = c };
	for (size_t i = 0; i < c->pattern->n_arrays && status == TP_OK; i++)
		status = tp_pattern_config_layout(c, &c->pattern->arrays[i], &m->layouts[i], diag);
	if (status != TP_OK)
		return status;
	uint64_t shared = place_arrays(m, true), own = place_arrays(m, false);
	if (shared)
		status = open_buffer(&m->shared, shared, pages, diag);
	if (status == TP_OK && own) {
		m->own = calloc(c->threads, sizeof(*m->own));
		if (!m->own)
			status = tp_fail(diag, TP_NOMEM, "pattern", NULL, "out of memory");
	}
	for (unsigned t = 0; t < c->threads && own && status == TP_OK; t++)
		status = open_buffer(&m->own[t], own, pages, diag);
	if (status != TP_OK)
		tp_pattern_memory_release(m);
	return status;
}

void tp_pattern_memory_release(struct tp_pattern_memory *m)
{
	tp_buffer_release(&m->shared);
	for (unsigned t = 0; m->own && t < m->configuration->threads; t++)
		tp_buffer_release(&m->own[t]);
	free(m->own);
	m->own = NULL;
}

void tp_pattern_memory_arguments(const struct tp_pattern_memory *m, unsigned thread,
				 struct tp_pattern_arguments *arguments)
{
	const struct tp_pattern *p = m->configuration->pattern;
	tp_pattern_arguments_fill(m->configuration, thread, m->layouts, arguments);
	for (size_t i = 0; i < p->n_arrays; i++) {
		bool shared = tp_pattern_config_shares(m->configuration, &p->arrays[i]);
		char *data = shared ? m->shared.data : m->own[thread].data;
		arguments->arrays[i] = data + m->places[i];
	}
}

void tp_pattern_memory_pages(const struct tp_pattern_memory *m, char *out, size_t size)
{
	tp_buffer_obtained(m->own && m->own[0].bytes > m->shared.bytes ? &m->own[0] : &m->shared,
			   out, size);
}
