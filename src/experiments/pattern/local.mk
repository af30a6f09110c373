# SPDX-License-Identifier: GPL-3.0-or-later
libtp_experiments_a_SOURCES += \
	src/experiments/pattern/run.c \
	src/experiments/pattern/pattern.c src/experiments/pattern/pattern.h \
	src/experiments/pattern/predict.c src/experiments/pattern/predict.h
libtp_experiments_a_SOURCES += \
	src/experiments/pattern/row.c src/experiments/pattern/row.h
libtp_experiments_a_SOURCES += \
	src/experiments/pattern/pictures.c \
	src/experiments/pattern/report.c src/experiments/pattern/report.h \
	src/experiments/pattern/pictures.h
libtp_tui_a_SOURCES += \
	ui/tui/experiments/pattern.c

# Shipped patterns at the first value of each parameter, for nodes without a compiler. A cross build has none.
EXTRA_PROGRAMS += src/experiments/pattern/prebuild
src_experiments_pattern_prebuild_SOURCES = src/experiments/pattern/prebuild.c
src_experiments_pattern_prebuild_LDADD = libtp_pattern.a libtp_compiler.a libtp_schema.a libtp_base.a $(ISL_LIBS) $(YAML_LIBS) -lm
if PREBUILD
CLEANFILES += src/experiments/pattern/prebuild$(EXEEXT) objects/built
PREBUILT = objects/built
all-local: $(PREBUILT)
objects/built: src/experiments/pattern/prebuild$(EXEEXT) $(srcdir)/presets/patterns/*.yaml
	$(AM_V_GEN)rm -rf objects && $(MKDIR_P) objects && \
		TPROF_DATADIR="$(abs_srcdir)" XDG_CACHE_HOME="$(abs_builddir)/objects/cache" src/experiments/pattern/prebuild$(EXEEXT) "$(abs_builddir)/objects" \
		`for f in "$(srcdir)"/presets/patterns/*.yaml; do basename "$$f" .yaml; done` && \
		rm -rf objects/cache && touch $@

install-exec-local: objects/built
	for file in objects/*/object.so objects/*/key; do test ! -f "$$file" || \
		{ $(MKDIR_P) "$(DESTDIR)$(pkglibdir)/$${file%/*}" && $(INSTALL_DATA) "$$file" "$(DESTDIR)$(pkglibdir)/$$file"; } || exit 1; done

uninstall-hook:
	rm -rf "$(DESTDIR)$(pkglibdir)/objects"
	rmdir "$(DESTDIR)$(pkglibdir)" 2>/dev/null || :

clean-local:
	rm -rf objects
endif

PROGRAM_TESTS += tests/unit/test_charts tests/unit/test_pattern_predict tests/unit/test_beside
