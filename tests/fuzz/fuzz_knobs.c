/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as the record of a killed program that had set the machine's knobs: must not crash. It
 * is restored by writing into the files of knobs alone, with the value that stands in the record,
 * and only where the record is whole and of this boot.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "machine/knobs_held.h"
#include "tests/fuzz/promise.h"

/* The machine: its files, and what stands there before each input. */
static const struct {
	const char *path, *text;
	bool knob;
} tree[] = {
	{ "proc/sys/kernel/random/boot_id", "this-boot\n", false },
	{ "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n", true },
	{ "sys/devices/system/cpu/cpu1/cpufreq/scaling_min_freq", "3700000\n", true },
	{ "sys/devices/system/cpu/cpu1/cpufreq/scaling_max_freq", "3700000\n", true },
	{ "sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n", true },
	{ "proc/sys/kernel/numa_balancing", "0\n", true },
	{ "sys/devices/system/cpu/canary", "canary\n", false },
};
#define RECORD "run/tprof/knobs"
static char root[] = "/tmp/tprof-fuzz-knobs-XXXXXX";

static const char *path_of(const char *relative, char out[TP_PATH_MAX])
{
	snprintf(out, TP_PATH_MAX, "%s/%s", root, relative);
	return out;
}

static void put(const char *relative, const char *text, size_t len)
{
	char path[TP_PATH_MAX];
	FILE *file = fopen(path_of(relative, path), "w");
	must(file && fwrite(text, 1, len, file) == len && fclose(file) == 0, "a file is written");
}

static void clean_up(void)
{
	char command[sizeof(root) + 16];
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	must(system(command) == 0, "the folder goes");
}

static void make_folder(const char *relative)
{
	char path[TP_PATH_MAX];
	path_of(relative, path);
	*strrchr(path, '/') = '\0';
	must(tp_dir_make(path, NULL) == TP_OK, "there are folders");
}

static void set_up(void)
{
	must(mkdtemp(root), "there is a folder");
	make_folder(RECORD);
	for (size_t i = 0; i < TP_COUNT_OF(tree); i++)
		make_folder(tree[i].path);
	atexit(clean_up);
}

static bool is_as_before(size_t i)
{
	char path[TP_PATH_MAX];
	TP_FREE char *text = NULL;
	size_t len;
	must(tp_file_read(path_of(tree[i].path, path), 4096, &text, &len, NULL) == TP_OK,
	     "a file of the machine stays");
	return strcmp(text, tree[i].text) == 0;
}

static void check_again(const struct tp_knobs *knobs)
{
	TP_STR text = { 0 }, second = { 0 };
	TP_CLEANUP(tp_knobs_release) struct tp_knobs again = { .root = root };
	tp_knobs_write(knobs, &text);
	must(tp_knobs_parse(&again, tp_str_text(&text), NULL) == TP_OK, "it is read again");
	tp_knobs_write(&again, &second);
	must(strcmp(tp_str_text(&text), tp_str_text(&second)) == 0, "as the same text");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool begun;
	struct tp_leftover left;
	TP_CLEANUP(tp_diags_release) struct tp_diags diags = { 0 };
	if (!begun)
		set_up();
	begun = true;
	for (size_t i = 0; i < TP_COUNT_OF(tree); i++)
		put(tree[i].path, tree[i].text, strlen(tree[i].text));
	put(RECORD, (const char *)data, size);
	must(tp_leftover_look(&left, 0, root), "there is a place");
	bool there = left.state == TP_LEFTOVER_THERE;
	must(there == (left.knobs.n > 0) || left.state == TP_LEFTOVER_DOUBTFUL,
	     "what is left changed has settings");
	if (there) {
		check_again(&left.knobs);
		enum tp_status status = tp_leftover_restore(&left, &diags);
		must((status == TP_OK) == (diags.n == 0), "what cannot be restored has words");
	}
	for (size_t i = 0; i < TP_COUNT_OF(tree); i++)
		must((there && tree[i].knob) || is_as_before(i), "nothing else is written");
	tp_knobs_release(&left.knobs);
	return 0;
}
