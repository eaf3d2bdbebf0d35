"""Models: named groups of weights that energies are linear in, and facts that travel with them."""

from __future__ import annotations

import json
from typing import Any, Iterator, Mapping, Optional, Sequence

import numpy as np

from . import _s3svm
from ._arrays import ArrayLike, Doubles, Path, content, doubles, path_bytes, whole, wrap

KINDS = ("free", "nonnegative", "table", "count")
FREE, NONNEGATIVE, TABLE, COUNT = range(4)
NO_CLASS = 0xFFFFFFFF  # of entries of a table that have no weight


class Group:
    """A group of weights of a model, as it is now.

    name, kind ("free", "nonnegative", "table" or "count"), size, shares (of counts), patch, strengths, stiffness; and weights,
    a copy: features x labels of a free group, else a list.  ``functions`` are what tables and counts come to: the 2^k costs, or
    the values at the shares, one row for each function.
    """

    def __init__(self, model: "Model", number: int):
        info = _s3svm.model_group(model._handle, number)
        self.number = number
        self.name: str = info["name"]
        self.kind: str = KINDS[info["kind"]]
        self.size: int = info["size"]
        self.anchored: bool = info["anchored"]
        self.swap: bool = info["swap"]
        self.reversal: bool = info["reversal"]
        self.counted: bool = info["counted"]
        self.patch: Optional[tuple[int, int]] = (info["patch_height"], info["patch_width"]) if info["patch_width"] else None
        self.shares: Optional[Doubles] = None if info["shares"] is None else wrap(info["shares"], np.float64)
        self.strengths: int = info["strengths"] or 1
        self.stiffness: float = info["stiffness"] or 1.0
        self.slice = slice(info["first"], info["next"])
        weights = model.weights[self.slice]
        self.weights: Doubles = weights.reshape(self.size, -1) if self.kind == "free" else weights
        rows = [wrap(_s3svm.model_function(model._handle, number, f), np.float64) for f in range(info["functions"])]
        self.functions: Optional[Doubles] = np.array(rows) if rows else None

    def __repr__(self) -> str:
        what = {"free": "features", "nonnegative": "strengths", "table": "members", "count": "knots"}[self.kind]
        return f"Group {self.name!r}: {self.kind}, {self.size} {what}, {self.weights.size} weights"

    def plot(self, axes: Any = None) -> Any:
        """Draws the group with matplotlib; returns the axes."""
        from ._plot import plot_group

        return plot_group(self, axes)


class Model:
    """A family of energies that is linear in its weights: build the groups, then problems, then train.

    >>> m = Model(labels=2)
    >>> m.add_features("pixel", 2)
    0
    >>> m.add_table("patch", patch=(2, 2), symmetric=True, swap=True)
    1
    >>> m
    Model with 2 labels, 7 weights: pixel (free), patch (table)
    """

    def __init__(self, labels: int = 2):
        self._handle = _s3svm.model_create(int(labels))

    @classmethod
    def _of(cls, handle: Any) -> "Model":
        model = cls.__new__(cls)
        model._handle = handle
        return model

    def copy(self) -> "Model":
        """A copy; problems made for the one can be used with the other, until groups are added."""
        return self._of(_s3svm.model_copy(self._handle))

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> "Model":
        return self.copy()

    def __reduce__(self) -> Any:
        return _restore_model, (self.to_bytes(),)

    # ---- groups ----

    def add_features(self, name: str, size: int, *, stiffness: float = 1.0) -> int:
        """A free group: size features of variables, a weight for each and for each label.  Returns the group's number."""
        return self._add(name, FREE, size, stiffness=stiffness)

    def add_strengths(self, name: str, size: int = 1, *, stiffness: float = 1.0) -> int:
        """A nonnegative group: size strengths of pairs and regions, and of costs that labels have by themselves."""
        return self._add(name, NONNEGATIVE, size, stiffness=stiffness)

    def add_table(self, name: str, size: int = 0, *, patch: Optional[Sequence[int]] = None, symmetric: bool = False,
                  swap: bool = False, anchored: bool = True, reversal: bool = False, counted: bool = False,
                  classes: Optional[ArrayLike] = None, strengths: int = 1, stiffness: float = 1.0) -> int:
        """A table group: the 2^size costs of a clique's labellings, kept submodular.

        patch
            (height, width), in place of size; symmetric ties what its mirrors and turns map to each other.
        swap
            label 0 and 1 alike (two labels only).
        anchored
            nothing costs where all members have label 0.
        reversal, counted
            of members along a line: the same from both ends; only how many are 1 and how often the label changes matters.
        classes
            2^size numbers, ties of one's own: entries of one class share a weight, those of class -1 cost 0.
        strengths
            how many functions there are, each with numbers of its own for every clique.
        """
        sides = (0, 0)
        if patch is not None:
            height, width = (int(p) for p in patch)
            size = height * width
            sides = (width, height) if symmetric else (0, 0)
        ties = None
        if classes is not None:
            ties = np.ascontiguousarray(np.where(whole(classes, "classes") < 0, NO_CLASS, classes), dtype=np.uint32)
        return self._add(name, TABLE, size, (anchored, swap, reversal, counted), sides, ties, stiffness, None, strengths)

    def add_counts(self, name: str, shares: ArrayLike, *, swap: bool = False, anchored: bool = True, strengths: int = 1,
                   stiffness: float = 1.0) -> int:
        """A count group: a concave function of the share of a clique's members that is labelled 1, linear between its values
        at the shares, from 0 to 1."""
        knots = doubles(shares, "shares")
        return self._add(name, COUNT, knots.size, (anchored, swap, False, False), (0, 0), None, stiffness, knots, strengths)

    def _add(self, name: str, kind: int, size: int, ties: tuple[bool, bool, bool, bool] = (False, False, False, False),
             patch: tuple[int, int] = (0, 0), classes: Any = None, stiffness: float = 1.0, shares: Any = None,
             strengths: int = 1) -> int:
        return _s3svm.model_add_group(self._handle, name, kind, int(size), ties, patch, classes, float(stiffness), shares,
                                      int(strengths) if kind in (TABLE, COUNT) else 0)

    @property
    def groups(self) -> "list[Group]":
        return [Group(self, number) for number in range(_s3svm.model_counts(self._handle)[1])]

    def __getitem__(self, name: str) -> Group:
        return Group(self, self._number(name))

    def __iter__(self) -> Iterator[Group]:
        return iter(self.groups)

    def __contains__(self, name: object) -> bool:
        return any(group.name == name for group in self.groups)

    def _number(self, group: Any) -> int:
        if isinstance(group, (int, np.integer)):
            return int(group)
        for number in range(_s3svm.model_counts(self._handle)[1]):
            if _s3svm.model_group(self._handle, number)["name"] == group:
                return number
        raise KeyError(f"there is no group {group!r}")

    def set_stiffness(self, group: Any, stiffness: float) -> None:
        """How much the square of the group's weights costs in training."""
        _s3svm.model_set_stiffness(self._handle, self._number(group), stiffness)

    @property
    def labels(self) -> int:
        return int(_s3svm.model_counts(self._handle)[0])

    @property
    def weights(self) -> Doubles:
        """All weights, group after group, a copy.  Setting them refuses what is not submodular."""
        return wrap(_s3svm.model_weights(self._handle), np.float64)

    @weights.setter
    def weights(self, weights: ArrayLike) -> None:
        _s3svm.model_set_weights(self._handle, doubles(weights, "weights"))

    # ---- facts ----

    @property
    def facts(self) -> Mapping[str, Any]:
        """What travels with the model, from JSON."""
        return {key: json.loads(text) for key, text in _s3svm.model_facts(self._handle).items()}

    def set_fact(self, key: str, value: Any) -> None:
        """Sets a fact: anything that JSON can say.  None removes it."""
        _s3svm.model_set_fact(self._handle, key, None if value is None else json.dumps(value))

    # ---- use ----

    def predict(self, problem: Any, progress: Any = None) -> Any:
        """The labels of least energy of a :class:`Problem`, in its shape."""
        return problem.minimize(self, progress=progress)

    def plot(self, figure: Any = None) -> Any:
        """Draws all groups with matplotlib; returns the figure."""
        from ._plot import plot_model

        return plot_model(self, figure)

    def page(self, path: Path, name: str = "model") -> None:
        """Writes a page (HTML that needs nothing else): what the model is and has learned."""
        _s3svm.model_page(self._handle, name, path_bytes(path))

    def __repr__(self) -> str:
        labels, _, weights = _s3svm.model_counts(self._handle)
        groups = ", ".join(f"{g.name} ({g.kind})" for g in self.groups[:6])
        more = ", ..." if len(self.groups) > 6 else ""
        task = self.facts.get("task")
        return f"Model{f' for {task}' if task else ''} with {labels} labels, {weights} weights: {groups}{more}"

    # ---- files ----

    @classmethod
    def load(cls, path: Path) -> "Model":
        """Reads a model file of this package or of the command."""
        return cls._of(_s3svm.model_read(path_bytes(path)))

    @classmethod
    def from_bytes(cls, text: bytes) -> "Model":
        return cls._of(_s3svm.model_parse(content(text), "text"))

    @classmethod
    def embedded(cls, name: str) -> "Model":
        """A model that the library carries inside (:func:`embedded_models`)."""
        return cls._of(_s3svm.model_embedded(name))

    def save(self, path: Path) -> None:
        """Writes a model file: JSON, exact in every weight."""
        _s3svm.model_write(self._handle, path_bytes(path))

    def to_bytes(self) -> bytes:
        return _s3svm.model_text(self._handle)


def _restore_model(text: bytes) -> Model:
    return Model.from_bytes(text)


def embedded_models() -> "list[str]":
    """The names of the models that the library carries inside.

    >>> embedded_models()
    ['denoise', 'segment', 'segment-amn']
    """
    return sorted(_s3svm.embedded_names())
