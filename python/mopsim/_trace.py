"""Traces of applications."""

from __future__ import annotations

import bisect
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Union

from . import _mopsim
from ._errors import InputError
from ._extras import needed
from ._options import Quantity, text, warn
from ._table import Table, facts_html

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

#: An action: a tuple of words, as the functions of :mod:`mopsim.actions` return them, or a line of text.
Action = Union[tuple, str]

#: Bytes that are passed on together.
_CHUNK = 1 << 16


class _Lines:
    """The lines of all ranks as bytes objects; remembers where each rank begins."""

    def __init__(self, ranks: Iterable[Iterable[Action]]) -> None:
        self._ranks = ranks
        #: Lines before each rank that has begun.
        self.begins: list[int] = []

    def __iter__(self) -> Iterator[bytes]:
        lines, chunk, size = 0, [], 0
        for rank, actions in enumerate(self._ranks):
            self.begins.append(lines)
            if isinstance(actions, (str, bytes)):
                raise TypeError(f"rank {rank}: its actions are one text; pass a list of lines")
            head = f"{rank} "
            for action in actions:
                # A line break would end the line and begin one of another rank.
                words = action if isinstance(action, str) else " ".join(map(text, action))
                if "\n" in words or "\r" in words:
                    raise ValueError(f"rank {rank}, action {lines - self.begins[-1]}: a line break in {words!r}")
                line = (head + words + "\n").encode()
                chunk.append(line)
                size += len(line)
                lines += 1
                if size >= _CHUNK:
                    yield b"".join(chunk)
                    chunk, size = [], 0
            if lines == self.begins[-1]:
                # A rank that does nothing needs a line, too.
                chunk.append((head + "init\n").encode())
                lines += 1
        yield b"".join(chunk)

    def place(self, line: int) -> str:
        """Return the rank and the action (from 0) of a line (from 1)."""
        rank = bisect.bisect_right(self.begins, line - 1) - 1
        return f"rank {rank}, action {line - 1 - self.begins[rank]}"


class Trace:
    """The actions of all ranks of an application.

    Parameters
    ----------
    path : path
        A file of any format that mopsim reads (time-independent text, GOAL, DUMPI, OTF2, liballprof, ``.mtrace``,
        ``.mrec``), plain or compressed, or a file that lists the files of all ranks.
    ranks : int, optional
        Number of ranks, if a time-independent trace does not contain it.
    max_unpacked_bytes : int, optional
        Largest number of bytes that the file may unpack to.
    files_anywhere : bool
        Let a list of files name files outside its own folder.
    recorded_speed : float or str, optional
        Flop/s of the computer on which times were recorded, for formats with times.
    leave_out : bool
        Leave out calls that cannot be replayed, with a warning, instead of refusing the trace.

    Examples
    --------
    >>> trace = Trace("traces/cg.A.64.ti.zst")
    >>> trace
    <mopsim.Trace 'cg.A.64': 64 ranks, 979543 actions>
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        ranks: int | None = None,
        max_unpacked_bytes: int | None = None,
        files_anywhere: bool = False,
        recorded_speed: Quantity | None = None,
        leave_out: bool = False,
    ) -> None:
        speed = None if recorded_speed is None else text(recorded_speed)
        self._native = _mopsim.Trace.read(
            os.fspath(path), ranks, max_unpacked_bytes, files_anywhere, speed, leave_out
        )
        warn(self._native.warnings())

    @classmethod
    def _of(cls, native: _mopsim.Trace) -> Trace:
        trace = cls.__new__(cls)
        trace._native = native
        warn(native.warnings())
        return trace

    @classmethod
    def from_actions(
        cls,
        ranks: Iterable[Iterable[Action]],
        *,
        name: str = "workload",
        operations: float | None = None,
        title: str | None = None,
    ) -> Trace:
        """Make a trace of the actions of each rank: lists, generators, or any iterables.

        Parameters
        ----------
        ranks : iterable of iterables of actions
            Rank 0 first. An action is a tuple of :mod:`mopsim.actions`, or a line of text.
        name : str
            Name for reports.
        operations : float, optional
            Useful operations of the whole program, for Mop/s.
        title : str, optional
            One line about it.

        Raises
        ------
        InputError
            With rank and action of what is wrong.

        Examples
        --------
        >>> from mopsim.actions import compute, recv, send
        >>> trace = Trace.from_actions([[compute(1e9), send(1, 1024)], [recv(0, 1024)]], name="pair")
        >>> trace
        <mopsim.Trace 'pair': 2 ranks, 3 actions>
        >>> Trace.from_actions([["send 7 0 10"], ["recv 0 0 10"]])
        Traceback (most recent call last):
        ...
        mopsim._errors.InputError: workload:1:8: the destination must be below the number of ranks, 2: `7`
          at rank 0, action 0
         help: ranks count from 0; check that the number of ranks is the one that the trace was recorded with, and that the trace is complete
        """
        lines = _Lines(ranks)
        try:
            return cls._of(_mopsim.Trace.from_lines(iter(lines), name, None, operations, title))
        except InputError as error:
            line = error.line
            if line is None:
                raise
            message, help_mark, help_text = str(error).partition("\n help: ")
            place = f"\n  at {lines.place(line)}"
            located = InputError(message + place + help_mark + help_text)
            located.line = line
            raise located from None

    @classmethod
    def from_program(
        cls,
        program: Callable[..., Iterable[Action]],
        *arguments: Any,
        ranks: int,
        name: str | None = None,
        operations: float | None = None,
        title: str | None = None,
        **keywords: Any,
    ) -> Trace:
        """Make a trace of a program in Python: ``program(rank, ranks, *arguments, **keywords)`` yields actions.

        The program runs once per rank, one after the other.

        >>> from mopsim.actions import alltoall
        >>> def transpose(rank, size, n):
        ...     yield alltoall(16 * n * n // size**2)
        >>> Trace.from_program(transpose, 1024, ranks=16)
        <mopsim.Trace 'transpose': 16 ranks, 16 actions>
        """
        actions = (program(rank, ranks, *arguments, **keywords) for rank in range(ranks))
        own_name = name or str(getattr(program, "__name__", "workload"))
        return cls.from_actions(actions, name=own_name, operations=operations, title=title)

    @classmethod
    def generate(cls, workload: str, ranks: int, parameters: Mapping[str, Any] | None = None, **more: Any) -> Trace:
        """Generate a trace of a known application, or of a program in Starlark (``.star``).

        Parameters
        ----------
        workload : str
            A name that ``mopsim workload`` lists, such as ``"npb/lu"``, or a file that ends in ``.star``.
        ranks : int
            Number of ranks.
        parameters : mapping, optional
            Parameters of the program, which may also be keyword arguments.

        Examples
        --------
        >>> Trace.generate("npb/is", 16, {"class": "S"}).ranks
        16
        """
        given = {**(parameters or {}), **more}
        pairs = [(name, text(value)) for name, value in given.items()]
        return cls._of(_mopsim.Trace.generate(workload, ranks, pairs))

    @property
    def name(self) -> str:
        """Name for reports."""
        return self._native.name

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return self._native.ranks

    @property
    def actions(self) -> int:
        """Number of actions of all ranks, or of operations of their graphs."""
        return self._native.actions

    @property
    def operations(self) -> float | None:
        """Useful operations of the whole program, where they are known."""
        return self._native.operations

    def info(self, *, host_speed: Quantity | None = None) -> dict[str, Any]:
        """Return totals: what ``mopsim trace info --format json`` prints.

        ``host_speed`` (flop/s, or a text) turns flops into seconds of computation.

        >>> Trace("traces/is.A.64.ti.zst").info()["ranks"]
        64
        """
        speed = None if host_speed is None else text(host_speed)
        info: dict[str, Any] = json.loads(self._native.info(speed))
        return info

    def check(self) -> Table:
        """Return what is wrong with the trace: a row per kind of finding, with severity, count, first place, text.

        >>> from mopsim.actions import send
        >>> findings = Trace.from_actions([[send(1, 8)], []]).check()
        >>> findings.rows[0]["severity"], findings.rows[0]["kind"]
        ('error', 'unmatched-send')
        """
        columns = ["severity", "kind", "count", "rank", "action", "place", "text"]
        return Table(columns, json.loads(self._native.check())["findings"])

    def messages(self) -> Table:
        """Return messages by pair: ``source``, ``destination`` (ranks), ``messages``, ``bytes``; without collectives.

        >>> Trace("traces/lu.A.64.it10.ti.zst").messages().rows[0]
        {'source': 0, 'destination': 1, 'messages': 696, 'bytes': 764400}
        """
        columns = ["source", "destination", "messages", "bytes"]
        return Table(columns, [dict(zip(columns, pair)) for pair in self._native.messages()])

    def matrix(self) -> NDArray[numpy.uint64]:
        """Return bytes from each rank to each rank: shape ``(ranks, ranks)``, ``uint64``; without collectives.

        Needs numpy.
        """
        with needed("numpy"):
            import numpy as np

        matrix = np.zeros((self.ranks, self.ranks), dtype=np.uint64)
        for source, destination, _, size in self._native.messages():
            matrix[source, destination] = size
        return matrix

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file: text for ``.ti``, compact for ``.mtrace``, messages for ``.goal``; packed by ``.zst`` and others.

        Operations and title, where they are known, are written beside it as ``NAME.toml``, from which they are read again.
        Existing files are replaced.
        """
        self._native.save(os.fspath(path))

    def __repr__(self) -> str:
        return f"<mopsim.Trace {self.name!r}: {self.ranks} ranks, {self.actions} actions>"

    def _repr_html_(self) -> str:
        facts = {"ranks": self.ranks, "actions": self.actions, "operations": self.operations}
        return facts_html(self.name, facts)


#: What calls take as a workload: a trace, or the path of one.
Workload = Union[Trace, str, "os.PathLike[str]"]


def native(workload: Workload) -> _mopsim.Trace:
    """Return the native trace of what a call takes as a workload."""
    return (workload if isinstance(workload, Trace) else Trace(workload))._native
