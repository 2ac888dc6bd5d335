"""Actions of ranks, for workloads that are written in Python.

Each function returns a tuple of words: the line of SimGrid's time-independent format without its rank. A program is a
generator function ``program(rank, size)`` that yields them:

>>> def ring(rank, size):
...     for _ in range(3):
...         yield compute(1e6)
...         yield isend((rank + 1) % size, 4096)
...         yield recv((rank - 1) % size, 4096)
...         yield wait(rank, (rank + 1) % size)
...     yield allreduce(8)
>>> import mopsim
>>> trace = mopsim.Trace.from_program(ring, ranks=4)
>>> trace.ranks, trace.actions
(4, 52)

Sizes are in bytes. Other calls of the format (communicators, one-sided, vector collectives) are written as tuples or
lines of text; ``docs/reference/traces.md`` has their arguments.
"""

from __future__ import annotations

#: Number of the datatype whose elements are bytes.
_BYTE = 6

Action = tuple


def compute(flops: float) -> Action:
    """Compute for a number of floating-point operations.

    >>> compute(1e9)
    ('compute', 1000000000.0)
    """
    return ("compute", flops)


def sleep(seconds: float) -> Action:
    """Sleep for a number of seconds; the core is free."""
    return ("sleep", seconds)


def send(to: int, bytes: int, tag: int = 0) -> Action:
    """Send a message and block as ``MPI_Send`` does.

    >>> send(3, 1024)
    ('send', 3, 0, 1024, 6)
    """
    return ("send", to, tag, bytes, _BYTE)


def isend(to: int, bytes: int, tag: int = 0) -> Action:
    """Start to send a message; :func:`wait` or :func:`waitall` completes it."""
    return ("isend", to, tag, bytes, _BYTE)


def recv(source: int, bytes: int, tag: int = 0) -> Action:
    """Receive a message of at most this size."""
    return ("recv", source, tag, bytes, _BYTE)


def irecv(source: int, bytes: int, tag: int = 0) -> Action:
    """Start to receive a message; :func:`wait` or :func:`waitall` completes it."""
    return ("irecv", source, tag, bytes, _BYTE)


def wait(source: int, destination: int, tag: int = 0) -> Action:
    """Wait for the oldest open request from ``source`` to ``destination`` with this tag."""
    return ("wait", source, destination, tag)


def pick(nth: int) -> Action:
    """Let the next :func:`wait` be for another open request: ``nth`` older ones of its triple are passed over."""
    return ("pick", nth)


def waitall() -> Action:
    """Wait for all open requests of the rank."""
    return ("waitall",)


def sendrecv(to: int, sent: int, source: int, received: int) -> Action:
    """Send ``sent`` bytes and receive ``received`` bytes at the same time, both with tag 0."""
    return ("sendRecv", sent, to, received, source, _BYTE, _BYTE)


def barrier() -> Action:
    """Wait for all ranks."""
    return ("barrier",)


def bcast(bytes: int, root: int = 0) -> Action:
    """Broadcast from a root."""
    return ("bcast", bytes, root, _BYTE)


def reduce(bytes: int, flops: float = 0.0, root: int = 0) -> Action:
    """Reduce to a root; ``flops`` is the computation of each rank."""
    return ("reduce", bytes, flops, root, _BYTE)


def allreduce(bytes: int, flops: float = 0.0) -> Action:
    """Reduce, with the result on every rank; ``flops`` is the computation of each rank."""
    return ("allreduce", bytes, flops, _BYTE)


def alltoall(sent: int, received: int | None = None) -> Action:
    """Exchange with every rank; sizes are per pair."""
    return ("alltoall", sent, sent if received is None else received, _BYTE, _BYTE)


def allgather(sent: int, received: int | None = None) -> Action:
    """Gather ``sent`` bytes of every rank on every rank."""
    return ("allgather", sent, sent if received is None else received, _BYTE, _BYTE)


def gather(sent: int, received: int | None = None, root: int = 0) -> Action:
    """Gather ``sent`` bytes of every rank on a root."""
    return ("gather", sent, sent if received is None else received, root, _BYTE, _BYTE)


def scatter(sent: int, received: int | None = None, root: int = 0) -> Action:
    """Scatter ``sent`` bytes per rank from a root."""
    return ("scatter", sent, sent if received is None else received, root, _BYTE, _BYTE)
