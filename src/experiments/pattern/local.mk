# SPDX-License-Identifier: GPL-3.0-or-later
libtp_preset_a_SOURCES += src/experiments/pattern/options.c src/experiments/pattern/options.h
libtp_experiments_a_SOURCES += \
	src/experiments/pattern/code.c \
	src/experiments/pattern/memory.c src/experiments/pattern/memory.h \
	src/experiments/pattern/pattern.c \
	src/experiments/pattern/plan.c src/experiments/pattern/plan_row.h \
	src/experiments/pattern/predict.c src/experiments/pattern/predict.h \
	src/experiments/pattern/predict_times.c \
	src/experiments/pattern/reduce.c src/experiments/pattern/run.c \
	src/experiments/pattern/stepping.c src/experiments/pattern/stepping.h \
	src/experiments/pattern/sweep.c src/experiments/pattern/sweep.h \
	src/experiments/pattern/validate.c src/experiments/pattern/validate.h
libtp_record_a_SOURCES += src/experiments/pattern/tables.c src/experiments/pattern/row.h \
	src/experiments/pattern/prediction.c src/experiments/pattern/prediction.h
libtp_report_a_SOURCES += src/experiments/pattern/bars.c \
	src/experiments/pattern/predict_report.c src/experiments/pattern/predict_report.h \
	src/experiments/pattern/picture_parts.h src/experiments/pattern/pictures.c src/experiments/pattern/conclude.c src/experiments/pattern/conclude.h \
	src/experiments/pattern/report.c \
	src/experiments/pattern/roofs.c src/experiments/pattern/roofs.h \
	src/experiments/pattern/views.c src/experiments/pattern/views.h
libtp_tui_a_SOURCES += \
	ui/tui/experiments/pattern.c

# Shipped patterns at the first value of each parameter, for nodes without a compiler. A cross build has none.
EXTRA_PROGRAMS += src/experiments/pattern/prebuild
src_experiments_pattern_prebuild_SOURCES = src/experiments/pattern/prebuild.c
src_experiments_pattern_prebuild_LDADD = libtp_pattern.a libtp_compiler.a libtp_base.a $(ISL_LIBS) $(YAML_LIBS) -lm
if PREBUILD
CLEANFILES += src/experiments/pattern/prebuild$(EXEEXT) objects/built
all-local: objects/built
objects/built: src/experiments/pattern/prebuild$(EXEEXT) $(srcdir)/presets/patterns/*.yaml
	$(AM_V_GEN)rm -rf objects && $(MKDIR_P) objects && \
		TPROF_DATADIR="$(abs_srcdir)" XDG_CACHE_HOME="$(abs_builddir)/objects/cache" src/experiments/pattern/prebuild$(EXEEXT) "$(abs_builddir)/objects" \
		`for f in "$(srcdir)"/presets/patterns/*.yaml; do basename "$$f" .yaml; done` && \
		rm -rf objects/cache && touch $@

install-exec-local: objects/built
	$(MKDIR_P) "$(DESTDIR)$(pkglibdir)/objects"
	for file in objects/*.so objects/*.key; do \
		test ! -f "$$file" || $(INSTALL_DATA) "$$file" "$(DESTDIR)$(pkglibdir)/objects" || exit 1; done

uninstall-hook:
	rm -rf "$(DESTDIR)$(pkglibdir)/objects"
	rmdir "$(DESTDIR)$(pkglibdir)" 2>/dev/null || :

clean-local:
	rm -rf objects
endif

check_PROGRAMS += tests/unit/test_charts
TESTS += tests/unit/test_charts
tests_unit_test_charts_SOURCES = tests/unit/test_charts.c tests/unit/rows.h
tests_unit_test_charts_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_charts_LDADD = $(TP_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += tests/unit/test_pattern_predict
TESTS += tests/unit/test_pattern_predict
tests_unit_test_pattern_predict_SOURCES = tests/unit/test_pattern_predict.c tests/unit/near.h tests/unit/rows.h
tests_unit_test_pattern_predict_CPPFLAGS = $(AM_CPPFLAGS) $(CMOCKA_CFLAGS)
tests_unit_test_pattern_predict_LDADD = $(SESSION_LIBS) $(CMOCKA_LIBS)
