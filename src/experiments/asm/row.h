/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A point of assembly: which instructions, how they ran, and what they took. */
#ifndef TPROF_EXPERIMENTS_ASM_ROW_H
#define TPROF_EXPERIMENTS_ASM_ROW_H

#include "record/point.h"
#include "preset/options.h"
#include "record/run.h"

/* All times are in cycles of the core. */
struct tp_asm_row {
	struct tp_kernel_row kernel; /* its times are per instruction */
	/* identity */
	char instructions[168]; /* as they were given, "; " between them, cut with "..." */
	char mode[12]; /* throughput, latency, written */
	unsigned count; /* of the instructions */
	uint64_t buffer_bytes;
	/* found */
	char ran[128]; /* what really ran, with other registers; "" = as given */
	unsigned copies,
		unroll; /* copies in other registers; how often all that stands in the loop */
	/* instructions of all copies that wait for each other from round to round; -1 = unknown */
	double chain;
	/* factor for the clock around the windows; 0 = 1 */
	double clock_correction;
	double cycles, body_cycles; /* of an instruction, of all that were given */
	double ipc;
	double rthroughput, latency; /* of an instruction; 0 = not measured by this point */
	double model_ipc; /* of the machine model, for FMAs; 0 = unknown */
	/* what llvm-mca predicts, of an instruction; 0 and "" = nothing */
	char mca_cpu[16];
	double mca_cycles, mca_uops, mca_rthroughput;
	char mca_pressure[96];
	char counts[256]; /* "cycles=1.25", for an instruction */
};

const struct tp_asm_row *tp_asm_row(const struct tp_point *point); /* never NULL */
/* True for a finished point of this experiment with a value. */
bool tp_point_is_asm(const struct tp_point *point);

/*
 * More and more instructions of one kind, which do not wait for each other: from some number on,
 * latency times instructions in a cycle, the core does not do more in a cycle.
 */
struct tp_asm_saturation {
	const struct tp_point *first; /* of the series */
	/* the least number that saturates, and that loses nothing; the largest that was measured */
	unsigned count, whole, most;
	double ipc, model_ipc; /* at most; by the machine model, 0 = unknown */
	double latency; /* of one of them */
};

bool tp_asm_series_begins(const struct tp_run *run, size_t i);

/* False if the series that begins with point `first` shows no end. */
bool tp_asm_saturation(const struct tp_run *run, size_t first, struct tp_asm_saturation *out);

/* --- the options --- */

#define TP_ASM_OPTIONS(X)                                                                          \
	X(ASM_BODY, "asm.body", TEXT, false, 0, 8000, "", "",                                      \
	  "The instructions, with semicolons between them; a preset may write them as a list.",    \
	  .joins = true, .code = true, TP_FORM(WHAT, 800))                                         \
	X(ASM_SYNTAX, "asm.syntax", WORD, false, 0, 0, "auto", "auto att intel",                   \
	  "How the instructions are written.",                                                     \
	  .meanings = "auto\tAT&T if a register has the sign %, else Intel\n"                      \
		      "att\tAT&T: sources first, registers with %\n"                               \
		      "intel\tIntel: the destination first\n",                                     \
	  TP_FORM_MORE(WHAT, 810), .form_tells = true)                                             \
	X(ASM_VARIANTS, "asm.variants", WORD, true, 0, 0, "whole",                                 \
	  "whole each prefixes permutations",                                                      \
	  "Which variants are made of the instructions; each is a point.",                         \
	  .meanings = "whole\tall instructions, as they are\n"                                     \
		      "each\tevery instruction separately\n"                                       \
		      "prefixes\tthe first one, the first two, and so on\n"                        \
		      "permutations\tall orders of all subsets\n",                                 \
	  TP_FORM(WHAT, 820), .form_tells = true)                                                  \
	X(ASM_MODE, "asm.mode", WORD, true, 0, 0, "auto", "auto throughput latency written",       \
	  "What is measured of a variant.",                                                        \
	  .meanings = "auto\tone instruction: throughput and latency; several: as written\n"       \
		      "throughput\tcopies that do not wait for each other, in other registers\n"   \
		      "latency\ta chain, where each result feeds the next instruction\n"           \
		      "written\tthe instructions exactly as they are, again and again\n",          \
	  TP_FORM(WHAT, 830), .form_tells = true)                                                  \
	X(ASM_BUFFER, "asm.buffer", BYTES, false, 128, 1 << 30, "4KiB", "",                        \
	  "Size of the buffer that registers point to; each thread has its own.",                  \
	  .offers = "4KiB 32KiB 1MiB", TP_FORM(WHAT, 840))                                         \
	X(ASM_UNROLL, "asm.unroll", COUNT, false, 1, 100000, "auto", "auto",                       \
	  "How often the instructions, with their copies, stand in the loop; auto: about 512 "     \
	  "instructions in all.",                                                                  \
	  .offers = "auto 1 10 100", TP_FORM_MORE(WHAT, 850))                                      \
	X(ASM_WARMUP, "asm.warmup", COUNT, false, 0, 1000000, "0", "",                             \
	  "Passes of the loop right before each window that are not timed.",                       \
	  .offers = "0 100 10000", TP_FORM_MORE(WHAT, 860))                                        \
	X(ASM_NEEDS, "asm.needs", WORD, true, 0, 0, "", "",                                        \
	  "Features that the CPU must have, or must not have (-avx512f); else the points are "     \
	  "left out.",                                                                             \
	  .offers = "avx avx2 fma avx512f avx512vl", TP_FORM_MORE(WHAT, 870))                      \
	X(ASM_ASSEMBLER, "asm.assembler", TEXT, false, 0, 4000, "auto", "",                        \
	  "The assembler: as, clang or llvm-mc, or a path that ends in one of these. The word "    \
	  "auto takes the encoder of tprof for plain instructions, and the first assembler found " \
	  "for others; builtin: only the encoder.",                                                \
	  .offers = "auto builtin as clang llvm-mc", .code = true, TP_FORM_MORE(WHAT, 880))        \
	X(ASM_MCA, "asm.mca", TEXT, false, 0, 32, "auto", "",                                      \
	  "The CPU for which llvm-mca predicts: a name of LLVM such as znver3, auto for this "     \
	  "one, or none.",                                                                         \
	  .offers = "auto none znver3 skylake", TP_FORM_MORE(WHAT, 890))

TP_ASM_OPTIONS(TP_OPTION_DECLARE)

#endif
