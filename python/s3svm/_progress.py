"""Progress of long calls: a callable, or a bar."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Callable, Optional, TextIO, Type, Union

Callback = Callable[[str, float], Optional[bool]]
Progress = Union[None, bool, Callback]

BAR_WIDTH = 30


class Bar:
    """A line that is written again and again: what is being done, for how long, and how far it is."""

    def __init__(self, stream: Optional[TextIO] = None):
        self.stream = sys.stderr if stream is None else stream
        self.began = time.monotonic()
        self.written = 0

    def line(self, text: str) -> None:
        self.stream.write("\r" + text.ljust(self.written))
        self.stream.flush()
        self.written = len(text)

    def __call__(self, phase: str, done: float) -> None:
        seconds = time.monotonic() - self.began
        if done < 0:
            self.line(f"{phase}: {seconds:.1f} s")
            return
        full = round(BAR_WIDTH * min(done, 1.0))
        self.line(f"{phase}: [{'#' * full}{'.' * (BAR_WIDTH - full)}] {100 * done:.0f} %, {seconds:.1f} s")

    def close(self) -> None:
        if self.written:
            self.stream.write("\n")
            self.stream.flush()


class watched:
    """``with watched(progress) as callback``: the callable for the extension, None where nobody watches."""

    def __init__(self, progress: Progress):
        if progress is not None and not isinstance(progress, bool) and not callable(progress):
            raise TypeError("progress must be True, False, None or a callable of a phase and how much of it is done")
        self.bar = Bar() if progress is True else None
        self.callback: Optional[Callback] = progress if callable(progress) else self.bar

    def __enter__(self) -> Optional[Callback]:
        return self.callback

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 traceback: Optional[TracebackType]) -> None:
        if self.bar is not None:
            self.bar.close()
