# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_app.a
libtp_app_a_SOURCES = \
	src/app/agent.c \
	src/agent/shared.h \
	src/app/app.h \
	src/app/calls.c \
	src/app/elsewhere.c src/app/elsewhere.h \
	src/app/functions.c src/app/functions.h \
	src/app/launcher.c src/app/launcher.h \
	src/app/notes.c \
	src/app/shared_file.c \
	src/app/tree.c src/app/tree.h \
	src/app/kernel_list.c src/app/kernel_list.h \
	src/app/run.c src/app/run.h \
	src/app/pmu.c src/app/pmu.h \
	src/app/qemu.c \
	src/app/self_test.c src/app/self_test.h \
	src/app/shared_file.h \
	src/app/symbols.c src/app/symbols.h \
	src/app/table.c

# The program that the self-test counts. It links nothing that is not needed, because all of it is counted.
subjectdir = $(pkglibdir)
subject_PROGRAMS = tprof-subject
tprof_subject_SOURCES = src/app/subject.c include/tprof_roi.h
tprof_subject_LDADD = libtp_app.a libtp_kernels.a libtp_base.a $(ZYDIS_LIBS) -lm

check_PROGRAMS += tests/unit/test_app_run
TESTS += tests/unit/test_app_run
tests_unit_test_app_run_SOURCES = tests/unit/test_app_run.c tests/unit/files.h
tests_unit_test_app_run_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_app_run_LDADD = libtp_app.a libtp_base.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/unit/test_app_shared
TESTS += tests/unit/test_app_shared
tests_unit_test_app_shared_SOURCES = tests/unit/test_app_shared.c tests/app/stand_in.h
tests_unit_test_app_shared_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_app_shared_LDADD = libtp_app.a libtp_base.a $(CMOCKA_LIBS) -lm

# The fuzz targets over their corpora, with a main of our own; libFuzzer brings another.
check_PROGRAMS += tests/fuzz/replay_app_shared tests/fuzz/replay_app_elf
TESTS += tests/fuzz/replay_app_shared tests/fuzz/replay_app_elf
tests_fuzz_replay_app_shared_SOURCES = tests/fuzz/fuzz_app_shared.c tests/fuzz/promise.h tests/fuzz/replay_main.c tests/app/stand_in.h
tests_fuzz_replay_app_shared_CPPFLAGS = $(AM_CPPFLAGS) -DTP_FUZZ_CORPUS='"app_shared"'
tests_fuzz_replay_app_shared_LDADD = libtp_app.a libtp_base.a -lm
tests_fuzz_replay_app_elf_SOURCES = tests/fuzz/fuzz_app_elf.c tests/fuzz/promise.h tests/fuzz/replay_main.c
tests_fuzz_replay_app_elf_CPPFLAGS = $(AM_CPPFLAGS) -DTP_FUZZ_CORPUS='"app_elf"'
tests_fuzz_replay_app_elf_LDADD = libtp_app.a libtp_base.a -lm

# What programs mark their regions with. Fortran's module is installed as source: its compiled form fits one compiler.
dist_include_HEADERS = include/tprof_roi.h
roisourcedir = $(includedir)
dist_roisource_DATA = include/tprof_roi.f90

if TP_ARCH_X86_64
check_PROGRAMS += tests/unit/test_mix_kernels
TESTS += tests/unit/test_mix_kernels
tests_unit_test_mix_kernels_SOURCES = tests/unit/test_mix_kernels.c tests/unit/counting_rows.c tests/unit/counting_rows.h
tests_unit_test_mix_kernels_CPPFLAGS = $(AM_CPPFLAGS) $(ZYDIS_CFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_mix_kernels_LDADD = libtp_app.a libtp_mix.a libtp_kernels.a libtp_base.a $(PFM_LIBS) $(ZYDIS_LIBS) $(CMOCKA_LIBS)
endif

check_PROGRAMS += tests/unit/test_app_self_test
TESTS += tests/unit/test_app_self_test
tests_unit_test_app_self_test_SOURCES = tests/unit/test_app_self_test.c
tests_unit_test_app_self_test_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_app_self_test_LDADD = libtp_app.a libtp_mix.a libtp_kernels.a libtp_base.a $(PFM_LIBS) $(ZYDIS_LIBS) $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/bench/roi_cost
tests_bench_roi_cost_SOURCES = tests/bench/roi_cost.c include/tprof_roi.h

check_PROGRAMS += tests/unit/test_app_agent
TESTS += tests/unit/test_app_agent
tests_unit_test_app_agent_SOURCES = tests/unit/test_app_agent.c tests/unit/files.h
tests_unit_test_app_agent_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_app_agent_LDADD = libtp_app.a $(TP_LIBS) $(CMOCKA_LIBS)
# Programs of tests, compiled when they run.
EXTRA_DIST += tests/app/blanks.f90 tests/app/fake_mpi.c tests/app/part.c tests/app/plugin.c tests/app/regions.c tests/app/throws.cc

check_PROGRAMS += tests/unit/test_app_pmu tests/unit/test_app_formulas
TESTS += tests/unit/test_app_pmu tests/unit/test_app_formulas
tests_unit_test_app_formulas_SOURCES = tests/unit/test_app_formulas.c tests/unit/fake_pmu.h
tests_unit_test_app_formulas_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_app_formulas_LDADD = libtp_app.a libtp_kernels.a libtp_base.a $(PFM_LIBS) $(ZYDIS_LIBS) $(CMOCKA_LIBS) -lm
tests_unit_test_app_pmu_SOURCES = tests/unit/test_app_pmu.c tests/unit/fake_pmu.h
tests_unit_test_app_pmu_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_app_pmu_LDADD = libtp_app.a libtp_kernels.a libtp_base.a $(PFM_LIBS) $(ZYDIS_LIBS) $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/unit/test_app_trace
TESTS += tests/unit/test_app_trace
tests_unit_test_app_trace_SOURCES = tests/unit/test_app_trace.c
tests_unit_test_app_trace_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_app_trace_LDADD = libtp_app.a libtp_mix.a libtp_kernels.a libtp_base.a $(PFM_LIBS) $(ZYDIS_LIBS) $(CMOCKA_LIBS) -lm
