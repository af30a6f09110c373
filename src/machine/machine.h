/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One immutable description of the machine that a run is measured on or planned for: what hwloc and the CPU report, what a named
 * model says of its cores, and the theoretical roofs that follow.
 */
#ifndef TPROF_MACHINE_MACHINE_H
#define TPROF_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"
#include "base/named.h"
#include "base/status.h"

enum {
	TP_CACHE_LEVELS = 4,
	TP_MODEL_ISAS = 12,
	TP_MODEL_MATCHES = 128
}; /* cache[1..3] are L1d, L2, L3; [0] unused */

struct tp_cache {
	uint64_t
		size_bytes; /* effective capacity of one instance: user-given, else measured, else reported; 0 = no such cache */
	uint64_t reported_bytes; /* hwloc; 0 = not reported */
	uint64_t given_bytes; /* user (cache_size.L1 ...) or 0 */
	uint64_t measured_bytes; /* found in a memory curve, see tp_machine_set_measured; or 0 */
	uint64_t
		model_bytes; /* the named model's figure or 0: the last resort when nothing is reported */
	unsigned line_bytes; /* 64 when nobody says otherwise */
	unsigned ways; /* 0 = unknown */
	unsigned sharing_cores; /* cores behind one instance, at least 1 */
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
	bool allowed; /* this process may run there (cpuset, cgroup) */
};

/* A memory node. memory_bytes 0 = unknown. */
struct tp_numa_node {
	unsigned os_index;
	uint64_t memory_bytes;
	unsigned n_pus; /* hardware threads beside it */
};

/* Per core, per cycle capabilities of one ISA in a named model. 0 = unknown. */
struct tp_model_isa {
	char name[16];
	unsigned vector_bytes; /* width of one memory operand in double precision */
	double loads_per_cycle; /* load instructions of that width */
	double stores_per_cycle;
	double mem_per_cycle; /* loads and stores together; 0 = loads + stores */
	double load_cost,
		store_cost; /* optional shared-resource bound: cycles >= loads*load_cost + stores*store_cost; 0 = none */
	double fma_per_cycle, add_per_cycle, mul_per_cycle, div_per_cycle, div_single_per_cycle;
	double fp_per_cycle; /* all FP instructions together (bounds fma+add); 0 = unknown, then max of the units */
};

struct tp_model {
	char name[48]; /* file name without .yaml: "zen4" */
	char title[96]; /* "AMD Zen 4 (Genoa, EPYC 9004)" */
	char vendor[32], arch[16];
	char path[TP_PATH_MAX];
	double nominal_ghz; /* 0 = unknown */
	unsigned sockets, cores_per_socket,
		threads_per_core; /* of the reference system, 0 = unknown */
	uint64_t cache_bytes[TP_CACHE_LEVELS];
	unsigned cache_cores
		[TP_CACHE_LEVELS]; /* cores that share an instance; 0: L1 and L2 one, L3 a socket's */
	unsigned memory_channels; /* per socket, 0 = unknown */
	double memory_mts; /* million transfers per second per channel */
	struct tp_model_isa isas[TP_MODEL_ISAS];
	size_t n_isas;
	/* Which CPUs it is: every given part must match; lists of x86 display models, hwloc CPUModel substrings, arm part numbers. */
	char match_vendor[32];
	int match_family; /* -1 = any */
	int match_models[TP_MODEL_MATCHES];
	size_t n_match_models;
	int match_stepping_min, match_stepping_max; /* -1, -1 = any */
	char match_brand[64]; /* substring of the brand text, or empty */
};

struct tp_machine {
	char hostname[64];
	char cpu_name[96];
	struct tp_cpu
		cpu; /* of this host; for a foreign topology: what its description tells, features empty */
	bool foreign; /* planned for, not here: nothing can be bound or measured */
	char source[TP_PATH_MAX]; /* "this machine", "synthetic:...", path of an XML file */
	unsigned n_packages, n_cores, n_numa;
	struct tp_pu *pus;
	size_t n_pus, n_allowed;
	struct tp_numa_node *nodes; /* n_numa of them, by OS number */
	struct tp_cache cache[TP_CACHE_LEVELS];
	uint64_t
		memory_bytes; /* physical (MemTotal of /proc/meminfo here); 0 = unknown (a foreign machine that does not say) */
	uint64_t
		available_bytes; /* usable by this process: MemAvailable, lowered by a cgroup limit */
	uint64_t page_bytes, huge_page_bytes;
	char thp[16]; /* always, madvise, never, or empty when unknown */
	uint64_t hugetlb_free; /* free preallocated huge pages */
	char governor[32]; /* cpufreq governor of the first allowed CPU, or empty */
	int turbo; /* 1 on, 0 off, -1 unknown */
	char kernel[96]; /* uname -sr */
	char container[32]; /* docker, lxc, ... or empty */
	struct tp_model
		model; /* the named model chosen or matched; model.name empty = none known */
};

/*
 * Detects this machine (topology NULL or "") or loads a foreign one: "synthetic:pack:2 core:64 pu:2" or an hwloc XML file.
 * `cpu`: what the architecture folder found for this host; borrowed during the call only.
 * `model`: "detected" (match by vendor, family, model), a name under presets/machines (or the user's data directory), or a path.
 * `given_bytes[1..3]`: user-given capacities or 0; may be NULL.
 */
/*
 * TP_USAGE or TP_NOTFOUND with words when the topology or the model is wrong; the machine is then empty. The process's affinity
 * mask as it is at this moment decides what is allowed, so call it before any pinning. A synthetic description knows no
 * architecture: cpu.arch is the model's then, or else this host's. For every foreign machine pages are taken as 4 KiB and 2 MiB.
 */
enum tp_status tp_machine_init(struct tp_machine *machine, const struct tp_cpu *cpu,
			       const char *topology, const char *model,
			       const uint64_t given_bytes[TP_CACHE_LEVELS], struct tp_diag *diag);
void tp_machine_release(struct tp_machine *machine);

/* Records the measured capacity of cache `level` (1..3); it becomes the effective one unless the user gave one. 0 forgets it. */
void tp_machine_set_measured(struct tp_machine *machine, int level, uint64_t bytes);

/*
 * Chooses CPUs for `n` threads. affinity: "compact" (fill a package's cores, then the next package, then SMT siblings), "scatter"
 * (round robin over packages, then NUMA nodes, one per core before SMT siblings), or a list "0,2-5" of OS numbers (exactly n or
 * more are needed; the first n are used). Writes OS numbers to cpus[n]. TP_USAGE with words on: more threads than allowed CPUs,
 * CPU not allowed or not there, malformed list.
 */
enum tp_status tp_machine_place(const struct tp_machine *machine, const char *affinity, size_t n,
				unsigned *cpus, struct tp_diag *diag);

/*
 * Capacity of cache `level` (1..3) that each thread gets with `threads` threads placed one per core first: private caches
 * whole, shared ones divided by the most threads that share one instance under "compact". 0 if there is no such cache.
 */
uint64_t tp_machine_share(const struct tp_machine *machine, int level, size_t threads);
/* Last cache level that exists (0..3) and the total capacity of all its instances. */
int tp_machine_last_level(const struct tp_machine *machine);
uint64_t tp_machine_last_level_bytes(const struct tp_machine *machine);

/* Pins the calling thread to one CPU and reads the pin back; an error if it did not take. In src/machine because hwloc lives here. */
enum tp_status tp_machine_pin(unsigned os_cpu, struct tp_diag *diag);

/*
 * Clock ticks that the hypervisor has taken from these CPUs since boot, by its own account (/proc/stat); 0 when unknown. Many hypervisors
 * never account any.
 */
uint64_t tp_machine_steal_ticks(const unsigned *os_cpus, size_t n);

/* --- models --- */
enum tp_status tp_model_load(struct tp_model *model, const char *path,
			     struct tp_diags *diags); /* YAML, all errors with line:column */
enum tp_status tp_model_parse(struct tp_model *model, const char *name, const char *text,
			      size_t len, struct tp_diags *diags);
enum tp_status tp_model_entries(struct tp_named_file **entries, size_t *n,
				struct tp_diag *diag); /* heap, sorted by name */
const struct tp_model_isa *tp_model_isa(const struct tp_model *model,
					const char *isa); /* NULL if it has none */

/*
 * Theoretical roofs, per core and cycle; 0 = the model does not say. Sources: L1 bytes/cycle = instructions/cycle x operand
 * width under the port limits; FLOP/cycle = units x lanes x (2 for FMA). `element_bytes`: 8 or 4 (scalar operands are one element).
 * fma+add counts one FMA (2 FLOP) and one add (1 FLOP) per lane in the best mix of the two the units allow.
 */
double tp_model_l1_bytes_per_cycle(const struct tp_model *model, const char *isa,
				   unsigned element_bytes, unsigned loads, unsigned stores);
double tp_model_flop_per_cycle(const struct tp_model *model, const char *isa,
			       unsigned element_bytes, const char *fp_op);
/* The highest L1 rate of load-only, 2:1, 1:1 and store-only; *loads and *stores (may be NULL) say which. */
double tp_model_l1_best(const struct tp_model *model, const char *isa, unsigned element_bytes,
			unsigned *loads, unsigned *stores);
/* Whole reference system at nominal frequency: GHz x cores x sockets x FLOP/cycle; 0 when the model lacks a figure. */
double tp_model_peak_gflops(const struct tp_model *model, const char *isa, unsigned element_bytes,
			    const char *fp_op);
/* True if everything the model's match section names fits the CPU (and it names something). */
bool tp_model_matches(const struct tp_model *model, const struct tp_cpu *cpu);
double tp_model_dram_gbps(const struct tp_model *model); /* per socket: MT/s x channels x 8 bytes */

#endif
