"""Options of calls as flags of the command line, which checks them."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Union

from ._errors import MopsimWarning

#: A number in the base unit (bytes per second, seconds, flop/s), or a text with a unit, such as ``"100 Gbit/s"``.
Quantity = Union[float, str]


def flags(options: Mapping[str, Any]) -> list[str]:
    """Return the flags for options: ``{"link_bandwidth": "1 GB/s"}`` becomes ``["--link-bandwidth=1 GB/s"]``.

    ``None`` and ``False`` are left out, ``True`` is a flag without a value, and a list repeats the flag.

    >>> flags({"routing": "bfs", "cores": None, "explain": True, "job": ["a", "b"]})
    ['--routing=bfs', '--explain', '--job=a', '--job=b']
    """
    words: list[str] = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is None:
            continue
        if is_truth(value):
            if value:
                words.append(flag)
        elif isinstance(value, (list, tuple)):
            words.extend(f"{flag}={text(entry)}" for entry in value)
        else:
            words.append(f"{flag}={text(value)}")
    return words


def text(value: Any) -> str:
    """Return a value as the command line takes it; floats with all their digits."""
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if isinstance(value, float):
        # numpy's float64 is a float that calls itself by its own name.
        return float.__repr__(value)
    return str(value)


def is_truth(value: Any) -> bool:
    """Whether a value is ``True`` or ``False``, of Python or of numpy."""
    return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")


def on_off(value: bool | str | None) -> str | None:
    """Return ``on`` or ``off`` for a truth value."""
    return value if value is None or isinstance(value, str) else ("on" if value else "off")


def warn(messages: Iterable[str]) -> None:
    """Emit warnings, from the line that called the package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "mopsim":
        level, frame = level + 1, frame.f_back
    for message in messages:
        warnings.warn(message, MopsimWarning, stacklevel=level)
