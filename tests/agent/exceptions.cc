// SPDX-License-Identifier: GPL-3.0-or-later
// Exceptions under the agent, also through the frame of a signal handler and on threads.
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static int depth(int n)
{
	std::string text(static_cast<size_t>(n), 'x');

	if (n == 0)
		throw std::runtime_error("deep");
	try {
		return depth(n - 1) + static_cast<int>(text.size());
	} catch (const std::logic_error &) {
		return 0;
	}
}

static void on_fault(int number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_UNBLOCK, &set, nullptr);
	throw std::runtime_error("from a handler");
}

__attribute__((noinline)) static int fault(volatile int *at)
{
	return *at;
}

static long work(int seed)
{
	long caught = 0;

	for (int i = 0; i < 300; i++) {
		try {
			depth(i % 17 + seed);
		} catch (const std::exception &) {
			caught++;
		}
	}
	return caught;
}

int main()
{
	std::vector<std::thread> threads;
	long sums[4] = {};

	std::printf("%ld\n", work(3));
	std::signal(SIGSEGV, on_fault);
	for (int i = 0; i < 5; i++) {
		try {
			std::printf("%d\n", fault(nullptr));
		} catch (const std::exception &e) {
			std::printf("%d %s\n", i, e.what());
		}
	}
	for (int i = 0; i < 4; i++)
		threads.emplace_back([i, &sums] { sums[i] = work(i); });
	for (auto &thread : threads)
		thread.join();
	std::printf("%ld\n", sums[0] + sums[1] + sums[2] + sums[3]);
	std::fflush(stdout);
	depth(2); /* never caught */
}
