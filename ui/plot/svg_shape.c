/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/plot/svg_shape.h"

#include <math.h>

static const double touch = 1e-6; /* px */

struct tp_quad tp_quad_rect(const struct tp_rect *r)
{
	return (struct tp_quad){ { r->x, r->x + r->width, r->x + r->width, r->x },
				 { r->y, r->y, r->y + r->height, r->y + r->height } };
}

struct tp_quad tp_quad_line(double x0, double y0, double x1, double y1)
{
	return (struct tp_quad){ { x0, x1, x1, x0 }, { y0, y1, y1, y0 } };
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

bool tp_quad_inside(const struct tp_quad *quad, const struct tp_rect *rect)
{
	for (int i = 0; i < 4; i++)
		if (!tp_rect_holds(rect, quad->x[i], quad->y[i]))
			return false;
	return true;
}

bool tp_rect_holds(const struct tp_rect *r, double x, double y)
{
	return x >= r->x - touch && x <= r->x + r->width + touch && y >= r->y - touch &&
	       y <= r->y + r->height + touch;
}

bool tp_rect_clip(const struct tp_rect *r, double *x0, double *y0, double *x1, double *y1)
{
	double dx = *x1 - *x0, dy = *y1 - *y0, from = 0, to = 1;
	const double step[4] = { -dx, dx, -dy, dy };
	const double room[4] = { *x0 - r->x, r->x + r->width - *x0, *y0 - r->y,
				 r->y + r->height - *y0 };
	for (int i = 0; i < 4; i++) {
		if (step[i] == 0) {
			if (room[i] < 0)
				return false;
			continue;
		}
		double at = room[i] / step[i];
		if (step[i] < 0)
			from = fmax(from, at);
		else
			to = fmin(to, at);
	}
	if (!(from <= to))
		return false;
	*x1 = *x0 + to * dx;
	*y1 = *y0 + to * dy;
	*x0 += from * dx;
	*y0 += from * dy;
	return true;
}
