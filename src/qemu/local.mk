# SPDX-License-Identifier: GPL-3.0-or-later
# A plug-in for qemu-user. Its header is in no package and not needed: qemu itself is needed to run it alone.
QEMU_H = src/qemu/qemu_api.h src/agent/shared.h src/mix/mix.h
QEMU_C = src/qemu/plugin.c
EXTRA_DIST += $(QEMU_H) $(QEMU_C) tests/app/agree.c tests/bench/app_agree.sh

if TP_ARCH_X86_64
qemudir = $(pkglibdir)
qemu_DATA = libtprof-qemu.so
CLEANFILES += libtprof-qemu.so
# Last of all flags: qemu is without sanitizers whatever the build is.
QEMU_CFLAGS = -fPIC -O2 -fvisibility=hidden -fno-sanitize=all -fno-lto
libtprof-qemu.so: $(QEMU_C) $(MIX_X86) $(QEMU_H)
	$(AM_V_CCLD)$(CC) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) $(ZYDIS_CFLAGS) $(AM_CFLAGS) $(CFLAGS) $(LDFLAGS) \
		$(QEMU_CFLAGS) -shared -Wl,-z,noexecstack -o $@.new $(filter %.c,$^) $(ZYDIS_LIBS) -ldl && \
		mv $@.new $@
endif

# What one way of counting finds in one program.
check_PROGRAMS += tests/bench/app_count
tests_bench_app_count_LDADD = libtp_app.a libtp_mix.a libtp_kernels.a libtp_base.a $(PFM_LIBS) $(ZYDIS_LIBS) -lm
