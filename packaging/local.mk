# SPDX-License-Identifier: GPL-3.0-or-later
# What other systems install tprof with, and a release that is the same bytes whoever makes it.
EXTRA_DIST += $(PACKAGING_FILES) tests/dist.sh tests/packaging.sh tests/bench/package.sh
PACKAGING_FILES = debian/changelog debian/control debian/copyright debian/rules debian/source/format debian/source/lintian-overrides \
	debian/tests/app debian/tests/control debian/tests/quick debian/tprof.docs debian/tprof.install debian/tprof.lintian-overrides debian/tprof-doc.install \
	packaging/modulefiles/tprof packaging/prometheus/tprof-textfile packaging/reframe/tprof_check.py packaging/rpm/tprof.spec packaging/spack/repo.yaml packaging/spack/packages/tprof/package.py \
	packaging/spack/packages/zycore-c/package.py packaging/spack/packages/zydis/package.py

# The headers need no library, and they are the same on every architecture.
pkgconfigdir = $(datadir)/pkgconfig
nodist_pkgconfig_DATA = packaging/tprof.pc

# What tar would take from this machine and this moment is fixed: order, owners, modes, times. The time is that of the last
# commit; a release carries it along. Needs GNU tar.
am__tar = $${TAR-tar} --sort=name --format=ustar --owner=0 --group=0 --numeric-owner --mode=a+rX,u+w,go-w \
	--mtime=@`cat "$$tardir/.dist-date"` -cf - "$$tardir"
WRITE_DIST_DATE = \
	if test -n "$$SOURCE_DATE_EPOCH"; then date=$$SOURCE_DATE_EPOCH; \
	elif test -e "$(srcdir)/.git"; then date=`git -C "$(srcdir)" log -1 --format=%ct`; \
	else date=`cat "$(srcdir)/.dist-date"`; fi; \
	case $$date in \
	"" | *[!0-9]*) \
		echo "make dist: the date of the release is not known: set SOURCE_DATE_EPOCH to seconds since 1970" >&2; \
		exit 1;; \
	esac; \
	rm -f "$(distdir)/.dist-date" && echo "$$date" >"$(distdir)/.dist-date"

TESTS += tests/dist.sh tests/packaging.sh

# The tests of single parts alone, for packages. configure defines UNIT_TESTS.
check-unit: all
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS check_PROGRAMS= TESTS="$(UNIT_TESTS)"
.PHONY: check-unit
