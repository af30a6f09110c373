# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_cluster.a libtp_nodes.a
libtp_cluster_a_SOURCES = \
	src/cluster/cluster.h \
	src/cluster/groups.c \
	src/cluster/launcher.h \
	src/cluster/merge.c src/cluster/merge.h src/cluster/merge_parts.h \
	src/cluster/merged_run.c \
	src/cluster/node_run.c \
	src/cluster/reduce.c \
	src/cluster/remarks.c

# Tables and pages are found by the registry, whoever reads a merged run.
libtp_nodes_a_SOURCES = \
	src/cluster/heat.c \
	src/cluster/report.c src/cluster/report.h \
	src/cluster/tables.c src/cluster/tables.h
