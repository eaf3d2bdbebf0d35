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
from ._multi import Expansion, MultiEnergy, Relaxation, expand, pn_potts, potts, robust_pn
from ._pictures import LabelPicture, Mark, draw, opencv_mask, read_image, read_scribbles, write_image
from ._problem import Problem, evaluate, read_problem, write_problem
from ._segment import GrabCut, Segmenter, cutout, grabcut, overlay, segment
from ._svm import SumOfSubmodularSVM
from ._tasks import Predictor, denoise, label, prepare, train_denoise, train_label, train_segment
from ._train import PathPoint, Training, TrainingInterrupted, train, train_path

__version__: str = _s3svm.version()

__all__ = [
    "ArgumentError", "Cancelled", "Clique", "Cliques", "Concave", "Energy", "Error", "Expansion", "FileError",
    "FormatError", "GrabCut", "Group", "LabelPicture", "Lines", "Mark", "Minimizer", "Minimum", "Model", "MultiEnergy",
    "NotSubmodularError", "OutOfMemoryError", "Pairs", "Patches", "PathPoint", "Predictor", "Problem", "RangeError",
    "Regions", "Relaxation", "Sample", "Segmenter", "SumOfSubmodularSVM", "Training", "TrainingInterrupted", "cutout",
    "denoise", "draw", "embedded_models", "evaluate", "expand", "grabcut", "grid_pairs", "label", "minimize",
    "minimize_batch", "opencv_mask", "overlay", "pn_potts", "potts", "prepare", "read_image", "read_problem",
    "read_scribbles", "robust_pn", "segment", "table", "train", "train_denoise", "train_label", "train_path",
    "train_segment", "write_image", "write_problem",
]
