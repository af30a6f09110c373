# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_cluster.a libtp_nodes.a
libtp_cluster_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
libtp_cluster_a_SOURCES = \
	src/cluster/actions.c src/cluster/actions.h \
	src/cluster/cluster.c src/cluster/cluster.h \
	src/cluster/detached.c src/cluster/detached.h \
	src/cluster/groups.c src/cluster/groups.h \
	src/cluster/launcher.h \
	src/cluster/merge.c src/cluster/merge.h \
	src/cluster/nodes.c src/cluster/nodes.h \
	src/cluster/remote.c src/cluster/remote.h \
	src/cluster/slurm.c \
	src/cluster/ssh.c src/cluster/ssh.h

# Tables and pages are found by the registry, whoever reads a merged run.
libtp_nodes_a_SOURCES = \
	src/cluster/heat.c src/cluster/heat.h \
	src/cluster/report.c \
	src/cluster/tables.c src/cluster/tables.h

# What a program of the two faces is linked with for cluster runs, before SESSION_LIBS.
CLUSTER_LIBS = libtp_cluster.a

PROGRAM_TESTS += tests/fuzz/replay_cluster tests/fuzz/replay_node tests/fuzz/replay_remote \
	tests/unit/test_cluster_acts tests/unit/test_merge tests/unit/test_merge_simulated \
	tests/unit/test_consent
tests_fuzz_replay_cluster_SOURCES = tests/fuzz/fuzz_cluster.c tests/fuzz/replay_main.c
tests_fuzz_replay_node_SOURCES = tests/fuzz/fuzz_node.c tests/fuzz/replay_main.c
tests_fuzz_replay_remote_SOURCES = tests/fuzz/fuzz_remote.c tests/fuzz/replay_main.c

# How long merging takes, by nodes.
check_PROGRAMS += tests/bench/merge_scale

# Whether a slow node among simulated ones is found, and no other one.
check_PROGRAMS += tests/bench/merge_simulated
tests_bench_merge_simulated_SOURCES = tests/bench/merge_simulated.c tests/unit/simulated_nodes.c tests/unit/simulated_run.c

# The short form.
tests_unit_test_merge_simulated_SOURCES = tests/unit/test_merge_simulated.c tests/unit/simulated_nodes.c tests/unit/simulated_run.c
