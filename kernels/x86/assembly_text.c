/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifdef TP_ARCH_X86_64

#include "kernels/x86/registers.h"

enum tp_status tp_x86_asm_encode(const char *text, enum tp_asm_syntax syntax, unsigned char out[16],
				 size_t *bytes)
{
	(void)text;
	(void)syntax;
	(void)out;
	(void)bytes;
	return TP_UNSUPPORTED;
}

#endif
