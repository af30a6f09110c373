/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as machine code of x86-64: each instruction that can be decoded has a mix, and its
 * numbers add up.
 *   clang -fsanitize=fuzzer,address,undefined ... && ./fuzz_mix tests/fuzz/corpus/mix
 */
#include "tests/fuzz/promise.h"
#include "tests/unit/mix_promise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned decoded = 0;

	for (size_t at = 0; at < size; at++) { /* every byte may begin one */
		const char *broken = tp_mix_broken(data + at, size - at, &decoded);
		must(!broken, broken ? broken : "");
	}
	return 0;
}
