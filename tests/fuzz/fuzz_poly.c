/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as domain, schedule and accesses: isl must not crash, what it refuses must have words,
 * and the loops must be free of anything but what C takes. A line of the input is a letter and a
 * text: d domain, c context, s relation of the schedule, r read, w write, p depth of the parallel
 * loop, o overlapped; g makes texts that isl can read out of the bytes behind it. The limits on
 * operations are tighter than those of the program, so that no input takes long here. clang
 * -fsanitize=fuzzer,address,undefined ... && ./fuzz_poly tests/fuzz/corpus/poly
 */
#include "pattern/poly.h"
#include "tests/fuzz/promise.h"

#ifdef HAVE_ISL

#include <string.h>

#include "pattern/poly_here.h"
#include "tests/fuzz/poly_texts.h"

enum { OPERATIONS = 40000, LINES_MAX = 64 };

/*
 * isl forgets tokens of a text that it refuses. The program runs it in a child, which takes them
 * along.
 */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libisl.so";
}

struct texts {
	const char *schedule[TP_POLY_SCHEDULE_MAX + 1];
	struct tp_poly_access accesses[LINES_MAX];
	struct tp_poly_input input;
	struct made_texts made;
};

static void take_made(struct texts *texts, const char *bytes)
{
	struct made_texts *made = &texts->made;
	struct tp_poly_input *input = &texts->input;
	made_texts_release(made);
	*made = (struct made_texts){ 0 };
	make_texts(made, bytes);
	input->domain = tp_str_text(&made->domain);
	input->duplicates = made->duplicates;
	input->n_schedule = made->n_relations;
	input->n_accesses = made->n_accesses;
	for (size_t i = 0; i < made->n_relations; i++)
		texts->schedule[i] = tp_str_text(&made->schedule[i]);
	for (size_t i = 0; i < made->n_accesses; i++)
		texts->accesses[i] =
			(struct tp_poly_access){ .write = i == 0,
						 .relation = tp_str_text(&made->accesses[i]) };
}

static void take_line(struct texts *texts, char *line)
{
	struct tp_poly_input *input = &texts->input;
	const char *text = line + 1;
	if (line[0] == 'd')
		input->domain = text;
	else if (line[0] == 'c')
		input->context = text;
	else if (line[0] == 's' && input->n_schedule <= TP_POLY_SCHEDULE_MAX)
		texts->schedule[input->n_schedule++] = text;
	else if ((line[0] == 'r' || line[0] == 'w') && input->n_accesses < LINES_MAX)
		texts->accesses[input->n_accesses++] =
			(struct tp_poly_access){ .write = line[0] == 'w', .relation = text };
	else if (line[0] == 'g')
		take_made(texts, text);
	else if (line[0] == 'p')
		input->parallel_depth = (unsigned)text[0] % 4;
	else if (line[0] == 'o')
		input->duplicates = true;
}

static void examine(const struct tp_poly_input *input, unsigned questions,
		    struct tp_poly_found *found)
{
	const struct tp_poly_asked asked = { .input = input,
					     .questions = questions,
					     .values = &(struct tp_poly_value){ "n", 5 },
					     .n_values = 1,
					     .operations = OPERATIONS,
					     .words_fd = -1 };
	struct tp_poly poly = { .asked = &asked, .found = found };
	found->loops_len = 0;
	found->status = TP_OK;
	found->why_illegal[0] = found->why_serial[0] = '\0';
	enum tp_status status = tp_poly_check_input(&poly);
	if (status == TP_OK)
		status = tp_poly_here(&asked, found);
	must(status == found->status, "one status");
	must(status == TP_OK || status == TP_USAGE || status == TP_RESOURCE, "a known status");
	if (status != TP_OK) {
		must(found->diag.where[0] && found->diag.what[0],
		     "a failure has a place and words");
		return;
	}
	if (questions & TP_POLY_LEGAL)
		must(found->legal == !found->why_illegal[0], "what is illegal has a reason");
	if (questions & TP_POLY_PARALLEL)
		must(found->parallel == !found->why_serial[0], "what is serial has a reason");
	if (questions & TP_POLY_LOOPS)
		must(found->loops_len > 0, "loops are there");
	for (size_t i = 0; i < found->loops_len; i++)
		must(strchr("\n #;,(){}<>=!?:+-*/%&|_", found->loops[i]) != NULL ||
			     (found->loops[i] >= '0' && found->loops[i] <= '9') ||
			     (found->loops[i] >= 'A' && found->loops[i] <= 'Z') ||
			     (found->loops[i] >= 'a' && found->loops[i] <= 'z'),
		     "the loops are plain C");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct tp_poly_found found;
	struct texts texts = { .input = { .parallel_depth = TP_POLY_SERIAL } };
	char *text = malloc(size + 1), *next = text;
	must(text != NULL, "there is memory");
	memcpy(text, data, size);
	text[size] = '\0';
	texts.input.schedule = texts.schedule;
	texts.input.accesses = texts.accesses;
	for (char *line; (line = strsep(&next, "\n"));)
		if (line[0])
			take_line(&texts, line);
	examine(&texts.input, TP_POLY_LOOPS | TP_POLY_LEGAL | TP_POLY_PARALLEL, &found);
	examine(&texts.input, 0, &found);
	made_texts_release(&texts.made);
	free(text);
	return 0;
}

#else

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tp_poly_input input = { 0 };
	struct tp_poly_answers answers = { 0 };
	(void)data;
	(void)size;
	must(tp_poly_examine(&input, TP_POLY_LOOPS, &answers, NULL, NULL) == TP_UNSUPPORTED,
	     "without isl nothing is read");
	return 0;
}

#endif
