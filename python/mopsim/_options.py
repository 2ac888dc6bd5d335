"""Options of calls as flags of the command line, which checks them."""

from __future__ import annotations

import difflib
import inspect
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict, Union

from ._errors import MopsimWarning

if TYPE_CHECKING:
    from ._progress import Progress

#: A number in the base unit (bytes per second, seconds, flop/s), or a text with a unit, such as ``"100 Gbit/s"``.
Quantity = Union[float, str]


class NetworkOptions(TypedDict, total=False):
    """Options of networks: those of :class:`Platform`, except for its name and seed."""

    routing: str | None
    duplex: str | None
    rail: str | None
    planes: int | str | None
    host_ports: int | None
    host_ports_at: str | None
    without: str | None
    hosts_per_switch: int | None
    host_speed: Quantity | None
    cores: int | None
    link_bandwidth: Quantity | None
    link_latency: Quantity | None
    switch_delay: Quantity | None
    cable_delay: Quantity | None
    host_link_bandwidth: Quantity | None
    host_link_latency: Quantity | None
    floor_plan: str | None
    switches_per_cabinet: int | None
    hosts_per_cabinet: int | None
    placement: str | None
    defaults: str | None


class ReplayOptions(NetworkOptions, total=False):
    """Options of networks that :func:`replay` takes besides its own."""

    name: str | None


class RunOptions(NetworkOptions, total=False):
    """Options of networks, and those of replays that studies have as well."""

    mapping: str | None
    seed: int | None
    model: str | os.PathLike[str] | None
    collectives: str | None
    collective: Mapping[str, str] | None
    sharing: str | None
    timing_precision: float | None
    compat: str | None
    crosstraffic: bool | float | str | None
    smp_setup: bool | str | None


class StudyOptions(RunOptions, total=False):
    """Options that override a study."""

    hostfile: str | os.PathLike[str] | None
    rankfile: str | os.PathLike[str] | None
    check_iterations: int | None


class CompareOptions(RunOptions, total=False):
    """Options of :func:`compare`: those of :meth:`Study.of` and of :meth:`Study.run`."""

    title: str
    baseline: str | None
    explain: bool
    progress: Progress
    threads: int
    results: str | os.PathLike[str] | None
    resume: bool


def check_names(call: Callable[..., Any], given: Iterable[str], known: type) -> None:
    """Refuse options that a call does not take, with the nearest name.

    ``known`` has the options that follow two positional parameters and the named ones of the call.

    >>> def replay(trace, network, mapping=None, **options): ...
    >>> check_names(replay, ["link_bandwith"], NetworkOptions)
    Traceback (most recent call last):
        ...
    TypeError: replay() has no option 'link_bandwith'; did you mean 'link_bandwidth'?
    """
    # A TypedDict has the keys of its bases as well.
    further = known.__annotations__
    for name in given:
        if name not in further:
            own = list(inspect.signature(call).parameters)[2:-1]
            near = difflib.get_close_matches(name, [*own, *further], 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"{call.__qualname__}() has no option {name!r}{hint}")


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
