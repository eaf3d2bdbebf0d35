"""Exact minimisation and learning of sum-of-submodular energies, and what was learned: cutting out, restoring, labelling.

>>> import numpy as np, s3svm
>>> noisy = np.array([[0.1, 0.7, 0.9], [0.2, 0.4, 0.8]])
>>> s3svm.minimize((noisy, 1 - noisy), pairs=0.3).labels
array([[0, 1, 1],
       [0, 1, 1]], dtype=uint8)

Energies of two labels
    Energy, minimize, Minimizer (again and again, with warm starts), minimize_batch, min_marginals; table, grid_pairs
Energies of several labels
    MultiEnergy, expand, potts, pn_potts, robust_pn
Learning energies
    SumOfSubmodularSVM, with the interface of scikit-learn: Sample, and cliques Pairs, Patches, Lines, Regions, Cliques;
    Model and Problem by hand, with train, train_path, evaluate, read_problem, write_problem
Learning below an energy
    Hinge, hinge: the structured hinge loss with its subgradients; nearest_submodular; s3svm.torch: the same for PyTorch
Pictures, with models that are there
    Segmenter, segment, grabcut, cutout, overlay: objects in photographs; denoise: drawings; label: several labels;
    prepare, Predictor: one model for many pictures; Model.load, embedded_models
What a network says
    calibrate, Calibration: as honest log odds
Pictures, with models of one's own
    train_segment, train_denoise, train_label, learn: from arrays or folders
Files
    read_image, write_image, read_scribbles; Energy.read, Model.save; draw makes drawings to try things on

What the library refuses is an Error, and also a ValueError, MemoryError, OverflowError or OSError.  ``python -m s3svm`` is the command.  Long calls
let other threads run, use all cores (n_jobs), and end by Ctrl-C; in a process that was forked they use one thread.  The guide is
docs/python.md.
"""

import os

from . import _s3svm
from ._calibration import Calibration, calibrate
from ._cliques import Cliques, Lines, Pairs, Patches, Regions, Sample
from ._energy import Clique, Concave, Energy, grid_pairs, table
from ._errors import (ArgumentError, Cancelled, Error, FileError, FormatError, NotSubmodularError, NumberError,
                      OutOfMemoryError, RangeError)
from ._hinge import Hinge, HingeResult, hinge, nearest_submodular
from ._lessons import learn, train_denoise, train_label, train_segment
from ._minimize import Minimizer, Minimum, min_marginals, minimize, minimize_batch
from ._model import Group, Model, embedded_models
from ._multi import Expansion, MultiEnergy, Relaxation, expand, pn_potts, potts, robust_pn
from ._pictures import LabelPicture, Mark, draw, opencv_mask, read_image, read_scribbles, write_image
from ._problem import Problem, evaluate, read_problem, write_problem
from ._segment import Confidence, GrabCut, Segmenter, cutout, grabcut, overlay, segment
from ._svm import SumOfSubmodularSVM
from ._tasks import Predictor, denoise, label, prepare
from ._train import PathPoint, Training, TrainingInterrupted, train, train_path

__version__: str = _s3svm.version().replace("-rc.", "rc")  # as Python writes release candidates

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_s3svm.forked)

__all__ = [
    "ArgumentError", "Calibration", "Cancelled", "Clique", "Cliques", "Concave", "Confidence", "Energy", "Error", "Expansion",
    "FileError", "FormatError", "GrabCut", "Group", "Hinge", "HingeResult", "LabelPicture", "Lines", "Mark", "Minimizer", "Minimum",
    "Model", "MultiEnergy",
    "NotSubmodularError", "NumberError", "OutOfMemoryError", "Pairs", "Patches", "PathPoint", "Predictor", "Problem", "RangeError",
    "Regions", "Relaxation", "Sample", "Segmenter", "SumOfSubmodularSVM", "Training", "TrainingInterrupted", "calibrate",
    "cutout",
    "denoise", "draw", "embedded_models", "evaluate", "expand", "grabcut", "grid_pairs", "hinge", "label", "learn", "min_marginals", "minimize",
    "minimize_batch", "nearest_submodular", "opencv_mask", "overlay", "pn_potts", "potts", "prepare", "read_image", "read_problem",
    "read_scribbles", "robust_pn", "segment", "table", "train", "train_denoise", "train_label", "train_path",
    "train_segment", "write_image", "write_problem",
]
