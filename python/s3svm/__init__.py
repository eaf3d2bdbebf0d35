"""Exact minimisation and learning of sum-of-submodular energies, and what was learned: cutting out, restoring, labelling.

>>> import numpy as np, s3svm
>>> noisy = np.array([[0.1, 0.7, 0.9], [0.2, 0.4, 0.8]])
>>> s3svm.minimize((noisy, 1 - noisy), pairs=0.3).labels
array([[0, 1, 1],
       [0, 1, 1]], dtype=uint8)
"""

from . import _s3svm
from ._cliques import Cliques, Lines, Pairs, Patches, Regions, Sample
from ._energy import Clique, Concave, Energy, grid_pairs, table
from ._errors import (ArgumentError, Cancelled, Error, FileError, FormatError, NotSubmodularError, OutOfMemoryError,
                      RangeError)
from ._minimize import Minimizer, Minimum, minimize, minimize_batch
from ._model import Group, Model, embedded_models
from ._multi import Expansion, MultiEnergy, expand, pn_potts, potts, robust_pn
from ._problem import Problem, evaluate, read_problem, write_problem
from ._svm import SumOfSubmodularSVM
from ._train import PathPoint, Training, TrainingInterrupted, train, train_path

__version__: str = _s3svm.version()

__all__ = [
    "ArgumentError", "Cancelled", "Clique", "Cliques", "Concave", "Energy", "Error", "Expansion", "FileError", "FormatError",
    "Group", "Lines", "Minimizer", "Minimum", "Model", "MultiEnergy", "NotSubmodularError", "OutOfMemoryError", "Pairs",
    "Patches", "PathPoint", "Problem", "RangeError", "Regions", "Sample", "SumOfSubmodularSVM", "Training",
    "TrainingInterrupted", "embedded_models", "evaluate", "expand", "grid_pairs", "minimize", "minimize_batch", "pn_potts",
    "potts", "read_problem", "robust_pn", "table", "train", "train_path", "write_problem",
]
