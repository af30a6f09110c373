/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that are patched, between native_patch.c and native_code.c. Private to these. */
#ifndef TPROF_AGENT_NATIVE_PATCH_H
#define TPROF_AGENT_NATIVE_PATCH_H

#include <Zydis/Zydis.h>

#include "agent/native.h"

enum {
	TP_PATCH_RANGES = 32, /* of one region: copies, and parts that were split off */
	TP_PATCHES = 4096,
	TP_PATCH_JUMP_BYTES = 5,
	TP_PATCH_ALIGNED = 16, /* compilers put nothing but padding in front of such an address */
};

enum tp_patch_kind {
	TP_PATCH_PLAIN,
	TP_PATCH_PADDING,
	TP_PATCH_CALL,
	TP_PATCH_RETURN,
	TP_PATCH_JUMP,
	TP_PATCH_BRANCH,
	TP_PATCH_UNKNOWN_JUMP,
	TP_PATCH_ODD
};

struct tp_patch_step {
	uint32_t at; /* from the beginning of the range */
	uint8_t bytes, kind; /* enum tp_patch_kind */
	uint64_t target; /* of TP_PATCH_JUMP and TP_PATCH_BRANCH */
};

struct tp_patch_range {
	uint64_t start, end;
	bool split_off;
	uint32_t n;
	struct tp_patch_step *steps;
	uint8_t *targets; /* for each byte: somebody jumps there */
	uint8_t *taken; /* by a patch */
	bool jumps_back;
};

struct tp_patch {
	uint64_t at, code; /* of the jump, and where it goes */
	struct tp_patch_range *range;
	uint32_t first, last; /* steps that it replaces; `last` is the way out, if it is one */
	bool is_entry;
};

struct tp_patch_work {
	struct tp_hooks *hooks;
	unsigned region; /* 0 = none: nothing is said where it cannot be patched */
	void (*entered)(uint64_t region_and_flags, const uint64_t *back);
	unsigned n_ranges, n_patches;
	struct tp_patch_range ranges[TP_PATCH_RANGES];
	struct tp_patch patches[TP_PATCHES];
};

/* --- native_patch.c --- */

/* Says why the region is not timed; returns false. */
bool tp_patch_cannot(const struct tp_patch_work *w, const char *why);
bool tp_patch_decode(uint64_t at, uint64_t bytes, ZydisDecodedInstruction *in,
		     ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT]);
enum tp_patch_kind tp_patch_kind(const ZydisDecodedInstruction *in);

/* --- native_code.c --- */

/* Makes the code behind the patches, then the jumps to it. */
bool tp_patch_all(struct tp_patch_work *w);

#endif
