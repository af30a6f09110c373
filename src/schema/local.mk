# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += libtp_schema.a
libtp_schema_a_CPPFLAGS = $(AM_CPPFLAGS) $(YAML_CFLAGS)
libtp_schema_a_SOURCES = \
	src/schema/fields.c src/schema/fields.h \
	src/schema/yaml.c src/schema/yaml.h
