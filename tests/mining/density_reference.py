#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the samples and the bandwidths that tests/unit/test_density.c holds tprof to.

By hand, with python3-numpy and python3-scipy (no test runs it):  tests/mining/density_reference.py
ISJ follows kde.m of Botev (2^14 bins, histc, dct, fixed point with l = 7, fzero on [0, tol]); the cross-validated
likelihood is summed pair by pair, without bins.
"""
import os
import numpy as np
from scipy import fft, optimize

HERE = os.path.dirname(os.path.abspath(__file__))


def isj(data):
    n = 2**14
    low, high = data.min(), data.max()
    span = high - low
    low, high = low - span / 2, high + span / 2
    span = high - low
    mesh = low + np.arange(n) * (span / (n - 1))
    different = len(np.unique(data))
    counts = np.zeros(n)
    np.add.at(counts, np.searchsorted(mesh, data, side="right") - 1, 1)
    a = fft.dct(counts / counts.sum(), type=2)
    squares = np.arange(1, n, dtype=float) ** 2
    a2 = (a[1:] / 2) ** 2

    def fixed_point(t):
        f = 2 * np.pi**14 * np.sum(squares**7 * a2 * np.exp(-squares * np.pi**2 * t))
        for s in range(6, 1, -1):
            odd = np.prod(np.arange(1, 2 * s, 2)) / np.sqrt(2 * np.pi)
            const = (1 + 0.5 ** (s + 0.5)) / 3
            time = (2 * const * odd / different / f) ** (2 / (3 + 2 * s))
            f = 2 * np.pi ** (2 * s) * np.sum(squares**s * a2 * np.exp(-squares * np.pi**2 * time))
        return t - (2 * different * np.sqrt(np.pi) * f) ** (-2 / 5)

    few = min(max(different, 50), 1050)
    tol = 1e-12 + 0.01 * (few - 50) / 1000
    while True:
        try:
            return np.sqrt(optimize.brentq(fixed_point, 0, tol)) * span
        except ValueError:
            if tol >= 0.1:
                return 0.0
            tol = min(tol * 2, 0.1)


def silverman(data):
    quartiles = np.subtract(*np.percentile(data, [75, 25]))
    return 0.9 * min(data.std(ddof=1), quartiles / 1.34) * len(data) ** -0.2


def likelihood(data, h):
    n = len(data)
    total = 0.0
    for part in np.array_split(data, 20):
        k = np.exp(-0.5 * ((part[:, None] - data[None, :]) / h) ** 2) / (h * np.sqrt(2 * np.pi))
        total += np.log((k.sum(axis=1) - 1 / (h * np.sqrt(2 * np.pi))) / (n - 1)).sum()
    return total / n


def cross_validated(data):
    best = silverman(data)
    found = optimize.minimize_scalar(lambda u: -likelihood(data, np.exp(u)), bracket=(np.log(best / 4), np.log(best)))
    return np.exp(found.x)


def main():
    r = np.random.default_rng(17)
    n = 2000
    pick = r.random(n)
    samples = {
        "normal": r.normal(3, 2, n),
        # the bimodal density of Marron and Wand (1992), number 6
        "bimodal": np.where(pick < 0.5, r.normal(-1, 2 / 3, n), r.normal(1, 2 / 3, n)),
        # and the claw, number 10
        "claw": np.where(pick < 0.5, r.normal(0, 1, n), r.normal(np.floor(r.random(n) * 5) / 2 - 1, 0.1)),
    }
    with open(f"{HERE}/density.csv", "w", encoding="ascii") as table:
        table.write("sample,isj,silverman,cross_validated\n")
        for name, values in samples.items():
            values = np.round(values, 5)
            np.savetxt(f"{HERE}/density_{name}.csv", values, fmt="%.5f", header="x", comments="")
            table.write(f"{name},{isj(values):.6g},{silverman(values):.6g},{cross_validated(values):.6g}\n")


if __name__ == "__main__":
    main()
