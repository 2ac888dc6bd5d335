"""Progress of long calls."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Union

#: ``True`` for a bar, or a function that is called with what is done and with all that is to do.
Progress = Union[bool, Callable[[int, int], object]]


class _Bar:
    """A line on standard error that is drawn again and again."""

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._begin = time.monotonic()
        self._drawn: tuple[int, int] | None = None

    def __call__(self, done: int, total: int) -> None:
        seconds = time.monotonic() - self._begin
        # Where lines are kept, as in a notebook, each of them should say something new.
        if self._drawn == (done, int(seconds)):
            return
        to_go = f", about {seconds / done * (total - done):.0f} s to go" if 0 < done < total else ""
        print(f"\r{done}/{total} {self._unit}, {seconds:.0f} s{to_go}\x1b[K", end="", file=sys.stderr, flush=True)
        self._drawn = (done, int(seconds))

    def close(self) -> None:
        if self._drawn is not None:
            print(file=sys.stderr)


class _Tqdm:
    """A bar of tqdm, which notebooks show as a widget."""

    def __init__(self, unit: str) -> None:
        from tqdm.auto import tqdm

        self._make: Callable[[int], Any] = lambda total: tqdm(total=total, unit=unit)
        self._bar: Any = None

    def __call__(self, done: int, total: int) -> None:
        if self._bar is None:
            self._bar = self._make(total)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


class watched:
    """A context that has a callable, or ``None``, for the native call."""

    def __init__(self, progress: Progress, unit: str) -> None:
        self._progress = progress
        self._unit = unit
        self._bar: _Bar | _Tqdm | None = None

    def __enter__(self) -> Callable[[int, int], object] | None:
        if callable(self._progress):
            return self._progress
        if not self._progress:
            return None
        try:
            self._bar = _Tqdm(self._unit)
        except ImportError:
            self._bar = _Bar(self._unit)
        return self._bar

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
