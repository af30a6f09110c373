/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plot/shape.h"

#include <math.h>

static const double touch = 1e-6; /* px */

struct tp_quad tp_quad_rect(const struct tp_rect *r)
{
	return (struct tp_quad){ { r->x, r->x + r->width, r->x + r->width, r->x },
				 { r->y, r->y, r->y + r->height, r->y + r->height } };
}

struct tp_quad tp_quad_turned(double x, double y, double degrees, double width, double up,
			      double down)
{
	const double at_x[4] = { 0, width, width, 0 }, at_y[4] = { -up, -up, down, down };
	double angle = degrees * acos(-1) / 180, c = cos(angle), s = sin(angle);
	struct tp_quad quad;
	for (int i = 0; i < 4; i++) {
		quad.x[i] = x + at_x[i] * c - at_y[i] * s;
		quad.y[i] = y + at_x[i] * s + at_y[i] * c;
	}
	return quad;
}

static void shadow(const struct tp_quad *quad, double nx, double ny, double *low, double *high)
{
	*low = INFINITY;
	*high = -INFINITY;
	for (int i = 0; i < 4; i++) {
		double at = quad->x[i] * nx + quad->y[i] * ny;
		*low = fmin(*low, at);
		*high = fmax(*high, at);
	}
}

/* True if a normal of an edge of `a` separates them. */
static bool separated(const struct tp_quad *a, const struct tp_quad *b)
{
	for (int i = 0; i < 4; i++) {
		int k = (i + 1) % 4;
		double nx = a->y[i] - a->y[k], ny = a->x[k] - a->x[i];
		double length = hypot(nx, ny), low_a, high_a, low_b, high_b;
		if (!(length > 0))
			continue;
		shadow(a, nx / length, ny / length, &low_a, &high_a);
		shadow(b, nx / length, ny / length, &low_b, &high_b);
		if (high_a <= low_b + touch || high_b <= low_a + touch)
			return true;
	}
	return false;
}

bool tp_quad_meets(const struct tp_quad *a, const struct tp_quad *b)
{
	return !separated(a, b) && !separated(b, a);
}

static bool holds(const struct tp_rect *r, double x, double y)
{
	return x >= r->x && x <= r->x + r->width && y >= r->y && y <= r->y + r->height;
}

bool tp_quad_inside(const struct tp_quad *quad, const struct tp_rect *r)
{
	const struct tp_rect about = { r->x - touch, r->y - touch, r->width + 2 * touch,
				       r->height + 2 * touch };
	for (int i = 0; i < 4; i++)
		if (!holds(&about, quad->x[i], quad->y[i]))
			return false;
	return true;
}

bool tp_line_clip(struct tp_line *l, const struct tp_rect *r)
{
	double dx = l->x1 - l->x0, dy = l->y1 - l->y0, from = 0, to = 1;
	const double step[4] = { -dx, dx, -dy, dy };
	const double room[4] = { l->x0 - r->x, r->x + r->width - l->x0, l->y0 - r->y,
				 r->y + r->height - l->y0 };
	if (!isfinite(dx) || !isfinite(dy))
		return false;
	bool inside = holds(r, l->x0, l->y0) && holds(r, l->x1, l->y1);
	for (int i = 0; i < 4 && !inside; i++) {
		double at = room[i] / step[i];
		if (step[i] == 0 && room[i] < 0)
			return false;
		if (step[i] < 0)
			from = fmax(from, at);
		else if (step[i] > 0)
			to = fmin(to, at);
	}
	if (!(from <= to))
		return false;
	*l = (struct tp_line){ l->x0 + from * dx, l->y0 + from * dy, l->x0 + to * dx,
			       l->y0 + to * dy };
	return true;
}
