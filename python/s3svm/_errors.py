"""What goes wrong, as exceptions: the library's status codes, each also a kind of exception that Python has already."""

from typing import Any

from . import _s3svm

__all__ = [
    "Error",
    "ArgumentError",
    "NumberError",
    "NotSubmodularError",
    "RangeError",
    "OutOfMemoryError",
    "FormatError",
    "FileError",
    "Cancelled",
]


class Error(Exception):
    """What all failures of the library have in common; the message is the library's own."""


class ArgumentError(Error, ValueError):
    """An index or size out of bounds, NaN or an infinity."""


class NumberError(ArgumentError, IndexError):
    """A number of a variable, table or clique that there is not."""


class NotSubmodularError(Error, ValueError):
    """A table that is not submodular, or a function of the count that is not concave; the message says where."""


class RangeError(Error, OverflowError):
    """More variables, cliques or members than the library can number."""


class OutOfMemoryError(Error, MemoryError):
    """An allocation failed, or a memory limit would be passed."""


class FormatError(Error, ValueError):
    """The content of a file; the message names the line."""


class FileError(Error, OSError):
    """The operating system: a file cannot be opened, read or written."""


class Cancelled(Error):
    """A progress callback returned False.  result: what was reached, where there is something."""

    result: Any = None


# By the names of the statuses, so that their numbers stand in C alone.
_BY_NAME: dict[str, type[Exception]] = {
    "ok": Error,
    "bad argument": ArgumentError,
    "not submodular": NotSubmodularError,
    "out of range": RangeError,
    "out of memory": OutOfMemoryError,
    "bad file content": FormatError,
    "input/output error": FileError,
    "cancelled": Cancelled,
}
_s3svm.set_exceptions(tuple(_BY_NAME[name] for name in _s3svm.status_names()))
