"""Replays of traces on networks."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _mopsim, _platform, _trace
from ._options import ReplayOptions, check_names, flags, is_truth, on_off, warn
from ._platform import Network
from ._progress import Progress, watched
from ._report import Report
from ._table import Table, facts_html
from ._trace import Trace, Workload

if TYPE_CHECKING:
    from typing_extensions import Unpack

_TIMES = ["end_seconds", "compute_seconds", "communication_seconds", "latency_seconds", "waiting_seconds"]


class Replay(Report[_mopsim.Replay]):
    """The result of a replay.

    ``result.report`` is the document that ``mopsim replay --format json`` prints, with the same numbers to the last bit.
    """

    @property
    def seconds(self) -> float:
        """Simulated seconds from the common start to the end of the last rank."""
        return float(self.report["simulated_seconds"])

    @property
    def mops(self) -> float | None:
        """Millions of operations per simulated second, where the number of operations is known."""
        mops: float | None = self.report["mops"]
        return mops

    def rank_table(self) -> Table:
        """Return the times of each rank in seconds: a row per rank.

        ``latency_seconds`` is the part of ``communication_seconds`` that more bandwidth would not shorten.
        """
        ranks = enumerate(self._native.ranks)
        return Table(["rank", *_TIMES], [{"rank": rank, **dict(zip(_TIMES, times))} for rank, times in ranks])

    def __repr__(self) -> str:
        return f"<mopsim.Replay {self.report['trace']!r} on {self.report['topology']!r}: {self.seconds!r} s>"

    def _repr_html_(self) -> str:
        report = self.report
        facts: dict[str, Any] = {"simulated seconds": self.seconds, "Mop/s": self.mops}
        facts.update({f"share of {name}": share for name, share in report["time_shares"].items()})
        facts["average hops"] = report["average_hops"]
        if report["busiest_links"]:
            busiest = report["busiest_links"][0]
            facts["busiest link"] = f"{busiest['link']}, {busiest['utilisation']:.1%}"
        return facts_html(f"{report['trace']} on {report['topology']}", facts)


def replay(
    trace: Workload | Sequence[Workload],
    network: Network,
    *,
    mapping: str | None = None,
    hostfile: str | os.PathLike[str] | None = None,
    rankfile: str | os.PathLike[str] | None = None,
    seed: int | None = None,
    model: str | os.PathLike[str] | None = None,
    collectives: str | None = None,
    collective: Mapping[str, str] | None = None,
    sharing: str | None = None,
    timing_precision: float | None = None,
    compat: str | None = None,
    crosstraffic: bool | float | str | None = None,
    smp_setup: bool | str | None = None,
    explain: bool = False,
    until_steady: bool | str = False,
    allocation: str | None = None,
    share_hosts: bool = False,
    pairs: bool = True,
    progress: Progress = False,
    **platform: Unpack[ReplayOptions],
) -> Replay:
    """Replay a trace on a network, as ``mopsim replay`` does.

    Parameters
    ----------
    trace : Trace, path, or a list of them
        What to replay. Several are jobs that run at the same time.
    network : Platform, Topology, str or path
        Where: a platform, a topology or its specification, or the path of a platform file as ``pathlib.Path``.
    mapping : str, optional
        Placement of ranks: ``"one-each"`` (default), ``"block"``, ``"round-robin"``, ``"random"``, ``"bisection"``.
    hostfile, rankfile : path, optional
        Placement of ranks by a file instead.
    seed : int, optional
        Seed of random topologies, routings and mappings that have none of their own (default 1).
    model : str or path, optional
        Network model: ``"ordered"`` (default), ``"tcp"``, ``"ideal"``, ``"packet"``, ``"smpi"``, ``"lv08"``, ``"cm02"``,
        ``"loggops"``, or a file with constants.
    collectives : str, optional
        Table that selects algorithms: ``"mvapich2"`` (default), ``"ompi"``, ``"mpich"`` (3),
        ``"mpich4"``, ``"default"``.
    collective : mapping, optional
        One algorithm for all calls of an operation: ``{"alltoall": "bruck"}``.
    sharing : str, optional
        ``"exact"`` (default), ``"within:1%"``, ``"proportional"``, ``"simgrid-lazy"`` or ``"simgrid-full"``.
    timing_precision : float, optional
        Events closer than this many seconds happen together.
    compat : str, optional
        ``"simgrid"`` for the numbers of SimGrid's default settings.
    crosstraffic, smp_setup : optional
        ``True``, ``False``, or the text of the command line's flag.
    explain : bool
        Also find how long links were full, and the critical path.
    until_steady : bool or str
        Replay iterations until their mean time is known within 1 % (``True``) or another half width, such as ``"0.5%"``, and
        extrapolate the rest; ``report["extrapolation"]`` has the interval.
    allocation, share_hosts, pairs : optional
        For several jobs: their hosts, whether they may share hosts, whether to replay them in pairs.
    progress : bool or callable
        ``True`` for a bar, or a function of the actions that have begun and their number.
    **platform
        Options of :class:`Platform`, such as ``link_bandwidth``, unless ``network`` is a platform already.

    Returns
    -------
    Replay

    Raises
    ------
    ReplayError
        If the ranks cannot come to their end, with the places in the trace.
    InputError
        If an option cannot be.

    Examples
    --------
    >>> result = replay("traces/is.A.64.ti.zst", "torus:8x8", link_bandwidth="200 Gbit/s")
    >>> result.report["ranks"], result.report["schema"]
    (64, 'mopsim.replay/2')
    >>> 0 < result.seconds < 1
    True
    """
    check_names(replay, platform, ReplayOptions)
    traces = [trace] if isinstance(trace, (Trace, str, os.PathLike)) else list(trace)
    options = {
        "mapping": mapping,
        "hostfile": hostfile,
        "rankfile": rankfile,
        "seed": seed,
        "explain": explain,
        "until_steady": until_steady,
        "allocation": allocation,
        "share_hosts": share_hosts,
        "no_pairs": not pairs,
        **model_options(model, collectives, collective, sharing, timing_precision, compat, crosstraffic, smp_setup),
    }
    # The seed of a platform that is ready is its own; that of ranks is this one.
    of_network = None if isinstance(network, _platform.Platform) else seed
    ready = _platform.native(network, seed=of_network, **platform)
    natives = [_trace.native(workload) for workload in traces]
    with watched(progress, "actions") as watch:
        result = Replay(_mopsim.replay(natives, ready, flags(options), watch))
    if result.unmatched:
        warn(result.notes)
    return result


def model_options(
    model: str | os.PathLike[str] | None,
    collectives: str | None,
    collective: Mapping[str, str] | None,
    sharing: str | None,
    timing_precision: float | None,
    compat: str | None,
    crosstraffic: bool | float | str | None,
    smp_setup: bool | str | None,
) -> dict[str, Any]:
    """Return the options of the model for :func:`mopsim._options.flags`."""
    return {
        "model": model,
        "collectives": collectives,
        "collective": [f"{kind}={algorithm}" for kind, algorithm in (collective or {}).items()],
        "sharing": sharing,
        "timing_precision": timing_precision,
        "compat": compat,
        "crosstraffic": on_off(bool(crosstraffic)) if is_truth(crosstraffic) else crosstraffic,
        "smp_setup": on_off(smp_setup),
    }
