/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "qemu/plugin.h"

#include <dlfcn.h>
#include <string.h>

/* What glib says of it in its manual. */
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

bool tp_qemu_general(unsigned vcpu, unsigned number, uint64_t *value)
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

void tp_qemu_say_no_registers(void)
{
	static const char words[] = "this qemu does not tell a plug-in its registers: masked loads "
				    "count all their lanes, and marked regions are not seen";
	_Static_assert(sizeof(words) <= sizeof(tp_qemu.shared->words), "they fit");
	if (!tp_qemu.shared->words[0])
		memcpy(tp_qemu.shared->words, words, sizeof(words));
}

bool tp_qemu_vector(unsigned vcpu, unsigned number, unsigned char bytes[32])
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
