/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows and operands of instructions, for the files that define a table of words.h. */
#ifndef TPROF_KERNELS_EMIT_FIELDS_H
#define TPROF_KERNELS_EMIT_FIELDS_H

#include "kernels/emit/words.h"

/* A register, an unsigned number, one in units, a signed one, a signed one in several parts. */
#define REG(kind, at)		      BITS(kind, at, 5)
#define BITS(kind, at, width)	      FIELD(kind, 0, 0, 1, { at, width })
#define UNITS(kind, at, width, unit)  FIELD(kind, 1, 0, unit, { at, width })
#define SIGNED(kind, at, width, unit) FIELD(kind, 1, 1, unit, { at, width })
#define PARTS(kind, unit, ...)	      FIELD(kind, 1, 1, unit, __VA_ARGS__)
#define FIELD(kind, special, is_signed, unit, ...)                                                 \
	{                                                                                          \
		kind, special, is_signed, __builtin_ctz(unit),                                     \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}

/* id, mnemonic, fixed bits, text, operands */
#define ROW(id, ...)			  ROW_OF(__VA_ARGS__)
#define ROW_OF(mnemonic, bits, text, ...) { mnemonic, bits, text, { __VA_ARGS__ } },

#endif
