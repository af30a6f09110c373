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

PROGRAM_TESTS += tests/unit/test_app_run tests/unit/test_app_shared tests/fuzz/replay_app_shared \
	tests/fuzz/replay_app_elf tests/unit/test_app_self_test tests/unit/test_app_agent \
	tests/unit/test_app_pmu tests/unit/test_app_formulas tests/unit/test_app_trace
tests_unit_test_app_run_LDADD = libtp_app.a libtp_base.a $(CMOCKA_LIBS) -lm
tests_unit_test_app_shared_LDADD = libtp_app.a libtp_base.a $(CMOCKA_LIBS) -lm

# The fuzz targets over their corpora, with a main of our own; libFuzzer brings another.
tests_fuzz_replay_app_shared_SOURCES = tests/fuzz/fuzz_app_shared.c tests/fuzz/replay_main.c
tests_fuzz_replay_app_shared_LDADD = libtp_app.a libtp_base.a -lm
tests_fuzz_replay_app_elf_SOURCES = tests/fuzz/fuzz_app_elf.c tests/fuzz/replay_main.c
tests_fuzz_replay_app_elf_LDADD = libtp_app.a libtp_base.a -lm

# What programs mark their regions with. Fortran's module is installed as source: its compiled form fits one compiler.
dist_include_HEADERS = include/tprof_roi.h
roisourcedir = $(includedir)
dist_roisource_DATA = include/tprof_roi.f90

if TP_ARCH_X86_64
PROGRAM_TESTS += tests/unit/test_mix_kernels
tests_unit_test_mix_kernels_SOURCES = tests/unit/test_mix_kernels.c tests/unit/counting_rows.c
tests_unit_test_mix_kernels_CPPFLAGS = $(AM_CPPFLAGS) $(ZYDIS_CFLAGS)
tests_unit_test_mix_kernels_LDADD = libtp_app.a libtp_mix.a libtp_kernels.a libtp_base.a $(PFM_LIBS) $(ZYDIS_LIBS) $(CMOCKA_LIBS)
endif

tests_unit_test_app_self_test_LDADD = libtp_app.a libtp_mix.a libtp_kernels.a libtp_base.a $(PFM_LIBS) $(ZYDIS_LIBS) $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/bench/roi_cost
tests_bench_roi_cost_SOURCES = tests/bench/roi_cost.c include/tprof_roi.h

# Programs of tests, compiled when they run.
EXTRA_DIST += tests/app/blanks.f90 tests/app/fake_mpi.c tests/app/fake_mpirun tests/app/part.c tests/app/plugin.c tests/app/regions.c tests/app/throws.cc

tests_unit_test_app_formulas_LDADD = libtp_app.a libtp_kernels.a libtp_base.a $(PFM_LIBS) $(ZYDIS_LIBS) $(CMOCKA_LIBS) -lm
tests_unit_test_app_pmu_LDADD = libtp_app.a libtp_kernels.a libtp_base.a $(PFM_LIBS) $(ZYDIS_LIBS) $(CMOCKA_LIBS) -lm
tests_unit_test_app_trace_LDADD = libtp_app.a libtp_mix.a libtp_kernels.a libtp_base.a $(PFM_LIBS) $(ZYDIS_LIBS) $(CMOCKA_LIBS) -lm
