"""The examples in the docstrings."""

import doctest
import importlib
import pkgutil

import numpy as np
import pytest

import s3svm

MODULES = ["s3svm"] + [f"s3svm.{m.name}" for m in pkgutil.iter_modules(s3svm.__path__) if m.name not in ("_s3svm", "torch")]  # that of PyTorch: test_torch


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    result = doctest.testmod(importlib.import_module(name), extraglobs={"np": np})
    assert result.failed == 0


def test_every_public_name_is_there_and_documented():
    for name in s3svm.__all__:
        assert getattr(s3svm, name).__doc__, name
