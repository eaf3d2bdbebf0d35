"""The command s3svm: ``python -m s3svm``, and the console script of the package."""

import os
import shutil
import sys
from typing import NoReturn, Optional

from . import __version__


def find_command() -> Optional[str]:
    """The command: what $S3SVM_COMMAND names, the one beside the package or in the build that it is of, or that of the path which
    is not this script."""
    here = os.path.dirname(os.path.abspath(__file__))
    built = os.path.join(os.path.dirname(os.path.dirname(here)), "s3svm")  # build/python/s3svm is of build/s3svm
    own = {os.path.realpath(sys.argv[0])}
    on_path = [os.path.join(folder, "s3svm") for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    for path in [os.environ.get("S3SVM_COMMAND", ""), os.path.join(here, "s3svm-command"), built, *on_path]:
        if path and os.path.isfile(path) and os.access(path, os.X_OK) and os.path.realpath(path) not in own and not _is_script(path):
            return path
    return shutil.which("s3svm-command")


def _is_script(path: str) -> bool:
    """Whether it is a script such as this one, which would look for the command again, for ever."""
    try:
        with open(path, "rb") as file:
            return file.read(2) == b"#!"
    except OSError:
        return True


def main() -> NoReturn:
    command = find_command()
    if command is None:
        print(f"s3svm: the command is not installed; this is the Python package {__version__} alone.\n"
              "Build it in the source tree by `make`, and install it by `make install`; or let S3SVM_COMMAND name it.\n"
              "In Python, `import s3svm` has the same functions: help(s3svm) is an overview.", file=sys.stderr)
        sys.exit(127)
    os.execv(command, ["s3svm", *sys.argv[1:]])


if __name__ == "__main__":
    main()
