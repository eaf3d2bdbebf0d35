"""The estimator, by itself and inside scikit-learn."""

import copy
import pickle
import warnings

import numpy as np
import pytest

import s3svm
from s3svm import Cliques, Lines, Pairs, Patches, Regions, Sample, SumOfSubmodularSVM
from support import generator


def pictures(rng, count=6, blocks=3, noise=0.8, labels=2):
    """Pictures of blocks in noise."""
    y = [np.repeat(np.repeat(rng.integers(0, labels, (blocks, blocks)), 4, 0), 4, 1) for _ in range(count)]
    X = [np.stack([t + rng.normal(0, noise, t.shape), rng.normal(size=t.shape)], axis=-1) for t in y]
    return X, y


@pytest.mark.parametrize("cliques", [None, "pairs", "patches", "lines", "pairs + lines", Pairs(connectivity=2),
                                     Patches((2, 2), swap=True), Patches((1, 3)), Lines(5, counted=True),
                                     [Pairs(), Patches((3, 3))]])
def test_kinds_of_cliques_learn(cliques):
    X, y = pictures(generator(60))
    svm = SumOfSubmodularSVM(cliques, C=50, tol=0.02).fit(X[:4], y[:4])
    alone = SumOfSubmodularSVM(None, C=50, tol=0.02).fit(X[:4], y[:4]).score(X[4:], y[4:])
    score = svm.score(X[4:], y[4:])
    assert score >= alone - 0.02 and svm.training_.learned and svm.n_features_in_ == 2
    assert svm.coef_.shape == (2, 2) and svm.intercept_.shape == (2,) and svm.n_iter_ >= 1
    if cliques is not None:
        assert score > 0.8
    labels = svm.predict(X[4:])
    assert isinstance(labels, list) and labels[0].shape == y[4].shape
    stack = svm.predict(np.stack(X[4:]))
    assert isinstance(stack, np.ndarray) and np.array_equal(stack, np.stack(labels))


def test_regions_and_their_functions():
    rng = generator(61)
    X, y = pictures(rng, noise=1.2)
    blocks = np.repeat(np.repeat(np.arange(9).reshape(3, 3), 4, 0), 4, 1)
    samples = [Sample(x, regions=blocks) for x in X]
    for kind in (Regions(knots=5), Regions(reach=0.4), "regions", Regions(swap=True)):
        svm = SumOfSubmodularSVM(kind, C=50, tol=0.02).fit(samples[:4], y[:4])
        assert svm.score(samples[4:], y[4:]) > 0.9
    finer = np.repeat(np.repeat(np.arange(36).reshape(6, 6), 2, 0), 2, 1)
    several = [Sample(x, regions=[blocks, finer]) for x in X]
    assert SumOfSubmodularSVM("regions", C=50, tol=0.05).fit(several[:4], y[:4]).score(several[4:], y[4:]) > 0.85
    with pytest.raises(ValueError, match="without regions"):
        SumOfSubmodularSVM("regions").fit(X, y)


def test_keys_choose_functions():
    rng = generator(62)
    X, y = pictures(rng)
    samples = []
    for x, t in zip(X, y):
        edge = (t[1:, 1:] != t[:-1, :-1]) | (t[1:, :-1] != t[:-1, 1:])  # a hint that pictures would give by contrast
        samples.append(Sample(x, keys={"patches": edge.astype(int)}))
    svm = SumOfSubmodularSVM("patches", C=50, tol=0.02).fit(samples[:4], y[:4])
    assert "patches-0" in svm.model_ and "patches-1" in svm.model_
    assert svm.model_["patches-0"].functions[0, 1] > svm.model_["patches-1"].functions[0, 1]  # a corner away from edges
    assert svm.score(samples[4:], y[4:]) > SumOfSubmodularSVM("patches", C=50, tol=0.02).fit(X[:4], y[:4]).score(X[4:], y[4:])
    pairs = []
    for x, t in zip(X, y):
        members = s3svm.grid_pairs(t.shape)
        pairs.append(Sample(x, keys={"pairs": (t.ravel()[members[:, 0]] != t.ravel()[members[:, 1]]).astype(np.uint8)}))
    strengths = SumOfSubmodularSVM("pairs", C=50, tol=0.02).fit(pairs, y).model_["pairs"].weights
    assert strengths.shape == (2,) and strengths[0] > strengths[1]
    for wrong in (np.zeros((3, 3), int), np.full((11, 11), -1)):
        with pytest.raises(ValueError):
            SumOfSubmodularSVM("patches").fit([Sample(X[0], keys={"patches": wrong})], y[:1])
    with pytest.raises(ValueError):
        SumOfSubmodularSVM(Patches(keys=1)).fit([Sample(X[0], keys={"patches": np.ones((11, 11), int)})], y[:1])


def graphs(rng, count=8):
    """Rings whose labels change twice."""
    X, y = [], []
    for _ in range(count):
        n = int(rng.integers(8, 14))
        labels = np.zeros(n, int)
        labels[rng.integers(0, 3):rng.integers(4, n)] = 1
        ring = np.stack([np.arange(n), (np.arange(n) + 1) % n], axis=1)
        X.append((labels[:, None] + rng.normal(0, 0.6, (n, 1)), ring))
        y.append(labels)
    return X, y


def test_graphs_as_tuples_and_samples():
    rng = generator(63)
    X, y = graphs(rng)
    svm = SumOfSubmodularSVM("pairs", C=20, tol=0.02).fit(X[:5], y[:5])
    assert svm.score(X[5:], y[5:]) > 0.7
    weighted = [(f, p, np.ones((len(p), 2))) for f, p in X]
    assert SumOfSubmodularSVM("pairs", C=20, tol=0.02).fit(weighted, y).model_["pairs"].weights.shape == (2,)
    cliques = [Sample(f, cliques=np.stack([p[:, 0], p[:, 1], np.roll(p[:, 1], -1)], axis=1)) for f, p in X]
    for kind in (Cliques(), Cliques(counted=True), Cliques(swap=True), Cliques(counted=True, swap=True)):
        assert SumOfSubmodularSVM(kind, C=20, tol=0.02).fit(cliques[:5], y[:5]).score(cliques[5:], y[5:]) > 0.7
    with pytest.raises(ValueError):
        SumOfSubmodularSVM("patches").fit(X, y)
    with pytest.raises(ValueError):
        SumOfSubmodularSVM("lines").fit(X, y)


def test_problems_built_by_hand():
    rng = generator(64)
    m = s3svm.Model()
    m.add_features("f", 1)
    m.add_strengths("p")
    problems, y = [], []
    for x, labels in zip(*graphs(rng)):
        p = s3svm.Problem(m, len(labels))
        p.set_features("f", x[0])
        p.add_cliques("p", x[1])
        problems.append(p)
        y.append(labels)
    svm = SumOfSubmodularSVM(model=m, C=20).fit(problems[:5], y[:5])
    assert svm.score(problems[5:], y[5:]) > 0.6 and svm.predict(problems[:1])[0].shape == y[0].shape
    assert SumOfSubmodularSVM(C=20).fit(problems[:5]).training_.learned  # the truths are theirs already


def test_several_labels_and_names():
    rng = generator(65)
    X, y = pictures(rng, labels=3)
    onehot = [np.eye(3)[t] + rng.normal(0, 0.5, t.shape + (3,)) for t in y]
    svm = SumOfSubmodularSVM("pairs", C=50, tol=0.05).fit(onehot[:4], y[:4])
    assert svm.score(onehot[4:], y[4:]) > 0.8 and svm.training_.approximate
    names = np.array(["sky", "sea", "sand"])
    svm = SumOfSubmodularSVM("pairs", C=50, tol=0.05).fit(onehot[:4], [names[t] for t in y[:4]])
    assert set(np.unique(svm.predict(onehot[4:])[0])) <= set(names) and svm.classes_.tolist() == ["sand", "sea", "sky"]


def test_labels_that_are_not_known_and_classes_that_count_more():
    rng = generator(66)
    X, y = pictures(rng, noise=1.5)
    holes = [t.copy() for t in y]
    for t in holes:
        t[:3] = -1
    svm = SumOfSubmodularSVM("pairs", C=50, tol=0.02, ignore_label=-1).fit(X[:4], holes[:4])
    assert svm.classes_.tolist() == [0, 1] and 0.6 < svm.score(X[4:], holes[4:]) <= 1
    ones = [SumOfSubmodularSVM(None, C=5, class_weight=w).fit(X, y).predict(X) for w in (None, {1: 3.0}, "balanced")]
    assert np.mean(ones[1]) > np.mean(ones[0])
    with pytest.raises(ValueError):
        SumOfSubmodularSVM(class_weight="heavy").fit(X, y)


def test_labels_that_are_fixed():
    X, y = pictures(generator(67))
    svm = SumOfSubmodularSVM("patches", C=50, tol=0.05).fit(X, y)
    fixed = np.full(y[0].shape, -1)
    fixed[0] = 1 - y[0][0]
    labels = svm.predict([Sample(X[0], fixed=fixed)])[0]
    assert np.array_equal(labels[0], fixed[0])


def test_paths_and_warm_starts():
    X, y = pictures(generator(68), 8)
    svm = SumOfSubmodularSVM("pairs", tol=0.02)
    points = svm.path(X[:4], y[:4], [0.1, 1, 10], X[4:], y[4:])
    losses = [p.validation_loss for p in points]
    assert svm.C_ == points[int(np.argmin(losses))].C and 1 - svm.score(X[4:], y[4:]) == pytest.approx(min(losses))
    cold = SumOfSubmodularSVM("pairs", C=30).fit(X, y)
    warm = SumOfSubmodularSVM("pairs", C=30, warm_start=True).fit(X, y).fit(X, y)
    assert warm.training_.primal == pytest.approx(cold.training_.primal, rel=2e-3)
    assert warm.n_iter_ <= cold.n_iter_


def test_callbacks_verbose_and_limits(capsys):
    X, y = pictures(generator(69))
    seen = []
    svm = SumOfSubmodularSVM("patches", C=100, tol=1e-6, max_iter=3, callback=seen.append, verbose=True).fit(X, y)
    assert svm.n_iter_ == 3 == len(seen) and svm.training_.outcome == "rounds"
    assert "round 3" in capsys.readouterr().err


def test_files_and_pickles(tmp_path):
    X, y = pictures(generator(70))
    names = np.array(["ink", "paper"])
    svm = SumOfSubmodularSVM([Patches(), Lines(3)], C=20, tol=0.05).fit(X[:4], [names[t] for t in y[:4]])
    svm.save(tmp_path / "svm.json")
    for other in (SumOfSubmodularSVM.load(tmp_path / "svm.json"), pickle.loads(pickle.dumps(svm)), copy.deepcopy(svm)):
        assert all(np.array_equal(a, b) for a, b in zip(other.predict(X), svm.predict(X)))
    with pytest.raises(ValueError):
        SumOfSubmodularSVM().save(tmp_path / "nothing.json")
    s3svm.Model().save(tmp_path / "model.json")
    with pytest.raises(ValueError, match="not written by"):
        SumOfSubmodularSVM.load(tmp_path / "model.json")


def test_parameters():
    svm = SumOfSubmodularSVM("pairs", C=3)
    assert svm.get_params()["C"] == 3 and svm.set_params(C=4, tol=0.1) is svm and svm.C == 4
    assert repr(svm) == "SumOfSubmodularSVM(cliques='pairs', C=4, tol=0.1)"
    with pytest.raises(ValueError):
        svm.set_params(speed=1)
    assert s3svm.SumOfSubmodularSVM().tol == s3svm._s3svm.train_defaults()["gap"]


@pytest.mark.parametrize("call", [
    lambda X, y: SumOfSubmodularSVM("clouds").fit(X, y),
    lambda X, y: SumOfSubmodularSVM(["pairs", Pairs()]).fit(X, y),
    lambda X, y: SumOfSubmodularSVM(C=0).fit(X, y),
    lambda X, y: SumOfSubmodularSVM(tol=-1).fit(X, y),
    lambda X, y: SumOfSubmodularSVM().fit(X, y[:-1]),
    lambda X, y: SumOfSubmodularSVM().fit(X, [t[:-1] for t in y]),
    lambda X, y: SumOfSubmodularSVM().fit(X, None),
    lambda X, y: SumOfSubmodularSVM().fit([], []),
    lambda X, y: SumOfSubmodularSVM().fit(X, [0 * t for t in y]),
    lambda X, y: SumOfSubmodularSVM().fit([X[0], X[1][..., :1]], y[:2]),
    lambda X, y: SumOfSubmodularSVM().fit([x * np.nan for x in X], y),
    lambda X, y: SumOfSubmodularSVM().fit(X, y).predict([x[..., :1] for x in X]),
    lambda X, y: SumOfSubmodularSVM().predict(X),
    lambda X, y: SumOfSubmodularSVM(n_jobs=-3).fit(X, y),
])
def test_what_is_wrong_is_refused(call):
    with pytest.raises(ValueError):
        call(*pictures(generator(71), 2))


def test_scikit_learn_s_own_checks():
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    from unittest import SkipTest

    skipped = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for estimator, check in checks.check_estimator(SumOfSubmodularSVM(None, C=10.0, n_jobs=1), generate_only=True):
            try:
                check(estimator)
            except SkipTest as reason:
                skipped.append(str(reason))
    assert len(skipped) <= 3, skipped


def test_clone_grids_and_pipelines():
    pytest.importorskip("sklearn")
    from sklearn.base import clone, is_classifier
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer, StandardScaler

    X, y = pictures(generator(72), 6)
    svm = SumOfSubmodularSVM(Patches((2, 2)), C=10, tol=0.05)
    twin = clone(svm)
    assert twin is not svm and twin.get_params()["C"] == 10 and is_classifier(svm)
    search = GridSearchCV(svm, {"C": [0.01, 10]}, cv=3).fit(X, y)
    assert search.best_params_["C"] == 10 and search.best_score_ > 0.8
    double = FunctionTransformer(lambda pictures: [2 * x for x in pictures])
    assert make_pipeline(double, svm).fit(X, y).score(X, y) > 0.8
    table, labels = np.concatenate([x.reshape(-1, 2)[::9] for x in X]), np.concatenate([t.ravel()[::9] for t in y])
    flat = make_pipeline(StandardScaler(), SumOfSubmodularSVM(None, C=10))
    assert cross_val_score(flat, table, labels, cv=3).mean() > 0.6
    assert np.mean(clone(flat).fit(table, labels).predict(table) == labels) > 0.6


def test_names_of_cliques_that_there_are_not_are_refused():
    x, y = np.zeros((4, 5, 1)), np.zeros((4, 5), int)
    with pytest.raises(ValueError, match="phi: 'pair' is none of .*did you mean 'pairs'"):
        s3svm.Sample(x, phi={"pair": np.ones(31)})
    with pytest.raises(ValueError, match="keys: 'patch' is none of .*did you mean 'patches'"):
        s3svm.Sample(x, keys={"patch": np.zeros(12, int)})
    y[2:] = 1
    with pytest.raises(ValueError, match="keys of 'patches', but the cliques .* are pairs"):
        s3svm.SumOfSubmodularSVM("pairs").fit([s3svm.Sample(x, keys={"patches": np.zeros(12, int)})], [y])
    svm = s3svm.SumOfSubmodularSVM("pairs").fit([x + y[..., None]], [y])
    with pytest.raises(ValueError, match="phi of 'lines'"):
        svm.predict([s3svm.Sample(x, phi={"lines": np.ones(3)})])
