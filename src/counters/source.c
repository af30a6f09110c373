/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "counters/source.h"

#include <fnmatch.h>
#include <string.h>

bool tp_source_wished(const char *const *filters, const char *name)
{
	if (!filters || !*filters)
		return true;
	for (; *filters; filters++)
		if ((strpbrk(*filters, "*?[") != NULL) ? fnmatch(*filters, name, 0) == 0
						       : strstr(name, *filters) != NULL)
			return true;
	return false;
}

enum tp_status tp_work_run(const struct tp_work *work, struct tp_diag *diag)
{
	if (work->emulation)
		return tp_emulation_run(work->emulation, work->code, work->data, work->passes,
					diag);
	tp_kernel_function function = work->code ? tp_code_function(work->code) : work->function;
	function(work->data, work->passes);
	return TP_OK;
}

enum tp_status tp_source_open(struct tp_source *source, const struct tp_source_kind *kind,
			      const struct tp_source_wish *wish, struct tp_diag *diag)
{
	*source = (struct tp_source){ .kind = kind };
	enum tp_status status = kind->supported ? kind->supported(diag) : TP_OK;
	if (status != TP_OK) {
		source->kind = NULL;
		return status;
	}
	status = kind->open(source, wish, diag);
	if (status != TP_OK)
		tp_source_close(source);
	return status;
}

void tp_source_close(struct tp_source *source)
{
	if (source->kind && source->kind->close)
		source->kind->close(source);
	tp_diags_release(&source->notes);
	tp_arena_release(&source->arena);
	*source = (struct tp_source){ 0 };
}
