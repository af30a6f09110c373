# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_mining.a
libtp_mining_a_SOURCES = \
	src/mining/job.c src/mining/job.h

# Options are data that the preset room works on; it links without mining.
libtp_preset_a_SOURCES += src/mining/options.c src/mining/options.h
