"""Learning problems built by hand: variables, features and cliques for the groups of a model, and the truth."""

from __future__ import annotations

import math
from typing import Any, Iterable, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _s3svm
from ._arrays import ArrayLike, Doubles, Labels, Path, doubles, labels as as_labels, numbers, optional_doubles
from ._arrays import path_bytes, shape_of, whole, wrap
from ._energy import Energy
from ._minimize import threads
from ._model import Model
from ._multi import MultiEnergy
from ._progress import Progress, watched
from ._regions import Regions, region_lists

LABEL_FREE = 255  # SOS_LABEL_FREE


class Problem:
    """One example of a model: shape is the number of its variables, or the shape of a grid.

    >>> m = Model()
    >>> m.add_features("answer", 1), m.add_strengths("friends")
    (0, 1)
    >>> p = Problem(m, 3)
    >>> p.set_features("answer", [[0.9], [0.6], [0.1]])
    >>> p.add_cliques("friends", [[0, 1], [1, 2]])
    >>> p.set_truth([1, 1, 0])
    >>> p
    Problem of 3 variables with 2 parts, labelled
    """

    def __init__(self, model: Model, shape: Union[int, Sequence[int]]):
        self._shape = shape_of(shape)
        self.model = model
        self._handle = _s3svm.example_create(model._handle, math.prod(self._shape))

    @classmethod
    def _of(cls, model: Model, handle: Any, shape: Optional[Sequence[int]] = None) -> "Problem":
        problem = cls.__new__(cls)
        problem.model = model
        problem._handle = handle
        problem._shape = (int(_s3svm.example_info(handle)[0]),) if shape is None else tuple(int(s) for s in shape)
        return problem

    def __reduce__(self) -> Any:
        return _restore_problem, (_s3svm.problem_text(self.model._handle, [self._handle]), self.model.to_bytes(), self._shape)

    def __deepcopy__(self, memo: Any) -> "Problem":
        restore, arguments = self.__reduce__()
        return restore(*arguments)  # type: ignore[no-any-return]

    def _place(self, group: Any) -> tuple[Any, Any, int]:
        return self._handle, self.model._handle, self.model._number(group)

    # ---- what it is made of ----

    def set_features(self, group: Any, features: Any) -> None:
        """Features of all variables for a free group: shape + (size,) or variables x size numbers; a matrix of SciPy in rows
        (csr); or (start, index, value) as such a matrix has them."""
        if hasattr(features, "indptr"):
            features = (features.indptr, features.indices, features.data)
        if isinstance(features, tuple):
            start, index, value = features
            size = self.model.groups[self.model._number(group)].size
            _s3svm.example_set_features(self._place(group), np.ascontiguousarray(whole(start, "start"), dtype=np.uint64),
                                        numbers(index, "index", max(1, size)), optional_doubles(value, "value"))
            return
        values = doubles(features, "features")
        size = int(_s3svm.model_group(self.model._handle, self.model._number(group))["size"])
        if values.shape not in (self._shape + (size,), (self.variables, size)):
            raise ValueError(f"features must be of shape {self._shape + (size,)}, not {values.shape}")
        start = np.arange(self.variables + 1, dtype=np.uint64) * np.uint64(size)
        index = np.tile(np.arange(size, dtype=np.uint32), self.variables)
        _s3svm.example_set_features(self._place(group), start, index, values)

    def set_costs(self, group: Any, costs: ArrayLike) -> None:
        """What labels cost by themselves, for a nonnegative group: shape + (labels,) or shape + (labels, size), such as -log p
        of another classifier; one weight says how much all labels heed it."""
        _s3svm.example_set_costs(self._place(group), doubles(costs, "costs"))

    def add_cliques(self, group: Any, variables: ArrayLike, phi: Optional[ArrayLike] = None) -> None:
        """Pairs of a nonnegative group, or cliques of a table group: one for each row of variables.  phi: numbers >= 0 for each
        clique, as many as the group has strengths (1 unless given)."""
        members = numbers(variables, "variables", max(1, self.variables))
        if members.size and members.ndim != 2:
            raise ValueError(f"variables must be count x k, not of {members.ndim} dimensions")
        _s3svm.example_add_cliques(self._place(group), members.shape[0] if members.size else 0, members.reshape(-1),
                                   optional_doubles(phi, "phi"))

    def add_regions(self, group: Any, regions: Regions, phi: Optional[ArrayLike] = None, *, reach: float = 0.5,
                    amounts: Optional[ArrayLike] = None) -> None:
        """Regions of any sizes: of a nonnegative group robust P^n, which costs most where a share reach of a region, at most
        1/2, differs from the rest; of a count group the learned function of the share labelled 1, or of the share of the
        amounts.  regions: the number of its region for each variable (negative: none), or lists of variables."""
        start, members = region_lists(regions, self._shape)
        _s3svm.example_add_regions(self._place(group), start, members, reach, optional_doubles(amounts, "amounts"),
                                   optional_doubles(phi, "phi"))

    def set_scale(self, scale: float) -> None:
        """Multiplies all energies, so that problems of different sizes count alike."""
        _s3svm.example_set_scale(self._handle, scale)

    def set_truth(self, labels: ArrayLike, care: Optional[ArrayLike] = None) -> None:
        """The true labels; variables whose care is 0 cost nothing, whatever label they get."""
        counted = None if care is None else as_labels(care, self._shape, 2, "care")
        _s3svm.example_set_truth(self._handle, as_labels(labels, self._shape, self.model.labels), counted)

    def fix(self, labels: Optional[ArrayLike]) -> None:
        """Fixes variables to labels; -1 leaves one free, None all."""
        if labels is None:
            _s3svm.example_fix_all(self._handle, None)
            return
        wanted = whole(labels, "labels").astype(np.int64)
        if ((wanted < -1) | (wanted >= self.model.labels)).any():
            raise ValueError(f"labels must be from 0 to {self.model.labels - 1}, or -1")
        _s3svm.example_fix_all(self._handle, as_labels(np.where(wanted < 0, LABEL_FREE, wanted), self._shape, 256))

    def set_class_loss(self, weight: ArrayLike) -> None:
        """What an error costs, by the true label."""
        _s3svm.example_set_loss(self._handle, self.model._handle, doubles(weight, "weight"), False)

    def set_loss(self, loss: ArrayLike) -> None:
        """What each label of each variable costs as an error, shape + (labels,), 0 for the true one."""
        _s3svm.example_set_loss(self._handle, self.model._handle, doubles(loss, "loss"), True)

    def add_clique_loss(self, variables: ArrayLike, delta: ArrayLike) -> None:
        """With two labels: what each of the 2^k labellings of some variables costs on top, 0 for the true one."""
        _s3svm.example_add_clique_loss(self._handle, numbers(variables, "variables", max(1, self.variables)).reshape(-1),
                                       doubles(delta, "delta"))

    # ---- what there is ----

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    @property
    def variables(self) -> int:
        return int(_s3svm.example_info(self._handle)[0])

    @property
    def nbytes(self) -> int:
        return int(_s3svm.example_info(self._handle)[1])

    @property
    def scale(self) -> float:
        return float(_s3svm.example_info(self._handle)[2])

    @property
    def truth(self) -> Optional[Labels]:
        truth = _s3svm.example_info(self._handle)[3]
        return None if truth is None else wrap(truth, np.uint8).reshape(self._shape)

    @property
    def care(self) -> Optional[Labels]:
        care = _s3svm.example_info(self._handle)[4]
        return None if care is None else wrap(care, np.uint8).reshape(self._shape)

    @property
    def parts(self) -> int:
        """How many pairs, cliques and regions there are."""
        return int(_s3svm.example_info(self._handle)[5])

    @property
    def fixed(self) -> npt.NDArray[np.int16]:
        """The labels that variables are fixed to; -1: free."""
        out = np.empty(self._shape, dtype=np.uint8)
        _s3svm.example_fixed(self._handle, out)
        return np.where(out == LABEL_FREE, -1, out.astype(np.int16)).astype(np.int16)

    def features(self, group: Any) -> Optional[Doubles]:
        """The features of a free group as an array, shape + (size,); of a nonnegative one its costs, shape + (labels, size);
        None: there are none."""
        found = _s3svm.example_features(self._place(group))
        size = int(_s3svm.model_group(self.model._handle, self.model._number(group))["size"])
        if found is None:
            return None
        if isinstance(found, bytearray):
            return wrap(found, np.float64).reshape(self._shape + (self.model.labels, size))
        start, index, value = wrap(found[0], np.uint64), wrap(found[1], np.uint32), found[2]
        out = np.zeros((self.variables, size))
        rows = np.repeat(np.arange(self.variables), np.diff(start.astype(np.int64)))
        np.add.at(out, (rows, index), 1.0 if value is None else wrap(value, np.float64))
        return out.reshape(self._shape + (size,))

    def psi(self, labels: ArrayLike) -> Doubles:
        """Psi(x, labels): energies are its product with the weights."""
        out = np.empty(self.model.weights.size)
        _s3svm.example_psi(self._handle, self.model._handle, as_labels(labels, self._shape, self.model.labels), out)
        return out

    def loss(self, labels: ArrayLike) -> float:
        """What the errors of these labels cost."""
        return _s3svm.example_loss(self._handle, self.model._handle, as_labels(labels, self._shape, self.model.labels))

    def minimize(self, model: Optional[Model] = None, *, loss_augmented: bool = False, progress: Progress = None) -> Labels:
        """The labels of least energy under the weights of the model (its own unless given); loss_augmented: of least energy
        less loss, the most violated constraint of training."""
        out = np.empty(self._shape, dtype=np.uint8)
        with watched(progress) as callback:
            _s3svm.example_minimize((model or self.model)._handle, self._handle, loss_augmented, out, callback)
        return out

    def energy(self, model: Optional[Model] = None, *, loss_augmented: bool = False) -> Union[Energy, MultiEnergy]:
        """The energy under the weights of a model, a copy, for minimising it in one's own way; times ``scale`` it is w . Psi."""
        used = model or self.model
        handle = _s3svm.example_energy(used._handle, self._handle, loss_augmented)
        return Energy._of(handle, self._shape) if used.labels == 2 else MultiEnergy._of(handle, self._shape)

    def __len__(self) -> int:
        return self.variables

    def __repr__(self) -> str:
        sides = " x ".join(str(s) for s in self._shape)
        known = ", labelled" if self.truth is not None else ""
        return f"Problem of {sides} variables with {self.parts} parts{known}"


def _restore_problem(text: bytes, model: bytes, shape: tuple[int, ...]) -> Problem:
    _, handles = _s3svm.problem_parse(text, "problem")
    return Problem._of(Model.from_bytes(model), handles[0], shape)


def read_problem(path: Path) -> "tuple[Model, list[Problem]]":
    """Reads a problem file from a path: a model with its groups, weights 0, and its examples."""
    handle, examples = _s3svm.problem_read(path_bytes(path))
    model = Model._of(handle)
    return model, [Problem._of(model, x) for x in examples]


def write_problem(path: Path, model: Model, problems: Iterable[Problem]) -> None:
    """Writes problems of a model to a file at path, which ``s3svm train --problem`` reads."""
    text = _s3svm.problem_text(model._handle, [p._handle for p in problems])
    with open(path, "wb") as file:
        file.write(text)


def evaluate(model: Model, problems: Iterable[Problem], n_jobs: Optional[int] = None) -> Doubles:
    """The loss of the model's prediction of each of the problems; n_jobs threads, None or -1: all cores."""
    handles = [p._handle for p in problems]
    losses = np.empty(len(handles))
    _s3svm.evaluate(model._handle, handles, threads(n_jobs), losses)
    return losses
