"""Exact minimisation and learning of sum-of-submodular energies, and what was learned: cutting out, restoring, labelling.

>>> import numpy as np, s3svm
>>> noisy = np.array([[0.1, 0.7, 0.9], [0.2, 0.4, 0.8]])
>>> s3svm.minimize((noisy, 1 - noisy), pairs=0.3).labels
array([[0, 1, 1],
       [0, 1, 1]], dtype=uint8)
"""

from . import _s3svm
from ._energy import Clique, Concave, Energy, grid_pairs, table
from ._errors import (ArgumentError, Cancelled, Error, FileError, FormatError, NotSubmodularError, OutOfMemoryError,
                      RangeError)
from ._minimize import Minimizer, Minimum, minimize, minimize_batch

__version__: str = _s3svm.version()

__all__ = [
    "ArgumentError", "Cancelled", "Clique", "Concave", "Energy", "Error", "FileError", "FormatError", "Minimizer", "Minimum",
    "NotSubmodularError", "OutOfMemoryError", "RangeError", "grid_pairs", "minimize", "minimize_batch", "table",
]
