/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hosts of --cluster ssh:FILE. */
#ifndef TPROF_CLUSTER_SSH_H
#define TPROF_CLUSTER_SSH_H

#include "cluster/nodes.h"

/* A host of the file, in its parts; "" = not given. */
struct tp_ssh_target {
	char user[64], host[TP_NODE_NAME_BYTES], port[8];
	char name[TP_NODE_NAME_BYTES]; /* of the node: the host; an IPv6 address in words of a name
					*/
};
/* user@host:port, where user and port may be missing, and an IPv6 address stands in brackets. */
enum tp_status tp_ssh_target_read(const char *text, size_t len, struct tp_ssh_target *target,
				  struct tp_diag *diag);

#endif
