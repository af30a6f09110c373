/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Descriptions of other machines. hwloc believes what an XML file says: a damaged one crashes it,
 * or costs any amount of time and memory. So only a child process gives such a description to
 * hwloc, and hands over what hwloc found in memory that both share.
 */
#include "machine/detect.h"
#include "base/file.h"
#include "base/process.h"
#include "base/str.h"
#include "base/memory.h"

#include <ctype.h>
#include <fcntl.h>
#include <hwloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { XML_MAX_BYTES = 1 << 25 };
/*
 * What the child may take. hwloc 2.9 reads the XML of 2,048 hardware threads, as many as the
 * largest machines have, in 0.05 s and 20 MB, and that of 16,384 in 1 s and 170 MB. The time that
 * passes is also limited, for a child that waits or shares its CPU.
 */
enum { CHILD_CPU_SECONDS = 2, CHILD_BYTES = 384 << 20 };
#define CHILD_SECONDS 4.0
#define END_SECONDS   0.5

static const char topology_hint[] = "give synthetic:DESCRIPTION, such as \"synthetic:pack:2 "
				    "core:64 pu:2\", or a file that lstopo --of xml wrote";

/* What the child found. Pages that it does not write cost nothing. */
struct found {
	enum tp_status status;
	struct tp_diag diag;
	struct tp_machine machine; /* its pointers are the child's */
	struct tp_pu pus[TP_PUS_MAX];
	struct tp_numa_node nodes[TP_NODES_MAX];
};

/* A description of another machine. */
struct foreign {
	const char *text; /* as the user gave it: synthetic:DESCRIPTION or a path */
	const char *description; /* synthetic, else NULL */
	char *xml; /* the content of the file, heap */
	size_t len;
	struct found *found;
};

/*
 * The number of hardware threads in a synthetic description ("pack:2 [numa] core:64(size=1) pu:2").
 * It is checked because hwloc would build any number of objects and exhaust the memory. Saturates.
 */
static double synthetic_pus(const char *text)
{
	double product = 1;
	int depth = 0;
	for (const char *p = text; *p; p++) {
		if (*p == '(' || *p == '[')
			depth++;
		else if ((*p == ')' || *p == ']') && depth)
			depth--;
		else if (!depth && isdigit((unsigned char)*p) &&
			 (p == text || p[-1] == ':' || p[-1] == ' ')) {
			char *end;
			product *= strtod(p, &end);
			p = end - 1;
		}
	}
	return product;
}

static enum tp_status read_foreign(struct foreign *foreign, const char *text, struct tp_diag *diag)
{
	if (strncmp(text, TP_SYNTHETIC, strlen(TP_SYNTHETIC)) == 0) {
		foreign->description = text + strlen(TP_SYNTHETIC);
		double pus = synthetic_pus(foreign->description);
		if (pus <= TP_PUS_MAX)
			return TP_OK;
		return tp_fail(diag, TP_USAGE, "topology", NULL,
			       "\"%s\" has %.3g hardware threads; at most %d are handled", text,
			       pus, TP_PUS_MAX);
	}
	enum tp_status status =
		tp_file_read(text, XML_MAX_BYTES, &foreign->xml, &foreign->len, diag);
	if (status != TP_OK && diag)
		tp_copy(diag->hint, sizeof(diag->hint), topology_hint);
	return status;
}

/* False: hwloc refuses it. */
static bool load(hwloc_topology_t topology, const struct foreign *foreign)
{
	int given = foreign->description
			    ? hwloc_topology_set_synthetic(topology, foreign->description)
			    : hwloc_topology_set_xmlbuffer(topology, foreign->xml,
							   (int)foreign->len + 1);
	/* CPUs that the description does not allow stay visible and are marked. */
	hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	return given == 0 && hwloc_topology_load(topology) == 0;
}

static enum tp_status refuse(const struct foreign *foreign, struct tp_diag *diag)
{
	if (foreign->description)
		return tp_fail(diag, TP_USAGE, "topology", topology_hint,
			       "hwloc does not understand the synthetic description \"%s\"",
			       foreign->description);
	return tp_fail(diag, TP_USAGE, foreign->text, topology_hint,
		       "hwloc cannot load this topology: neither its XML nor a description");
}

static int read_in_child(int socket, const void *context)
{
	const struct foreign *foreign = context;
	struct found *found = foreign->found;
	struct tp_machine *machine = &found->machine;
	hwloc_topology_t topology = NULL;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	(void)socket;
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	tp_process_limit(CHILD_CPU_SECONDS, CHILD_BYTES);
	if (hwloc_topology_init(&topology) != 0 || !load(topology, foreign)) {
		found->status = refuse(foreign, &found->diag);
		return 0;
	}
	found->status = tp_topology_read(machine, topology, &found->diag);
	if (found->status != TP_OK)
		return 0;
	memcpy(found->pus, machine->pus, machine->n_pus * sizeof(*machine->pus));
	memcpy(found->nodes, machine->nodes, machine->n_numa * sizeof(*machine->nodes));
	return 0;
}

/* The child came to a good end. */
static enum tp_status take(struct tp_machine *machine, const struct found *found,
			   struct tp_diag *diag)
{
	if (found->status != TP_OK) {
		if (diag)
			*diag = found->diag;
		return found->status;
	}
	*machine = found->machine;
	machine->pus = malloc(machine->n_pus * sizeof(*machine->pus));
	machine->nodes = malloc(machine->n_numa * sizeof(*machine->nodes));
	if (!machine->pus || !machine->nodes)
		return tp_fail(diag, TP_NOMEM, "topology", NULL, "out of memory");
	memcpy(machine->pus, found->pus, machine->n_pus * sizeof(*machine->pus));
	memcpy(machine->nodes, found->nodes, machine->n_numa * sizeof(*machine->nodes));
	return TP_OK;
}

static enum tp_status ask_child(struct tp_machine *machine, const struct foreign *foreign,
				struct tp_diag *diag)
{
	const struct tp_self_child self = { .where = "topology",
					    .name = "a child process",
					    .prepare = read_in_child,
					    .context = foreign };
	struct tp_process child;
	struct tp_str how = { 0 };
	char *line;
	foreign->found->machine = *machine;
	enum tp_status status = tp_process_start(&child, &self, diag);
	if (status != TP_OK)
		return status;
	bool late = tp_process_line(&child, CHILD_SECONDS, &line, NULL) == TP_PROCESS_QUIET;
	struct tp_process_end end = tp_process_end(&child, late ? 0 : END_SECONDS);
	if (!end.signal && end.code == 0)
		return take(machine, foreign->found, diag);
	const char *where = foreign->description ? "topology" : foreign->text;
	if (late || end.signal == SIGXCPU)
		return tp_fail(diag, TP_USAGE, where, topology_hint,
			       "damaged or too large: hwloc did not come to an end with it in %d s",
			       CHILD_CPU_SECONDS);
	tp_process_end_text(end, &how);
	status = tp_fail(diag, TP_USAGE, where, topology_hint,
			 "damaged: hwloc %.200s when it read this topology", tp_str_text(&how));
	tp_str_release(&how);
	return status;
}

enum tp_status tp_topology_foreign(struct tp_machine *machine, const char *text,
				   struct tp_diag *diag)
{
	struct foreign foreign = { .text = text };
	enum tp_status status = read_foreign(&foreign, text, diag);
	if (status != TP_OK)
		return status;
	foreign.found = mmap(NULL, sizeof(*foreign.found), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (foreign.found == MAP_FAILED) {
		status = tp_fail(diag, TP_NOMEM, "topology", NULL, "out of memory");
	} else {
		status = ask_child(machine, &foreign, diag);
		munmap(foreign.found, sizeof(*foreign.found));
	}
	free(foreign.xml);
	return status;
}
