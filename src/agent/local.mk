# SPDX-License-Identifier: GPL-3.0-or-later
# The agent is a shared object that is preloaded into other programs; x86-64 only.
AGENT_H = \
	src/agent/cache.h src/agent/context.h src/agent/elf.h src/agent/elsewhere.h src/agent/emit.h \
	src/agent/native.h src/agent/process.h src/agent/shared.h src/agent/sys.h src/agent/trace.h src/mix/mix.h
AGENT_C = \
	src/agent/cache.c src/agent/dispatch.c src/agent/elf.c src/agent/elsewhere.c src/agent/emit.c \
	src/agent/liveness.c src/agent/modules.c src/agent/native.c src/agent/native_patch.c src/agent/process.c \
	src/agent/regions.c src/agent/signals.c src/agent/start.c src/agent/sys.c \
	src/agent/syscalls.c src/agent/threads.c src/agent/trace.c src/agent/translate.c
EXTRA_DIST += $(AGENT_H) $(AGENT_C) tests/agent/changes.c tests/agent/exact.c tests/agent/odd.c tests/agent/processes.c tests/agent/signals.c \
	tests/agent/threads.c tests/agent/regions.c tests/agent/exceptions.cc \
	tests/bench/agent/loops.c tests/bench/agent_slowdown.sh

if TP_ARCH_X86_64
agentdir = $(pkglibdir)
agent_DATA = libtprof-agent.so
CLEANFILES += libtprof-agent.so
# After all other flags: it is built without sanitizers and vector registers in every build.
AGENT_CFLAGS = -fPIC -O2 -mgeneral-regs-only -fno-stack-protector -fvisibility=hidden -fno-sanitize=all \
	-fcf-protection=none -fno-builtin -fno-lto
libtprof-agent.so: $(AGENT_C) $(MIX_X86) $(AGENT_H)
	$(AM_V_CCLD)$(CC) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) $(ZYDIS_CFLAGS) $(AM_CFLAGS) $(CFLAGS) $(LDFLAGS) \
		$(AGENT_CFLAGS) -shared -Wl,-z,now -Wl,-z,defs -Wl,-z,initfirst -Wl,-z,noexecstack -Wl,-Bsymbolic -o $@.new $(filter %.c,$^) -lZydis && \
		mv $@.new $@
endif

if TP_ARCH_X86_64
check_PROGRAMS += tests/agent/run_agent
tests_agent_run_agent_LDADD = libtp_mix.a $(ZYDIS_LIBS)
endif

if TP_ARCH_X86_64
PROGRAM_TESTS += tests/unit/test_trace
tests_unit_test_trace_SOURCES = tests/unit/test_trace.c src/agent/trace.c src/agent/trace.h
tests_unit_test_trace_LDADD = $(CMOCKA_LIBS)
endif

if TP_ARCH_X86_64
PROGRAM_TESTS += tests/fuzz/replay_agent_elf
tests_fuzz_replay_agent_elf_SOURCES = tests/fuzz/fuzz_agent_elf.c tests/fuzz/replay_main.c
endif
