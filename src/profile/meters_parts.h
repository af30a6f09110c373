/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What meters read from. Private to src/profile. */
#ifndef TPROF_PROFILE_METERS_PARTS_H
#define TPROF_PROFILE_METERS_PARTS_H

#include "base/file.h"
#include "profile/meter.h"
#include "profile/pmu.h"
#include "profile/processes.h"

enum { TP_METER_FILES = 16, TP_METER_PMUS = 64 };

/* Small files with one number each, whose values add up; those that count may wrap. */
struct tp_number_files {
	int fd[TP_METER_FILES];
	double last[TP_METER_FILES], wraps_at[TP_METER_FILES];
	double sum, scale;
	size_t n;
};

struct tp_pmu_counters {
	int fd[TP_METER_PMUS];
	double scale[TP_METER_PMUS];
	size_t n;
};

struct tp_meters {
	pid_t pid;
	const struct tp_meter_places *places;
	const char *events[TP_METER_EVENTS];
	struct tp_processes tree;
	bool has_tree; /* the process can be seen */
	int net, disks;
	struct tp_proc_bytes net_now, disks_now;
	struct tp_number_files energy, gpu, clock, temperature;
	struct tp_pmu_counters pmu[2 + TP_METER_EVENTS]; /* memory read, written; events */
	const struct tp_meter_others *others; /* NULL = none */
	double others_now[TP_METER_PAPI];
	bool there[TP_METERS];
	struct tp_diag why[TP_METERS];
	double last[TP_METERS], told[TP_METERS];
	double machine_at; /* when those of the machine were read */
};

/* meters_machine.c: the open and read of struct tp_meter. */
enum tp_status tp_meter_open_net(struct tp_meters *m, enum tp_meter_id id, struct tp_diag *diag);
enum tp_status tp_meter_open_disks(struct tp_meters *m, enum tp_meter_id id, struct tp_diag *diag);
enum tp_status tp_meter_open_power(struct tp_meters *m, enum tp_meter_id id, struct tp_diag *diag);
enum tp_status tp_meter_open_gpu(struct tp_meters *m, enum tp_meter_id id, struct tp_diag *diag);
enum tp_status tp_meter_open_clock(struct tp_meters *m, enum tp_meter_id id, struct tp_diag *diag);
enum tp_status tp_meter_open_temperature(struct tp_meters *m, enum tp_meter_id id,
					 struct tp_diag *diag);
enum tp_status tp_meter_open_memory(struct tp_meters *m, enum tp_meter_id id, struct tp_diag *diag);
enum tp_status tp_meter_open_event(struct tp_meters *m, enum tp_meter_id id, struct tp_diag *diag);
double tp_meter_read_machine(struct tp_meters *m, enum tp_meter_id id);
/* Once before the meters of the machine are read. */
void tp_meters_look_at_machine(struct tp_meters *m);
void tp_meters_machine_release(struct tp_meters *m);

#endif
