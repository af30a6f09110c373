# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_profile.a
libtp_profile_a_SOURCES = \
	src/profile/code.c src/profile/code.h \
	src/profile/meters.h src/profile/meters.c \
	src/profile/processes.c src/profile/processes.h \
	src/profile/sampler.c src/profile/sampler.h

PROGRAM_TESTS += tests/unit/test_profile tests/fuzz/replay_profile
tests_unit_test_profile_LDADD = libtp_profile.a libtp_app.a libtp_base.a $(CMOCKA_LIBS) -lm
tests_fuzz_replay_profile_SOURCES = tests/fuzz/fuzz_profile.c tests/fuzz/replay_main.c
tests_fuzz_replay_profile_LDADD = libtp_profile.a libtp_base.a -lm
