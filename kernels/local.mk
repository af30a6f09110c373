# SPDX-License-Identifier: GPL-3.0-or-later
# A back end's files are empty on every other architecture, so they are always listed.
noinst_LIBRARIES += libtp_kernels.a
libtp_kernels_a_CPPFLAGS = $(AM_CPPFLAGS) $(ZYDIS_CFLAGS)
libtp_kernels_a_CFLAGS = $(FAST_CFLAGS)
libtp_kernels_a_SOURCES = \
	kernels/aarch64/aarch64.h \
	kernels/aarch64/arch.c \
	kernels/aarch64/assembly.c \
	kernels/aarch64/emit.c \
	kernels/aarch64/encode.c \
	kernels/aarch64/narrow.c \
	kernels/arch.c kernels/arch.h \
	kernels/assembly.c kernels/assembly.h \
	kernels/code.c kernels/code.h \
	kernels/counting.c kernels/counting.h \
	kernels/emit/assembler.c kernels/emit/assembler.h \
	kernels/emit/emit.c kernels/emit/emit.h \
	kernels/emit/kernel.c \
	kernels/emit/loop.c \
	kernels/emit/traversal.c \
	kernels/families/caches.c \
	kernels/families/families.c kernels/families/families.h \
	kernels/families/loops.c \
	kernels/families/traffic.c kernels/families/traffic.h \
	kernels/isa.c kernels/isa.h \
	kernels/isa_names.h \
	kernels/kernel.c kernels/kernel.h \
	kernels/loop.c kernels/loop.h \
	kernels/riscv64/arch.c \
	kernels/riscv64/assembly.c \
	kernels/riscv64/emit.c \
	kernels/riscv64/encode.c \
	kernels/riscv64/riscv64.h \
	kernels/step.c kernels/step.h \
	kernels/x86/arch.c \
	kernels/x86/assembly.c \
	kernels/x86/emit.c \
	kernels/x86/encode.c kernels/x86/encode.h \
	kernels/x86/narrow.c \
	kernels/x86/step.c \
	kernels/x86/x86.h

PROGRAM_TESTS += tests/unit/test_kernel_numbers tests/unit/test_narrow tests/unit/test_outer \
	tests/unit/test_aarch64_code tests/unit/test_emitted tests/unit/test_counting_steps \
	tests/unit/test_counting_caches tests/unit/test_counting_blas tests/unit/test_riscv64_code \
	tests/unit/test_foreign_counting tests/unit/test_step
check_PROGRAMS += tests/bench/emit_time

tests_unit_test_kernel_numbers_LDADD = libtp_kernels.a libtp_base.a $(ZYDIS_LIBS) $(CMOCKA_LIBS)
tests_unit_test_narrow_SOURCES = tests/unit/test_narrow.c tests/unit/emitted.c
tests_unit_test_narrow_LDADD = libtp_kernels.a libtp_base.a $(ZYDIS_LIBS) $(CMOCKA_LIBS)
tests_unit_test_outer_SOURCES = tests/unit/test_outer.c tests/unit/emitted.c
tests_unit_test_outer_LDADD = libtp_kernels.a libtp_base.a $(ZYDIS_LIBS) $(CMOCKA_LIBS)

aarch64_run = tests/unit/aarch64_run.c
tests_unit_test_aarch64_code_SOURCES = tests/unit/test_aarch64_code.c tests/unit/emitted.c $(aarch64_run)
tests_unit_test_aarch64_code_LDADD = libtp_kernels.a libtp_base.a $(ZYDIS_LIBS) $(CMOCKA_LIBS)
tests_unit_test_emitted_SOURCES = tests/unit/test_emitted.c tests/unit/emitted.c
tests_unit_test_emitted_LDFLAGS = -Wl,--wrap=tp_arch_host
tests_unit_test_emitted_LDADD = libtp_kernels.a libtp_base.a $(ZYDIS_LIBS) $(CMOCKA_LIBS)
tests_bench_emit_time_LDADD = libtp_kernels.a libtp_base.a $(ZYDIS_LIBS)

counting_rows = tests/unit/counting_rows.c

tests_unit_test_counting_steps_SOURCES = tests/unit/test_counting_steps.c $(counting_rows)
tests_unit_test_counting_steps_LDADD = libtp_kernels.a libtp_base.a $(ZYDIS_LIBS) $(CMOCKA_LIBS)

counting_model = tests/unit/counting_model.c

tests_unit_test_counting_caches_SOURCES = tests/unit/test_counting_caches.c $(counting_model)
tests_unit_test_counting_caches_LDADD = libtp_kernels.a libtp_base.a $(ZYDIS_LIBS) $(CMOCKA_LIBS)
tests_unit_test_counting_blas_SOURCES = tests/unit/test_counting_blas.c $(counting_model)
tests_unit_test_counting_blas_LDADD = libtp_kernels.a libtp_base.a $(ZYDIS_LIBS) $(CMOCKA_LIBS)

riscv64_machine = tests/unit/riscv64_machine.c

tests_unit_test_riscv64_code_SOURCES = tests/unit/test_riscv64_code.c $(riscv64_machine)
tests_unit_test_riscv64_code_LDADD = libtp_kernels.a libtp_base.a $(ZYDIS_LIBS) $(CMOCKA_LIBS)
tests_unit_test_foreign_counting_SOURCES = tests/unit/test_foreign_counting.c tests/unit/foreign.c $(aarch64_run) $(riscv64_machine)
tests_unit_test_foreign_counting_LDADD = libtp_kernels.a libtp_base.a $(ZYDIS_LIBS) $(CMOCKA_LIBS)
tests_unit_test_step_LDADD = libtp_kernels.a libtp_base.a $(ZYDIS_LIBS) $(CMOCKA_LIBS)

if HAVE_CAPSTONE
PROGRAM_TESTS += tests/unit/test_step_decode
tests_unit_test_step_decode_CPPFLAGS = $(AM_CPPFLAGS) $(CAPSTONE_CFLAGS)
tests_unit_test_step_decode_LDADD = libtp_kernels.a libtp_base.a $(ZYDIS_LIBS) $(CAPSTONE_LIBS) $(CMOCKA_LIBS)

PROGRAM_TESTS += tests/unit/test_counting_a
tests_unit_test_counting_a_SOURCES = tests/unit/test_counting_a.c $(counting_rows)
tests_unit_test_counting_a_CPPFLAGS = $(AM_CPPFLAGS) $(CAPSTONE_CFLAGS)
tests_unit_test_counting_a_LDADD = libtp_preset.a libtp_kernels.a libtp_schema.a libtp_base.a $(YAML_LIBS) $(ZYDIS_LIBS) $(CAPSTONE_LIBS) $(CMOCKA_LIBS) -lm

PROGRAM_TESTS += tests/unit/test_gather_code
tests_unit_test_gather_code_CPPFLAGS = $(AM_CPPFLAGS) $(CAPSTONE_CFLAGS)
tests_unit_test_gather_code_LDADD = libtp_kernels.a libtp_base.a $(ZYDIS_LIBS) $(CAPSTONE_LIBS) $(CMOCKA_LIBS)

PROGRAM_TESTS += tests/unit/test_asm tests/unit/test_emit

emit_check = tests/unit/decode.c tests/unit/emit_check.c

tests_unit_test_asm_SOURCES = tests/unit/test_asm.c $(emit_check)
tests_unit_test_asm_CPPFLAGS = $(AM_CPPFLAGS) $(CAPSTONE_CFLAGS)
tests_unit_test_asm_LDADD = libtp_kernels.a libtp_base.a $(ZYDIS_LIBS) $(CAPSTONE_LIBS) $(CMOCKA_LIBS)
tests_unit_test_emit_SOURCES = tests/unit/test_emit.c $(emit_check)
tests_unit_test_emit_CPPFLAGS = $(AM_CPPFLAGS) $(CAPSTONE_CFLAGS)
tests_unit_test_emit_LDADD = libtp_kernels.a libtp_base.a $(ZYDIS_LIBS) $(CAPSTONE_LIBS) $(CMOCKA_LIBS)
endif
