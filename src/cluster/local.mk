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

check_PROGRAMS += tests/fuzz/replay_cluster
TESTS += tests/fuzz/replay_cluster
tests_fuzz_replay_cluster_SOURCES = tests/fuzz/fuzz_cluster.c tests/fuzz/promise.h tests/fuzz/replay_main.c
tests_fuzz_replay_cluster_CPPFLAGS = $(AM_CPPFLAGS) -DTP_FUZZ_CORPUS='"cluster"'
tests_fuzz_replay_cluster_LDADD = $(CLUSTER_LIBS) $(SESSION_LIBS)

check_PROGRAMS += tests/fuzz/replay_node
TESTS += tests/fuzz/replay_node
tests_fuzz_replay_node_SOURCES = tests/fuzz/fuzz_node.c tests/unit/printed.h tests/fuzz/promise.h tests/fuzz/replay_main.c
tests_fuzz_replay_node_CPPFLAGS = $(AM_CPPFLAGS) -DTP_FUZZ_CORPUS='"node"'
tests_fuzz_replay_node_LDADD = $(CLUSTER_LIBS) $(SESSION_LIBS)

check_PROGRAMS += tests/fuzz/replay_remote
TESTS += tests/fuzz/replay_remote
tests_fuzz_replay_remote_SOURCES = tests/fuzz/fuzz_remote.c tests/fuzz/promise.h tests/fuzz/replay_main.c
tests_fuzz_replay_remote_CPPFLAGS = $(AM_CPPFLAGS) -DTP_FUZZ_CORPUS='"remote"'
tests_fuzz_replay_remote_LDADD = $(CLUSTER_LIBS) $(SESSION_LIBS)

check_PROGRAMS += tests/unit/test_cluster_acts
TESTS += tests/unit/test_cluster_acts
tests_unit_test_cluster_acts_SOURCES = tests/unit/test_cluster_acts.c
tests_unit_test_cluster_acts_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_cluster_acts_LDADD = $(CLUSTER_LIBS) $(SESSION_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_merge
TESTS += tests/unit/test_merge
tests_unit_test_merge_SOURCES = tests/unit/test_merge.c tests/unit/printed.h tests/unit/files.h tests/unit/node_runs.h
tests_unit_test_merge_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_merge_LDADD = $(CLUSTER_LIBS) $(SESSION_LIBS) $(CMOCKA_LIBS)

# How long merging takes, by nodes.
check_PROGRAMS += tests/bench/merge_scale
tests_bench_merge_scale_SOURCES = tests/bench/merge_scale.c tests/unit/node_runs.h
tests_bench_merge_scale_LDADD = $(CLUSTER_LIBS) $(SESSION_LIBS)

# Whether a slow node among simulated ones is found, and no other one.
check_PROGRAMS += tests/bench/merge_simulated
tests_bench_merge_simulated_SOURCES = tests/bench/merge_simulated.c tests/unit/simulated_nodes.c tests/unit/simulated_nodes.h \
	tests/unit/simulated_run.c tests/unit/simulated_run.h
tests_bench_merge_simulated_LDADD = $(CLUSTER_LIBS) $(SESSION_LIBS)

# The short form.
check_PROGRAMS += tests/unit/test_merge_simulated
TESTS += tests/unit/test_merge_simulated
tests_unit_test_merge_simulated_SOURCES = tests/unit/test_merge_simulated.c tests/unit/seeds.h tests/unit/simulated_nodes.c \
	tests/unit/simulated_nodes.h tests/unit/simulated_run.c tests/unit/simulated_run.h
tests_unit_test_merge_simulated_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_merge_simulated_LDADD = $(CLUSTER_LIBS) $(SESSION_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_consent
TESTS += tests/unit/test_consent
tests_unit_test_consent_SOURCES = tests/unit/test_consent.c tests/unit/files.h
tests_unit_test_consent_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_consent_LDADD = $(CLUSTER_LIBS) $(SESSION_LIBS) $(CMOCKA_LIBS)
