# SPDX-License-Identifier: GPL-3.0-or-later
"""Data sets as CSV, and what scikit-learn learns from them, for tests/unit/learn_reference.c to compare with.

usage: learn_reference.py FOLDER [NAME=points.csv...]

Each NAME.csv has features, then the label and whether the row is held out; NAME.ref says what scikit-learn learned:

    tree CRITERION DEPTH LEAVES NODES ACCURACY LEAST MOST   0 = no limit; then a line for each node: feature (-1 = leaf), threshold,
                                                            the nodes of yes and no, rows, impurity. LEAST and MOST: of ten trees that
                                                            differ only in which of equally good questions they ask
    prune CRITERION ALPHA LEAVES LEAST MOST
    forest TREES ACCURACY FEATURES MDI... DEVIATION...      mean of ten forests, and how much single ones differ
    kmeans K INERTIA
    linear RANK R2 FEATURES INTERCEPT COEFFICIENT...        the last feature by the others
"""
import csv
import os
import sys
import warnings

import numpy as np
import sklearn
from sklearn import cluster, datasets, ensemble, linear_model, model_selection, tree

SEEDS = 10


def planted_rules(rng):
    """Continuous features; a rule of three of them with one wrong label in twenty."""
    x = rng.uniform(0, 10, (700, 6)).round(3)
    y = np.where(x[:, 0] + 0.3 * x[:, 1] > 6, 1, 0) + np.where((x[:, 2] > 7) & (x[:, 0] < 5), 2, 0)
    wrong = rng.uniform(size=len(y)) < 0.05
    y[wrong] = rng.integers(0, 4, wrong.sum())
    return x, y


def planted_steps(rng):
    """Few different values, so that many questions are equally good."""
    x = np.column_stack([rng.integers(0, n, 500) for n in (2, 3, 8, 8, 64)]).astype(float)
    y = (x[:, 2] + x[:, 3] > 7) + 2 * (x[:, 0] * x[:, 1] == 2)
    wrong = rng.uniform(size=len(y)) < 0.1
    y[wrong] = rng.integers(0, 3, wrong.sum())
    return x, y


def number(text):
    return {"true": 1.0, "false": 0.0}.get(text, float(text) if text not in ("true", "false", "") else np.nan)


def of_run(path):
    """Points of a run: what was asked for and what was measured; the label is a fifth of the time or of the bandwidth."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    if rows[0]["experiment"] == "gather":
        features = ["elements", "lines", "vector_bits", "masked", "working_set_bytes"]
        x = [[number(row[f]) for f in features] + ([float(i) for i in row["offsets"].split()] + 16 * [-1.0])[:8] for row in rows]
        target = np.array([float(row["gather_ticks"]) for row in rows])
    else:
        features = ["working_set_bytes", "loads", "stores", "ipc", "core_ghz", "samples", "dropped", "stddev", "mad"]
        x = [[number(row[f]) for f in features] for row in rows]
        target = np.array([float(row["median_gbps"]) for row in rows])
    x = np.array(x)
    good = ~np.isnan(x).any(axis=1)
    y = np.searchsorted(np.quantile(target[good], [0.2, 0.4, 0.6, 0.8]), target[good])
    return x[good], y


def as_sklearn_sees(x):
    """In single precision, as trees of scikit-learn are; apart by more than the 1e-7 that they take for equal."""
    x = x.astype(np.float32)
    for f in range(x.shape[1]):
        values = np.unique(x[:, f])
        gap = np.diff(values).min() if len(values) > 1 else 1
        if gap < 1e-6:
            x[:, f] *= np.float32(2.0 ** np.ceil(np.log2(1e-6 / gap)))
    return x


def write_trees(out, x, y, held, criterion):
    learned, tested = ~held, held
    limits = [(depth, 0) for depth in range(2, 7)] + [(0, 4), (0, 9)]
    for depth, leaves in limits:
        trees = [
            tree.DecisionTreeClassifier(criterion=criterion, max_depth=depth or None, max_leaf_nodes=leaves or None, random_state=seed)
            .fit(x[learned], y[learned]) for seed in range(SEEDS)]
        right = [t.score(x[tested], y[tested]) for t in trees]
        t = trees[0].tree_
        out.write(f"tree {criterion} {depth} {leaves} {t.node_count} {right[0]:.17g} {min(right):.17g} {max(right):.17g}\n")
        for i in range(t.node_count):
            leaf = t.children_left[i] < 0
            out.write(f"{-1 if leaf else t.feature[i]} {0 if leaf else t.threshold[i]:.17g} {max(0, t.children_left[i])} "
                      f"{max(0, t.children_right[i])} {t.n_node_samples[i]} {max(0.0, t.impurity[i]):.15g}\n")
    path = tree.DecisionTreeClassifier(criterion=criterion, random_state=0).cost_complexity_pruning_path(x[learned], y[learned])
    alphas = np.unique(path.ccp_alphas)
    alphas = alphas[alphas > 1e-9]
    between = (alphas[:-1] + alphas[1:]) / 2
    for alpha in between[np.diff(alphas) > 1e-6][-8:]:
        leaves = [tree.DecisionTreeClassifier(criterion=criterion, ccp_alpha=alpha, random_state=seed)
                  .fit(x[learned], y[learned]).get_n_leaves() for seed in range(SEEDS)]
        out.write(f"prune {criterion} {alpha:.17g} {leaves[0]} {min(leaves)} {max(leaves)}\n")


def write_reference(out, x, y, held):
    for criterion in ("gini", "entropy"):
        write_trees(out, x, y, held, criterion)
    forests = [ensemble.RandomForestClassifier(n_estimators=200, random_state=seed).fit(x[~held], y[~held]) for seed in range(SEEDS)]
    mdi = np.array([f.feature_importances_ for f in forests])
    right = np.mean([f.score(x[held], y[held]) for f in forests])
    words = " ".join(f"{v:.6f}" for v in list(mdi.mean(axis=0)) + list(mdi.std(axis=0, ddof=1)))
    out.write(f"forest 200 {right:.6f} {x.shape[1]} {words}\n")
    wide = x.astype(np.float64)
    for k in sorted({2, 3, len(np.unique(y)), 8}):
        inertia = cluster.KMeans(n_clusters=k, n_init=10, random_state=0).fit(wide).inertia_
        out.write(f"kmeans {k} {inertia:.12g}\n")
    fit = linear_model.LinearRegression().fit(wide[:, :-1], wide[:, -1])
    words = " ".join(f"{v:.17g}" for v in [fit.intercept_, *fit.coef_])
    out.write(f"linear {fit.rank_} {fit.score(wide[:, :-1], wide[:, -1]):.17g} {x.shape[1] - 1} {words}\n")


def main():
    warnings.simplefilter("ignore")
    folder = sys.argv[1]
    rng = np.random.default_rng(17)
    sets = {
        "iris": datasets.load_iris(return_X_y=True),
        "wine": datasets.load_wine(return_X_y=True),
        "cancer": datasets.load_breast_cancer(return_X_y=True),
        "digits": datasets.load_digits(return_X_y=True),
        "planted-rules": planted_rules(rng),
        "planted-steps": planted_steps(rng),
    }
    for argument in sys.argv[2:]:
        name, path = argument.split("=", 1)
        sets[name] = of_run(path)
    for name, (x, y) in sets.items():
        x, y = as_sklearn_sees(x), np.asarray(y, dtype=int)
        held = np.zeros(len(y), dtype=bool)
        held[model_selection.train_test_split(np.arange(len(y)), test_size=0.2, random_state=0, stratify=y)[1]] = True
        with open(os.path.join(folder, name + ".csv"), "w") as out:
            out.write(",".join([f"f{i}" for i in range(x.shape[1])] + ["label", "held"]) + "\n")
            for row, label, test in zip(x, y, held):
                values = [np.format_float_positional(v, unique=True, trim="-") for v in row]
                out.write(",".join(values + [str(label), str(int(test))]) + "\n")
        with open(os.path.join(folder, name + ".ref"), "w") as out:
            out.write(f"# scikit-learn {sklearn.__version__}, numpy {np.__version__} made this from {name}.csv: tests/bench/learn_reference.py\n")
            write_reference(out, x, y, held)


main()
