/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Domain, schedule and accesses that isl can read, chosen by bytes, so that a fuzzer gets past the
 * syntax. Every byte is a choice; after the last byte, it is the first.
 */
#ifndef TPROF_TESTS_POLY_TEXTS_H
#define TPROF_TESTS_POLY_TEXTS_H

#include "base/str.h"
#include "pattern/poly.h"

enum { MADE_RELATIONS = 3, MADE_ACCESSES = 3, MADE_DIMS = 3, MADE_TIMES = 5 };

struct choices {
	const char *next;
};

static inline unsigned choose(struct choices *choices, unsigned n)
{
	return *choices->next ? (unsigned char)*choices->next++ % n : 0;
}

struct made_texts {
	struct tp_str domain, schedule[MADE_RELATIONS], accesses[MADE_ACCESSES];
	unsigned dims[2], n_statements, n_relations, n_accesses;
	bool duplicates;
};

/* An affine expression over v0, v1, ... and n. */
static inline void make_expression(struct choices *choices, struct tp_str *out, unsigned n_vars,
				   unsigned depth)
{
	static const int factors[] = { 1, -1, 2, 3, -5, 16, 1000 };
	unsigned var = choose(choices, n_vars + 1);
	switch (choose(choices, depth ? 7 : 3)) {
	case 1:
		tp_str_printf(out, "%d*v%u", factors[choose(choices, 7)],
			      n_vars ? var % n_vars : 0);
		break;
	case 2:
		tp_str_printf(out, "%d", (int)choose(choices, 64) - 32);
		break;
	case 3:
	case 4:
		make_expression(choices, out, n_vars, depth - 1);
		tp_str_add(out, " + ");
		make_expression(choices, out, n_vars, depth - 1);
		break;
	case 5:
		tp_str_add(out, "floor((");
		make_expression(choices, out, n_vars, depth - 1);
		tp_str_printf(out, ")/%u)", choose(choices, 40) + 1);
		break;
	case 6:
		tp_str_add(out, "((");
		make_expression(choices, out, n_vars, depth - 1);
		tp_str_printf(out, ") mod %u)", choose(choices, 40) + 1);
		break;
	default:
		if (var < n_vars)
			tp_str_printf(out, "v%u", var);
		else
			tp_str_add(out, "n");
	}
}

static inline void make_constraint(struct choices *choices, struct tp_str *out, unsigned n_vars)
{
	static const char *const joints[] = { " <= ", " < ", " = ", " != ", " >= ", " > " };
	bool exists = choose(choices, 8) == 7;
	if (exists)
		tp_str_printf(out, "(exists v%u : ", n_vars);
	make_expression(choices, out, n_vars + exists, 2);
	tp_str_add(out, joints[choose(choices, 6)]);
	make_expression(choices, out, n_vars + exists, 2);
	tp_str_add(out, exists ? ")" : "");
}

static inline void make_tuple(struct tp_str *out, const char *name, unsigned n_vars)
{
	tp_str_printf(out, "%s[", name);
	for (unsigned i = 0; i < n_vars; i++)
		tp_str_printf(out, "%sv%u", i ? "," : "", i);
	tp_str_add(out, "]");
}

static inline void make_image(struct choices *choices, struct tp_str *out, const char *name,
			      unsigned n_vars, unsigned n_out)
{
	tp_str_printf(out, " -> %s[", name);
	for (unsigned i = 0; i < n_out; i++) {
		tp_str_add(out, i ? ", " : "");
		make_expression(choices, out, n_vars, 2);
	}
	tp_str_add(out, "]");
}

static inline void make_domain(struct choices *choices, struct made_texts *made)
{
	made->n_statements = 1 + choose(choices, 2);
	tp_str_add(&made->domain, "[n] -> { ");
	for (unsigned s = 0; s < made->n_statements; s++) {
		unsigned n = made->dims[s] = 1 + choose(choices, MADE_DIMS);
		tp_str_add(&made->domain, s ? "; " : "");
		make_tuple(&made->domain, s ? "R" : "S", n);
		for (unsigned i = 0; i < n; i++)
			tp_str_printf(&made->domain, "%s0 <= v%u < n", i ? " and " : " : ", i);
		for (unsigned k = choose(choices, 4); k > 0; k--) {
			tp_str_add(&made->domain, choose(choices, 6) == 5 ? " or " : " and ");
			make_constraint(choices, &made->domain, n);
		}
	}
	tp_str_add(&made->domain, " }");
}

static inline void make_schedule(struct choices *choices, struct made_texts *made)
{
	unsigned n_times = 1 + choose(choices, MADE_TIMES);
	made->n_relations = 1 + choose(choices, MADE_RELATIONS);
	made->duplicates = choose(choices, 3) == 2;
	tp_str_add(&made->schedule[0], "[n] -> { ");
	for (unsigned s = 0; s < made->n_statements; s++) {
		tp_str_add(&made->schedule[0], s ? "; " : "");
		make_tuple(&made->schedule[0], s ? "R" : "S", made->dims[s]);
		make_image(choices, &made->schedule[0], "", made->dims[s], n_times);
	}
	tp_str_add(&made->schedule[0], " }");
	for (unsigned r = 1; r < made->n_relations; r++) {
		struct tp_str *out = &made->schedule[r];
		unsigned next = 1 + choose(choices, MADE_TIMES);
		tp_str_add(out, "[n] -> { ");
		make_tuple(out, "", n_times);
		/* One more than the left side has makes duplicates. */
		make_image(choices, out, "", n_times + made->duplicates, next);
		if (made->duplicates)
			tp_str_printf(out, " : 0 <= v%u < %u", n_times, 1 + choose(choices, 9));
		tp_str_add(out, " }");
		n_times = next;
	}
}

static inline void make_texts(struct made_texts *made, const char *bytes)
{
	struct choices choices = { bytes };
	make_domain(&choices, made);
	make_schedule(&choices, made);
	made->n_accesses = 1 + choose(&choices, MADE_ACCESSES);
	for (unsigned a = 0; a < made->n_accesses; a++) {
		unsigned s = choose(&choices, made->n_statements);
		tp_str_add(&made->accesses[a], "[n] -> { ");
		make_tuple(&made->accesses[a], s ? "R" : "S", made->dims[s]);
		make_image(&choices, &made->accesses[a], "A", made->dims[s],
			   1 + choose(&choices, 2));
		tp_str_add(&made->accesses[a], " }");
	}
}

static inline void made_texts_release(struct made_texts *made)
{
	tp_str_release(&made->domain);
	for (size_t i = 0; i < MADE_RELATIONS; i++)
		tp_str_release(&made->schedule[i]);
	for (size_t i = 0; i < MADE_ACCESSES; i++)
		tp_str_release(&made->accesses[i]);
}

#endif
