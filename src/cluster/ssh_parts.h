/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Command lines of OpenSSH, and what comes back over them. Private to ssh*.c.
 *
 * A word behind the host is read by a shell there. It is one of a few fixed texts and words of
 * letters, digits and "-_./+": nothing that a shell acts on.
 */
#ifndef TPROF_CLUSTER_SSH_PARTS_H
#define TPROF_CLUSTER_SSH_PARTS_H

#include "cluster/parts.h"

/* A host of the file, in its parts; "" = not given. */
struct tp_ssh_target {
	char user[64], host[TP_NODE_NAME_BYTES], port[8];
	char name[TP_NODE_NAME_BYTES]; /* of the node: the host; an IPv6 address in words of a name
					*/
};
/* user@host:port, where user and port may be missing, and an IPv6 address stands in brackets. */
enum tp_status tp_ssh_target_read(const char *text, size_t len, struct tp_ssh_target *target,
				  struct tp_diag *diag);

enum { TP_SSH_WORDS_MAX = 24 };
struct tp_ssh_words {
	const char *items[TP_SSH_WORDS_MAX]; /* up to NULL; of this struct */
	size_t n;
	struct tp_ssh_target target;
	struct tp_str remote; /* what the shell of the node reads */
};
/*
 * What measures on the node, what prints its results (see remote.c), and what removes its
 * directory there. Release the words in any case.
 */
enum tp_status tp_ssh_measuring(struct tp_ssh_words *words, const struct tp_cluster *cluster,
				const struct tp_cluster_node *node, bool allow_code,
				struct tp_diag *diag);
enum tp_status tp_ssh_printing(struct tp_ssh_words *words, const struct tp_cluster *cluster,
			       const struct tp_cluster_node *node, struct tp_diag *diag);
enum tp_status tp_ssh_removing(struct tp_ssh_words *words, const struct tp_cluster *cluster,
			       const struct tp_cluster_node *node, struct tp_diag *diag);
void tp_ssh_words_release(struct tp_ssh_words *words);
enum tp_status tp_ssh_odd_program(const char *program, struct tp_diag *diag);

/*
 * Fetches what the node has measured into its run directory here, where it came whole. Once every
 * point is here, its directory there is removed. go_on (NULL = nobody is asked) ends it.
 */
enum tp_status tp_ssh_fetch(const struct tp_cluster *cluster, struct tp_cluster_node *node,
			    bool (*go_on)(void *context), struct tp_diag *diag);
/* A file that stands for a directory that the node still has. */
bool tp_ssh_there(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
		  char path[TP_PATH_MAX]);

#endif
