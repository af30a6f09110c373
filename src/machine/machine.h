/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An immutable description of the machine that a run is measured on or planned for: facts from
 * hwloc and the CPU, a named model of its cores, and the theoretical roofs that follow.
 */
#ifndef TPROF_MACHINE_MACHINE_H
#define TPROF_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"
#include "base/memory.h"
#include "base/named.h"
#include "base/status.h"
#include "base/str.h"

enum {
	TP_CACHE_LEVELS = 4,
	TP_MODEL_ISAS = 12,
	TP_CPU_KINDS = 8,
	TP_MODEL_MATCHES = 128,
	TP_MODEL_WORDS = 8
}; /* cache[1..3] are L1d, L2, L3; [0] unused */

struct tp_cache {
	/*
	 * effective capacity of one instance: user-given (a measured one, when the user adopts it),
	 * else reported, else the model's; 0 = no such cache
	 */
	uint64_t size_bytes;
	uint64_t reported_bytes; /* hwloc; 0 = not reported */
	uint64_t given_bytes; /* user (cache_size.L1 ...) or 0 */
	/* the named model's figure or 0: used if nothing is reported */
	uint64_t model_bytes;
	unsigned line_bytes; /* 64 unless reported */
	unsigned ways; /* 0 = unknown */
	unsigned sharing_cores; /* cores that share one instance, at least 1 */
	unsigned sharing_pus;
	unsigned instances; /* in the whole machine */
};

/* A hardware thread. Order in tp_machine.pus: by logical index (package, core, SMT rank). */
struct tp_pu {
	unsigned os_index;
	unsigned core; /* logical core index in the machine */
	unsigned smt_rank; /* 0 = first hardware thread of its core */
	unsigned package; /* logical index */
	unsigned numa; /* OS number of the nearest memory node (the first of several) */
	unsigned cache[TP_CACHE_LEVELS]; /* which instance of L1d, L2, L3 it uses, counted from 0 */
	unsigned kind; /* of tp_machine.kinds */
	bool allowed; /* this process may run there (cpuset, cgroup) */
};

/* Cores of a hybrid CPU that are alike. */
struct tp_cpu_kind {
	char name[24]; /* as the kernel calls it: "IntelAtom", "capacity 446"; or empty */
	unsigned n_pus, n_cores;
	struct tp_cache cache[TP_CACHE_LEVELS]; /* the caches of its first core */
};

/* A memory node. memory_bytes 0 = unknown. */
struct tp_numa_node {
	unsigned os_index;
	uint64_t memory_bytes;
	unsigned n_pus; /* hardware threads near it */
	char kind[16]; /* "HBM", "DRAM", ... as hwloc calls it; or empty */
	bool apart; /* memory only: a first touch by a CPU never allocates there */
	uint64_t cache_bytes; /* of the cache before it on the memory's side; 0 = none */
};

/* Per core, per cycle capabilities of one ISA in a named model. 0 = unknown. */
struct tp_model_isa {
	char name[16];
	unsigned vector_bytes; /* width of one memory operand in double precision */
	double loads_per_cycle; /* load instructions of that width */
	double stores_per_cycle;
	double mem_per_cycle; /* loads and stores together; 0 = loads + stores */
	/* the same, as far as any code was seen to come where both mix; 0 = as far as ports go */
	double mem_reached_per_cycle;
	double stores_reached_per_cycle; /* the same of stores */
	double load_cost,
		/*
		 * optional shared-resource bound: cycles >= loads*load_cost + stores*store_cost; 0
		 * = none
		 */
		store_cost;
	double fma_per_cycle, add_per_cycle, mul_per_cycle, div_per_cycle, div_single_per_cycle;
	/* all FP instructions together (bounds fma+add); 0 = unknown, then max of the units */
	double fp_per_cycle;
	/* Peaks in narrow precisions and of matrices, FLOP a cycle; a multiply-add counts as two. 0
	 * = none */
	double double_tile_flop_per_cycle, single_tile_flop_per_cycle;
	double half_fma_flop_per_cycle, half_tile_flop_per_cycle;
	double bf16_dot_flop_per_cycle, bf16_tile_flop_per_cycle;
	double int8_dot_flop_per_cycle, int8_tile_flop_per_cycle;
};

/* Words of a model file: [a, b], or a single word. */
struct tp_model_words {
	char at[TP_MODEL_WORDS][32];
	size_t n;
};

struct tp_model {
	char name[48]; /* file name without .yaml: "zen4" */
	char title[96]; /* "AMD Zen 4 (Genoa, EPYC 9004)" */
	char vendor[32], arch[16];
	char path[TP_PATH_MAX];
	double nominal_ghz; /* 0 = unknown */
	double additions_per_cycle; /* independent integer ones, of a whole core; 0 = unknown */
	unsigned sockets, cores_per_socket,
		threads_per_core; /* of the reference system, 0 = unknown */
	uint64_t cache_bytes[TP_CACHE_LEVELS];
	/* cores that share an instance; 0: L1 and L2 one, L3 a socket's */
	unsigned cache_cores[TP_CACHE_LEVELS];
	unsigned memory_channels; /* per socket, 0 = unknown */
	double memory_mts; /* million transfers per second per channel */
	/*
	 * Measured on an undisturbed core of such a machine; 0 = unknown. Cycles and ns are those
	 * of a load in a chain of loads, bandwidths those of loads by one core.
	 */
	struct {
		double ghz;
		double l1_cycles, l2_cycles, l3_ns, memory_ns;
		double l2_bytes_per_cycle, l3_gbps, memory_gbps;
	} typical;
	struct tp_model_isa isas[TP_MODEL_ISAS];
	size_t n_isas;
	/*
	 * The CPUs that the model describes, by what they call themselves. Every given part must
	 * match: lists of x86 display models, substrings of hwloc's CPUModel, arm part numbers.
	 */
	struct tp_model_words match_vendors; /* one of them */
	int match_family; /* -1 = any */
	int match_models[TP_MODEL_MATCHES];
	size_t n_match_models;
	int match_stepping[2]; /* from, to; -1, -1 = any */
	struct tp_model_words match_brands; /* one of them occurs in the brand text */
	/*
	 * How to recognise such a CPU if family and model are masked or not known yet: names of
	 * tp_cpu.features, all of them, and reported capacities; 0 = any.
	 */
	struct tp_model_words look_features;
	uint64_t look_bytes[TP_CACHE_LEVELS]; /* L1 and L2: exactly this */
	uint64_t look_l3_min, look_l3_max;
	char reached_source[96]; /* source of *_reached_per_cycle, for readers */
	struct tp_model_words lacks; /* features that most CPUs of the architecture have */
};

/* How the model of a machine was found. */
enum tp_model_found {
	TP_MODEL_NONE,
	TP_MODEL_CHOSEN, /* the user named it */
	TP_MODEL_MATCHED, /* by what the CPU calls itself */
	TP_MODEL_LOOKS_LIKE, /* by features and caches: a good guess */
};

struct tp_machine {
	char hostname[64];
	char cpu_name[96];
	/* of this host; for a foreign topology: from its description, features empty */
	struct tp_cpu cpu;
	bool foreign; /* not this machine: nothing can be bound to it */
	/* the regime of the simulation that measures it (measure/simulation.h); empty = none */
	char simulated[24];
	char source[TP_PATH_MAX]; /* "this machine", "synthetic:...", path of an XML file */
	unsigned n_packages, n_cores, n_numa;
	struct tp_pu *pus;
	size_t n_pus, n_allowed;
	/* processes that measure here at once, each on its own n_allowed CPUs; 0 = 1 */
	unsigned sharers;
	struct tp_numa_node *nodes; /* n_numa of them, by OS number */
	struct tp_cache cache[TP_CACHE_LEVELS]; /* the caches of the first allowed CPU */
	/* From the least to the most powerful; n_kinds 0: all cores are alike. */
	struct tp_cpu_kind kinds[TP_CPU_KINDS];
	size_t n_kinds;
	/* physical (MemTotal of /proc/meminfo here); 0 = unknown (a foreign machine without it) */
	uint64_t memory_bytes;
	/* usable by this process: MemAvailable, lowered by a cgroup limit */
	uint64_t available_bytes;
	uint64_t page_bytes, huge_page_bytes;
	char thp[16]; /* always, madvise, never, or empty when unknown */
	uint64_t hugetlb_free; /* free preallocated huge pages */
	char governor[32]; /* cpufreq governor of the first allowed CPU, or empty */
	int turbo; /* 1 on, 0 off, -1 unknown */
	double max_ghz; /* highest clock of the first allowed CPU, by cpufreq; 0 = unknown */
	char microcode[32]; /* "0x2b000590", or empty: none, or a hypervisor hides it */
	char firmware[64]; /* version of the BIOS and its date, or empty */
	char kernel[96]; /* uname -sr */
	char container[32]; /* docker, lxc, ... or empty */
	struct tp_model model; /* the named model; model.name empty = none known */
	enum tp_model_found model_found;
};

/*
 * Detects this machine (topology NULL or "") or loads a foreign one: "synthetic:pack:2 core:64
 * pu:2" or an hwloc XML file. `cpu` is what the architecture folder found for this host; it is
 * borrowed for the call. `model`: "detected" (match by vendor, family, model; where none fits, by
 * features and caches), a name under presets/machines (or in the user's data directory), or a path.
 * `given_bytes[1..3]`: capacities that the user gives, or 0; may be NULL.
 */
/*
 * TP_USAGE or TP_NOTFOUND when the topology or the model is wrong; the machine is then empty. The
 * present affinity mask of the process decides which CPUs are allowed, so call this before any
 * pinning. A synthetic description has no architecture: cpu.arch is then the model's, or else this
 * host's, with its features. Foreign machines are assumed to have pages of 4 KiB and 2 MiB.
 */
enum tp_status tp_machine_init(struct tp_machine *machine, const struct tp_cpu *cpu,
			       const char *topology, const char *model,
			       const uint64_t given_bytes[TP_CACHE_LEVELS], struct tp_diag *diag);
void tp_machine_release(struct tp_machine *machine);

/*
 * The reference system of a named model: its sockets, cores and hardware threads, with the model's
 * caches. It is foreign.
 */
enum tp_status tp_machine_reference(struct tp_machine *machine, const struct tp_cpu *cpu,
				    const char *model, const uint64_t given_bytes[TP_CACHE_LEVELS],
				    struct tp_diag *diag);
/*
 * Measuring the machine means simulating it. It is foreign from then on, even if it is this one,
 * and loses facts that hold only for this host.
 */
void tp_machine_simulate(struct tp_machine *machine, const char *regime);

/*
 * Chooses CPUs for `n` threads. affinity: "compact" (fill a package's cores, then the next package,
 * then SMT siblings), "scatter" (round robin over packages, then NUMA nodes, one per core before
 * SMT siblings), "kind:N" (compact, on the N-th kind of cores), or a list "0,2-5" of OS numbers
 * (exactly n or more are needed; the first n are used). Writes OS numbers to cpus[n]. TP_USAGE with
 * words on: more threads than allowed CPUs, CPU not allowed or not there, malformed list.
 */
enum tp_status tp_machine_place(const struct tp_machine *machine, const char *affinity, size_t n,
				unsigned *cpus, struct tp_diag *diag);

/* One of the `of` sockets or NUMA nodes of a machine that have CPUs, counted from 0. */
enum tp_domain_kind { TP_DOMAIN_SOCKET, TP_DOMAIN_NUMA };
enum { TP_DOMAINS_MAX = 1024 };
struct tp_domain {
	enum tp_domain_kind kind;
	unsigned index, of;
};
const char *tp_domain_word(enum tp_domain_kind kind); /* "socket", "numa" */
bool tp_domain_parse(const char *text, struct tp_domain *part); /* "socket:0/2" */
/*
 * Its CPUs that this process may use: pus[machine->n_pus], borrowed. TP_USAGE: the machine has
 * fewer such parts; TP_RESOURCE: the process may use none of these CPUs.
 */
enum tp_status tp_machine_domain(const struct tp_machine *machine, const struct tp_domain *part,
				 const struct tp_pu **pus, size_t *n, struct tp_diag *diag);
/* Keeps this process, which has one thread, and its children to those CPUs and their memory. */
enum tp_status tp_machine_keep_to(const struct tp_domain *part, struct tp_diag *diag);

/*
 * Capacity of cache `level` (1..3) that each thread gets with `threads` threads placed one per core
 * first: private caches whole, shared ones divided by the most threads that share one instance
 * under "compact". 0 if there is no such cache.
 */
uint64_t tp_machine_share(const struct tp_machine *machine, int level, size_t threads);
/* The cache before the memory that programs touch first, in bytes; 0 = none. */
uint64_t tp_machine_side_cache(const struct tp_machine *machine);
/*
 * May programs flush single lines from the caches to memory, and soon enough to do it for every
 * window? Not if a memory-side cache would keep them.
 */
bool tp_machine_flushes(const struct tp_machine *machine);
/*
 * Appends the i-th part that a description of the machine names: "kind:0 IntelAtom, 8 cores, L1d 32
 * KiB, L2 2 MiB shared by 4 cores" of a hybrid CPU; "node 1 HBM 16 GiB, no CPUs, behind a cache of
 * 4 GiB" where nodes differ. False after the last.
 */
bool tp_machine_part(const struct tp_machine *machine, size_t i, struct tp_str *out);
/* Memory-only, of a named kind, or with a cache before it. */
static inline bool tp_machine_node_is_special(const struct tp_numa_node *node)
{
	return node->apart || node->cache_bytes || *node->kind;
}
/* Where a team runs, in words: cpu_kind and memory of a point (record/point.h). */
void tp_machine_team_words(const struct tp_machine *machine, const unsigned *cpus, unsigned n,
			   char *kind, size_t kind_bytes, char *memory, size_t memory_bytes);
/*
 * A share of the memory that may be used; INFINITY for another machine whose description gives no
 * memory.
 */
double tp_machine_room_bytes(const struct tp_machine *machine, double share);

/*
 * Memory that this process may still take: of the machine, its cgroups, and the limit of the
 * address space; at least 1. `root` as for tp_machine_init; SIZE_MAX if unknown.
 */
size_t tp_memory_left(const char *root);
/*
 * A hybrid machine as a team of that affinity sees it: with the caches of its first CPU, and for
 * kind:N with only the CPUs of that kind; any other machine itself. In `arena`; borrows the rest.
 */
const struct tp_machine *tp_machine_of_affinity(const struct tp_machine *machine,
						const char *affinity, struct tp_arena *arena);

/*
 * The share of a known level; for an unknown one a usual size (L1 64 KiB, L2 2 MiB, L3 32 MiB for
 * all threads), no smaller than the level below and at most a quarter of a known one above. So
 * sizes derived from it rise from level to level.
 */
double tp_machine_likely_share(const struct tp_machine *machine, int level, size_t threads);
/* Last cache level that exists (0..3) and the total capacity of all its instances. */
int tp_machine_last_level(const struct tp_machine *machine);
uint64_t tp_machine_last_level_bytes(const struct tp_machine *machine);

/*
 * Pins the calling thread to one CPU and reads the mask back; it is an error if the pin did not
 * take. It is in this room because hwloc is.
 */
enum tp_status tp_machine_pin(unsigned os_cpu, struct tp_diag *diag);

/*
 * Clock ticks that the hypervisor says it took from these CPUs since boot (/proc/stat); 0 when
 * unknown. Many hypervisors never report any. root: "", or a test's fake machine.
 */
uint64_t tp_machine_steal_ticks(const char *root, const unsigned *os_cpus, size_t n);
/* The same of each of them: ticks[n]. */
void tp_machine_steal_each(const char *root, const unsigned *os_cpus, size_t n, uint64_t *ticks);

/* --- models --- */

/* The keys of a model's file (schema/fields.h), for its reader and for tprof-machine(5). */
struct tp_shape;
extern const struct tp_shape tp_model_shape;
extern const struct tp_model tp_model_unknown; /* unknown; no machine matches it */
enum tp_status tp_model_load(struct tp_model *model, const char *path,
			     struct tp_diags *diags); /* YAML, all errors with line:column */
enum tp_status tp_model_parse(struct tp_model *model, const char *name, const char *text,
			      size_t len, struct tp_diags *diags);
enum tp_status tp_model_entries(struct tp_named_file **entries, size_t *n,
				struct tp_diag *diag); /* heap, sorted by name */
const struct tp_model_isa *tp_model_isa(const struct tp_model *model,
					const char *isa); /* NULL if it has none */

/*
 * Theoretical roofs, per core and cycle; 0 = not in the model. Sources: L1 bytes/cycle =
 * instructions/cycle x operand width under the port limits; FLOP/cycle = units x lanes x (2 for
 * FMA). `element_bytes`: 8 or 4 (scalar operands are one element). fma+add is the best of the mixes
 * that its kernels have: one to TP_MODEL_FMAS_MAX FMAs an addition.
 */
enum { TP_MODEL_FMAS_MAX = 3 };
double tp_model_l1_bytes_per_cycle(const struct tp_model *model, const char *isa,
				   unsigned element_bytes, unsigned loads, unsigned stores);
/* The same as far as any code was seen to come: never above it. */
double tp_model_l1_reached_bytes_per_cycle(const struct tp_model *model, const char *isa,
					   unsigned element_bytes, unsigned loads, unsigned stores);
double tp_model_flop_per_cycle(const struct tp_model *model, const char *isa,
			       unsigned element_bytes, const char *fp_op);
/* The same in half, bf16 or int8 (kernels/kernel.h), from the model. */
double tp_model_narrow_flop_per_cycle(const struct tp_model *model, const char *isa,
				      const char *precision, const char *fp_op);
/* Of any precision, by its name. */
double tp_model_peak_flop_per_cycle(const struct tp_model *model, const char *isa,
				    const char *precision, const char *fp_op);
/*
 * A mix of m FMAs (2 FLOP a lane) and a additions (1 FLOP), in FLOP per cycle. M ports take FMAs
 * (fma_per_cycle), A take additions (add_per_cycle), P take either or both (fp_per_cycle; 0: the
 * larger of the two, so one set holds the other). x FMAs and y additions start in a cycle, with
 *
 *     x <= M,   y <= A,   x + y <= P,   x / y = m / a
 *
 * and for two kinds of instructions these conditions suffice (Hall's theorem). So the mix takes
 * max(m / M, a / A, (m + a) / P) cycles. Golden Cove, 256 bits: M = ports 0 and 1, A = ports 1 and
 * 5, P = 3: 2:1 takes one cycle and gives 4 x 5 = 20, 1:1 gives 18. Its 512 bits: M = A = P = 2
 * (ports 0+1 and 5): 3:1 takes 2 cycles and gives 8 x 7 / 2 = 28, less than FMAs alone (32).
 */
double tp_model_mix_flop_per_cycle(const struct tp_model *model, const char *isa,
				   unsigned element_bytes, unsigned fmas, unsigned adds);
/*
 * The highest L1 rate of load-only, 2:1, 1:1 and store-only; *loads and *stores (may be NULL) get
 * the ratio.
 */
double tp_model_l1_best(const struct tp_model *model, const char *isa, unsigned element_bytes,
			unsigned *loads, unsigned *stores);
/*
 * Whole reference system at nominal frequency: GHz x cores x sockets x FLOP/cycle; 0 when the model
 * lacks a figure.
 */
double tp_model_peak_gflops(const struct tp_model *model, const char *isa, unsigned element_bytes,
			    const char *fp_op);
/* True if vendor, family, model, stepping and brand of the CPU are those the model names. */
bool tp_model_matches(const struct tp_model *model, const struct tp_cpu *cpu);
/*
 * True if the machine has the features and caches that the model names. A model that names none
 * looks like no machine.
 */
bool tp_model_looks_like(const struct tp_model *model, const struct tp_machine *machine);
/* "matched", "looks like", "chosen"; "" = no model. */
const char *tp_model_found_word(enum tp_model_found found);
/*
 * The basis of the guess: "by features and caches; CPUID says family 6 model 167". Empty unless the
 * machine only looks like its model.
 */
void tp_model_found_by(const struct tp_machine *machine, struct tp_str *out);
/* "zen4", or "looks like zen4 (by ...)"; empty = no model. */
void tp_model_named(const struct tp_machine *machine, struct tp_str *out);
double tp_model_dram_gbps(const struct tp_model *model); /* per socket: MT/s x channels x 8 bytes */

#endif
