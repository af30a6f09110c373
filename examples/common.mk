# SPDX-License-Identifier: GPL-3.0-or-later
# For GNU make. tprof_roi.h is looked for where tprof was installed with these examples, and in a
# source tree of tprof; INCLUDE=FOLDER names another place.
CC ?= cc
OPTIMISE ?= -O3
# The instructions of this machine, where the compiler can find them out; ARCH=-mavx2 asks for others.
ARCH ?= $(shell $(CC) -march=native -E -x c /dev/null >/dev/null 2>&1 && echo -march=native)
INCLUDE ?= $(firstword $(dir $(wildcard $(HERE)/../include/tprof_roi.h $(HERE)/../../../include/tprof_roi.h \
	/usr/local/include/tprof_roi.h /usr/include/tprof_roi.h)))
# -g: tprof names functions and lines by it, and it costs nothing while the program runs.
ALL_CFLAGS = -std=gnu11 -g -Wall -Wextra $(OPTIMISE) $(ARCH) $(addprefix -I,$(INCLUDE)) $(CFLAGS)
