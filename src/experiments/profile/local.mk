# SPDX-License-Identifier: GPL-3.0-or-later
libtp_preset_a_SOURCES += src/experiments/profile/options.c src/experiments/profile/options.h
libtp_experiments_a_SOURCES += \
	src/experiments/profile/bands.c src/experiments/profile/bands.h \
	src/experiments/profile/papi.c src/experiments/profile/papi.h \
	src/experiments/profile/phases.c \
	src/experiments/profile/plan.h \
	src/experiments/profile/profile.c \
	src/experiments/profile/regions.c src/experiments/profile/regions.h \
	src/experiments/profile/run.c
libtp_record_a_SOURCES += \
	src/experiments/profile/profile_row.h \
	src/experiments/profile/rows.c src/experiments/profile/rows.h \
	src/experiments/profile/tables.c
libtp_report_a_SOURCES += \
	src/experiments/profile/pictures.c src/experiments/profile/pictures.h \
	src/experiments/profile/report.c
libtp_tui_a_SOURCES += ui/tui/experiments/profile.c

check_PROGRAMS += tests/unit/test_profile_bands
TESTS += tests/unit/test_profile_bands
tests_unit_test_profile_bands_SOURCES = tests/unit/test_profile_bands.c
tests_unit_test_profile_bands_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_profile_bands_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)
