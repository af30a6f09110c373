/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as what Intel SDE left.
 *   clang -fsanitize=fuzzer,address,undefined ... && ./fuzz_app_sde tests/fuzz/corpus/app_sde
 */
#include <string.h>

#include "app/sde_text.h"
#include "tests/fuzz/promise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tp_sde_mix sde = { 0 };
	const char *at = (const char *)data, *end = at + size;
	while (at < end) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));
		tp_sde_line(&sde, at, (size_t)((feed ? feed : end) - at));
		at = feed ? feed + 1 : end;
	}
	tp_sde_line(&sde, NULL, 0);
	tp_sde_end(&sde);
	uint64_t any = 0;
	for (unsigned i = 0; i < TP_MIX_N; i++) {
		must(sde.mix[i] <= 1ull << 53, "numbers are exact as doubles");
		any |= sde.mix[i];
	}
	must(sde.found || !any, "without a section there is nothing");
	must(sde.found || !sde.ended, "only a section ends");
	return 0;
}
