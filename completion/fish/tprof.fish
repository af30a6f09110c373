# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of tprof(1) for fish. The program makes the script itself, so that it always fits the options of the one installed.
tprof --completion fish 2>/dev/null | source
