# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_profile.a
libtp_profile_a_SOURCES = \
	src/profile/code.c src/profile/code.h src/profile/code_names.c src/profile/code_parts.h \
	src/profile/meter.h src/profile/meters.c src/profile/meters_machine.c src/profile/meters_parts.h \
	src/profile/pmu.c src/profile/pmu.h \
	src/profile/proc.c src/profile/proc.h \
	src/profile/sampler.c src/profile/sampler.h \
	src/profile/processes.c src/profile/processes.h
