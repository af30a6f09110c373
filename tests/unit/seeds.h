/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many seeds a test of simulated machines takes. The sanitizers watch the same code with the
 * first few of them; how often it is right is for the release to show.
 */
#ifndef TPROF_TEST_SEEDS_H
#define TPROF_TEST_SEEDS_H

#ifdef __SANITIZE_ADDRESS__
#define TP_SEEDS(many, few) (few)
#else
#define TP_SEEDS(many, few) (many)
#endif

#endif
