/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A plug-in for qemu-user that counts what an x86-64 program does, into the file that tprof shares
 * with its agent (agent/shared.h). It puts nothing into the program, so it counts static programs,
 * too.
 *
 * Exactness. qemu translates block by block, and all instructions of a block execute or none does:
 * it looks for signals and for other threads before the callback of a block. So a block is one
 * counter. Repeated or data-dependent work has separate counters, moved by the accesses that qemu
 * reports one by one: repetitions of string instructions, lanes of gathers and of masked stores.
 * Masked loads are read as a whole by qemu, so their lanes are counted by their mask. A block that
 * a fault ends (SIGSEGV, SIGFPE) counts as a whole, and again from the fault on if a handler
 * returns there.
 *
 * Each thread of the program is a virtual CPU with its own counters. Translation is done by one
 * thread at a time (qemu holds its lock of memory maps), so what it fills needs no lock.
 */
#include <Zydis/Zydis.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "agent/shared.h"
#include "qemu/qemu_api.h"

static uint64_t qemu_host(uint64_t address);

/*
 * The files that a program's code lies in, from /proc/self/maps: the program's memory is qemu's.
 * With the first code of a file come the regions in it: functions by their symbols, and marked ones
 * by tprof_roi_hook, the pointer of tprof_roi.h. It is made to point to a return instruction that
 * is not reached otherwise, so that arriving there begins or ends a region.
 */

/* A 64-bit ELF file, mapped; `at` NULL = none. It is not trusted. */
struct elf {
	const unsigned char *at;
	size_t bytes;
};

static bool holds(const struct elf *elf, uint64_t offset, uint64_t bytes)
{
	return offset <= elf->bytes && bytes <= elf->bytes - offset;
}

static const Elf64_Ehdr *head_of(const struct elf *elf)
{
	const Elf64_Ehdr *head = (const void *)elf->at;
	if (elf->bytes < sizeof(*head) || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
	    head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_shentsize != sizeof(Elf64_Shdr) ||
	    head->e_phentsize != sizeof(Elf64_Phdr) || head->e_phoff % 8 || head->e_shoff % 8 ||
	    !holds(elf, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr)) ||
	    !holds(elf, head->e_phoff, (uint64_t)head->e_phnum * sizeof(Elf64_Phdr)))
		return NULL;
	return head;
}

static void close_elf(struct elf *elf)
{
	munmap((void *)(uintptr_t)elf->at, elf->bytes);
	*elf = (struct elf){ 0 };
}

static struct elf open_elf(const char *path)
{
	struct elf elf = { 0 };
	struct stat about;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return elf;
	if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
		void *at = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (at != MAP_FAILED)
			elf = (struct elf){ at, (size_t)about.st_size };
	}
	close(fd);
	if (elf.at && !head_of(&elf))
		close_elf(&elf);
	return elf;
}

/* Code at pc has that offset in the file: *bias is what it was moved by from its address there. */
static bool find_bias(const struct elf *elf, uint64_t pc, uint64_t offset, uint64_t *bias)
{
	const Elf64_Ehdr *head = head_of(elf);
	const Elf64_Phdr *parts = (const void *)(elf->at + head->e_phoff);
	for (unsigned i = 0; i < head->e_phnum; i++) {
		if (parts[i].p_type != PT_LOAD || !(parts[i].p_flags & PF_X) ||
		    offset < parts[i].p_offset || offset - parts[i].p_offset >= parts[i].p_filesz)
			continue;
		*bias = pc - (parts[i].p_vaddr + (offset - parts[i].p_offset));
		return true;
	}
	return false;
}

/* A text of a table of texts; "" if it does not end in there. */
static const char *text_of(const struct elf *elf, const Elf64_Shdr *table, uint64_t at)
{
	if (!holds(elf, table->sh_offset, table->sh_size) || at >= table->sh_size)
		return "";
	const char *text = (const char *)elf->at + table->sh_offset + at;
	return memchr(text, 0, table->sh_size - at) ? text : "";
}

static bool find_symbol(const struct elf *elf, const Elf64_Shdr *table, const Elf64_Shdr *names,
			const char *name, uint64_t *address)
{
	if (!holds(elf, table->sh_offset, table->sh_size) || table->sh_offset % 8)
		return false;
	const Elf64_Sym *symbols = (const void *)(elf->at + table->sh_offset);
	for (uint64_t i = 0; i < table->sh_size / sizeof(*symbols); i++) {
		if (ELF64_ST_TYPE(symbols[i].st_info) != STT_FUNC ||
		    symbols[i].st_shndx == SHN_UNDEF ||
		    strcmp(text_of(elf, names, symbols[i].st_name), name) != 0)
			continue;
		*address = symbols[i].st_value;
		return true;
	}
	return false;
}

/* The address in the file of a function; false = there is no such function. */
static bool find_function(const struct elf *elf, const char *name, uint64_t *address)
{
	const Elf64_Ehdr *head = head_of(elf);
	const Elf64_Shdr *sections = (const void *)(elf->at + head->e_shoff);
	for (unsigned i = 0; i < head->e_shnum; i++)
		if ((sections[i].sh_type == SHT_SYMTAB || sections[i].sh_type == SHT_DYNSYM) &&
		    sections[i].sh_link < head->e_shnum &&
		    find_symbol(elf, &sections[i], &sections[sections[i].sh_link], name, address))
			return true;
	return false;
}

/* The address in the file of the section "tprof_roi", if it has at least `bytes`. */
static bool find_section(const struct elf *elf, size_t bytes, uint64_t *address)
{
	const Elf64_Ehdr *head = head_of(elf);
	const Elf64_Shdr *sections = (const void *)(elf->at + head->e_shoff);
	if (head->e_shstrndx >= head->e_shnum)
		return false;
	for (unsigned i = 0; i < head->e_shnum; i++)
		if (sections[i].sh_size >= bytes && (sections[i].sh_flags & SHF_ALLOC) &&
		    strcmp(text_of(elf, &sections[head->e_shstrndx], sections[i].sh_name),
			   "tprof_roi") == 0) {
			*address = sections[i].sh_addr;
			return true;
		}
	return false;
}

enum { RANGES = 1024, ENTRIES = 1024 };

/* Mapped pieces that were examined, including those without a file. */
static struct {
	uint64_t start, end;
} ranges[RANGES];
static unsigned n_ranges, last_range;

static struct {
	uint64_t pc;
	uint32_t region;
} entries[ENTRIES];
static unsigned n_entries;
static uint64_t host_offset; /* of the program's addresses in this process */
static bool maps_changed; /* by the program, since they were read */
static uint64_t hook; /* what tprof_roi_hook points to; 0 = nothing yet */

struct piece {
	uint64_t start, end, file_offset;
	char path[256];
};

static bool find_piece(uint64_t host, struct piece *piece)
{
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "re");
	bool found = false;
	while (maps && !found && fgets(line, sizeof(line), maps)) {
		unsigned long start, end, offset;
		int path = 0;
		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %n", &start, &end, &offset, &path) < 3 ||
		    host < start || host >= end)
			continue;
		found = true;
		*piece = (struct piece){ start, end, offset, "" };
		size_t len = path ? strcspn(line + path, "\n") : 0;
		if (len < sizeof(piece->path))
			memcpy(piece->path, line + path, len);
	}
	if (maps)
		fclose(maps);
	return found;
}

static void tell(struct tp_agent_shared *shared, const struct piece *piece)
{
	for (unsigned i = 0; i < shared->n_modules; i++) {
		const struct tp_agent_module *m = &shared->modules[i];
		if (m->start == piece->start && m->end == piece->end &&
		    strcmp(m->path, piece->path) == 0)
			return;
	}
	if (shared->n_modules == TP_AGENT_MODULES)
		return;
	struct tp_agent_module *m = &shared->modules[shared->n_modules];
	*m = (struct tp_agent_module){ .start = piece->start,
				       .end = piece->end,
				       .file_offset = piece->file_offset };
	memcpy(m->path, piece->path, sizeof(piece->path));
	shared->n_modules++;
}

static void set_hook(const struct elf *elf, uint64_t bias)
{
	uint64_t address;
	if (!hook || !find_section(elf, sizeof(hook), &address))
		return;
	struct iovec here = { &hook, sizeof(hook) };
	struct iovec there = { (void *)(uintptr_t)qemu_host(address + bias), sizeof(hook) };
	/* A write that fails leaves the program as it is. */
	if (process_vm_writev(getpid(), &here, 1, &there, 1, 0) != (ssize_t)sizeof(hook))
		return;
}

static void look(struct tp_agent_shared *shared, uint64_t pc, uint64_t host)
{
	struct piece piece;
	uint64_t bias;
	if (!find_piece(host, &piece))
		return;
	if (n_ranges == RANGES)
		n_ranges = 0;
	last_range = n_ranges++;
	ranges[last_range].start = piece.start - host_offset;
	ranges[last_range].end = piece.end - host_offset;
	if (piece.path[0] != '/' || pc < ranges[last_range].start)
		return;
	struct elf elf = open_elf(piece.path);
	if (elf.at) {
		/*
		 * `mov rbx, rax` ends in the byte of a return: no code jumps into the middle of
		 * one, so a thread there comes from the hook. Nearly every file has one.
		 */
		if (!hook) {
			static const unsigned char mov[] = { 0x48, 0x89, 0xc3 };
			const unsigned char *at = memmem((const void *)(uintptr_t)piece.start,
							 piece.end - piece.start, mov, sizeof(mov));

			hook = at ? (uint64_t)(uintptr_t)at + 2 - host_offset : 0;
		}
		/* qemu maps code without the right to execute it, so pieces hold data before it. */
		uint64_t offset = piece.file_offset + pc - ranges[last_range].start;
		if (find_bias(&elf, pc, offset, &bias)) {
			for (uint32_t i = 1; i <= shared->n_functions && i < TP_AGENT_REGIONS;
			     i++) {
				uint64_t address;
				if (n_entries == ENTRIES ||
				    !find_function(&elf, shared->regions[i], &address))
					continue;
				shared->function_found[i] = 1;
				entries[n_entries].pc = address + bias;
				entries[n_entries++].region = i;
			}
			set_hook(&elf, bias);
		}
		close_elf(&elf);
	}
	piece.start = ranges[last_range].start;
	piece.end = ranges[last_range].end;
	tell(shared, &piece);
}

/* Finds the file that holds the code at pc, which lies at `host` in this process; NULL = unknown.
 */
static void qemu_module(struct tp_agent_shared *shared, uint64_t pc, const void *host)
{
	if (__atomic_exchange_n(&maps_changed, false, __ATOMIC_RELAXED))
		n_ranges = 0;
	if (last_range < n_ranges && pc >= ranges[last_range].start && pc < ranges[last_range].end)
		return;
	for (unsigned i = 0; i < n_ranges; i++)
		if (pc >= ranges[i].start && pc < ranges[i].end) {
			last_range = i;
			return;
		}
	if (host) {
		host_offset = (uint64_t)(uintptr_t)host - pc;
		look(shared, pc, (uint64_t)(uintptr_t)host);
	}
}

/* 0 = none begins there */
static uint32_t qemu_region_at(uint64_t pc)
{
	/* The latest file that was mapped there. */
	for (unsigned i = n_entries; i > 0; i--)
		if (entries[i - 1].pc == pc)
			return entries[i - 1].region;
	return 0;
}

static bool qemu_is_hook(uint64_t pc)
{
	return pc == hook && hook != 0;
}

/* The program maps or unmaps memory. */
static void qemu_maps_changed(void)
{
	__atomic_store_n(&maps_changed, true, __ATOMIC_RELAXED);
}

/* where it lies in this process */
static uint64_t qemu_host(uint64_t address)
{
	return host_offset + address;
}

/*
 * A block, or the rest of one that begins where a region does. Never freed: translated code keeps
 * pointers to it.
 */
struct block {
	uint64_t pc;
	uint64_t key; /* of its bytes */
	uint64_t repeated; /* address of the string instruction that ends it; 0 = none */
	uint32_t counter;
	uint32_t region; /* that begins with it; 0 = none */
	bool alone; /* it consists of only that string instruction */
	bool marks; /* it is where tprof_roi_hook points to */
};

/* What is counted besides, for each access or each active lane. */
struct lanes {
	uint64_t pc;
	uint32_t counter;
	uint32_t lanes, lane_bytes, mask; /* masked loads: of vector register `mask` */
	bool stores; /* its stores are counted, else its loads */
};

enum { FRAMES = 1 << 14, OPEN = 1 << 12 };

/* Of a virtual CPU: what tprof need not see. */
struct vcpu {
	uint64_t repeated; /* of the block before */
	/*
	 * The last instruction that began and whose accesses are watched. qemu 7.2 goes on
	 * reporting accesses for an instruction that ended a block, when later ones use a helper.
	 */
	uint64_t watched;
	uint32_t n_dirty, n_frames, n_open,
		n_functions; /* open regions; how many of them are functions */
	uint32_t timed; /* 1 + the region whose clock runs; 0 = none */
	uint32_t dirty[TP_AGENT_COUNTERS]; /* counters that moved since they were settled */
	uint64_t frames[FRAMES]; /* where the return addresses lie, the innermost last */
	struct {
		uint32_t region;
		uint64_t frame; /* it ends when that return address is used; 0 = it is marked */
	} open[OPEN];
};

/* One for the process. */
struct state {
	char path[TP_AGENT_PATH]; /* of the shared file */
	char program[TP_AGENT_PATH];
	struct tp_agent_tree *tree;
	struct tp_agent_shared *shared;
	struct vcpu *vcpus[TP_AGENT_THREADS];
	uint32_t n_counters;
	struct tp_agent_unit *units; /* TP_AGENT_COUNTERS of them */
	uint32_t region_of_main;
	struct tp_agent_execution *executed; /* while it is about to */
};

/*
 * Registers, which version 1 of the interface does not offer, through functions that Debian's qemu
 * exports anyway. False: this qemu lacks them. General registers are right at the beginning of a
 * block, vector registers always.
 */
enum { RSI = 4, RDI = 5 };

static struct state state;

/* As documented in glib's manual. */
struct byte_array {
	uint8_t *data;
	unsigned len;
};

struct calls {
	void *(*cpu)(int index);
	int (*read_register)(void *cpu, struct byte_array *out, int number);
	void (*save_vectors)(void *cpu, void *out, uint32_t bytes);
	struct byte_array *(*new_array)(void);
	uint8_t *(*free_array)(struct byte_array *array, int with_data);
};

/* Where vectors lie in the image of XSAVE (Intel SDM, volume 1, chapter 13). */
enum { XSAVE_BYTES = 16384, XMM_AT = 160, YMM_HIGH_AT = 576, HALF_BYTES = 16 };

static struct calls find(void)
{
	struct calls c = { 0 };
	*(void **)&c.cpu = dlsym(RTLD_DEFAULT, "qemu_get_cpu");
	*(void **)&c.read_register = dlsym(RTLD_DEFAULT, "x86_cpu_gdb_read_register");
	*(void **)&c.save_vectors = dlsym(RTLD_DEFAULT, "x86_cpu_xsave_all_areas");
	*(void **)&c.new_array = dlsym(RTLD_DEFAULT, "g_byte_array_new");
	*(void **)&c.free_array = dlsym(RTLD_DEFAULT, "g_byte_array_free");
	return c;
}

static bool read_general(unsigned vcpu, unsigned number, uint64_t *value)
{
	struct calls c = find();
	if (!c.cpu || !c.read_register || !c.new_array || !c.free_array)
		return false;
	void *cpu = c.cpu((int)vcpu);
	struct byte_array *bytes = cpu ? c.new_array() : NULL;
	if (!bytes)
		return false;
	bool found = c.read_register(cpu, bytes, (int)number) == sizeof(*value) &&
		     bytes->len == sizeof(*value);
	if (found)
		memcpy(value, bytes->data, sizeof(*value));
	c.free_array(bytes, 1);
	return found;
}

/* Reports once how that affects the counts. */
static void say_no_registers(void)
{
	static const char words[] = "this qemu does not show registers to plug-ins: masked loads "
				    "count all their lanes, and marked regions are not seen";
	_Static_assert(sizeof(words) <= sizeof(state.shared->words), "they fit");
	if (!state.shared->words[0])
		memcpy(state.shared->words, words, sizeof(words));
}

static bool read_vector(unsigned vcpu, unsigned number, unsigned char bytes[32])
{
	struct calls c = find();
	unsigned char image[XSAVE_BYTES] __attribute__((aligned(64)));
	void *cpu = c.cpu && c.save_vectors ? c.cpu((int)vcpu) : NULL;
	if (!cpu || number >= 16)
		return false;
	c.save_vectors(cpu, image, sizeof(image));
	memcpy(bytes, image + XMM_AT + number * HALF_BYTES, HALF_BYTES);
	memcpy(bytes + HALF_BYTES, image + YMM_HIGH_AT + number * HALF_BYTES, HALF_BYTES);
	return true;
}

/* What runs when a block of the program does. */

/* NULL = it is not counted */
static struct vcpu *vcpu_of(unsigned vcpu)
{
	return vcpu < TP_AGENT_THREADS ? state.vcpus[vcpu] : NULL;
}

/* The first time since the counters were settled. */
static void __attribute__((noinline))
begin_counting(struct tp_agent_thread *t, struct vcpu *v, uint32_t counter)
{
	if (!t->units[counter].pc)
		t->units[counter] = state.units[counter];
	if (counter >= t->n_counters)
		t->n_counters = counter + 1;
	if (!t->tid)
		t->tid = (uint32_t)syscall(SYS_gettid);
	v->dirty[v->n_dirty++] = counter;
}

static void count(unsigned vcpu, struct vcpu *v, uint32_t counter, uint64_t times)
{
	struct tp_agent_thread *t = &state.shared->threads[vcpu];
	if (t->counts[counter] == t->settled[counter] && times)
		begin_counting(t, v, counter);
	t->counts[counter] += times;
}

/* Runs before an instruction whose accesses are watched. */
static void on_watched(unsigned vcpu, void *pc)
{
	struct vcpu *v = vcpu_of(vcpu);
	if (v)
		v->watched = (uint64_t)(uintptr_t)pc;
}

static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info,
		      uint64_t address __attribute__((unused)), void *data)
{
	const struct lanes *lanes = data;
	struct vcpu *v = vcpu_of(vcpu);
	/* A copy does both for each repetition. */
	if (v && v->watched == lanes->pc && qemu_plugin_mem_is_store(info) == lanes->stores)
		count(vcpu, v, lanes->counter, 1);
}

/* Runs before a masked load. */
static void on_masked(unsigned vcpu, void *data)
{
	const struct lanes *lanes = data;
	struct vcpu *v = vcpu_of(vcpu);
	unsigned char mask[32];
	uint64_t active = 0;
	if (!v)
		return;
	if (!read_vector(vcpu, lanes->mask, mask)) {
		say_no_registers();
		count(vcpu, v, lanes->counter, lanes->lanes);
		return;
	}
	for (uint32_t i = 0; i < lanes->lanes; i++)
		active += mask[(i + 1) * lanes->lane_bytes - 1] >> 7;
	count(vcpu, v, lanes->counter, active);
}

static void settle_vcpu(unsigned vcpu)
{
	struct tp_agent_thread *t = &state.shared->threads[vcpu];
	struct vcpu *v = state.vcpus[vcpu];
	uint64_t *mix = t->sums[t->region].mix;
	for (uint32_t i = 0; i < v->n_dirty; i++) {
		uint32_t counter = v->dirty[i];
		uint64_t times = t->counts[counter] - t->settled[counter];
		for (unsigned k = 0; k < TP_MIX_N; k++)
			mix[k] += times * t->units[counter].add[k];
		t->settled[counter] = t->counts[counter];
	}
	v->n_dirty = 0;
}

/*
 * Regions. A function begins with its first instruction and ends with the return that reads the
 * address of its call, wherever it stands: calls and returns show where their addresses lie on the
 * stack. Marked regions come through tprof_roi_hook.
 */

/* Addresses that are farther from each other lie on different stacks. */
static const uint64_t STACK_BYTES = 64 << 20;

enum { ROI_BEGINS = 1, ROI_ENDS = 2 };

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A frame at `inner` is given up when the stack is used from `address` on. */
static bool is_left(uint64_t inner, uint64_t address)
{
	return inner <= address && address - inner < STACK_BYTES;
}

/* Chooses where its counts go from now on. */

/*
 * Counts go to the innermost region from now on. A thread without one counts for that of the main
 * thread, so that a region around a parallel loop includes its workers.
 */
static void choose_region(unsigned vcpu)
{
	struct vcpu *v = state.vcpus[vcpu];
	uint32_t region = v->n_open ? v->open[v->n_open - 1].region : 0;
	if (vcpu == 0)
		__atomic_store_n(&state.region_of_main, region, __ATOMIC_RELAXED);
	else if (!v->n_open)
		region = __atomic_load_n(&state.region_of_main, __ATOMIC_RELAXED);
	if (region == state.shared->threads[vcpu].region)
		return;
	settle_vcpu(vcpu);
	state.shared->threads[vcpu].region = region;
}

/* The clock of the innermost region runs, and all others stand. */
static void time_innermost(unsigned vcpu)
{
	struct vcpu *v = state.vcpus[vcpu];
	struct tp_agent_sum *sums = state.shared->threads[vcpu].sums;
	uint32_t timed = v->n_open ? 1 + v->open[v->n_open - 1].region : 0;
	if (timed == v->timed)
		return;
	uint64_t now = now_ns();
	if (v->timed) {
		sums[v->timed - 1].time_ns += now - sums[v->timed - 1].entered_ns;
		sums[v->timed - 1].entered_ns = 0;
	}
	if (timed)
		sums[timed - 1].entered_ns = now;
	v->timed = timed;
}

static void open_region(unsigned vcpu, uint32_t region, uint64_t frame)
{
	struct vcpu *v = state.vcpus[vcpu];
	struct tp_agent_sum *sum = &state.shared->threads[vcpu].sums[region];
	sum->entries++;
	/* Deeper ones count for it, and end with it. */
	if (v->n_open == OPEN)
		return;
	sum->open++;
	v->open[v->n_open].region = region;
	v->open[v->n_open++].frame = frame;
	v->n_functions += frame != 0;
	time_innermost(vcpu);
	choose_region(vcpu);
}

static void close_region(unsigned vcpu, uint32_t i)
{
	struct vcpu *v = state.vcpus[vcpu];
	uint32_t region = v->open[i].region;
	struct tp_agent_sum *sum = &state.shared->threads[vcpu].sums[region];
	v->n_functions -= v->open[i].frame != 0;
	v->n_open--;
	memmove(&v->open[i], &v->open[i + 1], (v->n_open - i) * sizeof(v->open[0]));
	sum->exits++;
	sum->open--;
	time_innermost(vcpu);
}

static void on_call(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *pc)
{
	struct vcpu *v = vcpu_of(vcpu);
	if (!v || v->watched != (uint64_t)(uintptr_t)pc || !qemu_plugin_mem_is_store(info))
		return;
	while (v->n_frames && is_left(v->frames[v->n_frames - 1], address))
		v->n_frames--;
	if (v->n_frames == FRAMES) {
		/* The outer half is forgotten; only tail calls need it. */
		v->n_frames /= 2;
		memmove(v->frames, v->frames + v->n_frames, v->n_frames * sizeof(v->frames[0]));
	}
	v->frames[v->n_frames++] = address;
}

static void on_return(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *pc)
{
	struct vcpu *v = vcpu_of(vcpu);
	if (!v || v->watched != (uint64_t)(uintptr_t)pc || qemu_plugin_mem_is_store(info))
		return;
	while (v->n_frames && is_left(v->frames[v->n_frames - 1], address))
		v->n_frames--;
	if (!v->n_functions)
		return;
	for (uint32_t i = v->n_open; i-- > 0;) {
		if (!v->open[i].frame)
			continue;
		if (!is_left(v->open[i].frame, address))
			break;
		close_region(vcpu, i);
	}
	choose_region(vcpu);
}

static void enter_region(unsigned vcpu, uint32_t region)
{
	const struct vcpu *v = state.vcpus[vcpu];
	/* A function that was not called never returns. */
	open_region(vcpu, region, v->n_frames ? v->frames[v->n_frames - 1] : UINT64_MAX);
}

/* --- marked regions --- */

/* A text of the program, which may lie anywhere. */
static bool read_text(uint64_t address, char text[TP_AGENT_NAME])
{
	const size_t page = 4096;
	size_t n = 0;
	memset(text, 0, TP_AGENT_NAME);
	while (n < TP_AGENT_NAME - 1 && !memchr(text, 0, n)) {
		uint64_t at = qemu_host(address + n);
		size_t piece = page - at % page;
		if (piece > TP_AGENT_NAME - 1 - n)
			piece = TP_AGENT_NAME - 1 - n;
		struct iovec here = { text + n, piece };
		struct iovec there = { (void *)(uintptr_t)at, piece };
		if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != (ssize_t)piece)
			return n > 0;
		n += piece;
	}
	return true;
}

/* 0 = there is no room. */
static uint32_t region_of(const char *name)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct tp_agent_shared *shared = state.shared;
	uint32_t i;
	pthread_mutex_lock(&lock);
	for (i = 1; i < shared->n_regions && strcmp(shared->regions[i], name) != 0; i++)
		;
	if (i == TP_AGENT_REGIONS) {
		shared->lost_regions++;
		i = 0;
	} else if (i == shared->n_regions) {
		strcpy(shared->regions[i], name);
		shared->n_regions++;
	}
	pthread_mutex_unlock(&lock);
	return i;
}

/* The program calls tprof_roi_hook. */
static void mark_region(unsigned vcpu)
{
	struct vcpu *v = state.vcpus[vcpu];
	uint64_t what, address;
	char name[TP_AGENT_NAME];
	if (!read_general(vcpu, RDI, &what) || !read_general(vcpu, RSI, &address)) {
		say_no_registers();
		return;
	}
	if (!read_text(address, name))
		return;
	uint32_t region = region_of(name);
	if (region && (uint32_t)what == ROI_BEGINS) {
		open_region(vcpu, region, 0);
	} else if (region && (uint32_t)what == ROI_ENDS) {
		uint32_t i = v->n_open;
		while (i > 0 && (v->open[i - 1].region != region || v->open[i - 1].frame))
			i--;
		if (i)
			close_region(vcpu, i - 1);
		else
			__atomic_add_fetch(&state.shared->unbalanced, 1, __ATOMIC_RELAXED);
		choose_region(vcpu);
	}
}

static void on_block(unsigned vcpu, void *data)
{
	const struct block *block = data;
	struct vcpu *v = vcpu_of(vcpu);
	if (!v)
		return;
	/* qemu runs a block for each repetition, and once more at the end. */
	bool goes_on = block->alone && v->repeated == block->pc;
	v->repeated = block->repeated;
	v->watched = 0;
	if (goes_on)
		return;
	if (block->marks) {
		mark_region(vcpu);
		return;
	}
	if (block->region)
		enter_region(vcpu, block->region);
	else if (!v->n_open && state.shared->threads[vcpu].region !=
				       __atomic_load_n(&state.region_of_main, __ATOMIC_RELAXED))
		choose_region(vcpu);
	count(vcpu, v, block->counter, 1);
}

static void end_thread(unsigned vcpu)
{
	struct vcpu *v = state.vcpus[vcpu];
	while (v->n_open) {
		if (!v->open[v->n_open - 1].frame)
			__atomic_add_fetch(&state.shared->unended, 1, __ATOMIC_RELAXED);
		close_region(vcpu, v->n_open - 1);
	}
	choose_region(vcpu);
	v->n_frames = 0;
	v->repeated = 0;
	v->watched = 0;
}

/* What qemu translates, instrumented: which counters each block moves. */

/* Blocks by their first address; those of the same address follow each other. */
static struct block **blocks;
static size_t n_blocks, n_places; /* a power of two */

static uint64_t mixed(uint64_t x)
{
	x *= UINT64_C(0x9e3779b97f4a7c15);
	return x ^ x >> 29;
}

static bool grow(void)
{
	size_t n = n_places ? n_places * 2 : 4096;
	struct block **places = calloc(n, sizeof(struct block *));
	if (!places)
		return false;
	for (size_t i = 0; i < n_places; i++) {
		if (!blocks[i])
			continue;
		size_t at = mixed(blocks[i]->pc) & (n - 1);
		while (places[at])
			at = (at + 1) & (n - 1);
		places[at] = blocks[i];
	}
	free(blocks);
	blocks = places;
	n_places = n;
	return true;
}

/* The block with these bytes, if need be a new one, whose counter is 0. NULL = no memory. */
static struct block *block_of(uint64_t pc, uint64_t key)
{
	if (n_blocks * 2 >= n_places && !grow())
		return NULL;
	size_t at = mixed(pc) & (n_places - 1);
	for (; blocks[at]; at = (at + 1) & (n_places - 1))
		if (blocks[at]->pc == pc && blocks[at]->key == key)
			return blocks[at];
	struct block *block = calloc(1, sizeof(*block));
	if (!block)
		return NULL;
	block->pc = pc;
	block->key = key;
	blocks[at] = block;
	n_blocks++;
	return block;
}

/* Counts without room are dropped, and reported. */
static uint32_t new_counter(const uint32_t add[TP_MIX_N], uint64_t pc, uint32_t bytes)
{
	if (state.n_counters == TP_AGENT_COUNTERS) {
		snprintf(state.shared->words, sizeof(state.shared->words),
			 "it has more than %d blocks of code: some were not counted",
			 TP_AGENT_COUNTERS);
		return 0;
	}
	struct tp_agent_unit *unit = &state.units[state.n_counters];
	memcpy(unit->add, add, sizeof(unit->add));
	unit->pc = pc;
	unit->bytes = bytes;
	return state.n_counters++;
}

struct instruction {
	struct qemu_plugin_insn *insn;
	uint64_t pc;
	uint32_t bytes;
	bool decoded;
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	struct tp_mix_instruction mix;
};

/* False: qemu took the last instruction back because it goes on in the next page. */
static bool decode(struct qemu_plugin_insn *insn, struct instruction *out)
{
	ZydisDecoder decoder;
	const void *data = qemu_plugin_insn_data(insn);
	size_t bytes = qemu_plugin_insn_size(insn);
	out->insn = insn;
	out->pc = qemu_plugin_insn_vaddr(insn);
	out->bytes = (uint32_t)bytes;
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	ZyanStatus status = ZydisDecoderDecodeFull(&decoder, data, bytes, &out->in, out->operands);
	out->decoded = ZYAN_SUCCESS(status);
	if (out->decoded) {
		tp_mix_x86(&out->in, out->operands, &out->mix);
		return true;
	}
	out->mix = (struct tp_mix_instruction){ .times = TP_MIX_NEVER };
	out->mix.once[TP_MIX_INSTRUCTIONS] = 1;
	out->mix.once[TP_MIX_OTHER] = 1;
	out->mix.once[TP_MIX_ISA_OTHER] = 1;
	return status != ZYDIS_STATUS_NO_MORE_DATA;
}

/* --- what repeats, or depends on a mask --- */

static struct lanes *lanes_of(const struct instruction *i, uint32_t accesses)
{
	struct lanes *lanes = calloc(1, sizeof(*lanes));
	uint32_t add[TP_MIX_N];
	if (!lanes)
		return NULL;
	for (unsigned k = 0; k < TP_MIX_N; k++)
		add[k] = i->mix.each[k] / accesses;
	lanes->pc = i->pc;
	lanes->counter = new_counter(add, i->pc, i->bytes);
	lanes->lanes = i->mix.lanes;
	lanes->lane_bytes = i->mix.lane_bytes;
	lanes->mask = i->mix.mask;
	lanes->stores = i->mix.each[TP_MIX_BYTES_STORED] > 0;
	return lanes;
}

static void watch_accesses(const struct instruction *i)
{
	/* A string instruction may read two operands for each repetition. */
	bool compares =
		i->mix.times == TP_MIX_REPEATS && i->in.meta.category == ZYDIS_CATEGORY_STRINGOP &&
		(i->in.mnemonic == ZYDIS_MNEMONIC_CMPSB || i->in.mnemonic == ZYDIS_MNEMONIC_CMPSW ||
		 i->in.mnemonic == ZYDIS_MNEMONIC_CMPSD || i->in.mnemonic == ZYDIS_MNEMONIC_CMPSQ);
	struct lanes *lanes = lanes_of(i, compares ? 2 : 1);
	if (!lanes)
		return;
	bool is_gather = i->mix.once[TP_MIX_GATHERS] > 0;
	if (i->mix.times == TP_MIX_SIGNS && !is_gather && !lanes->stores) {
		qemu_plugin_register_vcpu_insn_exec_cb(i->insn, on_masked, QEMU_PLUGIN_CB_NO_REGS,
						       lanes);
		return;
	}
	qemu_plugin_register_vcpu_insn_exec_cb(i->insn, on_watched, QEMU_PLUGIN_CB_NO_REGS,
					       (void *)(uintptr_t)i->pc);
	qemu_plugin_register_vcpu_mem_cb(i->insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
					 QEMU_PLUGIN_MEM_RW, lanes);
}

static void watch_calls(const struct instruction *i)
{
	qemu_plugin_vcpu_mem_cb_t cb = i->in.meta.category == ZYDIS_CATEGORY_CALL  ? on_call
				       : i->in.meta.category == ZYDIS_CATEGORY_RET ? on_return
										   : NULL;
	if (!cb)
		return;
	qemu_plugin_register_vcpu_insn_exec_cb(i->insn, on_watched, QEMU_PLUGIN_CB_NO_REGS,
					       (void *)(uintptr_t)i->pc);
	qemu_plugin_register_vcpu_mem_cb(i->insn, cb, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
					 (void *)(uintptr_t)i->pc);
}

/* --- blocks --- */

/* A part of a block whose instructions execute together. */
struct part {
	struct qemu_plugin_tb *tb; /* NULL = it begins in the middle of a block */
	struct qemu_plugin_insn *first;
	uint64_t pc, key, repeated;
	uint32_t bytes, n;
	uint32_t add[TP_MIX_N];
};

static void end_part(struct part *part)
{
	struct block *block = part->n ? block_of(part->pc, part->key) : NULL;
	if (!block)
		return;
	if (!block->counter)
		block->counter = new_counter(part->add, part->pc, part->bytes);
	block->repeated = part->repeated;
	block->alone = part->n == 1 && part->repeated;
	block->region = qemu_region_at(part->pc);
	block->marks = qemu_is_hook(part->pc);
	if (part->tb)
		qemu_plugin_register_vcpu_tb_exec_cb(part->tb, on_block, QEMU_PLUGIN_CB_NO_REGS,
						     block);
	else
		qemu_plugin_register_vcpu_insn_exec_cb(part->first, on_block,
						       QEMU_PLUGIN_CB_NO_REGS, block);
}

static void on_translation(qemu_plugin_id_t id __attribute__((unused)), struct qemu_plugin_tb *tb)
{
	struct part part = { .tb = tb };
	size_t n = qemu_plugin_tb_n_insns(tb);
	for (size_t i = 0; i < n; i++) {
		struct instruction one;
		if (!decode(qemu_plugin_tb_get_insn(tb, i), &one) && i > 0 && i + 1 == n)
			break;
		if (i == 0)
			qemu_module(state.shared, one.pc, qemu_plugin_insn_haddr(one.insn));
		if (part.n && qemu_region_at(one.pc)) {
			end_part(&part);
			part = (struct part){ 0 };
		}
		const unsigned char *data = qemu_plugin_insn_data(one.insn);
		if (!part.n) {
			part.first = one.insn;
			part.pc = one.pc;
		}
		part.n++;
		part.bytes += one.bytes;
		for (unsigned k = 0; k < TP_MIX_N; k++)
			part.add[k] += one.mix.once[k];
		for (uint32_t k = 0; k < one.bytes; k++)
			part.key = mixed(part.key + data[k] + 1);
		part.repeated = one.mix.times == TP_MIX_REPEATS ? one.pc : 0;
		if (one.mix.times != TP_MIX_NEVER)
			watch_accesses(&one);
		if (one.decoded && state.shared->n_functions)
			watch_calls(&one);
	}
	end_part(&part);
	state.shared->blocks++;
}

int qemu_plugin_version = TP_QEMU_API;

/* System calls of x86-64, and where their results lie. */
enum { SYSCALL_MMAP = 9, SYSCALL_MUNMAP = 11, SYSCALL_EXECVE = 59, SYSCALL_EXECVEAT = 322 };

static void *reserve(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

static void on_vcpu(qemu_plugin_id_t id __attribute__((unused)), unsigned vcpu)
{
	struct tp_agent_shared *shared = state.shared;
	if (vcpu < TP_AGENT_THREADS && !state.vcpus[vcpu])
		state.vcpus[vcpu] = reserve(sizeof(struct vcpu));
	if (!vcpu_of(vcpu)) {
		__atomic_add_fetch(&shared->lost_threads, 1, __ATOMIC_RELAXED);
		return;
	}
	shared->threads[vcpu].runs++;
	if (vcpu >= shared->n_threads)
		shared->n_threads = vcpu + 1;
}

static void on_vcpu_end(qemu_plugin_id_t id __attribute__((unused)), unsigned vcpu)
{
	if (!vcpu_of(vcpu))
		return;
	settle_vcpu(vcpu);
	end_thread(vcpu);
}

static void note_execution(void)
{
	for (unsigned i = 0; i < TP_AGENT_PROCESSES; i++) {
		struct tp_agent_execution *it = &state.tree->executed[i];
		uint32_t free = 0;
		if (!__atomic_compare_exchange_n(&it->pid, &free, state.shared->pid, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		strcpy(it->path, "(a program that was executed)");
		state.executed = it;
		state.shared->executes = 1;
		return;
	}
}

static void drop_execution(void)
{
	if (state.executed)
		__atomic_store_n(&state.executed->pid, 0, __ATOMIC_RELEASE);
	state.executed = NULL;
	state.shared->executes = 0;
}

static void on_syscall(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2,
		       uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
	(void)id, (void)vcpu;
	(void)a1, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
	/* On success it never returns, and the new image is not qemu's. */
	if (number == SYSCALL_EXECVE || number == SYSCALL_EXECVEAT)
		note_execution();
}

static void on_syscall_end(qemu_plugin_id_t id, unsigned vcpu, int64_t number, int64_t result)
{
	(void)id, (void)vcpu, (void)result;
	if (number == SYSCALL_EXECVE || number == SYSCALL_EXECVEAT)
		drop_execution();
	else if (number == SYSCALL_MMAP || number == SYSCALL_MUNMAP)
		qemu_maps_changed();
}

static void on_end(qemu_plugin_id_t id, void *data)
{
	(void)id, (void)data;
	state.shared->state = TP_AGENT_ENDED;
	state.shared->ended_ns = now_ns();
}

/* The tree's data for a place, and the beginning of every place. */
static void fill_place(struct tp_agent_shared *shared)
{
	const struct tp_agent_tree *tree = state.tree;
	shared->pid = (uint32_t)getpid();
	shared->mode = tree->mode;
	shared->n_functions = tree->n_functions;
	shared->n_regions = 1 + tree->n_functions;
	memcpy(shared->regions, tree->functions, sizeof(shared->regions));
	shared->started_ns = now_ns();
	shared->state = TP_AGENT_RUNNING;
}

/* A part of the file; at `where`, if that is not NULL. */
static void *map_part(void *where, int fd, size_t bytes, uint64_t offset)
{
	void *at = mmap(where, bytes, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_NORESERVE | (where ? MAP_FIXED : 0), fd, (off_t)offset);
	return at == MAP_FAILED ? NULL : at;
}

/* The first free place, mapped at `where`; NULL = all are in use. */
static struct tp_agent_shared *take_place(int fd, void *where)
{
	for (unsigned i = 0; i < TP_AGENT_PROCESSES; i++) {
		uint32_t free = 0;
		if (__atomic_compare_exchange_n(&state.tree->taken[i], &free, (uint32_t)getpid(),
						false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return map_part(where, fd, sizeof(struct tp_agent_shared),
					TP_AGENT_PLACE_AT(i));
	}
	return NULL;
}

/* A child counts in its own place; without one its counts are lost. */
static void in_child(void)
{
	static struct tp_agent_module modules[TP_AGENT_MODULES];
	struct tp_agent_shared *shared = state.shared;
	uint32_t n_modules = shared->n_modules;
	int fd = open(state.path, O_RDWR | O_CLOEXEC);
	memcpy(modules, shared->modules, sizeof(modules));
	if (fd < 0 || !take_place(fd, shared)) {
		__atomic_add_fetch(&state.tree->lost, 1, __ATOMIC_RELAXED);
		if (mmap(shared, sizeof(*shared), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
			 0) == MAP_FAILED)
			_exit(127);
	}
	if (fd >= 0)
		close(fd);
	fill_place(shared);
	memcpy(shared->program, state.program, sizeof(shared->program));
	memcpy(shared->modules, modules, sizeof(modules));
	shared->n_modules = n_modules;
	shared->n_threads = 1;
	shared->threads[0].runs = 1;
	state.region_of_main = 0;
	for (unsigned i = 0; i < TP_AGENT_THREADS; i++)
		if (state.vcpus[i])
			memset(state.vcpus[i], 0, offsetof(struct vcpu, dirty));
}

/* The beginning of the file, and a place for this process. */
static bool map_shared(const char *path)
{
	struct stat about;
	int fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || strlen(path) >= sizeof(state.path))
		return false;
	strcpy(state.path, path);
	if (fstat(fd, &about) == 0 && about.st_size >= (off_t)TP_AGENT_FILE_BYTES)
		state.tree = map_part(NULL, fd, sizeof(*state.tree), 0);
	if (state.tree && state.tree->magic == TP_AGENT_MAGIC &&
	    state.tree->version == TP_AGENT_VERSION &&
	    state.tree->bytes_of_mix == sizeof(state.shared->threads[0].sums[0].mix) &&
	    state.tree->n_functions < TP_AGENT_REGIONS)
		state.shared = take_place(fd, NULL);
	close(fd);
	if (!state.shared)
		return false;
	fill_place(state.shared);
	/* It was noted as not followed until now. */
	memcpy(state.program, state.tree->executed[0].path, sizeof(state.program));
	memcpy(state.shared->program, state.program, sizeof(state.program));
	state.tree->executed[0].pid = 0;
	return true;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	const char *path = NULL;
	static const char option[] = "shared=";
	for (int i = 0; i < argc; i++)
		if (strncmp(argv[i], option, sizeof(option) - 1) == 0)
			path = argv[i] + sizeof(option) - 1;
	if (info->system_emulation || strcmp(info->target_name, "x86_64") != 0) {
		fprintf(stderr, "tprof: the plug-in counts programs for x86-64, not %s%s\n",
			info->target_name, info->system_emulation ? " systems" : "");
		return 1;
	}
	if (!path || !map_shared(path)) {
		fprintf(stderr, "tprof: the plug-in needs shared=FILE, a file that tprof made\n");
		return 1;
	}
	state.units = reserve(TP_AGENT_COUNTERS * sizeof(*state.units));
	if (!state.units || pthread_atfork(NULL, NULL, in_child) != 0)
		return 1;
	state.n_counters = 1; /* counter 0 adds nothing: it is for what has no room */
	state.units[0].pc = 1;
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu);
	qemu_plugin_register_vcpu_exit_cb(id, on_vcpu_end);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_vcpu_syscall_cb(id, on_syscall);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, on_syscall_end);
	qemu_plugin_register_atexit_cb(id, on_end, NULL);
	return 0;
}
