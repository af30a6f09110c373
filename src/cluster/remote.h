/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes that share no file system with this one. */
#ifndef TPROF_CLUSTER_REMOTE_H
#define TPROF_CLUSTER_REMOTE_H

#include "base/str.h"
#include "cluster/nodes.h"

/*
 * For "sh -c" in the home of the user there: $0 is tprof, $1 its run directory, $2 more words. It
 * reads the preset and prints events. It contains no single quote.
 */
extern const char tp_remote_script[];
/* For "sh -c" there, too, with $1: prints what is to come back. It contains no single quote. */
void tp_remote_add_print(struct tp_str *out);
/* The temporary file here, for tp_node_path, and its maximal length. */
#define TP_REMOTE_COMING ".coming"
/* A file that stands for a directory that the node of ssh still has. */
#define TP_REMOTE_THERE ".there"
enum { TP_REMOTE_MAX_BYTES = 1 << 29, TP_REMOTE_NAME_BYTES = 32 };
/*
 * The head of the next file in it, at *at, which moves to the first of its *bytes. False: it is not
 * whole, or no file that is printed.
 */
bool tp_remote_next(const char *text, size_t len, size_t *at, char name[TP_REMOTE_NAME_BYTES],
		    size_t *bytes);
/* Makes the node's directory here. `journal`: the file that its events are appended to. */
enum tp_status tp_remote_begin(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
			       char journal[TP_PATH_MAX], struct tp_diag *diag);
/*
 * The received files become the node's run directory here, with points.csv, or are removed if
 * incomplete.
 */
enum tp_status tp_remote_take(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
			      struct tp_diag *diag);
/* True if the node's command ended because tprof is missing there; `out`: its output. */
bool tp_remote_lacks_program(const struct tp_cluster *cluster, const struct tp_cluster_node *node,
			     char *out, size_t size);

#endif
