/* SPDX-License-Identifier: GPL-3.0-or-later */
/* C++: exceptions that go through functions that are regions. */
#include <tprof_roi.h>

#include <cstdio>
#include <stdexcept>
#include <string>

__attribute__((noinline)) int inner(int n)
{
	if (n % 3 == 0)
		throw std::runtime_error("three");
	return n * 2;
}

namespace deep
{
__attribute__((noinline)) int middle(int n)
{
	std::string held(static_cast<std::size_t>(n), 'x');
	return inner(n) + static_cast<int>(held.size());
}
}

int main()
{
	int sum = 0, caught = 0;
	for (int i = 0; i < 300; i++) {
		tprof_roi_begin("loop");
		try {
			sum += deep::middle(i);
		} catch (const std::runtime_error &) {
			caught++;
		}
		tprof_roi_end("loop");
	}
	std::printf("%d %d\n", sum, caught);
	return 0;
}
