/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Noise sources on this machine, with the commands that fix them: for both faces. */
#ifndef TPROF_SESSION_DOCTOR_H
#define TPROF_SESSION_DOCTOR_H

#include "doc/text.h"
#include "machine/health.h"

/*
 * What every other command needs: /proc, /dev/null, and a stack of 512 KiB, whose limit is raised
 * where that is allowed.
 */
enum tp_status tp_system_check(struct tp_diag *diag);

/* Between two samples, by which it is seen what other processes do. */
#define TP_EXAMINATION_SECONDS 0.2

enum { TP_FINDINGS_MAX = 64 };

/* Zero-initialise; release. */
struct tp_examination {
	struct tp_finding findings[TP_FINDINGS_MAX];
	size_t n;
	bool under_way; /* it has begun and not ended */
	struct tp_machine machine;
	struct tp_health health;
};

/* Takes the first sample; a failure is one of detecting the machine. */
enum tp_status tp_examination_begin(struct tp_examination *e, struct tp_diag *diag);
/* Takes the second sample and finds; `look`: the terminal, which is examined, too. */
void tp_examination_end(struct tp_examination *e, const struct tp_look *look);
void tp_examination_release(struct tp_examination *e);

/* The findings, worst first. */
void tp_findings_say(const struct tp_finding *findings, size_t n, struct tp_text *text);

#endif
