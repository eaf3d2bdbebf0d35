"""An estimator in the manner of scikit-learn, which it does not need."""

from __future__ import annotations

import inspect
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._arrays import ArrayLike, Doubles, Path, about
from ._cliques import Sample, chosen, from_facts, to_facts
from ._minimize import min_marginals
from ._model import Model
from ._multi import MultiEnergy
from ._problem import Problem
from ._train import DEFAULTS, PathPoint, RoundCallback, Training, train, train_path

# Energies are divided by the number of variables, so that C means the same for pictures of all sizes, and the library's 1 is too
# little: of drawings in noise 8.2 % of the pixels are wrong with 1, 4.6 % with 100, 3.4 % with 1,000 and with 10,000.
C = 1000.0
UNARY = "features"  # the group of the features of variables
FACT = "python"  # what the estimator keeps in its model


class SumOfSubmodularSVM:
    """A structural SVM over pictures, graphs or anything else whose energy is a sum of submodular functions.

    cliques
        what relates variables: "pairs", "patches", "lines" or "regions" of grids, "pairs" and "cliques" of graphs; several
        joined by "+"; :class:`Pairs`, :class:`Patches`, :class:`Lines`, :class:`Regions`, :class:`Cliques` with settings, or a
        list of these; None: nothing does
    C
        weighs errors on the examples against large weights
    tol
        the relative gap between objective and proven bound at which training ends
    max_iter, max_seconds
        rounds and seconds, at most; 0: no limit
    fit_intercept
        add a constant to the features
    class_weight
        what errors cost by the true label: None (all alike), "balanced", or a dict
    ignore_label
        a number in y that says that the label is not known
    n_jobs
        threads; None or -1: all cores.  The result is the same.
    warm_start
        begin with the weights of the last fit
    callback, verbose
        called with the figures of every round, returning False ends training; a line that shows them
    model
        with :class:`Problem` objects: the model that they were made for

    X is a list of arrays height x width x features (or of one or three dimensions), of :class:`Sample` objects, of tuples
    (features, pairs) or (features, pairs, phi), or of :class:`Problem` objects; or one array of examples x height x width x
    features.  y is a list of labels in the shapes of the grids.  A plain table, examples x features with y a list of labels, is
    what scikit-learn's classifiers take: each example has one variable.

    After :meth:`fit`: ``model_``, ``classes_``, ``coef_`` (labels x features, what a unit of a feature costs),
    ``intercept_``, ``training_``, ``n_iter_``, ``n_features_in_``.

    >>> rng = np.random.default_rng(0)
    >>> y = [np.repeat(np.repeat(rng.integers(0, 2, (3, 3)), 4, 0), 4, 1) for _ in range(6)]
    >>> X = [(labels + rng.normal(0, 0.7, labels.shape))[..., None] for labels in y]
    >>> svm = SumOfSubmodularSVM("patches", C=100).fit(X[:4], y[:4])
    >>> bool(svm.score(X[4:], y[4:]) > 0.9)
    True
    """

    _estimator_type = "classifier"

    def __init__(self, cliques: Any = "patches", *, C: float = C, tol: float = DEFAULTS["gap"],
                 max_iter: int = DEFAULTS["rounds"], max_seconds: float = DEFAULTS["seconds"], fit_intercept: bool = True,
                 class_weight: Any = None, ignore_label: Any = None, n_jobs: Optional[int] = None, warm_start: bool = False,
                 callback: Optional[RoundCallback] = None, verbose: bool = False, model: Optional[Model] = None):
        self.cliques = cliques
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.ignore_label = ignore_label
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.callback = callback
        self.verbose = verbose
        self.model = model

    # ---- parameters, as scikit-learn's ----

    @classmethod
    def _names(cls) -> "list[str]":
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> "dict[str, Any]":
        """The parameters by their names."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params: Any) -> "SumOfSubmodularSVM":
        """Sets parameters."""
        for name, value in params.items():
            if name not in self._names():
                raise ValueError(f"Invalid parameter {name!r} for estimator {type(self).__name__}")
            setattr(self, name, value)
        return self

    def __repr__(self, N_CHAR_MAX: int = 0) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        changed = [f"{name}={getattr(self, name)!r}" for name in self._names()
                   if repr(getattr(self, name)) != repr(defaults[name].default)]
        return f"{type(self).__name__}({', '.join(changed)})"

    def _more_tags(self) -> "dict[str, Any]":
        return {"requires_y": True, "_xfail_checks": {
            "check_class_weight_classifiers": "class weights are the margins that errors ask for, not numbers of examples"}}

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(estimator_type="classifier", target_tags=TargetTags(required=True), classifier_tags=ClassifierTags(),
                    transformer_tags=None, regressor_tags=None, input_tags=InputTags(three_d_array=True))

    # ---- fitting ----

    def fit(self, X: Any, y: Any = None) -> "SumOfSubmodularSVM":
        """Learns from examples.  Ctrl-C ends it early with the best weights so far, and a warning."""
        model, problems = self._begin(X, y)
        start = self._warm_weights(model)
        training = train(model, problems, self.C, tol=self.tol, n_jobs=self.n_jobs, callback=self.callback,
                         progress=self.verbose, start=start, **self._limits())
        return self._finish(model, training)

    def path(self, X: Any, y: Any, values: ArrayLike, X_val: Any = None, y_val: Any = None) -> "list[PathPoint]":
        """Learns for all values of C, which increase, and keeps the one with the least loss on the validation examples, or,
        without any, the last; it becomes ``C_``.  Returns a point for each value."""
        model, problems = self._begin(X, y)
        validation = [] if X_val is None else self._problems(model, self._samples(X_val, False), self._truths(X_val, y_val))
        points, best = train_path(model, problems, values, validation, tol=self.tol, n_jobs=self.n_jobs,
                                  callback=self.callback, progress=self.verbose, **self._limits())
        self._finish(model, points[best].training)
        self.C_ = points[best].C
        return points

    def _limits(self) -> "dict[str, Any]":
        return {"rounds": int(self.max_iter), "seconds": float(self.max_seconds)}

    def _begin(self, X: Any, y: Any) -> "tuple[Model, list[Problem]]":
        self._check_numbers()
        samples = self._samples(X, True)
        if not samples:
            raise ValueError("there are no examples to learn from")
        if isinstance(samples[0], Problem):
            return self._begin_problems(samples, y)
        self.n_features_in_ = self._feature_count(samples)
        truths = self._truths(X, y)
        if len(truths) != len(samples):
            raise ValueError(f"there are {len(samples)} examples, but {len(truths)} of labels")
        self.classes_ = self._find_classes(truths)
        self._kinds = [] if self._is_table(X) else chosen(self.cliques)
        model = Model(len(self.classes_))
        model.add_features(UNARY, self.n_features_in_ + bool(self.fit_intercept))
        self._made = [kind.add_groups(model, samples) for kind in self._kinds]
        return model, self._problems(model, samples, truths)

    def _begin_problems(self, problems: "list[Any]", y: Any) -> "tuple[Model, list[Problem]]":
        model = (problems[0].model if self.model is None else self.model).copy()
        if y is not None:
            for problem, labels in zip(problems, y):
                problem.set_truth(labels)
        self.classes_ = np.arange(model.labels)
        self._kinds, self._made = [], []
        self.n_features_in_ = sum(group.size for group in model if group.kind == "free")
        return model, problems

    def _finish(self, model: Model, training: Training) -> "SumOfSubmodularSVM":
        self.model_ = model
        self.training_ = training
        self.n_iter_ = max(1, training.rounds)
        self.C_ = float(self.C)
        if UNARY in model:
            weights = model[UNARY].weights
            self.coef_: Doubles = weights[:self.n_features_in_].T.copy()
            self.intercept_: Doubles = weights[-1].copy() if self.fit_intercept else np.zeros(model.labels)
        model.set_fact(FACT, {"cliques": to_facts(self._kinds), "made": self._made, "classes": _plain(self.classes_),
                              "fit_intercept": bool(self.fit_intercept), "features": self.n_features_in_})
        return self

    def _warm_weights(self, model: Model) -> Optional[Doubles]:
        if not self.warm_start or not hasattr(self, "model_"):
            return None
        old = self.model_.weights
        return old if old.size == model.weights.size and self.model_.labels == model.labels else None

    def _check_numbers(self) -> None:
        for name in ("C", "tol"):
            value: Any = getattr(self, name)
            if not isinstance(value, (int, float, np.number)) or not value > 0:
                raise ValueError(f"{name} must be a number over 0, not {value!r}")

    # ---- examples ----

    @staticmethod
    def _is_table(X: Any) -> bool:
        """examples x features, as scikit-learn has it."""
        if isinstance(X, (list, tuple)):
            return len(X) > 0 and not isinstance(X[0], (Problem, Sample, tuple)) and np.ndim(X[0]) <= 1
        return np.asarray(X).ndim <= 2

    def _samples(self, X: Any, fitting: bool) -> "list[Any]":
        if hasattr(X, "toarray") or hasattr(X, "tocsr"):
            raise TypeError("A sparse matrix was passed, but dense data is required. Use X.toarray() to convert it")
        if self._is_table(X):
            return self._table_samples(X, fitting)
        samples = []
        for i, x in enumerate(X):
            with about(f"example {i}"):
                samples.append(self._sample(x))
        for i, sample in enumerate(samples):
            if isinstance(sample, Sample) and not np.isfinite(sample.features).all():
                place = tuple(int(p) for p in np.argwhere(~np.isfinite(sample.features))[0])
                raise ValueError(f"example {i}: features contain NaN or infinity, at {place}")
        return samples

    def _table_samples(self, X: Any, fitting: bool) -> "list[Sample]":
        table = np.asarray(X)
        if table.dtype.kind == "c":
            raise ValueError("Complex data not supported")
        if table.dtype.kind not in "fiub":
            try:
                table = table.astype(np.float64)
            except (TypeError, ValueError) as error:
                kind = TypeError if isinstance(error, TypeError) else ValueError
                raise kind(f"argument must be a string or a number: features must be real numbers: {error}") from None
        if table.ndim != 2:
            raise ValueError(f"Expected 2D array, got {table.ndim}D array instead. Reshape your data")
        if table.shape[0] == 0:
            raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
        if table.shape[1] == 0:
            raise ValueError(f"Found array with 0 feature(s) (shape={table.shape}) while a minimum of 1 is required.")
        if not np.isfinite(table.astype(np.float64)).all():
            raise ValueError("Input X contains NaN or infinity.")
        if fitting:
            return [Sample(row[None], graph=True) for row in table]
        return [Sample(table, graph=True)]

    @staticmethod
    def _sample(x: Any) -> Any:
        if isinstance(x, (Problem, Sample)):
            return x
        if isinstance(x, tuple):
            features, pairs = x[:2]
            return Sample(features, pairs=pairs, phi={"pairs": x[2]} if len(x) > 2 else None, graph=True)
        return Sample(x)

    @staticmethod
    def _feature_count(samples: "list[Sample]") -> int:
        counts = {sample.features.shape[-1] for sample in samples}
        if len(counts) != 1:
            raise ValueError(f"examples differ in how many features they have: {sorted(counts)}")
        return int(counts.pop())

    def _truths(self, X: Any, y: Any) -> "list[npt.NDArray[Any]]":
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        if not self._is_table(X):
            return [np.asarray(labels) for labels in y]
        labels = np.asarray(y)
        if labels.dtype == object and not all(isinstance(label, str) for label in labels.ravel()):
            raise ValueError("Unknown label type: objects that are no strings")
        if labels.ndim == 2 and labels.shape[1] == 1:
            import warnings

            warnings.warn("A column-vector y was passed when a 1d array was expected", _conversion_warning(), stacklevel=4)
            labels = labels.ravel()
        if labels.ndim != 1:
            raise ValueError(f"y should be a 1d array, got an array of shape {labels.shape} instead.")
        if labels.dtype.kind == "f" and not np.isfinite(labels).all():
            raise ValueError("Input y contains NaN or infinity.")
        if labels.dtype.kind == "f" and (labels != np.floor(labels)).any():
            raise ValueError("Unknown label type: continuous")
        return [labels[i:i + 1] for i in range(len(labels))]

    def _find_classes(self, truths: "list[npt.NDArray[Any]]") -> npt.NDArray[Any]:
        classes: npt.NDArray[Any] = np.unique(np.concatenate([np.unique(truth) for truth in truths]))
        if classes.dtype.kind == "f":
            if (classes != np.floor(classes)).any():
                raise ValueError("Unknown label type: continuous")
        if self.ignore_label is not None:
            classes = classes[classes != self.ignore_label]
        if len(classes) < 2:
            raise ValueError(f"there must be two classes or more to learn from, not one class: {classes}")
        return classes

    def _codes(self, truth: npt.NDArray[Any]) -> "tuple[npt.NDArray[np.uint8], Optional[npt.NDArray[np.uint8]]]":
        """Labels as numbers of classes, and which count; what is not known stands for the most frequent label."""
        care = None
        if self.ignore_label is not None:
            care = (truth != self.ignore_label).astype(np.uint8)
        codes = np.minimum(np.searchsorted(self.classes_, truth), len(self.classes_) - 1)
        known = self.classes_[codes] == truth
        if care is not None:
            codes = np.where(care == 1, codes, np.bincount(codes[care == 1], minlength=1).argmax() if care.any() else 0)
            known = known | (care == 0)
        if not known.all():
            raise ValueError(f"y has a label that is none of the classes {self.classes_}")
        return codes.astype(np.uint8), care

    def _losses(self, truths: "list[npt.NDArray[Any]]") -> Optional[Doubles]:
        if self.class_weight is None:
            return None
        if isinstance(self.class_weight, Mapping):
            return np.array([float(self.class_weight.get(label, 1.0)) for label in self.classes_.tolist()])
        if self.class_weight != "balanced":
            raise ValueError(f"class_weight must be None, 'balanced' or a dict, not {self.class_weight!r}")
        counts = np.zeros(len(self.classes_))
        for truth in truths:
            codes, care = self._codes(truth)
            counts += np.bincount(codes[care == 1] if care is not None else codes.ravel(), minlength=len(counts))
        return np.where(counts > 0, counts.sum() / (np.count_nonzero(counts) * np.maximum(counts, 1)), 1.0)

    def _problems(self, model: Model, samples: "list[Any]", truths: "list[npt.NDArray[Any]]") -> "list[Problem]":
        losses = self._losses(truths)
        problems = []
        for i, (sample, truth) in enumerate(zip(samples, truths)):
            if truth.shape != sample.shape:
                raise ValueError(f"example {i} has shape {sample.shape}, but its labels {truth.shape}")
            with about(f"example {i}"):
                problem = self._problem(model, sample)
                problem.set_truth(*self._codes(truth))
            if losses is not None:
                problem.set_class_loss(losses)
            problems.append(problem)
        return problems

    def _check_names(self, sample: Sample) -> None:
        """What a sample says of cliques that the estimator does not have would be ignored."""
        names = [kind.name for kind in self._kinds]
        for argument, given in (("keys", sample.keys), ("phi", sample.phi)):
            for name in given:
                if name not in names:
                    raise ValueError(f"a sample has {argument} of {name!r}, but the cliques of this {type(self).__name__} are "
                                     f"{', '.join(names) if names else 'none'}")

    def _problem(self, model: Model, sample: Sample) -> Problem:
        self._check_names(sample)
        problem = Problem(model, sample.shape)
        features = sample.features
        if self.fit_intercept:
            features = np.concatenate([features, np.ones(features.shape[:-1] + (1,))], axis=-1)
        problem.set_features(UNARY, features)
        for kind, made in zip(self._kinds, self._made):
            kind.add_to(problem, sample, made)
        problem.set_scale(1.0 / max(1, sample.variables))
        if sample.fixed is not None:
            fixed = np.asarray(sample.fixed)
            codes = np.minimum(np.searchsorted(self.classes_, fixed), len(self.classes_) - 1)
            problem.fix(np.where(self.classes_[codes] == fixed, codes, -1))
        return problem

    # ---- predicting ----

    def predict(self, X: Any) -> Any:
        """The labels of least energy: a list of arrays, or one array where X is one."""
        self._check_fitted()
        samples = self._samples(X, False)
        labels = [self._predict_one(sample) for sample in samples]
        if self._is_table(X):
            return labels[0]
        return np.stack(labels) if isinstance(X, np.ndarray) and X.dtype != object else labels

    def _check_fitted(self) -> None:
        if not hasattr(self, "model_"):
            raise _not_fitted(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' first.")

    def _seen(self, sample: Sample) -> Problem:
        if sample.features.shape[-1] != self.n_features_in_:
            raise ValueError(f"X has {sample.features.shape[-1]} features, but {type(self).__name__} is expecting "
                             f"{self.n_features_in_} features as input.")
        return self._problem(self.model_, sample)

    def _predict_one(self, sample: Any) -> npt.NDArray[Any]:
        if not isinstance(sample, Problem):
            sample = self._seen(sample)
        labels: npt.NDArray[Any] = self.classes_[sample.minimize(self.model_)]
        return labels

    def decision_function(self, X: Any) -> Any:
        """How much more than the best labelling the other label of each variable costs: its *min-marginal*.

        Of two classes: min E(y) over all y with label 0 there less that with label 1, in the shape of the labels; positive
        where :meth:`predict` says ``classes_[1]``.  It is exact, and takes one further minimisation, from the last flow, for each
        variable.  Without cliques, as of a plain table, it is the difference of the unary costs.  Of several classes there
        is a last axis with the negative min-marginal of each class, for models without cliques only: with cliques moves do not
        find exact ones.

        X
            as of :meth:`predict`
        """
        self._check_fitted()
        samples = self._samples(X, False)
        found = [self._margins(sample if isinstance(sample, Problem) else self._seen(sample)) for sample in samples]
        if self._is_table(X):
            return found[0]
        return np.stack(found) if isinstance(X, np.ndarray) and X.dtype != object else found

    def _margins(self, problem: Problem) -> Doubles:
        energy: Any = problem.energy(self.model_)
        if isinstance(energy, MultiEnergy):
            if energy.cliques or energy.counts:
                raise ValueError("min-marginals of several classes with cliques are not exact; decision_function is for two classes, or for "
                                 "models without cliques")
            return -energy.unaries
        if not energy.cliques and not energy.concaves:
            unaries: Doubles = energy.unaries
            return unaries[..., 0] - unaries[..., 1]
        return min_marginals(energy)

    def score(self, X: Any, y: Any, sample_weight: Optional[ArrayLike] = None) -> float:
        """The share of labels that are right; of those that are known."""
        predictions = self.predict(X)
        if self._is_table(X):
            return float(np.average(predictions == np.asarray(y), weights=sample_weight))
        weights = np.ones(len(predictions)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        right = total = 0.0
        for labels, truth, weight in zip(predictions, y, weights):
            counts = np.ones(np.shape(truth), bool) if self.ignore_label is None else np.asarray(truth) != self.ignore_label
            right += weight * float(np.count_nonzero((labels == truth) & counts))
            total += weight * float(np.count_nonzero(counts))
        return right / total if total else 0.0

    # ---- files ----

    def save(self, path: Path) -> None:
        """Writes the model with all that predicting needs, as a model file that the command reads, too."""
        if not hasattr(self, "model_"):
            raise _not_fitted(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' first.")
        self.model_.save(path)

    @classmethod
    def load(cls, path: Path) -> "SumOfSubmodularSVM":
        """Reads what :meth:`save` has written."""
        model = Model.load(path)
        facts = model.facts.get(FACT)
        if facts is None:
            raise ValueError("this model was not written by SumOfSubmodularSVM; s3svm.Model.load reads it")
        svm = cls(fit_intercept=facts["fit_intercept"])
        svm._kinds = from_facts(facts["cliques"])
        svm.cliques = svm._kinds
        svm._made = facts["made"]
        svm.classes_ = np.array(facts["classes"])
        svm.n_features_in_ = facts["features"]
        svm.model_ = model
        return svm

    def plot(self, figure: Any = None) -> Any:
        """Draws what was learned with matplotlib; returns the figure."""
        return self.model_.plot(figure)


def _plain(classes: npt.NDArray[Any]) -> Any:
    return classes.tolist()


def _not_fitted(message: str) -> Exception:
    """scikit-learn's exception where it is there, and one of its kind where not."""
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        return ValueError(message)
    error: Exception = NotFittedError(message)
    return error


def _conversion_warning() -> Any:
    try:
        from sklearn.exceptions import DataConversionWarning
    except ImportError:
        return UserWarning
    return DataConversionWarning
