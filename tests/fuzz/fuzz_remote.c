/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as what comes from a node: only files that tprof writes are taken, and none is longer
 * than what came. And as lines of a file of hosts: what is taken is fit for a word of a command and
 * for a path.
 */
#include <string.h>

#include "cluster/remote.h"
#include "cluster/ssh.h"
#include "experiments/experiment.h"
#include "tests/fuzz/promise.h"

static void files(const char *text, size_t len)
{
	char name[TP_REMOTE_NAME_BYTES] = "";
	size_t at = 0, bytes = 0, before = 0;
	while (tp_remote_next(text, len, &at, name, &bytes)) {
		must(at > before && at <= len, "it goes on");
		must(bytes <= len - at, "a file is not longer than what came");
		must(!strpbrk(name, "/ \n") && *name != '.' && *name, "a name is no path");
		must(strcmp(name, "journal.ndjson") != 0, "the journal here stays");
		before = at += bytes;
	}
}

static void host(const char *line, size_t len)
{
	struct tp_ssh_target t;
	struct tp_diag diag = { 0 };
	if (tp_ssh_target_read(line, len, &t, &diag) != TP_OK) {
		must(diag.what[0] && diag.hint[0], "a refusal has words");
		return;
	}
	must(tp_node_name_is_good(t.name), "a node has a name");
	must(*t.host && *t.host != '-' && !strpbrk(t.host, " '\"$`\\;&|<>()\n\r\t/@"),
	     "a host is a word, and no option");
	must(!*t.user || tp_node_name_is_good(t.user), "a user is a word, and no option");
	must(strspn(t.port, "0123456789") == strlen(t.port), "a port is a number");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	tp_experiments_begin();
	const char *text = (const char *)data, *end = text + size;
	files(text, size);
	for (const char *line = text; line && line < end;) {
		const char *feed = memchr(line, '\n', (size_t)(end - line));
		host(line, (size_t)((feed ? feed : end) - line));
		line = feed ? feed + 1 : NULL;
	}
	return 0;
}
